/* What an emulated device computes with, in place of a vendor's library: plain loops, on the calling thread. */
#ifndef ASHI_EMULATED_KERNELS_H
#define ASHI_EMULATED_KERNELS_H

#include "device/device.h"

/* All pointers are memory that the calling thread may use. Types of 16 bits have products only. */
typedef struct ashi_emulated_kernels {
    void (*gemm)(const ashi_device_gemm *product);
    void (*axpby)(const ashi_device_sum *sum);
    void (*permute)(const ashi_device_permutation *permutation);
} ashi_emulated_kernels;

const ashi_emulated_kernels *ashi_emulated_kernels_of(ashlar_type type);

#endif

/* A CUDA that the host plays, for tests of the plug-in's own code on machines without a GPU: the calls of the runtime
 * and of cuBLAS that it makes, with the rules that they have. The host cannot touch device memory. A stream is a thread
 * that does what is put into it, now and then late. An error is one of the whole process, as CUDA's are. */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

/* For tests, which find it in the plug-in by its name: devices as new, and as a text says. It has options with commas
 * between: devices=N and memory=BYTES of each; fail-copy=N, fail-product=N, lost=N as the emulated device has them;
 * driver=0 (none is installed); seed=N, for how streams are late. The first text is the environment's FAKE_CUDA. No
 * device may be open. */
void fake_cuda_set(const char *text);

/* The stream that was made as the nth since then begins nothing more while it is held. */
void fake_cuda_hold(int stream, bool held);

/* Copies since then for which the calling thread waited, since the host's memory was pageable; bytes allocated now. */
int64_t fake_cuda_pageable(void);
int64_t fake_cuda_left(void);

/* ---- between the files of the fake ---- */

typedef struct fake_work {
    void (*run)(void *context); /* on the stream's thread */
    void *context;              /* freed then */
    bool is_host;               /* a host function, which owns its context */
    bool is_copy, is_product;   /* which can fail */
} fake_work;

/* Put work into a stream; the context is freed if that fails. */
cudaError_t fake_put(cudaStream_t stream, const fake_work *work);

/* Where the fake's threads find `bytes` bytes at an address; NULL if they are not in one allocation of the stream's
 * device. */
void *fake_behind(cudaStream_t stream, const void *address, int64_t bytes);

/* Count a call. cudaSuccess, or the error of the process. */
cudaError_t fake_enter(void);

/* Whether the calling thread's current device is the stream's. */
bool fake_is_current(cudaStream_t stream);

#endif

/* A CUDA device: what the files of this folder share. They make the plug-in libashlar_cuda.so (device/plugin.h), in
 * plain C over the runtime and cuBLAS; kernels.cu has what cuBLAS lacks. */
#ifndef ASHI_CUDA_H
#define ASHI_CUDA_H

#include "device/device.h"

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

/* Products of one call of cuBLAS at most: each of their three lists is 64 KiB, which the runtime copies from pageable
 * memory without waiting for the device. */
enum { ASHI_CUDA_BATCH = 1 << 13 };

typedef struct ashi_cuda_options {
    int64_t number;        /* of the device */
    int64_t memory;        /* bytes that may be allocated; 0: what is free at the opening, less a reserve */
    int64_t pinned;        /* bytes of the host by which copies from and to pageable memory go */
    double in, out, flops; /* rates that the caller knows; 0: unknown */
} ashi_cuda_options;

/* ASHLAR_ERR_ARG, naming the option. */
ashlar_status ashi_cuda_options_read(const char *text, ashi_cuda_options *out, ashlar_error *err);

extern const char ashi_cuda_option_names[];

/* Memory of the device, or pinned memory of the host, that was given out. */
typedef struct ashi_cuda_block {
    struct ashi_cuda_block *next;
    void *address;
    int64_t bytes;
} ashi_cuda_block;

typedef struct ashi_cuda_bounce ashi_cuda_bounce;

enum { ASHI_CUDA_NAME = 320 };

typedef struct ashi_cuda {
    ashi_device base;
    char name[ASHI_CUDA_NAME]; /* for errors and reports: "cuda:0 (NVIDIA H100)" */
    ashi_cuda_options options;
    int64_t held, pinned; /* bytes that were given out, */
    int64_t pinned_most;  /* and the most of the latter so far */
    ashi_cuda_block *block, *pinned_block;
    cudaStream_t stream[ASHI_DEVICE_QUEUES];
    ashi_cuda_bounce *bounce[2]; /* of copies in and out; NULL until pageable memory is copied */
    cublasHandle_t blas;
    void *workspace; /* cuBLAS's, on the device */
    void **lists;    /* on the device, for batches: room for three of ASHI_CUDA_BATCH addresses */
    ashlar_error failure; /* status ASHLAR_OK: none */
} ashi_cuda;

static inline ashi_cuda *ashi_cuda_of(ashi_device *device)
{
    return (ashi_cuda *)device;
}

/* Begin a call: the device becomes the thread's current one. Returns the one that was, for ashi_cuda_leave. */
int ashi_cuda_enter(const ashi_cuda *c);
void ashi_cuda_leave(int before);

/* ASHLAR_OK, or the failure that the device has had. */
ashlar_status ashi_cuda_state(const ashi_cuda *c, ashlar_error *err);

/* What a call of the runtime, named `what`, or of cuBLAS has returned. A lack of memory is ASHLAR_ERR_MEMORY, a wrong
 * argument of cuBLAS ASHLAR_ERR_ARG; all else is a failure of the device, with CUDA's own text. */
ashlar_status ashi_cuda_judge(ashi_cuda *c, const char *what, cudaError_t result, ashlar_error *err);
ashlar_status ashi_cuda_judge_blas(ashi_cuda *c, const char *what, cublasStatus_t result, ashlar_error *err);

/* ---- memory.c ---- */

ashlar_status ashi_cuda_allocate(ashi_device *device, int64_t bytes, void **out, ashlar_error *err);
void ashi_cuda_release(ashi_device *device, void *address);
ashlar_status ashi_cuda_host_allocate(ashi_device *device, int64_t bytes, void **out, ashlar_error *err);
void ashi_cuda_host_release(ashi_device *device, void *address);
void ashi_cuda_release_all(ashi_cuda *c);
ashi_device_owner ashi_cuda_owner(const ashi_device *device, const void *address, int64_t *left);

/* Whether copies of the device's own reach an address of the host; else it is pageable. */
bool ashi_cuda_reaches(const void *address);

/* ---- put_copy.c: the copy is in the stream when it returns; copy->lines and copy->bytes >= 1 ---- */

cudaError_t ashi_cuda_put_copy(const ashi_device_copy *copy, cudaStream_t stream);

/* ---- copies.c ---- */

ashlar_status ashi_cuda_copy_in(ashi_device *device, const ashi_device_copy *copy, ashlar_error *err);
ashlar_status ashi_cuda_copy_out(ashi_device *device, const ashi_device_copy *copy, ashlar_error *err);

/* ---- bounce.c: copies from and to pageable memory, by way of pinned pieces. The calling thread does not wait. ---- */

ashlar_status ashi_cuda_bounce_copy(ashi_cuda *c, ashi_device_queue queue, const ashi_device_copy *copy,
                                    ashlar_error *err);

/* What reads the host's memory ahead of the queue of copies in waits for an event, too. */
ashlar_status ashi_cuda_bounce_wait(ashi_cuda *c, ashi_device_queue queue, cudaEvent_t event, ashlar_error *err);

/* Bytes of pinned memory that it takes at most. */
int64_t ashi_cuda_bounce_most(const ashi_cuda *c);

/* Wait until no memory of the host is read or written. */
void ashi_cuda_bounce_finish(ashi_cuda *c);
void ashi_cuda_bounce_free(ashi_cuda *c);

/* ---- work.c ---- */

ashlar_status ashi_cuda_gemm(ashi_device *device, const ashi_device_gemm *product, ashlar_error *err);
ashlar_status ashi_cuda_gemm_batched(ashi_device *device, const ashi_device_gemm *product, int64_t count,
                                     const void *const *a, const void *const *b, void *const *c, ashlar_error *err);
ashlar_status ashi_cuda_axpby(ashi_device *device, const ashi_device_sum *sum, ashlar_error *err);
ashlar_status ashi_cuda_permute(ashi_device *device, const ashi_device_permutation *permutation, ashlar_error *err);

/* ---- events.c ---- */

ashlar_status ashi_cuda_event_create(ashi_device *device, ashi_device_event **out, ashlar_error *err);
void ashi_cuda_event_free(ashi_device *device, ashi_device_event *event);
ashlar_status ashi_cuda_record(ashi_device *device, ashi_device_queue queue, ashi_device_event *event,
                               ashlar_error *err);
ashlar_status ashi_cuda_wait(ashi_device *device, ashi_device_queue queue, ashi_device_event *event,
                             ashlar_error *err);
ashlar_status ashi_cuda_reached(ashi_device *device, ashi_device_event *event, bool *out, ashlar_error *err);
ashlar_status ashi_cuda_await(ashi_device *device, ashi_device_event *event, ashlar_error *err);
ashlar_status ashi_cuda_finish(ashi_device *device, ashlar_error *err);

extern const ashi_device_kind ashi_cuda_calls;

#endif

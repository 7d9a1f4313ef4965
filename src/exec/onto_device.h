/* Products on a device: C <- alpha A B + beta C of matrices that the host has, in as much device memory as is given.
 *
 * A product is a program of the nest engine on one rank (search/onto_device.h): what it calls files are the host's
 * arrays, and its pool is the device's memory. The passes order and place its tasks, so the checker proves it and the
 * closed forms count it. Its steps are put into the device's queues as they are passed, two at most ahead of what has
 * ended; copies in, copies out and products of a step go side by side.
 *
 * C is whole or untouched. Results come back by way of memory that the host holds until the copy has been seen to
 * succeed, so every element of C is as it was, or as it is to be. If the device fails under way, what is missing is
 * multiplied by the host, and the call succeeds; the tally says why. */
#ifndef ASHI_ONTO_DEVICE_H
#define ASHI_ONTO_DEVICE_H

#include "device/device.h"
#include "engine/nest.h"
#include "exec/trace.h"
#include "kernel/kernels.h"

typedef struct ashi_onto_request {
    ashi_device *device;   /* outlives it; nobody else uses it while a product runs */
    ashlar_type type;
    int64_t memory_words;  /* of the device, for one product at a time */
    void *pool;            /* memory_words of its memory that the caller has; NULL: it is allocated as it is needed */
    int64_t staging_words; /* of the host, for results on their way back, at least 2; 0: ashi_onto_staging_bytes */
    void *stages;          /* staging_words of memory that the device has given to the caller, who lets one product at
                              a time use it; NULL: it is allocated */
} ashi_onto_request;

/* Bytes of the host's memory by which results come back from `memory` bytes of a device: 1 MiB, or less if that is
 * more than half of the device's. */
int64_t ashi_onto_staging_bytes(int64_t memory);

/* A product, with what the kernel `gemm` of kernel/kernels.h is given and demands; m, n and k at least 1. */
typedef struct ashi_onto_product {
    int64_t m, n, k;
    const void *alpha, *beta;
    ashi_matrix a, b;
    bool conjugate_a, conjugate_b;
    void *c;
    int64_t minor_stride, major_stride; /* of C */
    void (*listen)(void *context);      /* NULL, or called while the host waits for the device */
    void *context;
    ashi_trace *trace;                  /* NULL, or where copies and products of the device are noted, */
    int64_t trace_step;                 /* with this step */
} ashi_onto_product;

/* What products took, one added to the other. */
typedef struct ashi_onto_tally {
    int64_t in, out;      /* words copied to the device and from it */
    int64_t held;         /* the most words of the device that were held at once */
    int64_t on_host;      /* multiply-adds that the host did in place of the device */
    ashlar_error failure; /* why; status ASHLAR_OK: the device did all */
} ashi_onto_tally;

typedef struct ashi_onto ashi_onto;

/* ASHLAR_ERR_LIMIT, with the least that would do, if memory_words are too few; ASHLAR_ERR_MEMORY; ASHLAR_ERR_DEVICE. */
ashlar_status ashi_onto_create(const ashi_onto_request *request, ashi_onto **out, ashlar_error *err);

/* How a product will be cut, and so its words. ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_onto_plan(const ashi_onto *onto, const ashi_onto_product *product, ashi_nest *out,
                             ashlar_error *err);

/* Multiply. ASHLAR_ERR_MEMORY, ASHLAR_ERR_OVERFLOW: C is untouched. ASHLAR_ERR_INTERRUPTED: it is unspecified. Once the
 * device has failed the host does all. */
ashlar_status ashi_onto_multiply(ashi_onto *onto, const ashi_onto_product *product, ashlar_error *err);

/* What all products took so far. */
const ashi_onto_tally *ashi_onto_total(const ashi_onto *onto);

/* NULL does nothing. */
void ashi_onto_free(ashi_onto **onto);

#endif

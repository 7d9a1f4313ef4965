/* Copies between a CUDA device and pageable memory of the host, by way of pinned pieces.
 *
 * The runtime's own copies of such memory make the calling thread wait for them. Here the host's part of a copy is done
 * by a thread of CUDA's, as a host function of a stream that runs beside that of the copies: of a copy in it fills
 * pieces ahead of the device, of a copy out it empties them behind it. Events keep the order. A piece that is in use
 * makes a stream wait, never the calling thread. */
#include "base/checked.h"
#include "base/error.h"
#include "device/cuda/cuda.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 4 };

/* The host's part of a copy of one piece. */
typedef struct bounce_job {
    struct bounce_job *next;
    ashi_cuda_bounce *bounce;
    ashi_device_copy copy;
    atomic_bool done;
} bounce_job;

struct ashi_cuda_bounce {
    cudaStream_t side; /* of the host's part */
    char *pinned;
    int64_t piece; /* bytes of each */
    cudaEvent_t full[PIECES], empty[PIECES];
    int events[2]; /* how many there are */
    int next;
    bounce_job *first, **last; /* in the order of the calls */
    atomic_int running;
    atomic_bool stopped; /* the device has failed: nothing more is copied */
};

static void run_job(void *context)
{
    bounce_job *job = context;
    ashi_cuda_bounce *b = job->bounce;
    const ashi_device_copy *c = &job->copy;
    atomic_fetch_add(&b->running, 1);
    for (int64_t i = 0; i < c->lines && !atomic_load(&b->stopped); i++)
        memcpy((char *)c->to + i * c->to_stride, (const char *)c->from + i * c->from_stride, (size_t)c->bytes);
    atomic_fetch_sub(&b->running, 1);
    atomic_store(&job->done, true); /* it may be freed now */
}

/* Free the jobs that are done, or all. */
static void free_jobs(ashi_cuda_bounce *b, bool all)
{
    while (b->first && (all || atomic_load(&b->first->done))) {
        bounce_job *job = b->first;
        b->first = job->next;
        free(job);
    }
    if (!b->first)
        b->last = &b->first;
}

/* ---- making it ---- */

static void free_one(ashi_cuda *c, int which)
{
    ashi_cuda_bounce *b = c->bounce[which];
    if (!b)
        return;
    if (b->side)
        cudaStreamDestroy(b->side);
    for (int i = 0; i < b->events[0]; i++)
        cudaEventDestroy(b->full[i]);
    for (int i = 0; i < b->events[1]; i++)
        cudaEventDestroy(b->empty[i]);
    ashi_cuda_host_release(&c->base, b->pinned);
    free_jobs(b, true);
    free(b);
    c->bounce[which] = NULL;
}

/* What was put into the queue before goes before what is put into the new stream. */
static cudaError_t make_streams(ashi_cuda_bounce *b, cudaStream_t queue)
{
    cudaError_t result = cudaStreamCreateWithFlags(&b->side, cudaStreamNonBlocking);
    for (int i = 0; i < 2 * PIECES && result == cudaSuccess; i++) {
        cudaEvent_t *event = i % 2 ? &b->empty[i / 2] : &b->full[i / 2];
        result = cudaEventCreateWithFlags(event, cudaEventDisableTiming);
        b->events[i % 2] += result == cudaSuccess;
    }
    if (result == cudaSuccess)
        result = cudaEventRecord(b->full[0], queue);
    return result == cudaSuccess ? cudaStreamWaitEvent(b->side, b->full[0], 0) : result;
}

/* Bytes of a piece. */
static int64_t piece_of(const ashi_cuda *c)
{
    return ashi_max(c->options.pinned / 2 / PIECES, 1);
}

int64_t ashi_cuda_bounce_most(const ashi_cuda *c)
{
    return 2 * PIECES * piece_of(c);
}

static ashlar_status make_one(ashi_cuda *c, int which, ashlar_error *err)
{
    void *pinned = NULL;
    ashi_cuda_bounce *b = calloc(1, sizeof *b);
    if (!b)
        return ashi_fail_memory(err, "device: cuda", (int64_t)sizeof *b);
    c->bounce[which] = b;
    b->last = &b->first;
    b->piece = piece_of(c);
    ashlar_status status = ashi_cuda_host_allocate(&c->base, b->piece * PIECES, &pinned, err);
    b->pinned = pinned;
    if (status == ASHLAR_OK)
        status = ashi_cuda_judge(c, "a stream for copies of pageable memory",
                                 make_streams(b, c->stream[which == 0 ? ASHI_DEVICE_IN : ASHI_DEVICE_OUT]), err);
    if (status != ASHLAR_OK)
        free_one(c, which);
    return status;
}

/* ---- copying ---- */

static bounce_job *new_job(ashi_cuda_bounce *b, const ashi_device_copy *copy)
{
    bounce_job *job = calloc(1, sizeof *job);
    if (!job)
        return NULL;
    job->bounce = b;
    job->copy = *copy;
    *b->last = job;
    b->last = &job->next;
    return job;
}

static cudaError_t put_in(ashi_cuda_bounce *b, cudaStream_t queue, bounce_job *job, const ashi_device_copy *far)
{
    const int p = b->next;
    cudaError_t result = cudaStreamWaitEvent(b->side, b->empty[p], 0);
    if (result == cudaSuccess)
        result = cudaLaunchHostFunc(b->side, run_job, job);
    if (result == cudaSuccess)
        result = cudaEventRecord(b->full[p], b->side);
    if (result == cudaSuccess)
        result = cudaStreamWaitEvent(queue, b->full[p], 0);
    if (result == cudaSuccess)
        result = ashi_cuda_put_copy(far, queue);
    return result == cudaSuccess ? cudaEventRecord(b->empty[p], queue) : result;
}

static cudaError_t put_out(ashi_cuda_bounce *b, cudaStream_t queue, bounce_job *job, const ashi_device_copy *far)
{
    const int p = b->next;
    cudaError_t result = cudaStreamWaitEvent(queue, b->empty[p], 0);
    if (result == cudaSuccess)
        result = ashi_cuda_put_copy(far, queue);
    if (result == cudaSuccess)
        result = cudaEventRecord(b->full[p], queue);
    if (result == cudaSuccess)
        result = cudaStreamWaitEvent(b->side, b->full[p], 0);
    if (result == cudaSuccess)
        result = cudaLaunchHostFunc(b->side, run_job, job);
    return result == cudaSuccess ? cudaEventRecord(b->empty[p], b->side) : result;
}

/* One piece: `copy` has lines that fit into it together. */
static ashlar_status put_piece(ashi_cuda *c, bool in, const ashi_device_copy *copy, ashlar_error *err)
{
    ashi_cuda_bounce *b = c->bounce[in ? 0 : 1];
    cudaStream_t queue = c->stream[in ? ASHI_DEVICE_IN : ASHI_DEVICE_OUT];
    ashi_device_copy near = *copy, far = *copy; /* the host's part, the device's part */
    char *piece = b->pinned + b->next * b->piece;
    ashi_device_copy *first = in ? &near : &far, *second = in ? &far : &near;
    first->to = piece;
    second->from = piece;
    first->to_stride = second->from_stride = copy->bytes;
    bounce_job *job = new_job(b, &near);
    if (!job)
        return ashi_fail_memory(err, "device: cuda", (int64_t)sizeof *job);
    const cudaError_t result = in ? put_in(b, queue, job, &far) : put_out(b, queue, job, &far);
    b->next = (b->next + 1) % PIECES;
    return ashi_cuda_judge(c, "a copy of pageable memory", result, err);
}

ashlar_status ashi_cuda_bounce_copy(ashi_cuda *c, ashi_device_queue queue, const ashi_device_copy *copy,
                                    ashlar_error *err)
{
    const bool in = queue == ASHI_DEVICE_IN;
    const int which = in ? 0 : 1;
    ashlar_status status = c->bounce[which] ? ASHLAR_OK : make_one(c, which, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_cuda_bounce *b = c->bounce[which];
    free_jobs(b, false);
    const int64_t bytes = ashi_min(copy->bytes, b->piece), lines = ashi_max(b->piece / copy->bytes, 1);
    for (int64_t line = 0; line < copy->lines; line += lines)
        for (int64_t at = 0; at < copy->bytes && status == ASHLAR_OK; at += bytes) {
            ashi_device_copy piece = *copy;
            piece.from = (const char *)copy->from + line * copy->from_stride + at;
            piece.to = (char *)copy->to + line * copy->to_stride + at;
            piece.bytes = ashi_min(bytes, copy->bytes - at);
            piece.lines = ashi_min(lines, copy->lines - line);
            status = put_piece(c, in, &piece, err);
        }
    if (status == ASHLAR_OK && !in) /* the queue has ended the copy once the host has its last piece */
        status = ashi_cuda_judge(c, "cudaStreamWaitEvent",
                                 cudaStreamWaitEvent(c->stream[ASHI_DEVICE_OUT],
                                                     b->empty[(b->next + PIECES - 1) % PIECES], 0), err);
    return status;
}

ashlar_status ashi_cuda_bounce_wait(ashi_cuda *c, ashi_device_queue queue, cudaEvent_t event, ashlar_error *err)
{
    if (queue != ASHI_DEVICE_IN || !c->bounce[0])
        return ASHLAR_OK;
    return ashi_cuda_judge(c, "cudaStreamWaitEvent", cudaStreamWaitEvent(c->bounce[0]->side, event, 0), err);
}

void ashi_cuda_bounce_finish(ashi_cuda *c)
{
    for (int which = 0; which < 2; which++) {
        ashi_cuda_bounce *b = c->bounce[which];
        ashlar_error ignored;
        if (!b)
            continue;
        ashi_cuda_judge(c, "cudaStreamSynchronize", cudaStreamSynchronize(b->side), &ignored);
        if (c->failure.status == ASHLAR_OK)
            continue;
        atomic_store(&b->stopped, true); /* one that begins after this copies nothing */
        while (atomic_load(&b->running) > 0)
            sched_yield();
    }
}

void ashi_cuda_bounce_free(ashi_cuda *c)
{
    free_one(c, 0);
    free_one(c, 1);
}

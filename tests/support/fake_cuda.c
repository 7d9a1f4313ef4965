/* The runtime of a CUDA that the host plays: devices, memory, streams, events. */
#include "support/fake_cuda.h"

#include "base/number.h"
#include "device/emulated_memory.h"

#include <cuda.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEVICES_MOST = 4, PINNED_MOST = 256 };

struct CUevent_st {
    int device;
    int64_t recorded, reached;
    int jobs;       /* in streams that name it */
    bool destroyed; /* the last of them frees it */
};

typedef struct job {
    struct job *next;
    fake_work work; /* run NULL: a record of `event`, or a wait for it */
    cudaEvent_t event;
    bool waits;
    int64_t mark;
} job;

struct CUstream_st {
    int device, number;
    pthread_t thread;
    job *first, **last; /* the first is in progress, or next */
    bool held, ends;
    uint64_t state;
    struct CUstream_st *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of all that follows */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct {
    bool ready;
    int64_t devices, driver, limit, fail_copy, fail_product, lost, seed;
    int64_t calls, copies, products, pageable;
    int streams;
    cudaError_t failure;
    ashi_emulated_memory memory[DEVICES_MOST];
    void *pinned[PINNED_MOST];
    size_t pinned_bytes[PINNED_MOST];
    struct CUstream_st *stream;
} all;
static _Thread_local int current;
static _Thread_local cudaError_t last_error;

/* ---- settings; the mutex is held ---- */

static void read_settings(const char *text)
{
    char copy[256];
    const struct {
        const char *name;
        int64_t *to;
    } row[] = {{"devices", &all.devices},     {"driver", &all.driver}, {"memory", &all.limit}, {"seed", &all.seed},
               {"fail-copy", &all.fail_copy}, {"lost", &all.lost},     {"fail-product", &all.fail_product}};
    all.ready = true;
    all.devices = 1;
    all.driver = 13000;
    all.limit = INT64_C(1) << 30;
    all.fail_copy = all.fail_product = all.lost = all.seed = 0;
    all.calls = all.copies = all.products = all.pageable = 0;
    all.streams = 0;
    all.failure = cudaSuccess;
    snprintf(copy, sizeof copy, "%s", text ? text : "");
    for (char *at = copy, *end; *at; at = end) {
        end = at + strcspn(at, ",");
        end += *end ? (*end = '\0', 1) : 0;
        char *value = strchr(at, '=');
        for (size_t i = 0; value && i < sizeof row / sizeof *row; i++)
            if (strncmp(row[i].name, at, (size_t)(value - at)) == 0 && row[i].name[value - at] == '\0')
                ashi_number_size(value + 1, row[i].to);
    }
    for (int i = 0; i < DEVICES_MOST; i++)
        all.memory[i].limit = all.limit;
}

static void get_ready(void)
{
    if (!all.ready)
        read_settings(getenv("FAKE_CUDA"));
}

void fake_cuda_set(const char *text)
{
    pthread_mutex_lock(&mutex);
    read_settings(text);
    pthread_mutex_unlock(&mutex);
}

void fake_cuda_hold(int stream, bool held)
{
    pthread_mutex_lock(&mutex);
    for (struct CUstream_st *s = all.stream; s; s = s->next)
        if (s->number == stream)
            s->held = held;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

int64_t fake_cuda_pageable(void)
{
    pthread_mutex_lock(&mutex);
    const int64_t count = all.pageable;
    pthread_mutex_unlock(&mutex);
    return count;
}

int64_t fake_cuda_left(void)
{
    int64_t bytes = 0;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < DEVICES_MOST; i++)
        bytes += all.memory[i].held;
    for (int i = 0; i < PINNED_MOST; i++)
        bytes += (int64_t)all.pinned_bytes[i];
    pthread_mutex_unlock(&mutex);
    return bytes;
}

/* ---- errors ---- */

static cudaError_t say(cudaError_t result)
{
    if (result != cudaSuccess && result != cudaErrorNotReady)
        last_error = result;
    return result;
}

cudaError_t fake_enter(void)
{
    pthread_mutex_lock(&mutex);
    get_ready();
    if (++all.calls == all.lost && all.failure == cudaSuccess)
        all.failure = cudaErrorUnknown;
    const cudaError_t result = all.failure;
    pthread_mutex_unlock(&mutex);
    return say(result);
}

cudaError_t cudaGetLastError(void)
{
    const cudaError_t result = cudaPeekAtLastError();
    last_error = cudaSuccess;
    return result;
}

cudaError_t cudaPeekAtLastError(void)
{
    pthread_mutex_lock(&mutex);
    const cudaError_t result = all.failure != cudaSuccess ? all.failure : last_error;
    pthread_mutex_unlock(&mutex);
    return result;
}

static const struct {
    cudaError_t error;
    const char *name, *text;
} texts[] = {{cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
             {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
             {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
             {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
              "CUDA driver version is insufficient for CUDA runtime version"},
             {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
             {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
             {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"}};

const char *cudaGetErrorString(cudaError_t error)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].error == error)
            return texts[i].text;
    return "an error";
}

const char *cudaGetErrorName(cudaError_t error)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].error == error)
            return texts[i].name;
    return "cudaError";
}

/* ---- devices ---- */

cudaError_t cudaDriverGetVersion(int *out)
{
    pthread_mutex_lock(&mutex);
    get_ready();
    *out = (int)all.driver;
    pthread_mutex_unlock(&mutex);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *out)
{
    const cudaError_t result = fake_enter();
    pthread_mutex_lock(&mutex);
    *out = (int)all.devices;
    const bool old = all.driver < 13000;
    pthread_mutex_unlock(&mutex);
    if (result != cudaSuccess)
        return result;
    return say(old ? cudaErrorInsufficientDriver : *out == 0 ? cudaErrorNoDevice : cudaSuccess);
}

cudaError_t cudaGetDevice(int *out)
{
    *out = current;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    current = device;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *out, int device)
{
    memset(out, 0, sizeof *out);
    snprintf(out->name, sizeof out->name, "Fake %d", device);
    return fake_enter();
}

cudaError_t cudaMemGetInfo(size_t *unused, size_t *total)
{
    const cudaError_t result = fake_enter();
    pthread_mutex_lock(&mutex);
    *unused = (size_t)(all.limit - all.memory[current].held);
    *total = (size_t)all.limit;
    pthread_mutex_unlock(&mutex);
    return result;
}

/* ---- memory ---- */

cudaError_t cudaMalloc(void **out, size_t bytes)
{
    cudaError_t result = fake_enter();
    if (result != cudaSuccess)
        return result;
    pthread_mutex_lock(&mutex);
    if (ashi_emulated_allocate(&all.memory[current], (int64_t)bytes, out, NULL) != ASHLAR_OK)
        result = cudaErrorMemoryAllocation;
    pthread_mutex_unlock(&mutex);
    return say(result);
}

/* As CUDA does, once nothing is under way on the device. */
cudaError_t cudaFree(void *address)
{
    pthread_mutex_lock(&mutex);
    for (struct CUstream_st *s = all.stream; s && address;)
        if (s->device == current && s->first) {
            pthread_cond_wait(&changed, &mutex);
            s = all.stream;
        } else {
            s = s->next;
        }
    ashi_emulated_release(&all.memory[current], address);
    const cudaError_t result = all.failure;
    pthread_mutex_unlock(&mutex);
    return say(result);
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    cudaError_t result = fake_enter();
    (void)flags;
    if (result != cudaSuccess)
        return result;
    pthread_mutex_lock(&mutex);
    result = cudaErrorMemoryAllocation;
    for (int i = 0; i < PINNED_MOST && result != cudaSuccess; i++)
        if (!all.pinned[i] && (all.pinned[i] = malloc(bytes))) {
            all.pinned_bytes[i] = bytes;
            *out = all.pinned[i];
            result = cudaSuccess;
        }
    pthread_mutex_unlock(&mutex);
    return say(result);
}

cudaError_t cudaFreeHost(void *address)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < PINNED_MOST; i++)
        if (address && all.pinned[i] == address) {
            free(address);
            all.pinned[i] = NULL;
            all.pinned_bytes[i] = 0;
        }
    pthread_mutex_unlock(&mutex);
    return cudaSuccess;
}

/* With the mutex: the device of an address, or -1. */
static int device_of(const void *address)
{
    for (int i = 0; i < DEVICES_MOST; i++)
        if (ashi_emulated_left(&all.memory[i], address) > 0)
            return i;
    return -1;
}

static bool is_pinned(const void *address)
{
    for (int i = 0; i < PINNED_MOST; i++)
        if (all.pinned[i] && (uintptr_t)address - (uintptr_t)all.pinned[i] < all.pinned_bytes[i])
            return true;
    return false;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *address)
{
    const cudaError_t result = fake_enter();
    memset(out, 0, sizeof *out);
    pthread_mutex_lock(&mutex);
    const int device = device_of(address);
    out->device = device < 0 ? 0 : device;
    out->type = device >= 0          ? cudaMemoryTypeDevice
                : is_pinned(address) ? cudaMemoryTypeHost
                                     : cudaMemoryTypeUnregistered;
    pthread_mutex_unlock(&mutex);
    return result;
}

/* What is left from an address on is all that the plug-in asks for, so the address is the base. */
static CUresult get_range(CUdeviceptr *base, size_t *bytes, CUdeviceptr address)
{
    const void *at = (const void *)(uintptr_t)address; /* NOLINT */
    pthread_mutex_lock(&mutex);
    const int device = device_of(at);
    *base = address;
    *bytes = device < 0 ? 0 : (size_t)ashi_emulated_left(&all.memory[device], at);
    pthread_mutex_unlock(&mutex);
    return device < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **out, unsigned version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status)
{
    CUresult (*call)(CUdeviceptr *, size_t *, CUdeviceptr) = get_range;
    (void)version;
    (void)flags;
    const bool known = strcmp(name, "cuMemGetAddressRange") == 0;
    *status = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    *out = known ? *(void **)&call : NULL;
    return cudaSuccess;
}

void *fake_behind(cudaStream_t s, const void *address, int64_t bytes)
{
    pthread_mutex_lock(&mutex);
    void *behind = ashi_emulated_behind(&all.memory[s->device], address, bytes);
    pthread_mutex_unlock(&mutex);
    return behind;
}

bool fake_is_current(cudaStream_t s)
{
    return s->device == current;
}

/* ---- streams ---- */

static void rest(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    const struct timespec t = {0, (long)((*state >> 40) % 60000)};
    if (*state >> 62 == 0)
        nanosleep(&t, NULL);
}

/* Whether the work fails. */
static bool fails(const fake_work *w)
{
    const bool copy = w->is_copy && ++all.copies == all.fail_copy;
    return (w->is_product && ++all.products == all.fail_product) || copy;
}

static void do_first(struct CUstream_st *s)
{
    job *j = s->first;
    if (j->work.run) {
        if (fails(&j->work) && all.failure == cudaSuccess)
            all.failure = cudaErrorLaunchFailure;
        const bool can = all.failure == cudaSuccess;
        pthread_mutex_unlock(&mutex);
        rest(&s->state);
        if (can)
            j->work.run(j->work.context);
        if (!j->work.is_host)
            free(j->work.context);
        pthread_mutex_lock(&mutex);
    } else if (!j->waits && j->mark > j->event->reached) {
        j->event->reached = j->mark;
    }
    s->first = j->next;
    if (!s->first)
        s->last = &s->first;
    if (j->event && --j->event->jobs == 0 && j->event->destroyed)
        free(j->event);
    free(j);
    pthread_cond_broadcast(&changed);
}

static void *serve(void *context)
{
    struct CUstream_st *s = context;
    pthread_mutex_lock(&mutex);
    while (s->first || !s->ends) {
        const job *j = s->first;
        if (j && !s->held && !(j->waits && j->event->reached < j->mark && all.failure == cudaSuccess))
            do_first(s);
        else
            pthread_cond_wait(&changed, &mutex);
    }
    pthread_mutex_unlock(&mutex);
    return NULL;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    cudaError_t result = fake_enter();
    struct CUstream_st *s = result == cudaSuccess ? calloc(1, sizeof *s) : NULL;
    (void)flags;
    *out = NULL;
    if (!s)
        return say(result == cudaSuccess ? cudaErrorMemoryAllocation : result);
    pthread_mutex_lock(&mutex);
    s->device = current;
    s->number = all.streams++;
    s->state = (uint64_t)all.seed * 977 + (uint64_t)s->number;
    s->last = &s->first;
    s->next = all.stream;
    all.stream = s;
    pthread_mutex_unlock(&mutex);
    if (pthread_create(&s->thread, NULL, serve, s) != 0)
        abort();
    *out = s;
    return result;
}

cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    pthread_mutex_lock(&mutex);
    s->ends = true;
    s->held = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_join(s->thread, NULL);
    pthread_mutex_lock(&mutex);
    for (struct CUstream_st **at = &all.stream; *at; at = &(*at)->next)
        if (*at == s) {
            *at = s->next;
            break;
        }
    pthread_mutex_unlock(&mutex);
    free(s);
    return cudaSuccess;
}

static cudaError_t put_job(cudaStream_t s, const job *what)
{
    job *j = malloc(sizeof *j);
    if (!j)
        return say(cudaErrorMemoryAllocation);
    *j = *what;
    pthread_mutex_lock(&mutex);
    if (j->event) {
        j->mark = j->waits ? j->event->recorded : ++j->event->recorded;
        j->event->jobs++;
    }
    *s->last = j;
    s->last = &j->next;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    return cudaSuccess;
}

cudaError_t fake_put(cudaStream_t s, const fake_work *work)
{
    const job j = {.work = *work};
    cudaError_t result = fake_enter();
    if (result == cudaSuccess)
        result = put_job(s, &j);
    if (result != cudaSuccess && !work->is_host)
        free(work->context);
    return result;
}

cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
    const cudaError_t before = fake_enter();
    if (before != cudaSuccess)
        return before;
    pthread_mutex_lock(&mutex);
    while (s->first)
        pthread_cond_wait(&changed, &mutex);
    const cudaError_t result = all.failure;
    pthread_mutex_unlock(&mutex);
    return say(result);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t function, void *context)
{
    const fake_work work = {.run = function, .context = context, .is_host = true};
    return fake_put(s, &work);
}

/* ---- events ---- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    const cudaError_t result = fake_enter();
    (void)flags;
    *out = result == cudaSuccess ? calloc(1, sizeof **out) : NULL;
    if (*out)
        (*out)->device = current;
    return *out ? result : say(result == cudaSuccess ? cudaErrorMemoryAllocation : result);
}

/* CUDA lets go of an event once it has been reached. Streams may still be about to wait for it. */
cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    pthread_mutex_lock(&mutex);
    while (e->reached < e->recorded)
        pthread_cond_wait(&changed, &mutex);
    e->destroyed = true;
    if (e->jobs == 0)
        free(e);
    pthread_mutex_unlock(&mutex);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s)
{
    const job j = {.event = e};
    const cudaError_t result = fake_enter();
    if (result != cudaSuccess)
        return result;
    return e->device != s->device || s->device != current ? say(cudaErrorInvalidResourceHandle) : put_job(s, &j);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned flags)
{
    const job j = {.event = e, .waits = true};
    const cudaError_t result = fake_enter();
    (void)flags;
    return result == cudaSuccess ? put_job(s, &j) : result;
}

cudaError_t cudaEventQuery(cudaEvent_t e)
{
    const cudaError_t before = fake_enter();
    if (before != cudaSuccess)
        return before;
    pthread_mutex_lock(&mutex);
    const bool reached = e->reached == e->recorded;
    pthread_mutex_unlock(&mutex);
    return reached ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
    const cudaError_t before = fake_enter();
    if (before != cudaSuccess)
        return before;
    pthread_mutex_lock(&mutex);
    while (e->reached < e->recorded)
        pthread_cond_wait(&changed, &mutex);
    const cudaError_t result = all.failure;
    pthread_mutex_unlock(&mutex);
    return say(result);
}

/* ---- copies ---- */

typedef struct rectangle {
    char *to;
    const char *from;
    size_t to_stride, from_stride, bytes, lines;
} rectangle;

static void run_copy(void *context)
{
    const rectangle *r = context;
    for (size_t i = 0; i < r->lines; i++)
        memcpy(r->to + i * r->to_stride, r->from + i * r->from_stride, r->bytes);
}

/* Pageable memory is read before the call returns, as for a block of at most 64 KiB on its way to the device, or the
 * call waits for the copy. */
static cudaError_t put_copy(rectangle *r, cudaStream_t s)
{
    const int64_t to_bytes = (int64_t)((r->lines - 1) * r->to_stride + r->bytes);
    const int64_t from_bytes = (int64_t)((r->lines - 1) * r->from_stride + r->bytes);
    void *to = fake_behind(s, r->to, to_bytes), *from = fake_behind(s, r->from, from_bytes);
    const void *near = to ? (const void *)r->from : r->to;
    pthread_mutex_lock(&mutex);
    const bool both = to && from, is_device = device_of(near) >= 0; /* of any device, within its memory or beyond */
    const bool pageable = !both && !is_pinned(near), bad = (!to && !from) || is_device != both;
    all.pageable += pageable && from_bytes > (to && r->lines == 1 ? 65536 : 4096);
    pthread_mutex_unlock(&mutex);
    const size_t read = pageable && to ? (size_t)from_bytes : 0; /* behind the rectangle, which goes with the work */
    rectangle *own = bad ? NULL : malloc(sizeof *own + read);
    if (!own)
        return say(cudaErrorInvalidValue);
    *own = *r;
    own->to = to ? to : own->to;
    own->from = from ? from : own->from;
    if (read > 0)
        own->from = memcpy(own + 1, r->from, read);
    const fake_work work = {.run = run_copy, .context = own, .is_copy = from_bytes > 0};
    const cudaError_t result = fake_put(s, &work);
    return result == cudaSuccess && pageable && !to ? cudaStreamSynchronize(s) : result;
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_stride, const void *from, size_t from_stride, size_t bytes,
                              size_t lines, enum cudaMemcpyKind kind, cudaStream_t s)
{
    rectangle r = {to, from, to_stride, from_stride, bytes, lines};
    (void)kind;
    if (bytes > to_stride || bytes > from_stride)
        return say(cudaErrorInvalidPitchValue);
    return bytes == 0 || lines == 0 ? fake_enter() : put_copy(&r, s);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t s)
{
    return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, s);
}

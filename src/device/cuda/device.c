/* Opening and closing a CUDA device, what it says of itself, and the plug-in's one exported variable. */
#include "base/checked.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "device/plugin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Of cuBLAS, so that it takes no memory of its own later, and makes the same bits each time. */
static const size_t WORKSPACE = (size_t)32 << 20;

/* ---- how many there are ---- */

static ashlar_status no_devices(cudaError_t why, int64_t *out, ashlar_error *err)
{
    int driver = 0;
    cudaGetLastError();
    *out = 0;
    if (why == cudaErrorNoDevice || (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0))
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_DEVICE, "device: cuda: cudaGetDeviceCount: %s (%s)", cudaGetErrorString(why),
                     cudaGetErrorName(why));
}

static ashlar_status count(int64_t *out, ashlar_error *err)
{
    int devices = 0;
    const cudaError_t result = cudaGetDeviceCount(&devices);
    *out = devices;
    return result == cudaSuccess ? ASHLAR_OK : no_devices(result, out, err);
}

static ashlar_status is_there(int64_t number, ashlar_error *err)
{
    int64_t devices = 0;
    int driver = 0;
    const ashlar_status status = count(&devices, err);
    if (status != ASHLAR_OK || number < devices)
        return status;
    if (devices > 0)
        return ashi_fail(err, ASHLAR_ERR_DEVICE, "device: cuda: there is no device %" PRId64 ", there are %" PRId64
                         ", from 0 on", number, devices);
    cudaDriverGetVersion(&driver);
    return ashi_fail(err, ASHLAR_ERR_DEVICE, "device: cuda: %s",
                     driver == 0 ? "there is no driver for NVIDIA's GPUs" : cudaGetErrorString(cudaErrorNoDevice));
}

/* ---- opening ---- */

/* The memory that may be allocated. Without a limit a reserve is left: an eighth of what is free, and at least 256 MiB.
 * Other processes take some, and what is free need not be in one piece. */
static ashlar_status find_memory(ashi_cuda *c, ashlar_error *err)
{
    size_t unused = 0, total = 0;
    const ashlar_status status = ashi_cuda_judge(c, "cudaMemGetInfo", cudaMemGetInfo(&unused, &total), err);
    if (status == ASHLAR_OK && c->options.memory == 0)
        c->options.memory = ashi_max((int64_t)unused - ashi_max((int64_t)unused / 8, INT64_C(256) << 20), 0);
    return status;
}

static ashlar_status open_streams(ashi_cuda *c, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int q = 0; q < ASHI_DEVICE_QUEUES && status == ASHLAR_OK; q++)
        status = ashi_cuda_judge(c, "cudaStreamCreateWithFlags",
                                 cudaStreamCreateWithFlags(&c->stream[q], cudaStreamNonBlocking), err);
    return status;
}

static ashlar_status open_blas(ashi_cuda *c, ashlar_error *err)
{
    const size_t lists = 3 * (size_t)ASHI_CUDA_BATCH * sizeof *c->lists;
    ashlar_status status = ashi_cuda_judge(c, "cudaMalloc", cudaMalloc(&c->workspace, WORKSPACE), err);
    if (status == ASHLAR_OK)
        status = ashi_cuda_judge(c, "cudaMalloc", cudaMalloc((void **)&c->lists, lists), err);
    if (status == ASHLAR_OK)
        status = ashi_cuda_judge_blas(c, "cublasCreate", cublasCreate(&c->blas), err);
    if (status == ASHLAR_OK)
        status = ashi_cuda_judge_blas(c, "cublasSetStream", cublasSetStream(c->blas, c->stream[ASHI_DEVICE_WORK]), err);
    if (status == ASHLAR_OK) /* after the stream, which has a workspace of its own */
        status = ashi_cuda_judge_blas(c, "cublasSetWorkspace",
                                      cublasSetWorkspace(c->blas, c->workspace, WORKSPACE), err);
    return status;
}

static ashlar_status open_it(ashi_cuda *c, ashlar_error *err)
{
    const int before = ashi_cuda_enter(c);
    struct cudaDeviceProp properties;
    snprintf(c->name, sizeof c->name, "cuda:%" PRId64, c->options.number);
    ashlar_status status = ashi_cuda_judge(c, "cudaGetDeviceProperties",
                                           cudaGetDeviceProperties(&properties, (int)c->options.number), err);
    if (status == ASHLAR_OK)
        snprintf(c->name, sizeof c->name, "cuda:%" PRId64 " (%s)", c->options.number, properties.name);
    if (status == ASHLAR_OK)
        status = open_streams(c, err);
    if (status == ASHLAR_OK)
        status = open_blas(c, err);
    if (status == ASHLAR_OK)
        status = find_memory(c, err);
    ashi_cuda_leave(before);
    return status;
}

static void close_cuda(ashi_device *device)
{
    ashi_cuda *c = ashi_cuda_of(device);
    ashlar_error ignored;
    const int before = ashi_cuda_enter(c);
    ashi_cuda_finish(device, &ignored);
    ashi_cuda_bounce_free(c);
    if (c->blas)
        cublasDestroy(c->blas);
    cudaFree(c->workspace);
    cudaFree(c->lists);
    ashi_cuda_release_all(c);
    for (int q = 0; q < ASHI_DEVICE_QUEUES; q++)
        if (c->stream[q])
            cudaStreamDestroy(c->stream[q]);
    cudaGetLastError();
    ashi_cuda_leave(before);
    free(c);
}

static ashlar_status open_cuda(const char *text, ashi_device **out, ashlar_error *err)
{
    ashi_cuda_options options;
    *out = NULL;
    ashlar_status status = ashi_cuda_options_read(text, &options, err);
    if (status == ASHLAR_OK)
        status = is_there(options.number, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_cuda *c = calloc(1, sizeof *c);
    if (!c)
        return ashi_fail_memory(err, "device: cuda", (int64_t)sizeof *c);
    c->base.kind = &ashi_cuda_calls;
    c->options = options;
    status = open_it(c, err);
    if (status == ASHLAR_OK)
        *out = &c->base;
    else
        close_cuda(&c->base);
    return status;
}

static ashi_device_facts facts(const ashi_device *device)
{
    const ashi_cuda *c = (const ashi_cuda *)device;
    return (ashi_device_facts){.name = c->name, .memory = c->options.memory, .held = c->held, .pinned = c->pinned,
                               .pinned_most = c->pinned_most, .bounce = ashi_cuda_bounce_most(c),
                               .in = c->options.in, .out = c->options.out, .flops = c->options.flops};
}

const ashi_device_kind ashi_cuda_calls = {
    .name = "cuda",
    .options = ashi_cuda_option_names,
    .open = open_cuda,
    .close = close_cuda,
    .facts = facts,
    .allocate = ashi_cuda_allocate,
    .release = ashi_cuda_release,
    .host_allocate = ashi_cuda_host_allocate,
    .host_release = ashi_cuda_host_release,
    .owner = ashi_cuda_owner,
    .copy_in = ashi_cuda_copy_in,
    .copy_out = ashi_cuda_copy_out,
    .gemm = ashi_cuda_gemm,
    .gemm_batched = ashi_cuda_gemm_batched,
    .axpby = ashi_cuda_axpby,
    .permute = ashi_cuda_permute,
    .event_create = ashi_cuda_event_create,
    .event_free = ashi_cuda_event_free,
    .record = ashi_cuda_record,
    .wait = ashi_cuda_wait,
    .reached = ashi_cuda_reached,
    .await = ashi_cuda_await,
    .finish = ashi_cuda_finish,
    .count = count,
};

__attribute__((visibility("default"))) extern const ashi_device_plugin ASHI_DEVICE_PLUGIN;
const ashi_device_plugin ASHI_DEVICE_PLUGIN = {ASHI_DEVICE_INTERFACE, ASHI_VERSION, &ashi_cuda_calls};

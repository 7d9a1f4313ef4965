/* The memory of a CUDA device, pinned memory of the host, and whose memory an address is in. */
#include "base/checked.h"
#include "base/error.h"
#include "device/cuda/cuda.h"

#include <cuda.h>
#include <inttypes.h>
#include <stdlib.h>

/* ---- lists of what was given out ---- */

static ashlar_status add_block(ashi_cuda *c, ashi_cuda_block **list, void *address, int64_t bytes, ashlar_error *err)
{
    ashi_cuda_block *b = malloc(sizeof *b);
    if (!b)
        return ashi_fail(err, ASHLAR_ERR_MEMORY, "device: %s: no memory for %d bytes", c->name, (int)sizeof *b);
    *b = (ashi_cuda_block){*list, address, bytes};
    *list = b;
    return ASHLAR_OK;
}

/* The bytes that it had; 0 if there is no such block. */
static int64_t remove_block(ashi_cuda_block **list, const void *address)
{
    for (ashi_cuda_block **at = list; *at; at = &(*at)->next) {
        ashi_cuda_block *b = *at;
        const int64_t bytes = b->bytes;
        if (b->address != address)
            continue;
        *at = b->next;
        free(b);
        return bytes;
    }
    return 0;
}

/* ---- of the device ---- */

static ashlar_status no_memory(const ashi_cuda *c, int64_t bytes, ashlar_error *err)
{
    size_t free_bytes = 0, total = 0;
    cudaMemGetInfo(&free_bytes, &total);
    return ashi_fail(err, ASHLAR_ERR_MEMORY,
                     "device: %s: %" PRId64 " bytes are wanted, %" PRId64 " of the device's %" PRId64 " are free",
                     c->name, bytes, (int64_t)free_bytes, (int64_t)total);
}

static ashlar_status take(ashi_cuda *c, int64_t bytes, void **out, ashlar_error *err)
{
    const cudaError_t result = cudaMalloc(out, (size_t)bytes);
    if (result == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        return no_memory(c, bytes, err);
    }
    ashlar_status status = ashi_cuda_judge(c, "cudaMalloc", result, err);
    if (status == ASHLAR_OK)
        status = add_block(c, &c->block, *out, bytes, err);
    if (status == ASHLAR_OK)
        c->held += bytes;
    else if (result == cudaSuccess)
        cudaFree(*out);
    return status;
}

ashlar_status ashi_cuda_allocate(ashi_device *device, int64_t bytes, void **out, ashlar_error *err)
{
    ashi_cuda *c = ashi_cuda_of(device);
    ashlar_status status = ashi_cuda_state(c, err);
    *out = NULL;
    if (status != ASHLAR_OK)
        return status;
    if (bytes < 1 || bytes > c->options.memory - c->held)
        return ashi_fail(err, ASHLAR_ERR_MEMORY,
                         "device: %s: %" PRId64 " bytes are wanted, %" PRId64 " of %" PRId64 " are free", c->name,
                         bytes, c->options.memory - c->held, c->options.memory);
    const int before = ashi_cuda_enter(c);
    status = take(c, bytes, out, err);
    ashi_cuda_leave(before);
    if (status != ASHLAR_OK)
        *out = NULL;
    return status;
}

void ashi_cuda_release(ashi_device *device, void *address)
{
    ashi_cuda *c = ashi_cuda_of(device);
    if (!address)
        return;
    const int before = ashi_cuda_enter(c);
    c->held -= remove_block(&c->block, address);
    cudaFree(address);
    ashi_cuda_leave(before);
}

/* ---- of the host ---- */

ashlar_status ashi_cuda_host_allocate(ashi_device *device, int64_t bytes, void **out, ashlar_error *err)
{
    ashi_cuda *c = ashi_cuda_of(device);
    ashlar_status status = ashi_cuda_state(c, err);
    *out = NULL;
    if (status != ASHLAR_OK)
        return status;
    const int before = ashi_cuda_enter(c);
    const cudaError_t result = cudaHostAlloc(out, (size_t)bytes, cudaHostAllocPortable);
    status = ashi_cuda_judge(c, "cudaHostAlloc", result, err);
    if (status == ASHLAR_OK)
        status = add_block(c, &c->pinned_block, *out, bytes, err);
    if (status == ASHLAR_OK) {
        c->pinned += bytes;
        c->pinned_most = ashi_max(c->pinned_most, c->pinned);
    } else if (result == cudaSuccess)
        cudaFreeHost(*out);
    if (status != ASHLAR_OK)
        *out = NULL;
    ashi_cuda_leave(before);
    return status;
}

void ashi_cuda_host_release(ashi_device *device, void *address)
{
    ashi_cuda *c = ashi_cuda_of(device);
    if (!address)
        return;
    const int before = ashi_cuda_enter(c);
    c->pinned -= remove_block(&c->pinned_block, address);
    cudaFreeHost(address);
    ashi_cuda_leave(before);
}

void ashi_cuda_release_all(ashi_cuda *c)
{
    while (c->block)
        ashi_cuda_release(&c->base, c->block->address);
    while (c->pinned_block)
        ashi_cuda_host_release(&c->base, c->pinned_block->address);
}

/* ---- whose memory it is ---- */

typedef CUresult (*range_function)(CUdeviceptr *base, size_t *bytes, CUdeviceptr address);

/* The driver's call that knows allocations. The runtime has none, and to be linked with the driver would be to be no
 * library at all where there is none. */
static range_function range_call(void)
{
    void *found = NULL;
    range_function call = NULL;
    enum cudaDriverEntryPointQueryResult result;
    if (cudaGetDriverEntryPointByVersion("cuMemGetAddressRange", &found, CUDART_VERSION, cudaEnableDefault, &result) ==
            cudaSuccess &&
        result == cudaDriverEntryPointSuccess)
        *(void **)&call = found;
    return call;
}

ashi_device_owner ashi_cuda_owner(const ashi_device *device, const void *address, int64_t *left)
{
    const ashi_cuda *c = (const ashi_cuda *)device;
    struct cudaPointerAttributes is;
    CUdeviceptr base = 0;
    size_t bytes = 0;
    *left = 0;
    if (cudaPointerGetAttributes(&is, address) != cudaSuccess) {
        cudaGetLastError();
        return ASHI_OWNER_HOST;
    }
    if (is.type != cudaMemoryTypeDevice)
        return ASHI_OWNER_HOST;
    const int before = ashi_cuda_enter(c);
    const range_function range = range_call();
    if (range && range(&base, &bytes, (CUdeviceptr)(uintptr_t)address) == CUDA_SUCCESS)
        *left = (int64_t)(bytes - ((uintptr_t)address - (uintptr_t)base));
    ashi_cuda_leave(before);
    return is.device == (int)c->options.number ? ASHI_OWNER_DEVICE : ASHI_OWNER_OTHER;
}

bool ashi_cuda_reaches(const void *address)
{
    struct cudaPointerAttributes is;
    if (cudaPointerGetAttributes(&is, address) == cudaSuccess)
        return is.type != cudaMemoryTypeUnregistered;
    cudaGetLastError();
    return false;
}

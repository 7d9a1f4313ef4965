/* An emulated device's allocations: a range of addresses without access, and memory of the same size behind it. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "device/emulated_memory.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>

struct ashi_emulated_block {
    ashi_emulated_block *next;
    char *address, *behind;
    int64_t bytes;
};

static char *map(int64_t bytes, int protection)
{
    void *at = mmap(NULL, (size_t)bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static void free_block(ashi_emulated_block *b)
{
    if (b->address)
        munmap(b->address, (size_t)b->bytes);
    if (b->behind)
        munmap(b->behind, (size_t)b->bytes);
    free(b);
}

ashlar_status ashi_emulated_allocate(ashi_emulated_memory *m, int64_t bytes, void **out, ashlar_error *err)
{
    *out = NULL;
    if (bytes < 1 || bytes > m->limit - m->held)
        return ashi_fail(err, ASHLAR_ERR_MEMORY,
                         "device: emulated: %" PRId64 " bytes are wanted, %" PRId64 " of %" PRId64 " are free", bytes,
                         m->limit - m->held, m->limit);
    ashi_emulated_block *b = malloc(sizeof *b);
    if (!b)
        return ashi_fail_memory(err, "device: emulated", (int64_t)sizeof *b);
    *b = (ashi_emulated_block){m->blocks, map(bytes, PROT_NONE), map(bytes, PROT_READ | PROT_WRITE), bytes};
    if (!b->address || !b->behind) {
        free_block(b);
        return ashi_fail_memory(err, "device: emulated", bytes);
    }
    m->blocks = b;
    m->held += bytes;
    *out = b->address;
    return ASHLAR_OK;
}

void ashi_emulated_release(ashi_emulated_memory *m, void *address)
{
    for (ashi_emulated_block **at = &m->blocks; *at; at = &(*at)->next) {
        ashi_emulated_block *b = *at;
        if (b->address != address)
            continue;
        *at = b->next;
        m->held -= b->bytes;
        free_block(b);
        return;
    }
}

void ashi_emulated_release_all(ashi_emulated_memory *m)
{
    while (m->blocks)
        ashi_emulated_release(m, m->blocks->address);
}

static const ashi_emulated_block *find(const ashi_emulated_memory *m, const void *address)
{
    const uintptr_t wanted = (uintptr_t)address;
    for (const ashi_emulated_block *b = m->blocks; b; b = b->next)
        if (wanted >= (uintptr_t)b->address && wanted - (uintptr_t)b->address < (uintptr_t)b->bytes)
            return b;
    return NULL;
}

int64_t ashi_emulated_left(const ashi_emulated_memory *m, const void *address)
{
    const ashi_emulated_block *b = find(m, address);
    return b ? b->bytes - (int64_t)((uintptr_t)address - (uintptr_t)b->address) : 0;
}

void *ashi_emulated_behind(const ashi_emulated_memory *m, const void *address, int64_t bytes)
{
    const ashi_emulated_block *b = find(m, address);
    if (!b || bytes > ashi_emulated_left(m, address))
        return NULL;
    return b->behind + ((uintptr_t)address - (uintptr_t)b->address);
}

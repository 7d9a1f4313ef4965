/* An emulated device's allocations: a range of addresses without access, and memory of the same size behind it. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "device/emulated_memory.h"

#include "base/error.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

struct ashi_emulated_block {
    ashi_emulated_block *next;
    ashi_emulated_block *of_all; /* the next in the list of all devices' blocks */
    char *address, *behind;
    int64_t bytes;
};

static char *map(int64_t bytes, int protection)
{
    void *at = mmap(NULL, (size_t)bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* The blocks of all devices of the process. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static ashi_emulated_block *all;

static void list_block(ashi_emulated_block *b)
{
    pthread_mutex_lock(&mutex);
    b->of_all = all;
    all = b;
    pthread_mutex_unlock(&mutex);
}

static void unlist_block(const ashi_emulated_block *b)
{
    pthread_mutex_lock(&mutex);
    for (ashi_emulated_block **at = &all; *at; at = &(*at)->of_all)
        if (*at == b) {
            *at = b->of_all;
            break;
        }
    pthread_mutex_unlock(&mutex);
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
    *b = (ashi_emulated_block){m->blocks, NULL, map(bytes, PROT_NONE), map(bytes, PROT_READ | PROT_WRITE), bytes};
    if (!b->address || !b->behind) {
        free_block(b);
        return ashi_fail_memory(err, "device: emulated", bytes);
    }
    list_block(b);
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
        unlist_block(b);
        free_block(b);
        return;
    }
}

void ashi_emulated_release_all(ashi_emulated_memory *m)
{
    while (m->blocks)
        ashi_emulated_release(m, m->blocks->address);
}

static bool has(const ashi_emulated_block *b, const void *address)
{
    const uintptr_t wanted = (uintptr_t)address;
    return wanted >= (uintptr_t)b->address && wanted - (uintptr_t)b->address < (uintptr_t)b->bytes;
}

static const ashi_emulated_block *find(const ashi_emulated_memory *m, const void *address)
{
    for (const ashi_emulated_block *b = m->blocks; b; b = b->next)
        if (has(b, address))
            return b;
    return NULL;
}

bool ashi_emulated_is_any(const void *address)
{
    bool found = false;
    pthread_mutex_lock(&mutex);
    for (const ashi_emulated_block *b = all; b && !found; b = b->of_all)
        found = has(b, address);
    pthread_mutex_unlock(&mutex);
    return found;
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

/* What was prepared for the shapes of call that came last. */
#include "pblas/cache.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
    uint64_t hash;
    int64_t used; /* when, counted in searches */
    int64_t number;
    void *made;
    void (*release)(void *made);
    ashi_call_shape shape;
} entry;

struct ashi_cache {
    int64_t room, count, clock, puts;
    entry *entries;
    entry *last; /* found; programs often repeat one call */
};

ashi_cache *ashi_cache_create(int64_t room)
{
    ashi_cache *cache = calloc(1, sizeof *cache);
    entry *entries = calloc((size_t)room, sizeof *entries);
    if (!cache || !entries) {
        free(cache);
        free(entries);
        return NULL;
    }
    *cache = (ashi_cache){.room = room, .entries = entries};
    return cache;
}

static uint64_t hash_of(const ashi_call_shape *shape)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (int i = 0; i < shape->count; i++)
        hash = (hash ^ (uint64_t)shape->value[i]) * 0x100000001B3u + (hash >> 29); /* FNV-1a, high bits fed back */
    return hash;
}

static bool is_same(const ashi_call_shape *a, const ashi_call_shape *b)
{
    return a->count == b->count && memcmp(a->value, b->value, (size_t)a->count * sizeof a->value[0]) == 0;
}

static entry *find(ashi_cache *cache, const ashi_call_shape *shape)
{
    if (cache->last && is_same(&cache->last->shape, shape))
        return cache->last;
    const uint64_t hash = hash_of(shape);
    for (int64_t i = 0; i < cache->count; i++)
        if (cache->entries[i].hash == hash && is_same(&cache->entries[i].shape, shape))
            return cache->last = &cache->entries[i];
    return NULL;
}

void *ashi_cache_find(ashi_cache *cache, const ashi_call_shape *shape)
{
    entry *e = find(cache, shape);
    cache->clock++;
    if (!e)
        return NULL;
    e->used = cache->clock;
    return e->made;
}

int64_t ashi_cache_last(const ashi_cache *cache)
{
    return cache->last ? cache->last->number : 0;
}

void *ashi_cache_again(ashi_cache *cache, int64_t number)
{
    if (!cache->last || cache->last->number != number)
        return NULL;
    cache->last->used = ++cache->clock;
    return cache->last->made;
}

void ashi_cache_drop(ashi_cache *cache, const ashi_call_shape *shape)
{
    entry *e = find(cache, shape);
    if (!e)
        return;
    e->release(e->made);
    cache->last = NULL;
    *e = cache->entries[--cache->count];
}

static entry *least_recent(ashi_cache *cache)
{
    entry *least = &cache->entries[0];
    for (int64_t i = 1; i < cache->count; i++)
        if (cache->entries[i].used < least->used)
            least = &cache->entries[i];
    return least;
}

void ashi_cache_put(ashi_cache *cache, const ashi_call_shape *shape, void *made, void (*release)(void *made))
{
    entry *e = NULL;
    cache->last = NULL;
    if (cache->count < cache->room) {
        e = &cache->entries[cache->count++];
    } else {
        e = least_recent(cache);
        e->release(e->made);
    }
    *e = (entry){hash_of(shape), cache->clock, ++cache->puts, made, release, *shape};
    cache->last = e;
}

void ashi_cache_free(ashi_cache *cache)
{
    for (int64_t i = 0; cache && i < cache->count; i++)
        cache->entries[i].release(cache->entries[i].made);
    if (cache)
        free(cache->entries);
    free(cache);
}

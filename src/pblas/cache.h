/* What was prepared for the shapes of call that came last. */
#ifndef ASHI_CACHE_H
#define ASHI_CACHE_H

#include "pblas/shape.h"

#include <ashlar/base.h>

typedef struct ashi_cache ashi_cache;

/* A cache for `room` shapes. NULL if there is no memory. */
ashi_cache *ashi_cache_create(int64_t room);

/* What was put in for the shape, or NULL. Allocates nothing. */
void *ashi_cache_find(ashi_cache *cache, const ashi_call_shape *shape);

/* A number for what the last search found or was put in since; it is never given to anything else. 0: neither. */
int64_t ashi_cache_last(const ashi_cache *cache);

/* Search for that once more: NULL unless it was also found last, and is still there. */
void *ashi_cache_again(ashi_cache *cache, int64_t number);

/* Keep `made` for a shape that is not there yet, and free by `release` what was used least recently where the room is
 * used up. Processes that make the same calls keep the same shapes. */
void ashi_cache_put(ashi_cache *cache, const ashi_call_shape *shape, void *made, void (*release)(void *made));

/* Take a shape out that is there, and free what was made for it. */
void ashi_cache_drop(ashi_cache *cache, const ashi_call_shape *shape);

/* Frees everything in it too. NULL does nothing. */
void ashi_cache_free(ashi_cache *cache);

#endif

/* Arrays that grow. */
#ifndef ASHI_ARRAY_H
#define ASHI_ARRAY_H

#include <stdint.h>
#include <stdlib.h>

enum { ASHI_ARRAY_LEAST = 16 };

/* `data`, of `*capacity` elements of `size` bytes, moved if need be so that it has room for `count`; NULL if memory
 * lacks: `data` is as before. count >= 1. */
static inline void *ashi_array_room(void *data, int64_t *capacity, int64_t count, size_t size)
{
    if (count <= *capacity)
        return data;
    const int64_t twice = 2 * *capacity, least = count > ASHI_ARRAY_LEAST ? count : ASHI_ARRAY_LEAST;
    const int64_t wanted = twice > least ? twice : least;
    void *larger = realloc(data, (size_t)wanted * size);
    if (larger)
        *capacity = wanted;
    return larger;
}

#endif

/* A table from numbers to places: open addressing, without marks for what was removed. */
#include "base/map.h"

#include <stdlib.h>

enum { NONE = -1, LEAST = 64 };

static int64_t home_of(const ashi_map *m, int64_t key)
{
    const uint64_t mixed = (uint64_t)key * 0x9e3779b97f4a7c15u;
    return (int64_t)((mixed ^ (mixed >> 32)) & (uint64_t)(m->capacity - 1));
}

/* Where a key is, or the free place where it would be. */
static int64_t seek(const ashi_map *m, int64_t key)
{
    int64_t at = home_of(m, key);
    while (m->pair[2 * at] != key && m->pair[2 * at] != NONE)
        at = (at + 1) & (m->capacity - 1);
    return at;
}

int64_t ashi_map_find(const ashi_map *m, int64_t key)
{
    if (m->count == 0 || key < 0)
        return NONE;
    const int64_t at = seek(m, key);
    return m->pair[2 * at] == key ? m->pair[2 * at + 1] : NONE;
}

static bool grow(ashi_map *m)
{
    ashi_map larger = {.count = m->count, .capacity = m->capacity ? 2 * m->capacity : LEAST};
    larger.pair = malloc((size_t)larger.capacity * 2 * sizeof *larger.pair);
    if (!larger.pair)
        return false;
    for (int64_t i = 0; i < larger.capacity; i++)
        larger.pair[2 * i] = NONE;
    for (int64_t i = 0; i < m->capacity; i++) {
        if (m->pair[2 * i] == NONE)
            continue;
        const int64_t at = seek(&larger, m->pair[2 * i]);
        larger.pair[2 * at] = m->pair[2 * i];
        larger.pair[2 * at + 1] = m->pair[2 * i + 1];
    }
    free(m->pair);
    *m = larger;
    return true;
}

bool ashi_map_put(ashi_map *m, int64_t key, int64_t value)
{
    if (2 * (m->count + 1) > m->capacity && !grow(m))
        return false;
    const int64_t at = seek(m, key);
    m->count += m->pair[2 * at] == NONE;
    m->pair[2 * at] = key;
    m->pair[2 * at + 1] = value;
    return true;
}

/* What comes behind the gap and would not be found over it is moved into it. */
void ashi_map_remove(ashi_map *m, int64_t key)
{
    if (ashi_map_find(m, key) < 0)
        return;
    const int64_t mask = m->capacity - 1;
    int64_t gap = seek(m, key);
    for (int64_t at = (gap + 1) & mask; m->pair[2 * at] != NONE; at = (at + 1) & mask) {
        const int64_t from_home = (at - home_of(m, m->pair[2 * at])) & mask;
        if (from_home < ((at - gap) & mask))
            continue;
        m->pair[2 * gap] = m->pair[2 * at];
        m->pair[2 * gap + 1] = m->pair[2 * at + 1];
        gap = at;
    }
    m->pair[2 * gap] = NONE;
    m->count--;
}

void ashi_map_free(ashi_map *m)
{
    free(m->pair);
    *m = (ashi_map){0};
}

/* The tiles that a rank has stored: which, and where their elements are. */
#include "tiles/held.h"

#include "base/checked.h"
#include "base/error.h"
#include "exec/large.h"

#include <stdlib.h>
#include <string.h>

/* Where each tile begins. */
static ashlar_status lay_out(const ashi_held_size *size, ashi_held *held, ashlar_error *err)
{
    int64_t words = 0, bytes = 0;
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(held, &w);) {
        held->offset[w.number] = words;
        if (!ashi_mul(ashi_cuts_size(size->row, w.at.row), ashi_cuts_size(size->col, w.at.col), &bytes) ||
            !ashi_add(words, bytes, &words))
            return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the tiles of a rank have more than 2^63 - 1 elements");
    }
    held->offset[held->pattern.tiles] = words;
    if (!ashi_mul(words, (int64_t)size->bytes, &bytes))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the tiles of a rank have more than 2^63 - 1 bytes");
    held->room = (size_t)bytes;
    held->data = ashi_large_make(held->room);
    return held->data ? ASHLAR_OK : ashi_fail_memory(err, "the tiles of a rank", bytes);
}

ashlar_status ashi_held_make(ashi_pattern *pattern, const ashi_held_size *size, ashi_held *out, ashlar_error *err)
{
    *out = (ashi_held){.pattern = *pattern};
    *pattern = (ashi_pattern){0};
    const size_t count = (size_t)out->pattern.tiles + 1;
    out->offset = malloc(count * sizeof *out->offset);
    return out->offset ? lay_out(size, out, err)
                       : ashi_fail_memory(err, "the table of tiles", (int64_t)(count * sizeof *out->offset));
}

void ashi_held_copy(const ashi_held *from, size_t bytes, ashi_held *to)
{
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(from, &w);) {
        const int64_t number = ashi_pattern_find(&to->pattern, w.at.row, w.at.col);
        const size_t words = (size_t)(from->offset[w.number + 1] - from->offset[w.number]);
        if (number >= 0)
            memcpy(ashi_held_tile(to, number, bytes), ashi_held_tile(from, w.number, bytes), words * bytes);
    }
}

ashlar_status ashi_held_grow(const ashi_held *held, const ashi_tile_at *more, int64_t count, const ashi_held_size *size,
                             ashi_held *out, ashlar_error *err)
{
    const int64_t before = held->pattern.tiles, all = before + count;
    ashi_pattern pattern = {0};
    ashi_tile_at *const tile = malloc(((size_t)all + 1) * sizeof *tile);
    *out = (ashi_held){0};
    if (!tile)
        return ashi_fail_memory(err, "a list of tiles", all * (int64_t)sizeof *tile);
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(held, &w);)
        tile[w.number] = w.at;
    if (count > 0)
        memcpy(tile + before, more, (size_t)count * sizeof *tile);
    ashlar_status status = ashi_pattern_make(tile, all, &pattern, err);
    free(tile);
    if (status == ASHLAR_OK)
        status = ashi_held_make(&pattern, size, out, err);
    if (status == ASHLAR_OK)
        ashi_held_copy(held, size->bytes, out);
    ashi_pattern_free(&pattern);
    return status;
}

/* Make an array longer; it is as it was if that fails. */
static bool lengthen(void *array, size_t bytes)
{
    void *memory = NULL;
    memcpy(&memory, array, sizeof memory);
    memory = realloc(memory, bytes);
    if (!memory)
        return false;
    memcpy(array, &memory, sizeof memory);
    return true;
}

/* More room for elements, of which there are `used` bytes. */
static bool make_longer(ashi_held *held, size_t used, size_t bytes)
{
    char *const longer = ashi_large_make(bytes);
    if (!longer)
        return false;
    if (used > 0)
        memcpy(longer, held->data, used);
    ashi_large_free(held->data, held->room);
    held->data = longer;
    held->room = bytes;
    return true;
}

ashlar_status ashi_held_append(ashi_held *held, const ashi_held *more, size_t bytes, ashlar_error *err)
{
    ashi_pattern *const p = &held->pattern;
    const ashi_pattern *const q = &more->pattern;
    const int64_t words = ashi_held_words(held), new_words = ashi_held_words(more);
    const size_t rows = (size_t)(p->rows + q->rows) + 1, tiles = (size_t)(p->tiles + q->tiles) + 1;
    const size_t number = sizeof *p->row;
    if (!lengthen(&p->row, rows * number) || !lengthen(&p->start, rows * number) ||
        !lengthen(&p->col, tiles * number) || !lengthen(&held->offset, tiles * number) ||
        !make_longer(held, (size_t)words * bytes, (size_t)(words + new_words) * bytes))
        return ashi_fail_memory(err, "the tiles of a rank", (words + new_words) * (int64_t)bytes);
    for (int64_t x = 0; x < q->rows; x++) {
        p->row[p->rows + x] = q->row[x];
        p->start[p->rows + x] = p->tiles + q->start[x];
    }
    for (int64_t t = 0; t < q->tiles; t++) {
        p->col[p->tiles + t] = q->col[t];
        held->offset[p->tiles + t] = words + more->offset[t];
    }
    if (new_words > 0)
        memcpy(held->data + (size_t)words * bytes, more->data, (size_t)new_words * bytes);
    p->rows += q->rows;
    p->tiles += q->tiles;
    p->start[p->rows] = p->tiles;
    held->offset[p->tiles] = words + new_words;
    return ASHLAR_OK;
}

ashlar_status ashi_held_clone(const ashi_held *from, size_t bytes, ashi_held *out, ashlar_error *err)
{
    const size_t words = (size_t)ashi_held_words(from);
    const size_t starts = ((size_t)from->pattern.tiles + 1) * sizeof *out->offset;
    *out = (ashi_held){0};
    if (!from->offset)
        return ASHLAR_OK;
    const ashlar_status status = ashi_pattern_copy(&from->pattern, &out->pattern, err);
    if (status != ASHLAR_OK)
        return status;
    out->offset = malloc(starts);
    out->room = words * bytes;
    out->data = ashi_large_make(out->room);
    if (!out->offset || !out->data)
        return ashi_fail_memory(err, "the tiles of a rank", (int64_t)(words * bytes + starts));
    memcpy(out->offset, from->offset, starts);
    memcpy(out->data, from->data, words * bytes);
    return ASHLAR_OK;
}

/* Memory that became too long; where it cannot be shortened it stays. */
static void *shorten(void *memory, size_t bytes)
{
    void *const shorter = realloc(memory, bytes > 0 ? bytes : 1);
    return shorter ? shorter : memory;
}

void ashi_held_keep(ashi_held *held, const bool *keep, size_t bytes)
{
    ashi_pattern *p = &held->pattern;
    int64_t tiles = 0, rows = 0, words = 0;
    if (!held->offset)
        return;
    for (int64_t x = 0, t = 0; x < p->rows; x++) {
        const int64_t first = tiles, end = p->start[x + 1];
        for (; t < end; t++) {
            const int64_t from = held->offset[t], count = held->offset[t + 1] - from;
            if (!keep[t])
                continue;
            memmove(held->data + (size_t)words * bytes, held->data + (size_t)from * bytes, (size_t)count * bytes);
            p->col[tiles] = p->col[t];
            held->offset[tiles++] = words;
            words += count;
        }
        if (tiles == first)
            continue;
        p->row[rows] = p->row[x];
        p->start[rows++] = first;
    }
    p->start[rows] = held->offset[tiles] = tiles;
    held->offset[tiles] = words;
    p->rows = rows;
    p->tiles = tiles;
    held->room = ashi_large_shorten(held->data, held->room, (size_t)words * bytes);
    held->offset = shorten(held->offset, ((size_t)tiles + 1) * sizeof *held->offset);
    p->col = shorten(p->col, ((size_t)tiles + 1) * sizeof *p->col);
}

void ashi_held_free(ashi_held *held)
{
    ashi_pattern_free(&held->pattern);
    free(held->offset);
    ashi_large_free(held->data, held->room);
    *held = (ashi_held){0};
}

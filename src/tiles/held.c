/* The tiles that a rank has stored: which, and where their elements are. */
#include "tiles/held.h"

#include "base/checked.h"
#include "base/error.h"
#include "kernel/large.h"

#include <stdlib.h>
#include <string.h>

/* The words of a tile that has a rank, or is dense. */
static bool words_of(const ashi_held_size *size, ashi_tile_at at, int64_t rank, int64_t *words)
{
    const int64_t rows = ashi_cuts_size(size->row, at.row), cols = ashi_cuts_size(size->col, at.col);
    return rank < 0 ? ashi_mul(rows, cols, words) : ashi_mul(rows + cols, rank, words);
}

/* Where each tile begins; *most: the elements of the largest tile that has a rank. */
static ashlar_status lay_out(const ashi_held_size *size, ashi_held *held, int64_t *most, ashlar_error *err)
{
    int64_t words = 0, bytes = 0, all = 0;
    *most = 0;
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(held, &w);) {
        const int64_t rank = ashi_held_rank(held, w.number);
        held->offset[w.number] = words;
        if (!words_of(size, w.at, -1, &all) || !words_of(size, w.at, rank, &bytes) || !ashi_add(words, bytes, &words))
            return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the tiles of a rank have more than 2^63 - 1 elements");
        *most = rank < 0 ? *most : ashi_max(*most, all);
    }
    held->offset[held->pattern.tiles] = words;
    if (!ashi_mul(words, (int64_t)size->bytes, &bytes) || !ashi_mul(*most, (int64_t)size->bytes, most))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the tiles of a rank have more than 2^63 - 1 bytes");
    held->room = (size_t)bytes;
    held->data = ashi_large_make(held->room);
    return held->data ? ASHLAR_OK : ashi_fail_memory(err, "the tiles of a rank", bytes);
}

/* ---- tiles that have a rank ---- */

/* Take over a list of ranks. */
static ashlar_status take_ranks(ashi_held *held, int64_t *rank, ashlar_error *err)
{
    bool any = false;
    for (int64_t t = 0; rank && t < held->pattern.tiles; t++)
        any = any || rank[t] >= 0;
    held->low = any ? calloc(1, sizeof *held->low) : NULL;
    if (held->low)
        *held->low = (ashi_held_low){.rank = rank, .expanded = -1};
    else
        free(rank);
    return held->low || !any ? ASHLAR_OK : ashi_fail_memory(err, "the ranks of tiles", (int64_t)sizeof *held->low);
}

static ashlar_status make_scratch(ashi_held *held, int64_t bytes, ashlar_error *err)
{
    if (!held->low)
        return ASHLAR_OK;
    held->low->room = (size_t)bytes;
    held->low->scratch = ashi_large_make(held->low->room);
    return held->low->scratch ? ASHLAR_OK : ashi_fail_memory(err, "the elements of a tile", bytes);
}

void ashi_held_low_free(ashi_held_low *low)
{
    if (!low)
        return;
    free(low->rank);
    ashi_large_free(low->scratch, low->room);
    free(low);
}

static ashlar_status clone_low(const ashi_held *from, ashi_held *out, ashlar_error *err)
{
    const size_t bytes = (size_t)from->pattern.tiles * sizeof(int64_t);
    if (!from->low)
        return ASHLAR_OK;
    int64_t *const rank = malloc(bytes + 1);
    if (!rank)
        return ashi_fail_memory(err, "the ranks of tiles", (int64_t)bytes);
    memcpy(rank, from->low->rank, bytes);
    const ashlar_status status = take_ranks(out, rank, err);
    return status == ASHLAR_OK ? make_scratch(out, (int64_t)from->low->room, err) : status;
}

void ashi_held_expand(const ashi_held_size *size, ashi_tile_at at, int64_t rank, const char *factors, char *to)
{
    const ashi_kernels *const k = size->kernels;
    const int64_t rows = ashi_cuts_size(size->row, at.row), cols = ashi_cuts_size(size->col, at.col);
    const ashi_matrix u = {factors, 1, rows}, v = {factors + (size_t)(rows * rank) * size->bytes, 1, cols};
    if (rank == 0)
        memset(to, 0, (size_t)(rows * cols) * size->bytes);
    else if (rows > 0 && cols > 0)
        k->gemm(rows, cols, rank, k->one, &u, false, &v, false, k->zero, to, 1, rows);
}

const char *ashi_held_view(const ashi_held *held, const ashi_held_size *size, int64_t number, ashi_tile_at at)
{
    ashi_held_begin(held);
    return ashi_held_view_again(held, size, number, at);
}

const char *ashi_held_view_again(const ashi_held *held, const ashi_held_size *size, int64_t number, ashi_tile_at at)
{
    const int64_t rank = ashi_held_rank(held, number);
    const char *const stored = ashi_held_tile(held, number, size->bytes);
    if (rank < 0)
        return stored;
    if (held->low->expanded != number)
        ashi_held_expand(size, at, rank, stored, held->low->scratch);
    held->low->expanded = number;
    return held->low->scratch;
}

/* ---- all tiles ---- */

ashlar_status ashi_held_make_ranked(ashi_pattern *pattern, int64_t *rank, const ashi_held_size *size, ashi_held *out,
                                    ashlar_error *err)
{
    int64_t most = 0;
    *out = (ashi_held){.pattern = *pattern};
    *pattern = (ashi_pattern){0};
    const size_t count = (size_t)out->pattern.tiles + 1;
    ashlar_status status = take_ranks(out, rank, err);
    out->offset = malloc(count * sizeof *out->offset);
    if (status == ASHLAR_OK && !out->offset)
        status = ashi_fail_memory(err, "the table of tiles", (int64_t)(count * sizeof *out->offset));
    if (status == ASHLAR_OK)
        status = lay_out(size, out, &most, err);
    return status == ASHLAR_OK ? make_scratch(out, most, err) : status;
}

ashlar_status ashi_held_make(ashi_pattern *pattern, const ashi_held_size *size, ashi_held *out, ashlar_error *err)
{
    return ashi_held_make_ranked(pattern, NULL, size, out, err);
}

void ashi_held_copy(const ashi_held *from, const ashi_held_size *size, ashi_held *to)
{
    const size_t bytes = size->bytes;
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(from, &w);) {
        const int64_t number = ashi_pattern_find(&to->pattern, w.at.row, w.at.col);
        const int64_t rank = ashi_held_rank(from, w.number), wanted = number < 0 ? -1 : ashi_held_rank(to, number);
        const size_t words = (size_t)(from->offset[w.number + 1] - from->offset[w.number]);
        const char *const stored = ashi_held_tile(from, w.number, bytes);
        if (number >= 0 && rank >= 0 && wanted < 0)
            ashi_held_expand(size, w.at, rank, stored, ashi_held_tile(to, number, bytes));
        else if (number >= 0 && rank == wanted)
            memcpy(ashi_held_tile(to, number, bytes), stored, words * bytes);
    }
}

/* The ranks of the tiles of `pattern`: of `more` those that are given, or none (NULL). *out is NULL if no tile has
 * one. */
static ashlar_status ranks_after(const ashi_held *held, const ashi_pattern *pattern, const ashi_tile_at *more,
                                 const int64_t *given, int64_t count, int64_t **out, ashlar_error *err)
{
    *out = NULL;
    if (!held->low && !given)
        return ASHLAR_OK;
    int64_t *const rank = malloc(((size_t)pattern->tiles + 1) * sizeof *rank);
    if (!rank)
        return ashi_fail_memory(err, "the ranks of tiles", pattern->tiles * (int64_t)sizeof *rank);
    for (int64_t t = 0; t < pattern->tiles; t++)
        rank[t] = -1;
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(held, &w);)
        rank[ashi_pattern_find(pattern, w.at.row, w.at.col)] = ashi_held_rank(held, w.number);
    for (int64_t i = 0; i < count; i++)
        rank[ashi_pattern_find(pattern, more[i].row, more[i].col)] = given ? given[i] : -1;
    *out = rank;
    return ASHLAR_OK;
}

ashlar_status ashi_held_grow_ranked(const ashi_held *held, const ashi_tile_at *more, const int64_t *given,
                                    int64_t count, const ashi_held_size *size, ashi_held *out, ashlar_error *err)
{
    const int64_t before = held->pattern.tiles, all = before + count;
    int64_t *rank = NULL;
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
        status = ranks_after(held, &pattern, more, given, count, &rank, err);
    if (status == ASHLAR_OK)
        status = ashi_held_make_ranked(&pattern, rank, size, out, err);
    if (status == ASHLAR_OK)
        ashi_held_copy(held, size, out);
    ashi_pattern_free(&pattern);
    return status;
}

ashlar_status ashi_held_grow(const ashi_held *held, const ashi_tile_at *more, int64_t count, const ashi_held_size *size,
                             ashi_held *out, ashlar_error *err)
{
    return ashi_held_grow_ranked(held, more, NULL, count, size, out, err);
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
    return clone_low(from, out, err);
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
            if (held->low)
                held->low->rank[tiles] = held->low->rank[t];
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

void ashi_held_rerank(ashi_held *held, ashi_held_low *low, const ashi_held_size *size)
{
    int64_t words = 0, count = 0;
    bool any = false;
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(held, &w); words += count) {
        const int64_t from = held->offset[w.number];
        any = any || low->rank[w.number] >= 0;
        (void)words_of(size, w.at, low->rank[w.number], &count); /* not more than the tile has */
        memmove(held->data + (size_t)words * size->bytes, held->data + (size_t)from * size->bytes,
                (size_t)count * size->bytes);
        held->offset[w.number] = words;
    }
    if (held->offset)
        held->offset[held->pattern.tiles] = words;
    held->room = ashi_large_shorten(held->data, held->room, (size_t)words * size->bytes);
    ashi_held_low_free(held->low);
    held->low = any ? low : NULL;
    if (!any)
        ashi_held_low_free(low);
}

void ashi_held_free(ashi_held *held)
{
    ashi_pattern_free(&held->pattern);
    free(held->offset);
    ashi_large_free(held->data, held->room);
    ashi_held_low_free(held->low);
    *held = (ashi_held){0};
}

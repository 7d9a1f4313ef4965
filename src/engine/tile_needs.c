/* Which processes of C's grid need which tiles of A and B. */
#include "engine/tile_needs.h"

#include "base/checked.h"
#include "base/error.h"
#include "layout/pattern_cursor.h"

#include <stdlib.h>
#include <string.h>

int64_t ashi_tile_processes(const ashi_tile_problem *p, int x)
{
    const ashi_deal *c = p->operand[ASHLAR_C].deal;
    return x == ASHLAR_A ? c->grid_cols : c->grid_rows;
}

ashlar_status ashi_tile_needs_make(const ashi_tile_problem *p, ashi_tile_needs *out, ashlar_error *err)
{
    const int64_t k = p->cuts[2]->tiles;
    *out = (ashi_tile_needs){.words = {ashi_ceil_div(ashi_tile_processes(p, ASHLAR_A), ASHI_TILE_BITS),
                                       ashi_ceil_div(ashi_tile_processes(p, ASHLAR_B), ASHI_TILE_BITS)}};
    int64_t bits[2], sums[2];
    out->all_words = p->ranks;
    for (int x = 0; x < 2; x++) {
        bits[x] = k * out->words[x];
        sums[x] = ashi_tile_processes(p, 1 - x) * out->words[x];
        out->all_words += bits[x] + sums[x];
    }
    out->all = calloc((size_t)out->all_words, sizeof *out->all);
    if (!out->all)
        return ashi_fail_memory(err, "who needs which tiles", ashi_mul_most(out->all_words, ASHI_TILE_BITS / 8));
    out->bit[0] = out->all;
    out->bit[1] = out->bit[0] + bits[0];
    out->sums[0] = out->bit[1] + bits[1];
    out->sums[1] = out->sums[0] + sums[0];
    out->work = out->sums[1] + sums[1];
    return ASHLAR_OK;
}

void ashi_tile_needs_free(ashi_tile_needs *needs)
{
    free(needs->all);
    free(needs->exact[0]);
    free(needs->exact[1]);
    *needs = (ashi_tile_needs){0};
}

int64_t ashi_tile_needs_bytes(const ashi_tile_needs *needs)
{
    int64_t words = needs->all_words;
    for (int x = 0; x < 2; x++)
        words += needs->exact_tiles[x] * needs->words[x];
    return words * (ASHI_TILE_BITS / 8);
}

int64_t ashi_tile_part(const ashi_tile_problem *p, int x, const ashi_tile_at *at)
{
    const ashi_deal *c = p->operand[ASHLAR_C].deal;
    return x == ASHLAR_A ? ashi_tile_layer_row(p->layers, at->col) + ashi_deal_row_part(c, at->row)
                         : ashi_deal_col_part(c, at->col);
}

static uint64_t *mask_of(const ashi_tile_needs *needs, int x, int64_t k)
{
    return needs->bit[x] + k * needs->words[x];
}

const uint64_t *ashi_tile_sums_mask(const ashi_tile_needs *needs, int x, int64_t part)
{
    return needs->sums[x] + part * needs->words[x];
}

static void set(uint64_t *mask, int64_t bit)
{
    mask[bit / ASHI_TILE_BITS] |= (uint64_t)1 << (bit % ASHI_TILE_BITS);
}

const uint64_t *ashi_tile_mask(const ashi_tile_needs *needs, int x, int64_t k, int64_t number)
{
    return needs->exact[x] ? needs->exact[x] + number * needs->words[x] : mask_of(needs, x, k);
}

void ashi_tile_needs_add(ashi_tile_needs *needs, int x, int64_t k, int64_t process)
{
    set(mask_of(needs, x, k), process);
}

void ashi_tile_needs_add_sums(ashi_tile_needs *needs, int64_t row, int64_t col)
{
    set(needs->sums[ASHLAR_A] + row * needs->words[ASHLAR_A], col);
    set(needs->sums[ASHLAR_B] + col * needs->words[ASHLAR_B], row);
}

static void note_tiles(const ashi_tile_problem *p, ashi_tile_needs *needs, int x)
{
    const ashi_pattern *pattern = p->operand[x].pattern;
    for (int64_t r = 0; r < pattern->rows; r++)
        for (int64_t t = pattern->start[r]; t < pattern->start[r + 1]; t++) {
            const ashi_tile_at at = {pattern->row[r], pattern->col[t]};
            if (ashi_tile_words(p, (ashlar_operand)x, &at) > 0)
                ashi_tile_needs_add(needs, 1 - x, ashi_tile_inner(x, &at), ashi_tile_part(p, x, &at));
        }
}

static void note_sums(const ashi_tile_problem *p, ashi_tile_needs *needs, int64_t layer)
{
    const ashi_deal *c = p->operand[ASHLAR_C].deal;
    const ashi_pattern *pattern = ashi_tile_sums(p, layer);
    const int64_t first = p->layers ? layer * p->layers->rows : 0;
    for (int64_t r = 0; r < pattern->rows; r++)
        for (int64_t t = pattern->start[r]; t < pattern->start[r + 1]; t++) {
            const ashi_tile_at at = {pattern->row[r], pattern->col[t]};
            if (ashi_tile_words(p, ASHLAR_C, &at) > 0)
                ashi_tile_needs_add_sums(needs, first + ashi_deal_row_part(c, at.row), ashi_deal_col_part(c, at.col));
        }
}

void ashi_tile_needs_note(const ashi_tile_problem *p, ashi_tile_needs *needs)
{
    note_tiles(p, needs, ASHLAR_A);
    note_tiles(p, needs, ASHLAR_B);
    for (int64_t layer = 0; layer < (p->layers ? p->layers->count : 1); layer++)
        note_sums(p, needs, layer);
}

/* ---- who forms products with what ---- */

ashlar_status ashi_tile_exact_make(const ashi_tile_problem *p, ashi_tile_needs *needs, ashlar_error *err)
{
    for (int x = 0; x < 2; x++) {
        const int64_t tiles = p->operand[x].pattern->tiles, words = tiles * needs->words[x];
        needs->exact[x] = calloc((size_t)ashi_max(1, words), sizeof *needs->exact[x]);
        if (!needs->exact[x])
            return ashi_fail_memory(err, "who needs which tiles", ashi_mul_most(words, ASHI_TILE_BITS / 8));
        needs->exact_tiles[x] = tiles;
    }
    return ASHLAR_OK;
}

void ashi_tile_exact_copy(const ashi_tile_problem *p, ashi_tile_needs *needs)
{
    for (int x = 0; x < 2; x++) {
        const ashi_pattern *pattern = p->operand[x].pattern;
        const size_t bytes = (size_t)needs->words[x] * sizeof *needs->exact[x];
        for (int64_t r = 0; r < pattern->rows; r++)
            for (int64_t t = pattern->start[r]; t < pattern->start[r + 1]; t++)
                memcpy(needs->exact[x] + t * needs->words[x],
                       mask_of(needs, x, x == ASHLAR_A ? pattern->col[t] : pattern->row[r]), bytes);
    }
}

/* A tile that was there before, by its number then, has the mask that it had if its line's is the same. */
static void keep_mask(ashi_tile_needs *needs, const ashi_tile_needs *before, int x, int64_t k, const int64_t number[2])
{
    const size_t bytes = (size_t)needs->words[x] * sizeof *needs->exact[x];
    if (memcmp(mask_of(before, x, k), mask_of(needs, x, k), bytes) == 0)
        memcpy(needs->exact[x] + number[1] * needs->words[x], ashi_tile_mask(before, x, k, number[0]), bytes);
}

/* Tiles that go and come, beside those of a pattern. */
typedef struct beside {
    ashi_pattern_cursor gone, come;
    int64_t number[2]; /* of the pattern's next tile, before and now */
} beside;

/* One row of the pattern tile by tile. */
static void keep_row(const ashi_pattern *now, int64_t r, ashi_tile_needs *needs, const ashi_tile_needs *before, int x,
                     beside *b)
{
    for (; b->number[1] < now->start[r + 1]; b->number[1]++) {
        const ashi_tile_at at = {now->row[r], now->col[b->number[1]]};
        for (; ashi_pattern_cursor_order(&b->gone, &at) < 0; b->number[0]++)
            ashi_pattern_cursor_next(&b->gone);
        if (ashi_pattern_cursor_order(&b->come, &at) == 0) {
            ashi_pattern_cursor_next(&b->come);
            continue;
        }
        keep_mask(needs, before, x, ashi_tile_inner(x, &at), b->number);
        b->number[0]++;
    }
}

void ashi_tile_exact_keep(const ashi_tile_problem *p, ashi_tile_needs *needs, const ashi_tile_needs *before, int x,
                          const ashi_pattern_changes *changes)
{
    const ashi_pattern *now = p->operand[x].pattern;
    const int64_t words = needs->words[x];
    const size_t bytes = (size_t)words * sizeof *needs->exact[x];
    const bool same_lines = before->exact[x] &&
                            memcmp(before->bit[x], needs->bit[x], (size_t)p->cuts[2]->tiles * bytes) == 0;
    beside b = {.gone = {.list = &changes->removed}, .come = {.list = &changes->added}};
    for (int64_t r = 0; r < now->rows; r++) {
        const int64_t count = now->start[r + 1] - now->start[r], row = now->row[r];
        if (!same_lines || ashi_pattern_cursor_row(&b.gone) <= row || ashi_pattern_cursor_row(&b.come) <= row) {
            keep_row(now, r, needs, before, x, &b);
            continue;
        }
        memcpy(needs->exact[x] + b.number[1] * words, before->exact[x] + b.number[0] * words, (size_t)count * bytes);
        b.number[0] += count;
        b.number[1] += count;
    }
}

void ashi_tile_exact_remove(ashi_tile_needs *needs, int x, int64_t number, int64_t process)
{
    needs->exact[x][number * needs->words[x] + process / ASHI_TILE_BITS] &=
        ~((uint64_t)1 << (process % ASHI_TILE_BITS));
}

void ashi_tile_exact_add(ashi_tile_needs *needs, int x, int64_t number, int64_t process)
{
    set(needs->exact[x] + number * needs->words[x], process);
}

/* Which products of some tiles of A with some of B are left out, taken from what is left out of all. */
#include "layout/left_out.h"

#include "base/bits.h"
#include "base/error.h"
#include "base/ordering.h"

#include <stdlib.h>

/* Those of op(A) and op(B), and in the choice's patterns the number of each of B beyond its row's first. */
typedef struct sides {
    const ashi_tile_choice *choice;
    ashi_pattern a, b;
    int64_t *beyond;
    int64_t rows, bits; /* so far */
} sides;

static ashlar_status find_beyond(sides *s, ashlar_error *err)
{
    const ashi_pattern *all = s->choice->pattern[1];
    s->beyond = malloc(((size_t)s->b.tiles + 1) * sizeof *s->beyond);
    if (!s->beyond)
        return ashi_fail_memory(err, "a product of tiles", s->b.tiles * (int64_t)sizeof *s->beyond);
    for (int64_t r = 0; r < s->b.rows; r++) {
        const int64_t row = ashi_pattern_row(all, s->b.row[r]);
        int64_t at = all->start[row];
        for (int64_t t = s->b.start[r]; t < s->b.start[r + 1]; t++, at++) {
            if (all->col[at] != s->b.col[t])
                at = ashi_first_from(all->col, at, all->start[row + 1], s->b.col[t]);
            s->beyond[t] = at - all->start[row];
        }
    }
    return ASHLAR_OK;
}

/* The row of op(B) that a tile of op(A) meets, -1 if none of its tiles is here. */
static int64_t met_by(const sides *s, int64_t tile)
{
    return ashi_pattern_row(&s->b, s->a.col[tile]);
}

static int64_t count_bits(const sides *s)
{
    int64_t count = 0;
    for (int64_t t = 0; t < s->a.tiles; t++) {
        const int64_t row = met_by(s, t);
        count += row < 0 ? 0 : s->b.start[row + 1] - s->b.start[row];
    }
    return count;
}

static void copy_bits(sides *s, int64_t row, int64_t tile, uint64_t *to)
{
    const ashi_tile_choice *choice = s->choice;
    const int64_t met = met_by(s, tile);
    if (met < 0)
        return;
    const int64_t first = s->b.start[met], end = s->b.start[met + 1];
    const int64_t bit = choice->first[ashi_pattern_find(choice->pattern[0], s->a.row[row], s->a.col[tile])];
    const int64_t begin = choice->half ? ashi_first_from(s->b.col, first, end, s->a.row[row]) : first;
    ashi_bits_set(to, s->bits, begin - first); /* mirrored */
    s->bits += begin - first;
    for (int64_t t = begin, next; t < end; t = next) {
        for (next = t + 1; next < end && s->beyond[next] == s->beyond[t] + (next - t);)
            next++;
        ashi_bits_copy(to, s->bits, choice->left, bit + s->beyond[t], next - t);
        s->bits += next - t;
    }
}

static ashlar_status fill(sides *s, ashi_left_out *out, ashlar_error *err)
{
    const int64_t words = count_bits(s) / ASHI_WORD_BITS + 1;
    out->first = malloc(((size_t)s->a.rows + 1) * sizeof *out->first);
    out->bits = calloc((size_t)words, sizeof *out->bits);
    if (!out->first || !out->bits)
        return ashi_fail_memory(err, "a product of tiles", (s->a.rows + words) * (int64_t)sizeof *out->first);
    for (int64_t r = 0; r < s->a.rows; r++) {
        out->first[r] = s->bits;
        for (int64_t t = s->a.start[r]; t < s->a.start[r + 1]; t++)
            copy_bits(s, r, t, out->bits);
    }
    return ASHLAR_OK;
}

ashlar_status ashi_left_out_make(const ashi_tile_choice *choice, ashi_tile_at *const tile[2], const int64_t tiles[2],
                                 ashi_left_out *out, ashlar_error *err)
{
    sides s = {.choice = choice};
    *out = (ashi_left_out){0};
    ashlar_status status = ashi_pattern_make(tile[0], tiles[0], &s.a, err);
    if (status == ASHLAR_OK)
        status = ashi_pattern_make(tile[1], tiles[1], &s.b, err);
    if (status == ASHLAR_OK)
        status = find_beyond(&s, err);
    if (status == ASHLAR_OK)
        status = fill(&s, out, err);
    ashi_pattern_free(&s.a);
    ashi_pattern_free(&s.b);
    free(s.beyond);
    return status;
}

void ashi_left_out_free(ashi_left_out *left)
{
    free(left->first);
    free(left->bits);
    *left = (ashi_left_out){0};
}

/* Which products of some tiles of A with some of B are left out, taken from what is left out of all. */
#include "layout/left_out.h"

#include "base/bits.h"
#include "base/error.h"
#include "base/ordering.h"

#include <stdlib.h>

typedef struct sides {
    const ashi_tile_choice *choice;
    ashi_pattern a, b;
    int64_t *met;    /* for each tile of op(A) the row of op(B) that it meets, -1 if none of its tiles is here */
    int64_t *beyond; /* for each tile of op(B) its number in the choice's pattern beyond its row's first */
    int64_t *end;    /* and the first tile behind it that does not follow the one before in that pattern */
    int64_t bits;    /* so far */
} sides;

static bool make_lists(sides *s)
{
    s->met = malloc(((size_t)s->a.tiles + 1) * sizeof *s->met);
    s->beyond = malloc(((size_t)s->b.tiles + 1) * sizeof *s->beyond);
    s->end = malloc(((size_t)s->b.tiles + 1) * sizeof *s->end);
    return s->met && s->beyond && s->end;
}

static void find_beyond(sides *s)
{
    const ashi_pattern *all = s->choice->pattern[1];
    int64_t row = 0;
    for (int64_t r = 0; r < s->b.rows; r++) {
        const int64_t first = s->b.start[r], last = s->b.start[r + 1] - 1;
        row = ashi_first_near(all->row, row, all->rows, s->b.row[r]);
        for (int64_t t = first, at = all->start[row]; t <= last; t++, at++) {
            at = ashi_first_near(all->col, at, all->start[row + 1], s->b.col[t]);
            s->beyond[t] = at - all->start[row];
        }
        s->end[last] = last + 1;
        for (int64_t t = last - 1; t >= first; t--)
            s->end[t] = s->beyond[t + 1] == s->beyond[t] + 1 ? s->end[t + 1] : t + 1;
    }
}

/* Returns how many bits there are at most. */
static int64_t find_met(sides *s)
{
    int64_t count = 0;
    for (int64_t r = 0; r < s->a.rows; r++)
        for (int64_t t = s->a.start[r], met = 0; t < s->a.start[r + 1]; t++) {
            met = ashi_first_near(s->b.row, met, s->b.rows, s->a.col[t]);
            const bool here = met < s->b.rows && s->b.row[met] == s->a.col[t];
            s->met[t] = here ? met : -1;
            count += here ? s->b.start[met + 1] - s->b.start[met] : 0;
        }
    return count;
}

/* Of a tile in a row of op(A): `at` is its number in the choice's pattern. */
static void copy_bits(sides *s, int64_t row, int64_t tile, int64_t at, uint64_t *to)
{
    const ashi_tile_choice *choice = s->choice;
    if (s->met[tile] < 0)
        return;
    const int64_t first = s->b.start[s->met[tile]], end = s->b.start[s->met[tile] + 1], bit = choice->first[at];
    const int64_t begin = choice->half ? ashi_first_from(s->b.col, first, end, s->a.row[row]) : first;
    ashi_bits_set(to, s->bits, begin - first); /* mirrored */
    s->bits += begin - first;
    for (int64_t t = begin; t < end; t = s->end[t]) {
        ashi_bits_copy(to, s->bits, choice->left, bit + s->beyond[t], s->end[t] - t);
        s->bits += s->end[t] - t;
    }
}

static void copy_row(sides *s, int64_t row, int64_t in_all, uint64_t *to)
{
    const ashi_pattern *all = s->choice->pattern[0];
    for (int64_t t = s->a.start[row], at = all->start[in_all]; t < s->a.start[row + 1]; t++) {
        at = ashi_first_near(all->col, at, all->start[in_all + 1], s->a.col[t]);
        copy_bits(s, row, t, at, to);
    }
}

static ashlar_status fill(sides *s, ashi_left_out *out, ashlar_error *err)
{
    const ashi_pattern *all = s->choice->pattern[0];
    const int64_t words = find_met(s) / ASHI_WORD_BITS + 1;
    out->first = malloc(((size_t)s->a.rows + 1) * sizeof *out->first);
    out->bits = calloc((size_t)words, sizeof *out->bits);
    if (!out->first || !out->bits)
        return ashi_fail_memory(err, "a product of tiles", (s->a.rows + words) * (int64_t)sizeof *out->first);
    for (int64_t r = 0, in_all = 0; r < s->a.rows; r++) {
        in_all = ashi_first_near(all->row, in_all, all->rows, s->a.row[r]);
        out->first[r] = s->bits;
        copy_row(s, r, in_all, out->bits);
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
    if (status == ASHLAR_OK && !make_lists(&s))
        status = ashi_fail_memory(err, "a product of tiles", (s.a.tiles + 2 * s.b.tiles) * (int64_t)sizeof *s.met);
    if (status == ASHLAR_OK) {
        find_beyond(&s);
        status = fill(&s, out, err);
    }
    ashi_pattern_free(&s.a);
    ashi_pattern_free(&s.b);
    free(s.met);
    free(s.beyond);
    free(s.end);
    return status;
}

void ashi_left_out_free(ashi_left_out *left)
{
    free(left->first);
    free(left->bits);
    *left = (ashi_left_out){0};
}

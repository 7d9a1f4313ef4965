/* A random product of matrices of tiles, for tests of its programs. */
#ifndef ASHI_RANDOM_TILE_PROBLEM_H
#define ASHI_RANDOM_TILE_PROBLEM_H

#include "base/checked.h"
#include "engine/tile_program.h"
#include "test.h"

#include <string.h>

enum { ASHI_TEST_TILES = 12, ASHI_TEST_TILE_RANKS = 12, ASHI_TEST_TERMS = 3 };

typedef struct ashi_random_tiles {
    ashi_tile_problem problem;
    ashi_cuts cuts[3];
    ashi_pattern pattern[3];
    ashi_deal deal[3];
    int grid_rank[3][ASHI_TEST_TILE_RANKS];
    int row_part[3][ASHI_TEST_TILES], col_part[3][ASHI_TEST_TILES];
    int64_t ranks; /* for the function that is an owner */
    int64_t first[ASHI_TEST_TILES + 1];
    ashi_tile_needs needs;
    ashi_tile_term term[ASHI_TEST_TERMS];
    ashi_tile_layers layers;
    int layer_of[ASHI_TEST_TILES];
    ashi_pattern sums[ASHI_TEST_TILE_RANKS];
    int64_t rank[2][ASHI_TEST_TILES * ASHI_TEST_TILES];
} ashi_random_tiles;

/* An owner without a process grid. */
static inline int ashi_test_owner(void *context, int64_t row, int64_t col)
{
    const int64_t *ranks = context;
    return (int)((7 * row + 3 * col + row * col) % *ranks);
}

/* A grid of some of the ranks in any order, with parts that are dealt out cyclically or at random. */
static inline void ashi_test_deal(ashi_random_tiles *r, int x, int64_t rows, int64_t cols, uint64_t *state)
{
    ashi_deal *d = &r->deal[x];
    *d = (ashi_deal){.grid_rows = ashi_random_in(state, 1, r->ranks)};
    d->grid_cols = ashi_random_in(state, 1, r->ranks / d->grid_rows);
    d->grid_rank = r->grid_rank[x];
    for (int i = 0; i < (int)r->ranks; i++) {
        const int64_t other = ashi_random_in(state, 0, i);
        r->grid_rank[x][i] = r->grid_rank[x][other];
        r->grid_rank[x][other] = i;
    }
    if (ashi_random_in(state, 0, 2) == 0) {
        for (int64_t i = 0; i < rows; i++)
            r->row_part[x][i] = (int)ashi_random_in(state, 0, d->grid_rows - 1);
        for (int64_t j = 0; j < cols; j++)
            r->col_part[x][j] = (int)ashi_random_in(state, 0, d->grid_cols - 1);
        d->row_part = r->row_part[x];
        d->col_part = r->col_part[x];
    }
    if (x != ASHLAR_C && ashi_random_in(state, 0, 3) == 0) {
        d->owner = ashi_test_owner;
        d->context = &r->ranks;
    }
}

static inline ashlar_status ashi_test_pattern(int64_t rows, int64_t cols, int64_t percent, uint64_t *state,
                                              ashi_pattern *out)
{
    ashi_tile_at tile[ASHI_TEST_TILES * ASHI_TEST_TILES];
    int64_t count = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            if (ashi_random_in(state, 1, 100) <= percent)
                tile[count++] = (ashi_tile_at){i, j};
    return ashi_pattern_make(tile, count, out, NULL);
}

/* Some sides have no tiles, some tiles no elements. */
static inline ashlar_status ashi_test_cuts(int64_t most, uint64_t *state, ashi_cuts *out)
{
    int64_t size[ASHI_TEST_TILES];
    const int64_t tiles = ashi_random_in(state, ashi_random_in(state, 0, 9) == 0 ? 0 : 1, ASHI_TEST_TILES);
    for (int64_t t = 0; t < tiles; t++)
        size[t] = ashi_random_in(state, 0, 6) == 0 ? 0 : ashi_random_in(state, 1, most);
    return ashi_cuts_make(tiles, size, "a side", out, NULL);
}

static inline void ashi_test_iterations(ashi_random_tiles *r, uint64_t *state)
{
    const int64_t tiles = r->cuts[2].tiles, most = ashi_random_in(state, 1, 4);
    int64_t at = 0, count = 0;
    while (at < tiles) {
        r->first[count++] = at;
        at = ashi_min(tiles, at + ashi_random_in(state, 1, most));
    }
    r->first[count] = tiles;
    r->problem.iterations = count;
    r->problem.first = r->first;
}

/* The tiles of C that a layer has products for, and some others. */
static inline ashlar_status ashi_test_sums(const ashi_random_tiles *r, int64_t layer, uint64_t *state,
                                           ashi_pattern *out)
{
    ashi_tile_at tile[ASHI_TEST_TILES * ASHI_TEST_TILES];
    const ashi_pattern *c = &r->pattern[ASHLAR_C];
    int64_t count = 0;
    for (int64_t x = 0; x < c->rows; x++)
        for (int64_t t = c->start[x]; t < c->start[x + 1]; t++) {
            bool has = ashi_random_in(state, 0, 9) == 0;
            for (int64_t k = 0; k < r->cuts[2].tiles; k++)
                has = has || (r->layer_of[k] == layer && ashi_pattern_find(&r->pattern[0], c->row[x], k) >= 0 &&
                              ashi_pattern_find(&r->pattern[1], k, c->col[t]) >= 0);
            if (has)
                tile[count++] = (ashi_tile_at){c->row[x], c->col[t]};
        }
    return ashi_pattern_make(tile, count, out, NULL);
}

/* C's process rows in layers, each for some tiles of k. */
static inline ashlar_status ashi_test_layers(ashi_random_tiles *r, uint64_t *state)
{
    ashi_deal *c = &r->deal[ASHLAR_C];
    ashlar_status status = ASHLAR_OK;
    int64_t rows = ashi_random_in(state, 1, c->grid_rows);
    while (c->grid_rows % rows != 0)
        rows--;
    r->layers = (ashi_tile_layers){.count = c->grid_rows / rows, .rows = rows, .of = r->layer_of};
    r->problem.layers = &r->layers;
    for (int64_t k = 0; k < ASHI_TEST_TILES; k++)
        r->layer_of[k] = (int)ashi_random_in(state, 0, r->layers.count - 1);
    for (int64_t i = 0; i < ASHI_TEST_TILES; i++)
        r->row_part[ASHLAR_C][i] = (int)ashi_random_in(state, 0, rows - 1);
    c->row_part = r->row_part[ASHLAR_C];
    if (ashi_random_in(state, 0, 2) == 0)
        return ASHLAR_OK;
    for (int64_t layer = 0; layer < r->layers.count && status == ASHLAR_OK; layer++)
        status = ashi_test_sums(r, layer, state, &r->sums[layer]);
    r->layers.sums = r->sums;
    return status;
}

/* Freed by ashi_random_tiles_free. */
static inline ashlar_status ashi_random_tiles_make(uint64_t seed, int64_t ranks, int64_t most, ashi_random_tiles *r)
{
    static const int side[3][2] = {{0, 2}, {2, 1}, {0, 1}}; /* of op(A), op(B) and C among m, n, k */
    static const int64_t densities[] = {0, 10, 40, 100};
    uint64_t state = seed;
    *r = (ashi_random_tiles){.ranks = ranks};
    r->problem.ranks = ranks;
    r->problem.needs = &r->needs;
    r->problem.window = (int)ashi_random_in(&state, 1, 4);
    r->problem.tree = ashi_random_in(&state, 0, 1);
    for (int x = 0; x < 2; x++)
        r->problem.panels[x] = (int)ashi_random_in(&state, 0, 3);
    ashlar_status status = ASHLAR_OK;
    for (int s = 0; s < 3 && status == ASHLAR_OK; s++) {
        status = ashi_test_cuts(most, &state, &r->cuts[s]);
        r->problem.cuts[s] = &r->cuts[s];
    }
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++) {
        ashi_tile_operand *o = &r->problem.operand[x];
        const int64_t rows = r->cuts[side[x][0]].tiles, cols = r->cuts[side[x][1]].tiles;
        const int64_t percent = densities[ashi_random_in(&state, seed % 8 ? 1 : 0, 3)];
        *o = (ashi_tile_operand){.pattern = &r->pattern[x], .deal = &r->deal[x],
                                 .turned = x != ASHLAR_C && ashi_random_in(&state, 0, 1)};
        status = ashi_test_pattern(rows, cols, percent, &state, &r->pattern[x]);
        ashi_test_deal(r, x, o->turned ? cols : rows, o->turned ? rows : cols, &state);
    }
    ashi_test_iterations(r, &state);
    if (status == ASHLAR_OK)
        status = ashi_tile_needs_make(&r->problem, &r->needs, NULL);
    if (status == ASHLAR_OK)
        ashi_tile_needs_note(&r->problem, &r->needs);
    return status;
}

/* The products of a tile of op(A). */
static inline void ashi_test_note_products(const ashi_tile_problem *p, ashi_tile_needs *needs, const ashi_tile_at *a,
                                           int64_t number)
{
    const ashi_deal *deal = p->operand[ASHLAR_C].deal;
    const ashi_pattern *b = p->operand[ASHLAR_B].pattern;
    const int64_t x = ashi_pattern_row(b, a->col), layer = p->layers ? p->layers->of[a->col] : 0;
    for (int64_t t = x < 0 ? 0 : b->start[x]; t < (x < 0 ? 0 : b->start[x + 1]); t++)
        if (ashi_tile_words(p, ASHLAR_B, &(ashi_tile_at){a->col, b->col[t]}) > 0 &&
            ashi_pattern_find(ashi_tile_sums(p, layer), a->row, b->col[t]) >= 0) {
            ashi_tile_exact_add(needs, ASHLAR_A, number, ashi_deal_col_part(deal, b->col[t]));
            ashi_tile_exact_add(needs, ASHLAR_B, t, ashi_tile_part(p, ASHLAR_A, a));
        }
}

/* The products that the patterns allow; C's tiles that are absent have none. */
static inline void ashi_test_exact(const ashi_tile_problem *p, ashi_tile_needs *needs)
{
    const ashi_pattern *a = p->operand[ASHLAR_A].pattern;
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t t = a->start[r]; t < a->start[r + 1]; t++) {
            const ashi_tile_at at = {a->row[r], a->col[t]};
            if (ashi_tile_words(p, ASHLAR_A, &at) > 0)
                ashi_test_note_products(p, needs, &at, t);
        }
}

/* Some tiles of A and B are stored as U V^T, many with rank 0. Before ashi_random_layers. */
static inline void ashi_random_ranks(ashi_random_tiles *r, uint64_t *state)
{
    for (int x = 0; x < 2; x++) {
        const ashi_pattern *p = &r->pattern[x];
        for (int64_t i = 0; i < p->rows; i++)
            for (int64_t t = p->start[i]; t < p->start[i + 1]; t++) {
                const int64_t rows = ashi_cuts_size(&r->cuts[x == ASHLAR_A ? 0 : 2], p->row[i]);
                const int64_t cols = ashi_cuts_size(&r->cuts[x == ASHLAR_A ? 2 : 1], p->col[t]);
                const int64_t most = ashi_min(2, ashi_min(rows, cols));
                r->rank[x][t] = ashi_random_in(state, 0, 2) == 0 ? -1 : ashi_random_in(state, 0, most);
            }
        r->problem.operand[x].rank = r->rank[x];
    }
}

/* C may be in layers, and needs may be exact. */
static inline ashlar_status ashi_random_layers(ashi_random_tiles *r, uint64_t *state)
{
    ashlar_status status = ASHLAR_OK;
    ashi_tile_needs_free(&r->needs);
    if (ashi_random_in(state, 0, 1))
        status = ashi_test_layers(r, state);
    if (status == ASHLAR_OK)
        status = ashi_tile_needs_make(&r->problem, &r->needs, NULL);
    if (status == ASHLAR_OK)
        ashi_tile_needs_note(&r->problem, &r->needs);
    if (status != ASHLAR_OK || ashi_random_in(state, 0, 1))
        return status;
    status = ashi_tile_exact_make(&r->problem, &r->needs, NULL);
    if (status == ASHLAR_OK)
        ashi_test_exact(&r->problem, &r->needs);
    return status;
}

/* Several products in one: their k are some iterations each, of which some have none. */
static inline void ashi_random_terms(ashi_random_tiles *r, uint64_t *state)
{
    ashi_tile_problem *p = &r->problem;
    int64_t at = 0;
    p->term = r->term;
    p->terms = ashi_random_in(state, 1, ASHI_TEST_TERMS);
    for (int64_t q = 0; q < p->terms; q++) {
        r->term[q].first = r->first[at];
        for (int x = 0; x < 2; x++)
            r->term[q].operand[x] = (ashi_tile_operand){.deal = &r->deal[(x + q) % 3],
                                                        .turned = ashi_random_in(state, 0, 1)};
        at = ashi_random_in(state, at, p->iterations);
    }
}

static inline void ashi_random_tiles_free(ashi_random_tiles *r)
{
    for (int x = 0; x < 3; x++) {
        ashi_cuts_free(&r->cuts[x]);
        ashi_pattern_free(&r->pattern[x]);
    }
    for (int layer = 0; layer < ASHI_TEST_TILE_RANKS; layer++)
        ashi_pattern_free(&r->sums[layer]);
    ashi_tile_needs_free(&r->needs);
}

#endif

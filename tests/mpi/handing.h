/* Cannon's algorithm in layers, written out by hand: blocks handed on in rings of virtual ranks, several on each rank.
 *
 * Virtual rank (i, j, h) has the k of block (i + j + f + t) mod q in round t, f being the first of layer h's share of
 * the q rounds; all of it is gone through once for each slab of k. The layers' sums are added where C belongs. Every
 * block has a cell of its own in the rank's pool, and beside the cells is what does not land and what is packed. All
 * ranks compute everyone's cells alike. */
#ifndef ASHI_HANDING_H
#define ASHI_HANDING_H

#include "base/checked.h"
#include "emission.h"
#include "mpi/ranks.h"
#include "random_layout.h"
#include "schedule/lower.h"
#include "engine/grid_schedule.h"

enum {
    Q_MOST = 4,
    LAYERS_MOST = 3,
    SLABS_MOST = 3,
    ROUNDS_MOST = Q_MOST * SLABS_MOST,
    VIRTUALS_MOST = Q_MOST * Q_MOST * LAYERS_MOST
};

typedef struct cannon {
    int64_t q, layers, virtuals, slabs;
    int64_t rounds; /* in a slab */
    int64_t cut[3][ROUNDS_MOST + 1];
    int rank_of[VIRTUALS_MOST];
    int64_t cell[2][ROUNDS_MOST][VIRTUALS_MOST], cells[2][RANDOM_RANKS_MAX], cell_words[2];
    ashi_axis axis[3];
    ashi_pieces pieces;
    int member[LAYERS_MOST];
} cannon;

static inline int64_t i_of(const cannon *c, int64_t v)
{
    return v / c->layers / c->q;
}

static inline int64_t j_of(const cannon *c, int64_t v)
{
    return v / c->layers % c->q;
}

static inline bool rests(const cannon *c, int64_t v, int64_t t)
{
    return t % c->rounds >= ashi_cut_size(c->q, c->layers, v % c->layers);
}

/* Which block of k. */
static inline int64_t k_of(const cannon *c, int64_t v, int64_t t)
{
    const int64_t first = ashi_cut(c->q, c->layers, v % c->layers);
    return t / c->rounds * c->q + (i_of(c, v) + j_of(c, v) + first + t % c->rounds) % c->q;
}

static inline ashi_box box_of(const cannon *c, int x, int64_t v, int64_t t)
{
    const int64_t *minor = x == 0 ? &c->cut[0][i_of(c, v)] : &c->cut[1][j_of(c, v)], *k = &c->cut[2][k_of(c, v, t)];
    return (ashi_box){minor[0], minor[1], k[0], k[1]};
}

static inline ashi_box sum_box(const cannon *c, int64_t v)
{
    const int64_t *m = &c->cut[0][i_of(c, v)], *n = &c->cut[1][j_of(c, v)];
    return (ashi_box){m[0], m[1], n[0], n[1]};
}

/* Whether blocks come from their owners in a round; else they are handed on. */
static inline bool fetches(const cannon *c, int64_t t)
{
    return t % c->rounds == 0;
}

/* Who had the block that v has in the round after. */
static inline int64_t source_of(const cannon *c, int x, int64_t v)
{
    const int64_t i = (i_of(c, v) + x) % c->q, j = (j_of(c, v) + 1 - x) % c->q;
    return (i * c->q + j) * c->layers + v % c->layers;
}

/* Layers with one box of C on one rank are one part. */
static inline bool is_first(const cannon *c, int64_t v)
{
    for (int64_t w = v - v % c->layers; w < v; w++)
        if (c->rank_of[w] == c->rank_of[v])
            return false;
    return true;
}

/* A part's virtual rank, -1 for an idle rank's; and the other way round. */
static inline int64_t virtual_of(const cannon *c, int64_t rank, int64_t which)
{
    for (int64_t v = 0; v < c->virtuals; v++)
        if (c->rank_of[v] == rank && is_first(c, v) && which-- == 0)
            return v;
    return -1;
}

static inline int64_t part_of_virtual(const cannon *c, int64_t v)
{
    int64_t before = -1;
    for (int64_t w = 0; w <= v; w++)
        before += c->rank_of[w] == c->rank_of[v] && is_first(c, w);
    return before;
}

static inline int64_t cannon_parts(const ashi_schedule *s, int64_t rank)
{
    int64_t parts = 0;
    while (virtual_of(s->own, rank, parts) >= 0)
        parts++;
    return ashi_max(1, parts);
}

static inline ashi_box cannon_domain(const ashi_schedule *s, int64_t rank, int64_t which)
{
    const int64_t v = virtual_of(s->own, rank, which);
    return v < 0 ? (ashi_box){0, 0, 0, 0} : sum_box(s->own, v);
}

static inline ashi_home cannon_home(const ashi_schedule *s, int64_t rank, int64_t which)
{
    const ashi_box box = cannon_domain(s, rank, which);
    return ashi_home_find(&s->view[ASHLAR_C], rank, &box);
}

/* Whether a block of this rank's is used where it lies in the rank's own part of the matrix. */
static inline bool lies_in_own(const ashi_schedule *s, int x, int64_t v, int64_t t)
{
    const cannon *c = s->own;
    const int64_t rank = c->rank_of[v], source = source_of(c, x, v);
    const ashi_box box = box_of(c, x, v, t);
    ashi_block block;
    if (!fetches(c, t))
        return c->rank_of[source] == rank && lies_in_own(s, x, source, t - 1);
    return ashi_view_words(&s->view[x], rank, &box) == ashi_box_words(&box) &&
           ashi_view_is_packed(&s->view[x], rank, &box, ashi_whole, &block);
}

static inline bool cell_is_used(const cannon *c, int x, int64_t t, int64_t rank, int64_t cell, int64_t until)
{
    for (int64_t v = 0; v < until; v++)
        if (c->rank_of[v] == rank && !rests(c, v, t) && c->cell[x][t][v] == cell)
            return true;
    return false;
}

/* A block that stays on its rank keeps its cell; others have one that is not used in this round or the one before. */
static inline void give_cell(cannon *c, int x, int64_t t, int64_t v)
{
    const int64_t rank = c->rank_of[v], source = source_of(c, x, v);
    int64_t *cell = &c->cell[x][t][v];
    if (!fetches(c, t) && c->rank_of[source] == rank) {
        *cell = c->cell[x][t - 1][source];
        return;
    }
    for (*cell = 0; (t > 0 && cell_is_used(c, x, t - 1, rank, *cell, c->virtuals)) ||
                    cell_is_used(c, x, t, rank, *cell, v);)
        ++*cell;
    c->cells[x][rank] = ashi_max(c->cells[x][rank], *cell + 1);
}

static inline void give_cells(cannon *c, int x)
{
    for (int64_t t = 0; t < c->rounds * c->slabs; t++)
        for (int64_t v = 0; v < c->virtuals; v++)
            if (!rests(c, v, t)) {
                const ashi_box box = box_of(c, x, v, t);
                give_cell(c, x, t, v);
                c->cell_words[x] = ashi_max(c->cell_words[x], ashi_box_words(&box));
            }
}

static inline void free_cannon(ashi_schedule *s)
{
    cannon *c = s->own;
    for (int d = 0; d < 3; d++)
        ashi_axis_free(&c->axis[d]);
    ashi_pieces_free(&c->pieces);
    free(c);
}

/* Any numbers of virtual ranks and layers on any ranks, and any cuts: blocks may be empty. */
static inline cannon *random_cannon(uint64_t *state, const int64_t size[3], int ranks, bool one_sided)
{
    cannon *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->q = ashi_random_in(state, 1, Q_MOST);
    c->layers = ashi_random_in(state, 0, 1) ? 1 : ashi_random_in(state, 2, LAYERS_MOST);
    c->virtuals = c->q * c->q * c->layers;
    c->rounds = ashi_cut_size(c->q, c->layers, 0);
    c->slabs = one_sided && c->rounds == 1 ? 1 : ashi_random_in(state, 1, SLABS_MOST); /* no two fetches in a row */
    const bool even = ashi_random_in(state, 0, 1), in_order = ashi_random_in(state, 0, 1);
    for (int64_t v = 0; v < c->virtuals; v++)
        c->rank_of[v] = in_order ? (int)(v * ranks / c->virtuals) : (int)ashi_random_in(state, 0, ranks - 1);
    for (int d = 0; d < 3; d++) {
        const int64_t blocks = d == 2 ? c->q * c->slabs : c->q;
        random_cuts(state, blocks, size[d], c->cut[d]);
        for (int64_t i = 0; i <= blocks && even; i++)
            c->cut[d][i] = ashi_cut(size[d], blocks, i);
    }
    give_cells(c, 0);
    give_cells(c, 1);
    return c;
}

#endif

/* Cannon's algorithm on q x q parts that any ranks stand for: which blocks, and in which cells of a rank's pool they
 * are in every round. */
#ifndef ASHI_CANNON_CELLS_H
#define ASHI_CANNON_CELLS_H

#include "random_layout.h"
#include "schedule/schedule.h"
#include "engine/grid_schedule.h"

#include <string.h>

enum { CANNON_SIDE_MAX = 32, CANNON_PARTS_MAX = CANNON_SIDE_MAX * CANNON_SIDE_MAX, CANNON_SLABS_MAX = 3 };
enum { CANNON_ROUNDS_MAX = CANNON_SIDE_MAX * CANNON_SLABS_MAX };

/* A block is in a cell of the pool, in the rank's own part of the matrix, or empty. */
enum { CANNON_OWN = -1, CANNON_EMPTY = -2 };

typedef struct cannon {
    int64_t q, slabs, cut[3][CANNON_SIDE_MAX + 1];
    bool overlap;                       /* what comes next travels while a rank multiplies */
    int rank_of[CANNON_PARTS_MAX];
    int64_t number[CANNON_PARTS_MAX];   /* among its rank's parts */
    int64_t from[2][CANNON_PARTS_MAX];  /* the part that had its block the round before */
    int64_t parts[CANNON_PARTS_MAX];    /* of each rank */
    int64_t cell_words[2];
    int cell[2][CANNON_ROUNDS_MAX][CANNON_PARTS_MAX];
    ashi_pieces pieces;
} cannon;

static inline ashi_box cannon_domain_of(const cannon *c, int64_t v)
{
    const int64_t *m = &c->cut[0][v / c->q], *n = &c->cut[1][v % c->q];
    return (ashi_box){m[0], m[1], n[0], n[1]};
}

/* The block of A or B that a part multiplies in a round. */
static inline ashi_box cannon_block(const cannon *c, int x, int64_t v, int64_t round)
{
    const int64_t i = v / c->q, j = v % c->q, l = (i + j + round) % c->q, slab = round / c->q;
    const int64_t *side = x == 0 ? &c->cut[0][i] : &c->cut[1][j], *k = &c->cut[2][l], length = k[1] - k[0];
    return (ashi_box){side[0], side[1], k[0] + ashi_cut(length, c->slabs, slab),
                      k[0] + ashi_cut(length, c->slabs, slab + 1)};
}

static inline int64_t cannon_parts(const ashi_schedule *s, int64_t rank)
{
    return ashi_max(1, ((const cannon *)s->own)->parts[rank]);
}

static inline ashi_box cannon_domain(const ashi_schedule *s, int64_t rank, int64_t part)
{
    const cannon *c = s->own;
    for (int64_t v = 0; v < c->q * c->q; v++)
        if (c->rank_of[v] == rank && c->number[v] == part)
            return cannon_domain_of(c, v);
    return (ashi_box){0, 0, 0, 0};
}

static inline ashi_home cannon_home(const ashi_schedule *s, int64_t rank, int64_t part)
{
    const ashi_box box = cannon_domain(s, rank, part);
    return ashi_home_find(&s->view[ASHLAR_C], rank, &box);
}

/* Whether a block can be used and sent on where its owner has it. */
static inline bool cannon_lies_ready(const ashi_schedule *s, int x, int64_t rank, const ashi_box *box)
{
    const ashi_view *view = &s->view[x];
    ashi_block block;
    return ashi_view_words(view, rank, box) == ashi_box_words(box) &&
           ashi_view_in_place(view, rank, box, ashi_view_least_in_place(box)) == box->major_hi - box->major_lo &&
           ashi_view_is_packed(view, rank, box, ashi_whole, &block);
}

static inline int cannon_next_cell(uint64_t *state, const ashi_schedule *s, cannon *c, int x, int64_t v, int64_t round,
                                   bool *taken)
{
    const ashi_box box = cannon_block(c, x, v, round);
    const int64_t rank = c->rank_of[v], from = c->from[x][v], cells = 2 * c->parts[rank];
    if (ashi_box_words(&box) == 0)
        return CANNON_EMPTY;
    if (round % c->q != 0 && c->rank_of[from] == rank)
        return c->cell[x][round - 1][from];
    if (round % c->q == 0 && cannon_lies_ready(s, x, rank, &box) && ashi_random_in(state, 0, 3))
        return CANNON_OWN;
    int64_t cell = ashi_random_in(state, 0, cells - 1);
    while (taken[rank * 2 * c->q * c->q + cell])
        cell = (cell + 1) % cells;
    taken[rank * 2 * c->q * c->q + cell] = true;
    return (int)cell;
}

/* Where every block is in every round: never where one of the round before is. */
static inline bool cannon_cells(uint64_t *state, const ashi_schedule *s, cannon *c)
{
    const int64_t parts = c->q * c->q;
    const size_t bytes = (size_t)(s->ranks * 2 * parts);
    bool *taken = malloc(bytes);
    for (int x = 0; x < 2 && taken; x++)
        for (int64_t r = 0; r < s->rounds; r++) {
            memset(taken, 0, bytes);
            for (int64_t v = 0; v < parts && r > 0; v++)
                if (c->cell[x][r - 1][v] >= 0)
                    taken[c->rank_of[v] * 2 * parts + c->cell[x][r - 1][v]] = true;
            for (int64_t v = 0; v < parts; v++)
                c->cell[x][r][v] = cannon_next_cell(state, s, c, x, v, r, taken);
        }
    free(taken);
    return taken != NULL;
}

static inline void cannon_number(cannon *c)
{
    for (int64_t v = 0; v < c->q * c->q; v++) {
        const int64_t i = v / c->q, j = v % c->q;
        c->number[v] = c->parts[c->rank_of[v]]++;
        c->from[0][v] = i * c->q + (j + 1) % c->q;
        c->from[1][v] = (i + 1) % c->q * c->q + j;
        for (int x = 0; x < 2; x++)
            for (int64_t slab = 0; slab < c->slabs; slab++) {
                const ashi_box box = cannon_block(c, x, v, slab * c->q);
                c->cell_words[x] = ashi_max(c->cell_words[x], ashi_box_words(&box));
            }
    }
}

#endif

/* Cannon's algorithm in layers as a rule for the shift engine: any parts on any ranks, in any cuts.
 *
 * Part (i, j, h) has the k of block (i + j + f + r) mod q in round r, f being the first of layer h's share of the q
 * rounds. The layers' sums are added where C belongs. Blocks may be empty. */
#ifndef ASHI_CANNON_RULE_H
#define ASHI_CANNON_RULE_H

#include "base/checked.h"
#include "engine/shift_schedule.h"
#include "random_layout.h"

#include <stdlib.h>
#include <string.h>

enum { CANNON_SIDE_MAX = 32, CANNON_LAYERS_MAX = 3, CANNON_PARTS_MAX = CANNON_SIDE_MAX * CANNON_SIDE_MAX };

typedef struct cannon {
    int64_t q, layers;
    int64_t cut[3][CANNON_SIDE_MAX + 1];
    int rank_of[CANNON_PARTS_MAX];
} cannon;

static inline int64_t cannon_i(const cannon *c, int64_t part)
{
    return part / c->layers / c->q;
}

static inline int64_t cannon_j(const cannon *c, int64_t part)
{
    return part / c->layers % c->q;
}

static inline int cannon_rank_of(const void *own, int64_t part)
{
    return ((const cannon *)own)->rank_of[part];
}

static inline ashi_box cannon_box(const void *own, int64_t part)
{
    const cannon *c = own;
    const int64_t *m = &c->cut[0][cannon_i(c, part)], *n = &c->cut[1][cannon_j(c, part)];
    return (ashi_box){m[0], m[1], n[0], n[1]};
}

/* Rounds of the part's layer. */
static inline int64_t cannon_rounds(const cannon *c, int64_t part)
{
    return ashi_cut_size(c->q, c->layers, part % c->layers);
}

static inline ashi_reach cannon_k_of(const void *own, ashlar_operand x, int64_t part, int64_t round, int64_t piece)
{
    const cannon *c = own;
    const int64_t first = ashi_cut(c->q, c->layers, part % c->layers);
    const int64_t *k = &c->cut[2][(cannon_i(c, part) + cannon_j(c, part) + first + round) % c->q];
    (void)x;
    (void)piece;
    return round < cannon_rounds(c, part) ? (ashi_reach){k[0], k[1]} : (ashi_reach){0, 0};
}

/* The part so many places further along the row of A, or the column of B. */
static inline int64_t cannon_further(const cannon *c, ashlar_operand x, int64_t part, int64_t places)
{
    const int64_t i = (cannon_i(c, part) + (x == ASHLAR_B ? places : 0)) % c->q;
    const int64_t j = (cannon_j(c, part) + (x == ASHLAR_A ? places : 0)) % c->q;
    return (i * c->q + j) * c->layers + part % c->layers;
}

static inline int64_t cannon_from(const void *own, ashlar_operand x, int64_t part, int64_t round, int64_t piece)
{
    (void)round;
    (void)piece;
    return cannon_further(own, x, part, 1);
}

static inline int64_t cannon_to(const void *own, ashlar_operand x, int64_t part, int64_t round, int64_t piece)
{
    const cannon *c = own;
    (void)piece;
    return round + 1 < cannon_rounds(c, part) ? cannon_further(c, x, part, c->q - 1) : -1;
}

static inline ashi_shift_rule cannon_rule(cannon *c)
{
    return (ashi_shift_rule){.parts = c->q * c->q * c->layers, .rounds = ashi_cut_size(c->q, c->layers, 0),
                             .pieces = 1, .own = c, .free_own = free, .rank_of = cannon_rank_of, .box = cannon_box,
                             .k_of = cannon_k_of, .from = cannon_from, .to = cannon_to};
}

/* Layers of one box of C are on different ranks, which need not be all there are. */
static inline cannon *random_cannon(uint64_t *state, int64_t q, const int64_t size[3], int64_t ranks)
{
    cannon *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->q = q;
    c->layers = ashi_random_in(state, 0, 1) ? 1 : ashi_random_in(state, 1, ashi_min(CANNON_LAYERS_MAX, ranks));
    const bool even = ashi_random_in(state, 0, 1);
    for (int64_t box = 0; box < q * q; box++) {
        const int64_t first = ashi_random_in(state, 0, ranks - 1);
        for (int64_t h = 0; h < c->layers; h++)
            c->rank_of[box * c->layers + h] = (int)((first + h) % ranks);
    }
    for (int d = 0; d < 3; d++) {
        random_cuts(state, q, size[d], c->cut[d]);
        for (int64_t i = 0; i <= q && even; i++)
            c->cut[d][i] = ashi_cut(size[d], q, i);
    }
    return c;
}

/* With a rule of Cannon's, and all else of the request at random. */
static inline ashlar_status cannon_schedule(uint64_t *state, cannon *c, ashi_shift_request *q, ashi_schedule *out,
                                            ashlar_error *err)
{
    q->strategy = "test";
    q->ranks_used = q->ranks;
    q->rule = cannon_rule(c);
    q->slabs = ashi_random_in(state, 1, 3);
    q->reduce_rounds = ashi_random_in(state, 1, 4);
    q->window = (int)ashi_random_in(state, 1, 4);
    q->one_sided = ashi_random_in(state, 0, 1);
    return ashi_shift_schedule(q, out, err);
}

#endif

/* Which tiles of A and B take part in a product of matrices of tiles, and who needs them. */
#include "tiles/product_parts.h"

#include "base/checked.h"
#include "base/error.h"
#include "exec/mpi.h"
#include "layout/pattern_sets.h"
#include "tiles/low_rank.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const ashi_cuts *ashi_tiles_factors_cuts(const ashi_tiles_factors *t, int side)
{
    const ashlar_tiles *a = t->x[0], *b = t->x[1];
    const bool turned[2] = {t->op[0] != ASHLAR_OP_N, t->op[1] != ASHLAR_OP_N};
    if (side == 0)
        return turned[0] ? &a->col : &a->row;
    return side == 1 ? (turned[1] ? &b->row : &b->col) : (turned[0] ? &a->row : &a->col);
}

const ashi_cuts *ashi_product_cuts(const ashi_tiles_product *p, int side)
{
    return side == 2 && p->inner.at ? &p->inner : ashi_tiles_factors_cuts(&p->term[0], side);
}

/* The k of all terms, one after the other. */
ashlar_status ashi_product_join_inner(ashi_tiles_product *p, ashlar_error *err)
{
    int64_t tiles = 0, at = 0;
    for (int64_t q = 0; q < p->terms; q++) {
        p->term[q].first = tiles;
        tiles += ashi_tiles_factors_cuts(&p->term[q], 2)->tiles;
    }
    if (p->terms == 1 || p->inner.at)
        return ASHLAR_OK;
    p->inner.at = malloc(((size_t)tiles + 1) * sizeof *p->inner.at);
    if (!p->inner.at)
        return ashi_fail_memory(err, p->who, tiles * (int64_t)sizeof *p->inner.at);
    p->inner.tiles = tiles;
    p->inner.at[0] = 0;
    for (int64_t q = 0; q < p->terms; q++) {
        const ashi_cuts *k = ashi_tiles_factors_cuts(&p->term[q], 2);
        for (int64_t t = 0; t < k->tiles; t++)
            p->inner.at[p->term[q].first + t + 1] = at + k->at[t + 1];
        if (!ashi_add(at, ashi_cuts_all(k), &at))
            return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "%s: the terms' k together have more than 2^63 - 1 indices",
                             p->who);
    }
    return ASHLAR_OK;
}

/* The norm of a tile of A or B. With several terms each has its own alpha, so A's tiles have it in their norms. */
static int64_t norm_bits(const ashi_tiles_product *p, const ashi_tiles_factors *t, int x, const ashi_held_walk *w)
{
    double norm = ashi_tiles_norm_bound(t->from[x], w->number, w->at);
    if (p->terms > 1 && x == ASHLAR_A && norm > 0 && t->alpha > 0)
        norm = fmax(norm * t->alpha * (1 + 2 * DBL_EPSILON), DBL_MIN);
    else if (p->terms > 1 && x == ASHLAR_A && t->alpha == 0)
        norm = 0;
    int64_t bits;
    memcpy(&bits, &norm, sizeof bits);
    return bits;
}

static ashlar_status name_tile(const ashi_tiles_product *p, const ashi_tiles_factors *t, int x,
                               const ashi_name *stored, bool turned, ashi_names *out, ashlar_error *err)
{
    ashi_name name = {turned ? stored->col : stored->row, turned ? stored->row : stored->col, stored->value};
    if (!ashi_ranges_have(&p->ranges, x == ASHLAR_A ? 0 : 2, name.row, x == ASHLAR_A ? 2 : 1, name.col))
        return ASHLAR_OK;
    *(x == ASHLAR_A ? &name.col : &name.row) += t->first;
    return ashi_names_add(out, &name, err);
}

ashlar_status ashi_tiles_factors_name(const ashi_tiles_product *p, const ashi_tiles_factors *t, int x,
                                      const ashi_name *stored, ashi_names *out, ashlar_error *err)
{
    const bool turned = t->op[x] != ASHLAR_OP_N;
    const ashlar_status status = name_tile(p, t, x, stored, turned, out, err);
    if (status != ASHLAR_OK || t->x[x]->symmetry == ASHLAR_GENERAL || stored->row == stored->col)
        return status;
    return name_tile(p, t, x, stored, !turned, out, err);
}

/* What is named with a tile: its norm if norms are asked for. */
typedef enum named { NAMED_NORMS, NAMED_RANKS } named;

static ashlar_status find_own(ashi_tiles_product *p, int x, named what, ashi_names *own, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t q = 0; q < p->terms; q++) {
        const ashi_tiles_factors *t = &p->term[q];
        for (ashi_held_walk w = {.number = -1}; status == ASHLAR_OK && ashi_held_next(&t->x[x]->held, &w);) {
            const int64_t value = what == NAMED_RANKS ? ashi_held_rank(&t->from[x]->held, w.number)
                                  : p->screen.type    ? norm_bits(p, t, x, &w) : 0;
            const ashi_name stored = {w.at.row, w.at.col, value};
            status = ashi_tiles_factors_name(p, t, x, &stored, own, err);
        }
    }
    p->steps.named += own->count;
    return status;
}

static ashlar_status list_norms(const ashi_tiles_product *p, const ashi_names *in, const ashi_pattern *pattern,
                                double **norm, ashlar_error *err)
{
    *norm = malloc(((size_t)pattern->tiles + 1) * sizeof **norm);
    if (!*norm)
        return ashi_fail_memory(err, p->who, pattern->tiles * (int64_t)sizeof **norm);
    for (int64_t i = 0, tile = -1; i < in->count; i++) {
        const ashi_name *name = &in->name[i];
        const bool follows = i > 0 && name->row == name[-1].row && tile + 1 < pattern->tiles &&
                             pattern->col[tile + 1] == name->col && name->col > name[-1].col;
        tile = follows ? tile + 1 : ashi_pattern_find(pattern, name->row, name->col);
        memcpy(&(*norm)[tile], &name->value, sizeof **norm);
    }
    return ASHLAR_OK;
}

/* This rank's tiles, and those that are named to it. Collective. */
static ashlar_status name_all(ashi_tiles_product *p, int x, named what, ashlar_status mine, ashi_names *own,
                              ashi_names *in, ashlar_error *err)
{
    const ashi_named_to to = {&p->c->deal, p->layers};
    *own = *in = (ashi_names){0};
    if (mine == ASHLAR_OK)
        mine = find_own(p, x, what, own, err);
    const ashlar_status status = ashi_names_exchange(p->c->context, mine, &to, (ashlar_operand)x, own, in, err);
    p->steps.named += in->count;
    return status;
}

static void list_ranks(const ashi_names *names, const ashi_pattern *pattern, int64_t *rank)
{
    for (int64_t i = 0; i < names->count; i++)
        rank[ashi_pattern_find(pattern, names->name[i].row, names->name[i].col)] = names->name[i].value;
}

/* The ranks of the rank's own tiles, and of those that it needs. Collective. */
static ashlar_status find_ranks(ashi_tiles_product *p, int x, ashlar_status mine, ashlar_error *err)
{
    ashi_names own, in;
    const ashlar_status status = name_all(p, x, NAMED_RANKS, mine, &own, &in, err);
    ashlar_status listed = status;
    if (status == ASHLAR_OK) {
        p->rank[x] = malloc(((size_t)p->both[x].tiles + 1) * sizeof *p->rank[x]);
        if (!p->rank[x])
            listed = ashi_fail_memory(err, p->who, p->both[x].tiles * (int64_t)sizeof *p->rank[x]);
    }
    if (listed == ASHLAR_OK) {
        list_ranks(&own, &p->both[x], p->rank[x]);
        list_ranks(&in, &p->both[x], p->rank[x]);
    }
    ashi_names_free(&own);
    ashi_names_free(&in);
    return listed;
}

void ashi_product_free_both(ashi_tiles_product *p, int x)
{
    if (!p->same[x])
        ashi_pattern_free(&p->both[x]);
    p->both[x] = (ashi_pattern){0};
    p->same[x] = false;
}

/* All that are needed are among both, so their number says whether there are others. */
void ashi_product_join_both(ashi_tiles_product *p, int x)
{
    if (p->both[x].tiles != p->needed[x].tiles)
        return;
    ashi_product_free_both(p, x);
    p->both[x] = p->needed[x];
    p->same[x] = true;
}

/* Collective. */
ashlar_status ashi_product_find_needed(ashi_tiles_product *p, int x, ashlar_status mine, ashlar_error *err)
{
    ashi_names own, in;
    ashi_pattern owned = {0};
    ashlar_status status = name_all(p, x, NAMED_NORMS, mine, &own, &in, err);
    if (status == ASHLAR_OK)
        status = ashi_names_pattern(&in, &p->needed[x], err);
    if (status == ASHLAR_OK && p->screen.type)
        status = list_norms(p, &in, &p->needed[x], &p->norm[x], err);
    ashi_names_free(&in);
    if (status == ASHLAR_OK)
        status = ashi_names_pattern(&own, &owned, err);
    if (status == ASHLAR_OK)
        status = ashi_pattern_union(&owned, &p->needed[x], &p->both[x], err);
    if (status == ASHLAR_OK)
        ashi_product_join_both(p, x);
    ashi_pattern_free(&owned);
    ashi_names_free(&own);
    return p->low ? find_ranks(p, x, status, err) : status;
}

/* The norms of the same tiles. Collective. */
ashlar_status ashi_product_find_norms(ashi_tiles_product *p, int x, ashlar_status mine, ashlar_error *err)
{
    ashi_names own, in;
    ashlar_status status = name_all(p, x, NAMED_NORMS, mine, &own, &in, err);
    free(p->norm[x]);
    p->norm[x] = NULL;
    if (status == ASHLAR_OK)
        status = list_norms(p, &in, &p->needed[x], &p->norm[x], err);
    ashi_names_free(&own);
    ashi_names_free(&in);
    return status;
}

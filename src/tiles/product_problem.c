/* A product of matrices of tiles as the problem that its program is made for. */
#include "tiles/product_parts.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "choose/tile_iterations.h"
#include "exec/mpi.h"
#include "kernel/cache_blocks.h"
#include "tiles/product_exact.h"

#include <math.h>
#include <stdlib.h>

/* Panels of C (ashi_tile_problem.panels): elements on each side, at least, and how many, at most. */
enum { PANEL_LEAST = 1536, PANELS_MOST = 2 };

/* Bits of all ranks together. Collective; a failure is noted. */
static void join_bits(const ashlar_context *context, uint64_t *bit, int64_t count)
{
    enum { MOST = 1 << 24 };
    for (int64_t at = 0; at < count; at += MOST)
        ashi_note(context, MPI_Allreduce(MPI_IN_PLACE, bit + at, (int)ashi_min(MOST, count - at), MPI_UINT64_T,
                                         MPI_BOR, context->comm), "MPI_Allreduce");
}

/* How many needed tiles with elements there are for each k. */
static ashlar_status count_inner(ashi_tiles_product *p, int x, ashlar_error *err)
{
    const ashi_pattern *needed = &p->needed[x];
    const int64_t k = p->problem.cuts[2]->tiles;
    p->inner_tiles[x] = calloc((size_t)k + 1, sizeof *p->inner_tiles[x]);
    if (!p->inner_tiles[x])
        return ashi_fail_memory(err, p->who, k * (int64_t)sizeof *p->inner_tiles[x]);
    for (int64_t r = 0; r < needed->rows; r++)
        for (int64_t t = needed->start[r]; t < needed->start[r + 1]; t++) {
            const ashi_tile_at at = {needed->row[r], needed->col[t]};
            if (ashi_tile_words(&p->problem, (ashlar_operand)x, &at) > 0)
                p->inner_tiles[x][x == ASHLAR_A ? at.col : at.row]++;
        }
    p->steps.needs += needed->tiles;
    return ASHLAR_OK;
}

/* Whether this rank has tiles of C with elements. */
static bool has_sums(const ashi_tiles_product *p)
{
    const ashi_pattern *c = &p->symbolic.c;
    for (int64_t r = 0; r < c->rows; r++)
        for (int64_t t = c->start[r]; t < c->start[r + 1]; t++)
            if (ashi_tiles_words(p->c, c->row[r], c->col[t]) > 0)
                return true;
    return false;
}

/* What this rank's tiles of C, and those of A and B that it needs, say about who needs what. */
static void note_needs(ashi_tiles_product *p)
{
    int64_t part[2];
    if (!ashi_tile_process(&p->problem, p->c->context->rank, part))
        return;
    for (int x = 0; x < 2; x++)
        for (int64_t k = 0; k < p->problem.cuts[2]->tiles; k++)
            if (p->inner_tiles[x][k] > 0)
                ashi_tile_needs_add(&p->needs, 1 - x, k, part[x]);
    if (has_sums(p))
        ashi_tile_needs_add_sums(&p->needs, part[0], part[1]);
}

/* The highest bit of a rank's work: a tile would come to it for nothing. */
static const uint64_t unused = (uint64_t)1 << 63;

/* From the work of all ranks. Whether needs are to be exact. */
static bool find_imbalance(ashi_tiles_product *p)
{
    double all = 0, most = 0;
    bool exact = false;
    for (int r = 0; r < p->c->context->ranks; r++) {
        const double work = (double)(p->needs.work[r] & ~unused);
        exact = exact || (p->needs.work[r] & unused);
        all += work;
        most = fmax(most, work);
    }
    p->imbalance = all > 0 ? most * p->c->context->ranks / all : 1;
    return exact;
}

/* Collective. */
static ashlar_status join_needs(ashi_tiles_product *p, const ashi_product_kept *kept, ashlar_error *err)
{
    const ashlar_context *context = p->c->context;
    note_needs(p);
    p->needs.work[context->rank] = (uint64_t)p->symbolic.multiplies | (p->used.some_unused ? unused : 0);
    join_bits(context, p->needs.all, p->needs.all_words);
    const ashlar_status status = ashi_agree(context, ASHLAR_OK, err);
    return status == ASHLAR_OK && find_imbalance(p) ? ashi_tiles_find_exact(p, kept, err) : status;
}

ashlar_status ashi_product_find_needs(ashi_tiles_product *p, const ashi_product_kept *kept, ashlar_status mine,
                                      ashlar_error *err)
{
    for (int x = 0; x < 2 && mine == ASHLAR_OK; x++)
        mine = p->inner_tiles[x] ? ASHLAR_OK : count_inner(p, x, err);
    if (mine == ASHLAR_OK)
        mine = ashi_tile_needs_make(&p->problem, &p->needs, err);
    if (mine == ASHLAR_OK)
        mine = ashi_product_find_used(p, err);
    ashlar_status status = ashi_agree_named(p->c->context, mine, err);
    if (status == ASHLAR_OK)
        status = join_needs(p, kept, err);
    if (!p->kept)
        ashi_product_used_free(&p->used);
    return status;
}

/* The product as the one whose k is cut. `term` has room for all terms. */
static ashi_iterations_request iterations_of(const ashi_tiles_product *p, ashi_iterations_term *term)
{
    for (int64_t q = 0; q < p->terms; q++) {
        const ashi_cuts *k = ashi_tiles_factors_cuts(&p->term[q], 2);
        term[q] = (ashi_iterations_term){.k = k, .begin = p->term[q].first,
                                         .lo = p->ranges.given ? p->ranges.first[2] : 0,
                                         .hi = p->ranges.given ? p->ranges.end[2] : k->tiles};
        for (int x = 0; x < 2; x++) {
            const ashlar_tiles *t = p->term[q].x[x];
            term[q].x[x] = (ashi_iterations_factor){&t->deal, p->term[q].op[x] != ASHLAR_OP_N,
                                                    t->symmetry != ASHLAR_GENERAL, t->all_words};
        }
    }
    return (ashi_iterations_request){.term = term, .terms = p->terms,
                                     .cuts = {p->problem.cuts[0], p->problem.cuts[1], p->problem.cuts[2]},
                                     .c = &p->c->deal, .layered = p->layers, .layers = p->layers ? p->layers->count : 1,
                                     .ranks = p->c->context->ranks, .window = p->problem.window,
                                     .depth = ASHI_CACHE_DEPTH};
}

ashlar_status ashi_product_inner_most(const ashi_tiles_product *p, double *most, ashlar_error *err)
{
    ashi_iterations_term *term = malloc(((size_t)p->terms + 1) * sizeof *term);
    if (!term)
        return ashi_fail_memory(err, p->who, p->terms * (int64_t)sizeof *term);
    const ashi_iterations_request request = iterations_of(p, term);
    *most = ashi_iterations_inner_most(&request);
    free(term);
    return ASHLAR_OK;
}

ashlar_status ashi_product_cut_iterations(ashi_tiles_product *p, double most, ashlar_error *err)
{
    const ashi_cuts *k = p->problem.cuts[2];
    ashi_iterations_term *term = malloc(((size_t)p->terms + 1) * sizeof *term);
    free(p->first);
    p->first = malloc(((size_t)k->tiles + 1) * sizeof *p->first);
    ashlar_status status = ASHLAR_OK;
    if (!p->first || !term) {
        status = ashi_fail_memory(err, p->who, (k->tiles + 1) * (int64_t)sizeof *p->first);
    } else {
        const ashi_iterations_request request = iterations_of(p, term);
        p->problem.iterations = ashi_iterations_cut(&request, most, p->first);
        p->problem.first = p->first;
    }
    free(term);
    return status;
}

/* X^T is X mirrored: what a stored tile is to the tile of op(X) on the other side of the diagonal. */
static ashi_tile_use mirrored_use(const ashlar_tiles *t, ashlar_op op)
{
    const ashi_mirror mirror = ashi_tiles_mirror(t);
    const bool conjugated = mirror.conjugate != (op == ASHLAR_OP_C) && ashi_type_of(t->type)->complex;
    if (op == ASHLAR_OP_N)
        return (ashi_tile_use){mirror.conjugate ? ASHLAR_OP_C : ASHLAR_OP_T, mirror.minus, false};
    return (ashi_tile_use){ASHLAR_OP_N, mirror.minus, conjugated};
}

static ashi_tile_operand operand_of(const ashi_tiles_product *p, int64_t q, int x)
{
    const ashi_tiles_factors *t = &p->term[q];
    return (ashi_tile_operand){&p->both[x], p->rank[x], &t->x[x]->deal, t->op[x] != ASHLAR_OP_N,
                               t->x[x]->symmetry != ASHLAR_GENERAL, p->run[q].use[x][1].conjugated};
}

static void describe_terms(ashi_tiles_product *p)
{
    for (int64_t q = 0; q < p->terms; q++) {
        p->problem_term[q].first = p->term[q].first;
        for (int x = 0; x < 2; x++) {
            p->run[q].use[x][0] = (ashi_tile_use){.op = p->term[q].op[x]};
            p->run[q].use[x][1] = mirrored_use(p->term[q].x[x], p->term[q].op[x]);
            p->problem_term[q].operand[x] = operand_of(p, q, x);
        }
    }
}

/* Into how many panels the rows or columns of each rank's C are cut. Between hosts tiles may be late, and panels of
 * PANEL_LEAST elements on each side are multiplied as fast as larger ones. */
static int panels_of(const ashi_tiles_product *p, int x)
{
    const ashlar_context *context = p->c->context;
    const int64_t parts = x == ASHLAR_A ? p->c->deal.grid_rows : p->c->deal.grid_cols;
    if (context->node_ranks == context->ranks || p->c->deal.owner)
        return 1;
    return (int)ashi_max(1, ashi_min(PANELS_MOST, ashi_cuts_all(ashi_product_cuts(p, x)) / parts / PANEL_LEAST));
}

ashlar_status ashi_product_describe(ashi_tiles_product *p, ashlar_error *err)
{
    p->run = calloc((size_t)p->terms, sizeof *p->run);
    p->problem_term = calloc((size_t)p->terms, sizeof *p->problem_term);
    if (!p->run || !p->problem_term)
        return ashi_fail_memory(err, p->who, p->terms * (int64_t)(sizeof *p->run + sizeof *p->problem_term));
    describe_terms(p);
    p->problem = (ashi_tile_problem){.ranks = p->c->context->ranks, .needs = &p->needs, .tree = true,
                                     .layers = p->layers,
                                     .sums_start = p->ranges.given ? NULL : p->offset,
                                     .choice = p->first_bit ? &p->choice : NULL,
                                     .term = p->terms > 1 ? p->problem_term : NULL, .terms = p->terms,
                                     .window = p->window > 0 ? p->window : ASHI_ITERATIONS_WINDOW,
                                     .panels = {panels_of(p, ASHLAR_A), panels_of(p, ASHLAR_B)}};
    for (int side = 0; side < 3; side++)
        p->problem.cuts[side] = ashi_product_cuts(p, side);
    for (int x = 0; x < 2; x++)
        p->problem.operand[x] = operand_of(p, 0, x);
    p->problem.operand[ASHLAR_C] = (ashi_tile_operand){.pattern = &p->symbolic.c, .deal = &p->c->deal};
    return ASHLAR_OK;
}

/* A product of matrices of tiles as the problem that its program is made for. */
#include "tiles/product_parts.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "exec/cache_blocks.h"
#include "exec/mpi.h"
#include "tiles/product_exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* PANELS: the tiles of A and B that come for the iterations in flight are 1 / PANELS of what a rank has of both at
 * most. ITERATIONS: the fewest; if tiles are absent, so that some iterations have more than others, SPARSE_ITERATIONS.
 * If these had less of k than the innermost product sums up at once, SHALLOW_ITERATIONS at least. WINDOW: iterations in
 * flight, as in eq. (1) of Calvin, Lewis and Valeev (2015) on the smallest grids.
 * ALL_PARTS: where fewer iterations spare the memory of C, what comes is 1 / ALL_PARTS of A, B and C at most. */
enum { PANELS = 4, ITERATIONS = 8, SPARSE_ITERATIONS = 12, SHALLOW_ITERATIONS = 4, WINDOW = 2, ALL_PARTS = 6 };

/* Fewer iterations spare the memory of C if it is read and written that much less often. */
static const double sparing = 0.8;

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

/* Of k, in all terms. */
static double inner_in_ranges(const ashi_tiles_product *p)
{
    double all = 0;
    for (int64_t q = 0; q < p->terms; q++) {
        const ashi_cuts *k = ashi_tiles_factors_cuts(&p->term[q], 2);
        all += (double)(p->ranges.given ? k->at[p->ranges.end[2]] - k->at[p->ranges.first[2]] : ashi_cuts_all(k));
    }
    return all;
}

static bool same_parts(const int *x, const int *y, int64_t tiles)
{
    return x && y ? memcmp(x, y, (size_t)tiles * sizeof *x) == 0 : x == y;
}

/* Whether all tiles of op(A)'s rows, or of op(B)'s columns, are where C's are: then none of them is sent. */
static bool is_at_home(const ashi_tiles_product *p, int64_t q, int x)
{
    const ashlar_tiles *t = p->term[q].x[x];
    const ashi_deal *c = &p->c->deal, *d = &t->deal;
    const bool by_rows = (x == ASHLAR_A) == (p->term[q].op[x] == ASHLAR_OP_N);
    const int64_t parts = x == ASHLAR_A ? c->grid_rows : c->grid_cols;
    const int64_t grid[2] = {by_rows ? d->grid_rows : d->grid_cols, by_rows ? d->grid_cols : d->grid_rows};
    if (p->layers || c->owner || d->owner || t->symmetry != ASHLAR_GENERAL || c->grid_rows * c->grid_cols != parts ||
        grid[0] != parts || grid[1] != 1)
        return false;
    return memcmp(c->grid_rank, d->grid_rank, (size_t)parts * sizeof *d->grid_rank) == 0 &&
           same_parts(by_rows ? d->row_part : d->col_part, x == ASHLAR_A ? c->row_part : c->col_part,
                      p->problem.cuts[x]->tiles);
}

static bool are_full(const ashi_tiles_product *p)
{
    bool full = true;
    for (int64_t q = 0; q < p->terms; q++)
        for (int x = 0; x < 2; x++) {
            const ashlar_tiles *t = p->term[q].x[x];
            full = full && t->all_words == ashi_mul_most(ashi_cuts_all(&t->row), ashi_cuts_all(&t->col));
        }
    return full;
}

/* How often the innermost product reads and writes C if an iteration has as many tiles of k as `most` elements hold. */
static double passes(const ashi_cuts *k, double most)
{
    double count = 0;
    for (int64_t t = 1, begin = 0; t <= k->tiles; t++)
        if (t == k->tiles || (double)(k->at[t + 1] - k->at[begin]) > most) {
            count += ceil((double)(k->at[t] - k->at[begin]) / ASHI_CACHE_DEPTH);
            begin = t;
        }
    return count;
}

/* Full matrices: of `fewest` iterations and more, until they have half of ASHI_CACHE_DEPTH each, the number
 * with which C is read least often. */
static double suit_sums(const ashi_tiles_product *p, double inner, double fewest)
{
    const ashi_cuts *k = p->problem.cuts[2];
    double count = fewest, least = passes(k, inner / fewest);
    for (double more = fewest + 1; inner > fewest * ASHI_CACHE_DEPTH && 2 * inner >= more * ASHI_CACHE_DEPTH; more++) {
        const double now = passes(k, inner / more);
        count = now < least ? more : count;
        least = fmin(now, least);
    }
    return count;
}

/* Of the elements of op(A) or op(B), about how many are there. */
static double density(const ashlar_tiles *t)
{
    const double cells = (double)ashi_cuts_all(&t->row) * (double)ashi_cuts_all(&t->col);
    return cells > 0 ? fmin(1, (double)t->all_words * (t->symmetry == ASHLAR_GENERAL ? 1 : 2) / cells) : 0;
}

/* How often a tile of C is read and written in `count` iterations, if the tiles of A and B are anywhere. In one
 * iteration that is how many of C's tiles there are. */
static double touches(const ashi_tiles_product *p, double count)
{
    const double tiles = (double)p->problem.cuts[2]->tiles;
    double sum = 0, left = 1;
    for (int64_t q = 0; q < p->terms; q++) {
        const double own = (double)ashi_tiles_factors_cuts(&p->term[q], 2)->tiles, share = count * own / tiles;
        const double absent = 1 - density(p->term[q].x[0]) * density(p->term[q].x[1]);
        sum += own > 0 ? share * (1 - pow(absent, own / share)) : 0;
        left *= pow(absent, own);
    }
    return count > 1 ? sum : 1 - left;
}

/* If tiles are absent: of `count` iterations or fewer, in which `come` words of A and B come to a rank that has `words`
 * of both. Each iteration reads and writes the tiles of C that it has products for. Those of several products are so
 * once instead of several times if the products are in one iteration, which matters if tiles are small: there a product
 * takes little longer than moving its tile of C. */
static double spare_sums(const ashi_tiles_product *p, double come, double words, double count)
{
    const double ranks = p->c->context->ranks;
    const double cells = (double)ashi_cuts_all(p->problem.cuts[0]) * (double)ashi_cuts_all(p->problem.cuts[1]);
    const double room = (words + cells * touches(p, 1)) / (ranks * ALL_PARTS * p->problem.window);
    const double fewer = room > 0 ? fmax(SHALLOW_ITERATIONS, ceil(come / room)) : count;
    return fewer < count && touches(p, fewer) < sparing * touches(p, count) ? fewer : count;
}

double ashi_product_inner_most(const ashi_tiles_product *p)
{
    const ashi_deal *deal = &p->c->deal;
    double words = 0, come = 0;
    const double ranks = p->c->context->ranks;
    const double layers = p->layers ? (double)p->layers->count : 1;
    const double parts[2] = {(double)deal->grid_rows, (double)deal->grid_cols * layers};
    for (int64_t q = 0; q < p->terms; q++)
        for (int x = 0; x < 2; x++) {
            const double all = (double)p->term[q].x[x]->all_words;
            words += all;
            come += is_at_home(p, q, x) ? 0 : all / parts[x];
        }
    const double room = words / (ranks * PANELS * p->problem.window), inner = inner_in_ranges(p);
    const bool full = are_full(p);
    const double deep = full ? ITERATIONS : SPARSE_ITERATIONS;
    const double fewest = fmin(deep, fmax(SHALLOW_ITERATIONS, ceil(inner / ASHI_CACHE_DEPTH)));
    const double count = round(fmax(fewest, room > 0 ? come / room : 1));
    return inner / (ranks > 1 ? (full ? suit_sums(p, inner, count) : spare_sums(p, come, words, count)) : 1);
}

/* In how many iterations tiles lo to hi - 1 of k are if each has as many as it may. */
static int64_t least_iterations(const ashi_cuts *k, int64_t lo, int64_t hi, double most)
{
    int64_t count = 1;
    for (int64_t t = lo + 1, begin = lo; t < hi; t++)
        if ((double)(k->at[t + 1] - k->at[begin]) > most) {
            begin = t;
            count++;
        }
    return count;
}

/* Tiles lo to hi - 1 of k are cut about evenly: a short last iteration would take kernels and tables for tiles that are
 * too few to be merged. */
static void cut_range(ashi_tiles_product *p, int64_t lo, int64_t hi, double most)
{
    const ashi_cuts *k = p->problem.cuts[2];
    int64_t left = least_iterations(k, lo, hi, most);
    for (int64_t t = lo + 1, begin = lo; t < hi; t++) {
        const double share = (double)(k->at[hi] - k->at[begin]) / (double)left;
        const double size = (double)(k->at[t] - k->at[begin]), next = (double)ashi_cuts_size(k, t);
        if (size + next / 2 < share && size + next <= most)
            continue;
        p->first[p->problem.iterations++] = begin = t;
        left = ashi_max(1, left - 1);
    }
}

ashlar_status ashi_product_cut_iterations(ashi_tiles_product *p, double most, ashlar_error *err)
{
    const ashi_cuts *k = p->problem.cuts[2];
    free(p->first);
    p->first = malloc(((size_t)k->tiles + 1) * sizeof *p->first);
    if (!p->first)
        return ashi_fail_memory(err, p->who, (k->tiles + 1) * (int64_t)sizeof *p->first);
    p->problem.iterations = 0;
    for (int64_t q = 0; q < p->terms; q++) {
        const int64_t begin = p->term[q].first, tiles = ashi_tiles_factors_cuts(&p->term[q], 2)->tiles;
        if (tiles == 0)
            continue;
        p->first[p->problem.iterations++] = begin;
        if (p->ranges.given)
            cut_range(p, begin + p->ranges.first[2], begin + p->ranges.end[2], most);
        else
            cut_range(p, begin, begin + tiles, most);
    }
    p->first[p->problem.iterations] = k->tiles;
    p->problem.first = p->first;
    return ASHLAR_OK;
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
                                     .window = p->window > 0 ? p->window : WINDOW,
                                     .panels = {panels_of(p, ASHLAR_A), panels_of(p, ASHLAR_B)}};
    for (int side = 0; side < 3; side++)
        p->problem.cuts[side] = ashi_product_cuts(p, side);
    for (int x = 0; x < 2; x++)
        p->problem.operand[x] = operand_of(p, 0, x);
    p->problem.operand[ASHLAR_C] = (ashi_tile_operand){.pattern = &p->symbolic.c, .deal = &p->c->deal};
    return ASHLAR_OK;
}

/* A sum of products of matrices of tiles on all ranks: who needs which tiles, which tiles C has, and the program. */
#include "tiles/product.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/ordering.h"
#include "base/type.h"
#include "exec/mpi.h"
#include "layout/pattern_sets.h"
#include "tiles/naming.h"
#include "tiles/within.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* PANELS: the tiles of A and B that come for the iterations in flight are 1 / PANELS of what a rank has of both at
 * most. ITERATIONS: the fewest. WINDOW: iterations in flight, as in eq. (1) of Calvin, Lewis and Valeev (2015) on the
 * smallest grids. */
enum { PANELS = 4, ITERATIONS = 8, WINDOW = 2 };

const ashi_cuts *ashi_tiles_factors_cuts(const ashi_tiles_factors *t, int side)
{
    const ashlar_tiles *a = t->x[0], *b = t->x[1];
    const bool turned[2] = {t->op[0] != ASHLAR_OP_N, t->op[1] != ASHLAR_OP_N};
    if (side == 0)
        return turned[0] ? &a->col : &a->row;
    return side == 1 ? (turned[1] ? &b->row : &b->col) : (turned[0] ? &a->row : &a->col);
}

static const ashi_cuts *cuts_of(const ashi_tiles_product *p, int side)
{
    return side == 2 && p->inner.at ? &p->inner : ashi_tiles_factors_cuts(&p->term[0], side);
}

/* The k of all terms, one after the other. */
static ashlar_status join_inner(ashi_tiles_product *p, ashlar_error *err)
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

/* ---- who needs which tiles ---- */

/* A norm that is not below the true one: the computed norm of n elements has a relative error of (n + 2) u. */
static double norm_of(const ashlar_tiles *t, int64_t number, int64_t row, int64_t col)
{
    const int64_t words = ashi_tiles_words(t, row, col);
    const ashi_square square = t->tile_kernels->square(words, ashi_held_tile(&t->held, number, t->bytes));
    return ashi_square_root(square) * (1 + 2 * ((double)words + 2) * DBL_EPSILON);
}

/* The norm of a tile of A or B. With several terms each has its own alpha, so A's tiles have it in their norms. */
static int64_t norm_bits(const ashi_tiles_product *p, const ashi_tiles_factors *t, int x, const ashi_held_walk *w)
{
    double norm = norm_of(t->from[x], w->number, w->at.row, w->at.col);
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

/* What a rank's stored tiles stand for in op(X): one tile each, or two if a matrix has a symmetry. */
static ashlar_status find_own(ashi_tiles_product *p, int x, ashi_names *own, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t q = 0; q < p->terms; q++) {
        const ashi_tiles_factors *t = &p->term[q];
        const bool turned = t->op[x] != ASHLAR_OP_N, mirrored = t->x[x]->symmetry != ASHLAR_GENERAL;
        for (ashi_held_walk w = {.number = -1}; status == ASHLAR_OK && ashi_held_next(&t->x[x]->held, &w);) {
            const ashi_name stored = {w.at.row, w.at.col, p->screen.type ? norm_bits(p, t, x, &w) : 0};
            status = name_tile(p, t, x, &stored, turned, own, err);
            if (status == ASHLAR_OK && mirrored && w.at.row != w.at.col)
                status = name_tile(p, t, x, &stored, !turned, own, err);
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
    for (int64_t i = 0; i < in->count; i++) {
        const ashi_name *name = &in->name[i];
        memcpy(&(*norm)[ashi_pattern_find(pattern, name->row, name->col)], &name->value, sizeof **norm);
    }
    return ASHLAR_OK;
}

/* Collective. */
static ashlar_status find_needed(ashi_tiles_product *p, int x, ashlar_status mine, ashlar_error *err)
{
    ashi_names own = {0}, in = {0};
    ashi_pattern owned = {0};
    if (mine == ASHLAR_OK)
        mine = find_own(p, x, &own, err);
    ashlar_status status = ashi_names_exchange(p->c->context, mine, &p->c->deal, (ashlar_operand)x, &own, &in, err);
    p->steps.named += in.count;
    if (status == ASHLAR_OK)
        status = ashi_names_pattern(&in, &p->needed[x], err);
    if (status == ASHLAR_OK && p->screen.type)
        status = list_norms(p, &in, &p->needed[x], &p->norm[x], err);
    ashi_names_free(&in);
    if (status == ASHLAR_OK)
        status = ashi_names_pattern(&own, &owned, err);
    if (status == ASHLAR_OK)
        status = ashi_pattern_union(&owned, &p->needed[x], &p->both[x], err);
    ashi_pattern_free(&owned);
    ashi_names_free(&own);
    return status;
}

/* ---- C ---- */

/* C's tiles that take part, as they are. */
static const ashi_pattern *before(const ashi_tiles_product *p)
{
    return p->ranges.given ? &p->before : &p->c->held.pattern;
}

static ashlar_status find_norms_of_c(ashi_tiles_product *p, ashlar_error *err)
{
    const ashlar_tiles *c = p->from_c;
    int64_t number = 0;
    p->screen.a_norm = p->norm[0];
    p->screen.b_norm = p->norm[1];
    if (p->screen.beta == 0)
        return ASHLAR_OK;
    p->c_norm = malloc(((size_t)before(p)->tiles + 1) * sizeof *p->c_norm);
    if (!p->c_norm)
        return ashi_fail_memory(err, p->who, before(p)->tiles * (int64_t)sizeof *p->c_norm);
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&c->held, &w);)
        if (ashi_ranges_have(&p->ranges, 0, w.at.row, 1, w.at.col))
            p->c_norm[number++] = norm_of(c, w.number, w.at.row, w.at.col);
    p->screen.c_norm = p->c_norm;
    return ASHLAR_OK;
}

/* How many tiles of a row have a column below `col`. */
static int64_t tiles_before(const ashi_pattern *pattern, int64_t row, int64_t col)
{
    const int64_t x = ashi_pattern_row(pattern, row);
    return x < 0 ? 0 : ashi_first_from(pattern->col, pattern->start[x], pattern->start[x + 1], col) - pattern->start[x];
}

/* The bits of the products that are left out, by tiles of op(A). If C has a symmetry only products for its tiles with
 * row <= column have one. */
static ashlar_status find_bits(ashi_tiles_product *p, const ashi_factor *b, ashlar_error *err)
{
    const ashi_pattern *a = &p->needed[0];
    p->first_bit = malloc(((size_t)a->tiles + 1) * sizeof *p->first_bit);
    if (!p->first_bit)
        return ashi_fail_memory(err, p->who, a->tiles * (int64_t)sizeof *p->first_bit);
    for (int64_t r = 0; r < a->rows; r++) {
        int64_t bit = p->symbolic.first[r];
        for (int64_t t = a->start[r]; t < a->start[r + 1]; t++) {
            const int64_t row = ashi_factor_find(b, a->col[t]), tiles = row < 0 ? 0 : ashi_factor_tiles(b, row);
            const int64_t skipped = p->c->symmetry == ASHLAR_GENERAL ? 0 : tiles_before(&p->needed[1], a->col[t],
                                                                                        a->row[r]);
            p->first_bit[t] = bit - skipped;
            bit += tiles - skipped;
        }
    }
    p->choice = (ashi_tile_choice){{a, &p->needed[1]}, p->first_bit, p->symbolic.left,
                                   p->c->symmetry != ASHLAR_GENERAL};
    return ASHLAR_OK;
}

/* Collective if there is a budget. */
static ashlar_status find_symbolic(ashi_tiles_product *p, const ashi_sparse_product *product, ashlar_error *err)
{
    ashi_tiles_joining joining = {.context = p->c->context};
    const ashi_budget_sum sum = {ashi_tiles_join, &joining};
    ashi_allowance allowance = {.error = p->budget, .share = p->share, .sum = &sum};
    if (!(p->budget > 0))
        return ashi_symbolic_make(product, &p->symbolic, err);
    const ashlar_status status = ashi_symbolic_within(product, &allowance, &p->symbolic, err);
    p->rest = allowance.rest;
    return joining.err.status == ASHLAR_OK ? status
                                           : ashi_fail(err, joining.err.status, "%s", joining.err.text);
}

/* With a budget collective: `mine` is what this rank comes with. */
static ashlar_status find_sums(ashi_tiles_product *p, ashlar_status mine, ashlar_error *err)
{
    ashi_factor a = {0}, b = {0};
    ashi_sparse_product product = {.a = &a, .b = &b, .c = before(p), .retain = p->retain,
                                   .half = p->c->symmetry != ASHLAR_GENERAL,
                                   .screen = p->screen.type ? &p->screen : NULL};
    ashlar_status status = mine;
    if (status == ASHLAR_OK && p->ranges.given)
        status = ashi_ranges_pattern(&p->ranges, &p->c->held.pattern, &p->before, err);
    if (status == ASHLAR_OK && p->screen.type)
        status = find_norms_of_c(p, err);
    if (status == ASHLAR_OK)
        status = ashi_factor_make(&p->needed[0], ASHI_GENERAL, ASHLAR_OP_N, &a, err);
    if (status == ASHLAR_OK)
        status = ashi_factor_make(&p->needed[1], ASHI_GENERAL, ASHLAR_OP_N, &b, err);
    if (p->budget > 0)
        status = ashi_agree_named(p->c->context, status, err);
    if (status == ASHLAR_OK) {
        product.rows = cuts_of(p, 0);
        product.cols = cuts_of(p, 1);
        product.inner = cuts_of(p, 2);
        status = find_symbolic(p, &product, err);
    }
    p->steps.products += p->symbolic.visited;
    if (status == ASHLAR_OK && p->symbolic.first)
        status = find_bits(p, &b, err);
    if (status == ASHLAR_OK && p->ranges.given)
        status = ashi_ranges_with_outside(&p->ranges, &p->c->held.pattern, &p->symbolic.c, &p->after, err);
    ashi_factor_free(&a);
    ashi_factor_free(&b);
    return status;
}

/* Where C's tiles begin once it has them all. */
static ashlar_status find_offsets(ashi_tiles_product *p, ashlar_error *err)
{
    const ashi_pattern *c = ashi_tiles_product_after(p);
    int64_t words = 0, tiles = 0;
    p->offset = malloc(((size_t)p->symbolic.c.tiles + 1) * sizeof *p->offset);
    if (!p->offset)
        return ashi_fail_memory(err, p->who, p->symbolic.c.tiles * (int64_t)sizeof *p->offset);
    for (int64_t r = 0; r < c->rows; r++)
        for (int64_t t = c->start[r]; t < c->start[r + 1]; t++) {
            if (ashi_ranges_have(&p->ranges, 0, c->row[r], 1, c->col[t]))
                p->offset[tiles++] = words;
            if (!ashi_add(words, ashi_tiles_words(p->c, c->row[r], c->col[t]), &words))
                return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the tiles of a rank have more than 2^63 - 1 elements");
        }
    p->offset[tiles] = words;
    return ASHLAR_OK;
}

/* ---- the problem ---- */

/* Bits of all ranks together. Collective; a failure is noted. */
static void join_bits(const ashlar_context *context, uint64_t *bit, int64_t count)
{
    enum { MOST = 1 << 24 };
    for (int64_t at = 0; at < count; at += MOST)
        ashi_note(context, MPI_Allreduce(MPI_IN_PLACE, bit + at, (int)ashi_min(MOST, count - at), MPI_UINT64_T,
                                         MPI_BOR, context->comm), "MPI_Allreduce");
}

/* Collective. */
static ashlar_status find_needs(ashi_tiles_product *p, ashlar_status mine, ashlar_error *err)
{
    const ashlar_context *context = p->c->context;
    const ashi_deal *deal = &p->c->deal;
    if (mine == ASHLAR_OK)
        mine = ashi_tile_needs_make(&p->problem, &p->needs, err);
    const ashlar_status status = ashi_agree_named(context, mine, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_tile_needs_note(&p->problem, &p->needs);
    for (int x = 0; x < 2; x++) {
        const int64_t parts = x == ASHLAR_A ? deal->grid_rows : deal->grid_cols;
        join_bits(context, p->needs.bit[x], p->problem.cuts[2]->tiles * p->needs.words[x]);
        join_bits(context, p->needs.sums[x], parts * p->needs.words[x]);
    }
    return ashi_agree(context, ASHLAR_OK, err);
}

/* Whether an iteration has to begin with a tile of k. */
static bool begins_term(const ashi_tiles_product *p, int64_t k)
{
    return p->problem.term && p->problem.term[ashi_tile_term_of(&p->problem, k)].first == k;
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

/* How long an iteration may be. */
static double most_inner(const ashi_tiles_product *p)
{
    const ashi_deal *deal = &p->c->deal;
    double words[2] = {0, 0};
    for (int64_t q = 0; q < p->terms; q++)
        for (int x = 0; x < 2; x++)
            words[x] += (double)p->term[q].x[x]->all_words;
    const double ranks = p->c->context->ranks;
    const double come = words[0] / (double)deal->grid_rows + words[1] / (double)deal->grid_cols;
    const double room = (words[0] + words[1]) / (ranks * PANELS * p->problem.window);
    const double part = fmin(1.0 / ITERATIONS, come > 0 ? room / come : 1);
    return ranks > 1 ? part * inner_in_ranges(p) : INFINITY;
}

/* Whether tile t of k is one of a term's range, behind the first; *begin: that first one. */
static bool in_range(const ashi_tiles_product *p, int64_t t, int64_t *begin)
{
    const int64_t first = p->problem.term ? p->problem.term[ashi_tile_term_of(&p->problem, t)].first : 0;
    *begin = first + p->ranges.first[2];
    return !p->ranges.given || (t > *begin && t < first + p->ranges.end[2]);
}

/* Iterations so long that the tiles which come for those in flight are few beside what the ranks have, and so short
 * that the next can come while one is multiplied. All ranks cut alike. */
static ashlar_status cut_iterations(ashi_tiles_product *p, ashlar_error *err)
{
    const ashi_cuts *k = p->problem.cuts[2];
    const double most = most_inner(p);
    int64_t count = 0, begin;
    p->first = malloc(((size_t)k->tiles + 1) * sizeof *p->first);
    if (!p->first)
        return ashi_fail_memory(err, p->who, (k->tiles + 1) * (int64_t)sizeof *p->first);
    for (int64_t t = 0; t < k->tiles; t++)
        if (count == 0 || begins_term(p, t) ||
            (in_range(p, t, &begin) && (double)(k->at[t + 1] - k->at[ashi_max(p->first[count - 1], begin)]) > most))
            p->first[count++] = t;
    p->first[count] = k->tiles;
    p->problem.iterations = count;
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
    return (ashi_tile_operand){&p->both[x], &t->x[x]->deal, t->op[x] != ASHLAR_OP_N,
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

static ashlar_status describe(ashi_tiles_product *p, ashlar_error *err)
{
    p->run = calloc((size_t)p->terms, sizeof *p->run);
    p->problem_term = calloc((size_t)p->terms, sizeof *p->problem_term);
    if (!p->run || !p->problem_term)
        return ashi_fail_memory(err, p->who, p->terms * (int64_t)(sizeof *p->run + sizeof *p->problem_term));
    describe_terms(p);
    p->problem = (ashi_tile_problem){.ranks = p->c->context->ranks, .needs = &p->needs, .tree = true,
                                     .choice = p->first_bit ? &p->choice : NULL,
                                     .term = p->terms > 1 ? p->problem_term : NULL, .terms = p->terms,
                                     .window = p->window > 0 ? p->window : WINDOW};
    for (int side = 0; side < 3; side++)
        p->problem.cuts[side] = cuts_of(p, side);
    for (int x = 0; x < 2; x++)
        p->problem.operand[x] = operand_of(p, 0, x);
    p->problem.operand[ASHLAR_C] = (ashi_tile_operand){.pattern = &p->symbolic.c, .deal = &p->c->deal};
    return ASHLAR_OK;
}

/* ---- the player ---- */

static ashi_tile_set set_of(const ashlar_tiles *tiles, const ashi_pattern *pattern, const int64_t *offset)
{
    static const int64_t none = 0;
    return (ashi_tile_set){pattern, &tiles->row, &tiles->col, offset ? offset : &none};
}

static ashlar_status make_player(ashi_tiles_product *p, ashlar_error *err)
{
    const ashlar_context *c = p->c->context;
    for (int64_t q = 0; q < p->terms; q++) {
        for (int x = 0; x < 2; x++)
            p->run[q].own[x] = set_of(p->term[q].x[x], &p->term[q].x[x]->held.pattern, p->term[q].x[x]->held.offset);
        p->run[q].own[2] = set_of(p->c, &p->symbolic.c, p->offset);
    }
    const ashi_player_request request = {
        .program = &p->program, .rank = c->rank, .look_ahead = p->program.look_ahead, .type = p->c->type,
        .comm = c->comm, .tag_most = c->tag_most, .message_most = ASHI_MESSAGE_MOST, .keeps = ASHI_PLAYER_KEEPS,
        .threads = ashi_context_threads(c), .workers = c->workers, .tiles = p->run,
        .one_node = c->node_ranks == c->ranks};
    return ashi_player_create(&request, &p->player, err);
}

static void count_steps(ashi_tiles_product *p)
{
    p->steps.lined = ashi_tile_program_tiles(&p->program);
    p->steps.ready = ashi_player_ready_tiles(p->player);
}

static ashlar_status make_program(ashi_tiles_product *p, ashlar_error *err)
{
    const ashlar_status status = cut_iterations(p, err);
    return status == ASHLAR_OK ? ashi_tile_program_of(&p->problem, &p->program, err) : status;
}

ashlar_status ashi_tiles_product_make(ashi_tiles_product *p, ashlar_status mine, ashlar_error *err)
{
    p->steps = (ashi_tiles_steps){0};
    ashlar_status status = find_needed(p, ASHLAR_A, mine == ASHLAR_OK ? join_inner(p, err) : mine, err);
    status = find_needed(p, ASHLAR_B, status, err);
    status = find_sums(p, status, err);
    if (status == ASHLAR_OK)
        status = find_offsets(p, err);
    if (status == ASHLAR_OK)
        status = describe(p, err);
    status = find_needs(p, status, err);
    if (status == ASHLAR_OK)
        status = make_program(p, err);
    if (status == ASHLAR_OK)
        status = make_player(p, err);
    if (status == ASHLAR_OK)
        count_steps(p);
    status = ashi_agree_named(p->c->context, status, err);
    if (status != ASHLAR_OK)
        ashi_tiles_product_clear(p);
    return status;
}

static int64_t patterns_of(const ashi_tiles_product *p)
{
    int64_t bytes = ashi_pattern_bytes(&p->symbolic.c) + ashi_pattern_bytes(&p->before) + ashi_pattern_bytes(&p->after);
    for (int x = 0; x < 2; x++)
        bytes += ashi_pattern_bytes(&p->needed[x]) + ashi_pattern_bytes(&p->both[x]);
    return bytes;
}

int64_t ashi_tiles_product_bytes(const ashi_tiles_product *p)
{
    const int64_t number = (int64_t)sizeof(int64_t);
    int64_t bytes = patterns_of(p) + p->terms * (int64_t)sizeof *p->term;
    bytes += p->inner.at ? (p->inner.tiles + 1) * number : 0;
    if (!ashi_tiles_product_is_made(p))
        return bytes;
    bytes += p->terms * (int64_t)(sizeof *p->run + sizeof *p->problem_term);
    bytes += (2 * p->symbolic.c.tiles + p->problem.cuts[2]->tiles + 3) * number;
    if (p->first_bit)
        bytes += (p->needed[0].tiles + ashi_ceil_div(p->symbolic.formed + p->symbolic.left_out, 64)) * number;
    for (int x = 0; x < 2; x++)
        bytes += p->norm[x] ? p->needed[x].tiles * number : 0;
    return bytes + ashi_tile_needs_bytes(&p->problem, &p->needs) + ashi_tile_program_bytes(&p->program) +
           ashi_player_bytes(p->player);
}

void ashi_tiles_product_clear(ashi_tiles_product *p)
{
    ashi_player_free(&p->player);
    if (p->program.free_own)
        ashi_program_free(&p->program);
    for (int x = 0; x < 2; x++) {
        ashi_pattern_free(&p->needed[x]);
        ashi_pattern_free(&p->both[x]);
        free(p->norm[x]);
        p->norm[x] = NULL;
    }
    ashi_pattern_free(&p->before);
    ashi_pattern_free(&p->after);
    ashi_symbolic_free(&p->symbolic);
    ashi_tile_needs_free(&p->needs);
    int64_t **const lists[] = {&p->offset, &p->first_bit, &p->first};
    for (int i = 0; i < 3; i++) {
        free(*lists[i]);
        *lists[i] = NULL;
    }
    free(p->c_norm);
    free(p->problem_term);
    free(p->run);
    p->c_norm = NULL;
    p->problem_term = NULL;
    p->run = NULL;
}

void ashi_tiles_product_free(ashi_tiles_product *p)
{
    ashi_tiles_product_clear(p);
    ashi_cuts_free(&p->inner);
    free(p->term);
    p->term = NULL;
}

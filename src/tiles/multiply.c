/* Products of matrices of tiles: the public call. */
#include "base/checked.h"
#include "base/error.h"
#include "base/structure.h"
#include "base/type.h"
#include "plan/check.h"
#include "tiles/boxes.h"
#include "tiles/product.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const who = "ashlar_tiles_multiply";

/* ---- what is asked for ---- */

static ashlar_status take_options(const ashlar_tiles_options *given, ashlar_tiles_options *out, ashlar_error *err)
{
    const ashi_filled filled = {who, "options", given, ASHI_FIRST_VERSION(ashlar_tiles_options, threshold)};
    *out = (ashlar_tiles_options){0};
    if (!given)
        return ASHLAR_OK;
    const ashlar_status status = ashi_structure_take(&filled, out, sizeof *out, err);
    if (status == ASHLAR_OK && !(out->threshold >= 0 && out->threshold < INFINITY))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: threshold = %g, wanted at least 0", who, out->threshold);
    if (status == ASHLAR_OK && (out->window < 0 || out->window > ASHI_WINDOW_MAX))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: window = %d, wanted 0 to %d", who, out->window, ASHI_WINDOW_MAX);
    return status;
}

static ashlar_status check_sides(const ashi_cuts *x, const char *x_name, const ashi_cuts *y, const char *y_name,
                                 ashlar_error *err)
{
    const int64_t tile = ashi_cuts_differ(x, y);
    if (tile < 0)
        return ASHLAR_OK;
    if (tile >= ashi_min(x->tiles, y->tiles))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s are cut into %" PRId64 " tiles, %s into %" PRId64, who, x_name,
                         x->tiles, y_name, y->tiles);
    return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tile %" PRId64 " of %s ends at %" PRId64 ", of %s at %" PRId64, who,
                     tile, x_name, x->at[tile + 1], y_name, y->at[tile + 1]);
}

static ashlar_status check_cuts(const ashi_tiles_product *p, ashlar_error *err)
{
    const bool turned[2] = {p->op[0] != ASHLAR_OP_N, p->op[1] != ASHLAR_OP_N};
    const ashi_cuts *inner = turned[1] ? &p->x[1]->col : &p->x[1]->row;
    ashlar_status status = check_sides(ashi_tiles_product_cuts(p, 2), "op(A)'s columns", inner, "op(B)'s rows", err);
    if (status == ASHLAR_OK)
        status = check_sides(&p->c->row, "C's rows", ashi_tiles_product_cuts(p, 0), "op(A)'s rows", err);
    if (status == ASHLAR_OK)
        status = check_sides(&p->c->col, "C's columns", ashi_tiles_product_cuts(p, 1), "op(B)'s columns", err);
    return status;
}

static ashlar_status check_matrices(const ashi_tiles_product *p, ashlar_error *err)
{
    const ashlar_tiles *const each[3] = {p->x[0], p->x[1], p->c};
    for (int i = 0; i < 3; i++) {
        if (each[i]->context != p->c->context || each[i]->type != p->c->type)
            return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %c and C have different %s", who, "ABC"[i],
                             each[i]->context != p->c->context ? "contexts" : "types");
    }
    if (p->x[0] == p->c || p->x[1] == p->c)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: C is %s too", who, p->x[0] == p->c ? "A" : "B");
    if (p->c->deal.owner)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "%s: C's tiles are dealt out by a function, wanted a process grid", who);
    return check_cuts(p, err);
}

static ashlar_status check(const ashi_tiles_product *p, const void *alpha, const void *beta, ashlar_error *err)
{
    if (!alpha || !p->x[0] || !p->x[1] || !beta)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s is NULL", who,
                         !alpha ? "alpha" : !p->x[0] ? "a" : !p->x[1] ? "b" : "beta");
    for (int x = 0; x < 2; x++)
        if ((int)p->op[x] < ASHLAR_OP_N || (int)p->op[x] > ASHLAR_OP_C)
            return ashi_fail(err, ASHLAR_ERR_ARG, "%s: op_%c = %d is none", who, "ab"[x], (int)p->op[x]);
    return check_matrices(p, err);
}

static int64_t bits_of(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static ashlar_status compare(const ashi_tiles_product *p, ashlar_status mine, const ashlar_tiles_options *o,
                             const void *alpha, const void *beta, ashlar_error *err)
{
    const ashi_shared values[] = {{"op_a", (int64_t)p->op[0]}, {"op_b", (int64_t)p->op[1]},
                                  {"retain", o->retain}, {"window", o->window},
                                  {"keep_small_products", o->keep_small_products},
                                  {"keep_small_tiles", o->keep_small_tiles}, {"bound", o->bound},
                                  {"threshold", bits_of(o->threshold)}};
    const ashlar_status status = ashi_agree_same(p->c->context, mine, who, values,
                                                 (int)(sizeof values / sizeof values[0]), err);
    return status == ASHLAR_OK ? ashi_agree_scalars(p->c->context, status, who, p->c->type, alpha, beta, err) : status;
}

/* ---- running ---- */

/* Nothing is formed. */
static void scale(ashlar_tiles *c, const void *beta)
{
    const int64_t words = ashi_held_words(&c->held);
    const bool clear = c->kernels->is_zero(beta);
    const ashi_matrix zero = {c->kernels->zero, 0, 0}, own = {c->held.data, 1, words};
    if (words > 0)
        c->kernels->axpby(words, 1, clear ? c->kernels->one : beta, clear ? &zero : &own, false, c->kernels->zero,
                          c->held.data, 1, words);
}

/* The absolute value of a scalar, not below the true one. */
static double size_of(const ashlar_tiles *t, const void *scalar)
{
    const ashi_number x = t->tile_kernels->number(scalar);
    return x.im == 0 ? fabs(x.re) : hypot(x.re, x.im) * (1 + 4 * DBL_EPSILON);
}

static void set_screen(ashi_tiles_product *p, const ashlar_tiles_options *o, const void *alpha, const void *beta)
{
    if (o->threshold == 0 && !o->bound)
        return;
    p->screen = (ashi_screen){.type = ashi_type_of(p->c->type), .alpha = size_of(p->c, alpha),
                              .beta = size_of(p->c, beta), .skip = o->keep_small_products ? 0 : o->threshold,
                              .drop = o->keep_small_tiles || p->retain ? 0 : o->threshold};
}

/* Tiles of C that are below the threshold go. *square: of what they had. Their number. */
static int64_t drop_small(ashlar_tiles *c, double threshold, bool *keep, ashi_square *square)
{
    int64_t dropped = 0;
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&c->held, &w);) {
        const ashi_square of_tile = c->tile_kernels->square(ashi_tiles_words(c, w.at.row, w.at.col),
                                                            ashi_held_tile(&c->held, w.number, c->bytes));
        keep[w.number] = !(ashi_square_root(of_tile) < threshold);
        dropped += !keep[w.number];
        if (!keep[w.number])
            *square = ashi_square_add(*square, of_tile);
    }
    if (dropped > 0)
        ashi_held_keep(&c->held, keep, c->bytes);
    return dropped;
}

/* The bounds of all ranks are joined in their order. A tile that is mirrored has its error twice. Collective; a failure
 * is noted. */
static double join_bounds(const ashlar_tiles *c, const ashi_error_bound *own, double *room)
{
    const ashlar_context *context = c->context;
    const double mine[4] = {own->left_out, own->dropped, own->rounding, own->all};
    ashi_error_bound bound = {0};
    ashi_note(context, MPI_Allgather(mine, 4, MPI_DOUBLE, room, 4, MPI_DOUBLE, context->comm), "MPI_Allgather");
    for (int r = 0; r < context->ranks; r++) {
        const double *of = room + 4 * r;
        bound = ashi_error_join(bound, (ashi_error_bound){of[0], of[1], of[2], of[3]});
    }
    return c->symmetry == ASHLAR_GENERAL ? bound.all : bound.all * (sqrt(2) * (1 + 2 * DBL_EPSILON));
}

static void report(const ashi_tiles_product *p, const ashi_player_tally *tally, ashlar_tiles_result *out)
{
    *out = (ashlar_tiles_result){.products = p->symbolic.formed, .left_out = p->symbolic.left_out,
                                 .flops = ashi_mul_most(p->symbolic.multiplies, ashi_type_of(p->c->type)->flops),
                                 .words = tally->received, .messages = tally->received_messages,
                                 .workspace_words = tally->workspace + tally->buffers,
                                 .iterations = p->problem.iterations,
                                 .window = p->problem.window, .seconds = tally->seconds};
}

/* What the run needs besides, so that nothing fails once C was changed. */
typedef struct ending {
    bool *keep;
    double *bounds;
} ending;

static ashlar_status make_ending(const ashi_tiles_product *p, ending *e, ashlar_error *err)
{
    const int64_t tiles = p->symbolic.c.tiles, ranks = p->c->context->ranks;
    *e = (ending){malloc((size_t)tiles + 1), malloc(4 * (size_t)ranks * sizeof *e->bounds)};
    return e->keep && e->bounds ? ASHLAR_OK
                                : ashi_fail_memory(err, who, tiles + 4 * ranks * (int64_t)sizeof *e->bounds);
}

static ashlar_status end(ashi_tiles_product *p, const ending *e, ashlar_tiles_result *result, ashlar_error *err)
{
    ashi_square dropped = {0, 0};
    ashi_error_bound bound = p->symbolic.bound;
    if (p->grown.offset)
        ashi_tiles_take(p->c, &p->grown);
    if (p->screen.drop > 0) {
        result->dropped = drop_small(p->c, p->screen.drop, e->keep, &dropped);
        bound = ashi_error_with_dropped(bound, ashi_square_root(dropped) *
                                                   (1 + 2 * ((double)p->c->all_words + 2) * DBL_EPSILON));
    }
    result->error_bound = p->screen.type ? join_bounds(p->c, &bound, e->bounds) : INFINITY;
    ashi_boxes_follow(p->c, &p->c->held);
    ashi_tiles_count(p->c);
    return ashi_conclude(p->c->context, ASHLAR_OK, err);
}

static ashlar_status run(ashi_tiles_product *p, const void *alpha, const void *beta, ashlar_tiles_result *result,
                         ashlar_error *err)
{
    const ashi_held *sums = p->grown.offset ? &p->grown : &p->c->held;
    const bool fresh = p->c->held.pattern.tiles == 0; /* all of it is 0 already */
    const ashi_player_work work = {.alpha = alpha, .beta = fresh ? p->c->kernels->one : beta,
                                   .part = {{p->x[0]->held.data, NULL}, {p->x[1]->held.data, NULL},
                                            {sums->data, NULL}}};
    ashi_player_tally tally;
    ending e;
    ashlar_status status = ashi_agree_named(p->c->context, make_ending(p, &e, err), err);
    if (status == ASHLAR_OK)
        status = ashi_agree_named(p->c->context, ashi_player_run(p->player, &work, &tally, err), err);
    if (status == ASHLAR_OK) {
        report(p, &tally, result);
        status = end(p, &e, result, err);
    }
    free(e.keep);
    free(e.bounds);
    return status;
}

ashlar_status ashlar_tiles_multiply_sized(const void *alpha, ashlar_op op_a, const ashlar_tiles *a, ashlar_op op_b,
                                          const ashlar_tiles *b, const void *beta, ashlar_tiles *c,
                                          const ashlar_tiles_options *options, ashlar_tiles_result *result,
                                          size_t result_size, ashlar_error *err)
{
    ashlar_error own = {0};
    ashlar_tiles_options o;
    ashlar_tiles_result found = {0};
    ashi_tiles_product p = {.x = {a, b}, .c = c, .op = {op_a, op_b}};
    err = err ? err : &own;
    if (!c)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: c is NULL", who);
    ashlar_status status = take_options(options, &o, err);
    if (status == ASHLAR_OK)
        status = check(&p, alpha, beta, err);
    status = compare(&p, status, &o, alpha, beta, err);
    if (status != ASHLAR_OK)
        return status;
    p.retain = o.retain != 0;
    p.window = o.window;
    set_screen(&p, &o, alpha, beta);
    if (c->kernels->is_zero(alpha)) {
        scale(c, beta);
    } else {
        status = ashi_tiles_product_make(&p, err);
        if (status == ASHLAR_OK)
            status = run(&p, alpha, beta, &found, err);
        ashi_tiles_product_free(&p);
    }
    if (result && status == ASHLAR_OK)
        ashi_structure_give(&found, sizeof found, result, result_size);
    return status;
}

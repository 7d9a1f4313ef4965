/* What a product of matrices of tiles is asked for: checked by all ranks, and described. */
#include "tiles/asked.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/structure.h"
#include "base/type.h"
#include "plan/check.h"
#include "tiles/low_rank_product.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is asked for ---- */

ashlar_status ashi_tiles_take_options(ashi_tiles_asked *q, const ashlar_tiles_options *given, ashlar_error *err)
{
    const ashi_filled filled = {q->who, "options", given, ASHI_FIRST_VERSION(ashlar_tiles_options, threshold)};
    ashlar_tiles_options *out = &q->options;
    *out = (ashlar_tiles_options){0};
    if (!given)
        return ASHLAR_OK;
    ashlar_status status = ashi_structure_take(&filled, out, sizeof *out, err);
    if (status == ASHLAR_OK && !(out->threshold >= 0 && out->threshold < INFINITY))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: threshold = %g, wanted at least 0", q->who, out->threshold);
    if (status == ASHLAR_OK && !(out->budget >= 0 && out->budget < INFINITY))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: budget = %g, wanted at least 0", q->who, out->budget);
    if (status == ASHLAR_OK && out->budget > 0 && out->threshold > 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: threshold = %g and budget = %g, wanted one of them", q->who,
                         out->threshold, out->budget);
    if (status == ASHLAR_OK && (out->stays < ASHLAR_STAYS_CHOSEN || out->stays > ASHLAR_STAYS_C))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: stays = %d is none", q->who, out->stays);
    if (status == ASHLAR_OK && out->layers < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: layers = %d, wanted at least 0", q->who, out->layers);
    if (status == ASHLAR_OK && !(out->tolerance >= 0 && out->tolerance < INFINITY))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tolerance = %g, wanted at least 0", q->who, out->tolerance);
    if (status == ASHLAR_OK && (out->window < 0 || out->window > ASHI_WINDOW_MAX))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: window = %d, wanted 0 to %d", q->who, out->window, ASHI_WINDOW_MAX);
    if (status == ASHLAR_OK && out->memory_words < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: memory_words = %" PRId64 ", wanted at least 0", q->who,
                         out->memory_words);
    if (status == ASHLAR_OK && out->machine)
        status = ashi_check_machine(q->who, out->machine, err);
    if (status == ASHLAR_OK)
        q->ranges = ashi_ranges_of(out->ranges);
    out->ranges = NULL; /* the caller's list may be gone when a plan is executed */
    return status;
}

static ashlar_status check_sides(const char *who, const ashi_cuts *x, const char *x_name, const ashi_cuts *y,
                                 const char *y_name, ashlar_error *err)
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

static ashlar_status check_cuts(const char *who, const ashi_tiles_factors *t, const ashlar_tiles *c, ashlar_error *err)
{
    const ashi_cuts *inner = t->op[1] != ASHLAR_OP_N ? &t->x[1]->col : &t->x[1]->row;
    ashlar_status status = check_sides(who, ashi_tiles_factors_cuts(t, 2), "op(A)'s columns", inner, "op(B)'s rows",
                                       err);
    if (status == ASHLAR_OK)
        status = check_sides(who, &c->row, "C's rows", ashi_tiles_factors_cuts(t, 0), "op(A)'s rows", err);
    if (status == ASHLAR_OK)
        status = check_sides(who, &c->col, "C's columns", ashi_tiles_factors_cuts(t, 1), "op(B)'s columns", err);
    return status;
}

static ashlar_status check_matrices(const char *who, const ashi_tiles_factors *t, const ashlar_tiles *c,
                                    ashlar_error *err)
{
    const ashlar_tiles *const each[2] = {t->x[0], t->x[1]};
    for (int i = 0; i < 2; i++) {
        if (each[i]->context != c->context || each[i]->type != c->type)
            return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %c and C have different %s", who, "AB"[i],
                             each[i]->context != c->context ? "contexts" : "types");
    }
    if (t->x[0] == c || t->x[1] == c)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: C is %s too", who, t->x[0] == c ? "A" : "B");
    return check_cuts(who, t, c, err);
}

static ashlar_status check_ranges(const ashi_tiles_asked *q, const char *who, const ashi_tiles_factors *t,
                                  ashlar_error *err)
{
    const ashi_cuts *const cuts[3] = {&q->c->row, &q->c->col, ashi_tiles_factors_cuts(t, 2)};
    return ashi_ranges_check(who, &q->ranges, cuts, q->c->symmetry != ASHLAR_GENERAL, err);
}

static ashi_tiles_factors factors_of(const ashlar_tiles_term *t)
{
    return (ashi_tiles_factors){.x = {t->a, t->b}, .from = {t->a, t->b}, .op = {t->op_a, t->op_b}};
}

static ashlar_status check_term(const ashi_tiles_asked *q, const char *who, const ashlar_tiles_term *t,
                                ashlar_error *err)
{
    const bool no_alpha = !t->alpha && !q->shapes;
    const ashi_tiles_factors factors = factors_of(t);
    if (no_alpha || !t->a || !t->b)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s is NULL", who, no_alpha ? "alpha" : !t->a ? "a" : "b");
    for (int x = 0; x < 2; x++)
        if ((int)factors.op[x] < ASHLAR_OP_N || (int)factors.op[x] > ASHLAR_OP_C)
            return ashi_fail(err, ASHLAR_ERR_ARG, "%s: op_%c = %d is none", who, "ab"[x], (int)factors.op[x]);
    const ashlar_status status = check_matrices(who, &factors, q->c, err);
    return status == ASHLAR_OK ? check_ranges(q, who, &factors, err) : status;
}

static ashlar_status check(const ashi_tiles_asked *q, ashlar_error *err)
{
    char who[96];
    ashlar_status status = ASHLAR_OK;
    if (q->c->context != q->context)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: C has another context than the plan", q->who);
    if (q->terms < 1 || !q->term)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %" PRId64 " terms, wanted at least one", q->who,
                         q->term ? q->terms : 0);
    if (!q->beta && !q->shapes)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: beta is NULL", q->who);
    if (q->shapes && q->c->deal.owner)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "%s: C's tiles are dealt out by a function, wanted a process grid", q->who);
    for (int64_t i = 0; i < q->terms && status == ASHLAR_OK; i++) {
        if (q->terms == 1)
            snprintf(who, sizeof who, "%s", q->who);
        else
            snprintf(who, sizeof who, "%s: term %" PRId64, q->who, i);
        status = check_term(q, who, &q->term[i], err);
    }
    return status == ASHLAR_OK ? ashi_tiles_check_low(q, err) : status;
}

static int64_t bits_of(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* One number for the operations of all terms; of one term it is the operation. */
static int64_t ops_of(const ashi_tiles_asked *q, int x)
{
    uint64_t ops = 0;
    for (int64_t i = 0; i < q->terms && q->term; i++)
        ops = ops * 31 + (uint64_t)(x == ASHLAR_A ? q->term[i].op_a : q->term[i].op_b);
    return (int64_t)(ops & INT64_MAX);
}

static ashlar_status compare(const ashi_tiles_asked *q, ashlar_status mine, ashlar_error *err)
{
    const ashlar_tiles_options *o = &q->options;
    const ashi_ranges *r = &q->ranges;
    const ashi_shared values[] = {{"terms", q->terms}, {"op_a", ops_of(q, ASHLAR_A)}, {"op_b", ops_of(q, ASHLAR_B)},
                                  {"retain", o->retain}, {"window", o->window},
                                  {"keep_small_products", o->keep_small_products},
                                  {"keep_small_tiles", o->keep_small_tiles}, {"bound", o->bound},
                                  {"threshold", bits_of(o->threshold)}, {"budget", bits_of(o->budget)},
                                  {"tolerance", bits_of(o->tolerance)}, {"relative", o->relative != 0},
                                  {"ranges", r->given}, {"the range of m", r->first[0]}, {"the range of m", r->end[0]},
                                  {"the range of n", r->first[1]}, {"the range of n", r->end[1]},
                                  {"the range of k", r->first[2]}, {"the range of k", r->end[2]},
                                  {"whether trace is NULL", o->trace == NULL},
                                  {"stays", o->stays}, {"layers", o->layers},
                                  {"memory_words", o->memory_words}};
    ashlar_status status = ashi_agree_same(q->context, mine, q->who, values,
                                           (int)(sizeof values / sizeof values[0]), err);
    for (int64_t i = 0; i < q->terms && status == ASHLAR_OK && !q->shapes; i++)
        status = ashi_agree_scalars(q->context, status, q->who, q->c->type, q->term[i].alpha, q->beta, err);
    return status;
}

ashlar_status ashi_tiles_ask(const ashi_tiles_asked *q, ashlar_status mine, ashlar_error *err)
{
    return compare(q, mine == ASHLAR_OK ? check(q, err) : mine, err);
}

bool ashi_tiles_asks_nothing(const ashi_tiles_asked *q)
{
    for (int64_t i = 0; i < q->terms; i++)
        if (!q->c->kernels->is_zero(q->term[i].alpha))
            return false;
    return true;
}

/* ---- what is planned ---- */

/* The absolute value of a scalar, not below the true one. */
static double size_of(const ashlar_tiles *t, const void *scalar)
{
    const ashi_number x = t->tile_kernels->number(scalar);
    return x.im == 0 ? fabs(x.re) : hypot(x.re, x.im) * (1 + 4 * DBL_EPSILON);
}

/* A tile of C that stands for its mirror image has its error twice. Products and tiles have half of a budget each, if
 * none of them is to stay. */
static void give_budget(const ashi_tiles_asked *q, ashi_tiles_product *p)
{
    const ashlar_tiles_options *o = &q->options;
    const bool drops = !o->keep_small_tiles && !o->retain;
    p->budget = p->rest = 0;
    if (q->shapes || (o->keep_small_products && !drops))
        return;
    p->budget = q->c->symmetry == ASHLAR_GENERAL ? o->budget : o->budget / (sqrt(2) * (1 + 4 * DBL_EPSILON));
    p->share = o->keep_small_products ? 0 : drops ? 0.5 : 1;
}

/* Sums are dropped with C alone. Each is added to those of other layers. */
static void screen_sums(ashi_tiles_product *p)
{
    p->adding = p->screen;
    p->screen.beta = p->screen.drop = 0;
    p->screen.additions = p->adding.additions = p->layers->count;
}

void ashi_tiles_product_give(const ashi_tiles_asked *q, ashi_tiles_product *p)
{
    const ashlar_tiles_options *o = &q->options;
    p->from_c = p->whole ? p->c : q->c;
    p->screen = p->adding = (ashi_screen){0};
    give_budget(q, p);
    if (q->shapes || (o->threshold == 0 && o->budget == 0 && !o->bound))
        return;
    for (int64_t i = 0; i < p->terms; i++)
        p->term[i].alpha = size_of(q->c, p->term[i].scalar);
    p->screen = (ashi_screen){.type = ashi_type_of(q->c->type), .alpha = p->terms > 1 ? 1 : p->term[0].alpha,
                              .beta = size_of(q->c, q->beta), .skip = o->keep_small_products ? 0 : o->threshold,
                              .drop = o->keep_small_tiles || o->retain ? 0 : o->threshold};
    if (p->whole)
        screen_sums(p);
}

void ashi_tiles_product_part(ashi_tiles_product *p, const ashlar_tiles *sums, const ashi_tile_layers *layers)
{
    p->whole = p->c;
    p->c = p->from_c = sums;
    p->layers = layers;
    screen_sums(p);
}

ashlar_status ashi_tiles_product_begin(const ashi_tiles_asked *q, bool all_terms, ashi_tiles_product *out,
                                       ashlar_error *err)
{
    *out = (ashi_tiles_product){.who = q->who, .c = q->kept ? q->kept[2 * q->terms] : q->c, .ranges = q->ranges,
                                .kept = q->kept != NULL,
                                .retain = q->options.retain != 0, .window = q->options.window,
                                .memory_words = q->options.memory_words, .low = ashi_tiles_have_low(q),
                                .machine = q->options.machine,
                                .term = calloc((size_t)q->terms, sizeof *out->term)};
    out->apart = q->context->has_devices && !out->low;
    give_budget(q, out); /* also if memory lacks: with a budget, or ranks of tiles, the ranks meet once more */
    if (!out->term)
        return ashi_fail_memory(err, q->who, q->terms * (int64_t)sizeof *out->term);
    for (int64_t i = 0; i < q->terms; i++) {
        if (!all_terms && q->c->kernels->is_zero(q->term[i].alpha))
            continue;
        out->term[out->terms] = factors_of(&q->term[i]);
        for (int x = 0; x < 2 && q->kept; x++)
            out->term[out->terms].x[x] = q->kept[2 * i + x];
        out->term[out->terms++].scalar = q->term[i].alpha;
    }
    ashi_tiles_product_give(q, out);
    return ASHLAR_OK;
}

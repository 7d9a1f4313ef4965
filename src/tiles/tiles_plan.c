/* Plans of products of matrices of tiles: made for patterns, executed, changed when patterns change. */
#include "base/error.h"
#include "base/structure.h"
#include "base/checked.h"
#include "base/type.h"
#include "exec/mpi.h"
#include "tiles/alike.h"
#include "tiles/low_rank_product.h"
#include "tiles/multiply.h"
#include "tiles/multiply_ways.h"
#include "tiles/product_change.h"
#include "tiles/product_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct ashlar_tiles_plan {
    const ashlar_context *context;
    int64_t terms;
    ashlar_tiles **shape; /* A and B of each term, then C: what they looked like when this was planned, no elements */
    ashlar_tiles_options options;
    ashi_ranges ranges;
    ashlar_op (*op)[2];         /* of each term */
    ashi_tiles_planned *made;   /* NULL: not yet, or not any more */
    int64_t planned[3];
};

/* ---- shapes ---- */

static int64_t shapes_of(const ashlar_tiles_plan *plan)
{
    return 2 * plan->terms + 1;
}

/* The matrix of a term list that has a shape. */
static const ashlar_tiles *matrix_of(const ashi_tiles_asked *q, int64_t shape)
{
    if (shape == 2 * q->terms)
        return q->c;
    return shape % 2 == 0 ? q->term[shape / 2].a : q->term[shape / 2].b;
}

/* Take over which tiles this rank has, and where, and how much all ranks have. */
static ashlar_status take_pattern(const ashlar_tiles *of, ashlar_tiles *shape, ashlar_error *err)
{
    const size_t count = (size_t)of->held.pattern.tiles + 1;
    ashi_held_free(&shape->held);
    ashi_tiles_take_counts(shape, of);
    if (!of->held.offset)
        return ASHLAR_OK;
    shape->held.offset = malloc(count * sizeof *shape->held.offset);
    if (!shape->held.offset)
        return ashi_fail_memory(err, "a plan", (int64_t)(count * sizeof *shape->held.offset));
    memcpy(shape->held.offset, of->held.offset, count * sizeof *shape->held.offset);
    return ashi_pattern_copy(&of->held.pattern, &shape->held.pattern, err);
}

static ashlar_status take_patterns(ashlar_tiles_plan *plan, const ashi_tiles_asked *q, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < shapes_of(plan) && status == ASHLAR_OK; i++)
        status = take_pattern(matrix_of(q, i), plan->shape[i], err);
    return status;
}

/* ---- making ---- */

/* With norms the products may be others in each execution. */
static bool follows_norms(const ashlar_tiles_plan *plan)
{
    return plan->options.threshold > 0 || plan->options.budget > 0 || plan->options.bound;
}

/* Local. */
static ashlar_status begin(ashlar_tiles_plan *plan, const ashi_tiles_asked *q, ashlar_error *err)
{
    plan->context = q->context;
    plan->terms = q->terms;
    plan->options = q->options;
    plan->ranges = q->ranges;
    plan->op = calloc((size_t)q->terms, sizeof *plan->op);
    plan->shape = calloc((size_t)shapes_of(plan), sizeof(ashlar_tiles *));
    if (!plan->shape || !plan->op)
        return ashi_fail_memory(err, q->who, shapes_of(plan) * (int64_t)sizeof(ashlar_tiles *));
    for (int64_t t = 0; t < plan->terms; t++) {
        plan->op[t][0] = q->term[t].op_a;
        plan->op[t][1] = q->term[t].op_b;
    }
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < shapes_of(plan) && status == ASHLAR_OK; i++)
        status = ashi_tiles_like(matrix_of(q, i), &plan->shape[i], err);
    if (status == ASHLAR_OK)
        status = take_patterns(plan, q, err);
    return status;
}

ashlar_status ashlar_tiles_plan_create(int64_t terms, const ashlar_tiles_term *term, const ashlar_tiles *c,
                                       const ashlar_tiles_options *options, ashlar_tiles_plan **out, ashlar_error *err)
{
    ashi_tiles_asked q = {.who = "ashlar_tiles_plan_create", .terms = terms, .term = term, .shapes = true,
                          .c = (ashlar_tiles *)(uintptr_t)c};
    ashlar_error own = {0};
    err = err ? err : &own;
    if (out)
        *out = NULL;
    if (!c || !out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s is NULL", q.who, !c ? "c" : "out");
    q.context = c->context;
    ashlar_status status = ashi_tiles_take_options(&q, options, err);
    status = ashi_tiles_ask(&q, status, err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_check_plan(&q, err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_check_way(&q, err);
    if (status != ASHLAR_OK)
        return status;
    ashlar_tiles_plan *plan = calloc(1, sizeof *plan);
    status = plan ? begin(plan, &q, err) : ashi_fail_memory(err, q.who, (int64_t)sizeof *plan);
    status = ashi_agree_named(q.context, status, err);
    q.kept = plan ? plan->shape : NULL;
    if (status == ASHLAR_OK && !follows_norms(plan))
        status = ashi_tiles_plan_best(&q, &plan->made, err);
    if (status != ASHLAR_OK)
        ashlar_tiles_plan_free(&plan);
    *out = plan;
    return status;
}

void ashlar_tiles_plan_free(ashlar_tiles_plan **plan)
{
    ashlar_tiles_plan *p = plan ? *plan : NULL;
    if (!p)
        return;
    ashi_tiles_planned_free(&p->made);
    free(p->op);
    for (int64_t i = 0; p->shape && i < shapes_of(p); i++)
        ashlar_tiles_free(&p->shape[i]);
    free(p->shape);
    free(p);
    *plan = NULL;
}

/* ---- executing ---- */

/* Local: the matrices are cut and dealt out as when this was planned. */
static ashlar_status check_fit(const ashlar_tiles_plan *plan, const ashi_tiles_asked *q, ashlar_error *err)
{
    for (int64_t i = 0; i < shapes_of(plan); i++) {
        const ashlar_tiles *matrix = matrix_of(q, i), *shape = plan->shape[i];
        const int x = i == 2 * plan->terms ? ASHLAR_C : (int)(i % 2);
        const char *what = NULL;
        if (!matrix)
            continue; /* said by the check of what is asked for */
        if (ashi_tiles_alike(shape, matrix, &what) && shape->symmetry != matrix->symmetry)
            what = "their symmetries";
        if (what)
            return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %c of term %" PRId64 " and of the plan differ in %s", q->who,
                             "ABC"[x], x == ASHLAR_C ? 0 : i / 2, what);
    }
    for (int64_t t = 0; t < plan->terms; t++)
        if (q->term[t].op_a != plan->op[t][0] || q->term[t].op_b != plan->op[t][1])
            return ashi_fail(err, ASHLAR_ERR_ARG, "%s: term %" PRId64 " and the plan's differ in an operation", q->who,
                             t);
    return ASHLAR_OK;
}

static bool same_tiles(const ashlar_tiles *x, const ashlar_tiles *shape)
{
    return ashi_pattern_equal(&x->held.pattern, &shape->held.pattern);
}

static bool same_factors(const ashlar_tiles_plan *plan, const ashi_tiles_asked *q)
{
    for (int64_t i = 0; i < 2 * plan->terms; i++)
        if (!same_tiles(matrix_of(q, i), plan->shape[i]))
            return false;
    return true;
}

/* C may have the tiles from before, or those from after an execution. Partial sums do not depend on its tiles, unless
 * they are retained; what fits beside them does. */
static bool same_c(const ashlar_tiles_plan *plan, const ashi_tiles_asked *q)
{
    const ashi_tiles_product *p = &plan->made->product;
    if (same_tiles(q->c, plan->shape[2 * plan->terms]))
        return true;
    if (p->whole)
        return !p->retain && p->memory_words == 0;
    return ashi_pattern_equal(&q->c->held.pattern, ashi_tiles_product_after(p));
}

/* The tiles that come and go, of each matrix but C. */
static ashlar_status find_changes(ashlar_tiles_plan *plan, const ashi_tiles_asked *q, ashi_pattern_changes *changed,
                                  ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < 2 * plan->terms && status == ASHLAR_OK; i++) {
        const ashi_pattern *before = &plan->shape[i]->held.pattern, *after = &matrix_of(q, i)->held.pattern;
        if (ashi_pattern_equal(before, after))
            continue;
        status = ashi_pattern_compare(before, after, &changed[i], &plan->made->product.steps.named, err);
    }
    return status;
}

/* Change the plan. Collective. */
static ashlar_status change(ashlar_tiles_plan *plan, const ashi_tiles_asked *q, ashlar_error *err)
{
    ashi_pattern_changes *changed = calloc(2 * (size_t)plan->terms, sizeof *changed);
    ashlar_status status = changed ? find_changes(plan, q, changed, err)
                                   : ashi_fail_memory(err, q->who, 2 * plan->terms * (int64_t)sizeof *changed);
    if (status == ASHLAR_OK)
        status = take_patterns(plan, q, err);
    status = ashi_tiles_product_change(&plan->made->product, changed, status, err);
    for (int64_t i = 0; changed && i < 2 * plan->terms; i++)
        ashi_pattern_changes_free(&changed[i]);
    free(changed);
    return status;
}

static bool is_made(const ashlar_tiles_plan *plan)
{
    return plan->made && ashi_tiles_product_is_made(&plan->made->product);
}

/* What this rank would have to plan: the lower the value, the more. */
static int own_state(const ashlar_tiles_plan *plan, const ashi_tiles_asked *q)
{
    const bool factors = same_factors(plan, q);
    if (!is_made(plan))
        return ASHLAR_PLANNED_NEW;
    const ashi_tiles_product *p = &plan->made->product;
    if (follows_norms(plan))
        return factors ? ASHLAR_PLANNED_CHANGED : ASHLAR_PLANNED_NEW;
    const bool sums = same_c(plan, q), stays = !p->retain || sums;
    if (factors && sums)
        return ASHLAR_PLANNED_REUSED;
    return !p->whole && stays && ashi_tiles_product_changes(p) ? ASHLAR_PLANNED_CHANGED : ASHLAR_PLANNED_NEW;
}

/* What an execution has to plan, on all ranks alike. Collective. */
static ashlar_status find_state(const ashlar_tiles_plan *plan, const ashi_tiles_asked *q, int *planned,
                                ashlar_error *err)
{
    *planned = own_state(plan, q);
    ashi_note(q->context, MPI_Allreduce(MPI_IN_PLACE, planned, 1, MPI_INT, MPI_MIN, q->context->comm),
              "MPI_Allreduce");
    return ashi_agree(q->context, ASHLAR_OK, err);
}

/* Other elements of the same tiles of A and B: the way stays, what follows from norms is found again. Collective. */
static ashlar_status weigh(ashlar_tiles_plan *plan, const ashi_tiles_asked *q, ashlar_error *err)
{
    ashi_tiles_product *p = &plan->made->product;
    const ashlar_status status = take_patterns(plan, q, err);
    if (!p->whole)
        return ashi_tiles_product_weigh(p, status, err);
    ashi_tiles_product_clear(p);
    return ashi_tiles_product_make(p, status, err);
}

/* Collective. */
static ashlar_status plan_for(ashlar_tiles_plan *plan, const ashi_tiles_asked *q, int planned, ashlar_error *err)
{
    if (planned == ASHLAR_PLANNED_REUSED)
        return ASHLAR_OK;
    if (planned == ASHLAR_PLANNED_CHANGED)
        return follows_norms(plan) ? weigh(plan, q, err) : change(plan, q, err);
    ashi_tiles_planned_free(&plan->made);
    const ashlar_status status = ashi_agree_named(q->context, take_patterns(plan, q, err), err);
    return status == ASHLAR_OK ? ashi_tiles_plan_best(q, &plan->made, err) : status;
}

static void give(ashlar_tiles_plan *plan, const ashi_tiles_asked *q)
{
    ashi_tiles_product *p = &plan->made->product;
    for (int64_t t = 0; t < plan->terms; t++) {
        p->term[t].scalar = q->term[t].alpha;
        p->term[t].from[0] = q->term[t].a;
        p->term[t].from[1] = q->term[t].b;
    }
    ashi_tiles_product_give(q, p);
    p->steps = (ashi_tiles_steps){0};
}

/* Collective. */
static ashlar_status execute(ashlar_tiles_plan *plan, const ashi_tiles_asked *q, ashlar_tiles_result *found,
                             ashlar_error *err)
{
    const double began = MPI_Wtime();
    int planned;
    if (plan->made)
        give(plan, q);
    ashlar_status status = find_state(plan, q, &planned, err);
    if (status == ASHLAR_OK)
        status = plan_for(plan, q, planned, err);
    const double planning = MPI_Wtime() - began;
    if (status == ASHLAR_OK)
        status = ashi_tiles_planned_run(plan->made, q, found, err);
    found->planning_seconds = planning;
    found->planned = planned;
    if (status == ASHLAR_OK)
        plan->planned[planned]++;
    return status;
}

ashlar_status ashlar_tiles_plan_execute_sized(ashlar_tiles_plan *plan, const ashlar_tiles_term *term, const void *beta,
                                              ashlar_tiles *c, ashlar_tiles_result *result, size_t result_size,
                                              ashlar_error *err)
{
    ashi_tiles_asked q = {.who = "ashlar_tiles_plan_execute", .term = term, .beta = beta, .c = c};
    ashlar_error own = {0};
    ashlar_tiles_result found = {.planned = ASHLAR_PLANNED_REUSED};
    err = err ? err : &own;
    if (!plan || !c)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s is NULL", q.who, !plan ? "plan" : "c");
    q.context = plan->context;
    q.terms = plan->terms;
    q.options = plan->options;
    q.ranges = plan->ranges;
    q.kept = plan->shape;
    ashlar_status status = ashi_tiles_ask(&q, term ? check_fit(plan, &q, err) : ASHLAR_OK, err);
    if (status == ASHLAR_OK)
        status = ashi_tiles_check_plan(&q, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_tiles_device_begin(q.context);
    if (ashi_tiles_asks_nothing(&q))
        ashi_tiles_rescale(&q);
    else
        status = execute(plan, &q, &found, err);
    if (result && status == ASHLAR_OK)
        ashi_structure_give(&found, sizeof found, result, result_size);
    return status;
}

/* ---- what it has ---- */

static int64_t bytes_of(const ashlar_tiles_plan *plan)
{
    int64_t bytes = (int64_t)sizeof *plan;
    for (int64_t i = 0; i < shapes_of(plan); i++)
        bytes += ashi_tiles_bytes(plan->shape[i]);
    if (plan->made)
        bytes += (int64_t)sizeof *plan->made + ashi_tiles_product_bytes(&plan->made->product);
    return bytes;
}

ashlar_status ashlar_tiles_plan_inspect_sized(const ashlar_tiles_plan *plan, ashlar_tiles_plan_info *info, size_t size,
                                              ashlar_error *err)
{
    if (!plan || !info)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tiles_plan_inspect: %s is NULL", !plan ? "plan" : "info");
    const bool ready = is_made(plan) && !follows_norms(plan);
    ashlar_tiles_plan_info found = {.terms = plan->terms, .bytes = bytes_of(plan), .ready = ready};
    memcpy(found.planned, plan->planned, sizeof found.planned);
    if (ready) {
        const ashi_tiles_product *p = &plan->made->product;
        found.workspace_words = ashi_player_workspace(p->player);
        found.products = p->symbolic.formed;
        found.flops = ashi_mul_most(p->symbolic.multiplies, ashi_type_of(p->c->type)->flops);
        found.c_tiles = p->symbolic.c.tiles;
        found.iterations = p->problem.iterations;
        found.window = p->problem.window;
        found.memory_words = ashi_tiles_product_peak(p, ashi_tiles_product_words(p, p->c),
                                                     ashi_player_workspace(p->player) +
                                                         ashi_player_buffers(p->player));
    }
    ashi_structure_give(&found, sizeof found, info, size);
    return ASHLAR_OK;
}

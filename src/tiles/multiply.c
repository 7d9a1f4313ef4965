/* The run of a product of matrices of tiles that is planned, and what becomes of C at its end. */
#include "tiles/multiply.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "tiles/boxes.h"
#include "tiles/dropping.h"
#include "tiles/low_rank_product.h"
#include "tiles/product_parts.h"
#include "tiles/timeline.h"
#include "tiles/within.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void rescale(const ashlar_tiles *c, int64_t words, const void *beta, char *data)
{
    const bool clear = c->kernels->is_zero(beta);
    const ashi_matrix zero = {c->kernels->zero, 0, 0}, own = {data, 1, words};
    if (words > 0)
        c->kernels->axpby(words, 1, clear ? c->kernels->one : beta, clear ? &zero : &own, false, c->kernels->zero, data,
                          1, words);
}

void ashi_tiles_rescale(const ashi_tiles_asked *q)
{
    ashlar_tiles *const c = q->c;
    if (!q->ranges.given)
        ashi_held_times(c, q->beta, &c->held);
    for (ashi_held_walk w = {.number = -1}; q->ranges.given && ashi_held_next(&c->held, &w);) {
        const int64_t rank = ashi_held_rank(&c->held, w.number);
        const int64_t all = c->held.offset[w.number + 1] - c->held.offset[w.number];
        const bool whole = rank < 0 || c->kernels->is_zero(q->beta); /* V may have a NaN, and 0 times it is one */
        const int64_t words = whole ? all : rank * ashi_cuts_size(&c->row, w.at.row); /* those of U */
        if (ashi_ranges_have(&q->ranges, 0, w.at.row, 1, w.at.col))
            rescale(c, words, q->beta, ashi_held_tile(&c->held, w.number, c->bytes));
    }
}

/* `held`: words of the tiles. */
static void report(const ashi_tiles_product *p, const ashi_player_tally *tally, int64_t held, ashlar_tiles_result *out)
{
    const int64_t workspace = tally->workspace + tally->buffers;
    *out = (ashlar_tiles_result){.products = p->symbolic.formed, .left_out = p->symbolic.left_out,
                                 .flops = ashi_mul_most(p->symbolic.multiplies, ashi_type_of(p->c->type)->flops),
                                 .words = tally->received, .messages = tally->received_messages,
                                 .workspace_words = workspace, .memory_words = held + workspace,
                                 .iterations = p->problem.iterations, .window = p->problem.window,
                                 .seconds = tally->seconds, .planning_steps = ashi_tiles_steps_all(&p->steps),
                                 .predicted_words = ashi_tile_program_words(&p->program), .stays = ASHLAR_STAYS_C,
                                 .layers = 1, .imbalance = p->imbalance};
}

/* What the run needs besides, so that nothing fails once C was changed. */
typedef struct ending {
    ashi_term_work *work;
    ashi_held grown; /* C with other tiles than it has; without data if it has the same */
    bool *keep;
    double *bounds;
    int64_t *room; /* if there is a budget for tiles */
    double expanded; /* what rounding does to C's tiles that are expanded */
    ashi_compressing compressing; /* if there is a tolerance */
} ending;

/* Storage for C's tiles, if they are not those that it has. */
static ashlar_status grow(const ashi_tiles_product *p, const ashlar_tiles *c, ashi_held *grown, ashlar_error *err)
{
    const ashi_held_size size = ashi_tiles_held_size(c);
    ashi_pattern pattern = {0};
    const ashi_pattern *after = ashi_tiles_product_after(p);
    if (p->apart ? after->tiles == 0 && !c->held.offset
                 : c->held.offset ? !c->held.low && ashi_pattern_equal(after, &c->held.pattern) : after->tiles == 0)
        return ASHLAR_OK;
    ashlar_status status = ashi_pattern_copy(after, &pattern, err);
    if (status == ASHLAR_OK)
        status = ashi_held_make(&pattern, &size, grown, err);
    if (status == ASHLAR_OK)
        ashi_held_copy(&c->held, &size, grown);
    ashi_pattern_free(&pattern);
    return status;
}

static ashlar_status make_ending(const ashi_tiles_product *p, const ashi_tiles_asked *q, ending *e, ashlar_error *err)
{
    const ashlar_tiles *const c = q->c;
    const int64_t tiles = ashi_tiles_product_after(p)->tiles, ranks = c->context->ranks;
    const size_t room = p->budget > 0 ? ASHI_BUDGET_ROOM : 1;
    const int64_t numbers = ASHI_BOUND_NUMBERS * ranks;
    *e = (ending){.work = calloc((size_t)p->terms, sizeof *e->work), .keep = malloc((size_t)tiles + 1),
                  .bounds = malloc((size_t)numbers * sizeof *e->bounds), .room = malloc(room * sizeof *e->room)};
    if (!e->work || !e->keep || !e->bounds || !e->room)
        return ashi_fail_memory(err, p->who, tiles + (numbers + (int64_t)room) * (int64_t)sizeof *e->bounds);
    for (int64_t i = 0; i < p->terms; i++) {
        const ashi_tiles_factors *t = &p->term[i];
        e->work[i] = (ashi_term_work){t->scalar, {t->from[0]->held.data, t->from[1]->held.data}};
    }
    if (p->screen.type && c->held.low && p->screen.beta > 0) /* else C is not read */
        e->expanded = p->screen.beta * ashi_tiles_expansion_bound(c);
    const ashlar_status status = grow(p, c, &e->grown, err);
    if (status != ASHLAR_OK || !(q->options.tolerance > 0))
        return status;
    return ashi_compressing_make(c, ashi_tiles_product_after(p), NULL, &e->compressing, err);
}

static void free_ending(ending *e)
{
    free(e->work);
    free(e->keep);
    free(e->bounds);
    free(e->room);
    ashi_held_free(&e->grown);
    ashi_compressing_free(&e->compressing);
}

/* Tiles that are small enough go. Collective if there is a budget; status and text are the same on all ranks. */
static ashlar_status drop_small(const ashi_tiles_product *p, ashlar_tiles *c, const ending *e, ashi_error_bound *bound,
                                ashlar_tiles_result *result, ashlar_error *err)
{
    double dropped;
    ashlar_status status = ASHLAR_OK;
    if (!(p->screen.drop > 0) && !(p->rest > 0))
        return ASHLAR_OK;
    if (p->rest > 0)
        status = ashi_tiles_choose_small(c, &p->ranges, p->rest, e->keep, e->room, err);
    else
        ashi_tiles_choose_below(c, &p->ranges, p->screen.drop, e->keep);
    if (status != ASHLAR_OK)
        return status;
    result->dropped = ashi_tiles_drop(c, e->keep, &dropped);
    *bound = ashi_error_with_dropped(*bound, dropped);
    return ASHLAR_OK;
}

/* Compress C, if there is a tolerance, and count what that loses. */
static void compress(const ashi_tiles_product *p, const ashi_tiles_asked *q, ending *e, ashi_error_bound *bound)
{
    double lost = hypot(bound->dropped, e->expanded);
    if (!p->low && !(e->expanded > 0) && !(q->options.tolerance > 0))
        return;
    if (q->options.tolerance > 0)
        lost = hypot(lost, ashi_compressing_run(&e->compressing, &q->c->held, q->options.tolerance,
                                                q->options.relative != 0));
    if (p->low)
        *bound = ashi_error_with_rounding(*bound, ASHI_LOW_RANK_ROUNDING);
    *bound = ashi_error_with_dropped(*bound, lost * (1 + 4 * DBL_EPSILON));
}

static double join_bounds(const ashi_tiles_product *p, const ashlar_tiles *c, const ashi_error_bound *own,
                          double *room)
{
    return ashi_tiles_join_bounds(c, own, ashi_product_layer(p), p->layers ? p->layers->count : 1, room);
}

static ashlar_status end(ashi_tiles_product *p, const ashi_tiles_asked *q, ending *e, ashlar_tiles_result *result,
                         ashlar_error *err)
{
    ashlar_tiles *const c = q->c;
    ashi_error_bound bound = p->symbolic.bound;
    if (e->grown.offset)
        ashi_tiles_take(c, &e->grown);
    const ashlar_status status = drop_small(p, c, e, &bound, result, err);
    ashi_boxes_follow(c, &c->held);
    compress(p, q, e, &bound);
    result->error_bound = p->screen.type ? join_bounds(p, c, &bound, e->bounds) : INFINITY;
    ashi_tiles_count(c);
    return ashi_conclude(c->context, status, err);
}

/* C's tiles that are made apart are again what they were before the run. */
static void restore(const ashlar_tiles *c, ashi_held *grown)
{
    const ashi_held_size size = ashi_tiles_held_size(c);
    const int64_t words = ashi_held_words(grown);
    if (words > 0)
        memset(grown->data, 0, (size_t)words * c->bytes);
    ashi_held_copy(&c->held, &size, grown);
}

/* If a device fails all ranks begin anew, without devices: what came from other ranks for the one that failed is gone.
 * Collective. */
static ashlar_status play(ashi_tiles_product *p, const ashi_tiles_asked *q, ending *e, ashi_player_tally *tally,
                          ashlar_error *err)
{
    ashlar_tiles *const c = q->c;
    const bool fresh = c->held.pattern.tiles == 0; /* all of it is 0 already */
    const ashi_player_work work = {.terms = e->work, .beta = fresh ? c->kernels->one : q->beta,
                                   .part[ASHLAR_C].base = e->grown.offset ? e->grown.data : c->held.data,
                                   .progress = q->options.progress, .user = q->options.progress_user};
    ashlar_status status = ashi_player_run(p->player, &work, tally, err);
    ashi_product_note_device(p, status, err);
    status = ashi_agree_named(c->context, status, err);
    if (status != ASHLAR_ERR_DEVICE || !p->apart)
        return status;
    ashi_product_leave_device(p);
    if (e->grown.offset)
        restore(c, &e->grown);
    return ashi_agree_named(c->context, ashi_player_run(p->player, &work, tally, err), err);
}

ashlar_status ashi_tiles_product_run(ashi_tiles_product *p, const ashi_tiles_asked *q, ashlar_tiles_result *result,
                                     ashlar_error *err)
{
    ashlar_tiles *c = q->c;
    ashi_player_tally tally;
    ashi_tiles_timeline timeline;
    ashlar_error own = {0};
    ending e;
    const int64_t held = ashi_tiles_product_words(p, c);
    const ashlar_status made = make_ending(p, q, &e, err);
    ashlar_status status = ashi_tiles_timeline_begin(c->context, q->options.trace, p->player, &timeline,
                                               made == ASHLAR_OK ? err : &own);
    status = ashi_agree_named(c->context, made == ASHLAR_OK ? status : made, err);
    if (status == ASHLAR_OK)
        status = play(p, q, &e, &tally, err);
    if (status == ASHLAR_OK) {
        report(p, &tally, held, result);
        status = end(p, q, &e, result, err);
    }
    status = ashi_tiles_timeline_end(c->context, &timeline, p->player, status, err);
    free_ending(&e);
    return status;
}

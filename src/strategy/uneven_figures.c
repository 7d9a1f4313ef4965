/* What boxes of any shape take, without schedules: layouts, words, rounds, messages and memory. */
#include "strategy/uneven_figures.h"

#include "base/checked.h"
#include "base/error.h"
#include "strategy/buffers.h"

#include <inttypes.h>
#include <stdlib.h>

/* If it takes a walk over all schedules to say whether boxes fit, they are not compared if all ranks may have more
 * messages: to count as many takes some seconds. */
static const double WALKED_MOST = 1 << 27;

static bool in_own_layouts(const ashi_problem *q)
{
    return !q->layout[0] && !q->layout[1] && !q->layout[2];
}

/* Words of a slab, its own among them, and as many that are packed to be sent. */
static int64_t slab_words(const ashi_extent *e, int64_t rounds)
{
    return 2 * ashi_ceil_div(e->side[2], rounds) * e->width;
}

/* Words of sums that arrive in a round, and of those that are packed to be sent. */
static int64_t sums_words(const ashi_extent *e, int64_t rounds)
{
    const int64_t arriving = ashi_ceil_div(e->flow.sums, rounds) + e->side[0] * e->flow.sum_sources;
    return e->flow.sum_sources > 0 ? arriving + ashi_ceil_div(e->block, rounds) + e->side[0] : 0;
}

static int64_t memory_of(const ashi_extent *e, const ashi_totals *t, const ashi_proposal *p)
{
    const int64_t in_flight = ashi_min(p->window, ashi_max(p->rounds, p->reduce_rounds));
    return t->share_max + e->block +
           in_flight * ashi_max(slab_words(e, p->rounds), sums_words(e, p->reduce_rounds));
}

/* As few as time asks for, but no more than the usual buffers need. */
static int64_t rounds_unlimited(const ashi_problem *q, const ashi_extent *e, const ashi_proposal *p)
{
    const int64_t budget = ashi_max(ashi_buffer_words(p->totals.share_max) / p->window, 1), l = e->side[2];
    const ashi_slab_work slabs = {.length = l, .words = (double)(p->totals.words_max - e->flow.sums),
                              .products = (double)p->totals.products_max, .window = p->window};
    const int64_t usual = ashi_ceil_div(l, ashi_max(budget / e->width, 1));
    return q->memory_words > 0 ? usual : ashi_min(usual, ashi_rounds_for_time(&slabs, q->type, &q->machine));
}

static void choose_rounds(const ashi_problem *q, const ashi_extent *e, ashi_proposal *p)
{
    const int64_t budget = ashi_max(ashi_buffer_words(p->totals.share_max) / p->window, 1), l = e->side[2];
    const int64_t wanted = rounds_unlimited(q, e, p);
    p->rounds = ashi_min(wanted, ashi_max(1, l / ASHI_THINNEST_SLAB));
    const int64_t room = ashi_max(ashi_ceil_div(l, p->rounds) * e->width, budget);
    p->reduce_rounds = ashi_max(1, ashi_min(e->side[1], ashi_ceil_div(e->flow.sums, room)));
}

/* Thin enough for so much memory. False where this count of memory finds no such rounds. */
static bool thin_rounds(const ashi_problem *q, const ashi_extent *e, const ashi_totals *t, ashi_proposal *p)
{
    const int64_t l = e->side[2];
    for (;; p->rounds = ashi_min(2 * p->rounds, l), p->reduce_rounds = ashi_min(2 * p->reduce_rounds, e->side[1])) {
        if (memory_of(e, t, p) <= q->memory_words)
            return true;
        if (p->rounds < l || p->reduce_rounds < e->side[1])
            continue;
        if (p->window == 1)
            return false;
        p->window = 1;
        choose_rounds(q, e, p);
    }
}

static void finish(const ashi_extent *e, const ashi_problem *q, ashi_proposal *p)
{
    ashi_totals *t = &p->totals;
    t->messages_max = p->rounds * e->flow.panel_sources + p->reduce_rounds * e->flow.sum_sources;
    t->messages_total = t->messages_max * p->bricks.count;
    t->memory_max = memory_of(e, t, p);
    t->words_mean = (double)t->words_total / (double)q->ranks;
}

/* Of a rank, with the thinnest slabs. */
static double messages_most(const ashi_extent *e)
{
    return (double)e->side[2] * (double)e->flow.panel_sources + (double)e->side[1] * (double)e->flow.sum_sources;
}

/* Rounds, and what depends on them. With few ranks a limit's rounds are better found by measuring. */
static ashlar_status foresee_rounds(const ashi_problem *q, const ashi_extent *e, ashi_proposal *p, ashlar_error *err)
{
    const bool direct = q->route == ASHI_DIRECT ||
                        (q->route == ASHI_EITHER && !ashi_is_lopsided(&p->totals, p->bricks.count));
    ashi_proposal foreseen = *p;
    if (!direct || (q->memory_words > 0 && q->ranks <= ASHI_MEASURED_MOST))
        return ASHLAR_OK;
    choose_rounds(q, e, &foreseen);
    if (q->memory_words > 0 && !thin_rounds(q, e, &p->totals, &foreseen))
        return q->compared && messages_most(e) * (double)p->bricks.count > WALKED_MOST
                   ? ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                               "uneven boxes may need more memory than %" PRId64 " words: they are measured if asked "
                               "for", q->memory_words)
                   : ASHLAR_OK;
    finish(e, q, &foreseen);
    foreseen.foreseen = true;
    foreseen.estimate = q->least_words ? (double)foreseen.totals.words_max
                                       : ashi_problem_seconds(q, &foreseen.totals, false);
    *p = foreseen;
    return ASHLAR_OK;
}

ashlar_status ashi_uneven_foresee(const ashi_problem *q, const ashi_uneven_way *way, ashi_proposal *p, bool *ample,
                                  ashlar_error *err)
{
    const bool limited = q->memory_words > 0 && in_own_layouts(q);
    const ashi_shared_cut usual[3] = {{0}};
    ashi_extent e = {0};
    ashi_flow *flow = malloc((size_t)q->ranks * sizeof *flow);
    ashlar_status status = flow ? ASHLAR_OK : ashi_fail_memory(err, "plan", q->ranks * (int64_t)sizeof *flow);
    *ample = true;
    if (status == ASHLAR_OK)
        status = limited ? ashi_uneven_share_out(q, way, p, flow, &e, ample, err)
                         : ashi_uneven_lay_out(q, usual, p, flow, &e, err);
    if (!limited)
        p->memory_least = 0;
    if (status == ASHLAR_OK && in_own_layouts(q))
        status = foresee_rounds(q, &e, p, err);
    for (int x = 0; x < 3; x++)
        if (q->layout[x])
            ashlar_layout_free(&p->own[x]);
    free(flow);
    return status;
}

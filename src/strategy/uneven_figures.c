/* What boxes of any shape take, without schedules: layouts, words, rounds, messages and memory. */
#include "strategy/uneven_figures.h"

#include "base/checked.h"
#include "base/error.h"
#include "strategy/buffers.h"
#include "strategy/shared_layout.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shares are shifted by this part of what would make ranks receive the same, or several of it. */
enum { PARTS = 8 };

/* If it takes a walk over all schedules to say whether boxes fit, they are not compared if all ranks may have more
 * messages: to count as many takes some seconds. */
static const double WALKED_MOST = 1 << 27;

/* To lay matrices out in another way has to save this part of the words. */
static const double WORTH = 0.99;

/* Nobody is to own less of a matrix than this part of the mean. */
static const double LEAST_SHARE = 0.125;

/* The most of any box and rank. */
typedef struct extent {
    int64_t side[3]; /* of a box */
    int64_t width;   /* words of A and B for each of its indices of k */
    int64_t block;   /* its words of C */
    ashi_flow flow;  /* each member the most of any rank; sent: of sums alone */
} extent;

static void add_box(const ashi_cuboid *box, extent *e, ashi_totals *t)
{
    int64_t side[3];
    for (int d = 0; d < 3; d++) {
        side[d] = box->hi[d] - box->lo[d];
        e->side[d] = ashi_max(e->side[d], side[d]);
    }
    e->width = ashi_max(e->width, side[0] + side[1]);
    e->block = ashi_max(e->block, side[0] * side[1]);
    t->products_max = ashi_max(t->products_max, ashi_mul_most(side[0] * side[1], side[2]));
}

static void add_flow(const ashi_flow *f, extent *e, ashi_totals *t)
{
    ashi_flow *most = &e->flow;
    t->words_max = ashi_max(t->words_max, f->received);
    t->words_total += f->received;
    t->sent_max = ashi_max(t->sent_max, f->sent);
    t->share_max = ashi_max(t->share_max, f->share);
    most->sums = ashi_max(most->sums, f->sums);
    most->panel_sources = ashi_max(most->panel_sources, ashi_max(f->panel_sources, f->panel_targets));
    most->sum_sources = ashi_max(most->sum_sources, ashi_max(f->sum_sources, f->sum_targets));
}

static bool in_own_layouts(const ashi_problem *q)
{
    return !q->layout[0] && !q->layout[1] && !q->layout[2];
}

/* Words of a slab, its own among them, and as many that are packed to be sent. */
static int64_t slab_words(const extent *e, int64_t rounds)
{
    return 2 * ashi_ceil_div(e->side[2], rounds) * e->width;
}

/* Words of sums that arrive in a round, and of those that are packed to be sent. */
static int64_t sums_words(const extent *e, int64_t rounds)
{
    const int64_t arriving = ashi_ceil_div(e->flow.sums, rounds) + e->side[0] * e->flow.sum_sources;
    return e->flow.sum_sources > 0 ? arriving + ashi_ceil_div(e->block, rounds) + e->side[0] : 0;
}

static int64_t memory_of(const extent *e, const ashi_totals *t, const ashi_proposal *p)
{
    const int64_t in_flight = ashi_min(p->window, ashi_max(p->rounds, p->reduce_rounds));
    return t->share_max + e->block +
           in_flight * ashi_max(slab_words(e, p->rounds), sums_words(e, p->reduce_rounds));
}

/* As few as time asks for, but no more than the usual buffers need. */
static int64_t rounds_unlimited(const ashi_problem *q, const extent *e, const ashi_proposal *p)
{
    const int64_t budget = ashi_max(ashi_buffer_words(p->totals.share_max) / p->window, 1), l = e->side[2];
    const ashi_slab_work slabs = {.length = l, .words = (double)(p->totals.words_max - e->flow.sums),
                              .products = (double)p->totals.products_max, .window = p->window};
    const int64_t usual = ashi_ceil_div(l, ashi_max(budget / e->width, 1));
    return q->memory_words > 0 ? usual : ashi_min(usual, ashi_rounds_for_time(&slabs, q->type, &q->machine));
}

static void choose_rounds(const ashi_problem *q, const extent *e, ashi_proposal *p)
{
    const int64_t budget = ashi_max(ashi_buffer_words(p->totals.share_max) / p->window, 1), l = e->side[2];
    const int64_t wanted = rounds_unlimited(q, e, p);
    p->rounds = ashi_min(wanted, ashi_max(1, l / ASHI_THINNEST_SLAB));
    const int64_t room = ashi_max(ashi_ceil_div(l, p->rounds) * e->width, budget);
    p->reduce_rounds = ashi_max(1, ashi_min(e->side[1], ashi_ceil_div(e->flow.sums, room)));
}

/* Thin enough for so much memory. False where this count of memory finds no such rounds. */
static bool thin_rounds(const ashi_problem *q, const extent *e, const ashi_totals *t, ashi_proposal *p)
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

static void finish(const extent *e, const ashi_problem *q, ashi_proposal *p)
{
    ashi_totals *t = &p->totals;
    t->messages_max = p->rounds * e->flow.panel_sources + p->reduce_rounds * e->flow.sum_sources;
    t->messages_total = t->messages_max * p->bricks.count;
    t->memory_max = memory_of(e, t, p);
    t->words_mean = (double)t->words_total / (double)q->ranks;
}

/* Of a rank, with the thinnest slabs. */
static double messages_most(const extent *e)
{
    return (double)e->side[2] * (double)e->flow.panel_sources + (double)e->side[1] * (double)e->flow.sum_sources;
}

/* Rounds, and what depends on them. With few ranks a limit's rounds are better found by measuring. */
static ashlar_status foresee_rounds(const ashi_problem *q, const extent *e, ashi_proposal *p, ashlar_error *err)
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

static void add_all(const ashi_problem *q, const ashi_proposal *p, const ashi_flow *flow, extent *e, ashi_totals *t)
{
    for (int64_t n = 0; n < p->bricks.count; n++) {
        const ashi_cuboid box = ashi_bricks_box(&p->bricks, n);
        add_box(&box, e, t);
    }
    for (int64_t r = 0; r < q->ranks; r++)
        add_flow(&flow[r], e, t);
    t->products_total = ashi_mul_most(ashi_mul_most(q->size[0], q->size[1]), q->size[2]);
}

/* What stays of a rank's box is held beside its shares, less its own part of it. */
static int64_t least_memory(const ashi_proposal *p, const ashi_flow *flow)
{
    const ashlar_operand x = ashi_stationary(p->stays);
    int64_t least = 0;
    for (int64_t n = 0; n < p->bricks.count; n++) {
        const ashi_cuboid box = ashi_bricks_box(&p->bricks, n);
        const ashi_box face = ashi_cuboid_face(&box, x);
        const ashi_flow *f = &flow[p->bricks.rank_of[n]];
        least = ashi_max(least, f->share + ashi_box_words(&face) - f->own[x]);
    }
    return least;
}

/* How the matrices are cut. Strips of the one that stays are layers, so that a rank's face is within one of them.
 * If A stays C is cut along m, so that a rank owns words of many slabs of n. `other`: what does not stay is cut the
 * other way. */
static void cut_strips(const ashi_proposal *p, int layered, bool other, ashi_shared_cut cut[3])
{
    const ashlar_operand stays = ashi_stationary(p->stays);
    for (int x = 0; x < 3; x++)
        cut[x] = (ashi_shared_cut){.along_minor = other != (x == ASHLAR_C && p->stays == ASHI_STAYS_A)};
    cut[stays].along_minor = ashi_dims_of[stays][1] == layered;
    cut[stays].at_faces = cut[stays].along_minor && stays != ASHLAR_C;
}

/* Make layouts of all matrices, and what follows from them. */
static ashlar_status lay_out(const ashi_problem *q, const ashi_shared_cut cut[3], ashi_proposal *p, ashi_flow *flow,
                             extent *e, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++) {
        ashlar_layout_free(&p->own[x]);
        status = ashi_shared_layout(&p->bricks, q->op, (ashlar_operand)x, cut[x], &p->own[x], err);
    }
    if (status != ASHLAR_OK)
        return status;
    const ashlar_layout *const layout[3] = {p->own[0], p->own[1], p->own[2]};
    ashi_shared_words(&p->bricks, q->op, layout, q->ranks, flow);
    *e = (extent){0};
    p->totals = (ashi_totals){0};
    add_all(q, p, flow, e, &p->totals);
    p->memory_least = least_memory(p, flow);
    return status;
}

/* A way to lay out all matrices. */
typedef struct way {
    bool other;         /* what does not stay is cut the other way */
    const double *share[3];
} way;

/* The ways that are compared, and what the best of them takes. */
typedef struct comparison {
    const ashi_problem *problem;
    int layered;
    ashi_flow *flow; /* [ranks] of the way that was laid out last, */
    ashi_flow *best; /* [ranks] and of the best */
    double words;    /* of the best */
    bool room;       /* the memory has room for the best */
    double *share;   /* [3][boxes] */
} comparison;

static ashlar_status lay_out_so(comparison *c, const way *w, ashi_proposal *p, extent *e, ashlar_error *err)
{
    ashi_shared_cut cut[3];
    cut_strips(p, c->layered, w->other, cut);
    for (int x = 0; x < 3; x++)
        cut[x].share = w->share[x];
    return lay_out(c->problem, cut, p, c->flow, e, err);
}

/* Whether the memory has room for some slabs in flight: a single thin one, if words are all that counts. */
static bool has_room(const ashi_problem *q, const extent *e, const ashi_proposal *p)
{
    const int64_t indices = q->least_words ? 1 : 2 * q->window * ASHI_THINNEST_SLAB;
    const int64_t slabs = indices * (e->side[0] + e->side[1] + e->side[2]);
    return p->memory_least <= q->memory_words - slabs;
}

/* Whether the way that was laid out last saves words; then it is the best. */
static bool is_better(comparison *c, const extent *e, const ashi_proposal *p)
{
    if ((double)p->totals.words_max > WORTH * c->words)
        return false;
    c->words = (double)p->totals.words_max;
    c->room = has_room(c->problem, e, p);
    memcpy(c->best, c->flow, (size_t)c->problem->ranks * sizeof *c->best);
    return true;
}

/* Shares of a matrix with which all ranks would receive the same, `part` of the way there from what they own now. More
 * of A or B makes a rank receive less, and more of C makes it receive more sums. */
static void shift_shares(const ashi_bricks *b, const ashi_flow *flow, int x, double mean, double part, double *share)
{
    double all = 0;
    for (int64_t i = 0; i < b->count; i++) {
        const ashi_flow *f = &flow[b->rank_of[i]];
        const double own = (double)f->own[x], excess = part * ((double)f->received - mean);
        const double per_word = x != ASHLAR_C ? -1 : f->sums > 0 ? (double)f->sums / own : INFINITY;
        share[i] = own - excess / per_word;
        all += own;
    }
    for (int64_t i = 0; i < b->count; i++)
        share[i] = fmax(share[i], LEAST_SHARE * all / (double)b->count);
}

/* Shift shares of a matrix as far as the memory has room. */
static ashlar_status try_shares(comparison *c, int x, way *best, ashi_proposal *p, extent *e, ashlar_error *err)
{
    const double mean = (double)p->totals.words_total / (double)p->bricks.count;
    double *share = &c->share[x * p->bricks.count];
    ashlar_status status = ASHLAR_OK;
    way next = *best;
    next.share[x] = share;
    for (int part = PARTS; part > 0 && mean <= WORTH * c->words && status == ASHLAR_OK; part--) {
        shift_shares(&p->bricks, c->best, x, mean, (double)part / PARTS, share);
        status = lay_out_so(c, &next, p, e, err);
        if (status != ASHLAR_OK || !has_room(c->problem, e, p))
            continue;
        if (is_better(c, e, p))
            *best = next;
        return status;
    }
    return status;
}

/* The usual way, unless another one saves words: the other sides cut, or unequal shares. Those of what stays come
 * first: what a rank has of that does not change its memory. */
static ashlar_status lay_out_best(comparison *c, ashi_proposal *p, extent *e, ashlar_error *err)
{
    const int stays = (int)ashi_stationary(p->stays), order[3] = {stays, (stays + 1) % 3, (stays + 2) % 3};
    way best = {false, {NULL}}, other = {true, {NULL}};
    ashlar_status status = lay_out_so(c, &best, p, e, err);
    if (status == ASHLAR_OK && is_better(c, e, p))
        status = lay_out_so(c, &other, p, e, err);
    if (status == ASHLAR_OK && is_better(c, e, p))
        best = other;
    for (int i = 0; i < 3 && c->room && status == ASHLAR_OK; i++)
        status = try_shares(c, order[i], &best, p, e, err);
    return status == ASHLAR_OK ? lay_out_so(c, &best, p, e, err) : status;
}

static ashlar_status lay_out_within(const ashi_problem *q, int layered, ashi_proposal *p, ashi_flow *flow, extent *e,
                                    ashlar_error *err)
{
    comparison c = {.problem = q, .layered = layered, .flow = flow, .words = INFINITY};
    c.best = malloc((size_t)q->ranks * sizeof *c.best);
    c.share = malloc(3 * (size_t)p->bricks.count * sizeof *c.share);
    const ashlar_status status = c.best && c.share ? lay_out_best(&c, p, e, err)
                                                   : ashi_fail_memory(err, "plan", q->ranks * (int64_t)sizeof *c.best);
    free(c.best);
    free(c.share);
    return status;
}

ashlar_status ashi_uneven_foresee(const ashi_problem *q, int layered, ashi_proposal *p, ashlar_error *err)
{
    const bool limited = q->memory_words > 0 && in_own_layouts(q);
    const ashi_shared_cut usual[3] = {{0}};
    extent e = {0};
    ashi_flow *flow = malloc((size_t)q->ranks * sizeof *flow);
    ashlar_status status = flow ? ASHLAR_OK : ashi_fail_memory(err, "plan", q->ranks * (int64_t)sizeof *flow);
    if (status == ASHLAR_OK)
        status = limited ? lay_out_within(q, layered, p, flow, &e, err) : lay_out(q, usual, p, flow, &e, err);
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

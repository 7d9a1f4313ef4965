/* Shares of matrices for boxes of any shape: levelled by water filling, one matrix after another. */
#include "strategy/uneven_shares.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shares are shifted all the way or these parts of it, the matrices so often by turns, to a level found by halving. */
enum { PARTS = 4, TURNS = 9, HALVINGS = 50 };

/* To cut matrices the other way has to save this part of the words, and to shift shares this one. */
static const double WORTH = 0.99, LESS = 0.999;

/* Ranks receive alike if the busiest has so many times the mean. */
static const double ALIKE = 1.002;

/* What is above the memory that there is room for, as a part of all memory, costs so many times that part of the
 * words. */
static const double BEYOND = 4;

/* Nobody is to own less of a matrix than this part of the mean. */
static const double LEAST_SHARE = 0.125;

/* Room for so many times the slabs asked for is ample. */
static const double AMPLE = 2.5;

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

/* Layouts that are compared, and the best of them. */
typedef struct comparison {
    const ashi_problem *problem;
    const ashi_uneven_way *way;
    ashi_flow *flow;        /* [ranks] of the layouts made last, */
    ashi_flow *best;        /* [ranks] and of the best */
    double words, score;    /* of the best: words, more where memory is missing */
    bool other;             /* how the best are cut */
    const double *share[3]; /* of the best; NULL: equal */
    double *store;          /* [4][boxes]: those, and what is tried */
} comparison;

static ashlar_status lay_out_so(comparison *c, bool other, const double *const share[3], ashi_proposal *p,
                                ashi_extent *e, ashlar_error *err)
{
    ashi_shared_cut cut[3];
    cut_strips(p, c->way->layered, other, cut);
    for (int x = 0; x < 3; x++)
        cut[x].share = share[x];
    return ashi_uneven_lay_out(c->problem, cut, p, c->flow, e, err);
}

/* What a rank may hold all the time, so that there is room for some slabs in flight. */
static double room_for(const comparison *c, double slabs, const ashi_extent *e)
{
    return (double)c->problem->memory_words - slabs * (double)(e->side[0] + e->side[1] + e->side[2]);
}

/* Words that the memory of the layouts made last is above what there is room for. */
static double missing(const comparison *c, const ashi_extent *e, const ashi_proposal *p)
{
    return fmax(0, (double)p->memory_least - room_for(c, c->way->slabs, e));
}

/* Whether the layouts made last save this part of the words; then they are the best. */
static bool is_better(comparison *c, double worth, double score, const ashi_proposal *p)
{
    if (score > worth * c->score)
        return false;
    c->words = (double)p->totals.words_max;
    c->score = score;
    memcpy(c->best, c->flow, (size_t)c->problem->ranks * sizeof *c->best);
    return true;
}

/* The words of the layouts made last, more where memory is missing; or, if shares have to fit, INFINITY. */
static double score_of(const comparison *c, const ashi_extent *e, const ashi_proposal *p)
{
    const double part = missing(c, e, p) / (double)c->problem->memory_words;
    if (c->way->either && part > 0)
        return INFINITY;
    return (double)p->totals.words_max * (1 + BEYOND * part);
}

/* What the rank of box i is to own of a matrix so that it receives about `level` words and holds at most `room`. More
 * of A or B makes a rank receive less, and more of C makes it receive more sums. It holds its face of what stays
 * whatever it owns of that. */
static double share_for(const comparison *c, const ashi_proposal *p, int64_t i, int x, double level, double room)
{
    const int stays = (int)ashi_stationary(p->stays);
    const ashi_cuboid box = ashi_bricks_box(&p->bricks, i);
    const ashi_box held = ashi_cuboid_face(&box, (ashlar_operand)stays);
    const ashi_box face = ashi_cuboid_face(&box, (ashlar_operand)x);
    const ashi_flow *f = &c->best[p->bricks.rank_of[i]];
    const double own = (double)f->own[x], all = (double)(f->share + ashi_box_words(&held) - f->own[stays]);
    const double per_word = x != ASHLAR_C ? -1 : f->sums > 0 ? (double)f->sums / own : INFINITY;
    const double wanted = fmin(own - ((double)f->received - level) / per_word, (double)ashi_box_words(&face));
    return x == stays ? wanted : fmin(wanted, own + room - all);
}

/* The shares of a matrix with which ranks receive alike, as far as memory allows: the level is raised until the shares
 * are all of the matrix. */
static void level_shares(const comparison *c, const ashi_proposal *p, int x, double room, double *share)
{
    const int *dims = ashi_dims_of[x];
    const double words = (double)c->problem->size[dims[0]] * (double)c->problem->size[dims[1]];
    double lo = 0, hi = 2 * c->words;
    for (int step = 0; step < HALVINGS; step++) {
        const double level = (lo + hi) / 2;
        double all = 0;
        for (int64_t i = 0; i < p->bricks.count; i++) {
            share[i] = fmax(share_for(c, p, i, x, level, room), LEAST_SHARE * words / (double)p->bricks.count);
            all += share[i];
        }
        if ((all > words) == (x != ASHLAR_C))
            lo = level;
        else
            hi = level;
    }
}

/* Shift the shares of one matrix as far as that makes the layouts better. */
static ashlar_status shift_shares(comparison *c, int x, ashi_proposal *p, ashi_extent *e, ashlar_error *err)
{
    const int64_t boxes = p->bricks.count;
    double *share = &c->store[x * boxes], *tried = &c->store[3 * boxes];
    const double *next[3] = {c->share[0], c->share[1], c->share[2]};
    ashlar_status status = ASHLAR_OK;
    bool better = false;
    next[x] = tried;
    level_shares(c, p, x, room_for(c, c->way->slabs, e), tried);
    for (int part = PARTS; part > 0 && status == ASHLAR_OK && !better; part--) {
        for (int64_t i = 0; i < boxes && part < PARTS; i++) {
            const double own = (double)c->best[p->bricks.rank_of[i]].own[x];
            tried[i] = own + (tried[i] - own) * part / (part + 1);
        }
        status = lay_out_so(c, c->other, next, p, e, err);
        better = status == ASHLAR_OK && is_better(c, LESS, score_of(c, e, p), p);
    }
    if (better) {
        memcpy(share, tried, (size_t)boxes * sizeof *share);
        c->share[x] = share;
    }
    return status;
}

/* Equal shares first, cut either way, then shifted ones. Those of what stays come first: what a rank has of that does
 * not change its memory. */
static ashlar_status lay_out_best(comparison *c, ashi_proposal *p, ashi_extent *e, bool *ample, ashlar_error *err)
{
    const int stays = (int)ashi_stationary(p->stays);
    const bool either = c->way->either;
    c->other = c->way->other;
    ashlar_status status = lay_out_so(c, c->other, c->share, p, e, err);
    double score = either ? (double)p->totals.words_max : score_of(c, e, p);
    bool fits = missing(c, e, p) <= 0;
    if (status == ASHLAR_OK && is_better(c, WORTH, score, p) && either)
        status = lay_out_so(c, !c->other, c->share, p, e, err);
    if (status == ASHLAR_OK && either && is_better(c, WORTH, (double)p->totals.words_max, p)) {
        c->other = !c->other;
        fits = missing(c, e, p) <= 0;
    }
    const double alike = ALIKE * (double)p->totals.words_total / (double)p->bricks.count;
    const bool shifts = !c->way->equal && (fits || !either);
    for (int i = 0; i < TURNS && shifts && c->score > alike && status == ASHLAR_OK; i++)
        status = shift_shares(c, (stays + i) % 3, p, e, err);
    if (status == ASHLAR_OK)
        status = lay_out_so(c, c->other, c->share, p, e, err);
    *ample = status == ASHLAR_OK && c->score <= alike &&
             (double)p->memory_least <= room_for(c, AMPLE * c->way->slabs, e);
    return status;
}

ashlar_status ashi_uneven_share_out(const ashi_problem *q, const ashi_uneven_way *way, ashi_proposal *p,
                                    ashi_flow *flow, ashi_extent *e, bool *ample, ashlar_error *err)
{
    comparison c = {.problem = q, .way = way, .flow = flow, .score = INFINITY};
    c.best = malloc((size_t)q->ranks * sizeof *c.best);
    c.store = malloc(4 * (size_t)p->bricks.count * sizeof *c.store);
    const ashlar_status status = c.best && c.store ? lay_out_best(&c, p, e, ample, err)
                                                   : ashi_fail_memory(err, "plan", q->ranks * (int64_t)sizeof *c.best);
    free(c.best);
    free(c.store);
    return status;
}

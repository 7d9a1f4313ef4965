/* Which plane of ranks a square torus is folded onto, and how large it is. */
#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "strategy/fold.h"
#include "strategy/idle.h"
#include "strategy/settle.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* More processes a side than this times the longer side of the ranks make blocks needlessly thin. */
enum { FINEST = 4 };

/* A rank stands for no more processes than these, as the mean, unless the plane is asked for: a schedule knows each. */
enum { PROCESSES_MOST = 64 };

/* Planes this many times longer, or shorter, than the problem's own shape are not looked at. */
enum { LONGEST = 8 };

/* Of the square torus in which each process is a rank, the papers', a fold has to need less than this part. */
static const double WORTH = 0.97;

/* Products of the busiest rank. */
static double products_of(const ashi_fold *f)
{
    double share = (double)f->size[0] * (double)f->size[1] * (double)f->size[2];
    for (int v = 0; v < f->digits.dims; v++) {
        const double cells = (double)f->digits.length[v] * (double)f->digits.length[v];
        share *= (double)ashi_ceil_div(f->digits.length[v], f->row[v].ranks) *
                 (double)ashi_ceil_div(f->digits.length[v], f->col[v].ranks) / cells;
    }
    return share;
}

/* About the words that the busiest rank receives. Blocks of its rows of A and its columns of B pass it, of which those
 * that leave at one end come in again at the other. In a layout that is given, those that it begins with come first. */
static double words_of(const ashi_problem *q, const ashi_fold *f)
{
    double rows = (double)f->size[0], cols = (double)f->size[1], a = 1, b = 1;
    const double side = (double)f->side;
    bool a_travels = false, b_travels = false;
    for (int v = 0; v < f->digits.dims; v++) {
        const double length = (double)f->digits.length[v];
        rows *= (double)ashi_ceil_div(f->digits.length[v], f->row[v].ranks) / length;
        cols *= (double)ashi_ceil_div(f->digits.length[v], f->col[v].ranks) / length;
        a_travels = a_travels || f->col[v].ranks > 1;
        b_travels = b_travels || f->row[v].ranks > 1;
        a *= (double)ashi_ceil_div(f->digits.length[v], f->col[v].ranks);
        b *= (double)ashi_ceil_div(f->digits.length[v], f->row[v].ranks);
    }
    const double thickness = (double)f->size[2] / side;
    a = q->layout[ASHLAR_A] ? a : 0;
    b = q->layout[ASHLAR_B] ? b : 0;
    return thickness * (a_travels ? rows * (side - 1 + a) : 0) + thickness * (b_travels ? cols * (side - 1 + b) : 0);
}

static double estimate_of(const ashi_problem *q, const ashi_fold *f, int64_t rounds)
{
    const ashi_type *type = ashi_type_of(q->type);
    const double words = words_of(q, f), messages = words > 0 ? 2 * (double)rounds : 0;
    if (q->least_words)
        return words;
    return products_of(f) * type->flops / q->machine.flops_per_second +
           words * (double)type->bytes / q->machine.bandwidth + messages * q->machine.latency;
}

/* Of a torus that is proposed. */
static int64_t longest_side(const ashi_problem *q)
{
    return (int64_t)sqrt((double)(PROCESSES_MOST * q->ranks));
}

/* The best side for pr x pc ranks: a multiple of both, or of the longer where that would be too fine. */
static void try_plane(const ashi_problem *q, int64_t pr, int64_t pc, ashi_fold *best, double *least)
{
    const int64_t longer = ashi_max(pr, pc), shortest = ashi_min(q->size[0], ashi_min(q->size[1], q->size[2]));
    const int64_t both = ashi_fold_common(pr, pc);
    const ashi_fold finest = ashi_fold_plane(q->size, both, pr, pc);
    if (estimate_of(q, &finest, 0) >= *least) /* no side shares the work better */
        return;
    for (int64_t times = 1; times <= FINEST + 1; times++) {
        const int64_t side = times <= FINEST ? times * longer : both;
        if (side > shortest || side > FINEST * longer || (q->grid[0] == 0 && side > longest_side(q)))
            continue;
        const ashi_fold f = ashi_fold_plane(q->size, side, pr, pc);
        const double estimate = estimate_of(q, &f, f.side);
        if (estimate < *least) {
            *least = estimate;
            *best = f;
        }
    }
}

/* The papers' torus, where the number of ranks is a square. */
static void prefer_square(const ashi_problem *q, ashi_fold *best, double least)
{
    const int64_t side = llround(sqrt((double)q->ranks));
    const ashi_fold square = ashi_fold_plane(q->size, side, side, side);
    if (side * side == q->ranks && side <= ashi_min(q->size[0], ashi_min(q->size[1], q->size[2])) &&
        least > WORTH * estimate_of(q, &square, side))
        *best = square;
}

ashlar_status ashi_fold_decline(const char *strategy, const ashi_problem *q, ashlar_error *err)
{
    if (q->compared)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "%s has every rank receive at least what the grid of the same ranks in a plane does: that "
                         "grid is compared instead", strategy);
    return ASHLAR_OK;
}

ashlar_status ashi_fold_choose(const char *strategy, const ashi_problem *q, ashi_fold *out, ashlar_error *err)
{
    const int64_t fewest = ashi_max(1, q->ranks - ashi_idle_most(q->idle, q->ranks));
    double least = INFINITY;
    const bool asked = q->grid[0] > 0;
    /* Rows of A and columns of B count alike if the sides are as m is to n: planes much longer lose. */
    const double best_pr = sqrt((double)q->ranks * (double)q->size[0] / (double)q->size[1]);
    const int64_t side = longest_side(q);
    const int64_t shortest = ashi_min(ashi_min(q->ranks, side), (int64_t)(best_pr / LONGEST));
    const int64_t longest = ashi_max((int64_t)fmin((double)q->ranks, ceil(LONGEST * best_pr)),
                                     ashi_ceil_div(q->ranks, side));
    for (int64_t pr = asked ? 1 : ashi_max(1, shortest); pr <= (asked ? q->ranks : longest); pr++) {
        const int64_t most = q->ranks / pr;
        for (int64_t pc = asked ? 1 : ashi_max(1, ashi_ceil_div(fewest, pr)); pc <= most; pc++)
            if (!asked || (pr == q->grid[0] && pc == q->grid[1] && q->grid[2] == 1))
                try_plane(q, pr, pc, out, &least);
    }
    if (isfinite(least) && !asked)
        prefer_square(q, out, least);
    if (isfinite(least))
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                     "%s: no square torus with blocks of at least one row, column and k can be folded onto %" PRId64
                     " to %" PRId64 " ranks in a plane: m, n, k = %" PRId64 ", %" PRId64 ", %" PRId64
                     " are too small, or the grid asked for is not PR x PC x 1", strategy, fewest, q->ranks,
                     q->size[0], q->size[1], q->size[2]);
}

/* Boxes of C that the ranks of a plane have, for finding the rank that suits each. */
static void cut_plane(const ashi_fold *f, ashi_bricks *b)
{
    for (int d = 0; d < 2; d++) {
        const int64_t ranks = d ? f->col[0].ranks : f->row[0].ranks;
        for (int64_t i = 0; i <= ranks; i++)
            b->cut[d][i] = ashi_cut(f->size[d], f->side, ashi_cut(f->side, ranks, i));
    }
}

ashlar_status ashi_fold_propose(ashi_fold *f, const char *origin, const ashi_problem *q, ashi_proposals *out,
                                ashlar_error *err)
{
    const bool plane = f->digits.dims == 1 && f->row[0].stride == f->col[0].ranks;
    const int64_t grid[3] = {plane ? f->row[0].ranks : 1, plane ? f->col[0].ranks : 1, 1};
    ashi_proposal p = {.origin = origin, .estimate = estimate_of(q, f, f->side), .rounds = 1, .reduce_rounds = 1,
                       .window = (int)ashi_min(q->window, 2), .longest_k = ashi_ceil_div(q->size[2], f->side),
                       .ranks = f->ranks_used,
                       .shape = {f->side, plane ? f->row[0].ranks : 0, plane ? f->col[0].ranks : 0}};
    ashi_burden burden;
    ashlar_status status = ashi_bricks_even(grid, q->size, &p.bricks, err);
    if (status == ASHLAR_OK && plane) {
        cut_plane(f, &p.bricks);
        if (q->torus.dims == 0) /* else neighbours stay neighbours */
            status = ashi_settle(q, &p.bricks, false, &burden, err);
        f->rank_of = p.bricks.rank_of;
    }
    if (status == ASHLAR_OK)
        status = ashi_fold_layouts(f, q, &p, err);
    f->rank_of = NULL;
    if (status == ASHLAR_OK)
        return ashi_proposals_add(out, &p, err);
    ashi_proposal_free(&p);
    return status;
}

/* Split-dimensional Cannon: every block in 2D pieces, each on a way of its own through the torus' D pairs of
 * dimensions.
 *
 * Source: Solomonik and Demmel, UCB/EECS-2012-28, algorithms 2 to 5, with the corrections of ERRATA. Pieces h and h + D
 * go round dimension (h + level) mod D of their row or column, up and down, level by level, the last level fastest: so
 * in every round all links of the torus carry one piece each. A level goes on where the level below it has got to
 * rather than where that began, which spares the shifts that would only bring pieces back. It wins on a torus whose
 * links can all be busy at once. */
#include "base/checked.h"
#include "base/error.h"
#include "strategy/fold.h"

#include <inttypes.h>
#include <math.h>

static int dimension_of(const ashi_fold *f, int64_t piece, int level)
{
    return (int)((piece % f->digits.dims + level) % f->digits.dims);
}

static int64_t direction_of(const ashi_fold *f, int64_t piece)
{
    return piece < f->digits.dims ? 1 : -1;
}

/* How often a piece has been shifted along the dimension of a level when a round begins. */
static int64_t shifts_of(const ashi_fold *f, int64_t piece, int level, int64_t round)
{
    int64_t below = 1;
    for (int v = level + 1; v < f->digits.dims; v++)
        below *= f->digits.length[dimension_of(f, piece, v)];
    return round / below - round / (below * f->digits.length[dimension_of(f, piece, level)]);
}

/* The dimension along which a piece is shifted between a round and the next. */
static int shifted_after(const ashi_fold *f, int64_t piece, int64_t round)
{
    int64_t below = 1;
    int level = f->digits.dims - 1;
    for (; level > 0; level--) {
        below *= f->digits.length[dimension_of(f, piece, level)];
        if ((round + 1) % below != 0)
            break;
    }
    return dimension_of(f, piece, level);
}

/* The process one step up (1) or down (-1) a dimension of a part's row (A) or column (B). */
static int64_t neighbour(const ashi_fold *f, ashlar_operand x, int64_t part, int dimension, int64_t direction)
{
    int64_t digit[ASHI_TORUS_MOST];
    const int64_t i = part / f->side, j = part % f->side, length = f->digits.length[dimension];
    ashi_torus_at(&f->digits, x == ASHLAR_A ? j : i, digit);
    digit[dimension] = (digit[dimension] + length + direction) % length;
    const int64_t index = ashi_torus_node(&f->digits, digit);
    return x == ASHLAR_A ? i * f->side + index : index * f->side + j;
}

static int64_t from(const void *own, ashlar_operand x, int64_t part, int64_t round, int64_t piece)
{
    return neighbour(own, x, part, shifted_after(own, piece, round - 1), direction_of(own, piece));
}

static int64_t to(const void *own, ashlar_operand x, int64_t part, int64_t round, int64_t piece)
{
    return neighbour(own, x, part, shifted_after(own, piece, round), -direction_of(own, piece));
}

static ashi_reach k_of(const void *own, ashlar_operand x, int64_t part, int64_t round, int64_t piece)
{
    const ashi_fold *f = own;
    int64_t row[ASHI_TORUS_MOST], digit[ASHI_TORUS_MOST];
    (void)x;
    ashi_torus_at(&f->digits, part / f->side, row);
    ashi_torus_at(&f->digits, part % f->side, digit);
    for (int level = 0; level < f->digits.dims; level++) {
        const int d = dimension_of(f, piece, level);
        const int64_t length = f->digits.length[d], shifts = shifts_of(f, piece, level, round) % length;
        digit[d] = (digit[d] + row[d] + length + direction_of(f, piece) * shifts) % length;
    }
    const int64_t l = ashi_torus_node(&f->digits, digit), lo = ashi_cut(f->size[2], f->side, l);
    const int64_t k = ashi_cut(f->size[2], f->side, l + 1) - lo, pieces = 2 * f->digits.dims;
    return (ashi_reach){lo + ashi_cut(k, pieces, piece), lo + ashi_cut(k, pieces, piece + 1)};
}

static ashlar_status check_torus(const ashi_problem *q, const ashi_fold *f, ashlar_error *err)
{
    const int64_t shortest = ashi_min(q->size[0], ashi_min(q->size[1], q->size[2]));
    if (f->side > shortest)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "sd_cannon: on this torus m, n and k are cut in %" PRId64
                         " parts each, and one of them is %" PRId64,
                         f->side, shortest);
    return ASHLAR_OK;
}

static ashlar_status propose(const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    ashi_fold fold;
    const bool known = q->torus.dims > 0 && q->grid[0] == 0;
    if (known)
        fold = ashi_fold_torus(q->size, &q->torus);
    ashlar_status status = ashi_fold_decline("sd_cannon", q, err);
    if (status == ASHLAR_OK)
        status = known ? check_torus(q, &fold, err) : ashi_fold_choose("sd_cannon", q, &fold, err);
    return status == ASHLAR_OK ? ashi_fold_propose(&fold, "pieces of blocks along all links of a torus", q, out, err)
                               : status;
}

static ashlar_status schedule(const ashi_problem *q, const ashi_proposal *p, ashi_schedule *out, ashlar_error *err)
{
    const ashi_fold fold = ashi_fold_of(q, p);
    const ashi_shift_rule rule = {
        .rounds = fold.side, .pieces = 2 * fold.digits.dims, .k_of = k_of, .from = from, .to = to};
    return ashi_fold_schedule("sd_cannon", q, p, &rule, out, err);
}

static ashi_formula formula(const ashi_problem *q, const ashi_proposal *p)
{
    const double m = (double)q->size[0], n = (double)q->size[1], k = (double)q->size[2];
    (void)p;
    return (ashi_formula){(m * k + n * k) / sqrt((double)q->ranks), "(mk + nk)/sqrt(p), 1/d of it over any link",
                          "Solomonik and Demmel 2012, section 3, without the stagger"};
}

const ashi_strategy ashi_strategy_sd_cannon = {
    .name = "sd_cannon",
    .summary = "Cannon's with blocks split d ways, along all links of a d-dimensional torus",
    .propose = propose, .schedule = schedule, .formula = formula};

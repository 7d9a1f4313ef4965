/* Choosing a grid of ranks over the indices of a contraction: all grids are compared. */
#include "tensor/index_grid.h"

#include "base/checked.h"

enum { IDLE = 6, COUNTS_MOST = 64, GRIDS_MOST = 200000 }; /* one in IDLE ranks may be idle */

typedef struct cost {
    int64_t words;   /* of the busiest rank */
    double work;     /* multiply-adds of a rank */
    int summed;      /* ranks whose sums make an element of the output */
    double seconds;
} cost;

typedef struct search {
    const ashi_index_grid_request *request;
    bool whole[ASHI_INDICES_MOST]; /* it is twice in an operand, and not cut */
    uint64_t step[ASHI_SEQUENCE_STEPS];
    double share;                  /* multiply-adds of a rank if all have the same */
    int grids;                     /* that were compared */
    ashi_index_grid now, best;
    cost least;
} search;

static const ashi_index_list *list_of(const ashi_expression *e, int x)
{
    return x < e->operands ? &e->operand[x] : &e->output;
}

/* The indices of each step, one bit for each. */
static void find_steps(search *s)
{
    const ashi_sequence *const q = s->request->sequence;
    for (int i = 0; i < q->steps; i++) {
        ashi_expression e;
        ashi_sequence_expression(s->request->expression, q, i, &e);
        for (int x = 0; x <= e.operands; x++)
            for (int d = 0; d < list_of(&e, x)->order; d++)
                s->step[i] |= UINT64_C(1) << list_of(&e, x)->index[d];
    }
}

/* An index that a step lacks does not divide its work: all blocks of it do the same. */
static double work_of(const search *s, const ashi_index_grid *grid)
{
    double all = 0;
    for (int i = 0; i < s->request->sequence->steps; i++) {
        double one = 1;
        for (int index = 0; index < s->request->expression->indices; index++)
            one *= s->step[i] >> index & 1 ? (double)grid->block[index] : 1;
        all += one;
    }
    return all;
}

/* Whether a layout that is given is that of the grid, so that nothing need be moved. */
static bool is_there(const ashi_index_grid *grid, const ashi_index_list *list, const ashi_index_grid_share *share,
                     const ashlar_tensor_layout *given)
{
    bool same = true;
    for (int d = 0; d < list->order; d++)
        same = same && given->parts[d] == grid->parts[list->index[d]] * share->extra[d] &&
               (given->parts[d] == 1 || given->block[d] == share->piece[d]);
    return same;
}

static cost cost_of(const search *s, const ashi_index_grid *grid)
{
    const ashi_index_grid_request *const q = s->request;
    const ashi_expression *const e = q->expression;
    cost c = {.work = work_of(s, grid)};
    int64_t messages = 0;
    for (int x = 0; x <= e->operands; x++) {
        ashi_index_grid_share share;
        ashi_index_grid_share_of(e, grid, list_of(e, x), &share);
        c.words = ashi_add_most(c.words, x < e->operands ? share.box_words - share.least
                                                         : ashi_mul_most(share.sharers - 1, share.most));
        if (q->given && q->given[x] && !is_there(grid, list_of(e, x), &share, q->given[x]))
            c.words = ashi_add_most(c.words, share.most);
        messages += share.sharers - 1;
        c.summed = share.sharers;
    }
    c.seconds = c.work * q->work_seconds + (double)c.words * q->word_seconds + (double)messages * q->message_seconds;
    return c;
}

/* Whether one grid sums the output over fewer ranks for no more words, and for at most a per cent more work. Such a one
 * is faster: each rank then forms its part of the output in place, which the figures do not count. */
static bool sums_less(const cost *a, const cost *b)
{
    return a->summed < b->summed && a->words <= b->words && a->work <= 1.01 * b->work;
}

static bool is_better(const search *s, const cost *a, const cost *b)
{
    const double most = 1.2 * s->share;
    if ((!s->request->least_words || a->work <= most) && sums_less(a, b))
        return true;
    if ((!s->request->least_words || b->work <= most) && sums_less(b, a))
        return false;
    if (!s->request->least_words)
        return a->seconds < b->seconds || (a->seconds <= b->seconds && a->words < b->words);
    if (a->work > most || b->work > most)
        return a->work < b->work;
    return a->words < b->words || (a->words == b->words && a->seconds < b->seconds);
}

/* Deal out `left` ranks by the indices from i on. */
static void try_all(search *s, int i, int left)
{
    const ashi_expression *const e = s->request->expression;
    if (s->grids >= GRIDS_MOST || (i == e->indices && left > 1))
        return;
    if (i == e->indices) {
        const cost now = cost_of(s, &s->now);
        if (s->grids++ == 0 || is_better(s, &now, &s->least)) {
            s->best = s->now;
            s->least = now;
        }
        return;
    }
    for (int parts = 1; parts <= left && parts <= e->extent[i]; parts++) {
        const int64_t block = ashi_ceil_div(e->extent[i], parts);
        if (left % parts != 0 || ashi_ceil_div(e->extent[i], block) != parts || (s->whole[i] && parts > 1))
            continue;
        s->now.parts[i] = parts;
        s->now.block[i] = block;
        try_all(s, i + 1, left / parts);
    }
}

int64_t ashi_index_grid_choose(const ashi_index_grid_request *request, ashi_index_grid *out)
{
    const ashi_expression *const e = request->expression;
    search s = {.request = request};
    for (int x = 0; x < e->operands; x++)
        for (int d = 0; d < e->operand[x].order; d++)
            s.whole[e->operand[x].index[d]] =
                s.whole[e->operand[x].index[d]] || ashi_index_find(&e->operand[x], e->operand[x].index[d]) != d;
    find_steps(&s);
    for (int i = 0; i < e->indices; i++) {
        s.now.parts[i] = 1;
        s.now.block[i] = e->extent[i];
    }
    s.share = work_of(&s, &s.now) / request->ranks;
    for (int ranks = request->ranks, counts = 0; ranks >= 1; ranks--, counts++) {
        const bool few = (int64_t)ranks * IDLE < (int64_t)request->ranks * (IDLE - 1) || counts >= COUNTS_MOST;
        if (few && s.grids > 0)
            break;
        s.now.ranks = ranks;
        try_all(&s, 0, ranks);
    }
    *out = s.best;
    return s.least.words;
}

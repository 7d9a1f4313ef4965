/* In how many rounds a proposal goes, so that what is in flight fits. */
#include "choose/thinning.h"

#include "base/checked.h"
#include "strategy/buffers.h"

#include <math.h>

int64_t ashi_longest_cut(const ashi_proposal *p)
{
    const ashi_bricks *b = &p->bricks;
    const int cut = ashi_dims_of[ashi_stationary(p->stays)][2];
    int64_t longest = 1;
    if (p->longest_k > 0)
        return p->longest_k;
    for (int64_t n = 0; n < b->count; n++) {
        const ashi_cuboid box = ashi_bricks_box(b, n);
        longest = ashi_max(longest, box.hi[cut] - box.lo[cut]);
    }
    return longest;
}

int64_t ashi_most_reduce_rounds(const ashi_proposal *p, const ashi_totals *t)
{
    if (p->stays == ASHI_STAYS_C)
        return ashi_max(1, t->sums_cols_max);
    return t->sums_max > 0 ? ashi_max(1, t->sums_cols_max / ASHI_THINNEST_SLAB) : 1;
}

/* Words that all rounds in flight together may take. */
static int64_t rounds_budget(const ashi_problem *q, const ashi_totals *t)
{
    if (q->memory_words > 0)
        return q->memory_words - t->fixed_max;
    return ashi_buffer_words(t->share_max);
}

/* A round takes less about as rounds grow in number. */
static int64_t more(int64_t rounds, int64_t words, int64_t budget, int64_t most)
{
    const double wanted = ceil((double)rounds * ((double)words / (double)budget));
    return wanted < (double)most ? ashi_max(rounds + 1, (int64_t)wanted) : most;
}

/* The same if more than `rounds` of `length` indices can be cut: the longest slabs are thinner than now, since others
 * with slabs as thick would only be more messages. */
static int64_t more_of_thinner(int64_t rounds, int64_t words, int64_t budget, int64_t length)
{
    const int64_t thickest = ashi_ceil_div(length, rounds);
    return ashi_max(more(rounds, words, budget, length), ashi_ceil_div(length, thickest - 1));
}

bool ashi_thin(const ashi_problem *q, const ashi_totals *t, bool stuck, ashi_proposal *p)
{
    const bool limited = q->memory_words > 0;
    const int64_t k = ashi_longest_cut(p), all = rounds_budget(q, t), budget = all / p->window;
    const int64_t in_flight = ashi_min(p->window, ashi_max(p->rounds, p->reduce_rounds));
    const int64_t most = limited ? k : ashi_max(1, k / ASHI_THINNEST_SLAB);
    const int64_t sums_budget = limited ? budget : ashi_max(budget, t->panels_max);
    const int64_t most_sums = ashi_most_reduce_rounds(p, t);
    bool thinner = false;
    if (budget < 1)
        return false;
    if ((stuck || t->panels_max * in_flight > all) && p->rounds < most) {
        p->rounds = limited ? more_of_thinner(p->rounds, t->panels_max, budget, k)
                            : more(p->rounds, t->panels_max, budget, most);
        thinner = true;
    }
    if (!stuck && t->sums_max * in_flight > ashi_max(all, sums_budget * in_flight) && p->reduce_rounds < most_sums) {
        p->reduce_rounds = more(p->reduce_rounds, t->sums_max, ashi_max(sums_budget, 1), most_sums);
        thinner = true;
    }
    return thinner;
}

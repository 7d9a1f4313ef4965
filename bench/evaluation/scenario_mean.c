/* Means over the counts of ranks of a scenario. */
#include "evaluation/scenario_text.h"

#include <math.h>
#include <string.h>

double ashi_scenario_mb(double words)
{
    return words * 8e-6;
}

/* The row of another way for the same product, NULL where it was not walked or does not apply. */
static const ashi_scenario_row *beside(const ashi_scenario_rows *rows, const ashi_scenario_row *of, const char *name)
{
    for (int64_t i = 0; i < rows->count; i++) {
        const ashi_scenario_row *r = &rows->row[i];
        if (r->shape == of->shape && r->scaling == of->scaling && r->ranks == of->ranks && r->applicable &&
            strcmp(ashi_scenario_way(r->way), name) == 0)
            return r;
    }
    return NULL;
}

double ashi_scenario_ratio(const ashi_scenario_rows *rows, ashi_shape shape, ashi_scaling scaling, int way, int other)
{
    double words = 0, others = 0;
    for (int64_t i = 0; i < rows->count; i++) {
        const ashi_scenario_row *r = &rows->row[i];
        if (r->shape != shape || r->scaling != scaling || r->way != way || !r->applicable)
            continue;
        const ashi_scenario_row *o = beside(rows, r, ashi_scenario_way(other));
        if (!o)
            continue;
        words += (double)r->words_total / (double)r->ranks_used;
        others += (double)o->words_total / (double)o->ranks_used;
    }
    return others > 0 ? words / others : NAN;
}

static bool is_sampled(const ashi_scenario_row *r)
{
    return r->ranks_walked < r->ranks;
}

ashi_scenario_mean ashi_scenario_mean_of(const ashi_scenario_rows *rows, ashi_shape shape, ashi_scaling scaling,
                                         int way)
{
    ashi_scenario_mean mean = {0};
    for (int64_t i = 0; i < rows->count; i++) {
        const ashi_scenario_row *r = &rows->row[i], *planner;
        if (r->shape != shape || r->scaling != scaling || r->way != way)
            continue;
        mean.counts++;
        if (!r->applicable) {
            mean.reason = r->reason;
            continue;
        }
        mean.served++;
        mean.words += (double)r->words_total / (double)r->ranks_used;
        mean.words_max += (double)r->words_max;
        mean.bound += r->bound;
        planner = beside(rows, r, "planner");
        mean.sampled += is_sampled(r);
        mean.less += planner && !is_sampled(r) && r->words_max < planner->words_max;
        mean.more += planner && !is_sampled(planner) && r->words_max > planner->words_max;
    }
    if (mean.served > 0) {
        mean.words /= (double)mean.served;
        mean.words_max /= (double)mean.served;
        mean.bound /= (double)mean.served;
    }
    return mean;
}

/* Means over the counts of ranks of a scenario. */
#include "cli/scenario_text.h"

#include <string.h>

double ashi_scenario_mb(double words)
{
    return words * 8e-6;
}

/* The row of another strategy for the same product, NULL where it was not walked or does not apply. */
static const ashi_scenario_row *beside(const ashi_scenario_rows *rows, const ashi_scenario_row *of, const char *name)
{
    for (int64_t i = 0; i < rows->count; i++) {
        const ashi_scenario_row *r = &rows->row[i];
        if (r->shape == of->shape && r->scaling == of->scaling && r->ranks == of->ranks && r->applicable &&
            strcmp(ashi_strategy_at(r->strategy)->name, name) == 0)
            return r;
    }
    return NULL;
}

ashi_scenario_mean ashi_scenario_mean_of(const ashi_scenario_rows *rows, ashi_shape shape, ashi_scaling scaling,
                                         int strategy)
{
    ashi_scenario_mean mean = {0};
    for (int64_t i = 0; i < rows->count; i++) {
        const ashi_scenario_row *r = &rows->row[i], *cosma;
        if (r->shape != shape || r->scaling != scaling || r->strategy != strategy)
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
        cosma = beside(rows, r, "cosma");
        mean.less += cosma && r->words_max < cosma->words_max;
        mean.more += cosma && r->words_max > cosma->words_max;
    }
    if (mean.served > 0) {
        mean.words /= (double)mean.served;
        mean.words_max /= (double)mean.served;
        mean.bound /= (double)mean.served;
    }
    return mean;
}

/* What tests of strategies ask with: a problem without special wishes, and every rank walked. */
#ifndef ASHI_CHOOSING_H
#define ASHI_CHOOSING_H

#include "choose/choose.h"

static inline ashi_problem problem_of(int64_t m, int64_t n, int64_t k, int64_t ranks)
{
    return (ashi_problem){.size = {m, n, k}, .ranks = ranks, .type = ASHLAR_TYPE_D, .idle = 0.03, .least_words = true,
                          .machine = ashlar_machine_default(), .window = ASHI_WINDOW_USUAL};
}

/* Counts in the int that `context` points to, where it does. */
static inline ashlar_status walk_all(void *context, ashi_schedule *schedule, ashi_totals *out, ashlar_error *err)
{
    int *measured = context;
    if (measured)
        (*measured)++;
    return ashi_simulate(schedule, NULL, NULL, out, err);
}

#endif

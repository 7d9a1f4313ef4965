/* What boxes of any shape take, without schedules: layouts, words, rounds, messages and memory. */
#ifndef ASHI_UNEVEN_FIGURES_H
#define ASHI_UNEVEN_FIGURES_H

#include "strategy/strategy.h"

/* Fill a proposal's totals from its boxes, as if all layouts were its own: words and products exact, messages and
 * memory at most what is said. `layered`: the dimension along which the boxes are layers. Where all layouts are its
 * own they are kept, and if messages go straight and the memory of a rank certainly suffices, the proposal is foreseen,
 * with rounds and an estimate. */
ashlar_status ashi_uneven_foresee(const ashi_problem *problem, int layered, ashi_proposal *proposal,
                                  ashlar_error *err);

#endif

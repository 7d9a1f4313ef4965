/* What boxes of any shape take, without schedules: layouts, words, rounds, messages and memory. */
#ifndef ASHI_UNEVEN_FIGURES_H
#define ASHI_UNEVEN_FIGURES_H

#include "strategy/uneven_shares.h"

/* Fill a proposal's totals from its boxes, as if all layouts were its own: words and products exact, messages and
 * memory at most what is said. With a memory limit matrices are laid out in the given way, and *ample tells whether all
 * ranks receive alike with room to spare, so that no other ashi_uneven_way.slabs is worth a try. Where all layouts are
 * its own they are kept, and if messages go straight and the memory of a rank certainly suffices, the proposal is
 * foreseen, with rounds and an estimate. */
ashlar_status ashi_uneven_foresee(const ashi_problem *problem, const ashi_uneven_way *way, ashi_proposal *proposal,
                                  bool *ample, ashlar_error *err);

#endif

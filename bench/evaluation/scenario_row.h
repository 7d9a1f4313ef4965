/* One way to multiply in one scenario on one count of ranks: its words, counted by walking schedules. */
#ifndef ASHI_SCENARIO_ROW_H
#define ASHI_SCENARIO_ROW_H

#include "evaluation/scenario.h"
#include "strategy/strategy.h"

/* The ways that are compared: strategies by their numbers (ashi_strategy_at), then the planner with leave to choose.
 * The name of one; NULL past the last. */
const char *ashi_scenario_way(int way);

/* Which row it is, and its figures. */
typedef struct ashi_scenario_row {
    ashi_shape shape;
    ashi_scaling scaling;
    int64_t ranks, size[3], memory_words;
    int way;      /* ashi_scenario_way */
    double bound; /* least words of the busiest rank, in this memory */
    bool applicable;
    const char *strategy; /* what multiplies: the planner's choice, or the way itself */
    int64_t grid[3], ranks_used, rounds;
    int64_t ranks_walked;           /* for their words: all, or a sample */
    int64_t words_max, words_total; /* their most; of all ranks, by a sample's mean at need */
    int64_t messages, memory;       /* the most of the ranks that were walked round by round */
    double words_mean;
    char reason[160]; /* where it is not applicable */
} ashi_scenario_row;

/* Fill the figures. All ranks are walked for their words, which do not depend on the number of rounds: so in one round,
 * where the strategy allows that, after comparing with a few ranks' walks through all their rounds. The latter tell
 * messages and memory; they are all ranks where there are at most 64 and walks are not long. Where all ranks would take
 * more than 60 million operations, those few tell the words as well. Ranks are 36 to a node, the last node the rest. A
 * strategy of which one rank's walk has more than two million operations is not applicable, for that reason.
 * @return ASHLAR_OK, also where the strategy is not applicable; ASHLAR_ERR_MEMORY and others that end the bench */
ashlar_status ashi_scenario_walk(ashi_scenario_row *row, ashlar_error *err);

#endif

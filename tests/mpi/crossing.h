/* The words that MPI was asked to move between nodes, held against those counted from the schedule. */
#ifndef ASHI_CROSSING_H
#define ASHI_CROSSING_H

#include "mpi/ranks.h"
#include "random_layout.h"
#include "simulate/node_words.h"

/* Whether they are the same, for so many ranks to a node. words_to: that this rank sent to each. Collective. */
static inline bool crossing_is_counted(ashi_schedule *schedule, const int64_t *words_to, int each, const rig *r)
{
    int node_of[RANDOM_RANKS_MAX];
    int64_t own[2][RANDOM_RANKS_MAX] = {{0}}, all[2][RANDOM_RANKS_MAX], most[2] = {0, 0}, total = 0;
    ashi_node_words counted;
    for (int i = 0; i < r->ranks; i++)
        node_of[i] = i / each;
    for (int i = 0; i < r->ranks; i++)
        if (node_of[i] != node_of[r->rank]) {
            own[0][node_of[i]] += words_to[i];
            own[1][node_of[r->rank]] += words_to[i];
        }
    MPI_Allreduce(own, all, 2 * RANDOM_RANKS_MAX, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (int way = 0; way < 2; way++)
        for (int n = 0; n < r->ranks; n++) {
            most[way] = all[way][n] > most[way] ? all[way][n] : most[way];
            total += way == 0 ? all[way][n] : 0;
        }
    return ashi_node_words_count(schedule, node_of, &counted, NULL) == ASHLAR_OK && counted.words_max == most[0] &&
           counted.sent_max == most[1] && counted.words_total == total;
}

#endif

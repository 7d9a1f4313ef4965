/* Any number of threads for a player, on any number of workers. */
#ifndef ASHI_RANDOM_THREADS_H
#define ASHI_RANDOM_THREADS_H

#include "exec/player.h"
#include "test.h"

/* Threads of a rank at random, with fewer workers at times, and sizes so small that a test's tasks are handed over.
 * *workers, which may be NULL, outlive the player. */
static inline bool random_threads(uint64_t *state, ashi_player_request *q, ashi_workers **workers, ashlar_error *err)
{
    q->threads = (int)ashi_random_in(state, 0, 4);
    q->sizes = (ashi_way_sizes){.handed_least = ashi_random_in(state, 0, 1) * ashi_random_in(state, 0, 100),
                                .one_thread = ashi_random_in(state, 0, 500),
                                .side_by_side = ashi_random_in(state, 0, 2000),
                                .part_words = ashi_random_in(state, 1, 20),
                                .part_side = ashi_random_in(state, 1, 6)};
    *workers = NULL;
    const int most = (int)ashi_random_in(state, 0, 4);
    const ashlar_status status = most > 0 ? ashi_workers_create(most, workers, err) : ASHLAR_OK;
    if (*workers)
        ashi_workers_start(*workers, (int)ashi_random_in(state, 0, 4)); /* as other players may have done */
    q->workers = *workers;
    return status == ASHLAR_OK;
}

#endif

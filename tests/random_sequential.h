/* Random products for one rank's memory, or several ranks' in turn. */
#ifndef ASHI_RANDOM_SEQUENTIAL_H
#define ASHI_RANDOM_SEQUENTIAL_H

#include "strategy/sequential.h"
#include "test.h"

static inline ashi_sequential_request random_request(uint64_t seed)
{
    uint64_t state = seed;
    ashi_sequential_request q = {.ranks = ashi_random_in(&state, 1, 9), .bytes = 4 << ashi_random_in(&state, 0, 2),
                                 .adds = seed & 1, .one_writer = seed % 7 == 0, .in_columns = seed % 5 == 0};
    for (int d = 0; d < 3; d++)
        q.size[d] = ashi_random_in(&state, 0, 25) ? ashi_random_in(&state, 1, 40) : 0;
    const int64_t most[] = {10, 60, 600, 6000};
    q.memory_words = ashi_random_in(&state, 3, most[ashi_random_in(&state, 0, 3)]);
    return q;
}

#endif

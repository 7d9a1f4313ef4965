/* Random choices of the nest engine, on as many ranks as they come to. */
#ifndef ASHI_RANDOM_NEST_H
#define ASHI_RANDOM_NEST_H

#include "base/checked.h"
#include "engine/nest.h"
#include "test.h"

static inline ashi_nest random_nest(uint64_t seed)
{
    uint64_t state = seed;
    ashi_nest q = {.adds = seed & 1, .stays = (ashlar_operand)(seed / 2 % 3), .strips = ashi_random_in(&state, 1, 4)};
    for (int d = 0; d < 3; d++) {
        q.size[d] = ashi_random_in(&state, 1, 24);
        q.cut[d] = ashi_random_in(&state, 1, ashi_min(q.size[d], 5));
        q.minor[d] = ashi_random_in(&state, 0, 1);
    }
    for (int d = 0; d < 2; d++) {
        q.parts[d] = ashi_random_in(&state, 0, 1) ? 1 : ashi_random_in(&state, 1, ashi_min(q.size[d], 3));
        q.team[d] = (int)q.stays == 1 - d ? 1 : ashi_random_in(&state, 1, 4);
    }
    for (int d = 0; d < 3; d++) /* each part has at least one unit */
        q.unit[d] = ashi_random_in(&state, 0, 3) > 0 ? 0
                                                     : ashi_random_in(&state, 1, d < 2 ? q.size[d] / q.parts[d] : 9);
    if (q.stays != ASHLAR_C)
        q.team[q.stays == ASHLAR_A ? 1 : 0] = 1;
    if (q.stays == ASHLAR_C && ashi_random_in(&state, 0, 15) == 0)
        q.size[2] = q.cut[2] = 0;
    const int inner = q.stays == ASHLAR_A ? 1 : 0;
    const bool fits = q.stays == ASHLAR_C || q.cut[2] == 1 ||
                      ashi_min(q.cut[inner], ashi_nest_units(&q, inner, q.size[inner]) / q.parts[inner]) > 1;
    q.ahead = fits ? (int)ashi_random_in(&state, 0, 1) : 0;
    q.ranks = q.parts[0] * q.parts[1] * q.team[0] * q.team[1] + ashi_random_in(&state, 0, 2);
    return q;
}

#endif

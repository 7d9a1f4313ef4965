/* Problems at random, as strategies see them: sizes, layouts, wishes, a torus, nodes. */
#ifndef ASHI_RANDOM_PROBLEM_H
#define ASHI_RANDOM_PROBLEM_H

#include "random_layout.h"
#include "strategy/strategy.h"

enum { RANKS_MOST = 24 };

typedef struct problem {
    ashi_problem q;
    ashlar_layout *layout[3];
    int node_of[RANKS_MOST];
} problem;

/* A torus of as many ranks, in some of the cases: cut off factors until nothing is left. */
static inline void random_torus(uint64_t *state, int64_t ranks, ashi_torus *torus)
{
    *torus = (ashi_torus){0};
    while (ranks > 1 && torus->dims < 6) {
        int64_t length = ashi_random_in(state, 1, ranks);
        while (ranks % length != 0 || (torus->dims == 5 && length != ranks))
            length++;
        torus->length[torus->dims++] = length;
        ranks /= length;
    }
}

static inline bool random_problem(uint64_t seed, problem *p, ashlar_error *err)
{
    uint64_t state = seed;
    const int64_t ranks = ashi_random_in(&state, 1, ashi_random_in(&state, 0, 3) ? RANDOM_RANKS_MAX : RANKS_MOST);
    const int64_t longest = ashi_random_in(&state, 0, 2) ? 60 : 300, per_node = ashi_random_in(&state, 1, ranks);
    *p = (problem){.q = {.ranks = ranks, .type = ASHLAR_TYPE_D, .idle = (double)ashi_random_in(&state, 0, 30) / 100,
                         .least_words = ashi_random_in(&state, 0, 1), .machine = ashlar_machine_default(),
                         .window = (int)ashi_random_in(&state, 1, 4), .one_sided = ashi_random_in(&state, 0, 1)}};
    ashi_problem *q = &p->q;
    for (int d = 0; d < 3; d++)
        q->size[d] = ashi_random_in(&state, 1, longest);
    for (int x = 0; x < 2; x++)
        q->op[x] = (ashlar_op)ashi_random_in(&state, 0, 2);
    for (int x = 0; x < 3; x++) {
        if (ashi_random_in(&state, 0, 2) == 0 || ranks > RANDOM_RANKS_MAX)
            continue;
        q->layout[x] = p->layout[x] = random_operand(&state, x, q->size, q->op, ranks, err);
        if (!p->layout[x])
            return false;
    }
    if (ashi_random_in(&state, 0, 1))
        random_torus(&state, ranks, &q->torus);
    for (int64_t r = 0; r < ranks; r++)
        p->node_of[r] = (int)(ashi_random_in(&state, 0, 1) ? r / per_node : r % ashi_max(1, ranks / per_node));
    q->node_of = ashi_random_in(&state, 0, 3) ? p->node_of : NULL;
    for (int64_t r = 0; r < ranks && ranks % per_node == 0; r++)
        p->node_of[r] = (int)(r / per_node);
    return true;
}

static inline void free_random_problem(problem *p)
{
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&p->layout[x]);
}

#endif

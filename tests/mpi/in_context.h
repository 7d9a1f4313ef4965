/* All of a program of random cases that share one context. PROGRAM names it. */
#ifndef ASHI_IN_CONTEXT_H
#define ASHI_IN_CONTEXT_H

#include "mpi/ranks.h"

#include <ashlar/context.h>

static inline int try_in_context(int argc, char **argv, uint64_t cases, void one(ashlar_context *context, rig *r))
{
    rig r;
    ashlar_context *context = NULL;
    if (!ranks_begin(&r, &argc, &argv, cases))
        return 1;
    CHECK(&r.test, ashlar_context_create(MPI_COMM_WORLD, &context, NULL) == ASHLAR_OK, "no context");
    for (uint64_t i = 0; i < r.cases && context; i++) {
        r.seed = r.first + i;
        one(context, &r);
    }
    ashlar_context_free(&context);
    return ranks_end(&r, PROGRAM);
}

#endif

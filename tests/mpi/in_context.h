/* All of a program of random cases that share one context. PROGRAM names it. The environment's ASHLAR_TEST_DEVICE_HERE
 * may name a device that multiplies in it. */
#ifndef ASHI_IN_CONTEXT_H
#define ASHI_IN_CONTEXT_H

#include "mpi/ranks.h"

#include <ashlar/context.h>

static inline const char *device_here(void)
{
    return getenv("ASHLAR_TEST_DEVICE_HERE");
}

static inline int try_in_context(int argc, char **argv, uint64_t cases, void one(ashlar_context *context, rig *r))
{
    rig r;
    ashlar_context *context = NULL;
    if (!ranks_begin(&r, &argc, &argv, cases))
        return 1;
    CHECK(&r.test, ashlar_context_create(MPI_COMM_WORLD, &context, NULL) == ASHLAR_OK, "no context");
    ashlar_error err = {0};
    if (context && device_here())
        CHECK(&r.test, ashlar_context_set_device(context, device_here(), 0, &err) == ASHLAR_OK, "%s", err.text);
    for (uint64_t i = 0; i < r.cases && context; i++) {
        r.seed = r.first + i;
        one(context, &r);
    }
    ashlar_context_free(&context);
    return ranks_end(&r, PROGRAM);
}

#endif

/* How many threads the BLAS of each rank uses: the cores of a node shared out among its ranks. */
#ifndef ASHI_CLI_THREADS_H
#define ASHI_CLI_THREADS_H

#include "plan/context.h"

typedef struct ashi_threads {
    int threads;    /* the BLAS of one rank, 0 where it does not say */
    int ranks;      /* of the node of rank 0 */
    int cores;      /* that its ranks may run on, all together */
    char note[200]; /* a sentence the user should see, or "" */
} ashi_threads;

/* Set the threads: `wanted` if above 0, else as OPENBLAS_NUM_THREADS, BLIS_NUM_THREADS or OMP_NUM_THREADS say, else
 * cores / ranks. The outcome is that of rank 0's node on all ranks. Collective. */
ashlar_status ashi_threads_set(const ashlar_context *context, int64_t wanted, ashi_threads *out, ashlar_error *err);

#endif

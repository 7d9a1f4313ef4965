/* Waiting on a core that other ranks use as well. */
#include "exec/nap.h"

#include <math.h>
#include <mpi.h>
#include <sched.h>
#include <time.h>

/* AWAKE: how long a wait only offers its core, for LOOKS at most. NAP: the least and the most that it sleeps between
 * two looks, which is else PART of the wait. In seconds. */
enum { LOOKS = 200 };
static const double AWAKE = 1e-4, NAP_LEAST = 5e-5, NAP_MOST = 1e-3, PART = 0.125;

void ashi_nap(double since, int looks)
{
    const double waited = MPI_Wtime() - since, seconds = fmin(NAP_MOST, fmax(NAP_LEAST, PART * waited));
    const struct timespec nap = {0, (long)(seconds * 1e9)};
    if (waited < AWAKE && looks < LOOKS)
        (void)sched_yield();
    else
        nanosleep(&nap, NULL);
}

/* How many threads the BLAS uses, and how many cores there are for them. */
#define _GNU_SOURCE
#include "exec/threads.h"

#include <sched.h>
#include <unistd.h>

/* Each library's own calls; absent where another BLAS is linked. */
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int) __attribute__((weak));
extern long bli_thread_get_num_threads(void) __attribute__((weak));
extern void bli_thread_set_num_threads(long) __attribute__((weak));

int ashi_blas_threads(void)
{
    if (openblas_get_num_threads)
        return openblas_get_num_threads();
    if (bli_thread_get_num_threads)
        return (int)bli_thread_get_num_threads();
    return 0;
}

bool ashi_set_blas_threads(int threads)
{
    if (openblas_set_num_threads)
        openblas_set_num_threads(threads);
    else if (bli_thread_set_num_threads)
        bli_thread_set_num_threads(threads);
    else
        return false;
    return true;
}

int ashi_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

/* Threads that are kept off the processor that the calling thread runs on: by the system's masks. */
#define _GNU_SOURCE /* sched_getcpu, CPU_SET */
#include "kernel/elsewhere.h"

#include <sched.h>

void ashi_elsewhere(const pthread_t *first, size_t size, int count, int *left)
{
    const int here = sched_getcpu();
    cpu_set_t allowed;
    if (here < 0 || here == *left || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    if (CPU_COUNT(&allowed) > count)
        CPU_CLR((size_t)here, &allowed);
    for (int i = 0; i < count; i++)
        (void)pthread_setaffinity_np(*(const pthread_t *)((const char *)first + (size_t)i * size), sizeof allowed,
                                     &allowed);
    *left = here;
}

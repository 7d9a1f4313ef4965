/* Make MPICH over UCX give its core away while it waits; preloaded by the tests' launcher, and part of nothing else.
 *
 * Debian's MPICH polls without end. With more ranks than cores the rank that is waited for then gets the core only when
 * the kernel takes it from the others, and a small collective takes 10 ms instead of 0.1. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>

typedef unsigned progress_call(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static progress_call *next;
    if (next == NULL) {
        void *const found = dlsym(RTLD_NEXT, "ucp_worker_progress");
        if (found == NULL)
            abort();
        *(void **)&next = found; /* the conversion POSIX prescribes: ISO C has none from void * to a function */
    }
    const unsigned events = next(worker);
    if (events == 0)
        sched_yield();
    return events;
}

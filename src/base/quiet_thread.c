/* Starting a thread with all signals blocked: it has the mask of the thread that starts it. */
#include "base/quiet_thread.h"

#include <signal.h>

bool ashi_quiet_thread_start(pthread_t *thread, void *(*work)(void *), void *context)
{
    sigset_t all, before;
    sigfillset(&all);
    const bool blocked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
    const bool started = pthread_create(thread, NULL, work, context) == 0;
    if (blocked)
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/* Temporary files that are removed as a signal ends the process. */
#include "store/ending.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

/* All that end a process unless handled, but those that say that the process itself is broken, which MPI libraries
 * report. SIGXFSZ is not among them: the command ignores it. */
static const int caught[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGPIPE, SIGALRM,
                             SIGUSR1, SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF};

enum { CAUGHT = sizeof caught / sizeof caught[0], FILES = 8 };

/* A signal may be handled by any thread at any time, so these are all that its handler reads. */
static _Atomic(const char *) files[FILES];
static atomic_bool ending;
static atomic_long owner; /* the process that wrote the files: a forked one must not remove them */

/* Only what POSIX allows in a handler. The signal comes again as the handler returns, and ends the process. */
static void remove_files(int signal_number)
{
    const int code = errno;
    struct sigaction by_default = {.sa_handler = SIG_DFL};
    atomic_store(&ending, true);
    for (int i = 0; i < FILES && atomic_load(&owner) == (long)getpid(); i++) {
        const char *name = atomic_load(&files[i]);
        if (name)
            unlink(name);
    }
    sigaction(signal_number, &by_default, NULL);
    raise(signal_number);
    errno = code;
}

void ashi_ending_catch(void)
{
    struct sigaction own = {.sa_handler = remove_files}, old;
    sigemptyset(&own.sa_mask);
    for (int i = 0; i < CAUGHT; i++)
        sigaddset(&own.sa_mask, caught[i]);
    for (int i = 0; i < CAUGHT; i++)
        if (sigaction(caught[i], NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) && old.sa_handler == SIG_DFL)
            sigaction(caught[i], &own, NULL);
}

/* Either the handler finds the name, or this finds that the handler has begun: both orders are the same for all. */
void ashi_ending_remember(const char *name)
{
    atomic_store(&owner, (long)getpid());
    for (int i = 0; i < FILES; i++) {
        const char *none = NULL;
        if (atomic_compare_exchange_strong(&files[i], &none, name))
            break;
    }
    if (atomic_load(&ending))
        unlink(name);
}

bool ashi_ending_forget(const char *name)
{
    for (int i = 0; i < FILES; i++) {
        const char *found = name;
        if (atomic_compare_exchange_strong(&files[i], &found, NULL))
            break;
    }
    return !atomic_load(&ending);
}

/* Failures of MPI are tried one after the other. If the program hangs it says which one it was at. For programs with
 * failing.h. */
#ifndef ASHI_TRYING_H
#define ASHI_TRYING_H

#include "mpi/failing.h"
#include "mpi/ranks.h"

#include <inttypes.h>
#include <signal.h>
#include <unistd.h>

static char doing[200]; /* what is tried */

static void tell_and_end(int number)
{
    const char *const name = failing.failed ? failing.name : "elsewhere";
    ssize_t written = write(STDERR_FILENO, doing, strlen(doing));
    written = written < 0 ? written : write(STDERR_FILENO, name, strlen(name));
    (void)number;
    _exit(written < 0 ? 2 : 1);
}

/* Whether a failure of this mode is one rank's. */
static bool is_alone(failure_mode mode)
{
    return mode == TOLD || mode == NOT_MADE;
}

/* Whether failure n of a mode is possible, of which this rank has `calls`; the same on all ranks. If so its name is in
 * `doing`, and the time limit begins. */
static bool try_begin(const rig *r, const char *call, failure_mode mode, int64_t calls, int64_t n, unsigned patience)
{
    static const char *const names[] = {"none", "together", "dead", "told", "not made"};
    const int victim = (int)(n % r->ranks);
    int possible = calls >= n;
    PMPI_Bcast(&possible, 1, MPI_INT, is_alone(mode) ? victim : 0, MPI_COMM_WORLD);
    if (!possible)
        return false;
    snprintf(doing, sizeof doing, "%s: %s, failure %" PRId64 " on rank %d of %d: ", call, names[mode], n,
             is_alone(mode) ? victim : -1, r->ranks);
    alarm(patience);
    return true;
}

/* From the next call on failure n is awaited, on the rank that is to have it. */
static void try_fail(const rig *r, failure_mode mode, int64_t n)
{
    failing_begin(is_alone(mode) && r->rank != (int)(n % r->ranks) ? NONE : mode, n);
}

#endif

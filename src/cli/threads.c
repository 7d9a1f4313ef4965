/* How many threads the BLAS of each rank uses. */
#define _GNU_SOURCE
#include "cli/threads.h"

#include "base/checked.h"
#include "base/error.h"
#include "exec/mpi.h"
#include "kernel/threads.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Cores as a set of bits: those that the ranks of a node may use, and those that their launcher may. A launcher that
 * binds each rank to a core is itself not bound, so the difference is what the binding leaves idle. */
typedef struct cores {
    uint8_t own[sizeof(cpu_set_t)], launcher[sizeof(cpu_set_t)];
} cores;

static void ask(pid_t process, uint8_t set[sizeof(cpu_set_t)])
{
    cpu_set_t mask;
    if (sched_getaffinity(process, sizeof mask, &mask) == 0)
        memcpy(set, &mask, sizeof mask);
}

static int count(const uint8_t *set)
{
    int n = 0;
    for (size_t i = 0; i < sizeof(cpu_set_t); i++)
        n += __builtin_popcount(set[i]);
    return n;
}

static bool environment_says(void)
{
    static const char *const names[] = {"OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "BLIS_NUM_THREADS",
                                        "OMP_NUM_THREADS"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return true;
    }
    return false;
}

/* Users lose most of the machine here and cannot see it. */
static void judge(ashi_threads *t, int free_cores)
{
    const int64_t busy = (int64_t)t->ranks * ashi_max(t->threads, 1);
    if (busy > t->cores)
        snprintf(t->note, sizeof t->note, "%d rank%s of %d BLAS thread%s take turns on %d core%s: start fewer",
                 t->ranks, t->ranks == 1 ? "" : "s", (int)ashi_max(t->threads, 1), t->threads > 1 ? "s" : "", t->cores,
                 t->cores == 1 ? "" : "s");
    else if (t->threads == 1 && 2 * busy <= t->cores)
        snprintf(t->note, sizeof t->note, "the BLAS runs with one thread a rank while %d of %d cores idle",
                 (int)(t->cores - busy), t->cores);
    else if (t->threads == 1 && 2 * busy <= free_cores)
        snprintf(t->note, sizeof t->note,
                 "the ranks are bound to %d of %d cores, and the others idle: start them with --bind-to none", t->cores,
                 free_cores);
}

static ashlar_status survey(const ashlar_context *context, cores *all, int *ranks, ashlar_error *err)
{
    MPI_Comm node = MPI_COMM_NULL;
    cores mine = {{0}, {0}};
    ask(0, mine.own);
    ask(getppid(), mine.launcher);
    ashlar_status status = ashi_mpi(MPI_Comm_split_type(context->comm, MPI_COMM_TYPE_SHARED, context->rank,
                                                        MPI_INFO_NULL, &node), "MPI_Comm_split_type", err);
    if (status == ASHLAR_OK)
        status = ashi_mpi(MPI_Comm_size(node, ranks), "MPI_Comm_size", err);
    if (status == ASHLAR_OK)
        status = ashi_mpi(MPI_Allreduce(&mine, all, (int)sizeof mine, MPI_UINT8_T, MPI_BOR, node), "MPI_Allreduce",
                          err);
    if (node != MPI_COMM_NULL)
        MPI_Comm_free(&node);
    return status;
}

ashlar_status ashi_threads_set(const ashlar_context *context, int64_t wanted, ashi_threads *out, ashlar_error *err)
{
    cores all = {{0}, {0}};
    int threads = 0;
    *out = (ashi_threads){.ranks = 1};
    ashlar_status status = survey(context, &all, &out->ranks, err);
    if (status != ASHLAR_OK)
        return status;
    out->cores = (int)ashi_max(count(all.own), 1);
    if (wanted > 0 || !environment_says()) {
        const int64_t share = wanted > 0 ? wanted : ashi_max(out->cores / out->ranks, 1);
        if (ashi_to_int(share, &threads))
            ashi_set_blas_threads(threads);
    }
    out->threads = ashi_blas_threads();
    judge(out, count(all.launcher));
    return ashi_mpi(MPI_Bcast(out, (int)sizeof *out, MPI_BYTE, 0, context->comm), "MPI_Bcast", err);
}

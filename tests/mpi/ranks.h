/* The ranks of a test program: their count, their arguments, and the joining of what each has checked. */
#ifndef ASHI_RANKS_H
#define ASHI_RANKS_H

#include "test.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* In a failed check of one case: which it was, and the line that repeats it. */
#define CASE "seed %" PRIu64 ", %d ranks; again: build/.../launch %d .../mpi_" PROGRAM " %" PRIu64 " 1: "
#define CASE_OF(r) (r)->seed, (r)->ranks, (r)->ranks, (r)->seed

typedef struct rig {
    ashi_test test;
    int rank, ranks;
    uint64_t seed;         /* of the case that is tried now */
    uint64_t first, cases; /* arguments */
} rig;

/* After MPI_Init. Arguments: the first case's seed, and how many cases. Without them each number of ranks has `cases`
 * of its own, and fewer above four ranks: ranks that wait for a core take long for each case. */
static inline void ranks_ready(rig *r, int argc, char **argv, uint64_t cases)
{
    *r = (rig){0};
    MPI_Comm_rank(MPI_COMM_WORLD, &r->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r->ranks);
    r->first = (uint64_t)r->ranks * 1000;
    r->cases = r->ranks <= 4 ? cases : 3 * cases / (uint64_t)r->ranks;
    if (argc > 1)
        r->first = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        r->cases = strtoull(argv[2], NULL, 10);
}

static inline bool ranks_begin(rig *r, int *argc, char ***argv, uint64_t cases)
{
    if (MPI_Init(argc, argv) != MPI_SUCCESS)
        return false;
    ranks_ready(r, *argc, *argv, cases);
    return true;
}

/* For tests whose threads call MPI. 0; else the status to end with: 77 if this MPI has no MPI_THREAD_MULTIPLE. */
static inline int ranks_begin_threads(rig *r, int *argc, char ***argv, uint64_t cases)
{
    int level = MPI_THREAD_SINGLE;
    if (MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS)
        return 1;
    if (level < MPI_THREAD_MULTIPLE) {
        printf("skipped: this MPI has no MPI_THREAD_MULTIPLE\n");
        MPI_Finalize();
        return 77;
    }
    ranks_ready(r, *argc, *argv, cases);
    return 0;
}

/* What one rank has found wrong all have. */
static inline int ranks_end(rig *r, const char *name)
{
    int64_t own[2] = {r->test.checks, r->test.failures}, all[2] = {0, 0};
    MPI_Allreduce(own, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    r->test = (ashi_test){all[0], all[1]};
    return r->rank == 0 ? ashi_test_end(&r->test, name) : all[1] != 0 || all[0] == 0;
}

/* True where all ranks have the same status, and where that is no success the same text. */
static inline bool ranks_agree(MPI_Comm comm, int status, const char *text)
{
    char first[1024] = "";
    int least = status, most = status, same, all = 0;
    snprintf(first, sizeof first, "%s", text);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, comm);
    MPI_Allreduce(&status, &least, 1, MPI_INT, MPI_MIN, comm);
    MPI_Allreduce(&status, &most, 1, MPI_INT, MPI_MAX, comm);
    same = least == most && (status == 0 || (text[0] && strcmp(first, text) == 0));
    MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_MIN, comm);
    return all;
}

#endif

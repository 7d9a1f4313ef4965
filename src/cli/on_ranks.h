/* A subcommand's work on all ranks: MPI started and ended, one line of complaint, one exit status. */
#ifndef ASHI_ON_RANKS_H
#define ASHI_ON_RANKS_H

#include "cli/options.h"

#include <ashlar/context.h>

/* Collective; the status is the same on all ranks. */
typedef ashlar_status (*ashi_ranked_work)(ashlar_context *context, void *wish, ashlar_error *err);

typedef struct ashi_ranked {
    const ashi_usage *usage;
    /* The rest of the command line, whose arguments are argv[1] and what follows. -1: go on, else the exit status after
     * one line of complaint if `speak`. */
    int (*settle)(char **argv, bool speak, void *wish);
    ashi_ranked_work work;
} ashi_ranked;

/* All of a subcommand, from its command line on. The exit status, the same on all ranks. */
int ashi_on_ranks(const ashi_ranked *ranked, int argc, char **argv, void *wish);

/* The same of a subcommand whose command line has been read. */
int ashi_on_ranks_run(const char *command, ashi_ranked_work work, void *wish);

#endif

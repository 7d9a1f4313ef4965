/* A subcommand's work on all ranks: MPI started and ended, one line of complaint, one exit status. */
#include "cli/on_ranks.h"

#include "cli/complain.h"

#include <stdio.h>

static bool start(const char *command, int *rank)
{
    int level = 0;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) {
        fprintf(stderr, "ashlar %s: MPI cannot be started\n", command);
        return false;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    return true;
}

/* MPI has started. */
static int run(const char *command, ashi_ranked_work work, int rank, void *wish)
{
    ashlar_context *context = NULL;
    ashlar_error err = {0};
    int code = ASHI_EXIT_DONE;
    ashlar_status status = ashlar_context_create(MPI_COMM_WORLD, &context, &err);
    if (status == ASHLAR_OK)
        status = work(context, wish, &err);
    if (rank == 0 && status != ASHLAR_OK)
        code = ashi_complain(command, &err);
    ashlar_context_free(&context);
    MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return code;
}

int ashi_on_ranks_run(const char *command, ashi_ranked_work work, void *wish)
{
    int rank = 0;
    if (!start(command, &rank))
        return ASHI_EXIT_TROUBLE;
    const int code = run(command, work, rank, wish);
    MPI_Finalize();
    return code;
}

int ashi_on_ranks(const ashi_ranked *ranked, int argc, char **argv, void *wish)
{
    int rank = 0, count = 0;
    if (!start(ranked->usage->command, &rank))
        return ASHI_EXIT_TROUBLE;
    int code = ashi_options_parse(ranked->usage, argc, argv, rank == 0, &count);
    if (code < 0)
        code = ranked->settle(argv, rank == 0, wish);
    if (code < 0)
        code = run(ranked->usage->command, ranked->work, rank, wish);
    MPI_Finalize();
    return code;
}

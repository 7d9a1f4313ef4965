/* Times what the player itself takes for a task: a program of moves of one word, replayed and passed as it goes. */
#include "engine/chains.h"
#include "exec/mpi.h"
#include "exec/player.h"
#include "inner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: tasks STEPS WIDTH REPETITIONS\n\n"
    "Print a line of JSON with the microseconds that a task of a program takes: to be planned, replayed, and passed\n"
    "as it runs. In each of STEPS steps each of WIDTH words is moved to another place.\n";

static ashi_player *make_player(ashi_program *program, bool keeps)
{
    const ashi_player_request q = {.program = program, .type = ASHLAR_TYPE_D, .comm = MPI_COMM_WORLD,
                                   .tag_most = 32767, .message_most = ASHI_MESSAGE_MOST,
                                   .keeps = keeps ? INT64_MAX : 0};
    ashi_player *player = NULL;
    ashlar_error err = {0};
    if (ashi_player_create(&q, &player, &err) != ASHLAR_OK)
        ashi_inner_end(err.text);
    return player;
}

/* The median, in microseconds a task. */
static double time_runs(ashi_player *player, int64_t tasks, int repetitions)
{
    const double one = 1;
    const ashi_player_work work = {.alpha = &one, .beta = &one};
    double *seconds = ashi_inner_doubles(repetitions);
    for (int r = -1; r < repetitions; r++) {
        ashi_player_tally tally;
        ashlar_error err = {0};
        if (ashi_player_run(player, &work, &tally, &err) != ASHLAR_OK)
            ashi_inner_end(err.text);
        if (r >= 0)
            seconds[r] = tally.seconds;
    }
    const double median = ashi_inner_median(seconds, repetitions);
    free(seconds);
    return median * 1e6 / (double)tasks;
}

static void measure(ashi_program *program, int64_t tasks, int repetitions)
{
    const double start = MPI_Wtime();
    ashi_player *kept = make_player(program, true);
    const double planned = (MPI_Wtime() - start) * 1e6 / (double)tasks;
    ashi_player *passed = make_player(program, false);
    const double replays = time_runs(kept, tasks, repetitions), passes = time_runs(passed, tasks, repetitions);
    printf("{\"schema\": 1, \"kind\": \"tasks\", \"tasks\": %" PRId64 ", \"repetitions\": %d, "
           "\"microseconds_per_task\": {\"planned\": %.4g, \"replayed\": %.4g, \"passed\": %.4g}}\n",
           tasks, repetitions, planned, replays, passes);
    ashi_player_free(&kept);
    ashi_player_free(&passed);
}

int main(int argc, char **argv)
{
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 1;
    if (argc != 4) {
        fputs(help, stdout);
        MPI_Finalize();
        return !(argc == 2 && strcmp(argv[1], "--help") == 0);
    }
    const int64_t steps = ashi_inner_number(argv[1], INT32_MAX), width = ashi_inner_number(argv[2], INT32_MAX);
    ashi_program program;
    ashlar_error err = {0};
    if (ashi_chains_program(steps, width, &program, &err) != ASHLAR_OK)
        ashi_inner_end(err.text);
    measure(&program, steps * width, (int)ashi_inner_number(argv[3], INT32_MAX));
    ashi_program_free(&program);
    MPI_Finalize();
    return 0;
}

/* Times what the player itself takes for a task: a program of moves of one word, replayed and passed as it goes. */
#include "engine/chains.h"
#include "exec/mpi.h"
#include "exec/player.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: tasks STEPS WIDTH REPETITIONS\n\n"
    "Print a line of JSON with the microseconds that a task of a program takes: to be planned, replayed, and passed\n"
    "as it runs. In each of STEPS steps each of WIDTH words is moved to another place.\n";

/* The names of bench/die.h and bench/samples.h are others' in the library's own headers. */
static _Noreturn void end(const char *text)
{
    fprintf(stderr, "tasks: %s\n", text);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static int64_t number(const char *text)
{
    char *rest = NULL;
    const long long value = strtoll(text, &rest, 10);
    if (rest == text || *rest != '\0' || value < 1 || value > INT32_MAX)
        end("wanted whole numbers of at least 1");
    return value;
}

static ashi_player *make_player(ashi_program *program, bool keeps)
{
    const ashi_player_request q = {.program = program, .type = ASHLAR_TYPE_D, .comm = MPI_COMM_WORLD,
                                   .tag_most = 32767, .message_most = ASHI_MESSAGE_MOST,
                                   .keeps = keeps ? INT64_MAX : 0};
    ashi_player *player = NULL;
    ashlar_error err = {0};
    if (ashi_player_create(&q, &player, &err) != ASHLAR_OK)
        end(err.text);
    return player;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median, in microseconds a task. */
static double time_runs(ashi_player *player, int64_t tasks, int repetitions)
{
    const double one = 1;
    const ashi_player_work work = {.alpha = &one, .beta = &one};
    double *seconds = malloc((size_t)repetitions * sizeof *seconds);
    if (!seconds)
        end("memory is short");
    for (int r = -1; r < repetitions; r++) {
        ashi_player_tally tally;
        ashlar_error err = {0};
        if (ashi_player_run(player, &work, &tally, &err) != ASHLAR_OK)
            end(err.text);
        if (r >= 0)
            seconds[r] = tally.seconds;
    }
    qsort(seconds, (size_t)repetitions, sizeof *seconds, by_size);
    const double median = seconds[repetitions / 2];
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
    const int64_t steps = number(argv[1]), width = number(argv[2]);
    ashi_program program;
    ashlar_error err = {0};
    if (ashi_chains_program(steps, width, &program, &err) != ASHLAR_OK)
        end(err.text);
    measure(&program, steps * width, (int)number(argv[3]));
    ashi_program_free(&program);
    MPI_Finalize();
    return 0;
}

/* The command `ashlar`: finds the subcommand and runs it. */
#include "cli/command.h"
#include "cli/help.h"
#include "cli/nearest.h"
#include "store/ending.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static void print_help(void)
{
    const ashi_command *c = NULL;
    puts("Usage: ashlar COMMAND [ARGUMENT...]\n\n"
         "Plan and run products of matrices that are spread over many processes, moving\n"
         "close to the least data that can be moved.\n");
    for (int i = 0; (c = ashi_command_at(i)) != NULL; i++) {
        char text[160];
        snprintf(text, sizeof text, "%s%s", c->summary, c->mpi ? " (under mpirun)" : "");
        ashi_help_row(c->name, text);
    }
    puts("");
    ashi_help_row("-h, --help", "show this text and end");
    ashi_help_row("--version", "show the version and end");
    puts("\n'ashlar COMMAND --help' says more, and so does the manual: man ashlar.");
}

/* What was asked for instead of a subcommand, or a mistake. */
static int without_command(const char *typed)
{
    const ashi_command *c = NULL;
    const char *best = NULL;
    int distance = 0;
    if (!typed) {
        fputs("ashlar: no command; 'ashlar --help' lists them\n", stderr);
        return ASHI_EXIT_USAGE;
    }
    if (strcmp(typed, "--help") == 0 || strcmp(typed, "-h") == 0) {
        print_help();
        return ASHI_EXIT_DONE;
    }
    if (strcmp(typed, "--version") == 0) {
        printf("ashlar %s\n", ashlar_version());
        return ASHI_EXIT_DONE;
    }
    for (int i = 0; (c = ashi_command_at(i)) != NULL; i++)
        ashi_nearest_offer(typed, c->name, &best, &distance);
    if (best)
        fprintf(stderr, "ashlar: unknown command '%.64s'; did you mean %s?\n", typed, best);
    else
        fprintf(stderr, "ashlar: unknown command '%.64s'; 'ashlar --help' lists them\n", typed);
    return ASHI_EXIT_USAGE;
}

/* What was printed counts only once it is written. */
static int close_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fputs("ashlar: standard output could not be written\n", stderr);
    return status == ASHI_EXIT_DONE ? ASHI_EXIT_TROUBLE : status;
}

int main(int argc, char **argv)
{
    const ashi_command *c = NULL;
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error to report, not a death */
    ashi_ending_catch();
    for (int i = 0; argc > 1 && (c = ashi_command_at(i)) != NULL && strcmp(c->name, argv[1]) != 0; i++)
        continue;
    return close_output(c ? c->run(argc - 1, argv + 1) : without_command(argc > 1 ? argv[1] : NULL));
}

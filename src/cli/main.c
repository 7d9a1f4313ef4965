/* The command `ashlar`: finds the subcommand and runs it. */
#include "cli/command.h"
#include "cli/general.h"
#include "store/ending.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* What was asked for instead of a subcommand, or a mistake. */
static int without_command(const char *typed)
{
    if (!typed) {
        fputs("ashlar: no command; 'ashlar --help' lists them\n", stderr);
        return ASHI_EXIT_USAGE;
    }
    if (strcmp(typed, "--help") == 0 || strcmp(typed, "-h") == 0)
        return ashi_general_help();
    if (strcmp(typed, "--version") == 0 || strcmp(typed, "-V") == 0)
        return ashi_general_version();
    return ashi_command_unknown(typed);
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
    signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error to report, not a death */
    ashi_ending_catch();
    const ashi_command *c = argc > 1 ? ashi_command_named(argv[1]) : NULL;
    return close_output(c ? c->run(argc - 1, argv + 1) : without_command(argc > 1 ? argv[1] : NULL));
}

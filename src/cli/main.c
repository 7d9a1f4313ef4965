/* The command `ashlar`: the table of subcommands, of which one is run. */
#include "cli/command.h"
#include "cli/general.h"
#include "store/ending.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const ashi_command commands[] = {
    {"plan", "choose how to multiply, and say why", ashi_command_plan, ashi_describe_plan, false},
    {"simulate", "count words, messages and memory exactly", ashi_command_simulate, ashi_describe_simulate, false},
    {"multiply", "multiply matrices in files", ashi_command_multiply, ashi_describe_multiply, true},
    {"calibrate", "measure the machine that plans are made for", ashi_command_calibrate, ashi_describe_calibrate, true},
    {"generate", "write a matrix of repeatable values to a file", ashi_command_generate, ashi_describe_generate, false},
    {"contract", "contract tensors in files", ashi_command_contract, ashi_describe_contract, true},
    {"tile", "cut a matrix in a file into tiles", ashi_command_tile, ashi_describe_tile, true},
    {"untile", "write a matrix of tiles as a dense one", ashi_command_untile, ashi_describe_untile, true},
    {"show", "show a matrix of tiles: sizes, which are present, norms", ashi_command_show, ashi_describe_show, true},
    {"check-schedule", "prove that a schedule forms every product once", ashi_command_check_schedule,
     ashi_describe_check_schedule, false},
    {"schedule", "print the operations of one rank", ashi_command_schedule, ashi_describe_schedule, false},
    {"trace", "show what each rank did and waited for in a recorded run", ashi_command_trace, ashi_describe_trace,
     false},
    {"bounds", "show the lower bounds and costs of the papers", ashi_command_bounds, ashi_describe_bounds, false},
    {"strategies", "list the ways to multiply", ashi_command_strategies, ashi_describe_strategies, false},
    {"plan-contract", "choose how to contract tensors on disk, and say why", ashi_command_plan_contract,
     ashi_describe_plan_contract, false},
    {"compile", "make C of a program of contractions", ashi_command_compile, ashi_describe_compile, false},
    {"completion", "print a script that completes the command line in a shell", ashi_command_completion,
     ashi_describe_completion, false},
    {"help", "explain a command", ashi_command_help, ashi_describe_help, false},
    {"version", "show the version", ashi_command_version, ashi_describe_version, false},
};

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
    ashi_commands_are(commands, (int)(sizeof commands / sizeof commands[0]));
    const ashi_command *c = argc > 1 ? ashi_command_named(argv[1]) : NULL;
    return close_output(c ? c->run(argc - 1, argv + 1) : without_command(argc > 1 ? argv[1] : NULL));
}

/* The table of subcommands, and how they complain. */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

static const ashi_command commands[] = {
    {"plan", "choose how to multiply, and say why", ashi_command_plan, false},
    {"simulate", "walk every rank's schedule and count exactly", ashi_command_simulate, false},
    {"multiply", "multiply matrices in files", ashi_command_multiply, true},
    {"calibrate", "measure the machine that plans are made for", ashi_command_calibrate, true},
    {"generate", "write a matrix of repeatable values to a file", ashi_command_generate, false},
    {"check-schedule", "prove that a schedule forms every product once", ashi_command_check_schedule, false},
    {"bounds", "show the lower bounds and costs of the papers", ashi_command_bounds, false},
    {"bench", "compare strategies in the scenarios of the COSMA paper", ashi_command_bench, false},
    {"strategies", "list the ways to multiply", ashi_command_strategies, false},
};

const ashi_command *ashi_command_at(int i)
{
    return i >= 0 && i < (int)(sizeof commands / sizeof commands[0]) ? &commands[i] : NULL;
}

static int exit_of(ashlar_status status)
{
    switch (status) {
    case ASHLAR_OK:
        return ASHI_EXIT_DONE;
    case ASHLAR_ERR_LIMIT:
        return ASHI_EXIT_NO;
    case ASHLAR_ERR_ARG:
    case ASHLAR_ERR_OVERFLOW:
    case ASHLAR_ERR_UNSUPPORTED:
        return ASHI_EXIT_USAGE;
    default:
        return ASHI_EXIT_TROUBLE;
    }
}

int ashi_complain(const char *command, const ashlar_error *err)
{
    fprintf(stderr, "ashlar %s: %s\n", command, err->text);
    return exit_of(err->status);
}

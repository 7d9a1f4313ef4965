/* The table of subcommands, and how they complain. */
#include "cli/command.h"

#include "cli/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const ashi_command commands[] = {
    {"plan", "choose how to multiply, and say why", ashi_command_plan, ashi_describe_plan, false},
    {"simulate", "count words, messages and memory exactly", ashi_command_simulate, ashi_describe_simulate, false},
    {"multiply", "multiply matrices in files", ashi_command_multiply, ashi_describe_multiply, true},
    {"calibrate", "measure the machine that plans are made for", ashi_command_calibrate, ashi_describe_calibrate, true},
    {"generate", "write a matrix of repeatable values to a file", ashi_command_generate, ashi_describe_generate, false},
    {"check-schedule", "prove that a schedule forms every product once", ashi_command_check_schedule,
     ashi_describe_check_schedule, false},
    {"schedule", "print the operations of one rank", ashi_command_schedule, ashi_describe_schedule, false},
    {"trace", "show what each rank did and waited for in a recorded run", ashi_command_trace, ashi_describe_trace,
     false},
    {"bounds", "show the lower bounds and costs of the papers", ashi_command_bounds, ashi_describe_bounds, false},
    {"bench", "compare strategies in the scenarios of the COSMA paper", ashi_command_bench, ashi_describe_bench, false},
    {"strategies", "list the ways to multiply", ashi_command_strategies, ashi_describe_strategies, false},
    {"completion", "print a script that completes the command line in a shell", ashi_command_completion,
     ashi_describe_completion, false},
    {"help", "explain a command", ashi_command_help, ashi_describe_help, false},
    {"version", "show the version", ashi_command_version, ashi_describe_version, false},
};

/* One line, whatever a file's name or an option's value in it may hold. */
static void put_line(const char *text)
{
    for (const char *c = text; *c; c++)
        fputc(iscntrl((unsigned char)*c) ? '?' : *c, stderr);
    fputc('\n', stderr);
}

const ashi_command *ashi_command_at(int i)
{
    return i >= 0 && i < (int)(sizeof commands / sizeof commands[0]) ? &commands[i] : NULL;
}

const ashi_command *ashi_command_named(const char *name)
{
    const ashi_command *c = NULL;
    for (int i = 0; (c = ashi_command_at(i)) != NULL && strcmp(c->name, name) != 0; i++)
        continue;
    return c;
}

int ashi_command_unknown(const char *typed)
{
    const ashi_command *c = NULL;
    const char *best = NULL;
    char text[ASHLAR_MESSAGE_MAX];
    int distance = 0;
    for (int i = 0; (c = ashi_command_at(i)) != NULL; i++)
        ashi_nearest_offer(typed, c->name, &best, &distance);
    if (best)
        snprintf(text, sizeof text, "unknown command '%.64s'; did you mean %s?", typed, best);
    else
        snprintf(text, sizeof text, "unknown command '%.64s'; 'ashlar --help' lists them", typed);
    fputs("ashlar: ", stderr);
    put_line(text);
    return ASHI_EXIT_USAGE;
}

void ashi_command_words(char out[ASHI_COMMAND_WORDS])
{
    const ashi_command *c = NULL;
    size_t used = 0;
    for (int i = 0; (c = ashi_command_at(i)) != NULL && used < ASHI_COMMAND_WORDS; i++)
        used += (size_t)snprintf(out + used, ASHI_COMMAND_WORDS - used, "%s%s", i > 0 ? "|" : "", c->name);
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
    fprintf(stderr, "ashlar %s: ", command);
    put_line(err->text);
    return exit_of(err->status);
}

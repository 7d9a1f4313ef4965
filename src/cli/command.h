/* The subcommands. */
#ifndef ASHI_COMMAND_H
#define ASHI_COMMAND_H

#include "cli/complain.h"
#include "cli/options.h"

typedef struct ashi_command {
    const char *name, *summary;
    int (*run)(int argc, char **argv); /* argv[0] is the subcommand's name; returns the exit status */
    void (*describe)(ashi_usage_use use, void *context); /* hands its usage to `use`; needs no MPI */
    bool mpi;                          /* `run` needs MPI_Init; it does that itself */
} ashi_command;

/* The table of subcommands, which outlives all calls of these functions. */
void ashi_commands_are(const ashi_command *table, int count);

/* Subcommand number i, NULL beyond the last. */
const ashi_command *ashi_command_at(int i);

/* NULL if none has this name. */
const ashi_command *ashi_command_named(const char *name);

/* One line on stderr: there is no such command, and which may be meant. Returns the exit status. */
int ashi_command_unknown(const char *typed);

/* "help|plan|version": the names of all. */
enum { ASHI_COMMAND_WORDS = 256 };
void ashi_command_words(char out[ASHI_COMMAND_WORDS]);

int ashi_command_plan(int argc, char **argv);
int ashi_command_plan_contract(int argc, char **argv);
int ashi_command_compile(int argc, char **argv);
int ashi_command_simulate(int argc, char **argv);
int ashi_command_check_schedule(int argc, char **argv);
int ashi_command_schedule(int argc, char **argv);
int ashi_command_trace(int argc, char **argv);
int ashi_command_bounds(int argc, char **argv);
int ashi_command_strategies(int argc, char **argv);
int ashi_command_generate(int argc, char **argv);
int ashi_command_tile(int argc, char **argv);
int ashi_command_untile(int argc, char **argv);
int ashi_command_show(int argc, char **argv);
int ashi_command_multiply(int argc, char **argv);
int ashi_command_contract(int argc, char **argv);
int ashi_command_calibrate(int argc, char **argv);
int ashi_command_completion(int argc, char **argv);
int ashi_command_help(int argc, char **argv);
int ashi_command_version(int argc, char **argv);

void ashi_describe_plan(ashi_usage_use use, void *context);
void ashi_describe_plan_contract(ashi_usage_use use, void *context);
void ashi_describe_compile(ashi_usage_use use, void *context);
void ashi_describe_simulate(ashi_usage_use use, void *context);
void ashi_describe_check_schedule(ashi_usage_use use, void *context);
void ashi_describe_schedule(ashi_usage_use use, void *context);
void ashi_describe_trace(ashi_usage_use use, void *context);
void ashi_describe_bounds(ashi_usage_use use, void *context);
void ashi_describe_strategies(ashi_usage_use use, void *context);
void ashi_describe_generate(ashi_usage_use use, void *context);
void ashi_describe_tile(ashi_usage_use use, void *context);
void ashi_describe_untile(ashi_usage_use use, void *context);
void ashi_describe_show(ashi_usage_use use, void *context);
void ashi_describe_contract(ashi_usage_use use, void *context);
void ashi_describe_multiply(ashi_usage_use use, void *context);
void ashi_describe_calibrate(ashi_usage_use use, void *context);
void ashi_describe_completion(ashi_usage_use use, void *context);
void ashi_describe_help(ashi_usage_use use, void *context);
void ashi_describe_version(ashi_usage_use use, void *context);

#endif

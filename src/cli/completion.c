/* `ashlar completion`: prints the script of a shell. */
#include "cli/completion.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    void (*write)(void);
} shells[] = {{"bash", ashi_completion_bash}, {"fish", ashi_completion_fish}, {"zsh", ashi_completion_zsh}};

static const ashi_usage usage = {.command = "completion", .synopsis = "bash|fish|zsh",
                                 .summary = "Print a script that has this shell complete commands, options and their "
                                            "values.",
                                 .example = "source <(ashlar completion bash)", .least = 1, .most = 1,
                                 .words = "bash|fish|zsh"};

void ashi_describe_completion(ashi_usage_use use, void *context)
{
    use(&usage, context);
}

int ashi_command_completion(int argc, char **argv)
{
    int count = 0;
    const int status = ashi_options_parse(&usage, argc, argv, true, &count);
    if (status >= 0)
        return status;
    for (size_t i = 0; i < sizeof shells / sizeof shells[0]; i++)
        if (strcmp(shells[i].name, argv[1]) == 0) {
            shells[i].write();
            return ASHI_EXIT_DONE;
        }
    fprintf(stderr, "ashlar completion: there is no script for '%.64s', only for bash, fish and zsh\n", argv[1]);
    return ASHI_EXIT_USAGE;
}

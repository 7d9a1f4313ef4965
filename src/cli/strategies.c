/* `ashlar strategies`: a line for each way to multiply. */
#include "cli/command.h"
#include "strategy/strategy.h"

#include <stdio.h>

static const ashi_usage usage = {.command = "strategies", .synopsis = "",
                                 .summary = "List the strategies: the names that --strategy takes.",
                                 .example = "ashlar strategies"};

void ashi_describe_strategies(ashi_usage_use use, void *context)
{
    use(&usage, context);
}

int ashi_command_strategies(int argc, char **argv)
{
    const ashi_strategy *s = NULL;
    int count = 0;
    const int status = ashi_options_parse(&usage, argc, argv, true, &count);
    if (status >= 0)
        return status;
    for (int i = 0; (s = ashi_strategy_at(i)) != NULL; i++)
        printf("%-12s %s\n", s->name, s->summary);
    return ASHI_EXIT_DONE;
}

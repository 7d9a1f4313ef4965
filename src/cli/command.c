/* The subcommands by number and by name. */
#include "cli/command.h"

#include "cli/complain.h"
#include "cli/nearest.h"

#include <stdio.h>
#include <string.h>

static const ashi_command *commands; /* main.c's */
static int command_count;

void ashi_commands_are(const ashi_command *table, int count)
{
    commands = table;
    command_count = count;
}

const ashi_command *ashi_command_at(int i)
{
    return i >= 0 && i < command_count ? &commands[i] : NULL;
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
    ashi_complain_line("ashlar", text);
    return ASHI_EXIT_USAGE;
}

void ashi_command_words(char out[ASHI_COMMAND_WORDS])
{
    const ashi_command *c = NULL;
    size_t used = 0;
    for (int i = 0; (c = ashi_command_at(i)) != NULL && used < ASHI_COMMAND_WORDS; i++)
        used += (size_t)snprintf(out + used, ASHI_COMMAND_WORDS - used, "%s%s", i > 0 ? "|" : "", c->name);
}

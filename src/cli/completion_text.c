/* What the scripts of all shells are written with. */
#include "cli/completion.h"

#include <stdio.h>
#include <string.h>

void ashi_completion_each(ashi_usage_use use)
{
    const ashi_command *c = NULL;
    for (int i = 0; (c = ashi_command_at(i)) != NULL; i++) {
        ashi_command copy = *c;
        c->describe(use, &copy);
    }
}

void ashi_completion_words(const char *allowed, const char *between)
{
    char word[64];
    for (const char *comes = ""; ashi_options_next(&allowed, word, sizeof word); comes = between)
        printf("%s%s", comes, word);
}

void ashi_completion_quoted(const char *text, const char *special, const char *quote)
{
    putchar('\'');
    for (const char *c = text; *c; c++)
        if (*c == '\'')
            fputs(quote, stdout);
        else
            printf("%s%c", strchr(special, *c) ? "\\" : "", *c);
    putchar('\'');
}

/* The names of the strategies as the values of an option. */
#include "cli/strategy_words.h"

#include "strategy/strategy.h"

#include <stdio.h>
#include <string.h>

static void append(const char *word, char out[ASHI_STRATEGY_WORDS])
{
    const size_t used = strlen(out);
    snprintf(out + used, ASHI_STRATEGY_WORDS - used, "%s%s", used > 0 ? "|" : "", word);
}

void ashi_strategy_words(const char *more, char out[ASHI_STRATEGY_WORDS])
{
    const ashi_strategy *s = NULL;
    out[0] = '\0';
    for (int i = 0; (s = ashi_strategy_at(i)) != NULL; i++)
        append(s->name, out);
    if (more)
        append(more, out);
}

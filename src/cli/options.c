/* The words that an option takes, one after the other. */
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

bool ashi_options_next(const char **at, char *word, size_t room)
{
    const char *from = *at;
    if (!from || *from == '\0')
        return false;
    const size_t length = strcspn(from, "|");
    snprintf(word, room, "%.*s", (int)length, from);
    *at = from[length] == '|' ? from + length + 1 : NULL;
    return true;
}

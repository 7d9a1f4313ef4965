/* How subcommands complain, and the exit status that fits. */
#include "cli/complain.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>

const char *ashi_complain_prefix = "ashlar ";

void ashi_complain_line(const char *who, const char *text)
{
    fprintf(stderr, "%s: ", who);
    for (const char *c = text; *c; c++)
        fputc(iscntrl((unsigned char)*c) ? '?' : *c, stderr);
    fputc('\n', stderr);
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
    char who[64];
    snprintf(who, sizeof who, "%s%s", ashi_complain_prefix, command);
    ashi_complain_line(who, err->text);
    return exit_of(err->status);
}

/* Whether a byte begins a character of UTF-8. */
static bool begins(char c)
{
    return ((unsigned char)c & 0xC0) != 0x80;
}

/* The byte that is `characters` after another one, at most the text's end. */
static const char *after(const char *text, const char *end, int characters)
{
    for (; text < end && characters > 0; characters--)
        for (text++; text < end && !begins(*text);)
            text++;
    return text;
}

/* Of a long line only the characters near the caret are shown: at most these before it and behind it. */
enum { BEFORE = 60, BEHIND = 60 };

int ashi_complain_at(const char *command, const ashlar_error *err, const char *text, size_t length, int column)
{
    const int status = ashi_complain(command, err);
    if (column < 1)
        return status;
    const int skipped = column - 1 > BEFORE ? column - 1 - BEFORE : 0;
    const char *begin = after(text, text + length, skipped);
    const char *end = after(begin, text + length, column - 1 - skipped + BEHIND);
    fputs(skipped > 0 ? "    ..." : "    ", stderr);
    for (const char *c = begin; c < end; c++)
        fputc(*c == '\t' ? ' ' : iscntrl((unsigned char)*c) ? '?' : *c, stderr);
    fprintf(stderr, "%s\n    %*s^\n", end < text + length ? "..." : "",
            column - 1 - skipped + (skipped > 0 ? 3 : 0), "");
    return status;
}

/* How subcommands complain, and the exit status that fits. */
#include "cli/complain.h"

#include <ctype.h>
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

int ashi_complain_at(const char *command, const ashlar_error *err, const char *text, int column)
{
    const int status = ashi_complain(command, err);
    if (column < 1)
        return status;
    fputs("    ", stderr);
    for (const char *c = text; *c; c++)
        fputc(iscntrl((unsigned char)*c) ? '?' : *c, stderr);
    fprintf(stderr, "\n    %*s^\n", column - 1, "");
    return status;
}

/* The text of --help, from a subcommand's table of options. */
#include "cli/help.h"

#include "cli/complain.h"

#include <stdio.h>
#include <string.h>

enum { LEFT = 28, WIDTH = 80 };

/* How many characters of text fit on the rest of a line: up to the last blank, or one whole word where none fits. */
static int fitting(const char *text, int room)
{
    int last = 0, i = 0;
    for (; text[i] != '\0' && (i <= room || last == 0); i++)
        if (text[i] == ' ')
            last = i;
    return text[i] == '\0' && i <= room ? i : last > 0 ? last : i;
}

void ashi_help_row(const char *left, const char *right)
{
    int column = printf("  %s", left);
    if (column > LEFT - 2) {
        putchar('\n');
        column = 0;
    }
    while (*right) {
        const int length = fitting(right, WIDTH - LEFT);
        printf("%*s%.*s\n", LEFT - column, "", length, right);
        right += length + (right[length] == ' ');
        column = 0;
    }
}

/* What an option does, and the values that it takes where what is beside its name does not say so. */
static void say(const ashi_option *o, char *out, size_t room)
{
    const char *words = o->allowed;
    char word[64];
    int used = snprintf(out, room, "%s", o->help);
    if (o->kind == ASHI_SIZE)
        snprintf(out + used, room - (size_t)used, "; a number of bytes, or with a unit: kB, MB, GB, KiB, MiB, GiB");
    else if ((o->kind == ASHI_COUNT || o->kind == ASHI_NUMBER) && o->allowed)
        snprintf(out + used, room - (size_t)used, "; %s", o->allowed);
    if (o->kind != ASHI_NAME && o->kind != ASHI_LIST)
        return;
    for (const char *between = ": "; used < (int)room && ashi_options_next(&words, word, sizeof word); between = ", ")
        used += snprintf(out + used, room - (size_t)used, "%s%s", between, word);
}

static void option_row(const ashi_option *o)
{
    char left[96], right[1024], letter[8] = "";
    const char *value = o->kind == ASHI_CHOICE ? o->allowed : o->argument;
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    if (o->kind == ASHI_FLAG)
        snprintf(left, sizeof left, "%s--%s", letter, o->name);
    else
        snprintf(left, sizeof left, "%s--%s=%s", letter, o->name, value);
    say(o, right, sizeof right);
    ashi_help_row(left, right);
}

void ashi_help_print(const ashi_usage *u)
{
    printf("Usage: %s%s%s%s\n\n%s\n\n", ashi_complain_prefix, u->command, *u->synopsis ? " " : "", u->synopsis,
           u->summary);
    for (int i = 0; i < u->option_count; i++)
        option_row(&u->options[i]);
    ashi_help_row("-h, --help", "show this text and end");
    printf("\nExample:\n  %s\n", u->example);
}

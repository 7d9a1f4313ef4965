/* Reading the command line of one subcommand by its table of options. */
#include "cli/options.h"

#include "base/number.h"
#include "cli/complain.h"
#include "cli/help.h"
#include "cli/nearest.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GO_ON = -1, HELPED = 0, WRONG = 2 };

/* One subcommand's line while it is read. */
typedef struct reading {
    const ashi_usage *usage;
    char **argv;
    int argc, at, positional;
    bool speak;
} reading;

/* "ashlar COMMAND: WHAT 'TEXT' REST", TEXT without what could disturb the terminal. */
static int wrong(const reading *r, const char *what, const char *text, const char *rest)
{
    if (!r->speak)
        return WRONG;
    fprintf(stderr, "%s%s: %s", ashi_complain_prefix, r->usage->command, what);
    if (text) {
        fputs(" '", stderr);
        for (const char *c = text; *c; c++)
            fputc(isprint((unsigned char)*c) ? *c : '?', stderr);
        fputc('\'', stderr);
    }
    fprintf(stderr, "%s\n", rest);
    return WRONG;
}

static const ashi_option *named(const ashi_usage *u, const char *name, size_t length)
{
    for (int i = 0; i < u->option_count; i++)
        if (strlen(u->options[i].name) == length && strncmp(u->options[i].name, name, length) == 0)
            return &u->options[i];
    return NULL;
}

static int unknown(const reading *r, const char *name, size_t length)
{
    const char *best = NULL;
    char typed[64], rest[128];
    int distance = 0;
    snprintf(typed, sizeof typed, "%.*s", (int)(length < sizeof typed ? length : sizeof typed - 1), name);
    for (int i = 0; i < r->usage->option_count; i++)
        ashi_nearest_offer(typed, r->usage->options[i].name, &best, &distance);
    ashi_nearest_offer(typed, "help", &best, &distance);
    if (best)
        snprintf(rest, sizeof rest, "; did you mean --%s?", best);
    else
        snprintf(rest, sizeof rest, "; '%s%s --help' lists all", ashi_complain_prefix, r->usage->command);
    return wrong(r, "unknown option", r->argv[r->at], rest);
}

/* The place of text among the words "a|b|c", or -1. */
static int choice_of(const char *words, const char *text)
{
    char word[64];
    for (int i = 0; ashi_options_next(&words, word, sizeof word); i++)
        if (strcmp(word, text) == 0)
            return i;
    return -1;
}

static bool set_count(const ashi_option *o, const char *text)
{
    int64_t least = 0, most = INT64_MAX;
    if (o->allowed && sscanf(o->allowed, "%" SCNd64 " to %" SCNd64, &least, &most) != 2 &&
        sscanf(o->allowed, "at least %" SCNd64, &least) != 1)
        return false;
    int64_t *value = o->value;
    return ashi_number_count(text, value) && *value >= least && *value <= most;
}

static bool set_number(const ashi_option *o, const char *text)
{
    double least = -HUGE_VAL, most = HUGE_VAL;
    if (o->allowed && sscanf(o->allowed, "%lf to %lf", &least, &most) != 2)
        return false;
    double *value = o->value;
    return ashi_number_real(text, value) && *value >= least && *value <= most;
}

static bool set(const ashi_option *o, const char *text)
{
    switch (o->kind) {
    case ASHI_FLAG:
        *(bool *)o->value = true;
        return true;
    case ASHI_TEXT:
    case ASHI_FILE:
    case ASHI_FOLDER:
    case ASHI_LIST:
        *(const char **)o->value = text;
        return *text != '\0';
    case ASHI_NAME:
        *(const char **)o->value = text;
        return choice_of(o->allowed, text) >= 0;
    case ASHI_COUNT:
        return set_count(o, text);
    case ASHI_SIZE:
        return ashi_number_size(text, o->value);
    case ASHI_NUMBER:
        return set_number(o, text);
    case ASHI_CHOICE:
        *(int *)o->value = choice_of(o->allowed, text);
        return *(int *)o->value >= 0;
    }
    return false;
}

/* "wanted ..." of an option's value; `out` has room for the longest list of words. */
enum { WANTED = 512 };

static void say_wanted(const ashi_option *o, char out[WANTED])
{
    static const char *const what[] = {
        [ASHI_FLAG] = "", [ASHI_TEXT] = "a text that is not empty", [ASHI_FILE] = "the name of a file",
        [ASHI_FOLDER] = "the name of a folder", [ASHI_NAME] = "", [ASHI_LIST] = "names with commas",
        [ASHI_COUNT] = "a whole number", [ASHI_SIZE] = "a number of bytes such as 64MiB, below 2^63",
        [ASHI_NUMBER] = "a number", [ASHI_CHOICE] = ""};
    const bool range = o->kind == ASHI_COUNT || o->kind == ASHI_NUMBER;
    if (range && o->allowed)
        snprintf(out, WANTED, "%s, %s", what[o->kind], o->allowed);
    else if (o->kind == ASHI_COUNT)
        snprintf(out, WANTED, "%s of at least 0", what[o->kind]);
    else
        snprintf(out, WANTED, "%s", o->kind == ASHI_NAME || o->kind == ASHI_CHOICE ? o->allowed : what[o->kind]);
}

/* A value that is none: what is wanted or, for a name that is nearly one of those allowed, that one. */
static int refuse(const reading *r, const ashi_option *o, const char *text)
{
    char what[96], wanted[WANTED], rest[WANTED + 16], word[64];
    const char *names = o->kind == ASHI_NAME ? o->allowed : NULL, *best = NULL;
    int distance = 0, least = INT_MAX;
    snprintf(what, sizeof what, "--%s is", o->name);
    say_wanted(o, wanted);
    snprintf(rest, sizeof rest, ", wanted %s", wanted);
    while (ashi_options_next(&names, word, sizeof word)) {
        best = NULL;
        ashi_nearest_offer(text, word, &best, &distance);
        if (best && distance < least)
            snprintf(rest, sizeof rest, "; did you mean %s?", word);
        least = best && distance < least ? distance : least;
    }
    return wrong(r, what, text, rest);
}

/* Take the value of an option: `attached` to it, or the next argument. */
static int take(reading *r, const ashi_option *o, const char *attached)
{
    const char *text = attached;
    char rest[WANTED + 96], wanted[WANTED];
    if (o->kind == ASHI_FLAG && attached) {
        snprintf(rest, sizeof rest, ", but --%s takes none", o->name);
        return wrong(r, "a value", attached, rest);
    }
    if (o->kind != ASHI_FLAG && !text) {
        if (r->at + 1 >= r->argc) {
            say_wanted(o, wanted);
            snprintf(rest, sizeof rest, "--%s wants %s", o->name, wanted);
            return wrong(r, rest, NULL, "");
        }
        text = r->argv[++r->at];
    }
    if (!set(o, text))
        return refuse(r, o, text);
    if (o->given)
        *o->given = true;
    return GO_ON;
}

static int help(const reading *r)
{
    if (r->speak)
        ashi_help_print(r->usage);
    return HELPED;
}

static int long_option(reading *r)
{
    const char *name = r->argv[r->at] + 2, *equals = strchr(name, '=');
    const size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const ashi_option *o = named(r->usage, name, length);
    if (!o && strcmp(name, "help") == 0)
        return help(r);
    return o ? take(r, o, equals ? equals + 1 : NULL) : unknown(r, name, length);
}

/* One letter; what follows it in the same argument is its value. */
static int short_option(reading *r)
{
    const char *text = r->argv[r->at] + 1;
    for (int i = 0; i < r->usage->option_count; i++) {
        const ashi_option *o = &r->usage->options[i];
        if (o->letter && o->letter == text[0])
            return take(r, o, text[1] ? text + 1 : NULL);
    }
    return strcmp(text, "h") == 0 ? help(r) : unknown(r, text, strlen(text));
}

/* "-" is a file's name and "-3" a number: a mistake, but not one of options. "->" is the expression of a scalar. */
static bool is_option(const char *text)
{
    return text[0] == '-' && text[1] != '\0' && text[1] != '>' && !isdigit((unsigned char)text[1]);
}

int ashi_options_parse(const ashi_usage *usage, int argc, char **argv, bool speak, int *count)
{
    reading r = {usage, argv, argc, 1, 0, speak};
    bool only_positional = false;
    for (; r.at < argc; r.at++) {
        int status = GO_ON;
        if (!only_positional && strcmp(argv[r.at], "--") == 0)
            only_positional = true;
        else if (only_positional || !is_option(argv[r.at]))
            argv[++r.positional] = argv[r.at];
        else
            status = argv[r.at][1] == '-' ? long_option(&r) : short_option(&r);
        if (status != GO_ON)
            return status;
    }
    *count = r.positional;
    if (r.positional > usage->most)
        return wrong(&r, "one argument too many:", argv[usage->most + 1], "");
    if (r.positional < usage->least) {
        char rest[192];
        snprintf(rest, sizeof rest, "usage: %s%s %s", ashi_complain_prefix, usage->command, usage->synopsis);
        return wrong(&r, rest, NULL, "");
    }
    return GO_ON;
}

bool ashi_options_count(const char *command, const char *what, const char *text, int64_t least, bool speak,
                        int64_t *out)
{
    const ashi_usage usage = {.command = command};
    const reading r = {.usage = &usage, .speak = speak};
    char is[64], rest[96];
    if (ashi_number_count(text, out) && *out >= least)
        return true;
    snprintf(is, sizeof is, "%s is", what);
    snprintf(rest, sizeof rest, ", wanted a whole number of at least %" PRId64, least);
    wrong(&r, is, text, rest);
    return false;
}

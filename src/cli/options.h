/* The command line of one subcommand: a table of options from which parsing, --help and its test are made. */
#ifndef ASHI_OPTIONS_H
#define ASHI_OPTIONS_H

#include <ashlar/base.h>

/* How an option's value is read, and what `value` points to. */
typedef enum ashi_option_kind {
    ASHI_FLAG,    /* bool, no value */
    ASHI_TEXT,    /* const char *, as are the next four */
    ASHI_FILE,    /* the name of a file */
    ASHI_FOLDER,  /* the name of a folder */
    ASHI_NAME,    /* one of `allowed` ("cosma|summa") */
    ASHI_LIST,    /* several of `allowed` with commas; the program reads them, and no subcommand has one */
    ASHI_COUNT,   /* int64_t within `allowed` ("1 to 16", "at least 1"), NULL for at least 0; 1e6 is read too */
    ASHI_SIZE,    /* int64_t bytes: 64MiB, 2GiB, 1000000, 4kB */
    ASHI_NUMBER,  /* double within `allowed` ("0 to 1") */
    ASHI_CHOICE   /* int: index into `allowed` ("words|time") */
} ashi_option_kind;

typedef struct ashi_option {
    const char *name;    /* long, without dashes */
    char letter;         /* or 0 */
    ashi_option_kind kind;
    const char *argument; /* what --help calls the value: "FILE" */
    const char *allowed; /* the values, as the kind has them; part of --help */
    const char *help;    /* one sentence, no full stop */
    void *value;         /* holds the default before parsing */
    bool *given;         /* or NULL */
} ashi_option;

typedef struct ashi_usage {
    const char *command;  /* "plan" */
    const char *synopsis; /* "M N K --ranks P [OPTION...]" */
    const char *summary;  /* one sentence */
    const char *example;  /* one line */
    const ashi_option *options;
    int option_count;
    int least, most;      /* positional arguments */
    const char *words;    /* what they may be, if they are words: "bash|fish|zsh" */
    bool files;           /* they are names of files */
} ashi_usage;

/* What is done with a usage that lasts only for the call. */
typedef void (*ashi_usage_use)(const ashi_usage *usage, void *context);

/* The words of `allowed` one after the other: true while there is another, copied to `word` (of `room` bytes). Begin
 * with *at = allowed. */
bool ashi_options_next(const char **at, char *word, size_t room);

/* Parse. Positional arguments stay in argv[1] .. argv[*count]. --help is answered here.
 * @return -1: go on; else exit with this status (0 after --help, 2 after one line on stderr: the mistake, and for a
 *         mistyped option the nearest one). Only when `speak` is it written: on one rank of many. */
int ashi_options_parse(const ashi_usage *usage, int argc, char **argv, bool speak, int *count);

/* A positional count: false, after one line on stderr if `speak`, where text is none or below `least`. */
bool ashi_options_count(const char *command, const char *what, const char *text, int64_t least, bool speak,
                        int64_t *out);

#endif

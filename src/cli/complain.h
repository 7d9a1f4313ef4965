/* How subcommands complain, and what they exit with. */
#ifndef ASHI_COMPLAIN_H
#define ASHI_COMPLAIN_H

#include <ashlar/base.h>

/* Exit statuses; documented in the man pages, never changed. */
enum {
    ASHI_EXIT_DONE = 0,
    ASHI_EXIT_NO = 1,    /* it ran and the answer is no: a check failed, nothing fits */
    ASHI_EXIT_USAGE = 2, /* the command line */
    ASHI_EXIT_TROUBLE = 3 /* memory, a file, MPI */
};

/* What stands before the name of a subcommand wherever it is said: "ashlar ", or "" in a program of its own. */
extern const char *ashi_complain_prefix;

/* One line on stderr, "WHO: TEXT", without what a file's name or an option's value in it could do to a terminal. */
void ashi_complain_line(const char *who, const char *text);

/* One line on stderr: "ashlar COMMAND: text". Returns the exit status that fits the error. */
int ashi_complain(const char *command, const ashlar_error *err);

/* The same, and beneath it the `length` bytes of text that the error is about, with a caret under the column, which
 * counts characters of UTF-8 from 1; 0: none. Of a long text what is near the caret is shown. */
int ashi_complain_at(const char *command, const ashlar_error *err, const char *text, size_t length, int column);

#endif

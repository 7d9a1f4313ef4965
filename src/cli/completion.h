/* Scripts with which a shell completes the command line, written from the tables of options. */
#ifndef ASHI_COMPLETION_H
#define ASHI_COMPLETION_H

#include "cli/command.h"

/* The whole script of a shell, on standard output. */
void ashi_completion_bash(void);
void ashi_completion_fish(void);
void ashi_completion_zsh(void);

/* Describe every command in turn; `use` gets it as its context. */
void ashi_completion_each(ashi_usage_use use);

/* The words of `allowed` with `between` between them. */
void ashi_completion_words(const char *allowed, const char *between);

/* A text between single quotes. Characters of `special` get a backslash; a quote is written as `quote` has it. */
void ashi_completion_quoted(const char *text, const char *special, const char *quote);

#endif

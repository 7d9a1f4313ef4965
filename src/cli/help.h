/* The text of --help, from a subcommand's table of options. */
#ifndef ASHI_HELP_H
#define ASHI_HELP_H

#include "cli/options.h"

/* On standard output. */
void ashi_help_print(const ashi_usage *usage);

/* Two columns: `left` two places in, `right` wrapped beside it to 80 columns. */
void ashi_help_row(const char *left, const char *right);

#endif

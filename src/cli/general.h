/* What the command says of itself as a whole. */
#ifndef ASHI_GENERAL_H
#define ASHI_GENERAL_H

/* The list of subcommands, and the version, on standard output. Both return the exit status. */
int ashi_general_help(void);
int ashi_general_version(void);

#endif

/* Finds the functions of the BLACS and the ScaLAPACK that the program brings. */
#ifndef ASHI_BEHIND_H
#define ASHI_BEHIND_H

/* A function of any type, to be cast to its own. */
typedef void (*ashi_function)(void);

/* The function of that name that a program would call if Ashlar were not there; never one of this library's. NULL where
 * there is none. It takes long: keep the answer. */
ashi_function ashi_behind(const char *name);

/* The same, but the program's own definition goes first, as for calls between libraries. */
ashi_function ashi_behind_interposed(const char *name);

#endif

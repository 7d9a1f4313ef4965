/* Finds the functions of the BLACS and the ScaLAPACK that the program brings. */
#ifndef ASHI_BEHIND_H
#define ASHI_BEHIND_H

/* A function of any type, to be cast to its own. */
typedef void (*ashi_function)(void);

/* Where a function that was found is kept; static, and NULL before it is first asked for. */
typedef _Atomic(ashi_function) ashi_kept_function;

/* The function of that name that a program would call if Ashlar were not there; never one of this library's. NULL if
 * there is none. Looking for it takes long: the next call finds it in *kept. Threads may ask at once. */
ashi_function ashi_behind(ashi_kept_function *kept, const char *name);

/* Likewise, but the program's own definition goes first, as for calls between libraries. Not kept. */
ashi_function ashi_behind_interposed(const char *name);

#endif

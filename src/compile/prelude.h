/* The C that compiled programs have in common. */
#ifndef ASHI_COMPILE_PRELUDE_H
#define ASHI_COMPILE_PRELUDE_H

#include "compile/emit.h"

/* Lines, and NULL, in the order in which they are written. */
extern const char *const ashi_ash_prelude[], *const ashi_ash_prelude_scratch[], *const ashi_ash_prelude_keep[],
    *const ashi_ash_prelude_resume[], *const ashi_ash_prelude_files[], *const ashi_ash_prelude_divide[],
    *const ashi_ash_prelude_calls[];

/* Write includes, types, and of the functions above those that a body calls, at first or second hand. */
void ashi_ash_write_prelude(const ashi_ash_emission *e, const char *body, FILE *out);

#endif

/* The C that compiled programs have in common. */
#ifndef ASHI_COMPILE_PRELUDE_H
#define ASHI_COMPILE_PRELUDE_H

#include "compile/emit.h"

/* Lines, and NULL: arrays; files; contractions, in which "ASH_FILES_BEGIN" and its like stand where operands in files
 * need more. */
extern const char *const ashi_ash_prelude[], *const ashi_ash_prelude_files[], *const ashi_ash_prelude_calls[];

/* Write includes, types, and of the functions above those that a body calls, at first or second hand.
 * @param files  the program has arrays in files */
void ashi_ash_write_prelude(const ashi_ash_emission *e, bool files, const char *body, FILE *out);

#endif

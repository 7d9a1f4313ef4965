/* Which intermediates are computed block by block. */
#ifndef ASHI_COMPILE_LOOPS_H
#define ASHI_COMPILE_LOOPS_H

#include "compile/steps.h"

/* Fill `loop`, `loops` and `blocked` (one number for each node): intermediates as large as the largest array of the
 * caller, that are read once, are cut along an index that they share with what is made of them, and so are, along the
 * same index, the intermediates of which they are made.
 * @param loop_of  of each part: the loop that it is in; -1: none
 * @return false: memory lacks */
bool ashi_ash_loops_make(ashi_ash_steps *s, int *loop_of);

#endif

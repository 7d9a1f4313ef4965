/* Count what a rank's program moves, copies, multiplies and holds. */
#ifndef ASHI_COUNT_H
#define ASHI_COUNT_H

#include "schedule/program.h"

/* Emit a rank's program and count.
 *
 * c_words is the most of running sums in the pool; a_words, panel_words and sum_words are the most that one step has of
 * panels of A, of A and B, and of C. `workspace` is what the program says of its pool. If it says nothing, it is the
 * most that the running sums, the panels that are there before a step, and those that it and the steps of the
 * look-ahead after it make take together. Every panel is taken to be read then.
 *
 * The program is emitted as a brief one. Errors of emitting; ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_count_program(ashi_program *program, int64_t rank, ashi_need *out, ashlar_error *err);

/* The same from the program that is run. */
ashlar_status ashi_count_in_full(ashi_program *program, int64_t rank, ashi_need *out, ashlar_error *err);

#endif

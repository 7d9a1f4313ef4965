/* The program of SUMMA over tiles: each step moves and multiplies one iteration. */
#ifndef ASHI_TILE_PROGRAM_H
#define ASHI_TILE_PROGRAM_H

#include "engine/tile_groups.h"
#include "schedule/program.h"

/* The program of a product, which outlives it. Each panel of a rank's C (ashi_tile_problem.panels) is a running sum,
 * begun by a SCALE, to which iterations are added in their order; a step has one MULTIPLY for each panel. So bits do
 * not depend on what comes first, and a panel waits for no tile that is not multiplied for it. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tile_program_of(const ashi_tile_problem *problem, ashi_program *out, ashlar_error *err);

/* The words that arrive at the rank that was asked for last. */
int64_t ashi_tile_program_words(const ashi_program *program);

/* Take the groups of the rank that was asked for last out of the program, which finds them again if it is asked; give
 * it those of a rank. They are freed by ashi_tile_groups_free, or with the program. */
ashi_tile_groups ashi_tile_program_take(ashi_program *program);
void ashi_tile_program_give(ashi_program *program, int64_t rank, const ashi_tile_groups *groups);

/* The tiles of all lines of the rank that was asked for last, and what is held for them. */
int64_t ashi_tile_program_tiles(const ashi_program *program);
int64_t ashi_tile_program_bytes(const ashi_program *program);

#endif

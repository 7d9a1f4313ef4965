/* The program of SUMMA over tiles: each step moves and multiplies one iteration. */
#ifndef ASHI_TILE_PROGRAM_H
#define ASHI_TILE_PROGRAM_H

#include "engine/tile_groups.h"
#include "schedule/program.h"

/* The program of a product, which outlives it. A rank's C is one running sum, begun by a SCALE, so iterations are added
 * up in their order. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tile_program_of(const ashi_tile_problem *problem, ashi_program *out, ashlar_error *err);

/* The tiles of all lines of the rank that was asked for last, and what is held for them. */
int64_t ashi_tile_program_tiles(const ashi_program *program);
int64_t ashi_tile_program_bytes(const ashi_program *program);

#endif

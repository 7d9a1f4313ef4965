/* The words that tiles take in a rank's pool, for any way to cut k into iterations. */
#ifndef ASHI_TILE_ROOM_H
#define ASHI_TILE_ROOM_H

#include "schedule/tile_problem.h"

#include <ashlar/base.h>

/* For each tile of k the words of A and B that a rank packs or receives: words[problem->cuts[2]->tiles]. An iteration
 * takes the sum of its tiles of k. The problem's iterations do not matter. ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_tile_room_find(const ashi_tile_problem *problem, int64_t rank, int64_t *words, ashlar_error *err);

/* The pool of a program (ashi_tile_program_of) whose iteration s has the tiles first[s] to first[s + 1] - 1 of k.
 * Iterations take the window's areas by turns, and each area is as long as the largest of its iterations: so the pool
 * has at least the words of the worst `window` consecutive iterations. */
int64_t ashi_tile_room_pool(const int64_t *words, const int64_t *first, int64_t iterations, int window);

#endif

/* Which processes of C's grid need which tiles of A and B. */
#ifndef ASHI_TILE_NEEDS_H
#define ASHI_TILE_NEEDS_H

#include "layout/pattern_change.h"
#include "schedule/tile_problem.h"

/* No tile is needed yet. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tile_needs_make(const ashi_tile_problem *problem, ashi_tile_needs *out, ashlar_error *err);

/* Note who needs what because of the tiles in the problem's patterns. */
void ashi_tile_needs_note(const ashi_tile_problem *problem, ashi_tile_needs *needs);

/* The same, one by one: tiles of A (x is ASHLAR_A) or B in k are needed by a process column, or row, of C's grid; a
 * process has tiles of C. */
void ashi_tile_needs_add(ashi_tile_needs *needs, int x, int64_t k, int64_t process);
void ashi_tile_needs_add_sums(ashi_tile_needs *needs, int64_t row, int64_t col);

/* Room for `exact`, for each tile of the problem's patterns of A and B; no tile is in a product yet.
 * ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tile_exact_make(const ashi_tile_problem *problem, ashi_tile_needs *needs, ashlar_error *err);

/* As if every product of the patterns were formed. */
void ashi_tile_exact_copy(const ashi_tile_problem *problem, ashi_tile_needs *needs);

/* Then: what is known from before, when other tiles of A (x is ASHLAR_A) or B were there, of those that stay, unless
 * other processes may need their k than before. */
void ashi_tile_exact_keep(const ashi_tile_problem *problem, ashi_tile_needs *needs, const ashi_tile_needs *before,
                          int x, const ashi_pattern_changes *changes);

/* A tile of A (x is ASHLAR_A) or B, by its number in the pattern, is in a product of a process column, or row; or it is
 * in none. */
void ashi_tile_exact_add(ashi_tile_needs *needs, int x, int64_t number, int64_t process);
void ashi_tile_exact_remove(ashi_tile_needs *needs, int x, int64_t number, int64_t process);

void ashi_tile_needs_free(ashi_tile_needs *needs);

/* What is allocated for them. */
int64_t ashi_tile_needs_bytes(const ashi_tile_needs *needs);

/* ---- what the groups of a rank are made of ---- */

enum { ASHI_TILE_BITS = 64 };

/* The processes of C's grid among which a tile of A or B goes to some. */
int64_t ashi_tile_processes(const ashi_tile_problem *problem, int x);

/* The process row that multiplies a tile of A, or the process column that multiplies one of B. */
int64_t ashi_tile_part(const ashi_tile_problem *problem, int x, const ashi_tile_at *at);

/* A bit for each process of that row or column: whether it needs the tile, if it has tiles of C; and whether it has
 * some. The tile is of k, and has that number in the pattern. */
const uint64_t *ashi_tile_mask(const ashi_tile_needs *needs, int x, int64_t k, int64_t number);
const uint64_t *ashi_tile_sums_mask(const ashi_tile_needs *needs, int x, int64_t part);

static inline bool ashi_tile_has(const uint64_t *mask, int64_t bit)
{
    return mask[bit / ASHI_TILE_BITS] >> (bit % ASHI_TILE_BITS) & 1;
}

/* The tile of k of a tile of op(A) or op(B). */
static inline int64_t ashi_tile_inner(int x, const ashi_tile_at *at)
{
    return x == ASHLAR_A ? at->col : at->row;
}

#endif

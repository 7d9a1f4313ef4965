/* Errors that a product may have on all ranks together: what the ranks count, and tiles that are dropped. */
#ifndef ASHI_TILES_WITHIN_H
#define ASHI_TILES_WITHIN_H

#include "layout/budget.h"
#include "tiles/matrix.h"
#include "tiles/ranges.h"

/* The `user` of ashi_tiles_join. */
typedef struct ashi_tiles_joining {
    const ashlar_context *context;
    ashlar_error err; /* the first failure of any rank, on all of them */
} ashi_tiles_joining;

/* An ashi_budget_sum. Collective. */
bool ashi_tiles_join(void *user, bool mine, int64_t *numbers, int64_t count);

/* Tiles of C in the ranges are to go, the smallest first, as long as the square root of the sum of squares of all their
 * norms, on all ranks, is at most `error`: keep[number] = false. `room` is for ASHI_BUDGET_ROOM numbers. Collective;
 * status and text are the same on all ranks. ASHLAR_ERR_MPI. */
ashlar_status ashi_tiles_choose_small(const ashlar_tiles *c, const ashi_ranges *ranges, double error, bool *keep,
                                      int64_t *room, ashlar_error *err);

#endif

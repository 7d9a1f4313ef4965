/* Which products of some tiles of A with some of B are left out, taken from what is left out of all. */
#ifndef ASHI_PLAY_LEFT_H
#define ASHI_PLAY_LEFT_H

#include "schedule/tile_problem.h"

/* As an ashi_tile_request has it. */
typedef struct ashi_play_left {
    int64_t *first;
    uint64_t *bits;
} ashi_play_left;

/* tile: lists of tiles of op(A) and of op(B), which are put in order. `out` is freed by ashi_play_left_free, also after
 * a failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_play_left_make(const ashi_tile_choice *choice, ashi_tile_at *const tile[2], const int64_t tiles[2],
                                  ashi_play_left *out, ashlar_error *err);
void ashi_play_left_free(ashi_play_left *left);

#endif

/* Which products of some tiles of A with some of B are left out, taken from what is left out of all. */
#ifndef ASHI_LEFT_OUT_H
#define ASHI_LEFT_OUT_H

#include "layout/pattern.h"

/* Which products of tiles are not formed, of those that patterns of op(A) and op(B) allow: a bit for each. */
typedef struct ashi_tile_choice {
    const ashi_pattern *pattern[2]; /* of op(A) and op(B): all tiles that the rank multiplies */
    const int64_t *first;           /* for each tile of op(A): the bit of its product with the first tile in the row of
                                       op(B) that it meets; the others of that row follow */
    const uint64_t *left;           /* 1: not formed */
    bool half;                      /* products for tiles of C with row > column have no bits, and are not formed;
                                       `first` is as if they had, and may be below 0 */
} ashi_tile_choice;

/* Of some tiles of op(A) and of op(B): where the bits of each row of op(A) that has tiles begin, and the bits: for each
 * of its tiles one for each tile of op(B) that it meets. */
typedef struct ashi_left_out {
    int64_t *first;
    uint64_t *bits;
} ashi_left_out;

/* tile: lists of tiles of op(A) and of op(B), which are put in order. `out` is freed by ashi_left_out_free, also after
 * a failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_left_out_make(const ashi_tile_choice *choice, ashi_tile_at *const tile[2], const int64_t tiles[2],
                                 ashi_left_out *out, ashlar_error *err);
void ashi_left_out_free(ashi_left_out *left);

#endif

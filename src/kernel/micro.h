/* The innermost product: a small block of C, summed in registers (Van Zee and van de Geijn, BLIS, ACM TOMS 41, 2015,
 * section 4). The loops around it are in contraction_blocks.c and tile_merged.c. */
#ifndef ASHI_MICRO_H
#define ASHI_MICRO_H

#include "base/simd.h"

#include <ashlar/base.h>

/* The most rows and columns of any kernel. */
enum { ASHI_MICRO_ROWS_MOST = 48, ASHI_MICRO_COLS_MOST = 12 };

typedef struct ashi_micro {
    int rows, cols, lanes; /* lanes: rows that a register holds */
    bool exact;            /* part of a register can be stored */

    /* C <- A B, or C + A B if `add`; C is not read otherwise. Of C the first m rows, and unless `exact` what else the
     * registers hold that these take, are formed in the first n columns; the others are not touched. A is `rows` x k,
     * packed column by column, B is k x `cols`, packed row by row. Complex: of each column of A all real parts, then
     * all imaginary parts, likewise of each row of B. Element (i, j) of C lies row[i] + at[j] elements after c, where
     * each `lanes` rows lie in one piece; row = NULL: all of them do. */
    void (*form)(int m, int n, int64_t k, const void *a, const void *b, bool add, void *c, const int64_t *row,
                 const int64_t *at);

    /* C <- C + A B, where the first `split` rows of C lie in one piece and the others in another one: column j begins
     * at[0][j] elements after to[0], its row `split` at[1][j] elements after to[1]. NULL: there is none. */
    void (*add_split)(int split, int64_t k, const void *a, const void *b, void *const to[2],
                      const int64_t *const at[2]);

    /* C <- C + X for some rows and columns of such a block: rows lie in one piece. Column j of X begins j * stride
     * elements after x, that of C at[j] elements after c. */
    void (*add)(const void *x, int64_t stride, int64_t rows, int cols, void *c, const int64_t *at);
} ashi_micro;

/* Those that this processor can run, the fastest first; returns how many. */
int ashi_micro_all(ashlar_type type, const ashi_micro *out[ASHI_SIMD_KINDS]);

/* The fastest one for the type that this processor can run. */
const ashi_micro *ashi_micro_of(ashlar_type type);

/* Have the caches fetch where a small block of C lies: its sums are ready by the time that it is there. */
static inline void ashi_micro_fetch(const ashi_micro *micro, size_t bytes, const char *c, const int64_t *at)
{
    for (int j = 0; j < micro->cols; j++)
        for (size_t i = 0; i <= (size_t)micro->rows * bytes; i += 64)
            __builtin_prefetch(c + at[j] * (int64_t)bytes + i, 1);
}

#endif

/* The innermost product: a small block of C, summed in registers. The loops around it are in contraction_run.c (Van Zee and
 * van de Geijn, BLIS, ACM TOMS 41, 2015, section 4). */
#ifndef ASHI_MICRO_H
#define ASHI_MICRO_H

#include <ashlar/base.h>

/* The most rows and columns of any kernel, and the most kernels of a type. */
enum { ASHI_MICRO_ROWS_MOST = 48, ASHI_MICRO_COLS_MOST = 12, ASHI_MICRO_KINDS = 3 };

typedef struct ashi_micro {
    int rows, cols;

    /* C <- A B, or C + A B if `add`; C is not read otherwise. A is `rows` x k, packed column by column, B is
     * k x `cols`, packed row by row. Complex: of each column of A all real parts, then all imaginary parts, likewise of
     * each row of B. A column of C lies in one piece; column j begins at[j] elements after c. */
    void (*form)(int64_t k, const void *a, const void *b, bool add, void *c, const int64_t *at);
} ashi_micro;

/* Those that this processor can run, the fastest first; returns how many. */
int ashi_micro_all(ashlar_type type, const ashi_micro *out[ASHI_MICRO_KINDS]);

/* The fastest one for the type that this processor can run. */
const ashi_micro *ashi_micro_of(ashlar_type type);

#endif

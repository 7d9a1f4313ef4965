/* Which products of tiles are too small to be formed, and a bound on the error that a product then has. */
#ifndef ASHI_SCREEN_H
#define ASHI_SCREEN_H

#include "base/type.h"
#include "base/upward.h"

#include <ashlar/base.h>

/* Frobenius norms, none of them below the true one: a norm that was computed from n elements is to be multiplied by 1 +
 * 2 (n + 2) u first. A tile whose norm is not finite is never left out, nor is a product with it. The rules are
 * DBCSR's: a product of tiles is skipped if |alpha| ||A_ik|| ||B_kj|| < skip / (tiles in row i of op(A)), and a tile of
 * C is dropped if its norm is below `drop` after beta C has been added. With alpha = 0 there is no product to ask
 * about: A and B are not read then, whatever is in them. */
typedef struct ashi_screen {
    const ashi_type *type;
    double alpha, beta;             /* absolute values */
    const double *a_norm, *b_norm;  /* by the stored number of the tile */
    const double *c_norm;           /* by the number in C as it is; NULL: C is not read */
    double skip;                    /* 0: nothing is skipped */
    double drop;                    /* 0: nothing is dropped */
    const int64_t *row_tiles;       /* for each row of op(A) its tiles, if op(A) is only a part of them; NULL: as they
                                       are */
    int64_t additions;              /* of what is summed up here to other sums, afterwards */
} ashi_screen;

/* Products below it are skipped, for a row of op(A) with that number of tiles. */
ashi_up ashi_screen_limit(const ashi_screen *screen, int64_t tiles_in_row);

/* A tile of C: what is known of its products. */
typedef struct ashi_tile_error {
    ashi_up left_out; /* the sum of |alpha| ||A_ik|| ||B_kj|| of the products that are left out */
    ashi_up formed;   /* of those that are formed, and |beta| ||C_ij|| */
    int64_t terms;    /* the products of elements that are added up in each element */
} ashi_tile_error;

/* Bounds of the error's Frobenius norm. `rounding` bounds gamma_n u (|alpha| ||A_ik|| ||B_kj|| + ... + |beta| ||C_ij||)
 * for sums in any order; n is the number of terms, and 3 more for alpha and beta. Complex numbers are taken as twice as
 * many real terms, and sqrt(2) times as large. Products that underflow are counted with the smallest number of the
 * type. Each addition of partial sums afterwards is one term more. It holds for products that are formed as they are
 * defined: not for those by fewer multiplications (Strassen, 3M). */
typedef struct ashi_error_bound {
    double left_out; /* products that are not formed, and tiles that would have been dropped surely */
    double dropped;  /* tiles that may be dropped, each with at most `drop` */
    double rounding;
    double all;      /* of all that together */
} ashi_error_bound;

/* Sums of squares over tiles. All 0 to begin with. */
typedef struct ashi_error_sums {
    ashi_up left_out, dropped, rounding;
} ashi_error_sums;

/* The rounding of a tile of rows x cols elements. */
ashi_up ashi_screen_rounding(const ashi_screen *screen, const ashi_tile_error *tile, int64_t rows, int64_t cols);

/* A tile that is formed is added; `dropping`: it may be dropped afterwards. */
void ashi_error_add(ashi_error_sums *sums, const ashi_screen *screen, const ashi_tile_error *tile, int64_t rows,
                    int64_t cols, bool dropping);

/* A tile that is not in C, although something of it was there or would have been formed. */
void ashi_error_add_absent(ashi_error_sums *sums, const ashi_tile_error *tile);

ashi_error_bound ashi_error_of(const ashi_error_sums *sums);

/* Of two disjoint parts of C, as those of two ranks: the order does not matter much, but is to be the same on all. */
ashi_error_bound ashi_error_join(ashi_error_bound x, ashi_error_bound y);

/* If products round more often: at most `times` what was counted. */
ashi_error_bound ashi_error_with_rounding(ashi_error_bound before, double times);

/* After the product, if the norm of what was really dropped is known (at least the true one). */
ashi_error_bound ashi_error_with_dropped(ashi_error_bound before, double dropped);

#endif

/* Is a product of matrices of tiles right? Checked with random vectors, without forming it again. */
#ifndef ASHI_TILES_PRODUCT_CHECK_H
#define ASHI_TILES_PRODUCT_CHECK_H

#include "tiles/matrix.h"

#include <ashlar/verify.h>

/* C = alpha op(A) op(B) + beta C0, of one context and type. */
typedef struct ashi_tiles_claim {
    const ashlar_tiles *x[2];  /* A and B */
    ashlar_op op[2];
    const ashlar_tiles *c, *c0; /* c0: a copy of what C was; NULL if beta is 0 */
    const void *alpha, *beta;  /* one element each */
    double allowed;            /* a bound on the Frobenius norm of what was left out on purpose; 0: nothing was */
} ashi_tiles_claim;

/* verify/freivalds.h says what is compared. An error whose part in each row is below `allowed` is not seen. A rank
 * holds 16 MiB and 72 bytes for each of its tiles. Collective; the status is the same on all ranks. ASHLAR_ERR_MEMORY;
 * ASHLAR_ERR_MPI. */
ashlar_status ashi_tiles_product_check(const ashi_tiles_claim *claim, ashlar_verdict *out, ashlar_error *err);

#endif

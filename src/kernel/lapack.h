/* The factorisations of LAPACK that low-rank tiles need, for the four types. */
#ifndef ASHI_LAPACK_H
#define ASHI_LAPACK_H

#include <ashlar/base.h>

typedef struct ashi_lapack {
    /* X (m x n, m >= n >= 1, columns m apart) becomes Q of X = Q R, and r (n x n) becomes R with zeros below. `tau` has
     * room for n elements, `work` for ASHI_LAPACK_WORK n. False if LAPACK fails. */
    bool (*qr)(int64_t m, int64_t n, void *x, void *r, void *tau, void *work);

    /* X (n x n, destroyed) = U diag(s) V^H; `vh` becomes V^H, and s falls. `work` has room for ASHI_LAPACK_WORK n
     * elements, `real` for 6 n doubles. False if LAPACK fails. */
    bool (*svd)(int64_t n, void *x, double *s, void *u, void *vh, void *work, double *real);
} ashi_lapack;

enum { ASHI_LAPACK_WORK = 64 };

/* NULL for a value that is no type. Sides fit an int. */
const ashi_lapack *ashi_lapack_of(ashlar_type type);

#endif

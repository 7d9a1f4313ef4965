/** ScaLAPACK's routines by Ashlar, for programs with block-cyclic matrices. Links with libashlar_pblas and a BLACS. */
#ifndef ASHLAR_PBLAS_H
#define ASHLAR_PBLAS_H

#include <ashlar/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * @file
 *
 * Names and arguments are those of ScaLAPACK with `ashlar_` before: every argument is a pointer, integers have 32 bits,
 * the lengths that Fortran passes after the arguments of type CHARACTER are not looked at, and indices count from 1.
 * libashlar_pblas also has the same routines under ScaLAPACK's own names (pdgemm_ and so on), so that a program that is
 * linked with it before ScaLAPACK, or started with it preloaded, uses them without being changed; those names are not
 * declared here, since other headers do. What the environment decides is in ashlar_pblas(7).
 *
 * A descriptor is ScaLAPACK's array of nine entries (DTYPE 1) or of eleven (DTYPE 2, with uneven first blocks). A
 * source of -1 is that of a matrix of which every process row, or column, has a copy. The BLACS that made the contexts
 * is found at run time.
 */

/**
 * sub(C) <- alpha op(sub(A)) op(sub(B)) + beta sub(C) of block-cyclic matrices in single precision.
 *
 * op(sub(A)) is m x k, op(sub(B)) is k x n, sub(C) is m x n. The second call with the same shapes neither plans nor
 * allocates.
 *
 * @param transa, transb  "N": op(X) = X, "T": its transpose, "C": its conjugate transpose, for real types its
 *                        transpose; in either case of letter
 * @param m, n, k         at least 0
 * @param alpha, beta     one element each. alpha = 0: A and B are not read. beta = 0: C is not read, a NaN in it does
 *                        not spread.
 * @param a, b            the process's local arrays of the whole matrices A and B; only read
 * @param ia, ja          the first row and column of sub(A): A(ia : ia+m-1, ja : ja+k-1) for "N", else
 *                        A(ia : ia+k-1, ja : ja+m-1)
 * @param desca           the descriptor of A; DESCB and DESCC are of B and C
 * @param ib, jb, descb   likewise: B(ib : ib+k-1, jb : jb+n-1) for "N", else B(ib : ib+n-1, jb : jb+k-1)
 * @param c               the process's local array of C; only elements of sub(C) are written, of a matrix with copies
 *                        all copies. No element of sub(C) may be one of sub(A) or sub(B).
 * @param ic, jc, descc   C(ic : ic+m-1, jc : jc+n-1)
 *
 * The contexts of A, B and C may differ as long as they have the same processes, unlike those of psgemm_, which must be
 * one.
 *
 * Collective over the processes of the contexts. Errors are those of ScaLAPACK's routine, found in its order and with
 * its numbers, counted in descriptors of eleven entries: they are reported by its PB_Cabort, or where that is missing
 * by pxerbla_, which end the program on all processes. C is then untouched. With ASHLAR_CHECK=1 (the default in a debug
 * build) an error on one process, or arguments in which processes differ, are reported on all.
 * What Ashlar cannot do goes to the ScaLAPACK that the program brings; without one the program ends with a message.
 * Source of the rules: ScaLAPACK 2.2, PBLAS/SRC/psgemm_.c.
 */
ASHLAR_API void ashlar_psgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                               const float *alpha, const float *a, const int *ia, const int *ja, const int *desca,
                               const float *b, const int *ib, const int *jb, const int *descb, const float *beta,
                               float *c, const int *ic, const int *jc, const int *descc);

/** The same in double precision. See ashlar_psgemm_. */
ASHLAR_API void ashlar_pdgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                               const double *alpha, const double *a, const int *ia, const int *ja, const int *desca,
                               const double *b, const int *ib, const int *jb, const int *descb, const double *beta,
                               double *c, const int *ic, const int *jc, const int *descc);

/** The same in single precision complex: pairs of a real and an imaginary part. See ashlar_psgemm_. */
ASHLAR_API void ashlar_pcgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                               const void *alpha, const void *a, const int *ia, const int *ja, const int *desca,
                               const void *b, const int *ib, const int *jb, const int *descb, const void *beta,
                               void *c, const int *ic, const int *jc, const int *descc);

/** The same in double precision complex: pairs of a real and an imaginary part. See ashlar_psgemm_. */
ASHLAR_API void ashlar_pzgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                               const void *alpha, const void *a, const int *ia, const int *ja, const int *desca,
                               const void *b, const int *ib, const int *jb, const int *descb, const void *beta,
                               void *c, const int *ic, const int *jc, const int *descc);

#ifdef __cplusplus
}
#endif
#endif

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
 *
 * Threads: calls in different contexts may run at once if MPI was started with MPI_THREAD_MULTIPLE. A context is used
 * by one thread at a time; each has a workspace of its own. Contexts are made and ended while no other thread calls,
 * since the BLACS are not safe. A call that goes to ScaLAPACK is only as safe as that is.
 */

/**
 * sub(C) <- alpha op(sub(A)) op(sub(B)) + beta sub(C) of block-cyclic matrices in single precision.
 *
 * op(sub(A)) is m x k, op(sub(B)) is k x n, sub(C) is m x n. A later call with the same shapes is not planned
 * again; if a rank has more than about a thousand operations it allocates lists of a few steps of them.
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
 * one. Such a call never goes to ScaLAPACK: ASHLAR_SMALLEST does not concern it, and if ASHLAR_MEMORY is too little for
 * it the program ends with that reason.
 *
 * Collective over the processes of the contexts. Errors are those of ScaLAPACK's routine, found in its order and with
 * its numbers, counted in descriptors of eleven entries: they are explained by its PB_Cwarn and reported by its
 * PB_Cabort, or if that is missing by pxerbla_, which end the program on all processes. C is then untouched. With
 * ASHLAR_CHECK=1 (the default in a debug build) an error on one process, or arguments in which processes differ, are
 * reported on all.
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

/**
 * sub(C) <- alpha sub(A)^T + beta sub(C) of block-cyclic matrices in single precision.
 *
 * sub(A) is n x m, sub(C) is m x n. The second call with the same shapes neither plans nor allocates. No word travels
 * more than once, and beside the matrices a process has at most 65536 words, or if that is more an eighth of its parts.
 *
 * @param m, n             at least 0
 * @param alpha, beta      one element each. alpha = 0: A is not read. beta = 0: C is not read, a NaN in it does not
 *                         spread.
 * @param a                the process's local array of the whole matrix A; only read
 * @param ia, ja, desca    the first row and column of sub(A) = A(ia : ia+n-1, ja : ja+m-1), and A's descriptor
 * @param c                the process's local array of C; only elements of sub(C) are written, of a matrix with copies
 *                         all copies. No element of sub(C) may be one of sub(A).
 * @param ic, jc, descc    of sub(C) = C(ic : ic+m-1, jc : jc+n-1); the context must be A's
 *
 * Collective over the processes of the context. Errors are reported as by ashlar_psgemm_, with the numbers of pstran_,
 * and what Ashlar cannot do goes to the ScaLAPACK that the program brings.
 * Source of the rules: ScaLAPACK 2.2, PBLAS/SRC/pstran_.c.
 */
ASHLAR_API void ashlar_pstran_(const int *m, const int *n, const float *alpha, const float *a, const int *ia,
                               const int *ja, const int *desca, const float *beta, float *c, const int *ic,
                               const int *jc, const int *descc);

/** The same in double precision. See ashlar_pstran_. */
ASHLAR_API void ashlar_pdtran_(const int *m, const int *n, const double *alpha, const double *a, const int *ia,
                               const int *ja, const int *desca, const double *beta, double *c, const int *ic,
                               const int *jc, const int *descc);

/** The same in single precision complex, without conjugation. See ashlar_pstran_. */
ASHLAR_API void ashlar_pctranu_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
                                const int *ja, const int *desca, const void *beta, void *c, const int *ic,
                                const int *jc, const int *descc);

/** The same in double precision complex, without conjugation. See ashlar_pstran_. */
ASHLAR_API void ashlar_pztranu_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
                                const int *ja, const int *desca, const void *beta, void *c, const int *ic,
                                const int *jc, const int *descc);

/** The same in single precision complex, with the conjugate transpose. See ashlar_pstran_. */
ASHLAR_API void ashlar_pctranc_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
                                const int *ja, const int *desca, const void *beta, void *c, const int *ic,
                                const int *jc, const int *descc);

/** The same in double precision complex, with the conjugate transpose. See ashlar_pstran_. */
ASHLAR_API void ashlar_pztranc_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
                                const int *ja, const int *desca, const void *beta, void *c, const int *ic,
                                const int *jc, const int *descc);

/**
 * sub(B) <- sub(A) of block-cyclic matrices in single precision, with any blocks, on any two process grids.
 *
 * Both are m x n. The second call with the same shapes neither plans nor allocates. No word travels more than once,
 * none that is already in place, and beside the matrices a process has at most 65536 words, or if that is more an
 * eighth of its parts.
 *
 * @param m, n             at least 0
 * @param a                the process's local array of the whole matrix A; only read
 * @param ia, ja, desca    the first row and column of sub(A) = A(ia : ia+m-1, ja : ja+n-1), and A's descriptor. On a
 *                         process outside A's grid the descriptor's context is -1, and none of the three is looked at.
 * @param b                the process's local array of B; only elements of sub(B) are written, and it shares no element
 *                         with A
 * @param ib, jb, descb    likewise of sub(B) = B(ib : ib+m-1, jb : jb+n-1)
 * @param context          of a grid that has all processes of both; its shape does not matter
 *
 * Copies of a matrix (sources of -1) are refused, as by psgemr2d_.
 *
 * DTYPE is not looked at, as by psgemr2d_, except that 2 announces eleven entries, which psgemr2d_ cannot read.
 *
 * Collective over the processes of `context`. If all of these are in both grids, a repeated call sends nothing but the
 * words that move; else a short message first gives all processes the descriptors. An error on a process that is in a
 * grid is explained and reported as by ashlar_psgemm_; psgemr2d_ ends the program with a text of its own. What Ashlar
 * cannot do goes to the ScaLAPACK that the program brings, unless a descriptor has eleven entries.
 * Source of the rules: ScaLAPACK 2.2, REDIST/SRC/psgemr.c and pgemraux.c.
 */
ASHLAR_API void ashlar_psgemr2d_(const int *m, const int *n, const float *a, const int *ia, const int *ja,
                                 const int *desca, float *b, const int *ib, const int *jb, const int *descb,
                                 const int *context);

/** The same in double precision. See ashlar_psgemr2d_. */
ASHLAR_API void ashlar_pdgemr2d_(const int *m, const int *n, const double *a, const int *ia, const int *ja,
                                 const int *desca, double *b, const int *ib, const int *jb, const int *descb,
                                 const int *context);

/** The same in single precision complex. See ashlar_psgemr2d_. */
ASHLAR_API void ashlar_pcgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja,
                                 const int *desca, void *b, const int *ib, const int *jb, const int *descb,
                                 const int *context);

/** The same in double precision complex. See ashlar_psgemr2d_. */
ASHLAR_API void ashlar_pzgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja,
                                 const int *desca, void *b, const int *ib, const int *jb, const int *descb,
                                 const int *context);

/** The same in integers of 32 bits. See ashlar_psgemr2d_. */
ASHLAR_API void ashlar_pigemr2d_(const int *m, const int *n, const int *a, const int *ia, const int *ja,
                                 const int *desca, int *b, const int *ib, const int *jb, const int *descb,
                                 const int *context);

#ifdef __cplusplus
}
#endif
#endif

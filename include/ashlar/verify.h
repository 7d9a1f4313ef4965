/** Is a product right? Checked with random vectors, without forming it again. Needs MPI. */
#ifndef ASHLAR_VERIFY_H
#define ASHLAR_VERIFY_H

#include <ashlar/base.h>
#include <ashlar/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A check of one execution of a plan, in progress. */
typedef struct ashlar_verification ashlar_verification;

/** What a check came to. */
typedef struct ashlar_verdict {
    bool passed;  /**< no row of C is further from the product than rounding explains */
    int vectors;  /**< random vectors that were tried; each misses a wrong row with a chance of at most 1/2 */
    double worst; /**< the largest residual of a row as a part of what rounding may do to it; infinite if elements are
                       no finite numbers */
    int64_t row;  /**< the row of C that has it */
} ashlar_verdict;

/**
 * Before an execution of a plan: keep what will be needed of C.
 *
 * @param plan  outlives the check
 * @param beta  one element of the type of C, that of the execution
 * @param c     this rank's part of C before the execution, one array as for ashlar_plan_execute; only read if beta is
 *              not 0. NULL if C is in a file.
 * @param out   the check, freed by ashlar_verify_free; NULL on failure
 * @return the same on every rank: ASHLAR_OK; ASHLAR_ERR_ARG (NULL, or a layout whose tiles are arrays of their own);
 *         ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI
 *
 * Collective. If beta is not 0 and C is in memory, holds 272 bytes for each row of each tile of this rank's part of C.
 */
ASHLAR_API ashlar_status ashlar_verify_begin(ashlar_plan *plan, const void *beta, const void *c,
                                             ashlar_verification **out, ashlar_error *err);

/** What ashlar_verify_end calls: `out` is a structure of `size` bytes. */
ASHLAR_API ashlar_status ashlar_verify_end_sized(ashlar_verification *check, const void *alpha, const void *a,
                                                 const void *b, const void *c, ashlar_verdict *out, size_t size,
                                                 ashlar_error *err);

/**
 * After the execution: compare C x with alpha op(A) (op(B) x) + beta C0 x for random vectors x of +1 and -1, with sums
 * in long double. A right product fails with a chance of less than 1e-12; one wrong element of a row is always found,
 * any other error of a row with a chance of 1 - 2^-8 or more.
 *
 * @param check    of this execution; may be ended again
 * @param alpha    one element of the type of C, that of the execution
 * @param a, b, c  as for ashlar_plan_execute, c after the execution; NULL for what is in a file
 * @param out      the verdict, the same on all ranks
 * @return the same on every rank: ASHLAR_OK, also if the product is wrong; ASHLAR_ERR_ARG (NULL); ASHLAR_ERR_MEMORY;
 *         ASHLAR_ERR_IO; ASHLAR_ERR_MPI
 *
 * Collective. Holds 16 MiB beside the matrices, and 8 MiB more if any is in a file. If the plan streams matrices, they
 * and C are read back from their files: nothing more can be written to C's file then, which may be published after.
 * Source: Freivalds, IFIP Congress 1977; what rounding may do: Jeannerod and Rump, SIAM J. Matrix Anal. Appl. 34, 2013,
 * and Hoeffding's inequality.
 */
static inline ashlar_status ashlar_verify_end(ashlar_verification *check, const void *alpha, const void *a,
                                              const void *b, const void *c, ashlar_verdict *out, ashlar_error *err)
{
    return ashlar_verify_end_sized(check, alpha, a, b, c, out, sizeof *out, err);
}

/** Free a check and set the pointer to NULL. NULL does nothing. Local. */
ASHLAR_API void ashlar_verify_free(ashlar_verification **check);

#ifdef __cplusplus
}
#endif
#endif

/** Sums of products of matrices of tiles, and plans of them that are kept while patterns stay. Needs MPI. */
#ifndef ASHLAR_TILES_PLAN_H
#define ASHLAR_TILES_PLAN_H

#include <ashlar/base.h>
#include <ashlar/context.h>
#include <ashlar/tiles.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A product of a sum: alpha op(A) op(B). */
typedef struct ashlar_tiles_term {
    const void *alpha; /**< one element of the matrices' type, the same on all ranks */
    ashlar_op op_a;    /**< N, T or C */
    ashlar_op op_b;    /**< likewise */
    const ashlar_tiles *a; /**< its pattern and, in an execution, its elements */
    const ashlar_tiles *b; /**< likewise */
} ashlar_tiles_term;

/** What ashlar_tiles_multiply_sum calls: `result` is NULL or a structure of `result_size` bytes. */
ASHLAR_API ashlar_status ashlar_tiles_multiply_sum_sized(int64_t terms, const ashlar_tiles_term *term,
                                                         const void *beta, ashlar_tiles *c,
                                                         const ashlar_tiles_options *options,
                                                         ashlar_tiles_result *result, size_t result_size,
                                                         ashlar_error *err);

/**
 * C <- beta C + the sum over q of alpha_q op(A_q) op(B_q), in one plan: iterations of different terms are in flight at
 * once, so that the tiles of the next term come while one is multiplied.
 *
 * @param terms    at least 1
 * @param term     for each term what ashlar_tiles_multiply says of alpha, op_a, op_b, a and b. The terms' k may be cut
 *                 differently. A matrix may be in several terms; its tiles travel once for each of them. A term
 *                 whose alpha is 0 is left out, and its matrices are not read.
 * @param beta     one element, the same on all ranks; if it is 0 C is not read
 * @param c        as of ashlar_tiles_multiply; if it has a symmetry, the whole sum is taken to have it
 * @param options  as of ashlar_tiles_multiply. A threshold's rule for products is that of one product whose op(A) has
 *                 the columns of all terms: the tiles in row i are those of all op(A_q).
 * @param result   NULL, or receives what was done for all terms
 * @return as of ashlar_tiles_multiply; the text says which term is wrong, counted from 0
 *
 * Each tile of C, or each partial sum of one (see ashlar_tiles_multiply), is added up in the order of terms, and for
 * each term in ascending order of k, so the same call gives the same bits. A or B stays only if all terms have it on
 * one process grid. Memory is that of ashlar_tiles_multiply for all terms together.
 *
 * Source: Calvin, Lewis and Valeev, "Scalable task-based algorithm for multiplication of block-rank-sparse matrices"
 * (2015), section 3.2, the second kind of overlap.
 *
 * Collective over the context's communicator. What is buffered is not seen before ashlar_tiles_finish.
 */
static inline ashlar_status ashlar_tiles_multiply_sum(int64_t terms, const ashlar_tiles_term *term, const void *beta,
                                                      ashlar_tiles *c, const ashlar_tiles_options *options,
                                                      ashlar_tiles_result *result, ashlar_error *err)
{
    return ashlar_tiles_multiply_sum_sized(terms, term, beta, c, options, result, result ? sizeof *result : 0, err);
}

/* ---- plans ---- */

/** A product, or a sum of products, that is planned once and executed many times. */
typedef struct ashlar_tiles_plan ashlar_tiles_plan;

/** What a plan has, on this rank. */
typedef struct ashlar_tiles_plan_info {
    int64_t terms;            /**< of the sum */
    int64_t bytes;            /**< that this rank holds for the plan, the pool of `workspace_words` among them */
    int64_t workspace_words;  /**< the pool's size, in elements */
    int64_t products;         /**< of tiles that this rank forms */
    int64_t flops;            /**< that they take */
    int64_t c_tiles;          /**< of C, on this rank, after an execution; if there are partial sums, tiles of these */
    int64_t iterations;       /**< of SUMMA: into how many parts the k of all terms is cut */
    int window;               /**< iterations in flight */
    int ready;                /**< 1: made for certain patterns; 0: the next execution plans, as each does if there is a
                                   threshold or a bound. The members from workspace_words to window are 0 then. */
    int64_t planned[3];       /**< executions so far, by what they planned: [ASHLAR_PLANNED_NEW] and so on */
    int64_t memory_words;     /**< elements that this rank holds in the first execution, as of ashlar_tiles_result; 0 if
                                   the plan is not ready */
} ashlar_tiles_plan_info;

/**
 * Plan a product, or a sum of products.
 *
 * @param terms    at least 1
 * @param term     as of ashlar_tiles_multiply_sum; alpha is not looked at. The matrices are not kept: the plan has
 *                 copies of their cuts, deals, symmetries and patterns. A function that deals tiles out is called
 *                 while the plan exists.
 * @param c        what C looks like; it is not changed
 * @param options  as of ashlar_tiles_multiply; which matrix stays is chosen with the plan. With a threshold or a bound
 *                 the products follow from norms: the first execution plans, and later ones keep which matrix stays
 *                 and who has and needs which tiles, and find the rest anew; with partial sums they keep the first
 *                 alone.
 * @param out      the plan, freed by ashlar_tiles_plan_free; NULL on failure
 * @return as of ashlar_tiles_multiply_sum; ASHLAR_ERR_UNSUPPORTED also if a function deals C out
 *
 * Collective over the context's communicator.
 */
ASHLAR_API ashlar_status ashlar_tiles_plan_create(int64_t terms, const ashlar_tiles_term *term, const ashlar_tiles *c,
                                                  const ashlar_tiles_options *options, ashlar_tiles_plan **out,
                                                  ashlar_error *err);

/** What ashlar_tiles_plan_execute calls: `result` is NULL or a structure of `result_size` bytes. */
ASHLAR_API ashlar_status ashlar_tiles_plan_execute_sized(ashlar_tiles_plan *plan, const ashlar_tiles_term *term,
                                                         const void *beta, ashlar_tiles *c,
                                                         ashlar_tiles_result *result, size_t result_size,
                                                         ashlar_error *err);

/**
 * C <- beta C + the sum of the terms, by a plan. The bits are those of ashlar_tiles_multiply_sum if it
 * goes the same way. If the patterns of A or B change, what follows from the changed tiles alone is changed in the
 * plan, also with ranges, and if C retains its tiles and still has these; with partial sums the plan is made anew.
 *
 * @param term    as many as the plan has, with its operations. The matrices may be others than those that the plan was
 *                made for, cut and dealt out alike and with the same symmetries. If a tile is present that was not, or
 *                the reverse, the plan is changed first, or made anew, and stays so. A term whose alpha is 0 adds
 *                nothing and its elements do not matter, but C has the tiles that it would add to.
 * @param beta    as of ashlar_tiles_multiply_sum
 * @param c       cut and dealt out as the plan's C, with its tiles before a product or after it, or others
 * @param result  NULL, or receives what was done; `planned` says what happened to the plan
 * @return as of ashlar_tiles_multiply_sum; ASHLAR_ERR_ARG also if a matrix does not fit the plan. After an error the
 *         next execution plans anew if need be.
 *
 * Collective over the context's communicator.
 */
static inline ashlar_status ashlar_tiles_plan_execute(ashlar_tiles_plan *plan, const ashlar_tiles_term *term,
                                                      const void *beta, ashlar_tiles *c, ashlar_tiles_result *result,
                                                      ashlar_error *err)
{
    return ashlar_tiles_plan_execute_sized(plan, term, beta, c, result, result ? sizeof *result : 0, err);
}

/** What ashlar_tiles_plan_inspect calls: `info` is a structure of `size` bytes. */
ASHLAR_API ashlar_status ashlar_tiles_plan_inspect_sized(const ashlar_tiles_plan *plan, ashlar_tiles_plan_info *info,
                                                         size_t size, ashlar_error *err);

/**
 * What a plan has.
 *
 * @return ASHLAR_OK; ASHLAR_ERR_ARG (NULL)
 *
 * Local.
 */
static inline ashlar_status ashlar_tiles_plan_inspect(const ashlar_tiles_plan *plan, ashlar_tiles_plan_info *info,
                                                      ashlar_error *err)
{
    return ashlar_tiles_plan_inspect_sized(plan, info, sizeof *info, err);
}

/**
 * Free a plan, and set *plan to NULL. NULL, or a plan that is NULL, does nothing.
 *
 * Local; before the context is freed.
 */
ASHLAR_API void ashlar_tiles_plan_free(ashlar_tiles_plan **plan);

#ifdef __cplusplus
}
#endif
#endif

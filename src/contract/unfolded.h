/* A contraction of two tensors in files as products of matrices that are seen in them. */
#ifndef ASHI_CONTRACT_UNFOLDED_H
#define ASHI_CONTRACT_UNFOLDED_H

#include "store/unfolding.h"
#include "tensor/expression.h"

/* Indices, the fastest first. One whose block is not 0 is cut into blocks of that length, which divides its extent:
 * positions count the values in the blocks of all indices first, then the blocks. */
typedef struct ashi_unfolded_group {
    int count, index[ASHI_INDICES_MOST];
    int64_t extent; /* the product of theirs */
    int64_t block[ASHI_INDICES_MOST];
} ashi_unfolded_group;

enum { ASHI_UNFOLDED_ROWS, ASHI_UNFOLDED_COLUMNS, ASHI_UNFOLDED_SUMMED, ASHI_UNFOLDED_BATCH, ASHI_UNFOLDED_GROUPS };

/* A bit of `cut` below: rows and columns in the order of the result. */
enum { ASHI_UNFOLDED_AS_RESULT = 1 << ASHI_UNFOLDED_GROUPS };

/* C_g(m x n) = sum over k of A_g(m x k) B_g(k x n). An index of one operand alone is summed with the others: the other
 * operand is the same for all of its values. */
typedef struct ashi_unfolded {
    ashi_unfolded_group group[ASHI_UNFOLDED_GROUPS];
    ashi_unfolding view[3]; /* of A, B and C at the first values of the batch */
} ashi_unfolded;

/* The dimension of the array in a file for each dimension of a tensor, and where the tensor begins in the array. */
typedef struct ashi_unfolded_tensor {
    int array_order;        /* dimensions of the array */
    const int *dimension;
    const int64_t *from;
    const int64_t *chunk;   /* of the array, along each of its dimensions, if chunks are read whole; or NULL */
} ashi_unfolded_tensor;

/* Decide the order of indices so that tiles that fit in memory_words words, 0 for no limit, meet few pages of the files
 * (unfolded_order.h); else so that neighbours in a file are neighbours in its matrix. Elements have `bytes` bytes.
 * turned[x]: the rows of A's or B's view are summed over, or
 * its columns are rows of B. The expression has been checked. Bit g of `cut`: where the chunks of the files divide the
 * extent of an index of group g, it is cut into blocks of that length, so that chunks are neighbouring positions. These
 * are then read whole in any order of indices: with ASHI_UNFOLDED_AS_RESULT rows and columns have that of the result.
 * @return ASHLAR_OK; ASHLAR_ERR_OVERFLOW: the multiply-adds do not fit in 64 bits */
ashlar_status ashi_unfolded_make(const ashi_expression *expression, const ashi_unfolded_tensor tensor[3],
                                 const bool turned[2], int64_t bytes, int64_t memory_words, unsigned cut,
                                 ashi_unfolded *out, ashlar_error *err);

/* Whether any index of a group is cut into blocks. */
bool ashi_unfolded_is_cut(const ashi_unfolded_group *group);

/* Fill in the view of A, B or C in its array, once the groups are there. `turned` as above, of this one. */
void ashi_unfolded_see(const ashi_expression *expression, const ashi_unfolded_tensor *tensor, int x, bool turned,
                       ashi_unfolded *unfolded);

/* Where the array of tensor x begins at value g of the batch: `from` has array_order positions. */
void ashi_unfolded_batch(const ashi_unfolded *unfolded, const ashi_expression *expression,
                         const ashi_unfolded_tensor *tensor, int x, int64_t g, int64_t *from);

#endif

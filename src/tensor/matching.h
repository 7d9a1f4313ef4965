/* The batch of matrix products that a contraction of two operands is. */
#ifndef ASHI_TENSOR_MATCHING_H
#define ASHI_TENSOR_MATCHING_H

#include "tensor/expression.h"

/* What an index of a pair does, by where it occurs. */
typedef enum ashi_index_class {
    ASHI_BATCH,    /* in A, B and C */
    ASHI_FREE_A,   /* in A and C: a row */
    ASHI_FREE_B,   /* in B and C: a column */
    ASHI_SUMMED,   /* in A and B */
    ASHI_ALONE_A,  /* in A alone: A is summed over it before it is multiplied */
    ASHI_ALONE_B,
    ASHI_CLASSES
} ashi_index_class;

/* Indices of one class, in the order of C, or of A if C does not have them; of B if A does not either. */
typedef struct ashi_index_group {
    int count, index[ASHI_INDICES_MOST];
    int64_t extent; /* the product of theirs */
} ashi_index_group;

/* C_g(m x n) = sum over k of A_g(m x k) B_g(k x n), g = 1 .. batch: m, n and k are the extents of the groups FREE_A,
 * FREE_B and SUMMED. */
typedef struct ashi_matching {
    ashi_index_group group[ASHI_CLASSES];
    int64_t stored[3];           /* words of A, B and C */
    int64_t read[3];             /* of these on the diagonals that are wanted; all if there are none */
    int64_t words[3];            /* once indices alone are summed */
    bool fused[3][ASHI_CLASSES]; /* the group's indices are neighbours in A, B or C, in the group's order, so that they
                                    are one index there; also if it has none of them. Extents of 1 are ignored. */
    bool diagonal[2];            /* an index occurs twice in A or B */
    bool in_place[3];            /* each matrix of the batch lies with one of its sides contiguous: no permutation */
} ashi_matching;

/* The expression has two operands and has been checked.
 * @return ASHLAR_OK; ASHLAR_ERR_OVERFLOW: batch m n k does not fit in 64 bits */
ashlar_status ashi_matching_make(const ashi_expression *expression, ashi_matching *out, ashlar_error *err);

/* "batch", "free in A", ...: what the class is called. */
const char *ashi_index_class_name(ashi_index_class c);

#endif

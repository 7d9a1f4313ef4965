/* Arrays as indices with strides, and the products of two of them. */
#ifndef ASHI_CONTRACT_STRIDED_H
#define ASHI_CONTRACT_STRIDED_H

#include "kernel/contraction.h"
#include "tensor/expression.h"

/* An array: which of an expression's indices it has, and how far the values of each lie apart. */
typedef struct ashi_strided {
    bool has[ASHI_INDICES_MOST];
    int64_t stride[ASHI_INDICES_MOST];
} ashi_strided;

/* The array whose dimensions have these strides. The stride of a diagonal is the sum of its dimensions'. */
ashi_strided ashi_strided_of(const ashi_index_list *list, const int64_t *stride);

/* Whether an index has no value. */
bool ashi_strided_is_empty(const ashi_expression *e);

/* Whether operand x has indices that are nowhere else, of more values than one. */
bool ashi_strided_has_alone(const ashi_expression *e, const ashi_strided *array, int arrays, int x);

/* The array that is left of operand x once it is summed over the indices that are nowhere else: without gaps, in the
 * order of the operand. Returns its elements. */
int64_t ashi_strided_summed(const ashi_expression *e, const ashi_strided *array, int arrays, int x, ashi_strided *out);

/* C <- A B as a product of strided matrices. An index of A or B that C lacks is summed over; if only one of them has
 * it, the other's stride is 0. Indices of one value are left out. C has an element. *nothing: the
 * sum is over no value.
 * @return ASHLAR_OK; ASHLAR_ERR_OVERFLOW: the multiply-adds do not fit in 64 bits */
ashlar_status ashi_strided_product(const ashi_expression *e, const ashi_strided *a, const ashi_strided *b,
                                   const ashi_strided *c, ashi_contraction *out, bool *nothing, ashlar_error *err);

#endif

/* Index expressions as numpy.einsum writes them, with the output's indices given: "abmn,cdmn->abcd". */
#ifndef ASHI_TENSOR_EXPRESSION_H
#define ASHI_TENSOR_EXPRESSION_H

#include <ashlar/base.h>

/* The letters a to z and A to Z are the indices. */
enum { ASHI_INDICES_MOST = 52, ASHI_OPERANDS_MOST = 32, ASHI_ORDER_MOST = 64 };

/* The indices of one operand, or of the output, in the order of the array's dimensions: the last varies fastest in
 * memory. */
typedef struct ashi_index_list {
    int order;                   /* how many dimensions; 0 is a scalar */
    int index[ASHI_ORDER_MOST];  /* numbers of indices; one that occurs twice is a diagonal */
    int column[ASHI_ORDER_MOST]; /* where each letter stands in the text, from 1 */
    int begin;                   /* the column of the list itself */
} ashi_index_list;

typedef struct ashi_expression {
    int operands, indices;
    ashi_index_list operand[ASHI_OPERANDS_MOST], output;
    char name[ASHI_INDICES_MOST];      /* of index number i, in order of appearance */
    int64_t extent[ASHI_INDICES_MOST]; /* -1: not known yet */
} ashi_expression;

/* Read an expression. Spaces are ignored. The output is explicit; its indices occur in operands, each once in it.
 * @param column  the column that an error is about, from 1, or 0
 * @return ASHLAR_OK; ASHLAR_ERR_ARG: no expression, or an index of the output that is in no operand, or is there twice;
 *         ASHLAR_ERR_UNSUPPORTED: an ellipsis, more than ASHI_OPERANDS_MOST operands or ASHI_ORDER_MOST dimensions */
ashlar_status ashi_expression_read(const char *text, ashi_expression *out, int *column, ashlar_error *err);

/* Give the index called `name` an extent of at least 0.
 * @return ASHLAR_OK; ASHLAR_ERR_ARG: no such index, or it has another extent already */
ashlar_status ashi_expression_extent(ashi_expression *expression, char name, int64_t extent, ashlar_error *err);

/* Give the indices of one operand the extents of its array, which has `order` dimensions.
 * @param column  as in ashi_expression_read
 * @return ASHLAR_OK; ASHLAR_ERR_ARG: another number of dimensions, or an extent that differs from a known one */
ashlar_status ashi_expression_shape(ashi_expression *expression, int operand, int order, const int64_t *shape,
                                    int *column, ashlar_error *err);

/* Whether every index has an extent, and every array a number of words that 64 bits hold.
 * @return ASHLAR_OK; ASHLAR_ERR_ARG: an extent is missing; ASHLAR_ERR_OVERFLOW */
ashlar_status ashi_expression_check(const ashi_expression *expression, int *column, ashlar_error *err);

/* Words of an array as it is stored: a diagonal's extent counts each time. The expression has been checked. */
int64_t ashi_expression_words(const ashi_expression *expression, const ashi_index_list *list);

/* An error about products of elements that 64 bits cannot count: it names, and *column is, the first index of the
 * operands with which they are too many, or the first operand if only sums over several products are. */
ashlar_status ashi_expression_exceeds(const ashi_expression *expression, int *column, ashlar_error *err);

/* The number of an index in a list's dimensions that comes first; -1: the list does not have it. */
int ashi_index_find(const ashi_index_list *list, int index);

#endif

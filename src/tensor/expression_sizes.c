/* The extents of an expression's indices, and the sizes of its arrays. */
#include "base/checked.h"
#include "base/error.h"
#include "tensor/expression.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

ashlar_status ashi_expression_extent(ashi_expression *e, char name, int64_t extent, ashlar_error *err)
{
    const char *known = memchr(e->name, name, (size_t)e->indices);
    if (!known || name == '\0')
        return isprint((unsigned char)name)
                   ? ashi_fail(err, ASHLAR_ERR_ARG, "index '%c' is not in the expression", name)
                   : ashi_fail(err, ASHLAR_ERR_ARG, "byte %d is no index", (int)(unsigned char)name);
    int64_t *mine = &e->extent[known - e->name];
    if (extent < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "index '%c' has extent %" PRId64 ", wanted at least 0", name, extent);
    if (*mine >= 0 && *mine != extent)
        return ashi_fail(err, ASHLAR_ERR_ARG, "index '%c' has extent %" PRId64 " and %" PRId64, name, *mine, extent);
    *mine = extent;
    return ASHLAR_OK;
}

ashlar_status ashi_expression_shape(ashi_expression *e, int operand, int order, const int64_t *shape, int *column,
                                    ashlar_error *err)
{
    const ashi_index_list *list = &e->operand[operand];
    *column = list->begin;
    if (order != list->order)
        return ashi_fail(err, ASHLAR_ERR_ARG, "column %d: operand %d has %d dimensions, the expression names %d",
                         *column, operand + 1, order, list->order);
    for (int d = 0; d < order; d++) {
        int64_t *mine = &e->extent[list->index[d]];
        *column = list->column[d];
        if (shape[d] < 0 || (*mine >= 0 && *mine != shape[d]))
            return ashi_fail(err, ASHLAR_ERR_ARG,
                             "column %d: dimension %d of operand %d is %" PRId64 ", index '%c' has extent %" PRId64,
                             *column, d + 1, operand + 1, shape[d], e->name[list->index[d]], ashi_max(*mine, 0));
        *mine = shape[d];
    }
    *column = 0;
    return ASHLAR_OK;
}

/* False if the words of an array are too many for 64 bits. */
static bool count_words(const ashi_expression *e, const ashi_index_list *list, int64_t *words)
{
    *words = 1;
    for (int d = 0; d < list->order; d++)
        if (e->extent[list->index[d]] == 0)
            return *words = 0, true;
    for (int d = 0; d < list->order; d++)
        if (!ashi_mul(*words, e->extent[list->index[d]], words))
            return false;
    return true;
}

ashlar_status ashi_expression_check(const ashi_expression *e, int *column, ashlar_error *err)
{
    int64_t words;
    for (int i = 0; i < e->operands; i++) {
        const ashi_index_list *list = &e->operand[i];
        for (int d = 0; d < list->order; d++)
            if (e->extent[list->index[d]] < 0) {
                *column = list->column[d];
                return ashi_fail(err, ASHLAR_ERR_ARG, "column %d: index '%c' has no extent", *column,
                                 e->name[list->index[d]]);
            }
        *column = list->begin;
        if (!count_words(e, list, &words))
            return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "column %d: the words of operand %d do not fit in 64 bits",
                             *column, i + 1);
    }
    *column = e->output.begin;
    if (!count_words(e, &e->output, &words))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "column %d: the words of the output do not fit in 64 bits", *column);
    *column = 0;
    return ASHLAR_OK;
}

/* Where an index stands first. */
static int first_column(const ashi_expression *e, int index)
{
    for (int x = 0; x < e->operands; x++) {
        const int d = ashi_index_find(&e->operand[x], index);
        if (d >= 0)
            return e->operand[x].column[d];
    }
    return e->operand[0].begin;
}

ashlar_status ashi_expression_exceeds(const ashi_expression *e, int *column, ashlar_error *err)
{
    int64_t products = 1;
    int i = 0;
    while (i < e->indices && ashi_mul(products, ashi_max(e->extent[i], 1), &products))
        i++;
    *column = first_column(e, i);
    if (i == e->indices)
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "column %d: the products of elements do not fit in 64 bits",
                         *column);
    return ashi_fail(err, ASHLAR_ERR_OVERFLOW,
                     "column %d: with index '%c' the products of elements do not fit in 64 bits", *column, e->name[i]);
}

int64_t ashi_expression_words(const ashi_expression *e, const ashi_index_list *list)
{
    int64_t words = 0;
    return count_words(e, list, &words) ? words : INT64_MAX;
}

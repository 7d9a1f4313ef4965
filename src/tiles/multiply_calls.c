/* Products and sums of products of matrices of tiles: the public calls that plan, multiply and forget. */
#include "base/error.h"
#include "base/structure.h"
#include "tiles/multiply.h"
#include "tiles/multiply_ways.h"
#include "tiles/product_parts.h"

#include <stdlib.h>

static ashlar_status multiply(ashi_tiles_asked *q, const ashlar_tiles_options *options, ashlar_tiles_result *result,
                              size_t result_size, ashlar_error *err)
{
    ashlar_error own = {0};
    ashlar_tiles_result found = {0};
    err = err ? err : &own;
    if (!q->c)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: c is NULL", q->who);
    q->context = q->c->context;
    ashlar_status status = ashi_tiles_take_options(q, options, err);
    status = ashi_tiles_ask(q, status, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_tiles_device_begin(q->context);
    if (ashi_tiles_asks_nothing(q))
        ashi_tiles_rescale(q);
    else
        status = ashi_tiles_multiply_once(q, &found, err);
    if (result && status == ASHLAR_OK)
        ashi_structure_give(&found, sizeof found, result, result_size);
    return status;
}

ashlar_status ashlar_tiles_multiply_sized(const void *alpha, ashlar_op op_a, const ashlar_tiles *a, ashlar_op op_b,
                                          const ashlar_tiles *b, const void *beta, ashlar_tiles *c,
                                          const ashlar_tiles_options *options, ashlar_tiles_result *result,
                                          size_t result_size, ashlar_error *err)
{
    const ashlar_tiles_term term = {alpha, op_a, op_b, a, b};
    ashi_tiles_asked q = {.who = "ashlar_tiles_multiply", .terms = 1, .term = &term, .beta = beta, .c = c};
    return multiply(&q, options, result, result_size, err);
}

ashlar_status ashlar_tiles_multiply_sum_sized(int64_t terms, const ashlar_tiles_term *term, const void *beta,
                                              ashlar_tiles *c, const ashlar_tiles_options *options,
                                              ashlar_tiles_result *result, size_t result_size, ashlar_error *err)
{
    ashi_tiles_asked q = {.who = "ashlar_tiles_multiply_sum", .terms = terms, .term = term, .beta = beta, .c = c};
    return multiply(&q, options, result, result_size, err);
}

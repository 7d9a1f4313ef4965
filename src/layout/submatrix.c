/* Layouts made from a block-cyclic one: with an uneven first block, and of a submatrix where it lies. */
#include "layout/layout.h"

#include "base/checked.h"
#include "base/error.h"

#include <inttypes.h>

static bool is_block_cyclic(const ashlar_layout *layout)
{
    return layout && !layout->row.cuts;
}

ashlar_status ashlar_layout_first_block(ashlar_layout *layout, int64_t rows, int64_t cols, ashlar_error *err)
{
    if (!is_block_cyclic(layout) || layout->row.start > 0 || layout->col.start > 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_layout_first_block: wanted a whole block-cyclic layout");
    if (rows < 1 || cols < 1)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_layout_first_block: %" PRId64 " x %" PRId64
                         " elements, wanted at least 1 x 1", rows, cols);
    layout->row.first = rows;
    layout->col.first = cols;
    return ASHLAR_OK;
}

/* The indices from `start` on, `size` of them. */
static bool narrow(ashi_dim *dim, int64_t start, int64_t size)
{
    if (start < 0 || size < 0 || start > dim->size - size)
        return false;
    dim->start += start;
    dim->size = size;
    return true;
}

ashlar_status ashlar_layout_submatrix(const ashlar_layout *of, int64_t row, int64_t col, int64_t rows, int64_t cols,
                                      ashlar_layout **out, ashlar_error *err)
{
    if (!out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_layout_submatrix: out is NULL");
    *out = NULL;
    if (!is_block_cyclic(of))
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_layout_submatrix: wanted a block-cyclic layout");
    ashlar_layout *layout = NULL;
    ashlar_status status = ashi_layout_copy(of, &layout, err);
    if (status == ASHLAR_OK && (!narrow(&layout->row, row, rows) || !narrow(&layout->col, col, cols)))
        status = ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_layout_submatrix: %" PRId64 " x %" PRId64 " elements from (%"
                           PRId64 ", %" PRId64 ") on are not inside %" PRId64 " x %" PRId64, rows, cols, row, col,
                           of->row.size, of->col.size);
    if (status == ASHLAR_OK)
        *out = layout;
    else
        ashlar_layout_free(&layout);
    return status;
}

/* Shapes of matrices and arrays in files: taken from a file, and checked before one is created. */
#include "base/checked.h"
#include "base/error.h"
#include "store/format.h"
#include "base/half.h"
#include "base/type.h"

#include <inttypes.h>

bool ashi_store_take_shape(ashi_store_info *info, int dimensions, const int64_t *extent)
{
    int64_t all = 1;
    bool empty = false;
    info->dimensions = dimensions;
    for (int d = 0; d < dimensions; d++) {
        info->extent[d] = extent[d];
        empty = empty || extent[d] == 0;
    }
    info->rows = info->tensor || dimensions == 0 ? 1 : extent[0];
    info->cols = info->tensor || dimensions < 2 ? 1 : extent[1];
    if (!info->tensor)
        return true;
    for (int d = 0; d < dimensions && !empty; d++)
        if (!ashi_mul(all, extent[d], &all))
            return false;
    info->rows = empty ? 0 : all;
    return true;
}

int64_t ashi_store_element_bytes(const ashi_store_info *info)
{
    return info->half ? ASHI_HALF_BYTES : (int64_t)ashlar_type_bytes(info->type);
}

/* The shape in which it is created. */
static ashlar_status take_created(ashi_store_info *info, ashlar_error *err)
{
    const int64_t extent[2] = {info->rows, info->cols};
    if (!info->tensor)
        return ashi_store_take_shape(info, 2, extent) ? ASHLAR_OK : ashi_fail(err, ASHLAR_ERR_OVERFLOW, "store: shape");
    if (info->dimensions < 0 || info->dimensions > ASHI_DIMENSIONS_MAX)
        return ashi_fail(err, ASHLAR_ERR_ARG, "store: %d dimensions, wanted 0 to %d", info->dimensions,
                         ASHI_DIMENSIONS_MAX);
    for (int d = 0; d < info->dimensions; d++)
        if (info->extent[d] < 0)
            return ashi_fail(err, ASHLAR_ERR_ARG, "store: extent %d is %" PRId64 ", wanted at least 0", d,
                             info->extent[d]);
    if (!ashi_store_take_shape(info, info->dimensions, info->extent))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "store: too many elements for a file");
    return ASHLAR_OK;
}

static ashlar_status check_elements(const ashi_store_info *info, ashlar_error *err)
{
    int64_t elements, bytes;
    if (ashlar_type_bytes(info->type) == 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "store: no element type given");
    if (!ashi_type_is_alike(info->type) && !info->half)
        return ashi_type_refuse(info->type, "store", "files that are written", err);
    if (info->order != ASHLAR_ROW_MAJOR && info->order != ASHLAR_COL_MAJOR)
        return ashi_fail(err, ASHLAR_ERR_ARG, "store: order = %d, wanted rows or columns", (int)info->order);
    if (info->rows < 0 || info->cols < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "store: shape %" PRId64 " x %" PRId64 ", wanted at least 0", info->rows,
                         info->cols);
    if (!ashi_mul(info->rows, info->cols, &elements) ||
        !ashi_mul(elements, (int64_t)ashlar_type_bytes(info->type), &bytes))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "store: %" PRId64 " x %" PRId64 " elements are too many for a file",
                         info->rows, info->cols);
    return ASHLAR_OK;
}

ashlar_status ashi_store_check_shape(ashi_store_info *info, ashlar_error *err)
{
    const ashlar_status status = take_created(info, err);
    info->half = info->half && info->type == ASHLAR_TYPE_H;
    return status == ASHLAR_OK ? check_elements(info, err) : status;
}

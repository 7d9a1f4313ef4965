/* Listing what a rank owns of a tensor as boxes. */
#include "base/checked.h"
#include "base/error.h"
#include "base/structure.h"
#include "layout/tensor_layout.h"

#include <inttypes.h>

/* How many blocks of an index a coordinate has. */
static int64_t blocks_of(const ashlar_tensor_layout *l, int d, int coordinate)
{
    const int64_t blocks = ashi_ceil_div(l->extent[d], l->block[d]);
    return coordinate < blocks ? (blocks - 1 - coordinate) / l->parts[d] + 1 : 0;
}

/* Box number `number` of a rank: its blocks are counted with the last index fastest. */
static ashlar_tensor_box box_of(const ashlar_tensor_layout *l, int rank, const int *coordinate, int64_t number)
{
    ashlar_tensor_box box = {.order = l->order};
    ashi_tensor_layout_strides(l, rank, box.stride);
    for (int d = l->order - 1; d >= 0; d--) {
        const int64_t blocks = blocks_of(l, d, coordinate[d]), mine = number % blocks;
        number /= blocks;
        box.from[d] = (mine * l->parts[d] + coordinate[d]) * l->block[d];
        box.extent[d] = ashi_min(l->block[d], l->extent[d] - box.from[d]);
        box.offset += mine * l->block[d] * box.stride[d];
    }
    return box;
}

ashlar_status ashlar_tensor_layout_list_boxes_sized(const ashlar_tensor_layout *l, int rank, int64_t first,
                                                    int64_t room, ashlar_tensor_box *boxes, size_t size,
                                                    int64_t *count, ashlar_error *err)
{
    const char *const who = "ashlar_tensor_layout_list_boxes";
    if (!l || !count || (room > 0 && !boxes))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s is NULL", who, !l ? "layout" : count ? "boxes" : "count");
    if (rank < 0 || first < 0 || room < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: rank = %d, first = %" PRId64 ", room = %" PRId64
                         ", wanted at least 0", who, rank, first, room);
    if (l->groups) {
        *count = ashi_tensor_groups_list(l, rank, first, room, boxes, size);
        return ASHLAR_OK;
    }
    int coordinate[ASHLAR_TENSOR_ORDER_MOST];
    *count = ashi_tensor_layout_coordinates(l, rank, coordinate) ? 1 : 0;
    for (int d = 0; d < l->order && *count > 0; d++)
        *count *= blocks_of(l, d, coordinate[d]);
    for (int64_t i = 0; i < room && first < *count - i; i++) {
        const ashlar_tensor_box box = box_of(l, rank, coordinate, first + i);
        ashi_structure_give(&box, sizeof box, (char *)boxes + (size_t)i * size, size);
    }
    return ASHLAR_OK;
}

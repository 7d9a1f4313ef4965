/* Dealing a tensor out evenly, or as another one is. */
#include "base/checked.h"
#include "base/error.h"
#include "layout/tensor_layout.h"

#include <stdlib.h>

/* The largest prime factor of a number above 1. */
static int largest_factor(int number)
{
    int factor = 2;
    while (number > factor)
        if (number % factor == 0)
            number /= factor;
        else
            factor++;
    return factor;
}

ashlar_status ashi_tensor_layout_even(int order, const int64_t *extent, const bool *may_cut, int ranks,
                                      ashlar_tensor_layout **out, ashlar_error *err)
{
    int parts[ASHLAR_TENSOR_ORDER_MOST];
    for (int d = 0; d < order; d++)
        parts[d] = 1;
    for (int left = ranks; left > 1;) {
        const int factor = largest_factor(left);
        int best = -1;
        for (int d = 0; d < order; d++)
            if (may_cut[d] && (int64_t)parts[d] * factor <= extent[d] &&
                (best < 0 || extent[d] / parts[d] > extent[best] / parts[best]))
                best = d;
        if (best >= 0)
            parts[best] *= factor;
        left /= factor;
    }
    return ashlar_tensor_layout_blocks(order, extent, NULL, parts, NULL, NULL, out, err);
}

/* The process of `other` whose coordinates are those of `process` of the layout. */
static int process_like(const ashlar_tensor_layout *l, const int *index, int process,
                        const ashlar_tensor_layout *other, const int *other_index)
{
    int like = 0, coordinate[ASHLAR_TENSOR_ORDER_MOST];
    for (int d = l->order - 1; d >= 0; d--) {
        coordinate[d] = process % l->parts[d];
        process /= l->parts[d];
    }
    for (int d = 0; d < other->order; d++) {
        int value = 0;
        for (int x = 0; x < l->order; x++)
            value = l->parts[x] > 1 && index[x] == other_index[d] ? coordinate[x] : value;
        like = like * other->parts[d] + value;
    }
    return like;
}

ashlar_status ashi_tensor_layout_like(ashlar_tensor_layout *l, const int *index, const ashlar_tensor_layout *other,
                                      const int *other_index, ashlar_error *err)
{
    l->ranks = malloc((size_t)l->processes * sizeof *l->ranks);
    if (!l->ranks)
        return ashi_fail_memory(err, "layout of a tensor", l->processes * (int64_t)sizeof *l->ranks);
    for (int i = 0; i < l->processes; i++) {
        const int like = process_like(l, index, i, other, other_index);
        l->ranks[i] = other->ranks ? other->ranks[like] : like;
    }
    return ASHLAR_OK;
}

ashlar_status ashi_tensor_layout_follow(int order, const int64_t *extent, const int *index,
                                        const ashlar_tensor_layout *other, const int *other_index,
                                        ashlar_tensor_layout **out, ashlar_error *err)
{
    int64_t block[ASHLAR_TENSOR_ORDER_MOST];
    int parts[ASHLAR_TENSOR_ORDER_MOST], there[ASHLAR_TENSOR_ORDER_MOST], dims[ASHLAR_TENSOR_ORDER_MOST];
    for (int d = 0; d < other->order; d++)
        dims[d] = d;
    for (int d = 0; d < order; d++) {
        there[d] = 0;
        while (there[d] < other->order && other_index[there[d]] != index[d])
            there[d]++;
        const bool cut = there[d] < other->order && other->parts[there[d]] > 1;
        parts[d] = cut ? other->parts[there[d]] : 1;
        block[d] = cut ? other->block[there[d]] : ashi_max(extent[d], 1);
    }
    const ashlar_status status = ashlar_tensor_layout_blocks(order, extent, block, parts, NULL, NULL, out, err);
    return status == ASHLAR_OK ? ashi_tensor_layout_like(*out, there, other, dims, err) : status;
}

/* A number for the elements of a tensor in memory. */
#include "contract/memory_sum.h"

#include "base/hash.h"

#include <string.h>

static uint64_t add_bytes(uint64_t sum, const char *from, size_t bytes)
{
    int64_t word = 0;
    for (; bytes > sizeof word; bytes -= sizeof word, from += sizeof word) {
        memcpy(&word, from, sizeof word);
        sum = ashi_hash(sum, word);
    }
    word = 0;
    memcpy(&word, from, bytes);
    return ashi_hash(sum, word);
}

/* Elements along the last index. */
static uint64_t add_line(uint64_t sum, const char *from, int64_t count, int64_t stride, size_t bytes)
{
    if (stride == 1)
        return add_bytes(sum, from, (size_t)count * bytes);
    for (int64_t i = 0; i < count; i++)
        sum = add_bytes(sum, from + (size_t)(i * stride) * bytes, bytes);
    return sum;
}

uint64_t ashi_memory_sum(uint64_t sum, const ashlar_tensor_layout *layout, int rank, const void *part, size_t bytes)
{
    int64_t extent[ASHLAR_TENSOR_ORDER_MOST + 1], stride[ASHLAR_TENSOR_ORDER_MOST + 1];
    int64_t at[ASHLAR_TENSOR_ORDER_MOST] = {0}, offset = 0;
    const int last = layout->order > 0 ? layout->order - 1 : 0;
    extent[0] = stride[0] = 1; /* of a scalar */
    if (!ashi_tensor_layout_part(layout, rank, extent))
        return sum;
    ashi_tensor_layout_strides(layout, rank, stride);
    for (;;) {
        sum = add_line(sum, (const char *)part + (size_t)offset * bytes, extent[last], stride[last], bytes);
        int d = last - 1;
        for (; d >= 0 && ++at[d] == extent[d]; d--) {
            offset -= stride[d] * (extent[d] - 1);
            at[d] = 0;
        }
        if (d < 0)
            return sum;
        offset += stride[d];
    }
}

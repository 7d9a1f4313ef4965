/* How one dimension of a matrix is cut into parts. */
#include "layout/dim.h"

#include "base/checked.h"

/* The tile that has an index; empty tiles have none. */
static int64_t tile_of(const ashi_dim *dim, int64_t index)
{
    int64_t lo = 0, hi = dim->parts; /* cuts[lo] <= index < cuts[hi] */
    while (hi - lo > 1) {
        const int64_t mid = lo + (hi - lo) / 2;
        if (dim->cuts[mid] <= index)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

int64_t ashi_dim_part(const ashi_dim *dim, int64_t index)
{
    return dim->cuts ? tile_of(dim, index) : (index / dim->block + dim->source) % dim->parts;
}

int64_t ashi_dim_local(const ashi_dim *dim, int64_t index)
{
    if (dim->cuts)
        return index - dim->cuts[tile_of(dim, index)];
    return index / dim->block / dim->parts * dim->block + index % dim->block;
}

int64_t ashi_dim_run_end(const ashi_dim *dim, int64_t index)
{
    if (dim->cuts)
        return dim->cuts[tile_of(dim, index) + 1];
    if (dim->parts == 1 || dim->size - index <= dim->block - index % dim->block)
        return dim->size;
    return index - index % dim->block + dim->block;
}

int64_t ashi_dim_count(const ashi_dim *dim, int64_t part)
{
    if (dim->cuts)
        return dim->cuts[part + 1] - dim->cuts[part];
    const int64_t blocks = dim->size / dim->block, turn = (part - dim->source + dim->parts) % dim->parts;
    const int64_t extra = blocks % dim->parts;
    const int64_t last = turn == extra ? dim->size % dim->block : 0;
    return (blocks / dim->parts + (turn < extra)) * dim->block + last;
}

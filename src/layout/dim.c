/* How one dimension of a matrix is cut into parts. */
#include "layout/dim.h"

#include "base/checked.h"
#include "base/ordering.h"

/* The tile that has an index; empty tiles have none. */
static int64_t tile_of(const ashi_dim *dim, int64_t index)
{
    return ashi_interval_of(dim->cuts, dim->parts, index);
}

/* The block of the larger dimension that has its index `at`. */
static int64_t block_of(const ashi_dim *dim, int64_t at)
{
    return at < dim->first ? 0 : 1 + (at - dim->first) / dim->block;
}

/* How many indices of the larger dimension below `end` a part has. */
static int64_t below(const ashi_dim *dim, int64_t part, int64_t end)
{
    const int64_t turn = (part - dim->source + dim->parts) % dim->parts;
    if (end <= dim->first)
        return turn == 0 ? end : 0;
    const int64_t blocks = block_of(dim, end), mine = blocks > turn ? (blocks - 1 - turn) / dim->parts + 1 : 0;
    const int64_t last = turn == blocks % dim->parts ? (end - dim->first) % dim->block : 0;
    return mine * dim->block + (turn == 0 ? dim->first - dim->block : 0) + last;
}

int64_t ashi_dim_part(const ashi_dim *dim, int64_t index)
{
    return dim->cuts ? tile_of(dim, index) : (block_of(dim, index + dim->start) + dim->source) % dim->parts;
}

int64_t ashi_dim_local(const ashi_dim *dim, int64_t index)
{
    if (dim->cuts)
        return index - dim->cuts[tile_of(dim, index)];
    const int64_t part = ashi_dim_part(dim, index);
    return below(dim, part, index + dim->start) - below(dim, part, dim->start);
}

int64_t ashi_dim_run_end(const ashi_dim *dim, int64_t index)
{
    if (dim->cuts)
        return dim->cuts[tile_of(dim, index) + 1];
    const int64_t at = index + dim->start;
    const int64_t left = at < dim->first ? dim->first - at : dim->block - (at - dim->first) % dim->block;
    return dim->parts == 1 || dim->size - index <= left ? dim->size : index + left;
}

ashi_dim_run ashi_dim_run_at(const ashi_dim *dim, int64_t index)
{
    if (dim->cuts) {
        const int64_t tile = tile_of(dim, index);
        return (ashi_dim_run){tile, index - dim->cuts[tile], dim->cuts[tile + 1]};
    }
    if (dim->parts == 1)
        return (ashi_dim_run){0, index, dim->size};
    const int64_t at = index + dim->start, beyond = at - dim->first;
    const int64_t block = beyond < 0 ? 0 : 1 + beyond / dim->block;
    const int64_t inside = beyond < 0 ? at : beyond % dim->block, left = beyond < 0 ? -beyond : dim->block - inside;
    const int64_t turn = block % dim->parts, part = (turn + dim->source) % dim->parts;
    const int64_t uneven = turn == 0 && block > 0 ? dim->first - dim->block : 0;
    const int64_t skipped = dim->start > 0 ? below(dim, part, dim->start) : 0;
    return (ashi_dim_run){part, block / dim->parts * dim->block + uneven + inside - skipped,
                          dim->size - index <= left ? dim->size : index + left};
}

int64_t ashi_dim_count(const ashi_dim *dim, int64_t part)
{
    if (dim->cuts)
        return dim->cuts[part + 1] - dim->cuts[part];
    return below(dim, part, dim->start + dim->size) - below(dim, part, dim->start);
}

int64_t ashi_dim_skip(const ashi_dim *dim, int64_t part)
{
    return dim->cuts ? 0 : below(dim, part, dim->start);
}

int64_t ashi_dim_room(const ashi_dim *dim, int64_t part)
{
    return dim->cuts ? ashi_dim_count(dim, part) : below(dim, part, dim->whole);
}

bool ashi_dim_same(const ashi_dim *x, const ashi_dim *y)
{
    return !x->cuts && !y->cuts && x->size == y->size && x->parts == y->parts && x->block == y->block &&
           x->source == y->source && x->first == y->first && x->start == y->start;
}

/* The products that a symbolic product forms, one after the other. */
#include "base/checked.h"
#include "layout/symbolic_making.h"

ashi_formed ashi_formed_begin(const ashi_sparse_product *product, const ashi_symbolic *symbolic, int64_t x)
{
    const int64_t y = ashi_pattern_row(&symbolic->c, product->a->row[x]);
    return (ashi_formed){.walk = ashi_product_candidates(product, x), .symbolic = symbolic,
                         .bit = symbolic->first ? symbolic->first[x] : 0,
                         .c_first = y < 0 ? 0 : symbolic->c.start[y], .c_end = y < 0 ? 0 : symbolic->c.start[y + 1],
                         .k = -1};
}

/* C's tile of a column, from `tile` on: it is found in a time that grows with the logarithm of how far it is. */
static int64_t tile_from(const ashi_symbolic *symbolic, int64_t tile, int64_t end, int64_t col)
{
    int64_t step = 1;
    while (tile + step < end && symbolic->c.col[tile + step] <= col) {
        tile += step;
        step *= 2;
    }
    int64_t hi = ashi_min(tile + step, end);
    while (hi - tile > 1) {
        const int64_t middle = tile + (hi - tile) / 2;
        if (symbolic->c.col[middle] <= col)
            tile = middle;
        else
            hi = middle;
    }
    return tile;
}

bool ashi_formed_next(ashi_formed *formed)
{
    while (ashi_candidates_next(&formed->walk)) {
        if (ashi_symbolic_is_left(formed->symbolic, formed->bit++))
            continue;
        const int64_t from = formed->walk.now.k == formed->k ? formed->tile : formed->c_first;
        formed->k = formed->walk.now.k;
        if (from == formed->c_end)
            continue;
        formed->tile = tile_from(formed->symbolic, from, formed->c_end, formed->walk.now.col);
        if (formed->symbolic->c.col[formed->tile] == formed->walk.now.col)
            return true;
    }
    return false;
}

void ashi_symbolic_work(const ashi_sparse_product *product, const ashi_symbolic *symbolic, double *work)
{
    for (int64_t tile = 0; tile < symbolic->c.tiles; tile++)
        work[tile] = 0;
    for (int64_t x = 0; x < product->a->rows; x++) {
        ashi_formed formed = ashi_formed_begin(product, symbolic, x);
        while (ashi_formed_next(&formed))
            work[formed.tile] += (double)ashi_product_multiplies(product, product->a->row[x], &formed.walk.now);
    }
}

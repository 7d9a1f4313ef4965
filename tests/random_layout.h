/* Random layouts of every kind, for property tests. */
#ifndef ASHI_RANDOM_LAYOUT_H
#define ASHI_RANDOM_LAYOUT_H

#include "base/checked.h"
#include "test.h"

#include <ashlar/layout.h>
#include <stdlib.h>

enum { RANDOM_TILES_MAX = 6, RANDOM_RANKS_MAX = 16 };

/* The numbers 0 .. n-1 in random order. */
static inline void random_permutation(uint64_t *state, int n, int *out)
{
    for (int i = 0; i < n; i++) {
        const int j = (int)ashi_random_in(state, 0, i);
        out[i] = out[j];
        out[j] = i;
    }
}

/* parts + 1 cuts of 0 .. size, not decreasing: some parts may be empty. */
static inline void random_cuts(uint64_t *state, int64_t parts, int64_t size, int64_t *out)
{
    out[0] = 0;
    for (int64_t i = 1; i < parts; i++) {
        int64_t at = i;
        const int64_t cut = ashi_random_in(state, 0, size);
        for (; at > 1 && out[at - 1] > cut; at--)
            out[at] = out[at - 1];
        out[at] = cut;
    }
    out[parts] = size;
}

static inline ashlar_order random_order(uint64_t *state)
{
    return ashi_random_in(state, 0, 1) ? ASHLAR_ROW_MAJOR : ASHLAR_COL_MAJOR;
}

static inline ashlar_layout *random_block_cyclic(uint64_t *state, int64_t rows, int64_t cols, int ranks,
                                                 ashlar_error *err)
{
    int owner[RANDOM_RANKS_MAX];
    const int gr = (int)ashi_random_in(state, 1, ranks), gc = (int)ashi_random_in(state, 1, ranks / gr);
    const int64_t mb = ashi_random_in(state, 1, rows + 2), nb = ashi_random_in(state, 1, cols + 2);
    const int64_t ld = ashi_random_in(state, 0, 2) ? 0 : ashi_max(rows, cols) + ashi_random_in(state, 1, 3);
    const int row_source = (int)ashi_random_in(state, 0, gr - 1), col_source = (int)ashi_random_in(state, 0, gc - 1);
    ashlar_layout *layout = NULL;
    random_permutation(state, ranks, owner);
    const ashlar_order order = random_order(state);
    const bool named = ashi_random_in(state, 0, 3), tall = ashi_random_in(state, 0, 1);
    ashlar_layout_block_cyclic(rows, cols, tall ? mb : 1 + mb / 8, nb, gr, gc, row_source, col_source,
                               named ? owner : NULL, order, ld, &layout, err);
    return layout;
}

/* Lay a rank's tiles anywhere, with gaps. */
static inline ashlar_status random_storage(uint64_t *state, ashlar_layout *layout, int rank, int64_t longest,
                                           ashlar_error *err)
{
    int64_t offset[RANDOM_TILES_MAX * RANDOM_TILES_MAX + 1], ld[RANDOM_TILES_MAX * RANDOM_TILES_MAX + 1], at = 0;
    const int64_t tiles = ashlar_layout_tile_count(layout, rank);
    for (int64_t t = 0; t < tiles; t++) {
        at += ashi_random_in(state, 0, 5);
        offset[t] = at;
        ld[t] = ashi_random_in(state, longest, longest + 4) + 1;
        at += ld[t] * (longest + 1);
    }
    return ashlar_layout_set_storage(layout, rank, offset, ld, err);
}

static inline ashlar_layout *random_tiles(uint64_t *state, int64_t rows, int64_t cols, int ranks, ashlar_error *err)
{
    int64_t row_cuts[RANDOM_TILES_MAX + 1], col_cuts[RANDOM_TILES_MAX + 1];
    int owner[RANDOM_TILES_MAX * RANDOM_TILES_MAX];
    const int64_t tr = ashi_random_in(state, 1, RANDOM_TILES_MAX), tc = ashi_random_in(state, 1, RANDOM_TILES_MAX);
    ashlar_layout *layout = NULL;
    random_cuts(state, tr, rows, row_cuts);
    random_cuts(state, tc, cols, col_cuts);
    for (int64_t i = 0; i < tr * tc; i++)
        owner[i] = (int)ashi_random_in(state, 0, ranks - 1);
    if (ashlar_layout_tiles(tr, tc, row_cuts, col_cuts, owner, random_order(state), &layout, err) != ASHLAR_OK)
        return NULL;
    if (ashi_random_in(state, 0, 1) &&
        random_storage(state, layout, (int)ashi_random_in(state, 0, ranks - 1), ashi_max(rows, cols), err) != ASHLAR_OK)
        ashlar_layout_free(&layout);
    return layout;
}

/* A submatrix of a larger block-cyclic matrix, whose first block may be of another size. */
static inline ashlar_layout *random_submatrix(uint64_t *state, int64_t rows, int64_t cols, int ranks, ashlar_error *err)
{
    const int64_t up = ashi_random_in(state, 0, rows + 3), down = ashi_random_in(state, 0, 5);
    const int64_t left = ashi_random_in(state, 0, cols + 3), right = ashi_random_in(state, 0, 5);
    ashlar_layout *whole = random_block_cyclic(state, up + rows + down, left + cols + right, ranks, err), *out = NULL;
    if (!whole)
        return NULL;
    ashlar_status status = ASHLAR_OK;
    if (ashi_random_in(state, 0, 1))
        status = ashlar_layout_first_block(whole, ashi_random_in(state, 1, rows + 2),
                                           ashi_random_in(state, 1, cols + 2), err);
    if (status == ASHLAR_OK)
        ashlar_layout_submatrix(whole, up, left, rows, cols, &out, err);
    ashlar_layout_free(&whole);
    return out;
}

/* NULL where it could not be made. */
static inline ashlar_layout *random_layout(uint64_t *state, int64_t rows, int64_t cols, int ranks, ashlar_error *err)
{
    switch (ashi_random_in(state, 0, 3)) {
    case 0:
        return random_block_cyclic(state, rows, cols, ranks, err);
    case 1:
        return random_submatrix(state, rows, cols, ranks, err);
    default:
        return random_tiles(state, rows, cols, ranks, err);
    }
}

/* A layout over all ranks, each rank at most one part of it: what grids of domains can be aligned with. */
static inline ashlar_layout *random_full_layout(uint64_t *state, int64_t rows, int64_t cols, int ranks,
                                                ashlar_error *err)
{
    int owner[RANDOM_RANKS_MAX], gr = (int)ashi_random_in(state, 1, ranks);
    int64_t row_cuts[RANDOM_RANKS_MAX + 1], col_cuts[RANDOM_RANKS_MAX + 1];
    ashlar_layout *layout = NULL;
    while (ranks % gr != 0)
        gr--;
    random_permutation(state, ranks, owner);
    const int64_t mb = ashi_random_in(state, 1, rows / gr + 1), nb = ashi_random_in(state, 1, cols / (ranks / gr) + 1);
    random_cuts(state, gr, rows, row_cuts);
    random_cuts(state, ranks / gr, cols, col_cuts);
    const ashlar_order order = random_order(state);
    if (ashi_random_in(state, 0, 2))
        ashlar_layout_block_cyclic(rows, cols, mb, nb, gr, ranks / gr, (int)ashi_random_in(state, 0, gr - 1),
                                   (int)ashi_random_in(state, 0, ranks / gr - 1), ashi_random_in(state, 0, 1) ? owner
                                   : NULL, order, 0, &layout, err);
    else
        ashlar_layout_tiles(gr, ranks / gr, row_cuts, col_cuts, owner, order, &layout, err);
    return layout;
}

/* Of A, B (0, 1) as stored, or of C (2), in the product op(A) op(B) of m x n x k. */
static inline ashlar_layout *random_operand(uint64_t *state, int x, const int64_t size[3], const ashlar_op op[2],
                                            int64_t ranks, ashlar_error *err)
{
    const int64_t shape[3][2] = {{size[0], size[2]}, {size[2], size[1]}, {size[0], size[1]}};
    const bool turned = x < 2 && op[x] != ASHLAR_OP_N;
    return random_layout(state, shape[x][turned], shape[x][!turned], (int)ranks, err);
}

#endif

/* Random bricks for a request, cells of a grid or any other boxes, for property tests. */
#ifndef ASHI_RANDOM_BRICKS_H
#define ASHI_RANDOM_BRICKS_H

#include "base/error.h"
#include "random_boxes.h"

#include <string.h>

/* At most `ranks` cells, in random proportions. */
static inline void random_grid(uint64_t *state, int64_t ranks, int64_t grid[3])
{
    const int first = (int)ashi_random_in(state, 0, 2);
    for (int i = 0; i < 3; i++) {
        grid[(first + i) % 3] = ashi_random_in(state, 1, ranks);
        ranks /= grid[(first + i) % 3];
    }
}

/* Cuts where the parts of layouts begin, as domains have them that are just what a rank owns. */
static inline void snap_cuts(uint64_t *state, const ashi_axis *axis, int64_t parts, int64_t *cut)
{
    int64_t run[RANDOM_RANKS_MAX + 1];
    random_cuts(state, parts, axis->runs, run);
    for (int64_t i = 0; i <= parts; i++)
        cut[i] = axis->at[run[i]];
}

/* A grid, cut evenly or in any places: some cells may be empty. */
static inline ashlar_status random_cells(uint64_t *state, const ashi_grid_request *g, const ashi_axis axis[3],
                                         const int *rank_of, ashi_bricks *out, ashlar_error *err)
{
    int64_t grid[3];
    random_grid(state, g->ranks, grid);
    const ashlar_status status = ashi_bricks_even(grid, g->size, out, err);
    for (int d = 0; d < 3 && status == ASHLAR_OK; d++) {
        const int64_t how = ashi_random_in(state, 0, 2);
        if (how == 1)
            random_cuts(state, grid[d], g->size[d], out->cut[d]);
        else if (how == 2)
            snap_cuts(state, &axis[d], grid[d], out->cut[d]);
    }
    if (status == ASHLAR_OK && ashi_random_in(state, 0, 1))
        memcpy(out->rank_of, rank_of, (size_t)out->count * sizeof *rank_of);
    return status;
}

/* Boxes of any shape. */
static inline ashlar_status random_list(uint64_t *state, const ashi_grid_request *g, const ashi_axis axis[3],
                                        const int *rank_of, ashi_bricks *out, ashlar_error *err)
{
    ashi_cuboid box[RANDOM_RANKS_MAX];
    const int64_t count = ashi_random_in(state, 1, g->ranks);
    random_boxes(state, axis, count, box);
    return ashi_bricks_of(box, rank_of, count, out, err);
}

/* Cut the k axis in a few runs, and put them in another order. */
static inline ashlar_status random_arrangement(uint64_t *state, int64_t size, ashi_bricks *b, ashlar_error *err)
{
    int64_t cut[RANDOM_TILES_MAX + 1];
    int order[RANDOM_TILES_MAX];
    const int runs = (int)ashi_random_in(state, 1, RANDOM_TILES_MAX);
    random_cuts(state, runs, size, cut);
    random_permutation(state, runs, order);
    b->k = calloc(1, sizeof *b->k);
    if (b->k)
        *b->k = (ashi_arrangement){.runs = runs, .from = malloc(2 * (size_t)runs * sizeof *b->k->from)};
    if (!b->k || !b->k->from)
        return ashi_fail_memory(err, "random_arrangement", runs);
    b->k->count = b->k->from + runs;
    for (int i = 0; i < runs; i++) {
        b->k->from[i] = cut[order[i]];
        b->k->count[i] = cut[order[i] + 1] - cut[order[i]];
    }
    b->lead.k = b->k;
    return ASHLAR_OK;
}

/* For at most RANDOM_RANKS_MAX ranks. */
static inline ashlar_status random_bricks(uint64_t *state, const ashi_grid_request *g, ashi_bricks *out,
                                          ashlar_error *err)
{
    int rank_of[RANDOM_RANKS_MAX];
    ashi_axis axis[3];
    const ashi_lead lead = {.operand = (ashlar_operand)ashi_random_in(state, ASHLAR_A, ASHLAR_C),
                            .alone = ashi_random_in(state, 0, 1)};
    ashlar_status status = ashi_grid_axes(g->layout, g->op, g->size, lead, axis, err);
    if (status != ASHLAR_OK)
        return status;
    random_permutation(state, (int)g->ranks, rank_of);
    status = ashi_random_in(state, 0, 1) ? random_list(state, g, axis, rank_of, out, err)
                                         : random_cells(state, g, axis, rank_of, out, err);
    out->lead = lead;
    if (status == ASHLAR_OK && ashi_random_in(state, 0, 2) == 0)
        status = random_arrangement(state, g->size[2], out, err);
    for (int d = 0; d < 3; d++)
        ashi_axis_free(&axis[d]);
    return status;
}

#endif

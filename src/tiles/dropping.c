/* Tiles of C that are dropped at the end of a product, and the bound on its error on all ranks. */
#include "tiles/dropping.h"

#include "exec/mpi.h"

#include <float.h>
#include <math.h>

static ashi_square square_of(const ashlar_tiles *c, const ashi_held_walk *w)
{
    return c->tile_kernels->square(ashi_tiles_words(c, w->at.row, w->at.col),
                                   ashi_held_tile(&c->held, w->number, c->bytes));
}

void ashi_tiles_choose_below(const ashlar_tiles *c, const ashi_ranges *ranges, double threshold, bool *keep)
{
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&c->held, &w);)
        keep[w.number] = !ashi_ranges_have(ranges, 0, w.at.row, 1, w.at.col) ||
                         !(ashi_square_root(square_of(c, &w)) < threshold);
}

int64_t ashi_tiles_drop(ashlar_tiles *c, const bool *keep, double *norm)
{
    ashi_square square = {0, 0};
    int64_t dropped = 0, words = 0;
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&c->held, &w);) {
        if (keep[w.number])
            continue;
        dropped++;
        words += ashi_tiles_words(c, w.at.row, w.at.col);
        square = ashi_square_add(square, square_of(c, &w));
    }
    if (dropped > 0)
        ashi_held_keep(&c->held, keep, c->bytes);
    *norm = ashi_square_root(square) * (1 + 2 * ((double)words + (double)dropped + 2) * DBL_EPSILON);
    return dropped;
}

double ashi_tiles_join_bounds(const ashlar_tiles *c, const ashi_error_bound *own, int64_t layer, int64_t layers,
                              double *room)
{
    enum { N = ASHI_BOUND_NUMBERS };
    const ashlar_context *context = c->context;
    const double mine[N] = {own->left_out, own->dropped, own->rounding, own->all, (double)layer};
    double all = 0;
    ashi_note(context, MPI_Allgather(mine, N, MPI_DOUBLE, room, N, MPI_DOUBLE, context->comm), "MPI_Allgather");
    for (int64_t l = 0; l < layers; l++) {
        ashi_error_bound bound = {0};
        for (int r = 0; r < context->ranks; r++) {
            const double *of = room + N * r;
            if ((int64_t)of[N - 1] == l)
                bound = ashi_error_join(bound, (ashi_error_bound){of[0], of[1], of[2], of[3]});
        }
        all += bound.all;
    }
    all *= layers > 1 ? 1 + 2 * (double)layers * DBL_EPSILON : 1;
    return c->symmetry == ASHLAR_GENERAL ? all : all * (sqrt(2) * (1 + 2 * DBL_EPSILON));
}

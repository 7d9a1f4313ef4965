/* Every way of cutting a product in files among ranks and into tiles, before slabs are chosen. */
#include "search/tiling_frames.h"

#include "base/checked.h"
#include "engine/grid_schedule.h"

#include <math.h>

enum { FRAMES_FINE = 64 }; /* of more ranks down than this not every number is tried */

static ashi_tiling_frame frame_of(const ashi_tiling_request *q, ashlar_operand stays, const int64_t parts[2],
                      const int64_t team[2])
{
    const int *index = ashi_dims_of[stays];
    ashi_tiling_frame g = {.stays = stays, .parts = {parts[0], parts[1]}, .team = {team[0], team[1]}, .u = index[0],
               .v = index[1], .w = index[2], .length = {0, 0, q->size[2]}};
    for (int d = 0; d < 2; d++)
        g.length[d] = ashi_cut_size(q->size[d], parts[d], 0);
    const int64_t *n = g.length;
    const ashi_wide a = (ashi_wide)n[0] * n[2], b = (ashi_wide)n[1] * n[2], c = (ashi_wide)n[0] * n[1];
    if (stays == ASHLAR_C) {
        g.fixed = c + (q->adds ? c : 0);
        g.per_u = b;
        g.per_v = a;
    } else { /* of the sums of C all but the first are read, all are written */
        g.fixed = (stays == ASHLAR_A ? a : b) - c + (q->adds ? c : 0);
        g.per_u = stays == ASHLAR_A ? b : a;
        g.per_v = 2 * c;
    }
    return g;
}

/* Ranks that share side d of a tile. */
static int64_t team_of(const ashi_tiling_frame *g, int d)
{
    return d < 2 ? g->team[d] : 1;
}

/* The longest side of a box if side d of a part is cut into `tiles` tiles. */
static int64_t side_of(const ashi_tiling_frame *g, int d, int64_t tiles)
{
    return ashi_ceil_div(ashi_ceil_div(g->length[d], tiles), team_of(g, d));
}

/* The fewest tiles whose boxes are not longer. */
static int64_t tiles_of(const ashi_tiling_frame *g, int d, int64_t side)
{
    return ashi_ceil_div(g->length[d], ashi_mul_most(side, team_of(g, d)));
}

/* Where to begin: with sides in real numbers x = sqrt(S per_u U / (per_v V)) is best, for boxes that are cut out of
 * U x V. Four times as high as that is worse than that by far, unless boxes are as wide as can be before. */
static int64_t tallest(const ashi_tiling_range *f, const ashi_tiling_frame *g)
{
    const double u = (double)g->length[g->u] / (double)team_of(g, g->u);
    const double v = (double)g->length[g->v] / (double)team_of(g, g->v);
    const double ratio = (double)g->per_u * u / ((double)g->per_v * v);
    const double best = sqrt((double)f->memory * ratio), beside = (double)f->memory / fmax(floor(v), 1);
    const double most = fmin((double)side_of(g, g->u, 1), ((double)f->memory - 1) / 2);
    return (int64_t)fmax(fmin(most, fmax(4 * best, beside) + 1), 1);
}

/* For each number of tiles along one side, the fewest along the other. This ends when it is
 * certain that no later tiling has at most *most words. */
static void visit_tilings(const ashi_tiling_range *f, const ashi_tiling_frame *g, const ashi_wide *most,
                          ashi_tiling_visit visit, void *to)
{
    for (int64_t x = tallest(f, g); x >= 1; x--) {
        const int64_t tu = tiles_of(g, g->u, x);
        x = side_of(g, g->u, tu);
        const int64_t y = ashi_min((f->memory - x) / (x + 1), side_of(g, g->v, 1));
        if (*most >= 0 && g->fixed + g->per_u * tu + g->per_v > *most)
            return; /* and ever more as x falls */
        if (f->coarse)
            x = side_of(g, g->u, ashi_min(tu + tu / 100, g->length[g->u]));
        if (y < 1)
            continue;
        const int64_t tv = tiles_of(g, g->v, y);
        visit(to, g, tu, tv, g->fixed + g->per_u * tu + g->per_v * tv);
    }
}

/* Every frame with this matrix staying: the ranks as one team, or each for itself, in grids that use as many as can be
 * used: for each number of parts of n, the most of m. */
static void visit_frames(const ashi_tiling_range *f, ashlar_operand stays, const ashi_wide *most,
                         ashi_tiling_visit visit, void *to)
{
    const int64_t *size = f->request->size, ranks = f->request->ranks, one[2] = {1, 1};
    if (f->request->stays && stays != ASHLAR_C)
        return;
    for (int64_t pm = 1; pm <= ashi_min(ranks, size[0]);) {
        const int64_t pn = ranks / pm;
        pm = ranks / pn; /* the most parts of m that leave as many for n */
        const int64_t grid[2] = {ashi_min(pm, size[0]), ashi_min(pn, size[1])};
        const bool team = stays == ASHLAR_C || grid[stays == ASHLAR_A ? 1 : 0] == 1;
        if (!f->joint || team) {
            const ashi_tiling_frame g = frame_of(f->request, stays, f->joint ? one : grid, f->joint ? grid : one);
            visit_tilings(f, &g, most, visit, to);
        }
        pm += ashi_max(pm / FRAMES_FINE, 1);
    }
}

void ashi_tiling_frames(const ashi_tiling_range *range, const ashi_wide *most, ashi_tiling_visit visit, void *to)
{
    const ashlar_operand order[3] = {ASHLAR_C, ASHLAR_A, ASHLAR_B};
    for (int i = 0; i < 3; i++)
        visit_frames(range, order[i], most, visit, to);
}

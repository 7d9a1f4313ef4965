/* The schedule in which each rank computes one box: A and B stream past boxes of C that stay, then partial sums go
 * where C belongs; or A or B stays, and partial sums of C go where they belong round by round.
 *
 * Source: Kwasniewski et al., SC 2019 (COSMA), Algorithm 1 and sections 6.3 and 7, where the boxes are the cells of a
 * grid; any others that fill m x n x k do as well. A rank computes the box I x J x L. In round r it needs the part of
 * op(A) over I and of op(B) over J that belongs to slab r of L, and receives it straight from whoever owns it. Ranks
 * whose boxes have just the same face on a matrix are served together.
 *
 * If A stays the rank first receives what it lacks of I x L. In round r it receives slab r of J of op(B) over L,
 * multiplies, and the partial sums over I of that slab go to the owners of C. If B stays slabs are of I. */
#ifndef ASHI_GRID_SCHEDULE_H
#define ASHI_GRID_SCHEDULE_H

#include "schedule/schedule.h"

/* The dimensions (0, 1, 2 for m, n, k) of an operand's minor and major side, and the third. */
extern const int ashi_dims_of[3][3];

/* Whether the minor side of op(X) is that of the rows of X as it is stored. */
bool ashi_minor_is_row(const ashlar_op op[2], ashlar_operand operand);

/* What stays of A or B is multiplied owner by owner, unless stretches of k are thinner than this on the average: then
 * it comes together, and a rank holds its own words twice. If there is no memory for that it is thin nevertheless. */
enum { ASHI_THINNEST_STRETCH = 32 };

/* If C stays, and the owners of A or B have k contiguous, that matrix is sent so, which spares its owners a
 * transposition. It is then multiplied owner by owner as well. Its stretches of k are at least this long on the
 * average: BLAS reads and writes all of C for each of them. */
enum { ASHI_THINNEST_TURNED = 128 };

/* What comes first along the axes. */
typedef struct ashi_lead {
    ashlar_operand operand; /* its parts are intervals of both its axes: boxes can be what it has on a rank */
    bool alone;             /* within its parts nothing is reordered: what it has on a rank stays one matrix */
    const ashi_arrangement *k; /* how the k axis is arranged after that; NULL: it is not. Not owned */
} ashi_lead;

/* A box of m x n x k, in axis positions: lo .. hi-1 of each. */
typedef struct ashi_cuboid {
    int64_t lo[3], hi[3];
} ashi_cuboid;

/* Where the boxes are and who computes them: the cells of a grid, or any that fill m x n x k. */
typedef struct ashi_bricks {
    int64_t grid[3];  /* parts of m, n and k; all 0 where the boxes are listed */
    int64_t *cut[3];  /* of a grid: grid[d] + 1 positions on the axis of m, n, k */
    ashi_cuboid *box; /* listed; NULL where they are the cells of a grid */
    int64_t count;    /* boxes */
    int *rank_of;     /* of each box, no rank twice; cell (i, j, l) at (i * grid[1] + j) * grid[2] + l */
    ashi_lead lead;
    ashi_arrangement *k; /* what lead.k points to, or NULL */
} ashi_bricks;

void ashi_bricks_free(ashi_bricks *bricks);

/* A grid: even cuts, and ranks in the order of cells; C leads. */
ashlar_status ashi_bricks_even(const int64_t grid[3], const int64_t size[3], ashi_bricks *out, ashlar_error *err);

/* Boxes of any shape, copied, that fill the space without overlapping; those without volume are left out. rank: of
 * each, or NULL for ranks in the order of the boxes that are kept; C leads. */
ashlar_status ashi_bricks_of(const ashi_cuboid *box, const int *rank, int64_t count, ashi_bricks *out,
                             ashlar_error *err);

ashlar_status ashi_bricks_copy(const ashi_bricks *from, ashi_bricks *out, ashlar_error *err);

/* Whether both are grids with the same cuts. */
bool ashi_bricks_same_cuts(const ashi_bricks *x, const ashi_bricks *y);

/* Box number n. */
ashi_cuboid ashi_bricks_box(const ashi_bricks *bricks, int64_t n);

/* Its face on a matrix. */
ashi_box ashi_cuboid_face(const ashi_cuboid *cuboid, ashlar_operand operand);

/* What a schedule is made from. The layouts outlive it; the bricks are copied. */
typedef struct ashi_grid_request {
    const char *strategy;
    int64_t size[3]; /* m, n, k */
    int64_t ranks;
    ashlar_op op[2];
    const ashlar_layout *layout[3];
    const ashi_bricks *bricks;
    const ashi_axis *axis; /* m, n and k as the bricks' lead orders them, if they have been made: they are copied */
    const ashi_view *view; /* along these. Both NULL: they are made */
    int64_t rounds, reduce_rounds; /* reduce_rounds: if A or B stays, the rounds in which it arrives */
    bool even; /* rounds are even intervals of the boxes: the layouts are cut where rounds are */
    int window;
    bool tree, one_sided;
    ashi_stays stays;
    bool one_sum; /* a rank sums up all of its box of C beside its own C, in one product */
    int64_t thinnest_turned; /* 0: ASHI_THINNEST_TURNED */
    bool once; /* if A or B stays: it is multiplied owner by owner even if stretches are thin, and never held twice */
} ashi_grid_request;

/* The axes of m, n and k for three layouts: each lists first what the parts of one of its two matrices own, within them
 * what those of the other own. That of the lead is the first; else C (m, n) and A (k) are. That of k is then arranged
 * as the lead says. */
ashlar_status ashi_grid_axes(const ashlar_layout *const layout[3], const ashlar_op op[2], const int64_t size[3],
                             ashi_lead lead, ashi_axis axis[3], ashlar_error *err);

/* Whether two leads make the same axes, as seen without making them: "no" decides nothing. All three have layouts. */
bool ashi_grid_same_axes(const ashlar_layout *const layout[3], const ashlar_op op[2], ashi_lead x, ashi_lead y);

/* op(A), op(B) or C along its axes. */
ashlar_status ashi_grid_view(const ashlar_layout *const layout[3], const ashlar_op op[2], const ashi_axis axis[3],
                             int64_t ranks, ashlar_operand operand, ashi_view *view, ashlar_error *err);

/* All three. */
ashlar_status ashi_grid_views(const ashlar_layout *const layout[3], const ashlar_op op[2], const ashi_axis axis[3],
                              int64_t ranks, ashi_view view[3], ashlar_error *err);

ashlar_status ashi_grid_schedule(const ashi_grid_request *request, ashi_schedule *out, ashlar_error *err);

#endif

/* SUMMA over tiles: which tiles of A and B a rank sends, receives and multiplies in each iteration.
 *
 * C stays, or the partial sums of it that a layer has (ashi_tile_layers). Tile (i, k) of op(A) goes to the processes of
 * C's process row of i, and of these only to such as have tiles of op(B) in row k, or that form a product with it if
 * that is known (ashi_tile_needs.exact); B's likewise. Tiles with the same owner that go to the same ranks in one
 * iteration are a group, one message to each rank. If a rank's C is cut into panels, tiles of A for different rows of
 * panels are different groups, and so are tiles of B for different columns of them. Task-based SUMMA (Calvin, Lewis,
 * Valeev 2015, section 3.2) sends tile by tile. */
#ifndef ASHI_TILE_GROUPS_H
#define ASHI_TILE_GROUPS_H

#include "engine/tile_needs.h"
#include "schedule/tile_line.h"

/* Tiles of one owner that the same ranks need in an iteration. */
typedef struct ashi_tile_group {
    int64_t owner;
    int64_t part;         /* A: C's process row that needs them; B: its process column */
    const uint64_t *mask; /* which processes of that row or column do, if they have tiles of C */
    int64_t mask_words;
    bool needed;          /* this rank is one of them */
    bool alone;           /* it multiplies them where it has them: nobody else needs them */
    int64_t lo, hi;       /* positions of the line */
} ashi_tile_group;

/* What a rank has to do with A or B in an iteration, for one row or column of panels of C. Along the line come first
 * the tiles that come together in its pool, then those that it multiplies where it has them, then those that it only
 * sends. */
typedef struct ashi_tile_round {
    int64_t group, groups;        /* in the order in which all ranks name them */
    int64_t lo, own, sent, end;   /* positions of the line */
} ashi_tile_round;

typedef struct ashi_tile_groups {
    ashi_tile_line line[3]; /* C's are the rank's own, panel after panel: row after row of panels */
    ashi_tile_group *group;
    int64_t groups;
    ashi_tile_round *round[2]; /* of A and of B, for each iteration and each row, or column, of panels */
    int64_t *side[2];          /* for each tile of k, and each row or column of panels: rows of elements of A, or
                                  columns of B, that the rank multiplies */
    int64_t sums[ASHI_TILE_PANELS_MAX * ASHI_TILE_PANELS_MAX + 1]; /* where the panels of C begin, and the line's end */
} ashi_tile_groups;

/* All of a rank. `out` is freed by ashi_tile_groups_free, also after a failure, and names masks of problem->needs.
 * ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_tile_groups_find(const ashi_tile_problem *problem, int64_t rank, ashi_tile_groups *out,
                                    ashlar_error *err);
void ashi_tile_groups_free(ashi_tile_groups *groups);

/* The processes of a group: at most as many as C's grid has rows or columns. Returns how many. */
int64_t ashi_tile_members(const ashi_tile_problem *problem, ashlar_operand x, const ashi_tile_group *group,
                          int *member);

#endif

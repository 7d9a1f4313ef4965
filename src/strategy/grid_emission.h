/* What the files that make a grid's schedule share: where a rank is in the grid, and the emission in progress. */
#ifndef ASHI_GRID_EMISSION_H
#define ASHI_GRID_EMISSION_H

#include "strategy/grid_schedule.h"
#include "strategy/slabs.h"

/* A piece that this rank owns of a box that other ranks need. */
typedef struct ashi_outgoing {
    ashi_box box;
    int64_t minor, l; /* of the fibre */
    int64_t words, pack_offset, offset, number;
    bool lands, joins_panel;
} ashi_outgoing;

/* What a grid's schedule holds. */
typedef struct ashi_grid_own {
    ashi_bricks bricks;
    ashi_axis axis[3];
    ashi_slabs slabs;
    int64_t *cell_of; /* of each rank; -1 where idle */
    /* Scratch of one emission. */
    ashi_pieces fibre, others;
    ashi_outgoing *out;
    int64_t out_count, out_capacity;
    int *member;
    int64_t member_of[4]; /* the fibre whose members they are: a cell, and along what */
} ashi_grid_own;

/* A rank's place in the grid. */
typedef struct ashi_cell {
    int64_t at[3]; /* i, j, l */
    bool idle;
} ashi_cell;

ashi_cell ashi_cell_of(const ashi_grid_own *g, int64_t rank);

/* The ranks of the cells that differ from `at` in dimension `along` only, in g->member; how many they are. */
int64_t ashi_grid_members(ashi_grid_own *g, const int64_t at[3], int along);

/* The index of a rank among the members of such a fibre, -1 where it is none of them. */
int64_t ashi_grid_index(const ashi_grid_own *g, int64_t rank, const int64_t at[3], int along);

/* The box of C that a rank's cell sums up, and where. */
ashi_box ashi_grid_domain(const ashi_schedule *schedule, int64_t rank);
ashi_home ashi_grid_home(const ashi_schedule *schedule, int64_t rank);

/* What is emitted now. */
typedef struct ashi_emission {
    ashi_schedule *schedule;
    ashi_grid_own *g;
    int64_t rank;
    ashi_cell me;
    ashi_home home; /* of the rank's box of C, while sums are moved */
    ashi_visit visit;
    void *context;
    ashlar_error *err;
} ashi_emission;

ashlar_status ashi_grid_emit(const ashi_emission *e, const ashi_op *op);

/* An operation that has words only. */
ashlar_status ashi_grid_emit_plain(const ashi_emission *e, ashi_op_kind kind, ashlar_operand operand, int slot,
                                   int64_t words);

/* Numbers lo .. hi-1. */
typedef struct ashi_reach {
    int64_t lo, hi;
} ashi_reach;

/* The parts of a cut dimension that touch positions first .. last-1. */
ashi_reach ashi_grid_parts(const int64_t *cut, int64_t parts, int64_t first, int64_t last);

/* The positions between which a rank owns something, on one side of a view. */
ashi_reach ashi_grid_owned(const ashi_view *view, int64_t rank, bool minor);

/* Rounds of A and B: begin one; wait for one, multiply and release it, having begun the next. */
ashlar_status ashi_grid_post_round(const ashi_emission *e, int64_t round);
ashlar_status ashi_grid_round_step(const ashi_emission *e, int64_t round);

/* Rounds of moving sums, likewise. */
ashlar_status ashi_grid_post_sums(const ashi_emission *e, int64_t round);
ashlar_status ashi_grid_sum_step(const ashi_emission *e, int64_t round);

#endif

/* What the files that make the program of boxes share: the step that is made. */
#ifndef ASHI_GRID_PROGRAM_H
#define ASHI_GRID_PROGRAM_H

#include "engine/grid_own.h"
#include "engine/moving_sums.h"

/* What a rank has of A or B in a round, or of a turned one what is in one part along k. */
typedef struct ashi_grid_operand {
    ashlar_operand x;
    int64_t round, rounds;    /* of the matrix that stays: one of the rounds in which it arrives; else rounds are 0 */
    int64_t stretch;          /* of the matrix that stays */
    ashi_box box;
    int64_t words, own, here; /* of the box; of those the rank's own; of those what BLAS reads in the rank's array */
    int64_t panel;            /* of all that is not read there */
    bool joined;              /* the rank's own words are in the panel: they are sent from it, or were moved there */
} ashi_grid_operand;

/* Round r of A and B, and its products, are step r; each round of sums is a step after those.
 *
 * With a window of W rounds, and so a look-ahead of W - 1, the pool has W areas for panels, and those of step s lie in
 * area s modulo W: the rank is done with what was there when step s may begin. The first round of sums takes the first
 * area, as that of A and B does: up to W - 1 steps before it are empty. So no rank needs more memory than W times the
 * larger of a round and a round of sums. */
typedef struct ashi_grid_program {
    ashi_builder builder;
    ashi_grid_at at;         /* the rank's place among the boxes */
    ashi_moving_sums moving; /* of the rank's box of C, its only part */
    ashi_moving_part part;
    ashi_grid_operand *operand[2]; /* A and B in a round, in the order of k: several if the view is turned */
    int64_t operands[2];
    ashi_touching walk;      /* through the faces on C of which the rank owns words */
    int64_t first_sum;       /* the step of the first round of sums */
    int64_t slab;            /* the round whose sums move; -1: those of all */
} ashi_grid_program;

/* An ashi_schedule's `program`. */
ashlar_status ashi_grid_program_of(ashi_schedule *schedule, ashi_program *out, ashlar_error *err);

/* Bring what a rank multiplies of a matrix in a round, and send what it owns of what others do. */
ashlar_status ashi_grid_bring(ashi_grid_program *p, ashi_grid_operand *o);

/* What a product reads of it: the panel, which the rank's own words complete, and what is in the array. `last`: no
 * other product reads the panel later. */
void ashi_grid_read(ashi_grid_program *p, ashi_grid_operand *o, bool last, ashi_operation *product);

/* The product of two, added to the sums. `last`: of what it reads of A and of B. */
void ashi_grid_multiply(ashi_grid_program *p, ashi_grid_operand *a, ashi_grid_operand *b, const bool last[2]);

/* The state of a rank before its first step. */
void ashi_grid_begin_rank(ashi_grid_program *p);

/* What emits the steps of a schedule's program, in memory that is zero. */
void ashi_grid_program_begin(ashi_grid_program *p, ashi_schedule *schedule, ashi_program *out);

/* A round of moving sums, and what they are moved for. */
ashlar_status ashi_grid_program_sums(ashi_grid_program *p, int64_t round);
extern const ashi_moving_source ashi_grid_sums_source;

#endif

/* What the files that make the program of boxes share: the step that is made. */
#ifndef ASHI_GRID_PROGRAM_H
#define ASHI_GRID_PROGRAM_H

#include "engine/grid_emission.h"
#include "engine/moving_sums.h"

/* Round r of A and B, and its products, are step r; each round of sums is a step after those.
 *
 * With a window of W rounds, and so a look-ahead of W - 1, the pool has W areas for panels, and those of step s lie in
 * area s modulo W: the rank is done with what was there when step s may begin. The first round of sums takes the first
 * area, as that of A and B does: up to W - 1 steps before it are empty. So no rank needs more memory than W times the
 * larger of a round and a round of sums. */
typedef struct ashi_grid_program {
    ashi_builder builder;
    ashi_emission at;        /* the rank's place among the boxes; nothing is visited through it */
    ashi_moving_sums moving; /* of the rank's box of C, its only part */
    ashi_moving_part part;
    ashi_touching walk;      /* through the faces on C of which the rank owns words */
    int64_t first_sum;       /* the step of the first round of sums */
} ashi_grid_program;

/* An ashi_schedule's `program`. */
ashlar_status ashi_grid_program_of(ashi_schedule *schedule, ashi_program *out, ashlar_error *err);

/* A round of moving sums, and what they are moved for. */
ashlar_status ashi_grid_program_sums(ashi_grid_program *p, int64_t round);
extern const ashi_moving_source ashi_grid_sums_source;

/* A MULTICAST or REDUCE of the owner's words of a box, or of a chunk of them, and the ranks of a face. */
ashi_operation ashi_grid_group(const ashi_grid_program *p, ashi_operation_kind kind, ashlar_operand operand,
                               int64_t face, int64_t owner, int64_t words);

#endif

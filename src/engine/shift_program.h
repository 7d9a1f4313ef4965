/* What the files that make the program of blocks that are handed on share: the step that is made. */
#ifndef ASHI_SHIFT_PROGRAM_H
#define ASHI_SHIFT_PROGRAM_H

#include "engine/moving_sums.h"
#include "engine/shift_blocks.h"

/* Behind the running sums in a rank's pool: cells for blocks of A, then of B, and room for what has to be packed or
 * unpacked in a step. When blocks no longer move, sums move in the same memory, in one area or two by turns. */
enum { ASHI_SHIFT_CELLS_A = ASHI_AREA_SUMS + 1, ASHI_SHIFT_CELLS_B, ASHI_SHIFT_BESIDE, ASHI_SHIFT_MOVING };

/* In step 0 the blocks of round 0 come from their owners. In step r + 1 those of round r are multiplied and sent on,
 * and those of round r + 1 arrive: no product and no send waits for a message of the same step, so messages and
 * products overlap even if no step begins before the one before it has ended. Each round of sums is a step after
 * those. With a window of 2 or more, what arrived in a round is added up in the step after it, beside the next round's
 * messages.
 *
 * A block has a cell as long as it is on the rank. One that arrives for round r + 1 takes the first that neither the
 * blocks of round r have nor others of round r + 1: what was there before was read in an earlier step. */
typedef struct ashi_shift_program {
    ashi_builder builder;
    ashi_shift_at at;        /* the rank */
    ashi_moving_sums moving; /* of the rank's parts, by box */
    int64_t *moving_at;      /* which of these are a part's */
    int64_t blocks;          /* of the rank, by part, then by piece */
    int64_t parts_room, blocks_room;
    /* Each block's panel in the round that is multiplied and in the next, or ASHI_BLOCK_OWN if it stays where it lies
     * in the rank's array; ASHI_BLOCK_NONE if there is none that is read. */
    int64_t *now[2], *next[2];
    int64_t *cell[2], *next_cell[2]; /* where they are, if they have panels */
    bool *taken;                     /* cells of one operand */
    int64_t *partner[2]; /* in this round: the block of A that one of B meets; the last of B that meets one of A; -1 */
} ashi_shift_program;

/* An ashi_schedule's `program`. */
ashlar_status ashi_shift_program_of(ashi_schedule *schedule, ashi_program *out, ashlar_error *err);

/* What the moving of sums has to find out of a shift engine. */
extern const ashi_moving_source ashi_shift_sums_source;

#endif

/* What a schedule of blocks that are handed on holds, and what its blocks are. */
#ifndef ASHI_SHIFT_BLOCKS_H
#define ASHI_SHIFT_BLOCKS_H

#include "engine/places.h"
#include "engine/shift_schedule.h"

/* Where a block is, if it is in no panel: there is none, or it stays where it lies in the rank's own part of the
 * matrix. */
enum { ASHI_BLOCK_NONE = -1, ASHI_BLOCK_OWN = -2 };

/* A block that leaves for another rank. */
typedef struct ashi_handing {
    int64_t key;   /* the receiving part and piece: both ranks name their messages in this order */
    int64_t block; /* by the rank's own numbering, */
    int64_t panel; /* and where it is now */
    int64_t to;
    ashi_box box;
} ashi_handing;

/* What a schedule of blocks that are handed on holds. */
typedef struct ashi_shift_own {
    ashi_shift_rule rule;
    int64_t slabs;            /* all rounds: slabs times the rule's */
    ashi_axis axis[3];
    int *rank_of;             /* of each part */
    int64_t *start, *part;    /* ranks + 1: where a rank's parts begin in `part` */
    int64_t *number;          /* of each part among its rank's */
    ashi_places block[2];     /* of A and B, as in the first round */
    ashi_places sum;          /* of C */
    int64_t cell_words[2];
    /* Scratch of one emission. */
    ashi_pieces pieces;
    ashi_handing *handing;
    int64_t handing_capacity;
    int *member;
} ashi_shift_own;

/* The rank whose steps are made. */
typedef struct ashi_shift_at {
    ashi_schedule *schedule;
    ashi_shift_own *g;
    int64_t rank;
    ashlar_error *err;
} ashi_shift_at;

/* How many parts a rank has: g->part[g->start[rank]] and following. */
static inline int64_t ashi_shift_parts(const ashi_shift_own *g, int64_t rank)
{
    return g->start[rank + 1] - g->start[rank];
}

/* A part's block of A or B in one of the rule's rounds. */
ashi_box ashi_shift_whole(const ashi_shift_own *g, ashlar_operand x, int64_t part, int64_t at, int64_t piece);

/* And in a round of all, cut to its slab. */
ashi_box ashi_shift_block(const ashi_shift_own *g, ashlar_operand x, int64_t part, int64_t round, int64_t piece);

/* Whether a block can be used, and handed on, from the rank's own part of the matrix. */
bool ashi_shift_lies_ready(const ashi_schedule *schedule, ashlar_operand x, int64_t part, int64_t piece,
                           const ashi_box *box);

/* The piece of A that a part multiplies a piece of B by in a round, if it has both; -1: none. */
int64_t ashi_shift_met(const ashi_shift_own *g, int64_t part, int64_t round, int64_t piece);

/* Fill g->handing with the blocks of the round before that go to other ranks, in the order in which those receive them.
 * `now`: the panel of each of the rank's blocks, or where it is. */
ashlar_status ashi_shift_gather_handings(const ashi_shift_at *at, ashlar_operand x, int64_t round,
                                         const int64_t *now, int64_t blocks, int64_t *count);

#endif

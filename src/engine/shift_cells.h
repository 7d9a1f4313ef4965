/* Where in a rank's buffers the blocks of its parts are, round by round. */
#ifndef ASHI_SHIFT_CELLS_H
#define ASHI_SHIFT_CELLS_H

#include "engine/places.h"
#include "engine/shift_schedule.h"

/* A block is in a cell of the pool; or there is none; or it stays where it lies in the rank's own part of the matrix.
 * Where others write into this rank's cells they must know which are free without knowing how its part lies: a block of
 * the rank's own has a cell then too, unused, whose number is this less. */
enum { ASHI_CELL_NONE = -1, ASHI_CELL_OWN = -2 };

static inline bool ashi_cell_is_own(int64_t cell)
{
    return cell <= ASHI_CELL_OWN;
}

/* The blocks of one rank in one round and in the next, by the rank's own numbering of its parts times pieces. Round -1
 * is before the first. */
typedef struct ashi_cells {
    int64_t rank, round;
    int64_t blocks, capacity;
    int64_t *now[2], *next[2];
    bool *taken;
    int64_t used[2]; /* cells that are taken at any time */
} ashi_cells;

/* A block that leaves for another rank. */
typedef struct ashi_handing {
    int64_t key;   /* the receiving part and piece: both ranks name their messages in this order */
    int64_t block; /* by the rank's own numbering, */
    int64_t cell;  /* and where it is now: a cell, or in a program a panel */
    int64_t to;
    ashi_box box;
} ashi_handing;

enum { ASHI_SHIFT_PEERS = 32 };

/* What a schedule of blocks that are handed on holds. */
typedef struct ashi_shift_own {
    ashi_shift_rule rule;
    int64_t slabs, turn;      /* all rounds: slabs times a turn, the rule's rounds, and any in which all rest */
    ashi_axis axis[3];
    int *rank_of;             /* of each part */
    int64_t *start, *part;    /* ranks + 1: where a rank's parts begin in `part` */
    int64_t *number;          /* of each part among its rank's */
    ashi_places block[2];     /* of A and B, as in the first round */
    ashi_places sum;          /* of C */
    int64_t cell_words[2];
    /* Scratch of one emission. */
    int64_t walked;                           /* the rank */
    ashi_cells mine, theirs[ASHI_SHIFT_PEERS]; /* its own; of ranks that it writes to */
    ashi_pieces pieces;
    ashi_handing *handing;
    int64_t handing_capacity;
    int *member;
} ashi_shift_own;

/* What the parts' files share: the emission in progress. */
typedef struct ashi_shift_emission {
    ashi_schedule *schedule;
    ashi_shift_own *g;
    int64_t rank;
    ashi_visit visit;
    void *context;
    ashlar_error *err;
} ashi_shift_emission;

/* How many parts a rank has: g->part[g->start[rank]] and following. */
static inline int64_t ashi_shift_parts(const ashi_shift_own *g, int64_t rank)
{
    return g->start[rank + 1] - g->start[rank];
}

/* What a slab has of an interval of k. */
ashi_reach ashi_shift_slab(const ashi_shift_own *g, ashi_reach k, int64_t slab);

/* A part's block of A or B in one of the rule's rounds. */
ashi_box ashi_shift_whole(const ashi_shift_own *g, ashlar_operand x, int64_t part, int64_t at, int64_t piece);

/* And in a round of all, cut to its slab. */
ashi_box ashi_shift_block(const ashi_shift_own *g, ashlar_operand x, int64_t part, int64_t round, int64_t piece);

/* Set *out to where the blocks of a rank are in a round, -1 included: valid until the next call for another rank but
 * the one that is walked. */
ashlar_status ashi_shift_cells(const ashi_schedule *schedule, int64_t rank, int64_t round, const ashi_cells **out,
                               ashlar_error *err);
void ashi_shift_cells_free(ashi_cells *cells);

/* Whether a block can be used, and handed on, from the rank's own part of the matrix. */
bool ashi_shift_lies_ready(const ashi_schedule *schedule, ashlar_operand x, int64_t part, int64_t piece,
                           const ashi_box *box);

/* The piece of A that a part multiplies a piece of B by in a round, if it has both; -1: none. */
int64_t ashi_shift_met(const ashi_shift_own *g, int64_t part, int64_t round, int64_t piece);

/* Fill g->handing with the blocks of the round before that go to other ranks, in the order in which those receive them.
 * `now`: where each of the rank's blocks is, ASHI_CELL_NONE if there is none. */
ashlar_status ashi_shift_gather_handings(const ashi_shift_emission *e, ashlar_operand x, int64_t round,
                                         const int64_t *now, int64_t blocks, int64_t *count);

/* Parts with one box of C. */
typedef struct ashi_fellows {
    int64_t first, count; /* numbers first .. first + count - 1 of g->sum */
} ashi_fellows;

ashi_fellows ashi_shift_fellows(const ashi_places *sum, int64_t place);

/* A REDUCE of their sums to an owner, without words. Valid until the next call: the members are in g->member. */
ashi_op ashi_shift_reduce(const ashi_shift_emission *e, ashi_fellows f, int64_t owner);

/* Begin a round: what comes from owners, what is handed on. Multiply. */
ashlar_status ashi_shift_post(const ashi_shift_emission *e, int64_t round);
ashlar_status ashi_shift_multiply(const ashi_shift_emission *e, int64_t round);

/* The buffers of A and B: cells, and room beside them for what has to be packed or unpacked. */
ashlar_status ashi_shift_acquire(const ashi_shift_emission *e);

/* Rounds of moving sums. */
ashlar_status ashi_shift_post_sums(const ashi_shift_emission *e, int64_t round);
ashlar_status ashi_shift_sum_step(const ashi_shift_emission *e, int64_t round);

/* An operation. */
static inline ashlar_status ashi_shift_emit(const ashi_shift_emission *e, const ashi_op *op)
{
    return e->visit(e->context, op, e->err);
}

#endif

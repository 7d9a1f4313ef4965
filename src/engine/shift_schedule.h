/* The schedule of blocks that are handed on: each rank multiplies with what it has while the next comes from a
 * neighbour.
 *
 * The problem is cut for an imagined machine of `parts`, each of which sums up one box of C. In each round a part
 * multiplies a block of A by a block of B, once for each piece, where pieces are blocks that travel by ways of their
 * own. In the first round blocks come from their owners; from then on each comes from a part that had it the round
 * before, as the same piece. Ranks stand for one part or several: a block that goes to a part on the same rank stays
 * where it is.
 *
 * Source: Cannon 1969; Solomonik and Demmel, UCB/EECS-2012-28 (virtual processes, sections 1 and 4); Hunold, Rauber and
 * Ruenger, ICCS 2004. */
#ifndef ASHI_SHIFT_SCHEDULE_H
#define ASHI_SHIFT_SCHEDULE_H

#include "engine/grid_own.h"

/* What a strategy says of its parts and blocks. Boxes and ranges are axis positions. A block must be the same for two
 * parts that hand it on. */
typedef struct ashi_shift_rule {
    int64_t parts, rounds, pieces;
    void *own;
    void (*free_own)(void *own);
    int (*rank_of)(const void *own, int64_t part);
    ashi_box (*box)(const void *own, int64_t part);
    /* The k of the block of A or B that a part has in a round; empty where it has none. */
    ashi_reach (*k_of)(const void *own, ashlar_operand x, int64_t part, int64_t round, int64_t piece);
    /* Its rows (A) or columns (B), which are in the part's box; NULL: all of that side. */
    ashi_reach (*side_of)(const void *own, ashlar_operand x, int64_t part, int64_t round, int64_t piece);
    /* The piece of A that a part multiplies its piece of B by, where it has both, which are of the same k then; -1:
     * none. NULL: the piece of the same number. */
    int64_t (*meets)(const void *own, int64_t part, int64_t round, int64_t piece);
    /* The part from which a block comes, round >= 1, and to which it goes, round <= rounds - 2: itself where it stays.
     * -1: it goes to nobody, having been where it was needed. */
    int64_t (*from)(const void *own, ashlar_operand x, int64_t part, int64_t round, int64_t piece);
    int64_t (*to)(const void *own, ashlar_operand x, int64_t part, int64_t round, int64_t piece);
} ashi_shift_rule;

/* What a schedule is made from. The layouts outlive it; the rule is taken over, also on failure. */
typedef struct ashi_shift_request {
    const char *strategy;
    int64_t size[3]; /* m, n, k */
    int64_t ranks, ranks_used;
    int64_t grid[3]; /* how m, n, k are cut */
    ashlar_op op[2];
    const ashlar_layout *layout[3];
    ashi_lead lead;
    ashi_shift_rule rule;
    int64_t slabs;   /* into which every block is cut along k; all rounds are gone through for each slab */
    int64_t reduce_rounds;
    int window;      /* 1: nothing travels while a rank multiplies */
    bool one_sided;
} ashi_shift_request;

ashlar_status ashi_shift_schedule(const ashi_shift_request *request, ashi_schedule *out, ashlar_error *err);

#endif

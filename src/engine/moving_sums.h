/* How engines write rounds of moving sums: each rank's sums of a box go to the ranks that own words of it. */
#ifndef ASHI_MOVING_SUMS_H
#define ASHI_MOVING_SUMS_H

#include "engine/build_sums.h"

/* A box of C that the rank sums up. */
typedef struct ashi_moving_part {
    ashi_box box;
    ashi_home home;
    ashi_part_sums sums;
    int64_t last_round, last_owner; /* the round, and the owner of the piece, in which the sums are read last */
} ashi_moving_part;

/* What an engine says of boxes of C and of the ranks that sum them up. A group is named by its box, its members, and
 * where the owner and this rank are among them. */
typedef struct ashi_moving_source {
    /* Name the next group that has words of this rank's C, if there is one: *at is 0 at first, and is the source's own
     * from then on. *part: the rank's part with that box, -1 if it is no member. */
    bool (*next)(void *own, int64_t *at, ashi_operation *group, int64_t *part);
    /* Name the group of a part, for another owner. */
    void (*name)(void *own, int64_t part, int64_t owner, ashi_operation *group);
    /* Who owns a part's box: valid until the next call. */
    ashlar_status (*pieces)(void *own, int64_t part, const ashi_pieces **out, ashlar_error *err);
    /* All that the rank contributes in a round as one operation, for a program that is only counted; may be NULL. */
    ashlar_status (*together)(void *own, ashi_chunk chunk);
} ashi_moving_source;

typedef struct ashi_moving_sums {
    ashi_builder *builder;
    const ashi_moving_source *source;
    void *own;
    int64_t rounds, parts;  /* parts: of the rank, those whose boxes have words, */
    ashi_moving_part *part; /* in the order in which ranks name their groups to each other */
    int64_t lag;            /* 0, or 1: what arrives in a round is added up in the step after it, beside the messages of
                               the next round */
    int64_t arrived[2];     /* by the parity of a round: the first panel of what arrived */
    bool begins;            /* each word of C is added to once in all rounds */
    bool together;          /* contributions are written as one operation */
} ashi_moving_sums;

/* Before any product of a rank: number and visit the panels of moving->part[at], which are named part `name`. */
void ashi_moving_open(ashi_moving_sums *moving, int64_t at, int64_t name, ashi_box box, ashi_home home);

/* After all products: sums that got none begin. */
void ashi_moving_begin(ashi_moving_sums *moving);

/* All operations of one of the rounds + lag steps: what arrives for this rank's C, what its parts contribute to others'
 * C, what is added up. */
ashlar_status ashi_moving_step(ashi_moving_sums *moving, int64_t step);

#endif

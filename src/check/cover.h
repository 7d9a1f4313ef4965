/* Whether boxes fill a box, no two of them sharing anything. */
#ifndef ASHI_COVER_H
#define ASHI_COVER_H

#include <ashlar/base.h>

#include <stdbool.h>

enum { ASHI_COVER_INDICES = 4 };

typedef struct ashi_cover_box {
    int64_t lo[ASHI_COVER_INDICES], hi[ASHI_COVER_INDICES]; /* boxes of fewer indices have 0 .. 1 in the others */
    int64_t rank, step;                                     /* whose it is, for messages */
} ashi_cover_box;

typedef enum ashi_cover_finding {
    ASHI_COVER_FILLED, /* or, if gaps are allowed, nothing twice */
    ASHI_COVER_GAP,
    ASHI_COVER_TWICE
} ashi_cover_finding;

/* *where is a part of `all` that no box has (its rank is -1), or that two boxes have (then with the rank and step of
 * one of them). A box beyond `all` counts only up to its edge. Takes about count * log(count) steps if the boxes could
 * be told apart by cutting all of them apart again and again, as those of a grid can.
 *
 * ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW if boxes interlock so much that cutting them makes more than 10^8 pieces. */
ashlar_status ashi_cover(const ashi_cover_box *box, int64_t count, const ashi_cover_box *all, bool gaps_allowed,
                         ashi_cover_finding *finding, ashi_cover_box *where, ashlar_error *err);

#endif

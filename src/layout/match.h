/* One dimension of a movement: which indices go from which part of the source to which part of the target. */
#ifndef ASHI_MATCH_H
#define ASHI_MATCH_H

#include "layout/dim.h"

#include <ashlar/base.h>

/* The indices that one part of the source has and one part of the target wants, as runs that lie together in both. */
typedef struct ashi_match {
    int64_t from_part, to_part;
    int64_t runs, count;      /* count: indices in all */
    const int64_t *from, *to; /* of each run: the place of its first index in the part */
    const int64_t *at;        /* runs + 1: indices in the runs before; a message has them in this order */
} ashi_match;

typedef struct ashi_matches {
    int64_t count;
    ashi_match *match; /* by part of the target, then by part of the source */
    int64_t *memory;
} ashi_matches;

/* The matches that begin or end in a part marked in `from_mine` or `to_mine`; both dims have one size. Where runs are
 * shorter than ASHI_FINE in the mean, each is one index: runs == count. */
enum { ASHI_FINE = 8 };
ashlar_status ashi_matches_build(const ashi_dim *from, const bool *from_mine, const ashi_dim *to, const bool *to_mine,
                                 ashi_matches *out, ashlar_error *err);
void ashi_matches_free(ashi_matches *matches);

#endif

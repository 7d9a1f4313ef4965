/* How large buffers are made that no memory limit restricts. */
#ifndef ASHI_BUFFERS_H
#define ASHI_BUFFERS_H

#include "base/checked.h"

#include <ashlar/base.h>
#include <ashlar/machine.h>

/* ASHI_THINNEST_SLAB: a thinner one wastes the BLAS; only a memory limit makes it. ASHI_THICKEST_SLABS: if the slabs in
 * flight are thicker together, that gains nothing. ASHI_ROUND_COST: a round takes as long as if its slab were so much
 * thicker, because BLAS reads and writes all sums for each. Source: "What a round costs", docs/PERFORMANCE.md. */
enum { ASHI_THINNEST_SLAB = 64, ASHI_THICKEST_SLABS = 1024, ASHI_ROUND_COST = 13 };

/* Words of all buffers beside a rank's share: a part of that, or this many if that is more. */
static inline int64_t ashi_buffer_words(int64_t share)
{
    enum { PART = 7, LEAST = 524288 };
    return ashi_max(ashi_ceil_div(share, PART), LEAST);
}

/* Workspace that a plan may have without a limit if some more words would spare it: more than buffers only beside small
 * shares ("Memory" in docs/PERFORMANCE.md). */
static inline int64_t ashi_workspace_words(int64_t share)
{
    enum { LEAST = 917504 };
    return ashi_max(ashi_buffer_words(share), LEAST);
}

/* What a rank takes in rounds, slab by slab of k. */
typedef struct ashi_slab_work {
    int64_t length;  /* of k */
    double words;    /* of A and B that arrive */
    double products; /* multiply-adds */
    int window;      /* rounds in flight, 1 to 16 */
} ashi_slab_work;

/* In how many rounds that takes least time by the machine's figures, at least 1. Fewer rounds have thicker slabs, which
 * suit the BLAS; of more rounds more of the network is hidden behind products. In shared memory, where the cores copy
 * words in and out, nothing is hidden. Slabs may be thicker than the buffers above: for plans in their own layouts. */
int64_t ashi_rounds_for_time(const ashi_slab_work *slabs, ashlar_type type, const ashlar_machine *machine);

/* About the seconds of that in `rounds` rounds: products, slabs that are paid for, and the part of the network's time
 * that is not hidden, which is all of it if one round is in flight. */
double ashi_rounds_seconds(const ashi_slab_work *slabs, int64_t rounds, int window, ashlar_type type,
                           const ashlar_machine *machine);

#endif

/* How the sides of boxes along one dimension are cut into rounds. */
#ifndef ASHI_SLABS_H
#define ASHI_SLABS_H

#include "layout/view.h"

/* Where the part after the one that has `position` begins. One part's segments may lie side by side. */
int64_t ashi_owner_edge(const ashi_strip *strip, int64_t position);

/* Numbers lo .. hi-1. */
typedef struct ashi_reach {
    int64_t lo, hi;
} ashi_reach;

/* Round r of part l of the dimension is positions ashi_slab(.., l, r) .. ashi_slab(.., l, r + 1) - 1 of its axis. */
typedef struct ashi_slabs {
    int64_t rounds;
    const ashi_reach *part; /* not owned */
    int64_t *cut;           /* rounds + 1 numbers a part, or NULL where the rounds of a part are even */
} ashi_slabs;

/* Reorder the axis within each part so that every round takes an equal share of what each owner has: then all owners
 * send in all rounds. Where shares would be too thin for that, or parts overlap, rounds are even intervals and the axis
 * stays. The parts, in the order in which they begin, cover the axis. */
ashlar_status ashi_slabs_build(ashi_axis *axis, const ashi_strip *a, const ashi_strip *b, int64_t parts,
                               const ashi_reach *part, int64_t rounds, ashi_slabs *out, ashlar_error *err);
void ashi_slabs_free(ashi_slabs *slabs);

int64_t ashi_slab(const ashi_slabs *slabs, int64_t part, int64_t round);

#endif

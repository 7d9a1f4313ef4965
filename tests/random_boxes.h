/* Random boxes that fill m x n x k, for property tests. */
#ifndef ASHI_RANDOM_BOXES_H
#define ASHI_RANDOM_BOXES_H

#include "random_layout.h"
#include "engine/grid_schedule.h"

/* A position between two others; often one that several boxes share, or where a part of a layout begins. */
static inline int64_t random_position(uint64_t *state, const ashi_axis *axis, int64_t lo, int64_t hi)
{
    const int64_t run = axis->at[ashi_random_in(state, 0, axis->runs)];
    const int64_t how = ashi_random_in(state, 0, 2);
    if (how == 0)
        return (lo + hi) / 2;
    return how == 1 && run > lo && run < hi ? run : ashi_random_in(state, lo, hi);
}

/* Cut boxes in two, one after another, until there are `count`: some may be empty. */
static inline void random_boxes(uint64_t *state, const ashi_axis axis[3], int64_t count, ashi_cuboid *out)
{
    out[0] = (ashi_cuboid){{0, 0, 0}, {axis[0].size, axis[1].size, axis[2].size}};
    for (int64_t n = 1; n < count; n++) {
        ashi_cuboid *box = &out[ashi_random_in(state, 0, n - 1)];
        const int d = (int)ashi_random_in(state, 0, 2);
        const int64_t at = random_position(state, &axis[d], box->lo[d], box->hi[d]);
        out[n] = *box;
        box->hi[d] = out[n].lo[d] = at;
    }
}

#endif

/* A matrix whose rows and columns are groups of indices of an array in a file: in which runs its boxes lie there. */
#include "layout/file_runs.h"

#include "base/checked.h"

#include <math.h>
#include <stddef.h>

void ashi_file_levels_add(ashi_file_levels *levels, int side, int64_t extent, int64_t stride)
{
    ashi_file_level *all = levels->level[side];
    const int n = levels->count[side];
    ashi_file_level *last = n > 0 ? &all[n - 1] : NULL;
    if (extent == 1)
        return;
    if (last && (n == ASHI_FILE_LEVELS || stride == ashi_mul_most(last->stride, last->extent)))
        last->extent = ashi_mul_most(last->extent, extent);
    else
        all[levels->count[side]++] = (ashi_file_level){extent, stride};
}

/* How many values of an index a box has. */
typedef struct part {
    double values, stride;
} part;

/* The indices of both sides by their strides, each with the values that the box has of it. Returns how many. */
static int parts_of(const ashi_file_levels *levels, const double length[2], part out[2 * ASHI_FILE_LEVELS])
{
    int count = 0;
    for (int side = 0; side < 2; side++) {
        double left = length[side];
        for (int i = 0; i < levels->count[side] && left > 1; i++) {
            const ashi_file_level *l = &levels->level[side][i];
            const part p = {fmin(left, (double)l->extent), (double)l->stride};
            left /= (double)l->extent;
            if (l->stride == 0)
                continue;
            int at = count++;
            for (; at > 0 && out[at - 1].stride > p.stride; at--)
                out[at] = out[at - 1];
            out[at] = p;
        }
    }
    return count;
}

ashi_file_runs ashi_file_runs_of(const ashi_file_levels *levels, const double length[2], int64_t bytes, int64_t page)
{
    part parts[2 * ASHI_FILE_LEVELS];
    const int count = parts_of(levels, length, parts);
    double span = 1, runs = 1;
    for (int i = 0; i < count; i++) {
        const bool together = runs <= 1 && (parts[i].stride - span) * (double)bytes < (double)page;
        if (together)
            span += (parts[i].values - 1) * parts[i].stride;
        else
            runs *= parts[i].values;
    }
    return (ashi_file_runs){runs, fmax(span, 1) * (double)bytes};
}

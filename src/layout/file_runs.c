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

/* How many values of an index a box meets. */
typedef struct part {
    double values, stride;
} part;

/* The indices of both sides by their strides. */
typedef struct parts {
    int count;
    part part[2 * ASHI_FILE_LEVELS];
    double excess; /* elements of all these values for each that the box has, where they are not of the same pages */
} parts;

static void add_part(parts *all, double values, double stride)
{
    int at = all->count++;
    for (; at > 0 && all->part[at - 1].stride > stride; at--)
        all->part[at] = all->part[at - 1];
    all->part[at] = (part){values, stride};
}

/* A range that does not end where the indices before one do meets a value of it more, in the mean: of the first and of
 * the last it has a part. If all that is within a page, it needs the page anyway. */
static void add_side(const ashi_file_levels *levels, int side, double length, int64_t unit, const int64_t size[2],
                     parts *all)
{
    double left = length, before = 1; /* positions of all indices before */
    for (int i = 0; i < levels->count[side]; i++) {
        const ashi_file_level *l = &levels->level[side][i], *last = i > 0 ? l - 1 : NULL;
        const bool cut = last && unit > 0 && fmod((double)unit, before) != 0;
        const double whole = fmin(left, (double)l->extent);
        const double met = cut ? fmin(fmax(left, 0) + 1 - 1 / before, (double)l->extent) : whole;
        if (met > 1 && l->stride != 0)
            add_part(all, met, (double)l->stride);
        if (met > 1 && cut && (double)last->stride * (double)last->extent * (double)size[0] >= (double)size[1])
            all->excess *= met / fmax(whole, 1);
        left /= (double)l->extent;
        before *= (double)l->extent;
    }
}

ashi_file_runs ashi_file_runs_of(const ashi_file_levels *levels, const double length[2], const int64_t unit[2],
                                 int64_t bytes, int64_t page)
{
    const int64_t size[2] = {bytes, page};
    parts all = {.excess = 1};
    double span = 1, runs = 1;
    for (int side = 0; side < 2; side++)
        add_side(levels, side, length[side], unit[side], size, &all);
    for (int i = 0; i < all.count; i++) {
        const part *p = &all.part[i];
        const bool together = runs <= 1 && (p->stride - span) * (double)bytes < (double)page;
        if (together)
            span += (p->values - 1) * p->stride;
        else
            runs *= p->values;
    }
    return (ashi_file_runs){runs, fmax(span / all.excess, 1) * (double)bytes};
}

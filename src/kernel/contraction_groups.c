/* The order of a product's indices. */
#include "kernel/contraction_groups.h"

#include "base/checked.h"

enum { A, B };

/* Whether x runs before y: by its stride in the matrix `first`, then in the other. Indices that a matrix lacks run
 * last. */
static bool before(const ashi_index *x, const ashi_index *y, int first, int second)
{
    const int64_t of_x = x->stride[first], of_y = y->stride[first];
    if (of_x != of_y && of_x != 0 && of_y != 0)
        return of_x < of_y;
    return of_x != of_y ? of_y == 0 : x->stride[second] < y->stride[second];
}

void ashi_group_order(ashi_stride_group *group, int first, int second)
{
    for (int i = 1; i < group->count; i++) {
        const ashi_index x = group->index[i];
        int at = i;
        for (; at > 0 && before(&x, &group->index[at - 1], first, second); at--)
            group->index[at] = group->index[at - 1];
        group->index[at] = x;
    }
}

/* y goes on where x ends, in all three matrices. */
static bool goes_on(const ashi_index *x, const ashi_index *y)
{
    for (int i = 0; i < 3; i++)
        if (y->stride[i] != x->stride[i] * x->extent)
            return false;
    return true;
}

void ashi_group_join(ashi_stride_group *group)
{
    int kept = 0;
    for (int i = 0; i < group->count; i++) {
        const ashi_index x = group->index[i];
        if (x.extent == 1)
            continue;
        if (kept > 0 && goes_on(&group->index[kept - 1], &x))
            group->index[kept - 1].extent *= x.extent;
        else
            group->index[kept++] = x;
    }
    group->count = kept;
}

int ashi_group_neighbours(const ashi_stride_group *group, int matrix)
{
    for (int i = 0; i < group->count; i++)
        if (group->index[i].extent > 1 && group->index[i].stride[matrix] == 1)
            return i;
    return -1;
}

int64_t ashi_group_least_stride(const ashi_stride_group *group, int matrix)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < group->count; i++)
        if (group->index[i].extent > 1)
            least = ashi_min(least, group->index[i].stride[matrix]);
    return least;
}

void ashi_contraction_turn(ashi_contraction *p)
{
    const ashi_stride_group rows = p->rows;
    const bool conjugate = p->conjugate_a;
    p->rows = p->cols;
    p->cols = rows;
    p->conjugate_a = p->conjugate_b;
    p->conjugate_b = conjugate;
    ashi_stride_group *const groups[] = {&p->rows, &p->cols, &p->depth, &p->batch};
    for (int g = 0; g < 4; g++)
        for (int i = 0; i < groups[g]->count; i++) {
            int64_t *const stride = groups[g]->index[i].stride, of_a = stride[A];
            stride[A] = stride[B];
            stride[B] = of_a;
        }
}

int ashi_group_move_fast(ashi_stride_group *group, int matrix, int to, int64_t enough)
{
    int64_t run = 1;
    while (to < group->count && run < enough) {
        int at = to;
        for (int i = to + 1; i < group->count; i++)
            if (before(&group->index[i], &group->index[at], matrix, matrix))
                at = i;
        const ashi_index x = group->index[at];
        for (; at > to; at--)
            group->index[at] = group->index[at - 1];
        group->index[to++] = x;
        run *= x.extent;
    }
    return to;
}

/* How a product of strided operands is done: its indices ordered and joined, its blocks sized for the caches. */
#include "exec/contraction.h"

#include "base/checked.h"
#include "base/type.h"
#include "exec/cache_blocks.h"

enum { A, B, C };

/* Values of one index in a block that has neighbours of two. */
enum { INNER_MOST = 48, RUN_ENOUGH = 24 };

static int64_t extent_of(const ashi_stride_group *group)
{
    int64_t extent = 1;
    for (int i = 0; i < group->count; i++)
        extent *= group->index[i].extent;
    return extent;
}

/* Whether x runs before y: by its stride in the matrix `first`, then in the other. */
static bool before(const ashi_index *x, const ashi_index *y, int first, int second)
{
    return x->stride[first] != y->stride[first] ? x->stride[first] < y->stride[first]
                                                : x->stride[second] < y->stride[second];
}

static void order(ashi_stride_group *group, int first, int second)
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

/* Leave out indices of one value, and make one of two that lie as one would. */
static void join(ashi_stride_group *group)
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

static bool has_neighbours(const ashi_stride_group *group, int matrix)
{
    for (int i = 0; i < group->count; i++)
        if (group->index[i].extent > 1 && group->index[i].stride[matrix] == 1)
            return true;
    return false;
}

/* A and B change places: C's columns become rows. */
static void turn(ashi_contraction *p)
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

/* The largest divisor of an extent that is at most `most`. */
static int64_t divisor(int64_t extent, int64_t most)
{
    int64_t d = ashi_min(extent, most);
    while (extent % d != 0)
        d--;
    return d;
}

/* Split an index in two: `inner` neighbouring values, and the rest, which becomes the group's last. */
static void split(ashi_stride_group *group, int which, int64_t inner)
{
    ashi_index *const x = &group->index[which];
    if (inner == x->extent || group->count == ASHI_CONTRACTION_INDICES)
        return;
    ashi_index *const outer = &group->index[group->count++];
    *outer = (ashi_index){.extent = x->extent / inner};
    for (int i = 0; i < 3; i++)
        outer->stride[i] = x->stride[i] * inner;
    x->extent = inner;
}

/* Where neighbours in one matrix are not neighbours in another, blocks have some of both, so that every line of a cache
 * that is fetched is used: the first index, of neighbours in one, is followed by that of neighbours in `other`. */
static void interleave(ashi_stride_group *group, int other)
{
    int at = 1;
    while (at < group->count && group->index[at].stride[other] != 1)
        at++;
    if (at >= group->count)
        return;
    const ashi_index x = group->index[at];
    for (; at > 1; at--)
        group->index[at] = group->index[at - 1];
    group->index[1] = x;
    split(group, 0, divisor(group->index[0].extent, INNER_MOST));
    split(group, 1, divisor(group->index[1].extent, INNER_MOST));
}

static void order_all(ashi_contraction *p)
{
    const bool b_first = has_neighbours(&p->depth, B) && !has_neighbours(&p->depth, A);
    order(&p->rows, C, A);
    join(&p->rows);
    const bool long_runs = p->rows.count > 0 && p->rows.index[0].extent >= RUN_ENOUGH;
    const int cols_first = long_runs && has_neighbours(&p->cols, B) ? B : C;
    order(&p->cols, cols_first, cols_first == B ? C : B);
    order(&p->depth, b_first ? B : A, b_first ? A : B);
    order(&p->batch, C, A);
    join(&p->cols), join(&p->depth), join(&p->batch);
    interleave(&p->rows, A);
    interleave(&p->cols, B);
    interleave(&p->depth, b_first ? A : B);
}

void ashi_contraction_blocks(ashi_contraction_plan *plan, int64_t mc, int64_t nc, int64_t kc)
{
    const int64_t bytes = (int64_t)ashi_type_of(plan->product.type)->bytes, offsets = 2 * (mc + nc + kc);
    plan->mc = mc, plan->nc = nc, plan->kc = kc;
    plan->bytes = (mc + nc) * kc * bytes + offsets * (int64_t)sizeof(int64_t) +
                  mc / ashi_micro_of(plan->product.type)->rows * (int64_t)sizeof(bool);
}

void ashi_contraction_make(const ashi_contraction *product, ashi_contraction_plan *out)
{
    *out = (ashi_contraction_plan){.product = *product};
    ashi_contraction *const p = &out->product;
    if (has_neighbours(&p->cols, C)) {
        turn(p);
        out->turned = true;
    }
    order_all(p);
    out->m = extent_of(&p->rows), out->n = extent_of(&p->cols);
    out->k = extent_of(&p->depth), out->batches = extent_of(&p->batch);
    const ashi_cache_blocks blocks = ashi_cache_blocks_of(p->type, out->m, out->n, out->k, 0);
    ashi_contraction_blocks(out, blocks.mc, blocks.nc, blocks.kc);
}

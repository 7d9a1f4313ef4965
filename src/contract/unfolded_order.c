/* The order of the indices within rows, columns and what is summed over, if tensors in files are seen as matrices.
 *
 * A tile of the matrix is a range of its rows and one of its columns. What is read of a page beside the tile is read in
 * vain, and the order decides how long the runs are: a range covers the first index of a group before the next one. An
 * order that suits one file may not suit another, so orders of all groups are compared together, by the pages that a
 * typical tiling reads: square tiles of half the memory of whichever matrix stays, and two buffers of slabs. */
#include "contract/unfolded_order.h"

#include "base/checked.h"
#include "layout/file_runs.h"
#include "model/rates.h"

#include <math.h>

enum { ORDERS_MOST = 1000 };

/* The groups that are the rows and the columns of A, B and C. */
static const int groups_of[3][2] = {{ASHI_UNFOLDED_ROWS, ASHI_UNFOLDED_SUMMED},
                                    {ASHI_UNFOLDED_SUMMED, ASHI_UNFOLDED_COLUMNS},
                                    {ASHI_UNFOLDED_ROWS, ASHI_UNFOLDED_COLUMNS}};

static const ashi_index_list *list_of(const ashi_expression *e, int x)
{
    return x == 2 ? &e->output : &e->operand[x];
}

/* Elements between neighbours along an index, the last dimension fastest; 0 if the tensor does not have it. */
static int64_t stride_of(const ashi_expression *e, const ashi_index_list *list, int index)
{
    int64_t stride = 0, next = 1;
    for (int d = list->order - 1; d >= 0; d--) {
        stride += list->index[d] == index ? next : 0;
        next = ashi_mul_most(next, e->extent[list->index[d]]);
    }
    return stride;
}

static ashi_file_levels levels_of(const ashi_expression *e, int x, const ashi_unfolded_group *group)
{
    ashi_file_levels levels = {{0, 0}, {{{0, 0}}}};
    for (int s = 0; s < 2; s++) {
        const ashi_unfolded_group *g = &group[groups_of[x][s]];
        for (int i = 0; i < g->count; i++)
            ashi_file_levels_add(&levels, s, e->extent[g->index[i]], stride_of(e, list_of(e, x), g->index[i]));
    }
    return levels;
}

/* Sides of a typical tiling if one matrix stays, by group, and how many tiles or slabs there are along each. */
typedef struct typical {
    double side[3], count[3];
} typical;

static typical typical_of(const ashi_unfolded_group *group, int stays, double memory)
{
    const int u = groups_of[stays][0], v = groups_of[stays][1], w = 3 - u - v;
    const double length[3] = {(double)group[0].extent, (double)group[1].extent, (double)group[2].extent};
    typical t = {.side = {1, 1, 1}};
    t.side[u] = fmin(length[u], sqrt(memory / 2));
    t.side[v] = fmin(length[v], memory / 2 / t.side[u]);
    t.side[u] = fmin(length[u], memory / 2 / t.side[v]);
    t.side[w] = fmin(length[w], (memory - t.side[u] * t.side[v]) / (2 * (t.side[u] + t.side[v])));
    for (int g = 0; g < 3; g++) {
        t.side[g] = fmax(floor(t.side[g]), 1);
        t.count[g] = ceil(length[g] / t.side[g]);
    }
    return t;
}

/* Bytes of pages that go to and from the files. */
static double bytes_of(const ashi_unfolded_group *group, const ashi_file_levels levels[3], int stays, double memory,
                       int64_t bytes)
{
    static const int64_t anywhere[2] = {0, 0};
    const typical t = typical_of(group, stays, memory);
    double all = 0;
    for (int x = 0; x < 3; x++) {
        const int u = groups_of[x][0], v = groups_of[x][1], w = 3 - u - v;
        const double length[2] = {t.side[u], t.side[v]};
        const ashi_file_runs r = ashi_file_runs_of(&levels[x], length, anywhere, bytes, ASHI_DISK_PAGE);
        const double times = t.count[u] * t.count[v] * (x == stays ? 1 : t.count[w]);
        all += times * ashi_disk_bytes(r.count * r.bytes, r.count) * (x == 2 ? 2 : 1);
    }
    return all;
}

/* The least of it, whichever matrix stays. */
static double least_bytes(const ashi_expression *e, const ashi_unfolded_group *group, double memory, int64_t bytes)
{
    const ashi_file_levels levels[3] = {levels_of(e, 0, group), levels_of(e, 1, group), levels_of(e, 2, group)};
    double least = bytes_of(group, levels, 2, memory, bytes);
    for (int stays = 0; stays < 2; stays++)
        least = fmin(least, bytes_of(group, levels, stays, memory, bytes));
    return least;
}

/* Order number `n` of a group's indices: each is taken from those that are left. Returns n without what it used. */
static int64_t permute(const ashi_unfolded_group *from, int64_t n, ashi_unfolded_group *to)
{
    *to = *from;
    for (int i = 0; i < to->count; i++) {
        const int left = to->count - i, at = i + (int)(n % left);
        const int index = to->index[at];
        for (int j = at; j > i; j--)
            to->index[j] = to->index[j - 1];
        to->index[i] = index;
        n /= left;
    }
    return n;
}

static int64_t orders_of(const ashi_unfolded_group *group)
{
    int64_t orders = 1;
    for (int g = 0; g <= ASHI_UNFOLDED_SUMMED; g++)
        for (int i = 2; i <= group[g].count; i++)
            orders = ashi_mul_most(orders, i);
    return orders;
}

void ashi_unfolded_order(const ashi_expression *e, int64_t memory_words, int64_t bytes,
                         ashi_unfolded_group group[ASHI_UNFOLDED_GROUPS])
{
    const double memory = fmax((double)memory_words, 4);
    const int64_t orders = orders_of(group);
    ashi_unfolded_group now[ASHI_UNFOLDED_GROUPS], best[ASHI_UNFOLDED_GROUPS];
    for (int g = 0; g < ASHI_UNFOLDED_GROUPS; g++)
        now[g] = best[g] = group[g];
    if (memory_words <= 0 || orders > ORDERS_MOST)
        return;
    double least = least_bytes(e, group, memory, bytes);
    for (int64_t n = 1; n < orders; n++) {
        int64_t left = n;
        for (int g = 0; g <= ASHI_UNFOLDED_SUMMED; g++)
            left = permute(&group[g], left, &now[g]);
        const double found = least_bytes(e, now, memory, bytes);
        if (found >= 0.99 * least)
            continue;
        least = found;
        for (int g = 0; g <= ASHI_UNFOLDED_SUMMED; g++)
            best[g] = now[g];
    }
    for (int g = 0; g <= ASHI_UNFOLDED_SUMMED; g++)
        group[g] = best[g];
}

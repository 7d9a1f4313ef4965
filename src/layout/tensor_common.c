/* What two layouts of blocks have in common. */
#include "base/checked.h"
#include "layout/tensor_layout.h"

static int rank_of(const ashlar_tensor_layout *l, int process)
{
    return l->ranks ? l->ranks[process] : process;
}

bool ashi_tensor_layout_same_deal(const ashlar_tensor_layout *a, const ashlar_tensor_layout *b)
{
    bool same = a->order == b->order && a->processes == b->processes && !a->groups && !b->groups;
    for (int d = 0; same && d < a->order; d++)
        same = a->extent[d] == b->extent[d] && a->parts[d] == b->parts[d] &&
               (a->parts[d] == 1 || a->block[d] == b->block[d]);
    for (int i = 0; same && i < a->processes; i++)
        same = rank_of(a, i) == rank_of(b, i);
    return same;
}

/* The first value from `value` on that a coordinate of dimension d has; at least the extent if there is none. */
static int64_t next_owned(const ashlar_tensor_layout *l, int d, int coordinate, int64_t value)
{
    const int64_t block = value / l->block[d], parts = l->parts[d];
    const int64_t ahead = (coordinate - block % parts + parts) % parts;
    return ahead == 0 ? value : (block + ahead) * l->block[d];
}

/* A dimension with the index in question, and this rank's coordinate. */
typedef struct deal {
    const ashlar_tensor_layout *layout;
    int dim, coordinate;
} deal;

/* The values that all of the deals give the rank. */
static int64_t common_values(const deal *deals, int count, int64_t extent)
{
    int64_t values = 0;
    for (int64_t at = 0; at < extent;) {
        int64_t from = at, end = extent;
        for (int i = 0; i < count; i++) {
            const ashlar_tensor_layout *const l = deals[i].layout;
            if (l->parts[deals[i].dim] == 1)
                continue;
            from = ashi_max(from, next_owned(l, deals[i].dim, deals[i].coordinate, at));
            end = ashi_min(end, (at / l->block[deals[i].dim] + 1) * l->block[deals[i].dim]);
        }
        values += from == at ? end - at : 0;
        at = from == at ? end : from;
    }
    return values;
}

int64_t ashi_tensor_layout_part_of(int order, const int64_t *extent, const int *index, const ashi_dealt_by *by,
                                   int count, int rank)
{
    int coordinate[ASHI_DEALT_BY_MOST][ASHLAR_TENSOR_ORDER_MOST];
    int64_t words = 1;
    for (int i = 0; i < count; i++)
        if (!ashi_tensor_layout_coordinates(by[i].layout, rank, coordinate[i]))
            return 0;
    for (int d = 0; d < order; d++) {
        deal deals[ASHI_DEALT_BY_MOST * ASHLAR_TENSOR_ORDER_MOST];
        int found = 0;
        for (int i = 0; i < count; i++)
            for (int x = 0; x < by[i].layout->order; x++)
                if (by[i].index[x] == index[d])
                    deals[found++] = (deal){by[i].layout, x, coordinate[i][x]};
        words = ashi_mul_most(words, common_values(deals, found, extent[d]));
    }
    return words;
}

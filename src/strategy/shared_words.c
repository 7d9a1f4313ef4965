/* Words that ranks receive and send for boxes of any shape, from geometry alone. */
#include "strategy/shared_layout.h"

#include "base/checked.h"

/* How long the part of lo .. hi-1 is that lies in tile t. */
static int64_t overlap(const ashi_dim *dim, int64_t t, int64_t lo, int64_t hi)
{
    return ashi_min(dim->cuts[t + 1], hi) - ashi_max(dim->cuts[t], lo);
}

/* What `owner` has of face number `i` of rank `at` on op(A) or op(B). */
static void add_part(ashi_flow *flow, int64_t i, int at, int owner, int64_t words)
{
    flow[at].received += words;
    flow[owner].sent += words;
    if (flow[owner].seen == i)
        return;
    flow[owner].seen = i;
    flow[at].panel_sources++;
    flow[owner].panel_targets++;
}

/* The same of one on C: what is summed up for the owner goes to it. */
static void add_sums(ashi_flow *flow, int64_t i, int at, int owner, int64_t words)
{
    flow[owner].received += words;
    flow[owner].sums += words;
    flow[at].sent += words;
    if (flow[owner].seen == i)
        return;
    flow[owner].seen = i;
    flow[owner].sum_sources++;
    flow[at].sum_targets++;
}

static void add_own(ashi_flow *flow, int x, int64_t words)
{
    flow->share += words;
    flow->own[x] += words;
}

/* Add the words of a face that its rank owns, and those that others own. */
static void add_face(const ashlar_layout *layout, const int64_t lo[2], const int64_t hi[2], int rank, int x, int64_t i,
                     ashi_flow *flow)
{
    if (lo[0] >= hi[0] || lo[1] >= hi[1])
        return;
    const int64_t row = ashi_dim_part(&layout->row, lo[0]), col = ashi_dim_part(&layout->col, lo[1]);
    for (int64_t r = row; r < layout->row.parts && layout->row.cuts[r] < hi[0]; r++)
        for (int64_t c = col; c < layout->col.parts && layout->col.cuts[c] < hi[1]; c++) {
            const int owner = layout->owner[r * layout->col.parts + c];
            const int64_t words = overlap(&layout->row, r, lo[0], hi[0]) * overlap(&layout->col, c, lo[1], hi[1]);
            if (owner == rank)
                add_own(&flow[rank], x, words);
            else if (x == ASHLAR_C)
                add_sums(flow, i, rank, owner, words);
            else
                add_part(flow, i, rank, owner, words);
        }
}

void ashi_shared_words(const ashi_bricks *b, const ashlar_op op[2], const ashlar_layout *const layout[3],
                       int64_t ranks, ashi_flow *flow)
{
    static const int dims[3][2] = {{0, 2}, {2, 1}, {0, 1}}; /* of the rows and columns of op(A), op(B), C */
    for (int64_t r = 0; r < ranks; r++)
        flow[r] = (ashi_flow){.seen = -1};
    for (int64_t i = 0; i < b->count; i++) {
        const ashi_cuboid box = ashi_bricks_box(b, i);
        for (int x = 0; x < 3; x++) {
            const bool turned = x != ASHLAR_C && op[x] != ASHLAR_OP_N;
            const int row = dims[x][turned], col = dims[x][!turned];
            const int64_t lo[2] = {box.lo[row], box.lo[col]}, hi[2] = {box.hi[row], box.hi[col]};
            add_face(layout[x], lo, hi, b->rank_of[i], x, 3 * i + x, flow);
        }
    }
}

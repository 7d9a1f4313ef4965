/* Which tiles of the loops over tiles are a rank's. */
#include "engine/tile_loops_parts.h"

#include "base/checked.h"

enum { M, N, K };

typedef struct span {
    int64_t lo, hi;
} span;

bool ashi_loops_accumulates(const ashi_loops *l)
{
    return l->q.method == ASHI_TOGETHER_ACCUMULATE;
}

int ashi_loops_replicated(const ashi_loops *l)
{
    return l->q.method == ASHI_TOGETHER_REPLICATE_A ? 0 : l->q.method == ASHI_TOGETHER_REPLICATE_B ? 1 : -1;
}

int ashi_loops_side(int x, int side)
{
    static const int sides[3][2] = {{M, K}, {N, K}, {M, N}};
    return sides[x][side];
}

int ashi_loops_other(int x)
{
    static const int other[3] = {N, M, K};
    return other[x];
}

int ashi_loops_position(const ashi_loops *l, int x)
{
    return l->q.order[0] == x ? 0 : l->q.order[1] == x ? 1 : 2;
}

void ashi_loops_begin_rank(ashi_loops *l)
{
    const int64_t *grid = l->q.grid, rank = l->builder.rank;
    for (int x = 0; x < 3; x++)
        for (int64_t i = 0; i < l->of[x].room; i++)
            l->of[x].held[i] = l->of[x].filed[i] = ASHI_NO_PANEL;
    l->round = 0;
    if (l->q.method != ASHI_TOGETHER_ROTATE)
        return;
    l->at[0] = rank / grid[1];
    l->at[1] = rank % grid[1];
    l->base = l->at[0] * (l->pieces / grid[0]) + l->at[1] * (l->pieces / grid[1]);
}

/* ---- loops ---- */

ashi_loop_item ashi_loops_item(const ashi_loops *l, int64_t number)
{
    const int64_t q = l->q.count[l->index[1]][0], inner = l->q.count[l->index[1]][1], r = l->tiles[l->index[2]];
    return (ashi_loop_item){number / (inner * r * q), number / (inner * r) % q, number % inner, number / inner % r};
}

ashi_loop_tile ashi_loops_inner(const ashi_loops *l, const ashi_loop_item *item)
{
    ashi_loop_tile t;
    t.of[l->index[0]] = item->p;
    t.of[l->index[1]] = item->q * l->q.count[l->index[1]][1] + item->inner;
    t.of[l->index[2]] = item->r;
    return t;
}

int64_t ashi_loops_tiles(const ashi_loops *l, int x)
{
    return ashi_loops_position(l, x) == 0 ? l->q.count[l->index[1]][1] : 1;
}

ashi_loop_tile ashi_loops_tile(const ashi_loops *l, const ashi_loop_item *item, int x, int64_t number)
{
    ashi_loop_item at = *item;
    if (ashi_loops_position(l, x) == 0)
        at.inner = number;
    return ashi_loops_inner(l, &at);
}

bool ashi_loops_reads(const ashi_loops *l, const ashi_loop_item *item, int x)
{
    const bool stays = l->q.resident[x];
    switch (ashi_loops_position(l, x)) {
    case 0:
        return item->r == 0 && item->inner == 0;
    case 1:
        return item->inner == 0 && (!stays || item->q == 0);
    default:
        return !stays || item->p == 0;
    }
}

bool ashi_loops_ends(const ashi_loops *l, const ashi_loop_item *item, int x)
{
    const bool inner = item->inner == l->q.count[l->index[1]][1] - 1;
    const int at = ashi_loops_position(l, x);
    return at == 2 || (inner && (at == 1 || item->r == l->tiles[l->index[2]] - 1));
}

/* ---- what is used again ---- */

static span part(const ashi_loops *l, int d, int64_t number)
{
    const ashi_tile_loops *q = &l->q;
    const int replicated = ashi_loops_replicated(l);
    int64_t parts = 1, which = 0;
    if (q->method == ASHI_TOGETHER_ROTATE) {
        parts = d == K ? l->pieces : q->grid[d];
        which = d == K ? number : l->at[d];
    } else if (d == K) {
        parts = q->ranks;
        which = ashi_loops_accumulates(l) ? l->builder.rank : number;
    } else if (ashi_loops_accumulates(l)) {
        parts = d == M ? q->ranks : 1;
        which = d == M ? number : 0;
    } else if (d != replicated) { /* A is replicated: n is cut */
        parts = q->ranks;
        which = l->builder.rank;
    }
    return (span){ashi_cut(q->size[d], parts, which), ashi_cut(q->size[d], parts, which + 1)};
}

/* Tiles of m or n in which the rank has anything: the first ones, of the outer loop or of the inner one within `outer`.
 * The first part is the longest. */
static int64_t live(const ashi_loops *l, int d)
{
    const span s = part(l, d, 0);
    return ashi_min(s.hi - s.lo, l->q.count[d][0]);
}

static int64_t live_inner(const ashi_loops *l, int d, int64_t outer)
{
    const span s = part(l, d, 0);
    return ashi_min(ashi_cut_size(s.hi - s.lo, l->q.count[d][0], outer), l->q.count[d][1]);
}

bool ashi_loops_comes_again(const ashi_loops *l, const ashi_loop_item *item, int x)
{
    const int64_t *q = l->q.count[l->index[1]];
    const bool stays = l->q.resident[x];
    switch (ashi_loops_position(l, x)) {
    case 0:
        return item->r + 1 < l->tiles[l->index[2]];
    case 1:
        return item->inner + 1 < q[1] || (stays && item->q + 1 < q[0]);
    default:
        return stays && item->p + 1 < l->tiles[l->index[0]];
    }
}

bool ashi_loops_serves_again(const ashi_loops *l, const ashi_loop_item *item, int x)
{
    const int d = ashi_loops_other(x);
    const bool stays = l->q.resident[x];
    switch (ashi_loops_position(l, x)) {
    case 0:
        return item->r + 1 < live(l, d);
    case 1:
        return item->inner + 1 < live_inner(l, d, item->q) || (stays && item->q + 1 < live(l, d));
    default:
        return stays && item->p + 1 < live(l, d);
    }
}

bool ashi_loops_is_idle(const ashi_loops *l, const ashi_loop_item *item, int x)
{
    const int d = ashi_loops_other(x), at = ashi_loops_position(l, x);
    return at == 1 ? item->q >= live(l, d) : at == 2 && item->p >= live(l, d);
}

/* ---- tiles ---- */

static span cut_span(span s, int64_t parts, int64_t i)
{
    return (span){s.lo + ashi_cut(s.hi - s.lo, parts, i), s.lo + ashi_cut(s.hi - s.lo, parts, i + 1)};
}

ashi_box ashi_loops_box(const ashi_loops *l, int x, const ashi_loop_tile *tile, int64_t piece, int64_t row)
{
    span s[2];
    for (int i = 0; i < 2; i++) {
        const int d = ashi_loops_side(x, i);
        const int64_t *count = l->q.count[d], t = tile->of[d];
        s[i] = part(l, d, d == K ? piece : row);
        s[i] = cut_span(cut_span(s[i], count[0], t / count[1]), count[1], t % count[1]);
    }
    return (ashi_box){s[0].lo, s[0].hi, s[1].lo, s[1].hi};
}

int64_t ashi_loops_piece(const ashi_loops *l, int x, int64_t slot, int64_t turn)
{
    if (l->q.method != ASHI_TOGETHER_ROTATE)
        return slot;
    const int64_t slots = l->of[x].slots, behind = (slot - turn % slots + slots) % slots;
    return (l->base + turn + behind) % l->pieces;
}

int64_t ashi_loops_rows(const ashi_loops *l, int x)
{
    return x == 1 ? 1 : l->rows;
}

static int64_t place(const ashi_loops *l, int x, int64_t slot, const ashi_loop_tile *tile, int64_t row)
{
    const int d = ashi_loops_side(x, 0), e = ashi_loops_side(x, 1);
    return ((slot * l->tiles[d] + tile->of[d]) * l->tiles[e] + tile->of[e]) * ashi_loops_rows(l, x) + row;
}

int64_t *ashi_loops_held(const ashi_loops *l, int x, int64_t slot, const ashi_loop_tile *tile, int64_t row)
{
    return &l->of[x].held[place(l, x, slot, tile, row)];
}

int64_t *ashi_loops_filed(const ashi_loops *l, int x, int64_t slot, const ashi_loop_tile *tile, int64_t row)
{
    return &l->of[x].filed[place(l, x, slot, tile, row)];
}

int64_t ashi_loops_all(const ashi_loops *l, int x)
{
    return l->tiles[ashi_loops_side(x, 0)] * l->tiles[ashi_loops_side(x, 1)];
}

ashi_loop_tile ashi_loops_nth(const ashi_loops *l, int x, int64_t number)
{
    const int d = ashi_loops_side(x, 0), e = ashi_loops_side(x, 1);
    ashi_loop_tile t = {{0, 0, 0}};
    t.of[d] = number / l->tiles[e];
    t.of[e] = number % l->tiles[e];
    return t;
}

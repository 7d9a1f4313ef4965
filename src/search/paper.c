/* The paper's 48 schedules, each with its best numbers of tiles. */
#include "search/paper.h"

#include "base/checked.h"
#include "search/paper_loops.h"
#include "search/paper_shares.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const orders[ASHI_PAPER_ORDERS] = {"ABC", "ACB", "BAC", "BCA", "CAB", "CBA"};
static const char *const methods[2][ASHI_PAPER_METHODS] = {
    {"outside/rotation", "outside/replication-a", "outside/replication-b", "outside/accumulation"},
    {"inside/rotation", "inside/replication-a", "inside/replication-b", "inside/accumulation"}};

const char *ashi_paper_name(bool inside, ashi_paper_method method)
{
    return methods[inside][method];
}

const char *ashi_paper_order_name(int order)
{
    return orders[order];
}

/* Seconds of reading each array through once, C is written as well, with what moves at the same time. */
static void price(const ashi_paper_problem *q, const ashi_paper_shares *s, double per_read[3])
{
    for (int x = 0; x < 3; x++)
        per_read[x] = (x == 2 ? 2 : 1) * s->each[x] / q->disk + s->with_read[x] / q->network;
}

static ashi_paper_request request_of(const ashi_paper_problem *q, const ashi_paper_shares *s,
                                     const ashi_paper_schedule *o)
{
    const ashi_paper_loops l = ashi_paper_loops_of(o->order);
    const int index[3] = {l.p, l.q, l.r};
    double per_read[3], tile[3] = {0};
    ashi_paper_request f = {0};
    price(q, s, per_read);
    for (int i = 0; i < 3; i++) {
        f.need[i] = s->tiled[l.array[i]] / (double)q->tile_words;
        f.most[i] = fmax(ceil(s->length[index[i]]), 1);
        tile[i] = index[i] == ASHI_PAPER_K ? 0 : s->with_tile[index[i]] / q->network;
    }
    f.second = o->resident[l.array[1]] ? 0 : per_read[l.array[1]];
    f.third = o->resident[l.array[2]] ? 0 : per_read[l.array[2]];
    f.tile_p = tile[0];
    f.tile_q = tile[1];
    f.tile_r = tile[2];
    return f;
}

static void set_tiles(const ashi_paper_loops *l, const ashi_paper_counts *n, ashi_paper_tiles *out)
{
    for (int d = 0; d < 3; d++)
        out->count[d][0] = out->count[d][1] = 1;
    out->count[l->p][0] = n->p;
    out->count[l->q][0] = n->q;
    out->count[l->q][1] = n->inner;
    out->count[l->r][0] = n->r;
}

/* What one rank moves with these tiles. */
static ashi_paper_volume volume_of(const ashi_paper_problem *q, const ashi_paper_shares *s,
                                   const ashi_paper_schedule *o)
{
    const ashi_paper_loops l = ashi_paper_loops_of(o->order);
    double factor[3] = {1, 1, 1};
    ashi_paper_volume v = {s->copied_reads, s->copied_writes, s->moved_once};
    factor[l.array[1]] = o->resident[l.array[1]] ? 1 : o->tiles.count[l.q][0];
    factor[l.array[2]] = o->resident[l.array[2]] ? 1 : o->tiles.count[l.p][0];
    for (int x = 0; x < 3; x++) {
        v.reads += s->each[x] * factor[x];
        v.network += s->with_read[x] * factor[x];
    }
    v.writes += s->each[2] * factor[2];
    v.reads -= q->sets ? s->first : 0;
    for (int d = 0; d < 2; d++)
        v.network += s->with_tile[d] * o->tiles.count[d][0] * o->tiles.count[d][1];
    const double batch = (double)q->batch;
    return (ashi_paper_volume){v.reads * batch, v.writes * batch, v.network * batch};
}

static void choose_tiles(const ashi_paper_problem *q, ashi_paper_schedule *o)
{
    static const bool none[3] = {false, false, false};
    ashi_paper_shares s = ashi_paper_shares_of(q, o->inside, o->method, o->grid, none, false);
    const ashi_paper_loops l = ashi_paper_loops_of(o->order);
    ashi_paper_residents(q, &s, o->resident);
    s = ashi_paper_shares_of(q, o->inside, o->method, o->grid, o->resident, false);
    const ashi_paper_request f = request_of(q, &s, o);
    const ashi_paper_counts n = q->real ? ashi_paper_counts_real(&f) : ashi_paper_counts_whole(&f);
    set_tiles(&l, &n, &o->tiles);
    o->rank = volume_of(q, &s, o);
    s = ashi_paper_shares_of(q, o->inside, o->method, o->grid, o->resident, true);
    o->busiest = volume_of(q, &s, o);
    o->total_disk = (o->rank.reads + o->rank.writes) * (double)q->ranks;
    o->total_network = o->rank.network * (double)q->ranks;
    o->seconds = (o->rank.reads + o->rank.writes) / q->disk + o->rank.network / q->network;
}

/* Whether every rank has a part of what the method cuts; if not, why. */
static bool is_long_enough(const ashi_paper_problem *q, const int64_t parts[3], ashi_paper_schedule *o)
{
    for (int d = 0; d < 3; d++)
        if (q->extent[d] < parts[d]) {
            snprintf(o->reason, sizeof o->reason, "%c has %" PRId64 " values, too few for %" PRId64 " parts", "IJK"[d],
                     q->extent[d], parts[d]);
            return false;
        }
    return true;
}

/* A rank grid of r x c. The faster one is kept. */
static void try_grid(const ashi_paper_problem *q, int64_t r, int64_t c, ashi_paper_schedule *best)
{
    const int64_t common = ashi_common_divisor(r, c);
    const int64_t parts[3] = {r, c, best->inside ? ashi_max(r, c) : r / common * c};
    ashi_paper_schedule o = *best;
    o.grid[0] = r;
    o.grid[1] = c;
    o.applicable = is_long_enough(q, parts, &o);
    if (o.applicable)
        choose_tiles(q, &o);
    if (!best->applicable || (o.applicable && o.seconds < best->seconds))
        *best = o;
}

/* sqrt P x sqrt P if P is a square, as in the paper; else the fastest r x c. */
static void plan_rotation(const ashi_paper_problem *q, ashi_paper_schedule *o)
{
    int64_t side = (int64_t)sqrt((double)q->ranks);
    side += (side + 1) * (side + 1) <= q->ranks;
    if (side * side == q->ranks) {
        try_grid(q, side, side, o);
        return;
    }
    for (int64_t r = 1; r <= side; r++)
        if (q->ranks % r == 0) {
            try_grid(q, r, q->ranks / r, o);
            try_grid(q, q->ranks / r, r, o);
        }
}

static void plan_one(const ashi_paper_problem *q, ashi_paper_schedule *o)
{
    static const int cut[ASHI_PAPER_METHODS] = {-1, ASHI_PAPER_J, ASHI_PAPER_I, ASHI_PAPER_K};
    int64_t parts[3] = {1, 1, 1};
    if (o->method == ASHI_PAPER_ROTATION) {
        plan_rotation(q, o);
        return;
    }
    parts[cut[o->method]] = q->ranks;
    o->applicable = is_long_enough(q, parts, o);
    if (o->applicable)
        choose_tiles(q, o);
}

int ashi_paper_plan(const ashi_paper_problem *q, ashi_paper_schedule out[ASHI_PAPER_SCHEDULES])
{
    int best = -1;
    for (int i = 0; i < ASHI_PAPER_SCHEDULES; i++) {
        ashi_paper_schedule *o = &out[i];
        *o = (ashi_paper_schedule){.inside = i < ASHI_PAPER_SCHEDULES / 2, .order = i % ASHI_PAPER_ORDERS,
                                   .method = (ashi_paper_method)(i / ASHI_PAPER_ORDERS % ASHI_PAPER_METHODS)};
        plan_one(q, o);
        if (o->applicable && (best < 0 || o->seconds < out[best].seconds))
            best = i;
    }
    return best;
}

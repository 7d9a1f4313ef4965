/* Words that change owner between two distributions, and the indices that are best cut. */
#include "tensor/distribution.h"

#include "base/checked.h"
#include "base/error.h"
#include "search/paper_loops.h"

#include <math.h>
#include <string.h>

enum { A, B, C };

static const ashi_index_class class_of_dim[3] = {ASHI_FREE_A, ASHI_FREE_B, ASHI_SUMMED};

static bool is_stored_by(const ashi_expression *e, const ashi_matching *m, int array, int index)
{
    const ashi_index_list *list = array < 2 ? &e->operand[array] : &e->output;
    for (int c = ASHI_ALONE_A; c <= ASHI_ALONE_B; c++)
        for (int i = 0; i < m->group[c].count; i++)
            if (m->group[c].index[i] == index)
                return false; /* it is summed before anything else */
    return ashi_index_find(list, index) >= 0;
}

ashlar_status ashi_distribution_read(const char *text, const ashi_expression *e, const ashi_matching *m, int array,
                                     int64_t ranks, ashi_distribution *out, ashlar_error *err)
{
    *out = (ashi_distribution){.given = true, .parts = {1, 1}};
    if (strcmp(text, "-") == 0)
        return ASHLAR_OK;
    for (const char *c = text; *c; c++) {
        const char *known = memchr(e->name, *c, (size_t)e->indices);
        const int index = known ? (int)(known - e->name) : -1;
        if (index < 0 || !is_stored_by(e, m, array, index))
            return ashi_fail(err, ASHLAR_ERR_ARG, "distribution '%.64s' of %c: '%.1s' is no index that can be cut",
                             text, "ABC"[array], c);
        if (out->count == 2 || (out->count == 1 && out->index[0] == index))
            return ashi_fail(err, ASHLAR_ERR_ARG, "distribution '%.64s' of %c, wanted one index, two, or -", text,
                             "ABC"[array]);
        out->index[out->count++] = index;
    }
    if (out->count == 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "the distribution of %c is empty, wanted one index, two, or -",
                         "ABC"[array]);
    out->parts[0] = ranks;
    for (int64_t r = 1; out->count == 2 && r <= ranks / r; r++)
        if (ranks % r == 0)
            out->parts[0] = r;
    out->parts[1] = ranks / out->parts[0];
    return ASHLAR_OK;
}

/* The interval of an index that a rank has. */
static void interval(const ashi_expression *e, const ashi_distribution *d, int index, int64_t rank, int64_t at[2])
{
    const int64_t n = e->extent[index];
    at[0] = 0;
    at[1] = n;
    for (int i = 0; i < d->count; i++)
        if (d->index[i] == index) {
            const int64_t part = d->count == 1 ? rank : i == 0 ? rank / d->parts[1] : rank % d->parts[1];
            at[0] = ashi_cut(n, d->parts[i], part);
            at[1] = at[0] + ashi_cut_size(n, d->parts[i], part);
        }
}

/* Words of an array that the busiest rank does not have yet. */
static double moved(const ashi_expression *e, const ashi_paper_problem *q, double words, const ashi_distribution *from,
                    const ashi_distribution *to)
{
    int cut[4], count = 0;
    double most = 0;
    for (int i = 0; i < from->count; i++)
        cut[count++] = from->index[i];
    for (int i = 0; i < to->count; i++)
        if ((from->count < 1 || from->index[0] != to->index[i]) && (from->count < 2 || from->index[1] != to->index[i]))
            cut[count++] = to->index[i];
    for (int64_t rank = 0; rank < q->ranks; rank++) {
        double wanted = words, there = words;
        for (int i = 0; i < count; i++) {
            const double n = (double)e->extent[cut[i]];
            int64_t old[2], new[2];
            interval(e, from, cut[i], rank, old);
            interval(e, to, cut[i], rank, new);
            const int64_t both = ashi_max(ashi_min(old[1], new[1]) - ashi_max(old[0], new[0]), 0);
            wanted = wanted / n * (double)(new[1] - new[0]);
            there = there / n * (double)both;
        }
        most = fmax(most, wanted - there);
    }
    return most;
}

/* One more index; none if it is not cut. */
static void cut_index(ashi_distribution *d, int index, int64_t parts)
{
    if (index < 0)
        return;
    d->index[d->count] = index;
    d->parts[d->count++] = parts;
}

/* What the schedule needs of A, B and C if it cuts these indices of I, J and K (Table 1). given: it needs this one. */
static void needed(const ashi_paper_problem *q, const ashi_paper_schedule *o, const int index[3],
                   ashi_distribution out[3])
{
    static const int dims[3][2] = {{ASHI_PAPER_I, ASHI_PAPER_K}, {ASHI_PAPER_K, ASHI_PAPER_J},
                                   {ASHI_PAPER_I, ASHI_PAPER_J}};
    static const int cut[ASHI_PAPER_METHODS] = {-1, ASHI_PAPER_J, ASHI_PAPER_I, ASHI_PAPER_K};
    for (int x = 0; x < 3; x++) {
        const int d = cut[o->method];
        const bool has = d >= 0 && (dims[x][0] == d || dims[x][1] == d);
        out[x] = (ashi_distribution){.given = d < 0 || has || x == C, .parts = {1, 1}};
        for (int s = 0; s < 2 && d < 0; s++)
            cut_index(&out[x], index[dims[x][s]], o->grid[s]);
        if (has)
            cut_index(&out[x], index[d], q->ranks);
    }
}

/* Times that the schedule reads, or writes, this array. */
static double times(const ashi_paper_schedule *o, int array)
{
    const ashi_paper_loops l = ashi_paper_loops_of(o->order);
    if (o->resident[array] || l.array[0] == array)
        return 1;
    return o->tiles.count[l.array[1] == array ? l.q : l.p][0];
}

/* The cost of one choice of indices. */
static ashi_redistribution cost_of(const ashi_expression *e, const ashi_matching *m, const ashi_paper_problem *q,
                                   const ashi_paper_schedule *o, const ashi_distribution given[3], bool fuse,
                                   const int index[3])
{
    ashi_distribution own[3];
    ashi_redistribution out = {.applicable = true, .index = {index[0], index[1], index[2]}};
    needed(q, o, index, own);
    for (int x = 0; x < 3; x++) {
        if (!given[x].given || !own[x].given)
            continue;
        const ashi_distribution *from = x == C ? &own[x] : &given[x], *to = x == C ? &given[x] : &own[x];
        out.received[x] = moved(e, q, (double)m->words[x], from, to);
        out.disk += fuse && times(o, x) == 1 ? 0 : 2 * out.received[x];
        out.seconds += out.received[x] / q->network;
    }
    out.seconds += out.disk / q->disk;
    return out;
}

/* How many parts of I, J and K a schedule makes; 1: it does not cut. */
static void parts_of(const ashi_paper_problem *q, const ashi_paper_schedule *o, int64_t parts[3])
{
    const bool turns = o->method == ASHI_PAPER_ROTATION;
    parts[0] = turns ? o->grid[0] : o->method == ASHI_PAPER_REPLICATION_B ? q->ranks : 1;
    parts[1] = turns ? o->grid[1] : o->method == ASHI_PAPER_REPLICATION_A ? q->ranks : 1;
    parts[2] = turns ? ashi_max(o->grid[0], o->grid[1]) : o->method == ASHI_PAPER_ACCUMULATION ? q->ranks : 1;
}

ashi_redistribution ashi_redistribute(const ashi_expression *e, const ashi_matching *m, const ashi_paper_problem *q,
                                      const ashi_paper_schedule *o, const ashi_distribution given[3], bool fuse)
{
    ashi_redistribution best = {.applicable = false, .index = {-1, -1, -1}};
    int64_t parts[3];
    int choices[3], candidate[3][ASHI_INDICES_MOST];
    parts_of(q, o, parts);
    for (int d = 0; d < 3; d++) {
        const ashi_index_group *g = &m->group[class_of_dim[d]];
        choices[d] = 0;
        for (int i = 0; i < g->count && parts[d] > 1; i++)
            if (e->extent[g->index[i]] >= parts[d])
                candidate[d][choices[d]++] = g->index[i];
        if (parts[d] == 1)
            candidate[d][choices[d]++] = -1;
    }
    for (int v = 0; v < choices[0] * choices[1] * choices[2]; v++) {
        const int index[3] = {candidate[0][v % choices[0]], candidate[1][v / choices[0] % choices[1]],
                              candidate[2][v / choices[0] / choices[1]]};
        const ashi_redistribution one = cost_of(e, m, q, o, given, fuse, index);
        if (!best.applicable || one.seconds < best.seconds)
            best = one;
    }
    return best;
}

/* How many words of a domain's faces each rank owns. */
#include "search/holdings.h"

#include "base/checked.h"
#include "base/error.h"
#include "engine/grid_schedule.h"

#include <stdlib.h>

enum { TABULATED_MOST = 1 << 20 }; /* numbers of one table */

/* Where a domain's intervals stand among those of m, n and k. */
static void intervals_of(const ashi_sides *s, int64_t domain, int64_t at[3])
{
    at[0] = s->listed ? domain : domain / s->count[2] / s->count[1];
    at[1] = s->listed ? domain : domain / s->count[2] % s->count[1];
    at[2] = s->listed ? domain : domain % s->count[2];
}

/* Positions that a part of an operand's minor or major side (0 or 1) has in an interval. */
static int64_t positions(const ashi_holdings *h, ashlar_operand x, int side, int64_t part, int64_t interval)
{
    const int d = ashi_dims_of[x][side];
    const ashi_strip *strip = side == 0 ? &h->view[x].minor : &h->view[x].major;
    if (h->have[x][side])
        return h->have[x][side][part * h->sides.count[d] + interval];
    int64_t first;
    return ashi_strip_between(strip, part, h->sides.lo[d][interval], h->sides.hi[d][interval], &first);
}

/* Words that a rank owns of an operand's face of a domain. */
static int64_t words_of(const ashi_holdings *h, ashlar_operand x, int64_t rank, const int64_t at[3])
{
    const ashi_view *v = &h->view[x];
    int64_t words = 0;
    for (int64_t i = v->start[rank]; i < v->start[rank + 1]; i++) {
        const int64_t r = v->pair[i] / v->layout->col.parts, c = v->pair[i] % v->layout->col.parts;
        const int64_t across = positions(h, x, 0, v->minor_is_row ? r : c, at[ashi_dims_of[x][0]]);
        if (across > 0)
            words += across * positions(h, x, 1, v->minor_is_row ? c : r, at[ashi_dims_of[x][1]]);
    }
    return words;
}

int64_t ashi_holdings_words(const ashi_holdings *h, int64_t rank, int64_t domain)
{
    int64_t at[3];
    intervals_of(&h->sides, domain, at);
    return words_of(h, ASHLAR_A, rank, at) + words_of(h, ASHLAR_B, rank, at) + words_of(h, ASHLAR_C, rank, at);
}

static int64_t length(const ashi_sides *s, int d, const int64_t at[3])
{
    return s->hi[d][at[d]] - s->lo[d][at[d]];
}

/* A domain without products needs nothing and has no sums. */
static bool has_volume(const ashi_sides *s, int64_t domain)
{
    int64_t at[3];
    intervals_of(s, domain, at);
    return length(s, 0, at) > 0 && length(s, 1, at) > 0 && length(s, 2, at) > 0;
}

static int64_t received(const void *context, int64_t rank, int64_t domain)
{
    const ashi_holdings *h = context;
    int64_t at[3];
    if (domain < 0 || !has_volume(&h->sides, domain))
        return h->sums[rank];
    intervals_of(&h->sides, domain, at);
    const int64_t needed = (length(&h->sides, 0, at) + length(&h->sides, 1, at)) * length(&h->sides, 2, at);
    return h->sums[rank] + needed - words_of(h, ASHLAR_A, rank, at) - words_of(h, ASHLAR_B, rank, at) -
           words_of(h, ASHLAR_C, rank, at);
}

ashi_arrivals ashi_holdings_arrivals(const ashi_holdings *h)
{
    return (ashi_arrivals){h->view[0].ranks, h->sides.domains, received, h};
}

/* Without a table positions are found each time: of very many parts, most are never asked for. */
static ashlar_status tabulate(ashi_holdings *h, ashlar_operand x, int side, ashlar_error *err)
{
    const int64_t count = h->sides.count[ashi_dims_of[x][side]];
    const int64_t parts = side == 0 ? h->view[x].minor.parts : h->view[x].major.parts;
    if (parts > TABULATED_MOST / ashi_max(count, 1))
        return ASHLAR_OK;
    int64_t *have = malloc((size_t)(parts * count + 1) * sizeof *have);
    if (!have)
        return ashi_fail_memory(err, "plan", parts * count * (int64_t)sizeof *have);
    for (int64_t part = 0; part < parts; part++)
        for (int64_t i = 0; i < count; i++)
            have[part * count + i] = positions(h, x, side, part, i);
    h->have[x][side] = have;
    return ASHLAR_OK;
}

/* In a grid one domain of each part of k is over every word of C. */
static int64_t sums_of(const ashi_holdings *h, int64_t rank)
{
    const ashi_sides *s = &h->sides;
    const ashi_view *c = &h->view[ASHLAR_C];
    const ashi_box all = {0, c->minor.size, 0, c->major.size};
    int64_t sums = 0, slabs = 0;
    for (int64_t l = 0; l < s->count[2] && !s->listed; l++)
        slabs += s->hi[2][l] > s->lo[2][l];
    if (!s->listed)
        return ashi_view_words(c, rank, &all) * slabs;
    for (int64_t domain = 0; domain < s->domains; domain++)
        if (has_volume(s, domain))
            sums += words_of(h, ASHLAR_C, rank, (const int64_t[3]){domain, domain, domain});
    return sums;
}

ashlar_status ashi_holdings_build(const ashi_view view[3], const ashi_sides *sides, ashi_holdings *out,
                                  ashlar_error *err)
{
    const int64_t ranks = view[0].ranks;
    *out = (ashi_holdings){.view = view, .sides = *sides, .sums = malloc((size_t)ranks * sizeof *out->sums)};
    ashlar_status status = out->sums ? ASHLAR_OK : ashi_fail_memory(err, "plan", ranks * (int64_t)sizeof *out->sums);
    for (int i = 0; i < 6 && status == ASHLAR_OK; i++)
        status = tabulate(out, (ashlar_operand)(i / 2), i % 2, err);
    for (int64_t rank = 0; rank < ranks && status == ASHLAR_OK; rank++)
        out->sums[rank] = sums_of(out, rank);
    if (status != ASHLAR_OK)
        ashi_holdings_free(out);
    return status;
}

void ashi_holdings_free(ashi_holdings *h)
{
    for (int x = 0; x < 3; x++)
        for (int side = 0; side < 2; side++)
            free(h->have[x][side]);
    free(h->sums);
    *h = (ashi_holdings){0};
}

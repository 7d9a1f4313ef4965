/* Finding the stretches of a program in which a running sum stays on the device, and places for them in its memory. */
#include "choose/device_sums.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

/* MOST: of a program with more no sum stays: what is known of them would take more memory than a plan should. */
enum { MOST = 1 << 16 };

typedef struct stretch {
    ashi_panel sum;
    int64_t multiplies;
    int64_t first, last;  /* steps */
    int64_t words, least; /* of the sum, and of the slabs beside it */
    int64_t stays, goes;  /* words in and out if it stays, and if it does not */
    bool sound, zero;     /* it can stay; it has begun, and is zero */
    int64_t at;           /* its place; -1: it does not stay */
} stretch;

struct ashi_device_stretches {
    stretch *at; /* in program order */
    int64_t count, capacity;
    int64_t *open; /* those that may go on */
    int64_t opens, open_capacity;
    bool too_many;
};

ashi_device_stretches *ashi_device_stretches_create(void)
{
    return calloc(1, sizeof(ashi_device_stretches));
}

void ashi_device_stretches_free(ashi_device_stretches **at)
{
    if (!*at)
        return;
    free((*at)->at);
    free((*at)->open);
    free(*at);
    *at = NULL;
}

/* ---- finding them ---- */

/* Whether panels of C may have words in common. In the caller's array they are found by their boxes. */
static bool meet(const ashi_panel *p, const ashi_panel *q)
{
    if (p->id == q->id || p->within == q->id || q->within == p->id)
        return true;
    return p->memory == ASHI_MEMORY_CALLER && q->memory == ASHI_MEMORY_CALLER && p->lo[0] < q->hi[0] &&
           q->lo[0] < p->hi[0] && p->lo[1] < q->hi[1] && q->lo[1] < p->hi[1];
}

/* Stretches of other panels that meet one end. Returns that of the panel itself, if it goes on. */
static stretch *end_others(ashi_device_stretches *s, const ashi_panel *c, bool itself)
{
    stretch *own = NULL;
    int64_t kept = 0;
    for (int64_t i = 0; i < s->opens; i++) {
        stretch *one = &s->at[s->open[i]];
        const bool same = one->sum.id == c->id && !itself;
        own = same ? one : own;
        if (same || !meet(&one->sum, c))
            s->open[kept++] = s->open[i];
    }
    s->opens = kept;
    return own;
}

void ashi_device_stretches_touch(ashi_device_stretches *s, const ashi_panel *c)
{
    end_others(s, c, true);
}

static ashlar_status begin(ashi_device_stretches *s, const ashi_device_multiply *m, stretch **out, ashlar_error *err)
{
    stretch *at = ashi_array_room(s->at, &s->capacity, s->count + 1, sizeof *at);
    if (at)
        s->at = at;
    int64_t *open = ashi_array_room(s->open, &s->open_capacity, s->opens + 1, sizeof *open);
    if (open)
        s->open = open;
    if (!at || !open)
        return ashi_fail_memory(err, "device", (s->count + 1) * (int64_t)sizeof *at);
    *out = &at[s->count];
    open[s->opens++] = s->count++;
    const int64_t words = ashi_mul_most(m->sum->hi[0] - m->sum->lo[0], m->sum->hi[1] - m->sum->lo[1]);
    **out = (stretch){.sum = *m->sum, .first = m->step, .words = words, .stays = words,
                      .sound = m->products > 0 && (m->whole || !m->begins), .zero = m->zero, .at = -1};
    if (m->products > 0 && m->product[0].adds && !m->zero)
        (*out)->stays = ashi_add_most((*out)->stays, words);
    return ASHLAR_OK;
}

ashlar_status ashi_device_stretches_multiply(ashi_device_stretches *s, const ashi_device_multiply *m, int64_t words,
                                             ashlar_error *err)
{
    if (s->too_many)
        return ASHLAR_OK;
    stretch *one = end_others(s, m->sum, false);
    s->too_many = !one && s->count == MOST;
    const ashlar_status status = one || s->too_many ? ASHLAR_OK : begin(s, m, &one, err);
    if (!one)
        return status;
    one->multiplies++;
    one->last = m->step;
    one->goes = ashi_add_most(one->goes, words);
    one->sound = one->sound && m->products > 0 && (one->multiplies == 1 || !m->begins);
    for (int64_t i = 0; i < m->products; i++) {
        const int64_t *n = m->product[i].size;
        one->stays = ashi_add_most(one->stays, ashi_mul_most(n[0] + n[1], n[2]));
        one->least = ashi_max(one->least, ashi_onto_slab_least(n[0], n[1], n[2]));
    }
    return ASHLAR_OK;
}

/* ---- places ---- */

/* The lowest place for a stretch: among those that may be on the device at the same time, in order of their places. */
static int64_t place_of(const ashi_device_stretches *s, const stretch *one, const int64_t *before, int64_t count)
{
    int64_t at = 0;
    for (int64_t i = 0; i < count; i++) {
        const stretch *p = &s->at[before[i]];
        if (at + one->words <= p->at)
            break;
        at = ashi_max(at, p->at + p->words);
    }
    return at;
}

/* Give places, and return the area. `placed`: room for all. */
static int64_t place(const ashi_device_stretches *s, int64_t memory, int64_t look_ahead, int64_t *placed)
{
    int64_t area = 0, least = 0, count = 0;
    for (int64_t i = 0; i < s->count; i++) {
        stretch *one = &s->at[i];
        one->at = -1;
        if (!one->sound || one->stays >= one->goes || one->words > memory)
            continue;
        int64_t current = 0; /* those that have ended leave the list */
        for (int64_t j = 0; j < count; j++)
            if (s->at[placed[j]].last + look_ahead >= one->first)
                placed[current++] = placed[j];
        count = current;
        const int64_t at = place_of(s, one, placed, count), end = ashi_max(area, at + one->words);
        const int64_t beside = ashi_max(least, one->least);
        if (ashi_add_most(end, beside) > memory)
            continue;
        area = end;
        least = beside;
        one->at = at;
        int64_t where = count++;
        for (; where > 0 && s->at[placed[where - 1]].at > at; where--)
            placed[where] = placed[where - 1];
        placed[where] = i;
    }
    return area;
}

static int by_panel(const void *a, const void *b)
{
    const stretch *x = *(const stretch *const *)a, *y = *(const stretch *const *)b;
    if (x->sum.id != y->sum.id)
        return (x->sum.id > y->sum.id) - (x->sum.id < y->sum.id);
    return (x > y) - (x < y);
}

/* Those of panels of which one stretch stays. */
static void list(const stretch *const *sorted, int64_t count, ashi_onto_sums *out)
{
    for (int64_t i = 0, end; i < count; i = end) {
        bool stays = false;
        for (end = i; end < count && sorted[end]->sum.id == sorted[i]->sum.id; end++)
            stays = stays || sorted[end]->at >= 0;
        for (int64_t j = i; j < end && stays; j++)
            out->stretch[out->stretches++] = (ashi_onto_stretch){sorted[j]->sum.id, sorted[j]->multiplies,
                                                                 sorted[j]->at, sorted[j]->zero};
    }
}

ashlar_status ashi_device_stretches_choose(const ashi_device_stretches *s, int64_t memory, int64_t look_ahead,
                                           ashi_onto_sums *out, ashlar_error *err)
{
    *out = (ashi_onto_sums){0};
    if (s->too_many || s->count == 0)
        return ASHLAR_OK;
    int64_t *placed = malloc((size_t)s->count * sizeof *placed);
    const stretch **sorted = malloc((size_t)s->count * sizeof *sorted);
    out->stretch = malloc((size_t)s->count * sizeof *out->stretch);
    const bool room = placed && sorted && out->stretch;
    if (room) {
        out->area = place(s, memory, look_ahead, placed);
        for (int64_t i = 0; i < s->count; i++)
            sorted[i] = &s->at[i];
        qsort(sorted, (size_t)s->count, sizeof *sorted, by_panel);
        list(sorted, s->count, out);
    }
    free(placed);
    free(sorted);
    if (!room || out->area == 0)
        ashi_onto_sums_free(out);
    return room ? ASHLAR_OK : ashi_fail_memory(err, "device", s->count * (int64_t)sizeof *out->stretch);
}

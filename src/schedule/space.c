/* Intervals of the pool: the smallest free one that is large enough is taken, the first of several. */
#include "schedule/space.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"

#include <string.h>

ashlar_status ashi_uses_add(ashi_uses *uses, const ashi_use *use, ashlar_error *err)
{
    ashi_use *at = ashi_array_room(uses->at, &uses->capacity, uses->count + 1, sizeof *at);
    if (!at)
        return ashi_fail_memory(err, "passes", (uses->count + 1) * (int64_t)sizeof *at);
    uses->at = at;
    uses->at[uses->count++] = *use;
    return ASHLAR_OK;
}

ashlar_status ashi_uses_append(ashi_uses *uses, const ashi_uses *more, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < more->count && status == ASHLAR_OK; i++)
        status = ashi_uses_add(uses, &more->at[i], err);
    return status;
}

/* Free intervals side by side, from `first` on, that may be taken together. */
typedef struct run {
    int64_t first, count, at, words;
} run;

static bool may_be_taken(const ashi_interval *i, const ashi_space_rule *rule)
{
    return i->users == 0 && (i->step < rule->before || (i->step == rule->step && !i->waits));
}

/* The run that begins at an interval, of no interval if that one may not be taken. */
static run run_from(const ashi_space *s, int64_t first, const ashi_space_rule *rule)
{
    run r = {.first = first, .at = s->at[first].at};
    while (first + r.count < s->count && may_be_taken(&s->at[first + r.count], rule))
        r.words += s->at[first + r.count++].words;
    return r;
}

/* The best run for `words`; of no interval if there is none. The pool goes on behind its last interval. */
static run best_run(const ashi_space *s, int64_t words, const ashi_space_rule *rule)
{
    run best = {.first = s->count, .at = s->end};
    for (int64_t i = 0; i < s->count;) {
        const run r = run_from(s, i, rule);
        if (r.words >= words && (best.count == 0 || r.words < best.words))
            best = r;
        i += ashi_max(r.count, 1);
    }
    return best;
}

/* All that is free at the pool's end. */
static run last_run(const ashi_space *s, const ashi_space_rule *rule)
{
    run r = {.first = s->count, .at = s->end};
    while (r.first > 0 && may_be_taken(&s->at[r.first - 1], rule)) {
        r.first--;
        r.count++;
        r.at = s->at[r.first].at;
        r.words += s->at[r.first].words;
    }
    return r;
}

static ashlar_status insert(ashi_space *s, int64_t index, const ashi_interval *i, ashlar_error *err)
{
    ashi_interval *at = ashi_array_room(s->at, &s->capacity, s->count + 1, sizeof *at);
    if (!at)
        return ashi_fail_memory(err, "passes", (s->count + 1) * (int64_t)sizeof *at);
    s->at = at;
    memmove(at + index + 1, at + index, (size_t)(s->count - index) * sizeof *at);
    at[index] = *i;
    s->count++;
    return ASHLAR_OK;
}

static void erase(ashi_space *s, int64_t index, int64_t count)
{
    if (count == 0) /* there may be no intervals at all */
        return;
    for (int64_t i = index; i < index + count; i++)
        free(s->at[i].after.at);
    memmove(s->at + index, s->at + index + count, (size_t)(s->count - index - count) * sizeof *s->at);
    s->count -= count;
}

/* What is taken of a run begins where it begins: what is left of the last interval stays free. */
static ashlar_status take_run(ashi_space *s, run r, int64_t words, int64_t users, const ashi_space_rule *rule,
                              ashi_uses *after, ashlar_error *err)
{
    int64_t left = words, whole = 0;
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = r.first; i < r.first + r.count && left > 0 && status == ASHLAR_OK; i++) {
        ashi_interval *it = &s->at[i];
        if (it->step >= rule->before)
            status = ashi_uses_append(after, &it->after, err);
        const int64_t part = ashi_min(left, it->words);
        left -= part;
        whole += part == it->words;
        if (part < it->words) {
            it->at += part;
            it->words -= part;
        }
    }
    const ashi_interval taken = {.at = r.at, .words = words, .users = users};
    erase(s, r.first, whole);
    return status == ASHLAR_OK ? insert(s, r.first, &taken, err) : status;
}

ashlar_status ashi_space_take(ashi_space *s, int64_t words, int64_t users, const ashi_space_rule *rule, int64_t *at,
                              ashi_uses *after, ashlar_error *err)
{
    const ashi_space_rule earlier = {rule->before, -1};
    int64_t end = 0;
    run r = best_run(s, words, &earlier);
    if (r.count == 0 && rule->step >= 0)
        r = best_run(s, words, rule);
    if (r.count == 0)
        r = last_run(s, rule);
    if (!ashi_add(r.at, words, &end))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the pool has more than 2^63 words");
    *at = r.at;
    s->end = ashi_max(s->end, end);
    s->peak = ashi_max(s->peak, end);
    return take_run(s, r, words, users, rule, after, err);
}

static int64_t index_containing(ashi_space *s, int64_t at)
{
    int64_t lo = 0, hi = s->count;
    while (hi - lo > 1) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (s->at[middle].at <= at)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

/* An interval begins at `at`, which is within the pool: a free one is cut in two there. */
static ashlar_status cut_at(ashi_space *s, int64_t at, ashlar_error *err)
{
    const int64_t index = index_containing(s, at);
    const ashi_interval whole = s->at[index];
    if (whole.at == at || whole.users > 0)
        return ASHLAR_OK;
    ashi_interval second = whole;
    second.after = (ashi_uses){0};
    second.at = at;
    second.words = whole.at + whole.words - at;
    ashlar_status status = ashi_uses_append(&second.after, &whole.after, err);
    if (status == ASHLAR_OK)
        status = insert(s, index + 1, &second, err);
    if (status == ASHLAR_OK)
        s->at[index].words = at - whole.at;
    else
        free(second.after.at);
    return status;
}

/* The pool is at least so long. */
static ashlar_status lengthen(ashi_space *s, int64_t end, ashlar_error *err)
{
    const ashi_interval beyond = {.at = s->end, .words = end - s->end, .step = -1};
    const ashlar_status status = end > s->end ? insert(s, s->count, &beyond, err) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        s->end = ashi_max(s->end, end);
    return status;
}

ashlar_status ashi_space_take_at(ashi_space *s, int64_t at, int64_t words, int64_t users, const ashi_space_rule *rule,
                                 ashi_uses *after, ashlar_error *err)
{
    int64_t end = 0;
    if (at < 0 || !ashi_add(at, words, &end))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the pool has more than 2^63 words");
    ashlar_status status = lengthen(s, end, err);
    if (status == ASHLAR_OK)
        status = cut_at(s, at, err);
    if (status == ASHLAR_OK && end < s->end)
        status = cut_at(s, end, err);
    if (status != ASHLAR_OK)
        return status;
    run r = {.first = index_containing(s, at), .at = at};
    while (r.words < words && may_be_taken(&s->at[r.first + r.count], rule))
        r.words += s->at[r.first + r.count++].words;
    if (r.words != words || s->at[r.first].at != at)
        return ashi_fail(err, ASHLAR_ERR_INTERNAL, "a panel's place in the pool is still in use");
    s->peak = ashi_max(s->peak, end);
    return take_run(s, r, words, users, rule, after, err);
}

ashlar_status ashi_space_give(ashi_space *s, int64_t at, int64_t step, const ashi_uses *used, ashlar_error *err)
{
    ashi_interval *i = &s->at[index_containing(s, at)];
    if (i->step != step)
        i->after.count = 0;
    i->waits = !used || (i->step == step && i->waits);
    i->step = step;
    i->users--;
    for (int64_t n = 0; used && n < used->count && !i->waits; n++)
        i->waits = used->at[n].step == step && used->at[n].waits;
    return used && !i->waits ? ashi_uses_append(&i->after, used, err) : ASHLAR_OK;
}

void ashi_space_settle(ashi_space *s, int64_t before)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < s->count; i++) {
        ashi_interval *last = kept > 0 ? &s->at[kept - 1] : NULL, *it = &s->at[i];
        if (it->users == 0 && it->step < before)
            it->after.count = 0;
        if (last && last->users == 0 && it->users == 0 && last->step < before && it->step < before) {
            last->words += it->words;
            last->step = ashi_max(last->step, it->step);
            free(it->after.at);
            continue;
        }
        s->at[kept++] = *it;
    }
    s->count = kept;
}

void ashi_space_free(ashi_space *s)
{
    for (int64_t i = 0; i < s->count; i++)
        free(s->at[i].after.at);
    free(s->at);
    *s = (ashi_space){0};
}

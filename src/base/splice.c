/* Numbers taken out of arrays and put into them, in place. */
#include "base/splice.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static void add_part(ashi_splice *s, int64_t first, int64_t end, int64_t shift)
{
    if (first < end)
        s->part[s->parts++] = (ashi_splice_part){first, end - first, shift};
}

ashlar_status ashi_splice_make(int64_t elements, const int64_t *gone, int64_t goes, const int64_t *before,
                               int64_t comes, ashi_splice *out, ashlar_error *err)
{
    const int64_t parts = goes + comes + 1;
    *out = (ashi_splice){.before = elements, .after = elements + comes - goes, .comes = comes,
                         .part = malloc((size_t)parts * sizeof *out->part),
                         .place = malloc(((size_t)comes + 1) * sizeof *out->place)};
    if (!out->part || !out->place)
        return ashi_fail_memory(err, "a change", parts * (int64_t)sizeof *out->part);
    int64_t x = 0, y = 0, at = 0;
    while (x < goes || y < comes) {
        const bool coming = y < comes && (x == goes || before[y] <= gone[x]);
        const int64_t next = coming ? before[y] : gone[x];
        add_part(out, at, next, y - x);
        at = coming ? next : next + 1;
        if (coming) {
            out->place[y] = next + y - x;
            y++;
        } else {
            x++;
        }
    }
    add_part(out, at, elements, y - x);
    return ASHLAR_OK;
}

void ashi_splice_free(ashi_splice *splice)
{
    free(splice->part);
    free(splice->place);
    *splice = (ashi_splice){0};
}

static void move_part(const ashi_splice_part *p, char *array, size_t size)
{
    if (p->shift != 0)
        memmove(array + (size_t)(p->first + p->shift) * size, array + (size_t)p->first * size,
                (size_t)p->count * size);
}

/* What moves to lower places cannot meet what moves to higher ones, so each part is moved once: the former in their
 * order, then the latter in the opposite order. */
void ashi_splice_move(const ashi_splice *s, void *array, size_t size)
{
    for (int64_t i = 0; i < s->parts; i++)
        if (s->part[i].shift < 0)
            move_part(&s->part[i], array, size);
    for (int64_t i = s->parts - 1; i >= 0; i--)
        if (s->part[i].shift > 0)
            move_part(&s->part[i], array, size);
}

void *ashi_splice_array(const ashi_splice *s, void *array, int64_t *room, size_t size)
{
    enum { PART = 32 };
    const int64_t wanted = s->after + s->after / PART;
    if (!array || s->after > *room) {
        void *larger = realloc(array, ((size_t)wanted + 1) * size);
        if (!larger)
            return NULL;
        array = larger;
        *room = wanted;
    }
    ashi_splice_move(s, array, size);
    return array;
}

/* Where the elements of each part ended before they moved. */
static int64_t *ends_of(const ashi_splice *s, const int64_t *start)
{
    int64_t *end = malloc(((size_t)s->parts + 1) * sizeof *end);
    for (int64_t i = 0; end && i < s->parts; i++)
        end[i] = start[s->part[i].first + s->part[i].count];
    return end;
}

/* Elements that come before a place. */
static bool put_starts(const ashi_splice *s, int64_t *start, const int64_t *length, int64_t until, int64_t *next,
                       int64_t *at)
{
    for (; *next < s->comes && s->place[*next] < until; ++*next) {
        start[s->place[*next]] = *at;
        if (!ashi_add(*at, length[*next], at))
            return false;
    }
    return true;
}

/* The starts of a part differ from what they were by one number. */
static bool change_starts(const ashi_splice *s, int64_t *start, const int64_t *length, const int64_t *end)
{
    int64_t next = 0, at = 0;
    for (int64_t i = 0; i < s->parts; i++) {
        const ashi_splice_part *part = &s->part[i];
        const int64_t first = part->first + part->shift;
        if (!put_starts(s, start, length, first, &next, &at))
            return false;
        const int64_t by = at - start[first];
        if (by > 0 && end[i] > INT64_MAX - by)
            return false;
        for (int64_t t = first; t < first + part->count && by != 0; t++)
            start[t] += by;
        at = end[i] + by;
    }
    if (!put_starts(s, start, length, s->after, &next, &at))
        return false;
    start[s->after] = at;
    return true;
}

ashlar_status ashi_splice_starts(const ashi_splice *s, int64_t **start, int64_t *room, const int64_t *length,
                                 ashlar_error *err)
{
    int64_t *end = ends_of(s, *start), *moved = end ? ashi_splice_array(s, *start, room, sizeof *moved) : NULL;
    ashlar_status status = ASHLAR_OK;
    *start = moved ? moved : *start;
    if (!moved)
        status = ashi_fail_memory(err, "a change", s->parts * (int64_t)sizeof *end);
    else if (!change_starts(s, moved, length, end))
        status = ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the tiles of a rank have more than 2^63 - 1 elements");
    free(end);
    return status;
}

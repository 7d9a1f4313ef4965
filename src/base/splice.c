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

/* The part that is moved i-th. What moves to lower places cannot meet what moves to higher ones, so each part is moved
 * once: the former in their order, then the latter in the opposite order. -1: it stays, or was moved already. */
static int64_t part_in_turn(const ashi_splice *s, int64_t i)
{
    const int64_t part = i < s->parts ? i : 2 * s->parts - 1 - i, shift = s->part[part].shift;
    return (i < s->parts ? shift < 0 : shift > 0) ? part : -1;
}

void ashi_splice_move(const ashi_splice *s, void *array, size_t size)
{
    for (int64_t i = 0, part; i < 2 * s->parts; i++)
        if ((part = part_in_turn(s, i)) >= 0)
            move_part(&s->part[part], array, size);
}

/* Room for the elements after the change; NULL: memory lacks. */
static void *make_room(const ashi_splice *s, void *array, int64_t *room, size_t size)
{
    enum { PART = 32 };
    const int64_t wanted = s->after + s->after / PART;
    if (array && s->after <= *room)
        return array;
    void *larger = realloc(array, ((size_t)wanted + 1) * size);
    if (larger)
        *room = wanted;
    return larger;
}

void *ashi_splice_array(const ashi_splice *s, void *array, int64_t *room, size_t size)
{
    void *moved = make_room(s, array, room, size);
    if (moved)
        ashi_splice_move(s, moved, size);
    return moved;
}

/* ---- running sums ---- */

/* Elements that come before a place, and where they begin. */
static bool pass_coming(const ashi_splice *s, const int64_t *length, int64_t until, int64_t *next, int64_t *at,
                        int64_t *begin)
{
    for (; *next < s->comes && s->place[*next] < until; ++*next) {
        begin[*next] = *at;
        if (!ashi_add(*at, length[*next], at))
            return false;
    }
    return true;
}

/* By how much the starts of each part change, behind that where each element that comes begins, and the end of all. */
static bool find_starts(const ashi_splice *s, const int64_t *start, const int64_t *length, int64_t *by)
{
    int64_t next = 0, at = 0, *const begin = by + s->parts;
    for (int64_t i = 0; i < s->parts; i++) {
        const ashi_splice_part *part = &s->part[i];
        if (!pass_coming(s, length, part->first + part->shift, &next, &at, begin))
            return false;
        by[i] = at - start[part->first];
        if (!ashi_add(start[part->first + part->count], by[i], &at))
            return false;
    }
    if (!pass_coming(s, length, s->after, &next, &at, begin))
        return false;
    begin[s->comes] = at;
    return true;
}

/* Some numbers are read before any of them is written, since they may go where others of them were. */
enum { BLOCK = 8 };

static void change_block(const int64_t *from, int64_t *to, int64_t by)
{
    int64_t block[BLOCK];
    memcpy(block, from, sizeof block);
    for (int i = 0; i < BLOCK; i++)
        block[i] += by;
    memcpy(to, block, sizeof block);
}

/* A part is moved and changed in one pass, from the end whose places are free. */
static void change_part(const ashi_splice_part *p, int64_t *start, int64_t by)
{
    const int64_t *const from = start + p->first;
    int64_t *const to = start + p->first + p->shift;
    int64_t t = p->shift <= 0 ? 0 : p->count;
    if (p->shift <= 0) {
        for (; t + BLOCK <= p->count; t += BLOCK)
            change_block(from + t, to + t, by);
        for (; t < p->count; t++)
            to[t] = from[t] + by;
    } else {
        for (; t >= BLOCK; t -= BLOCK)
            change_block(from + t - BLOCK, to + t - BLOCK, by);
        for (; t > 0; t--)
            to[t - 1] = from[t - 1] + by;
    }
}

static void change_starts(const ashi_splice *s, int64_t *start, const int64_t *by)
{
    for (int64_t i = 0; i < s->parts; i++)
        if (s->part[i].shift == 0 && by[i] != 0)
            change_part(&s->part[i], start, by[i]);
    for (int64_t i = 0, x; i < 2 * s->parts; i++)
        if ((x = part_in_turn(s, i)) >= 0)
            change_part(&s->part[x], start, by[x]);
    for (int64_t i = 0; i < s->comes; i++)
        start[s->place[i]] = by[s->parts + i];
    start[s->after] = by[s->parts + s->comes];
}

ashlar_status ashi_splice_starts(const ashi_splice *s, int64_t **start, int64_t *room, const int64_t *length,
                                 ashlar_error *err)
{
    const int64_t count = s->parts + s->comes + 1;
    int64_t *by = malloc((size_t)count * sizeof *by);
    ashlar_status status = by ? ASHLAR_OK : ashi_fail_memory(err, "a change", count * (int64_t)sizeof *by);
    if (by && !find_starts(s, *start, length, by))
        status = ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the tiles of a rank have more than 2^63 - 1 elements");
    if (status == ASHLAR_OK) {
        int64_t *larger = make_room(s, *start, room, sizeof *larger);
        if (larger)
            change_starts(s, *start = larger, by);
        else
            status = ashi_fail_memory(err, "a change", s->after * (int64_t)sizeof *larger);
    }
    free(by);
    return status;
}

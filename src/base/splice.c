/* Numbers taken out of arrays and put into them, in place. */
#include "base/splice.h"

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

/* Boxes that fill a box: cut at a face of one of them, look at both sides apart, and so on. */
#include "check/cover.h"

#include "base/checked.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 31 };
static const int64_t MOST_PIECES = 100000000;

typedef struct covering {
    ashi_cover_box *piece; /* the boxes of a region, then those of the side of it that is looked at, and so on */
    int64_t count, capacity, cut;
    bool gaps_allowed;
    ashi_cover_finding finding;
    ashi_cover_box where;
    ashlar_error *err;
} covering;

static ashlar_status push(covering *c, const ashi_cover_box *box)
{
    if (c->count == c->capacity) {
        const int64_t capacity = ashi_max(64, 2 * c->capacity);
        ashi_cover_box *piece = realloc(c->piece, (size_t)capacity * sizeof *piece);
        if (!piece)
            return ashi_fail_memory(c->err, "checker", capacity * (int64_t)sizeof *piece);
        c->piece = piece;
        c->capacity = capacity;
    }
    c->piece[c->count++] = *box;
    return ASHLAR_OK;
}

/* The part of a box that is in a region; false if there is none. */
static bool clip(ashi_cover_box *box, const ashi_cover_box *region)
{
    bool any = true;
    for (int d = 0; d < ASHI_COVER_INDICES; d++) {
        box->lo[d] = ashi_max(box->lo[d], region->lo[d]);
        box->hi[d] = ashi_min(box->hi[d], region->hi[d]);
        any = any && box->lo[d] < box->hi[d];
    }
    return any;
}

static bool fills(const ashi_cover_box *box, const ashi_cover_box *region)
{
    return memcmp(box->lo, region->lo, sizeof box->lo) == 0 && memcmp(box->hi, region->hi, sizeof box->hi) == 0;
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The middle one of some boxes' faces across a dimension that are inside a region; the region's own if none is. */
static int64_t middle_face(const covering *c, int64_t first, int64_t count, const ashi_cover_box *region, int d)
{
    int64_t face[2 * SAMPLES], faces = 0;
    for (int64_t i = 0; i < ashi_min(SAMPLES, count); i++) {
        const ashi_cover_box *b = &c->piece[first + ashi_cut(count, ashi_min(SAMPLES, count), i)];
        if (b->lo[d] > region->lo[d])
            face[faces++] = b->lo[d];
        if (b->hi[d] < region->hi[d])
            face[faces++] = b->hi[d];
    }
    if (faces == 0)
        return region->lo[d];
    qsort(face, (size_t)faces, sizeof *face, by_value);
    return face[faces / 2];
}

/* Boxes on the larger side of a plane, and twice those that it cuts. */
static int64_t cost_of(const covering *c, int64_t first, int64_t count, int d, int64_t plane)
{
    int64_t below = 0, above = 0;
    for (int64_t i = first; i < first + count; i++) {
        below += c->piece[i].lo[d] < plane;
        above += c->piece[i].hi[d] > plane;
    }
    return ashi_max(below, above) + 2 * (below + above - count);
}

static void find_plane(const covering *c, int64_t first, int64_t count, const ashi_cover_box *region, int *dimension,
                       int64_t *plane)
{
    int64_t least = INT64_MAX;
    for (int d = 0; d < ASHI_COVER_INDICES; d++) {
        const int64_t face = middle_face(c, first, count, region, d);
        const int64_t cost = face > region->lo[d] ? cost_of(c, first, count, d, face) : INT64_MAX;
        if (cost < least) {
            least = cost;
            *dimension = d;
            *plane = face;
        }
    }
}

static ashlar_status found(covering *c, ashi_cover_finding finding, const ashi_cover_box *where)
{
    c->finding = finding;
    c->where = *where;
    return ASHLAR_OK;
}

/* Look at the pieces first .. first + count - 1, which are in the region, and leave the list as it was. */
static ashlar_status look(covering *c, int64_t first, int64_t count, const ashi_cover_box *region)
{
    if (count == 0 || (count == 1 && c->gaps_allowed))
        return count == 0 && !c->gaps_allowed ? found(c, ASHI_COVER_GAP, region) : ASHLAR_OK;
    for (int64_t i = first; i < first + count; i++)
        if (fills(&c->piece[i], region))
            return count == 1 ? ASHLAR_OK : found(c, ASHI_COVER_TWICE, &c->piece[i == first ? i + 1 : first]);
    int d = 0;
    int64_t plane = 0;
    find_plane(c, first, count, region, &d, &plane);
    ashlar_status status = ASHLAR_OK;
    for (int side = 0; side < 2 && status == ASHLAR_OK && c->finding == ASHI_COVER_FILLED; side++) {
        const int64_t mine = c->count;
        ashi_cover_box half = *region;
        *(side ? &half.lo[d] : &half.hi[d]) = plane;
        for (int64_t i = first; i < first + count && status == ASHLAR_OK; i++) {
            ashi_cover_box piece = c->piece[i];
            if (clip(&piece, &half))
                status = push(c, &piece);
        }
        c->cut += c->count - mine - (side ? count : 0);
        if (status == ASHLAR_OK && c->cut > MOST_PIECES)
            status = ashi_fail(c->err, ASHLAR_ERR_OVERFLOW, "checker: the boxes interlock in more than %" PRId64
                               " places", MOST_PIECES);
        if (status == ASHLAR_OK)
            status = look(c, mine, c->count - mine, &half);
        c->count = mine;
    }
    return status;
}

ashlar_status ashi_cover(const ashi_cover_box *box, int64_t count, const ashi_cover_box *all, bool gaps_allowed,
                         ashi_cover_finding *finding, ashi_cover_box *where, ashlar_error *err)
{
    covering c = {.gaps_allowed = gaps_allowed, .finding = ASHI_COVER_FILLED, .err = err};
    ashi_cover_box region = *all;
    ashlar_status status = ASHLAR_OK;
    region.rank = region.step = -1;
    for (int64_t i = 0; i < count && status == ASHLAR_OK; i++) {
        ashi_cover_box piece = box[i];
        if (clip(&piece, &region))
            status = push(&c, &piece);
    }
    if (status == ASHLAR_OK && clip(&region, all)) /* else there is nothing to fill */
        status = look(&c, 0, c.count, &region);
    free(c.piece);
    *finding = c.finding;
    *where = c.where;
    return status;
}

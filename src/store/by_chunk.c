/* Boxes of a view visited chunk by chunk of its array's file. */
#include "store/by_chunk.h"

#include "base/checked.h"
#include "base/error.h"
#include "store/cells.h"

#include <stdlib.h>
#include <string.h>

/* BOXES that are collected. SPARSE: chunks between them that none of them meets may be as many times as many as those
 * that they meet. */
enum { BOXES = 128, SPARSE = 4 };

typedef struct found {
    ashi_array_box box;
    int64_t at; /* in memory */
} found;

typedef struct collecting {
    const int64_t *chunk;
    ashi_unfolding_visit visit;
    void *context;
    found *list;
    int count;
} collecting;

/* Chunks that a box meets. */
static double chunks_of(const ashi_array_box *box, const int64_t *chunk)
{
    double all = 1;
    for (int d = 0; d < box->order; d++)
        all *= (double)((box->from[d] + box->extent[d] - 1) / chunk[d] - box->from[d] / chunk[d] + 1);
    return all;
}

/* The smallest box that has all of them. */
static ashi_array_box hull_of(const collecting *c)
{
    ashi_array_box hull = c->list[0].box;
    for (int i = 1; i < c->count; i++)
        for (int d = 0; d < hull.order; d++) {
            const ashi_array_box *const box = &c->list[i].box;
            const int64_t end = ashi_max(hull.from[d] + hull.extent[d], box->from[d] + box->extent[d]);
            hull.from[d] = ashi_min(hull.from[d], box->from[d]);
            hull.extent[d] = end - hull.from[d];
        }
    return hull;
}

/* What a box has in a cell, and where that is in memory. False: nothing. */
static bool cut(const found *f, const ashi_array_box *cell, found *out)
{
    *out = *f;
    for (int d = 0; d < cell->order; d++) {
        const int64_t from = ashi_max(f->box.from[d], cell->from[d]);
        const int64_t end = ashi_min(f->box.from[d] + f->box.extent[d], cell->from[d] + cell->extent[d]);
        if (from >= end)
            return false;
        out->at += (from - f->box.from[d]) * f->box.stride[d];
        out->box.from[d] = from;
        out->box.extent[d] = end - from;
    }
    return true;
}

static ashlar_status visit_whole(const collecting *c, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < c->count && status == ASHLAR_OK; i++)
        status = c->visit(c->context, &c->list[i].box, c->list[i].at, err);
    return status;
}

static ashlar_status visit_cut(const collecting *c, const ashi_array_box *hull, ashlar_error *err)
{
    ashi_cells cells = ashi_cells_of(hull, c->chunk, 1);
    ashlar_status status = ASHLAR_OK;
    int64_t at = 0;
    found piece;
    for (ashi_array_box cell; status == ASHLAR_OK && ashi_cells_next(&cells, &cell, &at);)
        for (int i = 0; i < c->count && status == ASHLAR_OK; i++)
            if (cut(&c->list[i], &cell, &piece))
                status = c->visit(c->context, &piece.box, piece.at, err);
    return status;
}

static ashlar_status flush(collecting *c, ashlar_error *err)
{
    double met = 0;
    if (c->count == 0)
        return ASHLAR_OK;
    const ashi_array_box hull = hull_of(c);
    for (int i = 0; i < c->count; i++)
        met += chunks_of(&c->list[i].box, c->chunk);
    const bool dense = c->count > 1 && chunks_of(&hull, c->chunk) <= SPARSE * met;
    const ashlar_status status = dense ? visit_cut(c, &hull, err) : visit_whole(c, err);
    c->count = 0;
    return status;
}

static ashlar_status collect(void *context, const ashi_array_box *box, int64_t at, ashlar_error *err)
{
    collecting *const c = context;
    c->list[c->count++] = (found){*box, at};
    return c->count == BOXES ? flush(c, err) : ASHLAR_OK;
}

ashlar_status ashi_by_chunk(const ashi_unfolding *view, const ashi_unfolding_box *box, const int64_t *chunk,
                            ashi_unfolding_visit visit, void *context, ashlar_error *err)
{
    collecting c = {.chunk = chunk, .visit = visit, .context = context, .list = malloc(BOXES * sizeof(found))};
    if (!c.list)
        return ashi_fail_memory(err, "boxes", (int64_t)(BOXES * sizeof(found)));
    ashlar_status status = ashi_unfolding_boxes(view, box, collect, &c, err);
    if (status == ASHLAR_OK)
        status = flush(&c, err);
    free(c.list);
    return status;
}

/* ---- how many ---- */

typedef struct counting {
    const int64_t *chunk;
    int64_t chunks;
    int64_t last[ASHI_DIMENSIONS_MAX]; /* the chunk that is kept, by its number along each dimension; -1: none */
} counting;

static ashlar_status count(void *context, const ashi_array_box *box, int64_t at, ashlar_error *err)
{
    counting *const c = context;
    bool same = true;
    (void)at, (void)err;
    for (int d = 0; d < box->order; d++) {
        const int64_t first = box->from[d] / c->chunk[d], last = (box->from[d] + box->extent[d] - 1) / c->chunk[d];
        same = same && first == last && last == c->last[d];
        c->last[d] = last;
    }
    c->chunks += same ? 0 : (int64_t)chunks_of(box, c->chunk);
    return ASHLAR_OK;
}

ashlar_status ashi_chunks_read(const ashi_unfolding *view, const ashi_unfolding_box *box, const int64_t *chunk,
                               int64_t *out, ashlar_error *err)
{
    counting c = {.chunk = chunk};
    for (int d = 0; d < ASHI_DIMENSIONS_MAX; d++)
        c.last[d] = -1;
    const ashlar_status status = ashi_by_chunk(view, box, chunk, count, &c, err);
    *out = c.chunks;
    return status;
}

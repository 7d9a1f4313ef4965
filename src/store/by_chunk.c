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

void ashi_chunks_forget(ashi_chunks_kept *kept, int64_t most)
{
    memset(kept, 0, sizeof *kept);
    kept->most = most;
    kept->newest = kept->oldest = -1;
}

typedef struct counting {
    const int64_t *chunk, *extent;
    bool packed;
    ashi_chunks_kept *kept;
    double chunks;
} counting;

static void take_out(ashi_chunks_kept *kept, int at)
{
    const int newer = kept->place[at].newer, older = kept->place[at].older;
    *(newer < 0 ? &kept->newest : &kept->place[newer].older) = older;
    *(older < 0 ? &kept->oldest : &kept->place[older].newer) = newer;
    kept->place[at].chunk = 0;
    kept->count--;
}

/* Put a chunk in, as the next older one to `newer`; -1: as the newest. */
static void put_in(ashi_chunks_kept *kept, int at, uint64_t chunk, int newer)
{
    int *const from = newer < 0 ? &kept->newest : &kept->place[newer].older, older = *from;
    kept->place[at].chunk = chunk;
    kept->place[at].newer = newer;
    kept->place[at].older = older;
    *(older < 0 ? &kept->oldest : &kept->place[older].newer) = at;
    *from = at;
    kept->count++;
}

/* Whether a chunk has to be read; then it has been. One that is kept becomes newer by one place, as in HDF5. */
static bool is_read(ashi_chunks_kept *kept, uint64_t chunk, int at)
{
    const int newer = kept->place[at].newer;
    const bool is_kept = kept->place[at].chunk == chunk;
    if (is_kept && newer >= 0) {
        take_out(kept, at);
        put_in(kept, at, chunk, kept->place[newer].newer);
    }
    if (is_kept)
        return false;
    if (kept->place[at].chunk != 0)
        take_out(kept, at);
    put_in(kept, at, chunk, -1);
    if (kept->count > kept->most)
        take_out(kept, kept->oldest);
    return true;
}

/* A number of a chunk, of its numbers along each dimension; not 0. */
static uint64_t number_of(const int64_t *at, int order)
{
    uint64_t number = 1;
    for (int d = 0; d < order; d++)
        number = number * 1000003 + (uint64_t)at[d];
    return number ? number : 1;
}

/* The place of a chunk: its numbers along the dimensions, each in as many bits as the next power of two of how many
 * there are has, modulo the places. So does HDF5's H5D__chunk_hash_val. */
static int place_of(const counting *c, const int64_t *at, int order)
{
    uint64_t value = (uint64_t)at[0];
    for (int d = 1; d < order; d++) {
        const int64_t chunks = ashi_ceil_div(ashi_max(c->extent[d], 1), c->chunk[d]);
        int bits = 0;
        while (bits < 63 && (INT64_C(1) << bits) < chunks)
            bits++;
        value = value << bits ^ (uint64_t)at[d];
    }
    return (int)(value % ASHI_CHUNKS_PLACES);
}

/* The part of a chunk that the array fills. */
static double filled(const counting *c, const int64_t *at, int order)
{
    double part = 1;
    for (int d = 0; d < order && c->packed; d++)
        part *= (double)ashi_min(c->chunk[d], c->extent[d] - at[d] * c->chunk[d]) / (double)c->chunk[d];
    return part;
}

static ashlar_status count(void *context, const ashi_array_box *box, int64_t in_memory, ashlar_error *err)
{
    counting *const c = context;
    int64_t first[ASHI_DIMENSIONS_MAX], last[ASHI_DIMENSIONS_MAX], at[ASHI_DIMENSIONS_MAX];
    (void)in_memory, (void)err;
    for (int d = 0; d < box->order; d++) {
        at[d] = first[d] = box->from[d] / c->chunk[d];
        last[d] = (box->from[d] + box->extent[d] - 1) / c->chunk[d];
    }
    for (int d = 0; d >= 0;) {
        c->kept->met++;
        if (is_read(c->kept, number_of(at, box->order), place_of(c, at, box->order)))
            c->chunks += filled(c, at, box->order);
        for (d = box->order - 1; d >= 0 && at[d] == last[d]; d--)
            at[d] = first[d];
        if (d >= 0)
            at[d]++;
    }
    return ASHLAR_OK;
}

ashlar_status ashi_chunks_read(const ashi_unfolding *view, const ashi_unfolding_box *box, const int64_t *chunk,
                               const int64_t *extent, bool packed, ashi_chunks_kept *kept, double *out,
                               ashlar_error *err)
{
    counting c = {.chunk = chunk, .extent = extent, .packed = packed, .kept = kept};
    const ashlar_status status = ashi_by_chunk(view, box, chunk, count, &c, err);
    *out = c.chunks;
    return status;
}

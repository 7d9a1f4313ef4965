/* Tiles between the host and a device: those of A and B of a chunk, and C's tiles there and back. */
#include "base/array.h"
#include "base/error.h"
#include "base/ordering.h"
#include "exec/onto_tiles_run.h"

enum { DONE = 1 }; /* of the two lists of what is known */

/* Room for two lists of `count` numbers each. */
static ashlar_status make_spare(ashi_onto_tiles *o, int64_t count, ashlar_error *err)
{
    int64_t *room = ashi_array_room(o->spare, &o->spare_room, 2 * count + 1, sizeof *room);
    if (!room)
        return ashi_fail_memory(err, "device", 2 * count * (int64_t)sizeof *room);
    o->spare = room;
    return ASHLAR_OK;
}

static ashlar_status copy(const ashi_onto_tiles *o, const ashi_tile_strip *s, bool in, ashlar_error *err)
{
    const ashi_device_copy whole = {in ? s->host : s->device, s->bytes, in ? s->device : s->host, s->bytes, s->bytes,
                                    1};
    if (s->bytes == 0)
        return ASHLAR_OK;
    return (in ? o->calls->copy_in : o->calls->copy_out)(o->request.device, &whole, err);
}

/* Tiles that follow each other in both memories are one copy. */
static ashlar_status add(const ashi_onto_tiles *o, ashi_tile_strip *strip, const ashi_tile_strip *tile, bool in,
                         ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    if (strip->host + strip->bytes == tile->host && strip->device + strip->bytes == tile->device) {
        strip->bytes += tile->bytes;
        return ASHLAR_OK;
    }
    status = copy(o, strip, in, err);
    *strip = *tile;
    return status;
}

/* The tiles lie on the device, from word `at` on, in the order in which the host has them. */
static ashlar_status bring_factor(ashi_onto_tiles *o, const ashi_tile_rows *rows, int x, const ashi_tile_chunk *chunk,
                                  int64_t at, ashlar_error *err)
{
    const int64_t count = chunk->tiles[x];
    ashi_tile_strip strip = {0};
    ashlar_status status = make_spare(o, count, err);
    if (status != ASHLAR_OK)
        return status;
    int64_t *const key = o->spare, *const order = o->spare + count;
    for (int64_t i = 0; i < count; i++)
        key[i] = ashi_tile_rows_at(rows, chunk->tile[x][i]);
    ashi_order_start(count, order);
    if (!ashi_order_by(key, 1, count, order))
        return ashi_fail_memory(err, "device", count * (int64_t)sizeof *order);
    for (int64_t i = 0; i < count && status == ASHLAR_OK; i++) {
        const int64_t words = chunk->size[x][order[i]];
        const ashi_tile_strip tile = {(char *)(uintptr_t)o->from[x] + key[order[i]] * (int64_t)o->element,
                                      (char *)o->request.pool + at * (int64_t)o->element,
                                      words * (int64_t)o->element};
        o->at[x][chunk->tile[x][order[i]]] = at;
        at += words;
        status = add(o, &strip, &tile, true, err);
    }
    return status == ASHLAR_OK ? copy(o, &strip, true, err) : status;
}

static ashi_tile_strip strip_of(const ashi_onto_tiles *o, int64_t tile)
{
    return (ashi_tile_strip){o->to + o->c_at[tile] * (int64_t)o->element, ashi_onto_tiles_sum(o, tile),
                             o->slabs.words[tile] * (int64_t)o->element};
}

/* Those that are not there yet. Tiles that are 0 need not come. */
static ashlar_status bring_sums(ashi_onto_tiles *o, const ashi_tile_chunk *chunk, ashlar_error *err)
{
    int64_t count = 0;
    ashi_tile_strip strip = {0};
    ashlar_status status = make_spare(o, chunk->triples, err);
    if (status != ASHLAR_OK)
        return status;
    for (int64_t i = 0; i < chunk->triples; i++) {
        const int64_t c = chunk->triple[i].c;
        if (o->known[DONE][c] != o->visit[DONE] && !o->is_zero[DONE][c])
            o->spare[count++] = c;
        o->begins[c] = o->begins[c] || o->is_zero[DONE][c];
        o->is_zero[DONE][c] = false;
        o->known[DONE][c] = o->visit[DONE];
    }
    ashi_sort_numbers(o->spare, count, o->spare + count);
    for (int64_t i = 0; i < count && status == ASHLAR_OK; i++) {
        const ashi_tile_strip tile = strip_of(o, o->spare[i]);
        o->done.in += tile.bytes / (int64_t)o->element;
        status = add(o, &strip, &tile, true, err);
    }
    o->slab = chunk->slab;
    return status == ASHLAR_OK ? copy(o, &strip, true, err) : status;
}

ashlar_status ashi_onto_tiles_bring(ashi_onto_tiles *o, const ashi_tile_product *p, const ashi_tile_chunk *chunk,
                                    ashlar_error *err)
{
    ashi_device *const device = o->request.device;
    const int half = (int)(o->done.chunks % 2);
    const int64_t at = o->slabs.area + half * o->slabs.half;
    const int64_t before = o->done.in;
    const int64_t after[ASHI_DEVICE_QUEUES] = {[ASHI_DEVICE_WORK] = o->last_work[half],
                                               [ASHI_DEVICE_OUT] = o->last_out};
    int64_t words = 0;
    ashlar_status status = o->calls->wait(device, ASHI_DEVICE_IN, o->multiplied[half], err);
    if (status == ASHLAR_OK)
        status = o->calls->wait(device, ASHI_DEVICE_IN, o->returned, err);
    if (status == ASHLAR_OK)
        status = bring_factor(o, &p->a, 0, chunk, at, err);
    for (int64_t i = 0; i < chunk->tiles[0]; i++)
        words += chunk->size[0][i];
    if (status == ASHLAR_OK)
        status = bring_factor(o, &p->b, 1, chunk, at + words, err);
    if (status == ASHLAR_OK)
        status = bring_sums(o, chunk, err);
    if (status == ASHLAR_OK)
        status = o->calls->record(device, ASHI_DEVICE_IN, o->copied, err);
    o->done.in += chunk->words;
    if (status == ASHLAR_OK)
        status = ashi_onto_lanes_put(&o->lanes, ASHI_DEVICE_IN, o->done.in - before, o->step, after, err);
    return status;
}

/* The tiles of a row of the slab that are there. */
static ashlar_status return_row(ashi_onto_tiles *o, int64_t row, ashi_tile_strip *strip, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    int64_t lo, hi;
    ashi_tile_slab_row(&o->slabs, o->slab, row, &lo, &hi);
    for (int64_t t = lo; t < hi && status == ASHLAR_OK; t++) {
        if (o->known[DONE][t] != o->visit[DONE])
            continue;
        const ashi_tile_strip tile = strip_of(o, t);
        o->done.out += tile.bytes / (int64_t)o->element;
        status = add(o, strip, &tile, false, err);
    }
    return status;
}

ashlar_status ashi_onto_tiles_return(ashi_onto_tiles *o, ashlar_error *err)
{
    ashi_device *const device = o->request.device;
    const ashi_tile_slab *const slab = &o->slabs.slab[o->slab];
    const int64_t before = o->done.out;
    const int64_t after[ASHI_DEVICE_QUEUES] = {[ASHI_DEVICE_WORK] = o->lanes.last[ASHI_DEVICE_WORK]};
    ashi_tile_strip strip = {0};
    ashlar_status status = ASHLAR_OK;
    for (int half = 0; half < 2 && status == ASHLAR_OK; half++)
        status = o->calls->wait(device, ASHI_DEVICE_OUT, o->multiplied[half], err);
    for (int64_t r = slab->row_lo; r < slab->row_hi && status == ASHLAR_OK; r++)
        status = return_row(o, r, &strip, err);
    if (status == ASHLAR_OK)
        status = copy(o, &strip, false, err);
    if (status == ASHLAR_OK)
        status = o->calls->record(device, ASHI_DEVICE_OUT, o->returned, err);
    if (status == ASHLAR_OK && o->done.out > before)
        status = ashi_onto_lanes_put(&o->lanes, ASHI_DEVICE_OUT, o->done.out - before, o->step, after, err);
    o->last_out = o->lanes.last[ASHI_DEVICE_OUT];
    o->visit[DONE]++;
    return status;
}

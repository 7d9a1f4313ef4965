/* Products of tiles on a device: what is made once, what a run takes, and its beginning and end. */
#include "exec/onto_tiles.h"

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "exec/onto_tiles_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTED, DONE };

/* ---- what a run takes ---- */

/* Tiles of C to which a chunk is the first to add in this visit of their slab: they come back, and if they are not 0
 * they have to come. */
static void count_sums(ashi_onto_tiles *o, const ashi_tile_chunk *chunk)
{
    for (int64_t i = 0; i < chunk->triples; i++) {
        const ashi_tile_triple *t = &chunk->triple[i];
        if (o->known[COUNTED][t->c] == o->visit[COUNTED])
            continue;
        o->known[COUNTED][t->c] = o->visit[COUNTED];
        o->counted.in += o->is_zero[COUNTED][t->c] ? 0 : t->m * t->n;
        o->counted.out += t->m * t->n;
        o->is_zero[COUNTED][t->c] = false;
    }
}

static void add(ashi_onto_tiles *o, int which, const ashi_tile_chunk *chunk, int64_t batches,
                ashi_onto_tiles_need *need)
{
    for (int64_t i = 0; i < chunk->triples; i++)
        need->products += chunk->triple[i].m * chunk->triple[i].n * chunk->triple[i].k;
    o->chunk_most[which] = ashi_max(o->chunk_most[which], chunk->words);
    need->chunks++;
    need->batches += batches;
    need->held = o->slabs.area + ashi_min(need->chunks, 2) * o->chunk_most[which];
}

static ashlar_status count_chunk(void *context, const ashi_tile_product *product, const ashi_tile_chunk *chunk,
                                 ashlar_error *err)
{
    ashi_onto_tiles *o = context;
    (void)product;
    (void)err;
    count_sums(o, chunk);
    o->counted.in += chunk->words;
    add(o, COUNTED, chunk, ashi_tile_turns(o, chunk, NULL), &o->counted);
    return ASHLAR_OK;
}

static ashlar_status end_counted_slab(void *context, ashlar_error *err)
{
    ashi_onto_tiles *o = context;
    (void)err;
    o->visit[COUNTED]++;
    return ASHLAR_OK;
}

ashlar_status ashi_onto_tiles_count(ashi_onto_tiles *o, const ashi_tile_product *product, ashlar_error *err)
{
    return ashi_tile_chunks(product, &o->slabs, &(ashi_tile_visitor){count_chunk, end_counted_slab, o}, err);
}

/* Chunks are copied in while the ones before them are multiplied; nothing is multiplied while the first comes. Then C
 * comes back. The tiles of A, of B and of C of a chunk are at least one copy each. */
double ashi_onto_tiles_seconds(const ashi_onto_tiles_need *n, ashlar_type type, const ashi_onto_rates *r)
{
    const ashi_type *t = ashi_type_of(type);
    const double chunks = (double)ashi_max(n->chunks, 1);
    const double in = (double)n->in * (double)t->bytes / r->in + 3 * chunks * r->delay;
    const double out = (double)n->out * (double)t->bytes / r->out + r->delay;
    const double work = (double)n->products * t->flops / r->flops + (double)n->batches * r->delay;
    return n->chunks > 0 ? fmax(in, work + in / chunks) + out : 0;
}

const ashi_onto_tiles_need *ashi_onto_tiles_counted(const ashi_onto_tiles *o)
{
    return &o->counted;
}

const ashi_onto_tiles_need *ashi_onto_tiles_done(const ashi_onto_tiles *o)
{
    return &o->done;
}

/* ---- a run ---- */

void ashi_onto_tiles_begin(ashi_onto_tiles *o, ashi_trace *trace)
{
    ashi_onto_lanes_begin(&o->lanes, o->request.device, trace);
    o->last_work[0] = o->last_work[1] = o->last_out = 0;
    o->done = (ashi_onto_tiles_need){0};
    o->chunk_most[DONE] = 0;
    o->visit[DONE]++;
    memset(o->is_zero[DONE], o->request.new_c, (size_t)o->tiles);
    memset(o->begins, 0, (size_t)o->tiles);
}

static ashlar_status do_chunk(void *context, const ashi_tile_product *product, const ashi_tile_chunk *chunk,
                              ashlar_error *err)
{
    ashi_onto_tiles *o = context;
    o->busy = true;
    ashlar_status status = ashi_onto_tiles_bring(o, product, chunk, err);
    if (status == ASHLAR_OK)
        status = ashi_onto_tiles_batches(o, product, chunk, err);
    if (status == ASHLAR_OK)
        add(o, DONE, chunk, 0, &o->done);
    return status;
}

static ashlar_status end_slab(void *context, ashlar_error *err)
{
    return ashi_onto_tiles_return(context, err);
}

ashlar_status ashi_onto_tiles_multiply(ashi_onto_tiles *o, const ashi_tile_product *p, const ashi_onto_tiles_work *with,
                                       const ashi_share_between *between, ashlar_error *err)
{
    const int64_t tiles[2] = {p->a_tiles, p->b.start[p->b.rows]};
    o->alpha = with->alpha;
    o->from[0] = with->a;
    o->from[1] = with->b;
    o->to = with->c;
    o->step = with->step;
    o->c_at = p->c.at;
    for (int x = 0; x < 2; x++) {
        int64_t *room = ashi_array_room(o->at[x], &o->room[x], ashi_max(tiles[x], 1), sizeof *room);
        if (!room)
            return ashi_fail_memory(err, "device", tiles[x] * (int64_t)sizeof *room);
        o->at[x] = room;
    }
    ashlar_status status = ashi_tile_chunks(p, &o->slabs, &(ashi_tile_visitor){do_chunk, end_slab, o}, err);
    if (status == ASHLAR_OK)
        status = ashi_onto_lanes_await(&o->lanes, o->copied, between, err);
    return status;
}

ashlar_status ashi_onto_tiles_end(ashi_onto_tiles *o, bool whole, const ashi_share_between *between, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    ashlar_error ignored;
    if (!o->busy)
        return ASHLAR_OK;
    if (whole && o->slabs.count == 1)
        status = ashi_onto_tiles_return(o, err);
    if (whole && status == ASHLAR_OK)
        status = ashi_onto_lanes_await(&o->lanes, o->returned, between, err);
    if (!whole || status != ASHLAR_OK)
        o->calls->finish(o->request.device, &ignored);
    o->busy = false;
    ashi_onto_lanes_end(&o->lanes);
    return status;
}

/* ---- before and after ---- */

static ashlar_status make_events(ashi_onto_tiles *o, ashlar_error *err)
{
    ashi_device_event **const event[] = {&o->copied, &o->multiplied[0], &o->multiplied[1], &o->returned};
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < 4 && status == ASHLAR_OK; i++)
        status = o->calls->event_create(o->request.device, event[i], err);
    return status;
}

static void free_events(const ashi_onto_tiles *o)
{
    ashi_device_event *const event[] = {o->copied, o->multiplied[0], o->multiplied[1], o->returned};
    for (int i = 0; i < 4 && o->calls; i++)
        o->calls->event_free(o->request.device, event[i]);
}

static ashlar_status make(ashi_onto_tiles *o, const ashi_tile_set *c, const ashi_tile_problem *problem,
                          ashlar_error *err)
{
    const size_t tiles = (size_t)o->tiles + 1, most = ASHI_TILES_CHUNK;
    bool there = true;
    for (int i = 0; i < 2; i++)
        there = (o->known[i] = calloc(tiles, sizeof(int64_t))) && (o->is_zero[i] = calloc(tiles, 1)) && there;
    for (int i = 0; i < 2; i++)
        there = (o->list[i] = calloc(most, sizeof(void *))) && there;
    o->sum = calloc(most, sizeof *o->sum);
    o->begins = calloc(tiles, sizeof *o->begins);
    o->rounds = calloc(tiles, sizeof *o->rounds);
    o->turn = calloc(most, sizeof *o->turn);
    if (!there || !o->begins || !o->sum || !o->rounds || !o->turn)
        return ashi_fail_memory(err, "device", ashi_onto_tiles_bytes(o));
    o->visit[COUNTED] = o->visit[DONE] = 1;
    memset(o->is_zero[COUNTED], o->request.new_c, (size_t)o->tiles);
    const ashlar_status status = ashi_tile_slabs_make(c, problem, o->request.words, &o->slabs, err);
    return status == ASHLAR_OK && o->calls ? make_events(o, err) : status;
}

ashlar_status ashi_onto_tiles_create(const ashi_onto_tiles_request *q, const ashi_tile_set *c,
                                     const ashi_tile_problem *problem, ashi_onto_tiles **out, ashlar_error *err)
{
    const int64_t least = ashi_tile_slabs_least(problem), bytes = (int64_t)ashi_type_of(q->type)->bytes;
    *out = NULL;
    if (q->words < least)
        return ashi_fail(err, ASHLAR_ERR_LIMIT, "device: %" PRId64 " bytes of its memory are too few for a tile of C "
                         "and twice one of A and of B: %" PRId64 " would do", q->words * bytes,
                         ashi_mul_most(least, bytes));
    ashi_onto_tiles *o = calloc(1, sizeof *o);
    if (!o)
        return ashi_fail_memory(err, "device", (int64_t)sizeof *o);
    o->request = *q;
    o->calls = q->device ? q->device->kind : NULL;
    o->element = (size_t)bytes;
    o->tiles = c->pattern->tiles;
    const ashlar_status status = make(o, c, problem, err);
    if (status == ASHLAR_OK)
        *out = o;
    else
        ashi_onto_tiles_free(&o);
    return status;
}

int64_t ashi_onto_tiles_bytes(const ashi_onto_tiles *o)
{
    const int64_t number = (int64_t)sizeof(int64_t), most = ASHI_TILES_CHUNK;
    return (int64_t)sizeof *o + (5 * o->tiles + o->room[0] + o->room[1] + o->spare_room) * number +
           3 * o->tiles +
           most * (3 * (int64_t)sizeof(void *) + (int64_t)sizeof *o->turn);
}

void ashi_onto_tiles_free(ashi_onto_tiles **onto)
{
    ashi_onto_tiles *o = *onto;
    if (!o)
        return;
    free_events(o);
    ashi_onto_lanes_free(&o->lanes);
    for (int i = 0; i < 2; i++) {
        free(o->known[i]);
        free(o->is_zero[i]);
        free(o->at[i]);
        free(o->list[i]);
    }
    free(o->sum);
    free(o->begins);
    free(o->rounds);
    free(o->turn);
    free(o->spare);
    ashi_tile_slabs_free(&o->slabs);
    free(o);
    *onto = NULL;
}

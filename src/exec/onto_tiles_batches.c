/* Products of tiles of the same sizes, made by a device's batched product. */
#include "exec/onto_tiles_run.h"

#include "base/checked.h"
#include "kernel/kernels.h"

#include <stdlib.h>
#include <string.h>

int64_t ashi_tile_turns(ashi_onto_tiles *o, const ashi_tile_chunk *chunk, ashi_tile_turn *turn)
{
    int64_t most = 0;
    for (int64_t i = 0; i < chunk->triples; i++) {
        const ashi_tile_triple *t = &chunk->triple[i];
        if (turn)
            turn[i] = (ashi_tile_turn){o->rounds[t->c], o->begins[t->c], t->m, t->n, t->k, i};
        if (turn)
            o->begins[t->c] = false;
        most = ashi_max(most, ++o->rounds[t->c]);
    }
    for (int64_t i = 0; i < chunk->triples; i++)
        o->rounds[chunk->triple[i].c] = 0;
    return most;
}

static int compare(int64_t x, int64_t y)
{
    return (x > y) - (x < y);
}

static int by_batch(const ashi_tile_turn *x, const ashi_tile_turn *y)
{
    const int order[] = {compare(x->round, y->round), compare(x->begins, y->begins), compare(x->m, y->m),
                         compare(x->n, y->n), compare(x->k, y->k)};
    for (int i = 0; i < 5; i++)
        if (order[i] != 0)
            return order[i];
    return 0;
}

static int by_turn(const void *a, const void *b)
{
    const ashi_tile_turn *x = a, *y = b;
    const int order = by_batch(x, y);
    return order != 0 ? order : compare(x->number, y->number);
}

static ashlar_op op_of(const ashi_tile_rows *rows)
{
    return rows->conjugate ? ASHLAR_OP_C : rows->turned ? ASHLAR_OP_T : ASHLAR_OP_N;
}

static const void *on_device(const ashi_onto_tiles *o, int x, int64_t tile)
{
    return (const char *)o->request.pool + o->at[x][tile] * (int64_t)o->element;
}

/* One alone is made by the product that is not batched, which is faster for a large one. */
static ashlar_status call(const ashi_onto_tiles *o, const ashi_device_gemm *product, int64_t count, ashlar_error *err)
{
    if (count > 1)
        return o->calls->gemm_batched(o->request.device, product, count, o->list[0], o->list[1], o->sum, err);
    ashi_device_gemm alone = *product;
    alone.a = o->list[0][0];
    alone.b = o->list[1][0];
    alone.c = o->sum[0];
    return o->calls->gemm(o->request.device, &alone, err);
}

/* Tiles of C that are new are made 0 first, and added to as others: their bits are those of zeros that the host has. */
static ashlar_status make(ashi_onto_tiles *o, const ashi_tile_product *p, const ashi_tile_turn *first, int64_t count,
                          const ashi_tile_chunk *chunk, ashlar_error *err)
{
    const ashi_device_gemm product = {
        .type = o->request.type, .op_a = op_of(&p->a), .op_b = op_of(&p->b), .m = first->m, .n = first->n,
        .k = first->k, .alpha = o->alpha, .beta = p->kernels->one, .lda = p->a.turned ? first->k : first->m,
        .ldb = p->b.turned ? first->n : first->k, .ldc = first->m};
    ashi_device_gemm clearing = product;
    clearing.alpha = clearing.beta = p->kernels->zero;
    for (int64_t i = 0; i < count; i++) {
        const ashi_tile_triple *t = &chunk->triple[first[i].number];
        o->list[0][i] = on_device(o, 0, t->a);
        o->list[1][i] = on_device(o, 1, t->b);
        o->sum[i] = ashi_onto_tiles_sum(o, t->c);
    }
    const ashlar_status status = first->begins ? call(o, &clearing, count, err) : ASHLAR_OK;
    return status == ASHLAR_OK ? call(o, &product, count, err) : status;
}

static ashlar_status note(ashi_onto_tiles *o, const ashi_tile_chunk *chunk, ashlar_error *err)
{
    const int64_t after[ASHI_DEVICE_QUEUES] = {[ASHI_DEVICE_IN] = o->lanes.last[ASHI_DEVICE_IN]};
    int64_t products = 0;
    for (int64_t i = 0; i < chunk->triples; i++)
        products += chunk->triple[i].m * chunk->triple[i].n * chunk->triple[i].k;
    return ashi_onto_lanes_put(&o->lanes, ASHI_DEVICE_WORK, products, o->step, after, err);
}

ashlar_status ashi_onto_tiles_batches(ashi_onto_tiles *o, const ashi_tile_product *p, const ashi_tile_chunk *chunk,
                                      ashlar_error *err)
{
    ashi_device *const device = o->request.device;
    ashlar_status status = o->calls->wait(device, ASHI_DEVICE_WORK, o->copied, err);
    ashi_tile_turns(o, chunk, o->turn);
    qsort(o->turn, (size_t)chunk->triples, sizeof *o->turn, by_turn);
    for (int64_t at = 0, end; at < chunk->triples && status == ASHLAR_OK; at = end) {
        for (end = at + 1; end < chunk->triples && by_batch(&o->turn[at], &o->turn[end]) == 0;)
            end++;
        status = make(o, p, &o->turn[at], end - at, chunk, err);
        o->done.batches++;
    }
    const int half = (int)(o->done.chunks % 2);
    if (status == ASHLAR_OK)
        status = o->calls->record(device, ASHI_DEVICE_WORK, o->multiplied[half], err);
    if (status == ASHLAR_OK)
        status = note(o, chunk, err);
    o->last_work[half] = o->lanes.last[ASHI_DEVICE_WORK];
    return status;
}

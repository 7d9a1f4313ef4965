/* Products of tiles on a device: tiles of A and B go to it, C's tiles are summed up there, in slabs, and come back.
 *
 * What is multiplied at once are tiles of the same sizes, by the device's batched product; no tile of C is in such a
 * batch twice, so the products of each are added by ascending k. If all of C fits (exec/onto_tiles_walk.h) its tiles
 * come to the device when they are first added to and stay until the end of the run; else each slab goes there and back
 * for each product. A tile that is 0 does not come the first time: it is made 0 there.
 *
 * C's tiles are written to as they come back, some before others: who needs C as it was if the device fails has to keep
 * it. */
#ifndef ASHI_ONTO_TILES_H
#define ASHI_ONTO_TILES_H

#include "device/device.h"
#include "exec/trace.h"
#include "kernel/share.h"
#include "kernel/tile_product.h"
#include "schedule/tile_problem.h"
#include "search/onto_seconds.h"

/* The part of a device that a rank has. */
typedef struct ashi_onto_tiles_request {
    ashi_device *device; /* outlives it; nobody else uses it, or the pool, during a run. NULL: products are only
                            counted */
    void *pool;
    int64_t words;       /* of the pool, in elements of the product's type */
    ashlar_type type;
    bool new_c;          /* C's tiles are 0 when each run begins, and need not go to the device then */
} ashi_onto_tiles_request;

/* Words between host and device, and what they are for. */
typedef struct ashi_onto_tiles_need {
    int64_t in, out;
    int64_t held;     /* the most words of the device that are in use at once */
    int64_t chunks;   /* that A's and B's tiles come in */
    int64_t batches;  /* at least, in which they are multiplied */
    int64_t products; /* multiply-adds */
} ashi_onto_tiles_need;

typedef struct ashi_onto_tiles ashi_onto_tiles;

/* c: the rank's tiles of C. ASHLAR_ERR_LIMIT, with the least that would do, if the words are too few: the same on all
 * ranks that have as many; ASHLAR_ERR_MEMORY; ASHLAR_ERR_DEVICE. */
ashlar_status ashi_onto_tiles_create(const ashi_onto_tiles_request *request, const ashi_tile_set *c,
                                     const ashi_tile_problem *problem, ashi_onto_tiles **out, ashlar_error *err);

/* Add what a product of a run will take, if its alpha is not 0. Nothing depends on the order of the products, nor on
 * the elements. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_onto_tiles_count(ashi_onto_tiles *onto, const ashi_tile_product *product, ashlar_error *err);

/* Predict the seconds that a need takes of a device. */
double ashi_onto_tiles_seconds(const ashi_onto_tiles_need *need, ashlar_type type, const ashi_onto_rates *rates);

/* Of all that were counted. */
const ashi_onto_tiles_need *ashi_onto_tiles_counted(const ashi_onto_tiles *onto);

/* What the run in progress, or the last one, did. */
const ashi_onto_tiles_need *ashi_onto_tiles_done(const ashi_onto_tiles *onto);

/* A run begins, and what the device does is noted in a trace if there is one. Between two runs, or before one that
 * failed is forgotten, nothing is under way. */
void ashi_onto_tiles_begin(ashi_onto_tiles *onto, ashi_trace *trace);

/* What a product works on: where the data of the sets begins, c in each product of a run the same; and which step it
 * is. */
typedef struct ashi_onto_tiles_work {
    const void *alpha, *a, *b;
    void *c;
    int64_t step;
} ashi_onto_tiles_work;

/* C += alpha op(A) op(B) of the product's tiles, none of which has a rank. A and B may change after it; C may be
 * neither read nor written before the end. between: NULL, or called while the host waits. ASHLAR_ERR_MEMORY;
 * ASHLAR_ERR_DEVICE. */
ashlar_status ashi_onto_tiles_multiply(ashi_onto_tiles *onto, const ashi_tile_product *product,
                                       const ashi_onto_tiles_work *with, const ashi_share_between *between,
                                       ashlar_error *err);

/* The run ends: C is whole. Else, if it is not to be whole, only nothing is under way any more. */
ashlar_status ashi_onto_tiles_end(ashi_onto_tiles *onto, bool whole, const ashi_share_between *between,
                                  ashlar_error *err);

int64_t ashi_onto_tiles_bytes(const ashi_onto_tiles *onto); /* of the host's memory, for lists */

/* NULL does nothing. */
void ashi_onto_tiles_free(ashi_onto_tiles **onto);

#endif

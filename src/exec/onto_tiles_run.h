/* Products of tiles on a device in progress: what the files of exec/onto_tiles*.c share. */
#ifndef ASHI_ONTO_TILES_RUN_H
#define ASHI_ONTO_TILES_RUN_H

#include "exec/onto_lanes.h"
#include "exec/onto_tiles.h"
#include "exec/onto_tiles_walk.h"

/* A product of a chunk in the order in which they are made: those with equal numbers up to `k` are a batch. */
typedef struct ashi_tile_turn {
    int64_t round;  /* the number of products of the chunk that its tile of C gets before this one */
    int64_t begins; /* 1: the tile was 0, and is not read; else 0 */
    int64_t m, n, k;
    int64_t number; /* of the triple */
} ashi_tile_turn;

/* Tiles of one operand on their way: contiguous runs of them are one copy. */
typedef struct ashi_tile_strip {
    char *host, *device;
    int64_t bytes;
} ashi_tile_strip;

struct ashi_onto_tiles {
    ashi_onto_tiles_request request;
    const ashi_device_kind *calls;
    size_t element;
    ashi_tile_slabs slabs;
    int64_t tiles; /* of C */

    ashi_onto_tiles_need counted, done;
    int64_t *known[2]; /* of each tile of C: the last visit of its slab in which it was added to, counted and done */
    int64_t visit[2];  /* the one that goes on */
    int64_t *rounds;   /* of each tile of C: products of the chunk; 0 between two */
    bool *is_zero[2];  /* a tile of C is 0 as yet: counted and done */
    bool *begins;      /* it is 0 on the device in place of what is there */
    int64_t chunk_most[2]; /* words of the largest chunk */

    /* Of a run. */
    ashi_tile_turn *turn;  /* of a chunk's products */
    const void **list[2];  /* of a batch: where its tiles of A, of B and of C are on the device */
    void **sum;
    int64_t *at[2], room[2]; /* of the tiles of op(A) and op(B): words from the pool's beginning */
    int64_t *spare;        /* of the chunk: tiles in another order */
    int64_t spare_room;
    ashi_device_event *copied, *multiplied[2], *returned;
    bool busy;             /* something may be under way */
    int64_t slab;          /* that is on the device */
    const void *alpha;
    const char *from[2];
    char *to;
    const int64_t *c_at;   /* where C's tiles begin in the host's memory */
    ashi_onto_lanes lanes;
    int64_t step;
    int64_t last_work[2];  /* of each half, as ashi_onto_lanes has the last task of a queue, */
    int64_t last_out;      /* and of what was returned */
};

/* Put the products of a chunk in the order of batches; without `turn` they are only counted. Returns the greatest
 * number of products of one tile of C. */
int64_t ashi_tile_turns(ashi_onto_tiles *onto, const ashi_tile_chunk *chunk, ashi_tile_turn *turn);

/* Copy a chunk's tiles to the device, with those of C that are not there yet. */
ashlar_status ashi_onto_tiles_bring(ashi_onto_tiles *onto, const ashi_tile_product *product,
                                    const ashi_tile_chunk *chunk, ashlar_error *err);

/* Copy the tiles of C that are there back, once all products are made, and forget that they are there. */
ashlar_status ashi_onto_tiles_return(ashi_onto_tiles *onto, ashlar_error *err);

/* Multiply the tiles of a chunk. */
ashlar_status ashi_onto_tiles_batches(ashi_onto_tiles *onto, const ashi_tile_product *product,
                                      const ashi_tile_chunk *chunk, ashlar_error *err);

/* Where a tile of C is while its slab is on the device. */
static inline char *ashi_onto_tiles_sum(const ashi_onto_tiles *onto, int64_t tile)
{
    return (char *)onto->request.pool + (size_t)onto->slabs.place[tile] * onto->element;
}

#endif

/* How products of tiles go through a device: C in slabs, and what is multiplied in chunks of A's and B's tiles.
 *
 * The device's memory has an area for a slab of C (exec/onto_tiles_slabs.h), and two halves for tiles of A and B: while
 * one is multiplied the other is filled. For each slab the products are taken by ascending k, then by rows of C, then
 * by columns. A chunk ends where the next tile of A or B has no room in a half any more, and before a k of which not
 * all tiles have room in it but would have in the next: each chunk has each of its tiles once.
 *
 * What this says depends on sizes and patterns alone. So it is asked before a run how many words go to the device, and
 * in the run which. */
#ifndef ASHI_ONTO_TILES_WALK_H
#define ASHI_ONTO_TILES_WALK_H

#include "exec/onto_tiles_slabs.h"
#include "kernel/tile_plan.h"

/* CHUNK: the most products of a chunk. */
enum { ASHI_TILES_CHUNK = 1 << 15 };

/* The product of a tile of op(A) with one of op(B), and the tile of C that it is added to: by their numbers in the
 * product's rows of tiles. */
typedef struct ashi_tile_triple {
    int64_t a, b, c;
    int64_t m, n, k; /* none is 0 */
} ashi_tile_triple;

typedef struct ashi_tile_chunk {
    const ashi_tile_triple *triple; /* for each tile of C in ascending k */
    int64_t triples;
    const int64_t *tile[2];         /* of op(A) and of op(B), each once, */
    const int64_t *size[2];         /* their words, */
    int64_t tiles[2];               /* how many there are, */
    int64_t words;                  /* and the words of all */
    int64_t slab;
} ashi_tile_chunk;

typedef struct ashi_tile_visitor {
    ashlar_status (*chunk)(void *context, const ashi_tile_product *product, const ashi_tile_chunk *chunk,
                           ashlar_error *err);
    ashlar_status (*slab_ends)(void *context, ashlar_error *err); /* if there are several: all of one were told */
    void *context;
} ashi_tile_visitor;

/* Tell the visitor of all chunks of a product, whose C is the one of the slabs. ASHLAR_ERR_MEMORY; the visitor's. */
ashlar_status ashi_tile_chunks(const ashi_tile_product *product, const ashi_tile_slabs *slabs,
                               const ashi_tile_visitor *visitor, ashlar_error *err);

#endif

/* C += alpha op(A) op(B) of sets of tiles of one rank. */
#ifndef ASHI_TILE_PRODUCT_H
#define ASHI_TILE_PRODUCT_H

#include "kernel/share.h"
#include "kernel/tile_hands.h"
#include "kernel/tile_rows.h"

/* How products are grouped. The bits of C depend on all but the work of a task. */
typedef struct ashi_tile_limits {
    int64_t box_least;   /* tiles are merged to boxes that have at least this on each side; along k a quarter of it if
                            that is in four tiles or more */
    int64_t block_rows;  /* the most rows of merged tiles of a task */
    int64_t block_cols;  /* and the most columns, twice as many where all products are merged and C is large */
    int64_t block_depth; /* the most k that is summed up at once; 0: what suits the caches */
    int64_t task_work;   /* multiply-adds of a task of many rows */
} ashi_tile_limits;

/* Formed is the product of every present tile (i, k) of op(A) with every present tile (k, j) of op(B) if tile (i, j) of
 * C is present and it is not left out. Each product that A and B allow has a bit, 1 if it is left out: those of a row
 * of op(A) are together, in ascending k, and for each k in ascending j. */
typedef struct ashi_tile_request {
    const ashi_tile_limits *limits; /* NULL: the usual ones */
    ashlar_type type;
    ashlar_op op[2];      /* of A, of B */
    ashi_tile_set set[3]; /* A, B, C as they are stored */
    const int64_t *rank[2]; /* for each tile of A and of B: its rank if it is stored as U V^T, first U, then V, both
                               column-major without gaps; -1: it is dense. NULL for both: all are dense */
    int threads;          /* at most, the calling one among them; at least 1 */
    const int64_t *first; /* for each row of op(A) that has tiles, its first bit; NULL: nothing is left out */
    const uint64_t *left; /* the bits */
    ashi_tile_hands *hands; /* of `threads` threads and the type, made before a run (ashi_tile_hands_make), which may
                               serve other products too, one at a time; NULL: the product has its own */
} ashi_tile_request;

typedef struct ashi_tile_product ashi_tile_product;

/* What `request` points to has to outlive the product. The cuts of op(A)'s columns and op(B)'s rows are the same, and
 * so are those of C's rows and op(A)'s, of C's columns and op(B)'s. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tile_product_create(const ashi_tile_request *request, ashi_tile_product **out, ashlar_error *err);

/* What it allocated, in bytes, with the hands if they are its own. Each thread has buffers for merged tiles of 6.5
 * MiB at most, and no larger ones than the products have tiles for; for copies of tiles of A 32768 words, for
 * stacks 197 KB, and 8 bytes for each column of tiles of C. */
int64_t ashi_tile_product_bytes(const ashi_tile_product *p);

/* Form the products; a, b and c are where the data of the sets begins. Tiles that are in no product are not read or
 * written. Each tile of C sums up its products in ascending k, and which tiles are merged depends on sizes and patterns
 * alone: the bits of C are the same for every number of threads. The BLAS is at one thread meanwhile. Without workers
 * (NULL) the calling thread does all. between: NULL, or called after tasks. flops: those that were done, of the type's
 * arithmetic; may be NULL. */
void ashi_tile_product_run(ashi_tile_product *p, const void *alpha, const void *a, const void *b, void *c,
                           ashi_workers *workers, const ashi_share_between *between, int64_t *flops);

/* NULL does nothing. */
void ashi_tile_product_free(ashi_tile_product **p);

#endif

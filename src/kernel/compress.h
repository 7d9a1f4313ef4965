/* Tiles as products U V^T of a rank that is small enough: dense tiles, and such that have a rank already. */
#ifndef ASHI_COMPRESS_H
#define ASHI_COMPRESS_H

#include "kernel/kernels.h"
#include "kernel/lapack.h"
#include "kernel/tile_kernels.h"

#include <stddef.h>

/* Of one thread: room for tiles of some rows and columns at most. */
typedef struct ashi_compressor {
    const ashi_kernels *kernels;
    const ashi_tile_kernels *tile_kernels;
    const ashi_lapack *lapack;
    size_t element;
    double unit;           /* roundoff */
    int64_t most;          /* the largest rank that is tried */
    char *rest;            /* rows x cols: what is left of a tile */
    char *left, *right;    /* rows x most and cols x most: the tile is about left right^T */
    char *square[3], *tau, *work; /* of LAPACK */
    double *value, *real;
    double *column;        /* for each column, the square of its norm */
    void *room;            /* all of it */
    size_t bytes;
} ashi_compressor;

/* The largest tiles that a compressor is for, and the largest rank that one has already. */
typedef struct ashi_compressed_size {
    ashlar_type type;
    int64_t rows, cols, rank;
} ashi_compressed_size;

/* One for each thread. Freed by ashi_compressors_free, also after a failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_compressors_make(const ashi_compressed_size *size, int threads, ashi_compressor **out,
                                    ashlar_error *err);
void ashi_compressors_free(ashi_compressor **c, int threads);

/* What became of a tile. */
typedef struct ashi_compressed {
    int64_t rank; /* -1: it stays as it is */
    double error; /* a bound on the Frobenius norm of what it lost */
} ashi_compressed;

/* Find U V^T within `tolerance` (relative: times the tile's norm) of a dense tile x in the Frobenius norm, and write it
 * to `to`, which may be x and has room for half of the tile; if no rank that pays is enough, or x has elements that are
 * not finite, nothing is written. A QR factorisation with column pivoting ends once what is left is small enough; the
 * singular values of its factors decide the rank. */
ashi_compressed ashi_compress_dense(ashi_compressor *c, int64_t rows, int64_t cols, const void *x, double tolerance,
                                    bool relative, void *to);

/* The same for a tile that has a rank below `rows` and `cols`: U and V (which may be `to`) are factored, and a smaller
 * rank found. It stays as it is if there is none. */
ashi_compressed ashi_compress_factors(ashi_compressor *c, int64_t rows, int64_t cols, int64_t rank, const void *factors,
                                      double tolerance, bool relative, void *to);

#endif

/* Numbers for each row of elements of a square matrix of tiles, spread over the ranks. */
#ifndef ASHI_TILES_VECTORS_H
#define ASHI_TILES_VECTORS_H

#include "tiles/matrix.h"

/* A rank has a *part* for the rows of those tiles that it has, and the *whole* for every p-th row of tiles of p ranks:
 * sums of all ranks' parts are collected there, and what is there is spread to all parts. */
typedef struct ashi_vectors {
    const ashlar_tiles *tiles;
    int64_t numbers;              /* for each row of elements */
    int64_t *part_at, *whole_at;  /* by row of tiles: the row of elements with which it begins; -1: it is not there */
    int64_t part_rows, whole_rows; /* of elements */
    ashi_packets out, in;         /* from parts to wholes */
    ashi_carrier carrier;
    double *part, *whole;         /* of the call in progress */
} ashi_vectors;

/* For a matrix whose rows and columns are cut alike. `both`: tiles have parts for the rows that their columns are,
 * too. Collective; status and text are the same on all ranks: `mine` is what this rank comes with. Freed by
 * ashi_vectors_free, also after a failure. ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI. */
ashlar_status ashi_vectors_make(const char *who, const ashlar_tiles *tiles, int64_t numbers, bool both,
                                ashlar_status mine, ashi_vectors *out, ashlar_error *err);
void ashi_vectors_free(ashi_vectors *vectors);

/* whole: the sums of all parts, in the order of ranks. Collective; a failure is noted. */
void ashi_vectors_collect(ashi_vectors *vectors, const double *part, double *whole);

/* Each part: what the whole has. Collective; a failure is noted. */
void ashi_vectors_spread(ashi_vectors *vectors, const double *whole, double *part);

#endif

/* How far products of tiles, ours and DBCSR's, are from a product in one piece and from each other. */
#ifndef ASHI_BENCH_TILES_ERRORS_H
#define ASHI_BENCH_TILES_ERRORS_H

#include "tiles_peer.h"

/* Frobenius norms of what C = A B, and DBCSR's C (NULL: zeros), differ by from the product in one piece. Each rank
 * works that out with the BLAS. Collective. */
void ashi_tiles_errors(const ashlar_tiles *a, const ashlar_tiles *b, const ashlar_tiles *c,
                       const ashi_tiles_peer *peer, double error[2]);

/* The largest difference of two elements of C and of DBCSR's C. Collective. */
double ashi_tiles_difference(const ashlar_tiles *c, const ashi_tiles_peer *peer);

#endif

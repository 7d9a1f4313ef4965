/* DBCSR, to be compared with: a product of two matrices of tiles. Its matrices are dealt out as Ashlar's are. */
#ifndef ASHI_BENCH_TILES_PEER_H
#define ASHI_BENCH_TILES_PEER_H

#include "tiling.h"

typedef struct ashi_tiles_peer ashi_tiles_peer;

/* Copies of A and B, whose sides are cut as `side` says: m, n and k. NULL: the program has no DBCSR. Collective. */
ashi_tiles_peer *ashi_tiles_peer_open(const ashi_tiling side[3], const ashlar_tiles *a, const ashlar_tiles *b);

/* C <- A B into a new C, with the filter `eps` if that is above 0: seconds, and the operations of all ranks.
 * Collective. */
double ashi_tiles_peer_time(ashi_tiles_peer *peer, double eps, long long *flops);

/* A tile of C that this rank has, column-major; NULL: it is absent. */
const double *ashi_tiles_peer_tile(const ashi_tiles_peer *peer, int64_t row, int64_t col);

/* NULL does nothing. */
void ashi_tiles_peer_close(ashi_tiles_peer *peer);

#endif

/* What a rank's products of tiles take of a device, from the patterns of whole matrices. Nothing here needs one. */
#ifndef ASHI_ONTO_TILES_RANK_H
#define ASHI_ONTO_TILES_RANK_H

#include "exec/onto_tiles.h"

/* Of a product that begins with no tile of C, in the iterations of the problem, with each rank's C in one panel and
 * `words` words of the device; no tile has a rank. All is as the run counts it. ASHLAR_ERR_LIMIT, with the least that
 * would do; ASHLAR_ERR_MEMORY. */
ashlar_status ashi_onto_tiles_of_rank(const ashi_tile_problem *problem, int64_t rank, ashlar_type type, int64_t words,
                                      ashi_onto_tiles_need *out, ashlar_error *err);

#endif

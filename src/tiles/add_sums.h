/* Partial sums of a matrix of tiles, added to it. */
#ifndef ASHI_TILES_ADD_SUMS_H
#define ASHI_TILES_ADD_SUMS_H

#include "tiles/asked.h"

/* What comes from other ranks to this one, and what becomes of C. */
typedef struct ashi_tiles_came {
    int64_t words, messages;
    int64_t predicted; /* words, before the first message */
    int64_t held;      /* words of C's other tiles, if it gets some, and of the buffers of messages */
    int64_t dropped;   /* tiles of C */
    double bound;      /* of the error of adding and dropping, on all ranks; 0 if it is not asked for */
} ashi_tiles_came;

/* C <- beta C + the tiles of all ranks' sums; then tiles in the ranges that are below screen->drop are dropped. Sums
 * are added in the order of the ranks: always the same bits. C is scaled in the ranges only, and has tiles afterwards
 * that any rank has sums of. `sums` is cut as C, and its deal is not looked at. With screen->type the error is bounded:
 * screen->additions sums are added to each tile at most. Collective; status and text are the same on all ranks.
 * ASHLAR_ERR_MEMORY: C is as it was; ASHLAR_ERR_MPI: C's elements are unspecified. */
ashlar_status ashi_tiles_add_sums(const ashi_tiles_asked *asked, const ashlar_tiles *sums, const ashi_screen *screen,
                                  ashi_tiles_came *came, ashlar_error *err);

/* Copy the tiles of a matrix to one that is cut alike and has no tiles, also those without elements. Likewise. */
ashlar_status ashi_tiles_copy_to(const ashlar_tiles *from, ashlar_tiles *to, ashi_tiles_came *came, ashlar_error *err);

#endif

/* A record of what a product of matrices of tiles did and when, in a file. */
#ifndef ASHI_TILES_TIMELINE_H
#define ASHI_TILES_TIMELINE_H

#include "exec/player.h"
#include "plan/context.h"
#include "store/output.h"

typedef struct ashi_tiles_timeline {
    ashi_trace *trace; /* NULL: nothing is recorded */
    ashi_output output; /* of rank 0 */
} ashi_tiles_timeline;

/* Begin the file `path`, and let the player record. NULL, on all ranks alike: nothing is recorded. `path` is read on
 * rank 0 only. Collective; the status is this rank's own. ASHLAR_ERR_IO; ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI. End with
 * ashi_tiles_timeline_end, also if it fails. */
ashlar_status ashi_tiles_timeline_begin(const ashlar_context *context, const char *path, ashi_player *player,
                                        ashi_tiles_timeline *out, ashlar_error *err);

/* Write the file, unless `mine`, the same on all ranks, is a failure: then that is returned. The player no longer
 * records. Collective. */
ashlar_status ashi_tiles_timeline_end(const ashlar_context *context, ashi_tiles_timeline *timeline, ashi_player *player,
                                ashlar_status mine, ashlar_error *err);

#endif

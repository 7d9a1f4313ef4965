/* A matrix of tiles in a file made dense, in another file. */
#ifndef ASHI_TILES_TO_FILE_H
#define ASHI_TILES_TO_FILE_H

#include "plan/context.h"

/* Each rank writes some rows of tiles: zeros for absent ones, and all of a matrix with a symmetry. `order` as of
 * ashlar_file_create. A rank holds 64 MiB, or the largest tile if that is more, again as much to read, and 8 bytes for
 * each present tile. Collective; the status is the same on all ranks. */
ashlar_status ashi_tiles_expand_file(ashlar_context *context, const char *from, const char *to, ashlar_order order,
                                     ashlar_error *err);

#endif

/* Products of matrices of tiles of which C, or what is to become of it, has tiles that are stored as U V^T. */
#ifndef ASHI_TILES_MULTIPLY_PANELS_H
#define ASHI_TILES_MULTIPLY_PANELS_H

#include "tiles/asked.h"

/* Whether the product has to be, or had better be, formed in panels: some rows or columns of tiles of C at a time, each
 * of which is compressed before the next is begun. So only one panel of C is dense at a time. The same on all ranks. */
bool ashi_tiles_wants_panels(const ashi_tiles_asked *asked);

/* Form it in panels; C stays on its process grid, and is as it was after a failure. Collective; status and text are the
 * same on all ranks. */
ashlar_status ashi_tiles_multiply_panels(const ashi_tiles_asked *asked, ashlar_tiles_result *result, ashlar_error *err);

#endif

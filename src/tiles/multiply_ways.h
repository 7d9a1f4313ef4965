/* The ways to make a product of matrices of tiles: C is summed up where it is, or somewhere else. */
#ifndef ASHI_TILES_MULTIPLY_WAYS_H
#define ASHI_TILES_MULTIPLY_WAYS_H

#include "tiles/planned.h"

/* Which ways the options ask for that there are not. The same on all ranks. */
ashlar_status ashi_tiles_check_way(const ashi_tiles_asked *asked, ashlar_error *err);

/* Plan a product the best way that the options allow. *out is freed by ashi_tiles_planned_free; NULL after a failure.
 * Collective; status and text are the same on all ranks. */
ashlar_status ashi_tiles_plan_best(const ashi_tiles_asked *asked, ashi_tiles_planned **out, ashlar_error *err);
void ashi_tiles_planned_free(ashi_tiles_planned **planned);

/* Plan a product, run it, keep nothing. Collective; status and text are the same on all ranks. */
ashlar_status ashi_tiles_multiply_once(const ashi_tiles_asked *asked, ashlar_tiles_result *result, ashlar_error *err);

#endif

/* A product of matrices of tiles that is planned one way: C is summed up where it is, or from partial sums. */
#ifndef ASHI_TILES_PLANNED_H
#define ASHI_TILES_PLANNED_H

#include "tiles/add_sums.h"
#include "tiles/asked.h"
#include "tiles/product_grid.h"

typedef struct ashi_tiles_planned {
    ashi_tile_way way;
    ashi_tiles_product product; /* points into this structure, which therefore stays where it is */
    ashi_tiles_grid grid;       /* `sums` NULL: C is summed up where it is */
} ashi_tiles_planned;

/* Plan it. Collective; status and text are the same on all ranks, `mine` is what this rank comes with. Freed by
 * ashi_tiles_planned_clear, also after a failure. */
ashlar_status ashi_tiles_planned_make(const ashi_tiles_asked *asked, const ashi_tile_way *way, ashlar_status mine,
                                      ashi_tiles_planned *out, ashlar_error *err);
void ashi_tiles_planned_clear(ashi_tiles_planned *planned);

/* Multiply, and add up partial sums. A plan that is not kept can be run once. Collective. */
ashlar_status ashi_tiles_planned_run(ashi_tiles_planned *planned, const ashi_tiles_asked *asked,
                                     ashlar_tiles_result *result, ashlar_error *err);

/* The end of a step that concludes by itself: if MPI failed in its last agreement, one rank alone has that.
 * Collective. */
ashlar_status ashi_tiles_go_on(const ashi_tiles_asked *asked, ashlar_status mine, ashlar_error *err);

/* What came besides is added to what a product did. */
void ashi_tiles_add_came(const ashi_tiles_came *came, ashlar_tiles_result *result);

#endif

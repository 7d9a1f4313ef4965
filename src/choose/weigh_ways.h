/* Which matrix stays in a planned product of matrices of tiles, and why: words counted from the patterns. */
#ifndef ASHI_WEIGH_WAYS_H
#define ASHI_WEIGH_WAYS_H

#include "choose/sparse_plan.h"
#include "choose/tile_ways.h"

/* Why a way is chosen. */
typedef enum ashi_way_reason {
    ASHI_WAY_ALONE,    /* there is one rank */
    ASHI_WAY_LOW,      /* C in one layer: some tiles are stored as U V^T */
    ASHI_WAY_MANY,     /* C in one layer: there are too many products to count other ways */
    ASHI_WAY_USUAL,    /* C in one layer: by the estimates no other needs much less, or there are few words */
    ASHI_WAY_COUNTED,  /* C in one layer: another one was counted, and is not better enough */
    ASHI_WAY_BETTER    /* another one, since it was counted */
} ashi_way_reason;

typedef struct ashi_ways_weighed {
    ashi_way_estimate way[ASHI_WAYS_MOST]; /* C in one layer first */
    ashi_way_figures figures[ASHI_WAYS_MOST];
    bool counted[ASHI_WAYS_MOST];          /* there are figures */
    int count, chosen;
    ashi_way_reason reason;
} ashi_ways_weighed;

/* As ashlar_tiles_multiply chooses, for tiles that are dealt out by turns over the plan's grid. With a limit of memory
 * another way is taken only if the fullest rank's tiles of A, B and C, the most sums of a rank and what comes for one
 * tile of k fit together; the library also counts its buffers. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_ways_weigh(const ashi_sparse_request *request, const ashi_sparse_plan *plan, ashi_ways_weighed *out,
                              ashlar_error *err);

#endif

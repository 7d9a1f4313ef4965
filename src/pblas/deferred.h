/* What blacs_gridexit cannot free, because all processes would have to free it together: plans that have windows. */
#ifndef ASHI_DEFERRED_H
#define ASHI_DEFERRED_H

#include "pblas/cache.h"

#include <ashlar/plan.h>

/* The plans of one grid and their context. */
typedef struct ashi_deferred ashi_deferred;

/* Register a grid over the processes of comm, when it is made. NULL if there is no memory or MPI fails. Local; all
 * processes of a grid register it. */
ashi_deferred *ashi_deferred_add(MPI_Comm comm, ashi_cache *cache, ashlar_context *context);

/* Take back a registration of a grid that could not be made; it has no plan. Local. */
void ashi_deferred_remove(ashi_deferred *deferred);

/* This process has left the grid. Local. What was registered is freed when all processes have left it, by the next
 * ashi_deferred_free over them, or by MPI_Finalize. */
void ashi_deferred_leave(ashi_deferred *deferred);

/* Free what belongs to grids over the processes of comm, if all of them have left the grid. Collective. */
void ashi_deferred_free(MPI_Comm comm);

#endif

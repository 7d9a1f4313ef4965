/* What Ashlar keeps for a BLACS context: hung on the context's communicator, and gone with it. */
#ifndef ASHI_GRID_H
#define ASHI_GRID_H

#include "pblas/blacs.h"
#include "pblas/cache.h"
#include "pblas/deferred.h"
#include "pblas/environment.h"
#include "pblas/workspace.h"

typedef struct ashi_repeated ashi_repeated;

/* Used by one thread at a time, as the context is; threads with contexts of their own share nothing of it. */
typedef struct ashi_grid {
    MPI_Comm comm;           /* the BLACS's own: collectives only, of which it makes none on it */
    ashi_coordinates at;
    int64_t serial;          /* of this process's grids; never given again */
    int64_t memory_bytes;    /* of its node's memory (node_memory.h), one process's part: the least over all */
    int *ranks;              /* in comm and context, of process (r, c) at r * at.cols + c */
    ashi_settings settings;  /* those of process (0, 0) */
    ashlar_context *context;
    ashi_cache *cache;
    ashi_workspace workspace; /* of what is in the cache; this context's own */
    ashi_deferred *deferred; /* context and cache, if plans may have windows; else NULL */
    ashi_repeated *repeated;  /* the last call of p?gemm (repeated.h); NULL: none */
    MPI_Comm sharing[2];     /* this process's column and row of the grid; MPI_COMM_NULL until asked for */
} ashi_grid;

/* The grid of a context that exists. Collective over the grid at its first call, local later.
 * ASHLAR_OK on all processes or on none; an error has a text. A wrong limit in the environment ends the program. */
ashlar_status ashi_grid_of(int context, ashi_grid **out, ashlar_error *err);

/* True on the process that keeps the log, if there is to be one. */
bool ashi_grid_logs(const ashi_grid *grid);

/* True on all processes where it is on all. Collective. */
bool ashi_grid_all(const ashi_grid *grid, bool mine);

#endif

/* Tells all processes of a context about a matrix that lies on some of them. */
#ifndef ASHI_ANNOUNCE_H
#define ASHI_ANNOUNCE_H

#include "pblas/grid.h"

/* A submatrix and the grid it is on, as one process sees them. */
typedef struct ashi_party {
    ashi_grid *grid;       /* NULL on a process outside */
    ashi_coordinates at;   /* row -1 outside */
    ashi_submatrix sub;
    int64_t identity[2];   /* of the grid: the same on all processes, and of no other grid, while `all` has the same
                              communicator: the rank of its first process and that one's serial number */
} ashi_party;

/**
 * Send what processes of a submatrix's grid have to those outside it: the grid's shape and identity, the descriptor
 * without its context and leading dimension, and where the submatrix begins. For two submatrices at once.
 *
 * @param all    a grid of all processes
 * @param ready  this process has the grids that it is in; true afterwards where all have
 * @param info   this process's error, as ashi_blacs_report takes it; 0 for none
 * @return that with the least argument number on any process; 0 for none. The same on all processes. Collective.
 */
int ashi_announce(const ashi_grid *all, ashi_party party[2], bool *ready, int info);

/* The ranks in `all` of the processes of a party's grid, process (r, c) at r * at.cols + c; the caller frees them. NULL
 * on all processes or on none, for lack of memory. Collective. */
int *ashi_announce_ranks(const ashi_grid *all, const ashi_party *party);

#endif

/* Brings all copies of a replicated matrix up to date from the chosen ones. */
#ifndef ASHI_REPLICATE_H
#define ASHI_REPLICATE_H

#include "pblas/grid.h"

/**
 * Send what place.h chose of sub(X) to the processes that hold it too. Collective over the grid.
 *
 * @param data  this process's whole local array of X
 * @return this process's own status: ASHLAR_OK; ASHLAR_ERR_MPI
 */
ashlar_status ashi_replicate(ashi_grid *grid, const ashi_submatrix *sub, ashlar_type type, void *data);

/* Words that this process receives by it. */
int64_t ashi_replicate_words(const ashi_grid *grid, const ashi_submatrix *sub);

#endif

/* The integrals of a calculation, from a file to all ranks. */
#ifndef INTEGRALS_H
#define INTEGRALS_H

#include "fcidump.h"

/* Read integrals on rank 0 and send them to all ranks. Collective over MPI_COMM_WORLD.
 * @param place  an FCIDUMP; or FILE.h5:/GROUP, a group of an HDF5 file with four data sets of doubles: `one` (n x n),
 *               `two` (n x n x n x n, (pq|rs)), and of one element each `electrons` and `core`
 * @param message  what is wrong, on all ranks
 * @return the same on every rank: 0; -1: *out is empty */
int integrals_read(const char *place, fcidump *out, char *message, size_t room);

#endif

/* A number for the elements of a tensor in memory, by which a later run knows them again. */
#ifndef ASHI_CONTRACT_MEMORY_SUM_H
#define ASHI_CONTRACT_MEMORY_SUM_H

#include "layout/tensor_layout.h"

/* Join a number for this rank's part, of elements of `bytes` bytes, to `sum`. The layout is of blocks. It takes as long
 * as reading the part once. Local. */
uint64_t ashi_memory_sum(uint64_t sum, const ashlar_tensor_layout *layout, int rank, const void *part, size_t bytes);

#endif

/* Elements copied between two strided boxes in memory, and their bytes reversed. */
#ifndef ASHI_STORE_STRIDED_H
#define ASHI_STORE_STRIDED_H

#include <stddef.h>
#include <stdint.h>

/* to(i, j) <- from(i, j) for i < rows, j < cols. Strides are in elements of `bytes` bytes, one of 2, 4, 8, 16. The
 * boxes do not overlap. */
void ashi_copy_strided(size_t bytes, int64_t rows, int64_t cols, const void *from, int64_t from_row, int64_t from_col,
                       void *to, int64_t to_row, int64_t to_col);

/* Reverse the bytes of each of `count` numbers of `bytes` bytes, 4 or 8. A complex element is two numbers. */
void ashi_swap_bytes(size_t bytes, int64_t count, void *data);

#endif

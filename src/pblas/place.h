/* The layouts of described submatrices, replicated ones too. */
#ifndef ASHI_PLACE_H
#define ASHI_PLACE_H

#include "pblas/descriptor.h"

#include <ashlar/layout.h>

/* True where several processes hold the same elements. */
bool ashi_place_is_replicated(const ashi_submatrix *sub, const ashi_coordinates *grid);

/**
 * How sub(X) lies; arrays given at execution are the processes' whole local arrays.
 *
 * Of a replicated matrix one copy of each element is chosen, so that every process gives about as much: a replicated
 * dimension is cut evenly among the processes along it, as by ashi_place_slab.
 *
 * @param ranks  of process (r, c) at r * grid->cols + c
 */
ashlar_status ashi_place_layout(const ashi_submatrix *sub, const ashi_coordinates *grid, const int *ranks,
                                ashlar_layout **out, ashlar_error *err);

/* A rectangle of a local array, column-major with the descriptor's leading dimension. */
typedef struct ashi_slab {
    int64_t offset, rows, cols;
} ashi_slab;

/* Which part of this process's copy of sub(X) is the chosen one of the process at (row, col). */
ashi_slab ashi_place_slab(const ashi_submatrix *sub, const ashi_coordinates *grid, int row, int col);

#endif

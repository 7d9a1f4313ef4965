/* Generated matrices of tiles: random or given tilings, random patterns, values that fall off from the diagonal. */
#ifndef ASHI_GENERATE_TILES_H
#define ASHI_GENERATE_TILES_H

#include "cli/values.h"

typedef struct ashi_generated_tiles {
    const char *output, *tiling; /* the second as ashi_tiling_read takes it */
    ashi_values values;
    int64_t rows, cols;          /* of elements */
    double density, decay;
} ashi_generated_tiles;

/* Write the matrix, on all ranks. It starts and ends MPI; rank 0 complains in one line. The exit status. */
int ashi_generate_tiles(const ashi_generated_tiles *wish);

#endif

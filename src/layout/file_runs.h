/* A matrix whose rows and columns are groups of indices of an array in a file: in which runs its boxes lie there. */
#ifndef ASHI_FILE_RUNS_H
#define ASHI_FILE_RUNS_H

#include <stdbool.h>
#include <stdint.h>

enum { ASHI_FILE_LEVELS = 16 };

/* One index of a side of the matrix: its extent, and the elements between its neighbours in the file, 0 if the matrix
 * is the same for all of its values. */
typedef struct ashi_file_level {
    int64_t extent, stride;
} ashi_file_level;

/* Indices of each side, the fastest first. */
typedef struct ashi_file_levels {
    int count[2];
    ashi_file_level level[2][ASHI_FILE_LEVELS];
} ashi_file_levels;

/* Add an index behind the others of a side. One that continues the index before it in the file is joined with it. If a
 * side has no room for more, the last one grows. */
void ashi_file_levels_add(ashi_file_levels *levels, int side, int64_t extent, int64_t stride);

/* Stretches of the file that are read for a box. */
typedef struct ashi_file_runs {
    double count;
    double bytes; /* of each, with the gaps in it */
} ashi_file_runs;

/* The runs of a box of length[0] x length[1] positions, in the mean of all boxes that begin and end at multiples of
 * unit[s] along side s; 0: where an index begins. Gaps of less than a page are read with what lies on both sides. */
ashi_file_runs ashi_file_runs_of(const ashi_file_levels *levels, const double length[2], const int64_t unit[2],
                                 int64_t bytes, int64_t page);

#endif

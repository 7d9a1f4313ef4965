/* How a block of a matrix is cut among the ranks that share it: rectangles of nearly equal words. */
#ifndef ASHI_PARTS_H
#define ASHI_PARTS_H

#include <stdint.h>

/*
 * A block has one band of columns, or two beside each other. A band is cut evenly into parts, `rows` above each other
 * and `cols` beside each other; they are counted row by row, those of the first band first. With two bands there may be
 * fewer parts than ranks: the others own nothing.
 *
 * A cut is made for the largest block of a matrix; a block with a row or a column less is cut by it too: `rest` columns
 * are the second band's in each of them.
 */
typedef struct ashi_parts {
    int64_t rows[2], cols[2];
    int64_t rest; /* columns of the second band; 0: there is one band */
} ashi_parts;

/* One band of rows x cols parts. */
ashi_parts ashi_parts_even(int64_t rows, int64_t cols);

/* The cut into at most `parts` parts whose largest has few words: of all that are of one band the best (of equals, the
 * least even pair of divisors, and of that the one with fewer rows); or of two bands, if that saves enough. */
ashi_parts ashi_parts_best(int64_t rows, int64_t cols, int64_t parts);

/* Rows, columns and words of a part of a block; 0 if there is no such part. */
void ashi_parts_sides(const ashi_parts *parts, int64_t rows, int64_t cols, int64_t part, int64_t sides[2]);
int64_t ashi_parts_words(const ashi_parts *parts, int64_t rows, int64_t cols, int64_t part);

/* How many parts there are in the first band, and in both. */
int64_t ashi_parts_first(const ashi_parts *parts);
int64_t ashi_parts_count(const ashi_parts *parts);

#endif

/* Arrays of any number of dimensions seen as matrices: rows and columns are groups of indices, and a box of the matrix
 * is a union of boxes of the array. Nothing is permuted as a whole. */
#ifndef ASHI_STORE_UNFOLDING_H
#define ASHI_STORE_UNFOLDING_H

#include "layout/file_runs.h"

#include <ashlar/base.h>

enum { ASHI_DIMENSIONS_MAX = 64 };

/* A box of an array of `order` dimensions: positions from[d] to from[d] + extent[d] - 1 of each. In memory neighbours
 * along dimension d are stride[d] elements apart, of either sign or 0. Order 0 is one element. */
typedef struct ashi_array_box {
    int order;
    int64_t from[ASHI_DIMENSIONS_MAX], extent[ASHI_DIMENSIONS_MAX], stride[ASHI_DIMENSIONS_MAX];
} ashi_array_box;

/* An index of a matrix's side. Bit d of `dimensions`: its value times `step` is the position along dimension d. Several
 * bits are a diagonal; none means that the matrix is the same for all values. Two indices may count one dimension: one
 * the blocks, with their length as its step, the other the positions in a block. */
typedef struct ashi_unfolding_index {
    int64_t extent;
    uint64_t dimensions;
    int64_t step;
} ashi_unfolding_index;

/* Rows or columns: their number is the product of the extents, and the first index varies fastest. */
typedef struct ashi_unfolding_side {
    int count;
    ashi_unfolding_index index[ASHI_DIMENSIONS_MAX];
} ashi_unfolding_side;

/* An array as a matrix. Dimensions begin at from[d], and those that no index counts stay there. */
typedef struct ashi_unfolding {
    int order;
    int64_t from[ASHI_DIMENSIONS_MAX];
    int64_t stride[ASHI_DIMENSIONS_MAX]; /* elements between neighbours, if they lie in the file one by one */
    ashi_unfolding_side side[2];              /* rows, columns */
} ashi_unfolding;

/* Rows or columns of a view. The product fits 64 bits. */
int64_t ashi_unfolding_extent(const ashi_unfolding_side *side);

/* A part of a side whose positions are one box of its indices: those before `level` are whole, index `level` has
 * `count` values from `value` on, the others one value each. */
typedef struct ashi_unfolding_part {
    int level;
    int64_t value, count, positions;
} ashi_unfolding_part;

/* The largest such part that begins at position `at` and ends at or before `end`; at < end. */
ashi_unfolding_part ashi_unfolding_part_at(const ashi_unfolding_side *side, int64_t at, int64_t end);

/* A box of the matrix, and where its elements are in memory: (i, j) of the box at i stride[0] + j stride[1]. */
typedef struct ashi_unfolding_box {
    int64_t from[2], extent[2], stride[2];
} ashi_unfolding_box;

/* Called with each box of the array and where its first element is in memory, in elements. */
typedef ashlar_status (*ashi_unfolding_visit)(void *context, const ashi_array_box *box, int64_t at, ashlar_error *err);

/* Visit the boxes of the array that a box of the matrix is made of, until one fails. Values of diagonals, numbers of
 * blocks, and values of indices that have no dimension are visited one by one. */
ashlar_status ashi_unfolding_boxes(const ashi_unfolding *view, const ashi_unfolding_box *box,
                                   ashi_unfolding_visit visit, void *context, ashlar_error *err);

/* Whether element (i, j) lies `first` + i stride[0] + j stride[1] elements after the array's first one, of which one
 * stride is 1 and the other is not 0, if elements lie one by one. */
bool ashi_unfolding_is_plain(const ashi_unfolding *view, int64_t *first, int64_t stride[2]);

/* The same matrix for a file in which elements lie one by one. Its dimensions are the indices: their neighbours are as
 * far apart in the file as values of the index are. An index that continues the one before it is joined with that, so
 * that boxes are made of fewer and longer runs. Where the matrix begins is a dimension of its own. */
void ashi_unfolding_join(const ashi_unfolding *view, ashi_unfolding *out);

/* Elements of the file between neighbours along an index; 0 if it has no dimension. */
int64_t ashi_unfolding_stride(const ashi_unfolding *view, const ashi_unfolding_index *index);

/* Add how a side of the view, 0 for its rows, lies in the file as side `to` of `out`. */
void ashi_unfolding_levels(const ashi_unfolding *view, int side, int to, ashi_file_levels *out);

/* Whether neighbours in the file are neighbours in a column (the fastest index is one of the rows). */
bool ashi_unfolding_rows_are_fast(const ashi_unfolding *view);

#endif

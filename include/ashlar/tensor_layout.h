/** Layouts of tensors: who owns which part of one, and how a rank's part lies in its memory. No MPI is needed. */
#ifndef ASHLAR_TENSOR_LAYOUT_H
#define ASHLAR_TENSOR_LAYOUT_H

#include <ashlar/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most indices of a tensor. */
#define ASHLAR_TENSOR_ORDER_MOST 64

/**
 * How a tensor is dealt out over ranks. All ranks describe the same deal; strides are each rank's own. A layout does
 * not change once made and may be used by any number of plans. It may be freed before them: they keep copies.
 */
typedef struct ashlar_tensor_layout ashlar_tensor_layout;

/**
 * A tensor whose indices are each dealt out in blocks.
 *
 * Index d is cut into blocks of block[d] values, the last of which may be shorter. Block x belongs to coordinate
 * x mod parts[d] of a process grid of parts[0] x ... x parts[order - 1] processes, which are numbered with the last
 * coordinate fastest. Each rank holds its part as one array: element (i_0, i_1, ...) of the part, counted in the
 * rank's own values of each index, is at i_0 stride[0] + i_1 stride[1] + ...
 *
 * @param order   how many indices, 0 to ASHLAR_TENSOR_ORDER_MOST; 0 is a scalar, which one rank owns
 * @param extent  values of each index, at least 0
 * @param block   values of a block of each index, at least 1; NULL for as large as gives each coordinate one block
 * @param parts   the process grid, at least 1 each; NULL for one process
 * @param ranks   a different rank for each process; NULL for its number. Copied.
 * @param stride  for each index, how many elements lie from one value to the next in this rank's array, at least 0;
 *                NULL for an array in C order without gaps: the last index is the fastest
 * @param out     the new layout, freed by ashlar_tensor_layout_free; NULL on failure
 * @return ASHLAR_OK; ASHLAR_ERR_ARG; ASHLAR_ERR_OVERFLOW (the elements, or the places of the array, are too many for
 *         64 bits); ASHLAR_ERR_MEMORY
 *
 * Local: not collective. If elements of one part share a place, because of a stride of 0 or otherwise, the tensor may
 * be read, but not be a result.
 */
ASHLAR_API ashlar_status ashlar_tensor_layout_blocks(int order, const int64_t *extent, const int64_t *block,
                                                     const int *parts, const int *ranks, const int64_t *stride,
                                                     ashlar_tensor_layout **out, ashlar_error *err);

/** Free a layout and set the pointer to NULL. NULL, and a pointer to NULL, do nothing. */
ASHLAR_API void ashlar_tensor_layout_free(ashlar_tensor_layout **layout);

/** How many elements of the tensor a rank owns. Local; 0 for a rank that owns none, and for NULL. */
ASHLAR_API int64_t ashlar_tensor_layout_words(const ashlar_tensor_layout *layout, int rank);

/**
 * How many elements an array needs so that it holds a rank's part as the layout says: at least
 * ashlar_tensor_layout_words unless places are shared, and more if strides leave gaps. If the layout has this rank's
 * strides, the answer is right for this rank only. Local; 0 for NULL.
 */
ASHLAR_API int64_t ashlar_tensor_layout_room(const ashlar_tensor_layout *layout, int rank);

/** A box of a tensor that one rank owns, and how it lies in the rank's array. */
typedef struct ashlar_tensor_box {
    int order;                                /**< how many indices; only so many members of the arrays are filled in */
    int64_t from[ASHLAR_TENSOR_ORDER_MOST];   /**< the first value of each index in the whole tensor, from 0 */
    int64_t extent[ASHLAR_TENSOR_ORDER_MOST]; /**< how many values of each index */
    int64_t stride[ASHLAR_TENSOR_ORDER_MOST]; /**< in elements: element from + i is at offset + sum of i[d] stride[d] */
    int64_t offset;                           /**< where the box's first element is in the rank's array, in elements */
} ashlar_tensor_box;

/** What ashlar_tensor_layout_list_boxes calls: `boxes` are structures of `size` bytes each. */
ASHLAR_API ashlar_status ashlar_tensor_layout_list_boxes_sized(const ashlar_tensor_layout *layout, int rank,
                                                               int64_t first, int64_t room, ashlar_tensor_box *boxes,
                                                               size_t size, int64_t *count, ashlar_error *err);

/**
 * List what a rank owns of a tensor as boxes that have no element in common, none of them empty. Boxes of one layout
 * are always in the same order.
 *
 * @param rank   at least 0
 * @param first  the number of the first box to be listed, from 0
 * @param room   how many boxes fit in `boxes`; at least 0
 * @param boxes  the boxes from number `first` on; may be NULL if room is 0
 * @param count  how many boxes there are in all
 * @return ASHLAR_OK; ASHLAR_ERR_ARG
 *
 * Local: not collective. Allocates nothing.
 */
static inline ashlar_status ashlar_tensor_layout_list_boxes(const ashlar_tensor_layout *layout, int rank, int64_t first,
                                                            int64_t room, ashlar_tensor_box *boxes, int64_t *count,
                                                            ashlar_error *err)
{
    return ashlar_tensor_layout_list_boxes_sized(layout, rank, first, room, boxes, sizeof *boxes, count, err);
}

#ifdef __cplusplus
}
#endif
#endif

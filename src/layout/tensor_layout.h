/* What a layout of a tensor is inside. */
#ifndef ASHI_TENSOR_LAYOUT_H
#define ASHI_TENSOR_LAYOUT_H

#include <ashlar/layout.h>
#include <ashlar/tensor_layout.h>

/* A tensor that lies as matrices: a batch of them, whose rows, columns and numbers are groups of the tensor's
 * dimensions. A rank's array has its part of the first matrix, then that of the next. */
enum { ASHI_GROUP_ROWS, ASHI_GROUP_COLS, ASHI_GROUP_BATCH, ASHI_GROUPS };

typedef struct ashi_tensor_groups {
    int count[ASHI_GROUPS], dim[ASHI_GROUPS][ASHLAR_TENSOR_ORDER_MOST]; /* the slowest first */
    int64_t batches;
    int *piece_of;         /* of each matrix of the batch */
    int pieces;
    ashlar_layout **piece; /* of tiles */
} ashi_tensor_groups;

struct ashlar_tensor_layout {
    int order;
    int64_t extent[ASHLAR_TENSOR_ORDER_MOST], block[ASHLAR_TENSOR_ORDER_MOST];
    int parts[ASHLAR_TENSOR_ORDER_MOST]; /* the process grid */
    int processes;                       /* of the grid */
    int *ranks;                          /* of each process; NULL: its number */
    bool strided;                        /* this rank's strides were given */
    int64_t stride[ASHLAR_TENSOR_ORDER_MOST];
    ashi_tensor_groups *groups;          /* of blocks: NULL; else nothing counts but order, extent and this */
};

/* A layout of matrices. Copies what it is given. ASHLAR_ERR_MEMORY; ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_tensor_layout_groups(int order, const int64_t *extent, const ashi_tensor_groups *groups,
                                        ashlar_tensor_layout **out, ashlar_error *err);

/* Of a layout of matrices: what the public calls say. */
void ashi_tensor_groups_free(ashi_tensor_groups **groups);
int64_t ashi_tensor_groups_words(const ashi_tensor_groups *groups, int rank);
int64_t ashi_tensor_groups_room(const ashi_tensor_groups *groups, int rank);
uint64_t ashi_tensor_groups_digest(const ashi_tensor_groups *groups);
int64_t ashi_tensor_groups_list(const ashlar_tensor_layout *layout, int rank, int64_t first, int64_t room,
                                ashlar_tensor_box *boxes, size_t size);

/* Blocks of about equal size for all of `ranks` ranks, or fewer if the dimensions that may be cut are too short. Those
 * with the most values for a process are cut, into prime factors of the ranks, the largest first. */
ashlar_status ashi_tensor_layout_even(int order, const int64_t *extent, const bool *may_cut, int ranks,
                                      ashlar_tensor_layout **out, ashlar_error *err);

/* A copy that the caller frees. */
ashlar_status ashi_tensor_layout_copy(const ashlar_tensor_layout *layout, ashlar_tensor_layout **out,
                                      ashlar_error *err);

/* A number that two layouts share only if (almost certainly) all ranks would see the same deal. */
uint64_t ashi_tensor_layout_digest(const ashlar_tensor_layout *layout);

/* The largest rank that owns anything, plus one. */
int ashi_tensor_layout_ranks(const ashlar_tensor_layout *layout);

/* Of blocks: the strides of a rank's array: those given, or of C order. */
void ashi_tensor_layout_strides(const ashlar_tensor_layout *layout, int rank, int64_t *stride);

/* Make the same rank own the same coordinates in a layout of blocks as in another. Dimensions with the same index are
 * cut alike, others not at all. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tensor_layout_like(ashlar_tensor_layout *layout, const int *index,
                                      const ashlar_tensor_layout *other, const int *other_index, ashlar_error *err);

/* A layout of blocks that cuts the dimensions with an index that `other` cuts just as it does, the others not at all;
 * what has the same coordinates is on the same rank. Of an index that is twice in `other` the first counts. */
ashlar_status ashi_tensor_layout_follow(int order, const int64_t *extent, const int *index,
                                        const ashlar_tensor_layout *other, const int *other_index,
                                        ashlar_tensor_layout **out, ashlar_error *err);

/* Of blocks: whether both deal out the same dimensions alike, wherever elements lie in the ranks' memories. */
bool ashi_tensor_layout_same_deal(const ashlar_tensor_layout *a, const ashlar_tensor_layout *b);

/* A layout of blocks, and the index of each of its dimensions. */
typedef struct ashi_dealt_by {
    const ashlar_tensor_layout *layout;
    const int *index;
} ashi_dealt_by;

/* How many elements of an array, whose dimensions have different indices, have values that the rank has in each of the
 * layouts, as far as these have the indices. 0 if the rank has no place in one of them. */
enum { ASHI_DEALT_BY_MOST = 2 };
int64_t ashi_tensor_layout_part_of(int order, const int64_t *extent, const int *index, const ashi_dealt_by *by,
                                   int count, int rank);

/* Of blocks: the rank's place in the process grid; false if it has none. */
bool ashi_tensor_layout_coordinates(const ashlar_tensor_layout *layout, int rank, int *coordinate);

/* Of blocks: how many values of each index a rank has; false if it has no element. */
bool ashi_tensor_layout_part(const ashlar_tensor_layout *layout, int rank, int64_t *extent);

#endif

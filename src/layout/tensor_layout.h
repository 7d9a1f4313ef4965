/* What a layout of a tensor is inside. */
#ifndef ASHI_TENSOR_LAYOUT_H
#define ASHI_TENSOR_LAYOUT_H

#include <ashlar/tensor_layout.h>

struct ashlar_tensor_layout {
    int order;
    int64_t extent[ASHLAR_TENSOR_ORDER_MOST], block[ASHLAR_TENSOR_ORDER_MOST];
    int parts[ASHLAR_TENSOR_ORDER_MOST]; /* the process grid */
    int processes;                       /* of the grid */
    int *ranks;                          /* of each process; NULL: its number */
    bool strided;                        /* this rank's strides were given */
    int64_t stride[ASHLAR_TENSOR_ORDER_MOST];
};

/* A copy that the caller frees. */
ashlar_status ashi_tensor_layout_copy(const ashlar_tensor_layout *layout, ashlar_tensor_layout **out,
                                      ashlar_error *err);

/* A number that two layouts share only if (almost certainly) all ranks would see the same deal. */
uint64_t ashi_tensor_layout_digest(const ashlar_tensor_layout *layout);

/* The largest rank that owns anything, plus one. */
int ashi_tensor_layout_ranks(const ashlar_tensor_layout *layout);

/* The strides of a rank's array: those given, or of C order. */
void ashi_tensor_layout_strides(const ashlar_tensor_layout *layout, int rank, int64_t *stride);

/* The rank's place in the process grid; false if it has none. */
bool ashi_tensor_layout_coordinates(const ashlar_tensor_layout *layout, int rank, int *coordinate);

/* How many values of each index a rank has; false if it has no element. */
bool ashi_tensor_layout_part(const ashlar_tensor_layout *layout, int rank, int64_t *extent);

#endif

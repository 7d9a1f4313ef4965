/* How the indices of a tensor are dealt out over ranks and lie in their memories, as far as all ranks agree. */
#ifndef ASHI_CONTRACT_DEALT_H
#define ASHI_CONTRACT_DEALT_H

#include "layout/tensor_layout.h"
#include "plan/context.h"
#include "tensor/expression.h"

/* An index of one value has no part in this. */
typedef struct ashi_dealt {
    const ashi_expression *expression;
    const ashlar_tensor_layout *layout; /* of blocks; NULL: the plan's own, and nothing below is filled in */
    const ashi_index_list *list;
    int64_t stride[ASHLAR_TENSOR_ORDER_MOST]; /* of each dimension, on this rank */
    int place[ASHI_INDICES_MOST];  /* of each index in the order of strides, the largest first */
    int before[ASHI_INDICES_MOST]; /* the index whose values begin where those of this one end, so that they are one in
                                      memory, and of which every rank that has one value has all of this index; -1 */
    int fast;                      /* the index with a stride of 1, or -1 */
    bool plain;                    /* no element lies between the values of a faster index, or in the same place */
} ashi_dealt;

/* Complete `count` tensors whose first three members are given. All ranks get the same, except for strides.
 * Collective: a failure of MPI is noted. */
enum { ASHI_DEALT_MOST = 3 };
void ashi_dealt_agree(const ashlar_context *context, ashi_dealt *tensor, int count);

/* How far the values of an index lie apart on this rank: a diagonal's stride is the sum of its dimensions'. */
int64_t ashi_dealt_stride(const ashi_dealt *tensor, int index);

/* Whether the values of an index are on different ranks. */
bool ashi_dealt_is_cut(const ashi_dealt *tensor, int index);

/* The first value above `value` that may be on another rank, or elsewhere in a rank's memory; at most the extent. */
int64_t ashi_dealt_run_end(const ashi_dealt *tensor, int index, int64_t value);

/* What a value adds to the number of the process that owns it, and to its place in that process's memory. */
int64_t ashi_dealt_process(const ashi_dealt *tensor, int index, int64_t value);
int64_t ashi_dealt_offset(const ashi_dealt *tensor, int index, int64_t value);

/* What a coordinate adds to the number of the process, if the index is one dimension. */
int64_t ashi_dealt_process_at(const ashi_dealt *tensor, int index, int64_t coordinate);

#endif

/* The slabs of a batch of products of tensors in files. */
#include "contract/filed_batch.h"

#include <string.h>

const ashi_index_list *ashi_batch_list(const ashlar_contraction_plan *plan, int x)
{
    return x < ASHLAR_C ? &plan->expression.operand[x] : &plan->expression.output;
}

void ashi_batch_extents(const ashlar_contraction_plan *plan, const ashi_filed_batch *b, int x, int size,
                        int64_t *extent)
{
    const ashi_index_list *const list = ashi_batch_list(plan, x);
    const int64_t all = plan->expression.extent[b->index[b->depth]];
    for (int d = 0; d < list->order; d++) {
        extent[d] = plan->expression.extent[list->index[d]];
        for (int i = 0; i < b->depth; i++)
            extent[d] = list->index[d] == b->index[i] ? 1 : extent[d];
        if (list->index[d] == b->index[b->depth])
            extent[d] = size == 0 ? b->thickness : all % b->thickness;
    }
}

int ashi_batch_slab(const ashlar_contraction_plan *plan, const ashi_filed_batch *b, int64_t n, int64_t *value)
{
    const int64_t at = n % b->per_line * b->thickness;
    memset(value, 0, (size_t)b->count * sizeof *value);
    n /= b->per_line;
    for (int i = b->depth - 1; i >= 0; i--) {
        value[i] = n % plan->expression.extent[b->index[i]];
        n /= plan->expression.extent[b->index[i]];
    }
    value[b->depth] = at;
    return at + b->thickness > plan->expression.extent[b->index[b->depth]];
}

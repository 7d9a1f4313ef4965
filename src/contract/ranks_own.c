/* The own layouts of plans of matrices as those of tensors. */
#include "contract/ranks.h"

#include "base/checked.h"
#include "base/error.h"
#include "layout/layout.h"

#include <stdlib.h>

/* The dimensions of a tensor that are a group, with those of one value at the front. */
static void name_dimensions(const ashi_over_ranks *o, int x, int group, bool spare, int *count, int *dim)
{
    const ashi_dealt *const t = &o->dealt[x];
    *count = 0;
    for (int d = 0; spare && d < t->list->order; d++)
        if (t->expression->extent[t->list->index[d]] == 1)
            dim[(*count)++] = d;
    for (int i = 0; i < o->group[group].count; i++) {
        const int d = ashi_index_find(t->list, o->group[group].index[i]);
        if (d >= 0)
            dim[(*count)++] = d;
    }
}

ashlar_status ashi_over_ranks_own(ashlar_contraction_plan *plan, ashi_over_ranks *o, int x, ashlar_error *err)
{
    ashi_contract_tensor *const t = &plan->tensor[o->tensor[x]];
    ashi_tensor_groups g = {.batches = o->batches, .piece_of = o->piece_of, .pieces = o->pieces};
    int64_t base = 0;
    g.piece = calloc((size_t)ashi_max(o->pieces, 1), sizeof(ashlar_layout *));
    if (!g.piece)
        return ashi_fail_memory(err, "layout of a tensor", o->pieces * (int64_t)sizeof(ashlar_layout *));
    const bool turned = o->turned[x];
    name_dimensions(o, x, ashi_matrix_sides[x][turned], true, &g.count[ASHI_GROUP_ROWS], g.dim[ASHI_GROUP_ROWS]);
    name_dimensions(o, x, ashi_matrix_sides[x][!turned], false, &g.count[ASHI_GROUP_COLS], g.dim[ASHI_GROUP_COLS]);
    name_dimensions(o, x, ASHI_OF_BATCH, false, &g.count[ASHI_GROUP_BATCH], g.dim[ASHI_GROUP_BATCH]);
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < o->pieces && status == ASHLAR_OK; i++)
        status = ashi_layout_spread(ashlar_plan_layout(o->piece[i].plan, (ashlar_operand)x), &o->piece[i].some,
                                    &g.piece[i], err);
    if (status == ASHLAR_OK)
        status = ashi_tensor_layout_groups(t->order, t->extent, &g, &t->layout, err);
    for (int64_t z = 0; z < o->batches && status == ASHLAR_OK; z++) {
        o->base[x][z] = base;
        base += ashlar_layout_extent(g.piece[o->piece_of[z]], plan->context->rank);
    }
    for (int i = 0; i < o->pieces; i++)
        ashlar_layout_free(&g.piece[i]);
    free(g.piece);
    return status;
}

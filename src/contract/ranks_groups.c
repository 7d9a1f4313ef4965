/* Which matrices a contraction over several ranks is made of. */
#include "contract/ranks.h"

#include "base/checked.h"

#include <string.h>

enum { A, B, C };

const int ashi_matrix_sides[ASHI_MATRICES][2] = {
    {ASHI_OF_ROWS, ASHI_OF_SUM}, {ASHI_OF_SUM, ASHI_OF_COLS}, {ASHI_OF_ROWS, ASHI_OF_COLS}};

ashlar_status ashi_over_ranks_deal(ashlar_contraction_plan *plan, bool batches, ashlar_error *err)
{
    const ashi_expression *const e = &plan->expression;
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x <= e->operands && status == ASHLAR_OK; x++) {
        ashi_contract_tensor *const t = &plan->tensor[x];
        const ashi_index_list *const list = x < e->operands ? &e->operand[x] : &e->output;
        bool may_cut[ASHLAR_TENSOR_ORDER_MOST], blocks = x < e->operands && ashi_contract_has_diagonal(plan, x);
        blocks = blocks || plan->context->ranks == 1; /* one array in C order */
        for (int d = 0; d < list->order; d++) {
            const int i = list->index[d];
            const bool alone = x < e->operands && ashi_contract_is_alone(e, x, i);
            const bool batch = ashi_index_find(&e->operand[0], i) >= 0 && ashi_index_find(&e->output, i) >= 0 &&
                               ashi_index_find(&e->operand[e->operands - 1], i) >= 0;
            may_cut[d] = !alone;
            blocks = blocks || alone || (e->operands == 2 && batch && batches);
        }
        if (t->own && !t->file && blocks)
            status = ashi_tensor_layout_even(t->order, t->extent, may_cut, plan->context->ranks, &t->layout, err);
    }
    return status;
}

void ashi_over_ranks_tensors(const ashlar_contraction_plan *plan, ashi_over_ranks *o)
{
    static const ashi_index_list none = {0};
    const ashi_expression *const e = &plan->expression;
    const int tensor[ASHI_MATRICES] = {0, e->operands == 2 ? 1 : -1, e->operands};
    for (int x = 0; x < ASHI_MATRICES; x++) {
        const ashi_contract_tensor *const t = tensor[x] < 0 ? NULL : &plan->tensor[tensor[x]];
        const ashi_index_list *const list = x == C ? &e->output : t ? &e->operand[x] : &none;
        o->tensor[x] = tensor[x];
        o->turned[x] = t && t->conjugate;
        o->dealt[x] = (ashi_dealt){.expression = e, .list = list, .layout = t ? t->layout : NULL};
        if (o->prepared[x].plan)
            o->dealt[x] = (ashi_dealt){.expression = e, .list = &o->prepared[x].list, .layout = o->prepared[x].layout};
    }
}

/* The indices of a group, by their places in one of the matrices that have it. */
static ashi_order order_of(const ashi_over_ranks *o, const bool *member, int by)
{
    const ashi_dealt *const t = &o->dealt[by];
    ashi_order order = {0};
    for (int d = 0; d < t->list->order; d++) {
        const int index = t->list->index[d];
        if (!member[index] || ashi_index_find(t->list, index) != d || t->expression->extent[index] == 1)
            continue;
        int at = order.count++;
        for (; at > 0 && t->layout && t->place[order.index[at - 1]] > t->place[index]; at--)
            order.index[at] = order.index[at - 1];
        order.index[at] = index;
    }
    return order;
}

static int class_of(const ashi_over_ranks *o, int index)
{
    const bool a = ashi_index_find(o->dealt[A].list, index) >= 0, b = ashi_index_find(o->dealt[B].list, index) >= 0;
    const bool c = ashi_index_find(o->dealt[C].list, index) >= 0;
    return !c ? ASHI_OF_SUM : a && b ? ASHI_OF_BATCH : a ? ASHI_OF_ROWS : ASHI_OF_COLS;
}

/* Tiles of all matrices whose layouts were given. */
static int64_t tiles_of(const ashi_over_ranks *o, const ashi_order *group)
{
    int64_t tiles = 0;
    for (int x = 0; x < ASHI_MATRICES; x++) {
        const int *const side = ashi_matrix_sides[x];
        if (o->dealt[x].layout)
            tiles = ashi_add_most(tiles, ashi_matricised_tiles(&o->dealt[x], &group[side[0]], &group[side[1]]));
    }
    return tiles;
}

/* A group's order is that of one of the two matrices that have it. */
void ashi_over_ranks_groups(const ashlar_contraction_plan *plan, ashi_over_ranks *o)
{
    static const int owners[ASHI_INDEX_GROUPS][2] = {{A, C}, {B, C}, {A, B}, {C, C}};
    bool member[ASHI_INDEX_GROUPS][ASHI_INDICES_MOST] = {{false}};
    int64_t fewest = -1;
    for (int i = 0; i < plan->expression.indices; i++)
        member[class_of(o, i)][i] = true;
    for (int way = 0; way < 8; way++) {
        ashi_order group[ASHI_INDEX_GROUPS];
        for (int g = 0; g < ASHI_INDEX_GROUPS; g++) {
            const int second = g < ASHI_OF_BATCH ? way >> g & 1 : 0, by = owners[g][second], other = owners[g][!second];
            group[g] = order_of(o, member[g], o->tensor[by] >= 0 ? by : other);
        }
        const int64_t tiles = tiles_of(o, group);
        if (fewest < 0 || tiles < fewest) {
            memcpy(o->group, group, sizeof group);
            fewest = tiles;
        }
    }
    o->batches = ashi_order_extent(&plan->expression, &o->group[ASHI_OF_BATCH]);
}

/* ---- tensors that lie in another order ---- */

/* Planning looks at each tile often. Copies of the ranks' parts take less time than that if there are more. */
enum { TILES_ENOUGH = 1024 };

/* The indices of matrix x as they lie in a batch of matrices in rows: those of no group have one value. */
static ashi_index_list in_groups(const ashi_over_ranks *o, int x)
{
    const ashi_index_list *const list = o->dealt[x].list;
    const int group[] = {ASHI_OF_BATCH, ashi_matrix_sides[x][0], ashi_matrix_sides[x][1]};
    ashi_index_list order = {0};
    for (int d = 0; d < list->order; d++)
        if (o->dealt[x].expression->extent[list->index[d]] == 1 && ashi_index_find(list, list->index[d]) == d)
            order.index[order.order++] = list->index[d];
    for (int g = 0; g < ASHI_MATRICES; g++)
        for (int i = 0; i < o->group[group[g]].count; i++)
            if (ashi_index_find(list, o->group[group[g]].index[i]) >= 0)
                order.index[order.order++] = o->group[group[g]].index[i];
    return order;
}

/* Bring the matrices of more than `most` tiles into the order of the groups: each rank its part, or if `cut` is given
 * in a new deal. */
static ashlar_status bring(ashlar_contraction_plan *plan, ashi_over_ranks *o, int64_t most, const bool *cut,
                           const ashlar_options *options, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    bool any = false;
    for (int x = 0; x < ASHI_MATRICES && status == ASHLAR_OK; x++) {
        const int *const side = ashi_matrix_sides[x];
        if (!o->dealt[x].layout || o->tensor[x] < 0 ||
            ashi_matricised_tiles(&o->dealt[x], &o->group[side[0]], &o->group[side[1]]) <= most)
            continue;
        const ashi_index_list order = in_groups(o, x);
        ashi_contract_prepared_free(&o->prepared[x]);
        status = ashi_contract_prepared_make(plan, o->tensor[x], &order, cut, options, &o->prepared[x], err);
        any = true;
    }
    if (status != ASHLAR_OK || !any)
        return status;
    ashi_over_ranks_tensors(plan, o);
    ashi_dealt_agree(plan->context, o->dealt, ASHI_MATRICES);
    ashi_over_ranks_groups(plan, o);
    return status;
}

ashlar_status ashi_over_ranks_order(ashlar_contraction_plan *plan, ashi_over_ranks *o, const ashlar_options *options,
                                    ashlar_error *err)
{
    bool cut[ASHI_INDICES_MOST] = {false};
    const ashlar_status status = bring(plan, o, TILES_ENOUGH, NULL, options, err);
    if (status != ASHLAR_OK)
        return status;
    for (int g = 0; g < ASHI_INDEX_GROUPS; g++) /* the slowest: so each side is cut into few runs */
        if (o->group[g].count > 0)
            cut[o->group[g].index[0]] = true;
    return bring(plan, o, ASHI_MULTIPLIED_TILES_MOST, cut, options, err);
}

/* Which values of each index a rank has of two layouts of a tensor, and how many elements ranks have in common. */
#include "contract/by_element.h"

#include "base/checked.h"
#include "base/error.h"

#include <limits.h>
#include <stdlib.h>

/* The index of most values comes first, so that slabs can be thin; then the others, as in the result. */
static void order_indices(const ashi_expression *e, ashi_by_element *q)
{
    int first = e->output.index[0];
    for (int i = 0; i < e->indices; i++)
        first = e->extent[i] > e->extent[first] ? i : first;
    q->index[q->indices++] = first;
    for (int d = 0; d < e->output.order; d++)
        if (e->output.index[d] != first)
            q->index[q->indices++] = e->output.index[d];
    q->first = e->extent[first];
}

/* What values of an index that a rank has add to the owner's number; -1: it has no place in the grid. */
static int64_t part_of(const ashi_dealt *t, int index, int rank)
{
    int coordinate[ASHLAR_TENSOR_ORDER_MOST];
    int64_t weight = 1, process = 0;
    if (!ashi_tensor_layout_coordinates(t->layout, rank, coordinate))
        return -1;
    for (int d = t->list->order - 1; d >= 0; d--) {
        process += t->list->index[d] == index ? coordinate[d] * weight : 0;
        weight *= t->layout->parts[d];
    }
    return process;
}

static void list_values(const ashi_by_element *q, ashi_by_element_side *s, int i, int rank)
{
    const int index = q->index[i];
    const int64_t mine = part_of(&s->dealt, index, rank);
    s->owned[i] = 0;
    for (int64_t v = 0; v < s->dealt.expression->extent[index]; v++) {
        s->process[i][v] = ashi_dealt_process(&s->dealt, index, v);
        s->offset[i][v] = ashi_dealt_offset(&s->dealt, index, v);
        if (s->process[i][v] == mine)
            s->own[i][s->owned[i]++] = v;
    }
}

/* What another rank has of the other tensor, of what this rank has of this one. */
static void compare(const ashi_by_element *q, int side, int rank)
{
    const ashi_by_element_side *const s = &q->side[side], *const other = &q->side[!side];
    s->first[rank] = part_of(&other->dealt, q->index[0], rank);
    s->common[rank] = 1;
    for (int i = 1; i < q->indices; i++) {
        const int64_t theirs = part_of(&other->dealt, q->index[i], rank);
        int64_t values = 0;
        for (int64_t k = 0; k < s->owned[i]; k++)
            values += other->process[i][s->own[i][k]] == theirs;
        s->common[rank] *= values;
    }
}

static bool allocate(ashi_by_element *q, int ranks)
{
    const int64_t *const extent = q->side[0].dealt.expression->extent;
    int64_t values = 0;
    for (int i = 0; i < q->indices; i++)
        values += extent[q->index[i]];
    q->numbers = malloc((size_t)(ASHI_BY_ELEMENT_TENSORS * (3 * values + 2 * ranks)) * sizeof *q->numbers);
    q->counts = calloc((size_t)ranks * 2 * ASHI_BY_ELEMENT_TENSORS, sizeof *q->counts);
    int64_t *next = q->numbers;
    for (int x = 0; x < ASHI_BY_ELEMENT_TENSORS && q->numbers && q->counts; x++) {
        ashi_by_element_side *const s = &q->side[x];
        for (int i = 0; i < q->indices; i++) {
            const int64_t values_of = extent[q->index[i]];
            s->process[i] = next;
            s->offset[i] = next + values_of;
            s->own[i] = next + 2 * values_of;
            next += 3 * values_of;
        }
        s->first = next;
        s->common = next + ranks;
        next += 2 * ranks;
        s->count = q->counts + (size_t)x * 2 * (size_t)ranks;
        s->at = s->count + ranks;
    }
    return q->numbers && q->counts;
}

ashlar_status ashi_by_element_lists(const ashlar_contraction_plan *plan, ashi_by_element *q, ashlar_error *err)
{
    const int ranks = plan->context->ranks;
    order_indices(&plan->expression, q);
    if (!allocate(q, ranks))
        return ashi_fail_memory(err, "contraction", ranks);
    for (int x = 0; x < ASHI_BY_ELEMENT_TENSORS; x++)
        for (int i = 0; i < q->indices; i++)
            list_values(q, &q->side[x], i, plan->context->rank);
    for (int x = 0; x < ASHI_BY_ELEMENT_TENSORS; x++)
        for (int rank = 0; rank < ranks; rank++)
            compare(q, x, rank);
    return ASHLAR_OK;
}

int64_t ashi_by_element_count(const ashi_by_element *q, int side, int ranks, int64_t from, int64_t to)
{
    const ashi_by_element_side *const s = &q->side[side];
    int64_t all = 0;
    for (int rank = 0; rank < ranks; rank++) {
        int64_t values = 0;
        for (int64_t k = 0; k < s->owned[0]; k++) {
            const int64_t v = s->own[0][k];
            values += v >= from && v < to && q->side[!side].process[0][v] == s->first[rank];
        }
        const int64_t elements = ashi_mul_most(values, s->common[rank]);
        s->at[rank] = (int)ashi_min(all, INT_MAX);
        s->count[rank] = (int)ashi_min(elements, INT_MAX);
        all = ashi_add_most(all, elements);
    }
    return all < INT_MAX ? all : INT64_MAX;
}

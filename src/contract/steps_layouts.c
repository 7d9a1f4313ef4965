/* The layouts of a sequence's arrays, chosen together: dynamic programming over the tree of steps, with a few layouts
 * of each array. */
#include "base/error.h"
#include "contract/steps.h"

#include <float.h>
#include <stdlib.h>

enum { CANDIDATES = 8, ARRAYS = ASHI_OPERANDS_MOST + ASHI_SEQUENCE_STEPS };

/* An array of the sequence, and for each layout of it the least seconds of all steps up to it, and with which layouts
 * of the operands of the step that makes it. */
typedef struct array {
    ashi_index_list list;
    int count;
    ashlar_tensor_layout *candidate[CANDIDATES];
    double seconds[CANDIDATES];
    int chosen[CANDIDATES][2];
} array;

typedef struct search {
    ashlar_contraction_plan *plan;
    ashi_contract_steps *steps;
    const ashlar_machine *machine;
    array array[ARRAYS];
} search;

/* ---- candidates ---- */

/* Takes the layout over; drops it if there is one like it, or no room. */
static void add(array *a, ashlar_tensor_layout **layout)
{
    bool other = a->count < CANDIDATES;
    for (int i = 0; i < a->count && other; i++)
        other = !ashi_tensor_layout_same_deal(a->candidate[i], *layout);
    if (other)
        a->candidate[a->count++] = *layout;
    else
        ashlar_tensor_layout_free(layout);
    *layout = NULL;
}

/* Dealt out evenly by one index, or by all if `dim` is -1. */
static ashlar_status add_even(const search *s, array *a, const int64_t *extent, int dim, ashlar_error *err)
{
    bool may_cut[ASHLAR_TENSOR_ORDER_MOST];
    ashlar_tensor_layout *layout = NULL;
    for (int d = 0; d < a->list.order; d++)
        may_cut[d] = dim < 0 || d == dim;
    const ashlar_status status =
        ashi_tensor_layout_even(a->list.order, extent, may_cut, s->plan->context->ranks, &layout, err);
    if (status == ASHLAR_OK)
        add(a, &layout);
    return status;
}

/* Dealt out as a tensor of the caller's is, if the array has all indices by which that is. */
static ashlar_status add_like(const search *s, array *a, const int64_t *extent, int x, ashlar_error *err)
{
    const ashi_expression *const e = &s->plan->expression;
    const ashi_index_list *const list = x < e->operands ? &e->operand[x] : &e->output;
    const ashlar_tensor_layout *const like = s->plan->tensor[x].layout;
    ashlar_tensor_layout *layout = NULL;
    bool cut = false;
    for (int d = 0; d < list->order; d++) {
        const bool twice = ashi_index_find(list, list->index[d]) != d;
        if (like->parts[d] > 1 && (twice || ashi_index_find(&a->list, list->index[d]) < 0))
            return ASHLAR_OK;
        cut = cut || like->parts[d] > 1;
    }
    if (!cut)
        return ASHLAR_OK;
    const ashlar_status status =
        ashi_tensor_layout_follow(a->list.order, extent, a->list.index, like, list->index, &layout, err);
    if (status == ASHLAR_OK)
        add(a, &layout);
    return status;
}

/* The layouts that are tried for an array of which none is given: evenly dealt by all indices; as the caller's tensors;
 * by one index, the longest first. */
static ashlar_status find_candidates(const search *s, array *a, ashlar_error *err)
{
    const int ranks = s->plan->context->ranks;
    int64_t extent[ASHLAR_TENSOR_ORDER_MOST];
    bool tried[ASHLAR_TENSOR_ORDER_MOST] = {false};
    for (int d = 0; d < a->list.order; d++)
        extent[d] = s->plan->expression.extent[a->list.index[d]];
    ashlar_status status = add_even(s, a, extent, -1, err);
    for (int x = 0; x <= s->plan->expression.operands && status == ASHLAR_OK; x++)
        if (!s->plan->tensor[x].own && a->count < CANDIDATES - 2)
            status = add_like(s, a, extent, x, err);
    while (status == ASHLAR_OK && a->count < CANDIDATES) {
        int best = -1;
        for (int d = 0; d < a->list.order; d++)
            if (!tried[d] && extent[d] >= ranks && (best < 0 || extent[d] > extent[best]))
                best = d;
        if (best < 0)
            break;
        tried[best] = true;
        status = add_even(s, a, extent, best, err);
    }
    return status;
}

static ashlar_status prepare(search *s, int number, ashlar_error *err)
{
    const ashi_sequence *const q = &s->steps->sequence;
    const ashi_expression *const e = &s->plan->expression;
    const bool last = number == q->operands + q->steps - 1;
    const int tensor = last ? e->operands : number;
    array *const a = &s->array[number];
    const bool callers = last || number < q->operands;
    a->list = last ? e->output : number < q->operands ? e->operand[number] : q->step[number - q->operands].result;
    if (!callers || s->plan->tensor[tensor].own)
        return find_candidates(s, a, err);
    a->count = 1;
    return ashi_tensor_layout_copy(s->plan->tensor[tensor].layout, &a->candidate[0], err);
}

/* ---- the search ---- */

/* The best layouts of the operands of a step for one layout of its result. */
static void join(search *s, int step, int result)
{
    const ashi_sequence_step *const q = &s->steps->sequence.step[step];
    array *const to = &s->array[s->steps->sequence.operands + step];
    const array *const a = &s->array[q->operand[0]], *const b = q->operand[1] < 0 ? NULL : &s->array[q->operand[1]];
    ashi_expression e;
    ashi_sequence_expression(&s->plan->expression, &s->steps->sequence, step, &e);
    to->seconds[result] = DBL_MAX;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < (b ? b->count : 1); j++) {
            const ashlar_tensor_layout *const layout[3] = {
                a->candidate[i], b ? b->candidate[j] : to->candidate[result], to->candidate[result]};
            const double before = a->seconds[i] + (b ? b->seconds[j] : 0);
            if (before >= to->seconds[result])
                continue;
            const double seconds =
                before +
                ashi_contract_steps_estimate(&e, layout, s->plan->context->ranks, s->plan->type, s->machine);
            if (seconds < to->seconds[result]) {
                to->seconds[result] = seconds;
                to->chosen[result][0] = i;
                to->chosen[result][1] = j;
            }
        }
}

/* Give an array the candidate, and those that it is made of theirs. */
static void settle(search *s, int number, int candidate)
{
    const ashi_sequence *const q = &s->steps->sequence;
    array *const a = &s->array[number];
    const int step = number - q->operands;
    ashlar_tensor_layout **const to = ashi_contract_array_layout(s->plan, s->steps, number);
    if (!*to) {
        *to = a->candidate[candidate];
        a->candidate[candidate] = NULL;
    }
    for (int i = 0; step >= 0 && i < 2; i++)
        if (q->step[step].operand[i] >= 0)
            settle(s, q->step[step].operand[i], a->chosen[candidate][i]);
}

ashlar_status ashi_contract_steps_layouts(ashlar_contraction_plan *plan, ashi_contract_steps *steps,
                                          const ashlar_machine *machine, ashlar_error *err)
{
    const ashi_sequence *const q = &steps->sequence;
    const int arrays = q->operands + q->steps;
    search *const s = calloc(1, sizeof *s);
    ashlar_status status =
        s ? ASHLAR_OK : ashi_fail_memory(err, "layouts of a sequence", (int64_t)sizeof *s);
    if (!s)
        return status;
    s->plan = plan;
    s->steps = steps;
    s->machine = machine;
    for (int i = 0; i < arrays && status == ASHLAR_OK; i++)
        status = prepare(s, i, err);
    for (int step = 0; step < q->steps && status == ASHLAR_OK; step++)
        for (int i = 0; i < s->array[q->operands + step].count; i++)
            join(s, step, i);
    if (status == ASHLAR_OK) {
        const array *const last = &s->array[arrays - 1];
        int best = 0;
        for (int i = 1; i < last->count; i++)
            best = last->seconds[i] < last->seconds[best] ? i : best;
        settle(s, arrays - 1, best);
    }
    for (int i = 0; i < arrays; i++)
        for (int c = 0; c < CANDIDATES; c++)
            ashlar_tensor_layout_free(&s->array[i].candidate[c]);
    free(s);
    return status;
}

/* Planning the steps of a contraction of several operands: layouts of intermediates, their places, the limit of
 * memory. */
#include "base/checked.h"
#include "base/error.h"
#include "contract/steps.h"

#include <inttypes.h>
#include <string.h>

enum { LINE = 64 };

void ashi_contract_steps_clear(ashi_contract_steps *q, bool layouts)
{
    for (int s = 0; s < ASHI_SEQUENCE_STEPS; s++) {
        ashlar_contraction_plan **const made[2] = {&q->step[s].plan, &q->step[s].rest};
        for (int i = 0; i < 2; i++)
            if (*made[i])
                (*made[i])->calls->free(made[i]);
        if (layouts)
            ashlar_tensor_layout_free(&q->step[s].layout);
    }
}

/* ---- places ---- */

/* When a step is done. Two that are done in slices are done at the same time. */
static int time_of(const ashi_contract_steps *q, int s)
{
    return q->slices.first >= 0 && s > q->slices.first ? s - 1 : s;
}

/* Whether the results of two steps do, from the step that makes one to the step that uses it. */
static bool exist_together(const ashi_contract_steps *q, int s, int t)
{
    const ashi_sequence_step *step = q->sequence.step;
    return time_of(q, s) <= time_of(q, step[t].user) && time_of(q, t) <= time_of(q, step[s].user);
}

/* The first place that is free as long as the result of step s exists, after those that are placed already. */
static int64_t free_place(const ashi_contract_steps *q, const bool *placed, int s)
{
    int64_t at = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (int t = 0; t < q->sequence.steps; t++) {
            const ashi_contract_step *other = &q->step[t];
            if (placed[t] && exist_together(q, s, t) && at < other->offset + other->room &&
                other->offset < at + q->step[s].room) {
                at = other->offset + other->room;
                moved = true;
            }
        }
    }
    return at;
}

void ashi_contract_steps_place(ashi_contract_steps *q)
{
    bool placed[ASHI_SEQUENCE_STEPS] = {false};
    q->intermediates = 0;
    for (;;) { /* the largest first */
        int largest = -1;
        for (int s = 0; s < q->sequence.steps - 1; s++)
            if (!placed[s] && (largest < 0 || q->step[s].room > q->step[largest].room))
                largest = s;
        if (largest < 0)
            return;
        ashi_contract_step *step = &q->step[largest];
        step->offset = free_place(q, placed, largest);
        placed[largest] = true;
        q->intermediates = ashi_max(q->intermediates, ashi_add_most(step->offset, step->room));
    }
}

/* ---- one step ---- */

static ashlar_status deal(const ashlar_contraction_plan *plan, int order, const int64_t *extent,
                          ashlar_tensor_layout **out, ashlar_error *err)
{
    bool any[ASHLAR_TENSOR_ORDER_MOST];
    for (int d = 0; d < order; d++)
        any[d] = true;
    return ashi_tensor_layout_even(order, extent, any, plan->context->ranks, out, err);
}

/* The larger operand of a step if it is dealt out by indices that the result has, too; else -1. */
static int followed(ashlar_contraction_plan *plan, ashi_contract_steps *q, int s, const ashi_expression *e)
{
    const int64_t words = ashi_expression_words(e, &e->operand[0]);
    const int x = e->operands == 2 && ashi_expression_words(e, &e->operand[1]) > words;
    const ashi_index_list *list = &e->operand[x];
    const ashlar_tensor_layout *of = *ashi_contract_array_layout(plan, q, q->sequence.step[s].operand[x]);
    bool cut = false;
    if (!of || of->groups)
        return -1;
    for (int d = 0; d < list->order; d++) {
        const bool diagonal = ashi_index_find(list, list->index[d]) != d;
        if (diagonal || (of->parts[d] > 1 && ashi_index_find(&e->output, list->index[d]) < 0))
            return -1;
        cut = cut || of->parts[d] > 1;
    }
    return cut ? x : -1;
}

/* The result of a step: its parts are where the larger operand has the same values, so that this need not move, or it
 * is dealt out evenly. */
static ashlar_status deal_result(ashlar_contraction_plan *plan, ashi_contract_steps *q, int s, const ashi_expression *e,
                                 const int64_t *extent, ashlar_tensor_layout **out, ashlar_error *err)
{
    const ashi_index_list *result = &e->output;
    const int x = followed(plan, q, s, e);
    if (x < 0)
        return deal(plan, result->order, extent, out, err);
    const ashlar_tensor_layout *of = *ashi_contract_array_layout(plan, q, q->sequence.step[s].operand[x]);
    return ashi_tensor_layout_follow(result->order, extent, result->index, of, e->operand[x].index, out, err);
}

/* The layout of an array in a step that is done in slices: the elements of one slice, where they lie in the whole. */
static ashlar_status slice_layout(const ashlar_contraction_plan *plan, const ashlar_tensor_layout *whole,
                                  const int64_t *extent, ashlar_tensor_layout **out, ashlar_error *err)
{
    int64_t stride[ASHLAR_TENSOR_ORDER_MOST];
    ashi_tensor_layout_strides(whole, plan->context->rank, stride);
    return ashlar_tensor_layout_blocks(whole->order, extent, NULL, NULL, NULL, stride, out, err);
}

/* The arrays of a step, each with the layout that it has, and what was made for that. */
typedef struct arrays {
    ashi_expression e;
    ashlar_tensor tensor[3];
    int64_t extent[3][ASHI_ORDER_MOST];
    ashlar_tensor_layout *made[3];
} arrays;

/* Describe array x of step s, of which `length` values of the index of slices are taken. */
static ashlar_status describe(ashlar_contraction_plan *plan, ashi_contract_steps *q, int s, int64_t length, int x,
                              arrays *out, ashlar_error *err)
{
    const bool result = x == out->e.operands;
    const int array = result ? q->sequence.operands + s : q->sequence.step[s].operand[x];
    const ashi_index_list *list = result ? &out->e.output : &out->e.operand[x];
    ashlar_tensor_layout **whole = ashi_contract_array_layout(plan, q, array);
    int64_t *extent = out->extent[x];
    const bool between = length > 0 && array == q->sequence.operands + q->slices.first; /* it exists in slices only */
    int64_t all[ASHI_ORDER_MOST];
    bool sliced = false;
    ashlar_status status = ASHLAR_OK;
    for (int d = 0; d < list->order; d++) {
        const bool cut = length > 0 && list->index[d] == q->slices.index;
        all[d] = plan->expression.extent[list->index[d]];
        extent[d] = cut ? length : all[d];
        sliced = sliced || cut;
    }
    if (!*whole && result && plan->context->ranks > 1)
        status = deal_result(plan, q, s, &out->e, all, whole, err);
    else if (!*whole)
        status = deal(plan, list->order, between ? extent : all, whole, err);
    if (status == ASHLAR_OK && between)
        status = deal(plan, list->order, extent, &out->made[x], err);
    else if (status == ASHLAR_OK && sliced)
        status = slice_layout(plan, *whole, extent, &out->made[x], err);
    out->tensor[x] = (ashlar_tensor){.size = sizeof out->tensor[x], .order = list->order, .extent = extent,
                                     .layout = out->made[x] ? out->made[x] : *whole,
                                     .conjugate = array < q->sequence.operands && plan->tensor[array].conjugate};
    return status;
}

/* Plan step s for slices of `length` values, 0 for all of them. */
static ashlar_status plan_part(ashlar_contraction_plan *plan, ashi_contract_steps *q, int s, int64_t length,
                               const ashlar_options *options, ashlar_contraction_plan **out, ashlar_error *err)
{
    char text[ASHI_STEP_TEXT];
    arrays a = {0};
    ashlar_status status = ASHLAR_OK;
    ashi_sequence_expression(&plan->expression, &q->sequence, s, &a.e);
    ashi_sequence_text(&plan->expression, &q->sequence, s, text);
    for (int x = 0; x <= a.e.operands && status == ASHLAR_OK; x++)
        status = describe(plan, q, s, length, x, &a, err);
    const ashlar_contraction what = {.size = sizeof what, .type = plan->type, .expression = text,
                                     .operands = a.e.operands, .operand = a.tensor,
                                     .output = &a.tensor[a.e.operands]};
    status = ashi_agree(plan->context, status, err);
    if (*out)
        plan->calls->free(out);
    if (status == ASHLAR_OK)
        status = plan->calls->create(plan->context, &what, options, out, err);
    for (int x = 0; x < 3; x++)
        ashlar_tensor_layout_free(&a.made[x]);
    if (status == ASHLAR_OK && (*out)->kind->borrow)
        (*out)->kind->borrow(*out, NULL);
    return status;
}

/* What the result of a step takes of the memory for intermediates. */
static void find_room(const ashlar_contraction_plan *plan, ashi_contract_step *step)
{
    const int64_t line = ashi_max(1, LINE / (int64_t)ashlar_type_bytes(plan->type));
    if (step->layout)
        step->room = ashi_mul_most(
            line, ashi_ceil_div(ashlar_tensor_layout_room(step->layout, plan->context->rank), line));
}

ashlar_status ashi_contract_step_plan(ashlar_contraction_plan *plan, ashi_contract_steps *q, int s,
                                      const ashlar_options *options, int64_t memory_words, ashlar_error *err)
{
    const ashi_contract_slices *by = &q->slices;
    const bool sliced = ashi_contract_is_sliced(q, s), adds = ashi_contract_adds_slices(q, s);
    ashlar_options own = *options;
    own.memory_words = memory_words;
    own.trusted = true; /* what it is executed with was checked before */
    const bool before = ashi_contract_begin_new(plan->context, s < q->sequence.steps - 1 && !adds);
    ashlar_status status = plan_part(plan, q, s, sliced ? by->length : 0, &own, &q->step[s].plan, err);
    find_room(plan, &q->step[s]);
    const int64_t rest = sliced ? plan->expression.extent[by->index] % by->length : 0;
    if (status == ASHLAR_OK && rest > 0)
        status = plan_part(plan, q, s, rest, &own, &q->step[s].rest, err);
    plan->context->c_is_new = before;
    return status;
}

/* ---- all steps ---- */

static int64_t words_of(const ashi_contract_step *step)
{
    return ashi_max(step->plan->report.workspace_words, step->rest ? step->rest->report.workspace_words : 0);
}

/* Words of workspace that this rank needs if step s works in so many; steps that cannot share theirs keep them. */
static void add_workspace(const ashi_contract_steps *q, int s, int64_t words, int64_t *shared, int64_t *kept)
{
    if (q->step[s].plan->kind->borrow)
        *shared = ashi_max(*shared, words);
    else
        *kept = ashi_add_most(*kept, words);
}

static int64_t workspace_of(const ashi_contract_steps *q)
{
    int64_t shared = 0, kept = 0;
    for (int s = 0; s < q->sequence.steps; s++)
        add_workspace(q, s, words_of(&q->step[s]), &shared, &kept);
    return ashi_add_most(shared, kept);
}

static int64_t most_of(const ashlar_context *context, int64_t mine)
{
    int64_t most = mine;
    ashi_note(context, MPI_Allreduce(&mine, &most, 1, MPI_INT64_T, MPI_MAX, context->comm), "MPI_Allreduce");
    return most;
}

/* The words with which each step's plan can do: what a plan within one word is refused with. */
static ashlar_status find_least(ashlar_contraction_plan *plan, ashi_contract_steps *q, const ashlar_options *options,
                                int64_t *least, ashlar_error *err)
{
    int64_t shared = 0, kept = 0;
    for (int s = 0; s < q->sequence.steps; s++) {
        ashi_contract_step *step = &q->step[s];
        const ashlar_status status = ashi_contract_step_plan(plan, q, s, options, 1, err);
        if (status != ASHLAR_OK && status != ASHLAR_ERR_LIMIT)
            return status;
        step->least = status == ASHLAR_OK ? 1 : ashlar_context_memory_words(plan->context);
        if (status == ASHLAR_ERR_LIMIT) {
            const ashlar_status planned = ashi_contract_step_plan(plan, q, s, options, step->least, err);
            if (planned != ASHLAR_OK)
                return planned;
        }
        add_workspace(q, s, words_of(step), &shared, &kept);
    }
    const int64_t own = ashi_add_most(ashi_add_most(q->share, q->intermediates), ashi_add_most(shared, kept));
    *least = most_of(plan->context, own);
    return ASHLAR_OK;
}

ashlar_status ashi_contract_steps_fit(ashlar_contraction_plan *plan, ashi_contract_steps *q,
                                      const ashlar_options *options, int64_t *least, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int s = 0; s < q->sequence.steps && status == ASHLAR_OK; s++)
        status = ashi_contract_step_plan(plan, q, s, options, 0, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_contract_steps_place(q);
    q->share = 0;
    for (int x = 0; x <= plan->expression.operands; x++)
        q->share = ashi_add_most(q->share, ashlar_tensor_layout_words(plan->tensor[x].layout, plan->context->rank));
    q->workspace = workspace_of(q);
    const int64_t own = ashi_add_most(ashi_add_most(q->share, q->intermediates), q->workspace);
    if (plan->memory_words == 0 || most_of(plan->context, own) <= plan->memory_words)
        return ASHLAR_OK;
    status = find_least(plan, q, options, least, err);
    if (status != ASHLAR_OK)
        return status;
    if (*least > plan->memory_words)
        return ashi_fail(err, ASHLAR_ERR_LIMIT, "memory_words = %" PRId64 ": %" PRId64 " would do", plan->memory_words,
                         *least);
    int plans = 0; /* what is left beside the least, in equal parts for those that keep a workspace */
    for (int s = 0; s < q->sequence.steps; s++)
        plans += q->step[s].plan->kind->borrow == NULL;
    const int64_t more = (plan->memory_words - *least) / (plans + 1);
    for (int s = 0; s < q->sequence.steps && status == ASHLAR_OK; s++)
        status = ashi_contract_step_plan(plan, q, s, options, ashi_add_most(q->step[s].least, more), err);
    if (status == ASHLAR_OK)
        q->workspace = workspace_of(q);
    return status;
}

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
        ashlar_contraction_plan_free(&q->step[s].plan);
        if (layouts)
            ashlar_tensor_layout_free(&q->step[s].layout);
    }
}

/* ---- places ---- */

static bool exist_together(const ashi_sequence *q, int s, int t)
{
    return s <= q->step[t].user && t <= q->step[s].user;
}

/* The first place that is free as long as the result of step s exists, after those that are placed already. */
static int64_t free_place(const ashi_contract_steps *q, const bool *placed, int s)
{
    int64_t at = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (int t = 0; t < q->sequence.steps; t++) {
            const ashi_contract_step *other = &q->step[t];
            if (placed[t] && exist_together(&q->sequence, s, t) && at < other->offset + other->room &&
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

/* Where the layout of an array is kept: of one of the caller's tensors, or of an intermediate. */
static ashlar_tensor_layout **layout_of(ashlar_contraction_plan *plan, ashi_contract_steps *q, int array)
{
    const int s = array - q->sequence.operands;
    if (s < 0)
        return &plan->tensor[array].layout;
    return s == q->sequence.steps - 1 ? &ashi_contract_output(plan)->layout : &q->step[s].layout;
}

/* The ranks cut the longest indices: each prime factor of their number that which has the longest parts. */
static ashlar_status deal(const ashlar_contraction_plan *plan, const ashi_index_list *list, const int64_t *extent,
                          ashlar_tensor_layout **out, ashlar_error *err)
{
    int64_t block[ASHI_ORDER_MOST];
    int parts[ASHI_ORDER_MOST], left = plan->context->ranks;
    for (int d = 0; d < list->order; d++)
        parts[d] = 1;
    for (int factor = 2; left > 1 && list->order > 0; factor++)
        for (; left % factor == 0; left /= factor) {
            int longest = 0;
            for (int d = 1; d < list->order; d++)
                if (extent[d] / parts[d] > extent[longest] / parts[longest])
                    longest = d;
            if (extent[longest] / parts[longest] >= factor)
                parts[longest] *= factor;
        }
    for (int d = 0; d < list->order; d++)
        block[d] = ashi_max(1, ashi_ceil_div(extent[d], parts[d]));
    return ashlar_tensor_layout_blocks(list->order, extent, block, parts, NULL, NULL, out, err);
}

/* Keep the layouts that the step's plan has found, and count this rank's elements. */
static ashlar_status keep_layouts(ashlar_contraction_plan *plan, ashi_contract_steps *q, int s, ashlar_error *err)
{
    const ashi_sequence_step *of = &q->sequence.step[s];
    const int operands = of->operand[1] < 0 ? 1 : 2;
    const int64_t line = ashi_max(1, LINE / (int64_t)ashlar_type_bytes(plan->type));
    ashi_contract_step *step = &q->step[s];
    step->share = 0;
    for (int x = 0; x <= operands; x++) {
        const int array = x < operands ? of->operand[x] : q->sequence.operands + s;
        const ashlar_tensor_layout *found = ashlar_contraction_layout(step->plan, x);
        ashlar_tensor_layout **kept = layout_of(plan, q, array);
        const ashlar_status status = *kept ? ASHLAR_OK : ashi_tensor_layout_copy(found, kept, err);
        if (status != ASHLAR_OK)
            return status;
        step->share = ashi_add_most(step->share, ashlar_tensor_layout_words(found, plan->context->rank));
    }
    if (step->layout)
        step->room = ashi_mul_most(
            line, ashi_ceil_div(ashlar_tensor_layout_room(step->layout, plan->context->rank), line));
    return ASHLAR_OK;
}

ashlar_status ashi_contract_step_plan(ashlar_contraction_plan *plan, ashi_contract_steps *q, int s,
                                      const ashlar_options *options, int64_t memory_words, ashlar_error *err)
{
    char text[ASHI_STEP_TEXT];
    int64_t extent[3][ASHI_ORDER_MOST];
    ashlar_tensor tensor[3];
    ashi_expression e;
    ashlar_options own = *options;
    ashlar_status status = ASHLAR_OK;
    own.memory_words = memory_words;
    own.trusted = true; /* what it is executed with was checked before */
    ashi_sequence_expression(&plan->expression, &q->sequence, s, &e);
    ashi_sequence_text(&plan->expression, &q->sequence, s, text);
    for (int x = 0; x <= e.operands && status == ASHLAR_OK; x++) {
        const int array = x < e.operands ? q->sequence.step[s].operand[x] : q->sequence.operands + s;
        const ashi_index_list *list = x < e.operands ? &e.operand[x] : &e.output;
        for (int d = 0; d < list->order; d++)
            extent[x][d] = e.extent[list->index[d]];
        if (x == e.operands && s < q->sequence.steps - 1 && plan->context->ranks > 1 && !q->step[s].layout)
            status = deal(plan, list, extent[x], &q->step[s].layout, err);
        tensor[x] = (ashlar_tensor){.size = sizeof tensor[x], .order = list->order, .extent = extent[x],
                                    .layout = *layout_of(plan, q, array),
                                    .conjugate = array < q->sequence.operands && plan->tensor[array].conjugate};
    }
    const ashlar_contraction what = {.size = sizeof what, .type = plan->type, .expression = text,
                                     .operands = e.operands, .operand = tensor, .output = &tensor[e.operands]};
    status = ashi_agree(plan->context, status, err);
    ashlar_contraction_plan_free(&q->step[s].plan);
    if (status == ASHLAR_OK)
        status = ashlar_contraction_plan_create(plan->context, &what, &own, &q->step[s].plan, err);
    if (status == ASHLAR_OK)
        status = ashi_agree(plan->context, keep_layouts(plan, q, s, err), err);
    if (status == ASHLAR_OK && q->step[s].plan->kind->borrow)
        q->step[s].plan->kind->borrow(q->step[s].plan, NULL);
    return status;
}

/* ---- all steps ---- */

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
        add_workspace(q, s, q->step[s].plan->report.workspace_words, &shared, &kept);
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
        add_workspace(q, s, q->step[s].plan->report.workspace_words, &shared, &kept);
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

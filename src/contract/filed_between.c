/* What is between the steps of a contraction: in memory, or in scratch files. */
#include "base/checked.h"
#include "base/error.h"
#include "contract/filed_steps.h"
#include "plan/looped.h"

#include <stdlib.h>

/* ---- which stay in memory ---- */

static const ashi_between *between_of(const ashi_filed_steps *q, int array)
{
    return array < q->sequence.operands ? NULL : &q->between[array - q->sequence.operands];
}

static bool is_in_file(const ashlar_contraction_plan *plan, const ashi_filed_steps *q, int array)
{
    const ashi_between *const b = between_of(q, array);
    return b ? !b->kept : plan->tensor[array].file != NULL;
}

/* Without a file there are no products to be checked or traced. */
static bool reads_file(const ashlar_contraction_plan *plan, const ashi_filed_steps *q, int s)
{
    const int *const operand = q->sequence.step[s].operand;
    return is_in_file(plan, q, operand[0]) || (operand[1] >= 0 && is_in_file(plan, q, operand[1]));
}

static int64_t most_words(const ashlar_tensor_layout *layout, int ranks)
{
    int64_t most = 0;
    for (int r = 0; layout && r < ranks; r++)
        most = ashi_max(most, ashlar_tensor_layout_words(layout, r));
    return most;
}

/* Words of the results that are in memory while step s is done, its own not counted. */
static int64_t kept_words(const ashi_filed_steps *q, int s, int ranks)
{
    int64_t words = 0;
    for (int t = 0; t < s; t++)
        if (q->between[t].kept && q->sequence.step[t].user >= s)
            words = ashi_add_most(words, most_words(q->between[t].layout, ranks));
    return words;
}

static ashlar_status deal(const ashlar_contraction_plan *plan, const ashi_filed_steps *q, int s,
                          ashlar_tensor_layout **out, ashlar_error *err)
{
    const ashi_index_list *const list = &q->sequence.step[s].result;
    int64_t extent[ASHI_ORDER_MOST];
    bool any[ASHI_ORDER_MOST];
    for (int d = 0; d < list->order; d++) {
        extent[d] = plan->expression.extent[list->index[d]];
        any[d] = true;
    }
    return ashi_tensor_layout_even(list->order, extent, any, plan->context->ranks, out, err);
}

ashlar_status ashi_between_choose(const ashlar_contraction_plan *plan, ashi_filed_steps *q, ashlar_error *err)
{
    const ashlar_tensor_file *const output = ashi_contract_output(plan)->file;
    const int ranks = plan->context->ranks;
    ashlar_status status = ASHLAR_OK;
    if ((output && output->file->resumes) || ashi_looped_named(q->strategy))
        return ASHLAR_OK;
    for (int s = 0; s < q->sequence.steps - 1 && status == ASHLAR_OK; s++) {
        ashi_between *const b = &q->between[s];
        if (!reads_file(plan, q, s))
            continue;
        status = deal(plan, q, s, &b->layout, err);
        int64_t words = most_words(b->layout, ranks), most = 0;
        for (int t = s; t <= q->sequence.step[s].user; t++)
            most = ashi_max(most, ashi_add_most(words, kept_words(q, t, ranks)));
        b->kept = status == ASHLAR_OK && (plan->memory_words == 0 || most <= plan->memory_words / 2);
        if (!b->kept)
            ashlar_tensor_layout_free(&b->layout);
    }
    return status;
}

void ashi_between_spill(ashi_filed_steps *q)
{
    for (int s = 0; s < q->sequence.steps; s++) {
        q->between[s].kept = false;
        ashlar_tensor_layout_free(&q->between[s].layout);
    }
}

int64_t ashi_between_scratch_words(const ashi_filed_steps *q)
{
    int64_t most = 0;
    for (int s = 0; s < q->sequence.steps; s++) {
        int64_t words = 0;
        for (int t = 0; t <= s && t < q->sequence.steps - 1; t++)
            if (!q->between[t].kept && q->sequence.step[t].user >= s)
                words = ashi_add_most(words, q->sequence.step[t].result_words);
        most = ashi_max(most, words);
    }
    return most;
}

/* ---- the arrays of a step ---- */

static int array_of(const ashi_filed_steps *q, int s, int x, int operands)
{
    return x == operands ? q->sequence.operands + s : q->sequence.step[s].operand[x];
}

static int operands_of(const ashi_filed_steps *q, int s)
{
    return q->sequence.step[s].operand[1] < 0 ? 1 : 2;
}

/* The caller's tensor that an array is; NULL: it is between two steps. */
static const ashi_contract_tensor *given_of(const ashlar_contraction_plan *plan, const ashi_filed_steps *q, int array)
{
    if (array < q->sequence.operands)
        return &plan->tensor[array];
    return array - q->sequence.operands == q->sequence.steps - 1 ? ashi_contract_output(plan) : NULL;
}

int64_t ashi_between_others(const ashlar_contraction_plan *plan, const ashi_filed_steps *q, int s)
{
    const int rank = plan->context->rank, operands = operands_of(q, s);
    int64_t words = 0, most = 0;
    for (int a = 0; a < q->sequence.operands + q->sequence.steps; a++) {
        const ashi_contract_tensor *const given = given_of(plan, q, a);
        const int t = a - q->sequence.operands;
        bool own = false;
        for (int x = 0; x <= operands; x++)
            own = own || array_of(q, s, x, operands) == a;
        if (own)
            continue;
        if (given && !given->file)
            words = ashi_add_most(words, ashlar_tensor_layout_words(given->layout, rank));
        else if (!given && q->between[t].kept && t < s && q->sequence.step[t].user > s)
            words = ashi_add_most(words, ashlar_tensor_layout_words(q->between[t].layout, rank));
    }
    most = words;
    ashi_note(plan->context, MPI_Allreduce(&words, &most, 1, MPI_INT64_T, MPI_MAX, plan->context->comm),
              "MPI_Allreduce");
    return most;
}

/* Begin the scratch file for the result of step s, unless an earlier run has left it. */
static ashlar_status begin_scratch(const ashlar_contraction_plan *plan, ashi_filed_steps *q, int s,
                                   const int64_t *extent, ashlar_error *err)
{
    const ashlar_tensor_file *const output = ashi_contract_output(plan)->file;
    ashlar_status status = ASHLAR_OK;
    if (q->between[s].scratch.written)
        return ASHLAR_OK;
    if (!q->prefix)
        status = ashi_scratch_prefix(output, q->folder, &q->prefix, err);
    status = ashi_agree_named(plan->context, status, err);
    if (status != ASHLAR_OK)
        return status;
    return ashi_scratch_create(plan, q->prefix, s, q->sequence.step[s].result.order, extent,
                               output && output->file->resumes, &q->between[s].scratch, err);
}

ashlar_status ashi_between_tensor(const ashlar_contraction_plan *plan, ashi_filed_steps *q, int s, int x,
                                  int64_t extent[ASHI_ORDER_MOST], ashlar_tensor *out, ashlar_error *err)
{
    const int operands = operands_of(q, s), array = array_of(q, s, x, operands);
    const ashi_contract_tensor *const given = given_of(plan, q, array);
    ashi_between *const b = given ? NULL : &q->between[array - q->sequence.operands];
    *out = (ashlar_tensor){.size = sizeof *out};
    if (given) {
        *out = (ashlar_tensor){.size = sizeof *out, .order = given->order, .extent = given->extent,
                               .layout = given->layout, .file = given->file, .conjugate = given->conjugate};
        return ASHLAR_OK;
    }
    const ashi_index_list *const list = &q->sequence.step[array - q->sequence.operands].result;
    for (int d = 0; d < list->order; d++)
        extent[d] = plan->expression.extent[list->index[d]];
    out->order = list->order;
    out->extent = extent;
    out->layout = b->layout;
    if (b->kept)
        return ASHLAR_OK;
    const ashlar_status status = x == operands ? begin_scratch(plan, q, s, extent, err) : ASHLAR_OK;
    out->file = x == operands ? b->scratch.written : b->scratch.read;
    return status;
}

void *ashi_between_part(const ashlar_contraction_plan *plan, const ashi_filed_steps *q, int s, int x,
                        const ashi_contract_arguments *with)
{
    const int operands = operands_of(q, s), array = array_of(q, s, x, operands);
    const ashi_contract_tensor *const given = given_of(plan, q, array);
    if (!given)
        return q->between[array - q->sequence.operands].data;
    if (given->file)
        return NULL;
    return given == ashi_contract_output(plan) ? with->output
                                               : (void *)(uintptr_t)(with->operand ? with->operand[array] : NULL);
}

ashlar_status ashi_between_allocate(const ashlar_contraction_plan *plan, ashi_filed_steps *q, int s,
                                    ashlar_error *err)
{
    ashi_between *const b = &q->between[s];
    if (s == q->sequence.steps - 1 || !b->kept)
        return ASHLAR_OK;
    const int64_t words = ashi_max(ashlar_tensor_layout_room(b->layout, plan->context->rank), 1);
    const int64_t bytes = ashi_mul_most(words, (int64_t)ashlar_type_bytes(plan->type));
    void *data = NULL;
    if (posix_memalign(&data, 64, (size_t)bytes) != 0)
        data = NULL;
    b->data = data;
    const ashlar_status status =
        data ? ASHLAR_OK : ashi_fail_memory(err, "the result of a step of a contraction", bytes);
    return ashi_agree_named(plan->context, status, err);
}

/* ---- the end of a step ---- */

static void drop(ashi_between *b, bool keeps)
{
    free(b->data);
    b->data = NULL;
    ashi_scratch_close(&b->scratch, keeps);
}

ashlar_status ashi_between_turn(const ashlar_contraction_plan *plan, ashi_filed_steps *q, int s, ashi_step_over how,
                                ashlar_error *err)
{
    ashi_between *const b = &q->between[s];
    ashlar_status status = ASHLAR_OK;
    if (s < q->sequence.steps - 1 && !b->kept) {
        const ashlar_tensor_file *const output = ashi_contract_output(plan)->file;
        const bool resumes = how == ASHI_STEP_FORMED && output && output->file->resumes;
        char *const text = resumes ? ashi_filed_steps_record(plan, q, s) : NULL;
        if (resumes && !text)
            status = ashi_fail_memory(err, "record", 1);
        status = ashi_agree_named(plan->context, status, err);
        if (status == ASHLAR_OK)
            status = ashi_scratch_turn(&b->scratch, text, err);
        free(text);
    }
    for (int x = 0; x < 2 && status == ASHLAR_OK; x++) {
        const int array = q->sequence.step[s].operand[x];
        if (array >= q->sequence.operands)
            drop(&q->between[array - q->sequence.operands], how == ASHI_STEP_PLANNED);
    }
    return status;
}

void ashi_between_close(ashi_filed_steps *q)
{
    for (int s = 0; s < q->sequence.steps; s++)
        drop(&q->between[s], true);
}

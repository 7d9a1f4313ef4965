/* Going on with a contraction of several steps: scratch files that are complete are not made again. */
#include "base/error.h"
#include "base/hash.h"
#include "contract/filed_added.h"
#include "contract/filed_steps.h"
#include "contract/memory_sum.h"
#include "kernel/kernels.h"
#include "plan/resume_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORIGIN = 1400 }; /* bytes: what else is in a record takes fewer than the rest */

/* A number for all that ranks have of operands in memory, the same on all ranks. Collective. */
static uint64_t sum_memory(const ashlar_contraction_plan *plan, const ashi_contract_arguments *with)
{
    const int rank = plan->context->rank;
    uint64_t mine = (uint64_t)rank, all = 0;
    for (int x = 0; x < plan->expression.operands; x++) {
        const ashlar_tensor_layout *const layout = plan->tensor[x].layout;
        if (plan->tensor[x].file)
            continue;
        mine = ashi_hash(mine, (int64_t)(ashi_tensor_layout_digest(layout) >> 1));
        mine = ashi_memory_sum(mine, layout, rank, with->operand[x], ashlar_type_bytes(plan->type));
    }
    ashi_note(plan->context, MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, plan->context->comm),
              "MPI_Allreduce");
    return all;
}

ashlar_status ashi_filed_steps_describe(const ashlar_contraction_plan *plan, ashi_filed_steps *q,
                                        const ashi_contract_arguments *with, ashlar_error *err)
{
    const ashlar_tensor_file *const output = ashi_contract_output(plan)->file;
    const bool reads = !ashi_kernels_of(plan->type)->is_zero(with->alpha);
    bool memory = false;
    for (int x = 0; x < plan->expression.operands && reads; x++)
        memory = memory || !plan->tensor[x].file;
    q->origin = q->origin ? q->origin : malloc(ORIGIN);
    ashlar_status status = q->origin ? ASHLAR_OK : ashi_fail_memory(err, "record", ORIGIN);
    status = ashi_agree_named(plan->context, status, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_lines l = {q->origin, 0, ORIGIN};
    q->origin[0] = '\0';
    if (memory && output && output->file->resumes)
        ashi_lines_add(&l, "operands in memory %016" PRIx64 "\n", sum_memory(plan, with));
    ashi_lines_add(&l, "%.300s\n", plan->words);
    for (int x = 0; x < plan->expression.operands; x++) {
        const ashlar_tensor_file *const file = plan->tensor[x].file;
        char name[32];
        snprintf(name, sizeof name, "operand %d", x + 1);
        if (!file)
            continue;
        ashi_lines_add_file(&l, name, file->file);
        ashi_lines_add_ranges(&l, file, plan->tensor[x].conjugate);
    }
    return ASHLAR_OK;
}

char *ashi_filed_steps_record(const ashlar_contraction_plan *plan, const ashi_filed_steps *q, int s)
{
    char step[ASHI_STEP_TEXT], *const text = malloc(ASHI_RECORD_TEXT);
    if (!text)
        return NULL;
    ashi_lines l = {text, 0, ASHI_RECORD_TEXT};
    ashi_sequence_text(&plan->expression, &q->sequence, s, step);
    ashi_lines_add(&l, ASHI_SCRATCH_COMPLETE "\n%s\n%" PRId64 " words of memory\n", step, plan->memory_words);
    ashi_lines_add_run(&l, plan->context);
    ashi_lines_add(&l, "%s", q->origin);
    return text;
}

/* See what is left of the result of step s. Collective. */
static ashlar_status look_at(const ashlar_contraction_plan *plan, ashi_filed_steps *q, int s, ashlar_error *err)
{
    const ashlar_tensor_file *const output = ashi_contract_output(plan)->file;
    const ashi_index_list *const list = &q->sequence.step[s].result;
    int64_t extent[ASHI_ORDER_MOST];
    char *const text = ashi_filed_steps_record(plan, q, s);
    ashlar_status status = text ? ASHLAR_OK : ashi_fail_memory(err, "record", ASHI_RECORD_TEXT);
    if (status == ASHLAR_OK && !q->prefix)
        status = ashi_scratch_prefix(output, q->folder, &q->prefix, err);
    for (int d = 0; d < list->order; d++)
        extent[d] = plan->expression.extent[list->index[d]];
    status = ashi_agree_named(plan->context, status, err);
    if (status == ASHLAR_OK)
        status = ashi_scratch_create(plan, q->prefix, s, list->order, extent, true, &q->between[s].scratch, err);
    if (status == ASHLAR_OK)
        status = ashi_scratch_look(&q->between[s].scratch, text, &q->between[s].done, err);
    free(text);
    if (status == ASHLAR_OK && !q->between[s].done) /* what is half made is taken up when the step is done */
        ashi_scratch_close(&q->between[s].scratch, true);
    return status;
}

ashlar_status ashi_filed_steps_look(const ashlar_contraction_plan *plan, ashi_filed_steps *q,
                                    bool needed[ASHI_SEQUENCE_STEPS], ashlar_error *err)
{
    const ashlar_tensor_file *const output = ashi_contract_output(plan)->file;
    const bool resumes = output && output->file->resumes;
    ashlar_status status = ASHLAR_OK;
    double finished = 0, all = 0;
    for (int s = 0; s < q->sequence.steps; s++) {
        needed[s] = !resumes || s == q->sequence.steps - 1;
        q->between[s].done = false;
        all += (double)q->sequence.step[s].multiply_adds;
    }
    for (int s = q->sequence.steps - 1; s >= 0 && resumes && status == ASHLAR_OK; s--)
        for (int x = 0; x < 2 && needed[s] && status == ASHLAR_OK; x++) {
            const int t = q->sequence.step[s].operand[x] - q->sequence.operands;
            if (t < 0)
                continue;
            status = look_at(plan, q, t, err);
            needed[t] = !q->between[t].done;
        }
    for (int s = 0; s < q->sequence.steps; s++)
        finished += needed[s] ? 0 : (double)q->sequence.step[s].multiply_adds;
    q->resumed = all > 0 ? finished / all : 0;
    return status;
}

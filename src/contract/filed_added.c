/* Contractions that add to a tensor in place and may be gone on with: each adds once. */
#include "contract/filed_added.h"

#include "base/error.h"
#include "kernel/kernels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPERAND_TEXT = 900 }; /* bytes: room for what is said of one operand */

void ashi_lines_add_ranges(ashi_lines *l, const ashlar_tensor_file *file, bool conjugate)
{
    for (int d = 0; d < file->file->info.dimensions; d++)
        ashi_lines_add(l, "%s%" PRId64, d > 0 ? "," : "", file->from[d]);
    ashi_lines_add(l, "%s\n", conjugate ? " conjugated" : "");
}

static void describe_added(const ashlar_contraction_plan *plan, const ashi_contract_arguments *with, ashi_lines *l)
{
    const ashlar_file *const c = ashi_contract_output(plan)->file->file;
    ashi_lines_add(l, "%s\n", plan->words);
    ashi_lines_add_scalar(l, "alpha", with->alpha, plan->type);
    ashi_lines_add_scalar(l, "beta", with->beta, plan->type);
    for (int x = 0; x < plan->expression.operands; x++) {
        const ashlar_tensor_file *const file = plan->tensor[x].file;
        char name[32];
        snprintf(name, sizeof name, "operand %d", x + 1);
        ashi_added_line(l, name, file->file, c);
        ashi_lines_add_ranges(l, file, plan->tensor[x].conjugate);
    }
    ashi_lines_add_ranges(l, plan->output0, false);
}

ashlar_status ashi_filed_added(const ashlar_contraction_plan *plan, const ashi_contract_arguments *with, bool *added,
                               ashlar_error *err)
{
    const ashlar_tensor_file *const output = ashi_contract_output(plan)->file;
    const int operands = plan->expression.operands;
    ashlar_file *file[ASHI_OPERANDS_MOST] = {NULL};
    const size_t room = strlen(plan->words) + OPERAND_TEXT * ((size_t)operands + 2);
    *added = output && output->file->added;
    for (int x = 0; x < operands; x++)
        file[x] = plan->tensor[x].file ? plan->tensor[x].file->file : NULL;
    if (*added || !output || !plan->output0 || ashi_kernels_of(plan->type)->is_zero(with->beta) ||
        !ashi_added_serves(output->file, plan->output0->file, file, operands))
        return ASHLAR_OK;
    char *const text = calloc(room, 1);
    ashlar_status status = text ? ASHLAR_OK : ashi_fail_memory(err, "record", (int64_t)room);
    ashi_lines lines = {text, 0, room};
    if (text && plan->context->rank == 0)
        describe_added(plan, with, &lines);
    status = ashi_added_look(output->file, plan->output0->file, text, status, err);
    free(text);
    *added = output->file->added;
    return status;
}

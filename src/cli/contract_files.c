/* The files of `ashlar contract`: inputs opened and compared, outputs begun. */
#include "base/error.h"
#include "base/type.h"
#include "cli/contract.h"
#include "cli/named_files.h"
#include "plan/context.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { OTHERS = 5 }; /* files beside the operands */

/* As messages call a file. */
typedef struct label {
    char text[24];
} label;

static label name_of(int operand)
{
    static const char *const first[] = {"A", "B"};
    label l;
    if (operand < 2)
        snprintf(l.text, sizeof l.text, "%s", first[operand]);
    else
        snprintf(l.text, sizeof l.text, "operand %d", operand + 1);
    return l;
}

ashlar_status ashi_contract_check_files(const ashi_contract_job *job, const char *machine, ashlar_error *err)
{
    const ashi_multiply_wishes *w = job->wish;
    const int operands = job->expression.operands;
    label name[ASHI_OPERANDS_MOST];
    ashi_named_file files[ASHI_OPERANDS_MOST + OTHERS] = {
        {"--add", w->input[2], false, true},     {"-o", w->output, true, true},
        {"--machine", machine, false, false},    {"--stats", w->stats, true, false},
        {"--trace", w->trace, true, false},
    };
    memmove(files + operands, files, OTHERS * sizeof *files);
    for (int x = 0; x < operands; x++) {
        name[x] = name_of(x);
        files[x] = (ashi_named_file){name[x].text, job->operand[x], false, true};
    }
    const bool first = job->context->rank == 0;
    return ashi_agree(job->context, first ? ashi_named_files_differ(files, operands + OTHERS, err) : ASHLAR_OK, err);
}

/* The type of a tensor is that of the first. */
static ashlar_status check_type(const ashi_contract_job *job, const char *of, ashlar_type type, ashlar_error *err)
{
    const ashi_type *first = ashi_type_of(job->type), *own = ashi_type_of(type);
    if (type == job->type)
        return ASHLAR_OK;
    return ashi_fail(err, ASHLAR_ERR_ARG, "A is of type %c (%s) and %s of type %c (%s), wanted one type",
                     first->letter, first->name, of, own->letter, own->name);
}

/* What is added has the shape of the result, whose indices have their extents. Local. */
static ashlar_status check_added(ashi_contract_job *job, const ashlar_tensor_info *added, ashlar_error *err)
{
    const ashi_expression *e = &job->expression;
    const ashi_index_list *list = &e->output;
    const char *file = job->wish->input[2];
    job->column = list->begin;
    if (added->order != list->order)
        return ashi_fail(err, ASHLAR_ERR_ARG, "column %d: --add %s has %d dimensions, the output has %d", job->column,
                         file, added->order, list->order);
    for (int d = 0; d < list->order; d++) {
        job->column = list->column[d];
        if (added->extent[d] != e->extent[list->index[d]])
            return ashi_fail(err, ASHLAR_ERR_ARG,
                             "column %d: dimension %d of --add %s is %" PRId64 ", index '%c' has extent %" PRId64,
                             job->column, d + 1, file, added->extent[d], e->name[list->index[d]],
                             e->extent[list->index[d]]);
    }
    job->column = 0;
    return ASHLAR_OK;
}

/* The shape of the operands and the scalars. Local. */
static ashlar_status settle(ashi_contract_job *job, const ashlar_tensor_info *info, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < job->expression.operands && status == ASHLAR_OK; x++)
        status = ashi_expression_shape(&job->expression, x, info[x].order, info[x].extent, &job->column, err);
    if (status == ASHLAR_OK)
        status = ashi_expression_check(&job->expression, &job->column, err);
    if (status == ASHLAR_OK)
        status = ashi_multiply_check_memory(job->wish, job->type, err);
    if (status == ASHLAR_OK)
        status = ashi_scalar_text_element(&job->wish->alpha, job->type, job->alpha, err);
    return status == ASHLAR_OK ? ashi_scalar_text_element(&job->wish->beta, job->type, job->beta, err) : status;
}

static ashlar_status open_one(const ashi_contract_job *job, const char *place, ashlar_tensor_file **out,
                              ashlar_tensor_info *info, ashlar_error *err)
{
    const ashlar_status status = ashlar_tensor_open(job->context, place, out, err);
    return status == ASHLAR_OK ? ashlar_tensor_describe(*out, info, err) : status;
}

ashlar_status ashi_contract_open_inputs(ashi_contract_job *job, ashlar_error *err)
{
    ashlar_tensor_info info[ASHI_OPERANDS_MOST] = {{0}}, added = {0};
    const int operands = job->expression.operands;
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < operands && status == ASHLAR_OK; x++)
        status = open_one(job, job->operand[x], &job->in[x], &info[x], err);
    if (status == ASHLAR_OK && job->wish->input[2])
        status = open_one(job, job->wish->input[2], &job->added, &added, err);
    if (status != ASHLAR_OK)
        return status;
    job->type = info[0].type;
    for (int x = 1; x < operands && status == ASHLAR_OK; x++)
        status = check_type(job, name_of(x).text, info[x].type, err);
    if (status == ASHLAR_OK && job->added)
        status = check_type(job, "C0", added.type, err);
    if (status == ASHLAR_OK)
        status = settle(job, info, err);
    return status == ASHLAR_OK && job->added ? check_added(job, &added, err) : status;
}

ashlar_status ashi_contract_begin_outputs(ashi_contract_job *job, ashlar_error *err)
{
    const ashi_index_list *list = &job->expression.output;
    const bool first = job->context->rank == 0;
    int64_t extent[ASHLAR_TENSOR_ORDER_MOST];
    for (int d = 0; d < list->order; d++)
        extent[d] = job->expression.extent[list->index[d]];
    ashlar_status status = (job->wish->resume ? ashlar_tensor_resume : ashlar_tensor_create)(
        job->context, job->wish->output, job->type, list->order, extent, &job->out, err);
    if (status != ASHLAR_OK)
        return status;
    if (first)
        status = ashi_multiply_begin_file(job->wish->stats, &job->stats, &job->stats_begun, err);
    if (status == ASHLAR_OK && first)
        status = ashi_multiply_begin_file(job->wish->trace, &job->trace, &job->trace_begun, err);
    return ashi_agree(job->context, status, err);
}

void ashi_contract_close_files(ashi_contract_job *job)
{
    for (int x = 0; x < job->expression.operands; x++)
        ashlar_tensor_close(&job->in[x]);
    ashlar_tensor_close(&job->added);
    ashlar_tensor_close(&job->out);
    if (job->stats_begun)
        ashi_output_discard(&job->stats);
    if (job->trace_begun)
        ashi_output_discard(&job->trace);
}

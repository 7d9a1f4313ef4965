/* Contractions over several ranks as products of matrices: the matrices, whoever multiplies them; operands and results
 * in other forms. */
#include "contract/ranks.h"

#include "base/error.h"

#include <stdlib.h>

enum { A, B, C };

/* ---- making ---- */

void ashi_over_ranks_hold(const ashlar_contraction_plan *plan, ashi_over_ranks *o)
{
    o->held = o->prepared[A].words + o->prepared[B].words + o->prepared[C].words;
    for (int x = 0; x <= plan->expression.operands; x++)
        o->held += plan->tensor[x].file
                       ? 0 : ashlar_tensor_layout_words(plan->tensor[x].layout, plan->context->rank);
}

ashlar_status ashi_over_ranks_begin(ashlar_contraction_plan *plan, ashi_over_ranks *o, const ashlar_options *options,
                                    bool batches, ashlar_error *err)
{
    for (int x = 0; x <= plan->expression.operands; x++)
        o->files = o->files || plan->tensor[x].file;
    ashlar_status status = ashi_over_ranks_check_files(plan, err);
    if (status == ASHLAR_OK)
        status = ashi_over_ranks_deal(plan, batches, err);
    status = ashi_agree_named(plan->context, status, err);
    ashlar_options sums = *options;
    sums.memory_words = 0;
    sums.trusted = sums.trusted && !o->files;
    for (int x = 0; x < plan->expression.operands && status == ASHLAR_OK; x++)
        if (!plan->tensor[x].file)
            status = ashi_contract_prepared_make(plan, x, NULL, NULL, &sums, &o->prepared[x], err);
    if (status != ASHLAR_OK)
        return status;
    ashi_over_ranks_tensors(plan, o);
    ashi_dealt_agree(plan->context, o->dealt, ASHI_MATRICES);
    ashi_over_ranks_groups(plan, o);
    status = ashi_over_ranks_order(plan, o, &sums, err);
    ashi_over_ranks_hold(plan, o);
    return status;
}

ashlar_problem ashi_over_ranks_problem(const ashlar_contraction_plan *plan, const ashi_over_ranks *o,
                                       ashlar_layout *const layout[ASHI_MATRICES])
{
    const ashi_expression *const e = &plan->expression;
    return (ashlar_problem){.size = sizeof(ashlar_problem), .type = plan->type,
                            .op_a = o->turned[A] ? ASHLAR_OP_C : ASHLAR_OP_N,
                            .op_b = o->turned[B] ? ASHLAR_OP_C : ASHLAR_OP_N,
                            .m = ashi_order_extent(e, &o->group[ASHI_OF_ROWS]),
                            .n = ashi_order_extent(e, &o->group[ASHI_OF_COLS]),
                            .k = ashi_order_extent(e, &o->group[ASHI_OF_SUM]), .a = layout[A], .b = layout[B],
                            .c = layout[C]};
}

void ashi_over_ranks_clear(ashi_over_ranks *o)
{
    for (int x = 0; x < ASHI_MATRICES; x++) {
        ashi_contract_prepared_free(&o->prepared[x]);
        free(o->base[x]);
    }
    for (int x = 0; x < ASHI_VIEWS; x++)
        ashlar_file_close(&o->view[x]);
    free(o->piece);
    free(o->piece_of);
    free(o->workspace);
}

/* ---- figures and words ---- */

void ashi_tally_add(ashi_player_tally *to, const ashi_player_tally *more)
{
    to->received += more->received;
    to->received_messages += more->received_messages;
    to->sent_messages += more->sent_messages;
}

double ashi_over_ranks_predict_prepared(ashlar_contraction_plan *plan, const ashi_over_ranks *o)
{
    double seconds = 0;
    for (int x = 0; x < ASHI_MATRICES; x++)
        if (o->prepared[x].plan) {
            ashi_tally_add(&plan->planned, &o->prepared[x].plan->planned);
            seconds += o->prepared[x].plan->predicted.seconds;
        }
    return seconds;
}

ashi_on_device ashi_over_ranks_prepare_on_device(const ashi_over_ranks *o)
{
    ashi_on_device sum = {0};
    for (int x = 0; x < ASHI_MATRICES; x++) {
        const ashlar_contraction_plan *const p = o->prepared[x].plan;
        const ashi_on_device one = p ? ashi_contract_on_device(p) : (ashi_on_device){0};
        ashi_on_device_add(&sum, &one, 1);
    }
    return sum;
}

static ashlar_status say_prepared(ashlar_contraction_plan *plan, const ashi_over_ranks *o, int x, ashlar_error *err)
{
    const ashi_contract_prepared *const p = &o->prepared[x];
    if (p->even && x == C)
        return ashi_contract_say(plan, err, "the result is made in large blocks and moved, ");
    if (p->even)
        return ashi_contract_say(plan, err, "operand %d is dealt out in large blocks first, ", x + 1);
    if (x == C)
        return ashi_contract_say(plan, err, "the result is made in the order of the product and copied, ");
    return p->sums ? ashi_contract_say(plan, err, "operand %d is summed by %s first, ", x + 1, p->plan->words)
                   : ashi_contract_say(plan, err, "operand %d is copied into the order of the product first, ", x + 1);
}

ashlar_status ashi_over_ranks_say_prepared(ashlar_contraction_plan *plan, const ashi_over_ranks *o, ashlar_error *err)
{
    ashlar_status status = ashi_contract_say(plan, err, "1. %s: ", plan->words);
    for (int x = 0; x < ASHI_MATRICES && status == ASHLAR_OK; x++)
        if (o->prepared[x].plan) {
            plan->report.multiply_adds += o->prepared[x].sums ? o->prepared[x].plan->report.multiply_adds : 0;
            plan->report.workspace_words += o->prepared[x].words;
            status = say_prepared(plan, o, x, err);
        }
    return status;
}

/* ---- executing ---- */

ashlar_status ashi_over_ranks_prepare(ashlar_contraction_plan *plan, ashi_over_ranks *o,
                                      const ashi_contract_arguments *with, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < C; x++)
        if (o->prepared[x].plan) {
            const ashlar_status now = ashi_contract_prepared_take(&o->prepared[x], with->operand[x], err);
            status = status == ASHLAR_OK ? now : status;
            ashi_tally_add(&plan->done, &o->prepared[x].plan->done);
        }
    return status;
}

ashlar_status ashi_over_ranks_give(ashlar_contraction_plan *plan, ashi_over_ranks *o,
                                   const ashi_contract_arguments *with, ashlar_status status, ashlar_error *err)
{
    if (!o->prepared[C].plan)
        return status;
    const ashlar_status given = ashi_contract_prepared_give(&o->prepared[C], with->beta, with->output,
                                                            status == ASHLAR_OK ? err : NULL);
    ashi_tally_add(&plan->done, &o->prepared[C].plan->done);
    return status == ASHLAR_OK ? given : status;
}

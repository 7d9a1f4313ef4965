/* One operand on several ranks whose elements change places and are not summed: element by element, in slabs of one
 * index. This is for tensors in many short runs, of which a matrix of tiles takes longer to plan than to move. */
#include "contract/by_element.h"

#include "base/checked.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>

enum { FROM = ASHI_BY_ELEMENT_FROM, TO = ASHI_BY_ELEMENT_TO, USEFUL = 1 << 21 };

/* It is what moved.c hands on. */
static bool serves(const ashlar_contraction_plan *plan)
{
    return plan->expression.operands == 1;
}

/* Words of both buffers for slabs of that thickness. */
static int64_t words_of(const ashlar_contraction_plan *plan, const ashi_by_element *q, int64_t thickness,
                        int64_t words[ASHI_BY_ELEMENT_TENSORS])
{
    for (int x = 0; x < ASHI_BY_ELEMENT_TENSORS; x++) {
        words[x] = 0;
        for (int64_t from = 0; from < q->first; from += thickness)
            words[x] = ashi_max(words[x], ashi_by_element_count(q, x, plan->context->ranks, from, from + thickness));
    }
    return ashi_add_most(words[FROM], words[TO]);
}

/* The thickest slabs that are no larger than is useful and within the limit, the same on all ranks; *enough: the limit
 * that the thinnest want. Collective. */
static ashlar_status cut(const ashlar_contraction_plan *plan, ashi_by_element *q, int64_t *enough, ashlar_error *err)
{
    int64_t words[ASHI_BY_ELEMENT_TENSORS], mine[2] = {ashi_max(q->first, 1), 0}, all[2] = {1, 0};
    const int64_t limit = plan->memory_words > 0 ? plan->memory_words - q->held : INT64_MAX;
    const int64_t most = ashi_min(limit, USEFUL), thinnest = words_of(plan, q, 1, words);
    while (mine[0] > 1 && words_of(plan, q, mine[0], words) > most)
        mine[0] = ashi_ceil_div(mine[0], 2);
    mine[0] = -mine[0];
    mine[1] = ashi_add_most(thinnest, q->held);
    ashi_note(plan->context, MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_MAX, plan->context->comm), "MPI_Allreduce");
    q->thickness = -all[0];
    *enough = all[1];
    if (thinnest == INT64_MAX)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "%s: one value of an index has more than 2^31 elements on a rank",
                         plan->words);
    return thinnest <= limit ? ASHLAR_OK
                             : ashi_fail(err, ASHLAR_ERR_LIMIT, "memory_words = %" PRId64 ": %" PRId64 " would do",
                                         plan->memory_words, *enough);
}

static ashlar_status allocate(const ashlar_contraction_plan *plan, ashi_by_element *q, ashlar_error *err)
{
    int64_t words[ASHI_BY_ELEMENT_TENSORS];
    q->workspace_words = words_of(plan, q, q->thickness, words);
    for (int x = 0; x < ASHI_BY_ELEMENT_TENSORS; x++) {
        q->side[x].buffer = malloc((size_t)(words[x] + 1) * ashlar_type_bytes(plan->type));
        if (!q->side[x].buffer)
            return ashi_fail_memory(err, "contraction", words[x]);
    }
    return ASHLAR_OK;
}

/* What an execution sends and receives. */
static ashi_player_tally foresee(const ashlar_contraction_plan *plan, const ashi_by_element *q)
{
    ashi_player_tally t = {0};
    const int ranks = plan->context->ranks;
    for (int64_t from = 0; from < q->first; from += q->thickness) {
        for (int x = 0; x < ASHI_BY_ELEMENT_TENSORS; x++)
            (void)ashi_by_element_count(q, x, ranks, from, from + q->thickness);
        for (int rank = 0; rank < ranks; rank++) {
            if (rank == plan->context->rank)
                continue;
            t.received += q->side[TO].count[rank];
            t.received_messages += q->side[TO].count[rank] > 0;
            t.sent_messages += q->side[FROM].count[rank] > 0;
        }
    }
    return t;
}

static ashlar_status make(ashlar_contraction_plan *plan, const ashi_options_taken *how, ashlar_error *err)
{
    const ashi_expression *const e = &plan->expression;
    const double bytes = (double)ashlar_type_bytes(plan->type);
    ashi_by_element *const q = calloc(1, sizeof *q);
    int64_t enough = 0;
    plan->made = q;
    ashlar_status status = q ? ASHLAR_OK : ashi_fail_memory(err, "contraction", (int64_t)sizeof *q);
    for (int x = 0; x < ASHI_BY_ELEMENT_TENSORS && status == ASHLAR_OK; x++) {
        ashi_dealt *const t = &q->side[x].dealt;
        *t = (ashi_dealt){.expression = e, .list = x == FROM ? &e->operand[0] : &e->output,
                          .layout = plan->tensor[x].layout};
        ashi_tensor_layout_strides(t->layout, plan->context->rank, t->stride);
        q->held += ashlar_tensor_layout_words(t->layout, plan->context->rank);
    }
    if (status == ASHLAR_OK)
        status = ashi_by_element_lists(plan, q, err);
    status = ashi_agree(plan->context, status, err);
    if (status != ASHLAR_OK)
        return status;
    status = cut(plan, q, &enough, err);
    if (status == ASHLAR_ERR_LIMIT)
        ashi_refuse(plan->context, enough);
    status = ashi_agree(plan->context, status, err);
    if (status == ASHLAR_OK)
        status = ashi_agree(plan->context, allocate(plan, q, err), err);
    if (status != ASHLAR_OK)
        return status;
    plan->planned = foresee(plan, q);
    plan->report = (ashlar_contraction_explanation){.steps = 1, .workspace_words = q->workspace_words};
    const double seconds = (double)plan->planned.received_messages * how->machine.latency +
                           (double)plan->planned.received * bytes / how->machine.bandwidth +
                           2 * (double)q->held * bytes / how->machine.copy_bandwidth;
    plan->predicted = ashi_contract_join(plan, &plan->planned, q->held + q->workspace_words, seconds);
    return ashi_contract_say(plan, err, "1. %s: %" PRId64 " words move between %d ranks, element by element in %" PRId64
                             " slabs\n", plan->words, plan->predicted.words_total, plan->context->ranks,
                             ashi_ceil_div(q->first, q->thickness));
}

static void free_made(ashlar_contraction_plan *plan)
{
    ashi_by_element *const q = plan->made;
    for (int x = 0; q && x < ASHI_BY_ELEMENT_TENSORS; x++)
        free(q->side[x].buffer);
    if (q) {
        free(q->numbers);
        free(q->counts);
    }
    free(q);
    plan->made = NULL;
}

static ashlar_status measured(ashlar_contraction_plan *plan, ashlar_figures *out, ashlar_error *err)
{
    const ashi_by_element *const q = plan->made;
    *out = ashi_contract_join(plan, &plan->done, q->held + q->workspace_words, plan->seconds);
    return ashi_conclude(plan->context, ASHLAR_OK, err);
}

const ashi_contract_kind ashi_contract_by_element = {"by element", serves,    make, ashi_by_element_run,
                                                    measured,    free_made, NULL, NULL, NULL};

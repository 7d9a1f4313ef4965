/* Contractions of two operands that are dealt out over their batch: the tensors move to where each rank has all of some
 * values of the batch, each rank contracts these, and the result moves to its owners. Every movement is a step. */
#include "base/checked.h"
#include "base/error.h"
#include "contract/steps.h"

#include <inttypes.h>
#include <stdlib.h>

enum { A, B, C, TENSORS };

/* One way to deal out the batch. */
typedef struct deal {
    ashlar_tensor_layout *layout[TENSORS];
    ashi_index_list list[TENSORS]; /* of the tensor as it is dealt out: without diagonals, if it moves */
    bool moves[TENSORS];
    int64_t words; /* that are received, over all ranks */
} deal;

static const ashi_index_list *list_of(const ashlar_contraction_plan *plan, int x)
{
    return x == C ? &plan->expression.output : &plan->expression.operand[x];
}

static bool is_batch(const ashlar_contraction_plan *plan, int index)
{
    int dims = 0;
    bool all = true;
    for (int x = 0; x < TENSORS; x++) {
        const ashi_index_list *const list = list_of(plan, x);
        all = all && ashi_index_find(list, index) >= 0;
        for (int d = 0; d < list->order; d++)
            dims += list->index[d] == index;
    }
    return all && dims == TENSORS; /* no diagonal */
}

/* Of plans over ranks of tensors in memory; that kind names this one as another. */
static bool serves(const ashlar_contraction_plan *plan)
{
    int64_t batches = 1;
    if (plan->expression.operands != 2 || plan->context->ranks == 1)
        return false;
    for (int x = 0; x < TENSORS; x++)
        if (plan->tensor[x].file)
            return false;
    for (int i = 0; i < plan->expression.indices; i++)
        batches = is_batch(plan, i) ? ashi_mul_most(batches, plan->expression.extent[i]) : batches;
    return batches > 1;
}

/* ---- which deal ---- */

/* Whether a tensor's layout was given and cuts nothing but the batch. */
static bool is_dealt_by_batch(const ashlar_contraction_plan *plan, int x)
{
    const ashlar_tensor_layout *const l = plan->tensor[x].layout;
    for (int d = 0; l && d < l->order; d++)
        if (l->parts[d] > 1 && !is_batch(plan, list_of(plan, x)->index[d]))
            return false;
    return !plan->tensor[x].own && l->processes > 1;
}

static void clear(deal *d)
{
    for (int x = 0; x < TENSORS; x++)
        ashlar_tensor_layout_free(&d->layout[x]);
}

/* The tensor's indices; each once if it has a diagonal and moves. */
static ashi_index_list distinct(const ashi_index_list *list)
{
    ashi_index_list once = {0};
    for (int d = 0; d < list->order; d++)
        if (ashi_index_find(list, list->index[d]) == d)
            once.index[once.order++] = list->index[d];
    return once;
}

/* Words of tensor x that ranks do not have where they need them. */
static int64_t words_moved(const ashlar_contraction_plan *plan, const deal *d, int x)
{
    const int *const index = d->list[x].index;
    const ashi_dealt_by both[2] = {{d->layout[x], index}, {plan->tensor[x].layout, list_of(plan, x)->index}};
    int64_t words = 0;
    for (int rank = 0; rank < plan->context->ranks; rank++)
        words += ashlar_tensor_layout_words(d->layout[x], rank) -
                 ashi_tensor_layout_part_of(d->layout[x]->order, d->layout[x]->extent, index, both, 2, rank);
    return words;
}

/* Lay the tensors out as `like` with the indices `of` cuts the batch. */
static ashlar_status make_deal(const ashlar_contraction_plan *plan, const ashlar_tensor_layout *like,
                               const ashi_index_list *of, deal *d, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    *d = (deal){0};
    for (int x = 0; x < TENSORS && status == ASHLAR_OK; x++) {
        const ashi_contract_tensor *const t = &plan->tensor[x];
        int64_t extent[ASHLAR_TENSOR_ORDER_MOST];
        d->list[x] = t->own ? *list_of(plan, x) : distinct(list_of(plan, x));
        for (int i = 0; i < d->list[x].order; i++)
            extent[i] = plan->expression.extent[d->list[x].index[i]];
        status = ashi_tensor_layout_follow(d->list[x].order, extent, d->list[x].index, like, of->index, &d->layout[x],
                                           err);
        if (status != ASHLAR_OK || t->own)
            continue;
        d->moves[x] = !ashi_tensor_layout_same_deal(d->layout[x], t->layout);
        d->words = ashi_add_most(d->words, d->moves[x] ? words_moved(plan, d, x) : 0);
    }
    return status;
}

/* The deal that moves the fewest words: an even one, or one of the tensors'. */
static ashlar_status choose(const ashlar_contraction_plan *plan, deal *best, ashlar_error *err)
{
    const ashi_contract_tensor *const c = &plan->tensor[C];
    bool may_cut[ASHLAR_TENSOR_ORDER_MOST];
    ashlar_tensor_layout *even = NULL;
    for (int d = 0; d < c->order; d++)
        may_cut[d] = is_batch(plan, plan->expression.output.index[d]);
    ashlar_status status = ashi_tensor_layout_even(c->order, c->extent, may_cut, plan->context->ranks, &even, err);
    if (status == ASHLAR_OK)
        status = make_deal(plan, even, &plan->expression.output, best, err);
    ashlar_tensor_layout_free(&even);
    for (int x = 0; x < TENSORS && status == ASHLAR_OK; x++) {
        deal next;
        if (!is_dealt_by_batch(plan, x) || plan->tensor[x].layout->processes < plan->context->ranks)
            continue;
        status = make_deal(plan, plan->tensor[x].layout, list_of(plan, x), &next, err);
        const bool better = status == ASHLAR_OK && next.words < best->words;
        clear(better ? best : &next);
        *best = better ? next : *best;
    }
    return status;
}

/* ---- steps ---- */

/* Add a step with these operands, whose result has the list; returns the number of the array that it makes. */
static int add_step(const ashlar_contraction_plan *plan, ashi_contract_steps *q, int first, int second,
                    const ashi_index_list *list)
{
    ashi_sequence *const s = &q->sequence;
    ashi_sequence_step *const step = &s->step[s->steps];
    const int operand[2] = {first, second};
    *step = (ashi_sequence_step){.operand = {first, second}, .result = *list, .user = -1,
                                 .result_words = ashi_expression_words(&plan->expression, list)};
    for (int i = 0; i < 2; i++)
        if (operand[i] >= s->operands)
            s->step[operand[i] - s->operands].user = s->steps;
    return s->operands + s->steps++;
}

/* Movements of the operands, the product, and the movement of the result. Takes the layouts over. */
static void make_steps(ashlar_contraction_plan *plan, ashi_contract_steps *q, deal *d)
{
    int operand[2];
    q->slices.first = -1;
    q->sequence.operands = 2;
    for (int x = A; x <= B; x++) {
        operand[x] = d->moves[x] ? add_step(plan, q, x, -1, &d->list[x]) : x;
        if (d->moves[x])
            q->step[q->sequence.steps - 1].layout = d->layout[x];
    }
    const int made = add_step(plan, q, operand[A], operand[B], &d->list[C]);
    for (int i = 0; i < plan->expression.indices; i++)
        q->sequence.step[made - 2].multiply_adds = ashi_mul_most(
            i == 0 ? 1 : q->sequence.step[made - 2].multiply_adds, plan->expression.extent[i]);
    if (d->moves[C]) {
        q->step[made - 2].layout = d->layout[C];
        (void)add_step(plan, q, made, -1, &plan->expression.output);
    }
    for (int x = 0; x < TENSORS; x++) {
        if (plan->tensor[x].own)
            plan->tensor[x].layout = d->layout[x];
        else if (!d->moves[x])
            ashlar_tensor_layout_free(&d->layout[x]);
        d->layout[x] = NULL;
    }
}

static ashlar_status plan_steps(ashlar_contraction_plan *plan, ashi_contract_steps *q, const ashi_options_taken *how,
                                ashlar_error *err)
{
    int64_t least = 0;
    ashlar_status status = ashi_contract_steps_fit(plan, q, &how->options, &least, err);
    if (status == ASHLAR_ERR_LIMIT)
        ashi_refuse(plan->context, least);
    if (status == ASHLAR_OK)
        status = ashi_agree(plan->context, ashi_contract_steps_report(plan, q, err), err);
    if (status == ASHLAR_OK)
        status = ashi_contract_say(plan, err, "%s: the batch is dealt out over the ranks\n", plan->words);
    return status == ASHLAR_OK ? ashi_contract_steps_allocate(plan, q, err) : status;
}

static ashlar_status make(ashlar_contraction_plan *plan, const ashi_options_taken *how, ashlar_error *err)
{
    ashi_contract_steps *const q = calloc(1, sizeof *q);
    deal d = {0};
    plan->made = q;
    ashlar_status status = q ? ASHLAR_OK : ashi_fail_memory(err, "contraction", (int64_t)sizeof *q);
    if (status == ASHLAR_OK && ashi_options_prescribe(&how->options))
        status = ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "a strategy or a grid is asked for");
    if (status == ASHLAR_OK)
        status = choose(plan, &d, err);
    if (status == ASHLAR_OK && !d.moves[A] && !d.moves[B] && !d.moves[C])
        status = ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "the batch is dealt out already");
    status = ashi_agree(plan->context, status, err);
    if (status == ASHLAR_OK) {
        make_steps(plan, q, &d);
        status = plan_steps(plan, q, how, err);
    }
    clear(&d);
    return status;
}

const ashi_contract_kind ashi_contract_by_batch = {
    "by batch", serves, make, ashi_contract_steps_run, ashi_contract_steps_measured, ashi_contract_steps_free, NULL,
    NULL, ashi_contract_steps_on_device};

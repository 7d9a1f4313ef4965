/* Two steps of a contraction of several operands, slice by slice. */
#include "base/checked.h"
#include "contract/steps.h"
#include "kernel/kernels.h"

/* An intermediate that is larger leaves the caches before it is used; slices that are smaller stay in them. The sizes
 * are constants so that bits do not depend on the machine. Source: measured, slices of 1 to 8 MiB for MTTKRP and TTMc
 * of 20 to 27 million words: those of 1 MiB took about as long as none, larger ones up to 5 % more. */
enum { LARGE_BYTES = 1 << 22, SLICE_BYTES = 1 << 20 };

/* An index of the step's arrays that is cut: T has it. Words that are moved again and again because an array of the two
 * steps does not have it; a result without it is read and written. */
static int64_t moved_again(const ashlar_contraction_plan *plan, const ashi_sequence *q, int s, int index, int64_t count)
{
    const int made = q->operands + s;
    int64_t words = 0;
    for (int t = s; t <= s + 1; t++)
        for (int x = 0; x < 2; x++) {
            const int array = q->step[t].operand[x];
            const ashi_index_list *list =
                array < 0 || array == made ? NULL
                : array < q->operands      ? &plan->expression.operand[array]
                                           : &q->step[array - q->operands].result;
            if (list && ashi_index_find(list, index) < 0)
                words = ashi_add_most(words, ashi_expression_words(&plan->expression, list));
        }
    if (ashi_index_find(&q->step[s + 1].result, index) < 0)
        words = ashi_add_most(words, ashi_mul_most(2, q->step[s + 1].result_words));
    return ashi_mul_most(words, count - 1);
}

/* Whether the first of two steps makes what the second uses, and both have two operands. */
static bool is_pair_of_pairs(const ashi_sequence *q, int s)
{
    return s + 1 < q->steps && q->step[s].user == s + 1 && q->step[s].operand[1] >= 0;
}

/* Slices of the intermediate of step s with at most `bytes` bytes along an index. False if one value is too much. */
static bool cut(const ashlar_contraction_plan *plan, const ashi_sequence *q, int s, int index, int64_t bytes,
                ashi_contract_slices *out)
{
    const int64_t extent = plan->expression.extent[index];
    const int64_t value = q->step[s].result_words / extent * (int64_t)ashlar_type_bytes(plan->type);
    if (value > bytes)
        return false;
    const int64_t count = ashi_ceil_div(extent, ashi_max(1, bytes / ashi_max(1, value)));
    *out = (ashi_contract_slices){s, index, ashi_ceil_div(extent, count), 0};
    out->count = ashi_ceil_div(extent, out->length);
    return true;
}

void ashi_contract_steps_slice(const ashlar_contraction_plan *plan, ashi_contract_steps *steps, bool smallest)
{
    const ashi_sequence *q = &steps->sequence;
    const int64_t bytes = (int64_t)ashlar_type_bytes(plan->type);
    int64_t best = 0;
    steps->slices.first = -1;
    for (int s = 0; s + 1 < q->steps; s++) {
        const ashi_index_list *made = &q->step[s].result;
        const int64_t words = q->step[s].result_words;
        const bool held = smallest && ashi_max(q->step[s].held, q->step[s + 1].held) == q->held;
        if (!is_pair_of_pairs(q, s) || !(held || (!smallest && words > LARGE_BYTES / bytes)))
            continue;
        for (int d = 0; d < made->order; d++) {
            const int index = made->index[d];
            const int64_t extent = plan->expression.extent[index];
            ashi_contract_slices slices;
            if (extent < 2)
                continue;
            if (smallest)
                slices = (ashi_contract_slices){s, index, 1, extent};
            else if (!cut(plan, q, s, index, SLICE_BYTES, &slices))
                continue;
            const int64_t again = moved_again(plan, q, s, index, slices.count);
            const int64_t gain = smallest ? words - words / extent : ashi_mul_most(2, words) - again;
            if (gain > best) {
                best = gain;
                steps->slices = slices;
            }
        }
    }
}

/* Elements from one value of the index to the next in an array; 0 in the intermediate, which begins anew. */
static int64_t stride_of(ashlar_contraction_plan *plan, ashi_contract_steps *q, int array, int index)
{
    int64_t stride[ASHLAR_TENSOR_ORDER_MOST], all = 0;
    const int s = array - q->sequence.operands;
    const ashi_index_list *list = s < 0 ? &plan->expression.operand[array] : &q->sequence.step[s].result;
    if (s == q->slices.first)
        return 0;
    ashi_tensor_layout_strides(*ashi_contract_array_layout(plan, q, array), plan->context->rank, stride);
    for (int d = 0; d < list->order; d++)
        all += list->index[d] == index ? stride[d] : 0;
    return all;
}

/* Where a slice of an array begins; NULL if the array is not there. */
static char *begin_of(ashlar_contraction_plan *plan, ashi_contract_steps *q, int array, int64_t slice,
                      const ashi_contract_arguments *with)
{
    char *const whole = array < 0 ? NULL : ashi_contract_array(plan, q, array, with);
    const int64_t bytes = (int64_t)ashlar_type_bytes(plan->type);
    return whole ? whole + slice * q->slices.length * stride_of(plan, q, array, q->slices.index) * bytes : NULL;
}

ashlar_status ashi_contract_slices_run(ashlar_contraction_plan *plan, ashi_contract_steps *q,
                                       const ashi_contract_arguments *with, ashlar_error *err)
{
    const ashi_kernels *kernels = ashi_kernels_of(plan->type);
    const ashi_contract_slices *by = &q->slices;
    const int last = q->sequence.steps - 1;
    const bool nothing = kernels->is_zero(with->alpha);
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < by->count && status == ASHLAR_OK; i++)
        for (int s = by->first + nothing; s <= by->first + 1 && status == ASHLAR_OK; s++) {
            const ashi_sequence_step *step = &q->sequence.step[s];
            const bool ends = s == last, adds = i > 0 && ashi_contract_adds_slices(q, s);
            const int array[3] = {step->operand[0], step->operand[1], q->sequence.operands + s};
            const void *const operand[2] = {begin_of(plan, q, array[0], i, with), begin_of(plan, q, array[1], i, with)};
            const void *beta = adds ? kernels->one : ends ? with->beta : kernels->zero;
            ashlar_contraction_plan *used =
                q->step[s].rest && i == by->count - 1 ? q->step[s].rest : q->step[s].plan;
            status = plan->calls->execute(used, ends ? with->alpha : kernels->one, operand, beta,
                                                begin_of(plan, q, array[2], i, with), err);
        }
    return status;
}

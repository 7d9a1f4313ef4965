/* How the indices of a tensor are dealt out over ranks and lie in their memories, as far as all ranks agree. */
#include "contract/dealt.h"

#include "base/checked.h"

#include <limits.h>
#include <string.h>

/* For each tensor: places, indices before, the fast index, whether it is plain. All that a rank sees, and the same
 * negated, so that one reduction says whether ranks differ. ANY: a rank that has nothing of the tensor. */
enum { FACTS = 2 * ASHI_INDICES_MOST + 2, FAST = FACTS - 2, PLAIN = FACTS - 1, ANY = INT_MAX };

typedef int facts[ASHI_DEALT_MOST][2][FACTS];

bool ashi_dealt_is_cut(const ashi_dealt *t, int index)
{
    bool cut = false;
    for (int d = 0; d < t->list->order; d++)
        cut = cut || (t->list->index[d] == index && t->layout->parts[d] > 1);
    return cut;
}

int64_t ashi_dealt_run_end(const ashi_dealt *t, int index, int64_t value)
{
    int64_t end = t->expression->extent[index];
    for (int d = 0; d < t->list->order; d++)
        if (t->list->index[d] == index && t->layout->parts[d] > 1)
            end = ashi_min(end, (value / t->layout->block[d] + 1) * t->layout->block[d]);
    return end;
}

int64_t ashi_dealt_process(const ashi_dealt *t, int index, int64_t value)
{
    const ashlar_tensor_layout *const l = t->layout;
    int64_t weight = 1, process = 0;
    for (int d = t->list->order - 1; d >= 0; d--) {
        if (t->list->index[d] == index)
            process += value / l->block[d] % l->parts[d] * weight;
        weight *= l->parts[d];
    }
    return process;
}

int64_t ashi_dealt_process_at(const ashi_dealt *t, int index, int64_t coordinate)
{
    const ashlar_tensor_layout *const l = t->layout;
    int64_t process = coordinate;
    for (int d = l->order - 1; d > ashi_index_find(t->list, index); d--)
        process *= l->parts[d];
    return process;
}

int64_t ashi_dealt_offset(const ashi_dealt *t, int index, int64_t value)
{
    const ashlar_tensor_layout *const l = t->layout;
    int64_t offset = 0;
    for (int d = 0; d < t->list->order; d++)
        if (t->list->index[d] == index)
            offset += (value / l->block[d] / l->parts[d] * l->block[d] + value % l->block[d]) * t->stride[d];
    return offset;
}

int64_t ashi_dealt_stride(const ashi_dealt *t, int index)
{
    int64_t stride = 0;
    for (int d = 0; d < t->list->order; d++)
        if (t->list->index[d] == index)
            stride += t->stride[d];
    return stride;
}

/* ---- what a rank sees ---- */

/* The tensor's indices of more values than one, by stride, the largest first; returns how many. */
static int sort(const ashi_dealt *t, int *sorted)
{
    int count = 0;
    for (int d = 0; d < t->list->order; d++) {
        const int index = t->list->index[d];
        if (t->expression->extent[index] <= 1 || ashi_index_find(t->list, index) != d)
            continue;
        int at = count++;
        for (; at > 0 && ashi_dealt_stride(t, sorted[at - 1]) < ashi_dealt_stride(t, index); at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = index;
    }
    return count;
}

/* The values of an index that this rank has: of a diagonal, the most of its dimensions. */
static int64_t values_of(const ashi_dealt *t, const int64_t *part, int index)
{
    int64_t values = 0;
    for (int d = 0; d < t->list->order; d++)
        if (t->list->index[d] == index)
            values = ashi_max(values, part[d]);
    return values;
}

static void look(const ashlar_context *context, ashi_dealt *t, int *fact)
{
    int64_t part[ASHLAR_TENSOR_ORDER_MOST];
    int sorted[ASHI_INDICES_MOST];
    const int count = sort(t, sorted);
    for (int i = 0; i < FACTS; i++)
        fact[i] = ANY;
    if (!ashi_tensor_layout_part(t->layout, context->rank, part))
        return;
    fact[FAST] = -1;
    fact[PLAIN] = 1;
    for (int i = 0; i < count; i++) {
        const int index = sorted[i];
        const int64_t stride = ashi_dealt_stride(t, index), end = ashi_mul_most(stride, values_of(t, part, index));
        const int64_t next = i > 0 ? ashi_dealt_stride(t, sorted[i - 1]) : INT64_MAX;
        const bool goes_on = i > 0 && !ashi_dealt_is_cut(t, index) && next == end;
        fact[index] = i;
        fact[ASHI_INDICES_MOST + index] = goes_on ? sorted[i - 1] : -1;
        fact[PLAIN] = fact[PLAIN] && stride > 0 && (i == 0 || next >= end);
    }
    if (count > 0 && ashi_dealt_stride(t, sorted[count - 1]) == 1)
        fact[FAST] = sorted[count - 1];
}

/* ---- what all ranks see ---- */

/* If all ranks that have something see the same, or no rank sees anything. */
static bool is_same(int (*const of)[FACTS], int fact)
{
    return of[0][fact] == ANY || of[0][fact] == -of[1][fact];
}

/* Without agreement on the order in memory every value lies by itself. */
static void conclude(ashi_dealt *t, int (*const of)[FACTS])
{
    bool same = is_same(of, FAST) && is_same(of, PLAIN) && of[0][PLAIN] == 1;
    for (int i = 0; i < t->expression->indices && same; i++)
        same = is_same(of, i);
    t->plain = same;
    t->fast = same ? of[0][FAST] : -1;
    for (int i = 0; i < t->expression->indices; i++) {
        const int before = ASHI_INDICES_MOST + i;
        t->place[i] = same && of[0][i] != ANY ? of[0][i] : ashi_index_find(t->list, i);
        t->before[i] = same && is_same(of, before) && of[0][before] != ANY ? of[0][before] : -1;
    }
}

void ashi_dealt_agree(const ashlar_context *context, ashi_dealt *tensor, int count)
{
    facts mine, all;
    for (int x = 0; x < ASHI_DEALT_MOST; x++) {
        for (int i = 0; i < FACTS; i++)
            mine[x][0][i] = mine[x][1][i] = ANY;
        if (x >= count || !tensor[x].layout)
            continue;
        ashi_tensor_layout_strides(tensor[x].layout, context->rank, tensor[x].stride);
        look(context, &tensor[x], mine[x][0]);
        for (int i = 0; i < FACTS; i++)
            mine[x][1][i] = mine[x][0][i] == ANY ? ANY : -mine[x][0][i];
    }
    memcpy(all, mine, sizeof all);
    ashi_note(context, MPI_Allreduce(mine, all, (int)(sizeof mine / sizeof(int)), MPI_INT, MPI_MIN, context->comm),
              "MPI_Allreduce");
    for (int x = 0; x < count; x++)
        if (tensor[x].layout)
            conclude(&tensor[x], all[x]);
}

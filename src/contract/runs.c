/* Positions of a group of indices, cut into runs that lie in one piece on one rank. */
#include "contract/runs.h"

#include "base/checked.h"
#include "base/error.h"

#include <stdlib.h>

int64_t ashi_order_extent(const ashi_expression *e, const ashi_order *order)
{
    int64_t extent = 1;
    for (int i = 0; i < order->count; i++)
        extent = ashi_mul_most(extent, e->extent[order->index[i]]);
    return extent;
}

/* The first of the order's last indices that are one in memory; their number if each position is by itself. */
static int head_of(const ashi_dealt *t, const ashi_order *order, bool single)
{
    int head = order->count;
    if (single || !t->plain || head == 0)
        return head;
    for (head--; head > 0 && t->before[order->index[head]] == order->index[head - 1]; head--)
        continue;
    return head;
}

/* How many runs the values of an index are in. */
static int64_t segments(const ashi_dealt *t, int index)
{
    const int64_t extent = t->expression->extent[index];
    int64_t count = 0;
    if (!ashi_dealt_is_cut(t, index))
        return 1;
    for (int64_t v = 0; v < extent; v = ashi_dealt_run_end(t, index, v))
        count++;
    return count;
}

int64_t ashi_runs_count(const ashi_dealt *t, const ashi_order *order, bool single)
{
    const int head = head_of(t, order, single);
    int64_t count = head < order->count ? segments(t, order->index[head]) : 1;
    for (int i = 0; i < head; i++)
        count = ashi_mul_most(count, t->expression->extent[order->index[i]]);
    return count;
}

bool ashi_runs_cycle(const ashi_dealt *t, const ashi_order *order, ashi_cycle *out)
{
    *out = (ashi_cycle){.block = 1, .parts = 1, .index = -1};
    if (order->count == 0)
        return t->plain;
    if (head_of(t, order, false) > 0)
        return false;
    const int head = order->index[0], dim = ashi_index_find(t->list, head);
    for (int d = dim + 1; d < t->list->order; d++)
        if (t->list->index[d] == head)
            return false;
    out->index = head;
    out->parts = t->layout->parts[dim];
    out->block = out->parts > 1 ? t->layout->block[dim] : t->expression->extent[head];
    for (int i = 1; i < order->count; i++)
        out->block = ashi_mul_most(out->block, t->expression->extent[order->index[i]]);
    out->step = ashi_dealt_stride(t, order->index[order->count - 1]);
    return t->plain;
}

/* What is being listed: the values of the indices before the head, and of the head. */
typedef struct listing {
    const ashi_dealt *tensor;
    const ashi_order *order;
    int head;
    int64_t inner; /* positions of the indices after the head */
    int64_t value[ASHI_INDICES_MOST];
} listing;

/* The length of the run at the listing's values, in values of the head. */
static int64_t length(const listing *l)
{
    if (l->head == l->order->count)
        return 1;
    return ashi_dealt_run_end(l->tensor, l->order->index[l->head], l->value[l->head]) - l->value[l->head];
}

/* Go to the next run: the head moves on by `by` values. */
static void advance(listing *l, int64_t by)
{
    const int64_t *const extent = l->tensor->expression->extent;
    int at = l->head;
    if (at < l->order->count && (l->value[at] += by) < extent[l->order->index[at]])
        return;
    if (at < l->order->count)
        l->value[at] = 0;
    for (at--; at >= 0 && ++l->value[at] == extent[l->order->index[at]]; at--)
        l->value[at] = 0;
}

static void list(listing *l, ashi_runs *out)
{
    int64_t position = 0;
    const int used = l->head < l->order->count ? l->head + 1 : l->head;
    for (int64_t r = 0; r < out->count; r++) {
        const int64_t by = length(l);
        out->cut[r] = position;
        out->process[r] = out->offset[r] = 0;
        for (int i = 0; i < used; i++) {
            out->process[r] += ashi_dealt_process(l->tensor, l->order->index[i], l->value[i]);
            out->offset[r] += ashi_dealt_offset(l->tensor, l->order->index[i], l->value[i]);
        }
        position += by * l->inner;
        advance(l, by);
    }
    out->cut[out->count] = position;
}

ashlar_status ashi_runs_make(const ashi_dealt *t, const ashi_order *order, bool single, ashi_runs *out,
                             ashlar_error *err)
{
    listing l = {.tensor = t, .order = order, .head = head_of(t, order, single), .inner = 1};
    const int64_t runs = ashi_runs_count(t, order, single), count = ashi_max(runs, 1);
    const size_t bytes = ((size_t)count + 1) * sizeof(int64_t);
    *out = (ashi_runs){.count = count, .cut = malloc(bytes), .process = malloc(bytes), .offset = malloc(bytes)};
    if (!out->cut || !out->process || !out->offset) {
        ashi_runs_free(out);
        return ashi_fail_memory(err, "tiles of a tensor", 3 * (int64_t)bytes);
    }
    for (int i = l.head + 1; i < order->count; i++)
        l.inner *= t->expression->extent[order->index[i]];
    if (l.head < order->count)
        out->step = ashi_dealt_stride(t, order->index[order->count - 1]);
    list(&l, out);
    if (runs == 0) /* one that is empty: a layout has a tile */
        out->cut[1] = 0;
    return ASHLAR_OK;
}

void ashi_runs_free(ashi_runs *runs)
{
    free(runs->cut);
    free(runs->process);
    free(runs->offset);
    *runs = (ashi_runs){0};
}

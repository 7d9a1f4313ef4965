/* A contraction of two tensors in files as products of matrices that are seen in them. */
#include "contract/unfolded.h"

#include "base/checked.h"
#include "base/error.h"
#include "contract/unfolded_order.h"
#include "model/rates.h"

#include <string.h>

/* The dimensions of A, B and C. */
static const ashi_index_list *list_of(const ashi_expression *e, int x)
{
    return x == 2 ? &e->output : &e->operand[x];
}

static int class_of(const ashi_expression *e, int index)
{
    const bool a = ashi_index_find(list_of(e, 0), index) >= 0, b = ashi_index_find(list_of(e, 1), index) >= 0;
    if (ashi_index_find(&e->output, index) < 0)
        return ASHI_UNFOLDED_SUMMED;
    return a && b ? ASHI_UNFOLDED_BATCH : a ? ASHI_UNFOLDED_ROWS : ASHI_UNFOLDED_COLUMNS;
}

static void add(const ashi_expression *e, ashi_unfolded_group *g, int index)
{
    for (int i = 0; i < g->count; i++)
        if (g->index[i] == index)
            return;
    g->index[g->count++] = index;
    g->extent = ashi_mul_most(g->extent, e->extent[index]);
}

/* Add the indices of a class that are within the last `page` elements of a tensor. */
static void add_front(const ashi_expression *e, int x, int class, int64_t page, ashi_unfolded_group *g)
{
    const ashi_index_list *list = list_of(e, x);
    int64_t words = 1;
    for (int d = list->order - 1; d >= 0 && words < page; d--) {
        if (class_of(e, list->index[d]) == class)
            add(e, g, list->index[d]);
        words = ashi_mul_most(words, e->extent[list->index[d]]);
    }
}

/* The fastest indices of both tensors first. */
static void order_group(const ashi_expression *e, int class, int64_t page, ashi_unfolded_group *g)
{
    static const int tensors[ASHI_UNFOLDED_GROUPS][2] = {{2, 0}, {2, 1}, {0, 1}, {2, 0}};
    *g = (ashi_unfolded_group){.extent = 1};
    for (int i = 0; i < 2 && class != ASHI_UNFOLDED_BATCH; i++)
        add_front(e, tensors[class][i], class, page, g);
    for (int i = 0; i < 2; i++)
        add_front(e, tensors[class][i], class, INT64_MAX, g);
}

/* The dimensions of the array that an index counts. */
static uint64_t dimensions_of(const ashi_index_list *list, const ashi_unfolded_tensor *t, int index)
{
    uint64_t bits = 0;
    for (int d = 0; d < list->order; d++)
        bits |= list->index[d] == index ? UINT64_C(1) << t->dimension[d] : 0;
    return bits;
}

static void fill_side(const ashi_expression *e, const ashi_index_list *list, const ashi_unfolded_tensor *t,
                      const ashi_unfolded_group *g, ashi_unfolding_side *out)
{
    out->count = 0;
    for (int i = 0; i < g->count; i++) {
        const int64_t extent = g->block[i] > 0 ? g->block[i] : e->extent[g->index[i]];
        out->index[out->count++] = (ashi_unfolding_index){extent, dimensions_of(list, t, g->index[i]), 1};
    }
    for (int i = 0; i < g->count; i++)
        if (g->block[i] > 0)
            out->index[out->count++] = (ashi_unfolding_index){e->extent[g->index[i]] / g->block[i],
                                                              dimensions_of(list, t, g->index[i]), g->block[i]};
}

/* ---- blocks ---- */

/* The shortest block of an index that is whole chunks of all arrays that have it; 0: there is none but all of it. */
static int64_t block_of(const ashi_expression *e, const ashi_unfolded_tensor tensor[3], int index)
{
    int64_t block = 1;
    bool chunked = false;
    for (int x = 0; x < 3; x++) {
        const ashi_index_list *list = list_of(e, x);
        for (int d = 0; d < list->order && tensor[x].chunk; d++) {
            const int64_t chunk = tensor[x].chunk[tensor[x].dimension[d]];
            if (list->index[d] != index)
                continue;
            if (tensor[x].from[tensor[x].dimension[d]] % chunk != 0)
                return 0;
            chunked = true;
            block = ashi_mul_most(block, chunk / ashi_common_divisor(block, chunk));
        }
    }
    return chunked && block < e->extent[index] && e->extent[index] % block == 0 ? block : 0;
}

static void cut_group(const ashi_expression *e, const ashi_unfolded_tensor tensor[3], ashi_unfolded_group *g)
{
    for (int i = 0; i < g->count && 2 * g->count <= ASHI_DIMENSIONS_MAX; i++)
        g->block[i] = block_of(e, tensor, g->index[i]);
}

bool ashi_unfolded_is_cut(const ashi_unfolded_group *group)
{
    bool cut = false;
    for (int i = 0; i < group->count; i++)
        cut = cut || group->block[i] > 0;
    return cut;
}

static ashlar_status check_size(const ashi_unfolded *u, ashlar_error *err)
{
    int64_t all = 1;
    for (int c = 0; c < ASHI_UNFOLDED_GROUPS; c++)
        if (u->group[c].extent == 0)
            return ASHLAR_OK;
    for (int c = 0; c < ASHI_UNFOLDED_GROUPS; c++)
        if (!ashi_mul(all, u->group[c].extent, &all))
            return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the multiply-adds of the contraction do not fit in 64 bits");
    return ASHLAR_OK;
}

void ashi_unfolded_see(const ashi_expression *e, const ashi_unfolded_tensor *t, int x, bool turned, ashi_unfolded *u)
{
    static const int sides[3][2] = {{ASHI_UNFOLDED_ROWS, ASHI_UNFOLDED_SUMMED},
                                    {ASHI_UNFOLDED_SUMMED, ASHI_UNFOLDED_COLUMNS},
                                    {ASHI_UNFOLDED_ROWS, ASHI_UNFOLDED_COLUMNS}};
    ashi_unfolding *view = &u->view[x];
    view->order = t->array_order;
    memcpy(view->from, t->from, (size_t)view->order * sizeof *view->from);
    for (int s = 0; s < 2; s++)
        fill_side(e, list_of(e, x), t, &u->group[sides[x][s]], &view->side[turned ? 1 - s : s]);
}

ashlar_status ashi_unfolded_make(const ashi_expression *e, const ashi_unfolded_tensor tensor[3], const bool turned[2],
                                 int64_t bytes, int64_t memory_words, unsigned cut, ashi_unfolded *out,
                                 ashlar_error *err)
{
    for (int c = 0; c < ASHI_UNFOLDED_GROUPS; c++)
        order_group(e, c, ASHI_DISK_PAGE / bytes, &out->group[c]);
    ashi_unfolded_order(e, memory_words, bytes, out->group);
    for (int c = 0; c <= ASHI_UNFOLDED_COLUMNS && (cut & ASHI_UNFOLDED_AS_RESULT); c++) {
        out->group[c] = (ashi_unfolded_group){.extent = 1};
        add_front(e, ASHLAR_C, c, INT64_MAX, &out->group[c]);
    }
    for (int c = 0; c < ASHI_UNFOLDED_BATCH; c++)
        if (cut >> c & 1)
            cut_group(e, tensor, &out->group[c]);
    for (int x = 0; x < 3; x++)
        ashi_unfolded_see(e, &tensor[x], x, x < 2 && turned[x], out);
    return check_size(out, err);
}

void ashi_unfolded_batch(const ashi_unfolded *u, const ashi_expression *e, const ashi_unfolded_tensor *t, int x,
                         int64_t g, int64_t *from)
{
    const ashi_unfolded_group *batch = &u->group[ASHI_UNFOLDED_BATCH];
    memcpy(from, t->from, (size_t)t->array_order * sizeof *from);
    for (int i = 0; i < batch->count; i++) {
        const int64_t extent = e->extent[batch->index[i]], value = g % extent;
        const uint64_t bits = dimensions_of(list_of(e, x), t, batch->index[i]);
        g /= extent;
        for (int d = 0; d < t->array_order; d++)
            from[d] += bits >> d & 1 ? value : 0;
    }
}

/* Sorting the indices of a pair into classes, and the matrix products that they make. */
#include "tensor/matching.h"

#include "base/checked.h"
#include "base/error.h"

static const char *const names[ASHI_CLASSES] = {"batch",         "free in A",  "free in B",
                                                "summed",        "in A alone", "in B alone"};

const char *ashi_index_class_name(ashi_index_class c)
{
    return names[c];
}

static const ashi_index_list *list_of(const ashi_expression *e, int x)
{
    return x < 2 ? &e->operand[x] : &e->output;
}

static ashi_index_class class_of(const ashi_expression *e, int index)
{
    const bool in_a = ashi_index_find(&e->operand[0], index) >= 0;
    const bool in_b = ashi_index_find(&e->operand[1], index) >= 0;
    const bool in_c = ashi_index_find(&e->output, index) >= 0;
    if (in_a && in_b)
        return in_c ? ASHI_BATCH : ASHI_SUMMED;
    if (in_a)
        return in_c ? ASHI_FREE_A : ASHI_ALONE_A;
    return in_c ? ASHI_FREE_B : ASHI_ALONE_B;
}

/* Each index once: those of C first, in its order, then those of A, then those of B. */
static bool fill_groups(const ashi_expression *e, ashi_matching *out)
{
    static const int order[3] = {2, 0, 1};
    bool done[ASHI_INDICES_MOST] = {false};
    bool fits = true;
    for (int c = 0; c < ASHI_CLASSES; c++)
        out->group[c].extent = 1;
    for (int i = 0; i < 3; i++) {
        const ashi_index_list *list = list_of(e, order[i]);
        for (int d = 0; d < list->order; d++) {
            const int index = list->index[d];
            if (done[index])
                continue;
            done[index] = true;
            ashi_index_group *g = &out->group[class_of(e, index)];
            g->index[g->count++] = index;
            fits = ashi_mul(g->extent, e->extent[index], &g->extent) && fits;
        }
    }
    return fits;
}

/* Whether the group's indices of more than one value stand side by side in the list, in the group's order. */
static bool is_fused(const ashi_expression *e, const ashi_index_list *list, const ashi_index_group *g)
{
    int next = -1;
    for (int i = 0; i < g->count; i++) {
        int at = ashi_index_find(list, g->index[i]);
        if (e->extent[g->index[i]] == 1 || at < 0)
            continue;
        for (; next >= 0 && next < list->order && e->extent[list->index[next]] == 1; next++)
            continue;
        if (next >= 0 && at != next)
            return false;
        next = at + 1;
    }
    return true;
}

/* Whether the array's fastest dimension of more than one value belongs to no batch, so that rows or columns are
 * contiguous. */
static bool has_contiguous_side(const ashi_expression *e, const ashi_index_list *list)
{
    for (int d = list->order - 1; d >= 0; d--)
        if (e->extent[list->index[d]] != 1)
            return class_of(e, list->index[d]) != ASHI_BATCH;
    return true;
}

static void describe_array(const ashi_expression *e, int x, ashi_matching *out)
{
    static const int side[3][2] = {{ASHI_FREE_A, ASHI_SUMMED}, {ASHI_FREE_B, ASHI_SUMMED}, {ASHI_FREE_A, ASHI_FREE_B}};
    const ashi_index_list *list = list_of(e, x);
    const ashi_index_group *g = out->group;
    const int64_t alone = x == 2 ? 1 : g[x == 0 ? ASHI_ALONE_A : ASHI_ALONE_B].extent;
    out->stored[x] = ashi_expression_words(e, list);
    out->words[x] = ashi_mul_most(g[ASHI_BATCH].extent, ashi_mul_most(g[side[x][0]].extent, g[side[x][1]].extent));
    out->read[x] = ashi_mul_most(out->words[x], alone);
    for (int c = 0; c < ASHI_CLASSES; c++)
        out->fused[x][c] = is_fused(e, list, &g[c]);
    bool repeated = false;
    for (int d = 0; d < list->order; d++)
        repeated = repeated || ashi_index_find(list, list->index[d]) != d;
    if (x < 2)
        out->diagonal[x] = repeated;
    out->in_place[x] = !repeated && alone == 1 && out->fused[x][side[x][0]] && out->fused[x][side[x][1]] &&
                       has_contiguous_side(e, list);
}

ashlar_status ashi_matching_make(const ashi_expression *e, ashi_matching *out, ashlar_error *err)
{
    *out = (ashi_matching){0};
    int64_t products = 1;
    bool fits = fill_groups(e, out);
    for (int c = ASHI_BATCH; c <= ASHI_SUMMED; c++)
        fits = fits && ashi_mul(products, out->group[c].extent, &products);
    if (!fits) /* an extent of 0 is no excuse: groups beside it are used alone */
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the products of elements do not fit in 64 bits");
    for (int x = 0; x < 3; x++)
        describe_array(e, x, out);
    return ASHLAR_OK;
}

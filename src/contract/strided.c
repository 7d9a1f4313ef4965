/* Arrays as indices with strides, and the products of two of them. */
#include "contract/strided.h"

#include "base/checked.h"
#include "base/error.h"

ashi_strided ashi_strided_of(const ashi_index_list *list, const int64_t *stride)
{
    ashi_strided out = {0};
    for (int d = 0; d < list->order; d++) {
        out.has[list->index[d]] = true;
        out.stride[list->index[d]] += stride[d];
    }
    return out;
}

bool ashi_strided_is_empty(const ashi_expression *e)
{
    bool empty = false;
    for (int i = 0; i < e->indices; i++)
        empty = empty || e->extent[i] == 0;
    return empty;
}

/* Whether index i is in array x and in no other. */
static bool is_alone(const ashi_strided *array, int arrays, int x, int i)
{
    bool alone = array[x].has[i];
    for (int y = 0; y < arrays; y++)
        alone = alone && (y == x || !array[y].has[i]);
    return alone;
}

bool ashi_strided_has_alone(const ashi_expression *e, const ashi_strided *array, int arrays, int x)
{
    bool any = false;
    for (int i = 0; i < e->indices; i++)
        any = any || (e->extent[i] > 1 && is_alone(array, arrays, x, i));
    return any;
}

int64_t ashi_strided_summed(const ashi_expression *e, const ashi_strided *array, int arrays, int x, ashi_strided *out)
{
    const ashi_index_list *const list = &e->operand[x];
    int64_t next = 1;
    *out = (ashi_strided){0};
    for (int d = list->order - 1; d >= 0; d--) {
        const int i = list->index[d];
        if (out->has[i] || is_alone(array, arrays, x, i))
            continue;
        out->has[i] = true;
        out->stride[i] = next;
        next *= e->extent[i];
    }
    return next;
}

static bool sums_nothing(const ashi_expression *e, const ashi_strided *a, const ashi_strided *b, const ashi_strided *c)
{
    bool nothing = false;
    for (int i = 0; i < e->indices; i++)
        nothing = nothing || (e->extent[i] == 0 && (a->has[i] || b->has[i]) && !c->has[i]);
    return nothing;
}

ashlar_status ashi_strided_product(const ashi_expression *e, const ashi_strided *a, const ashi_strided *b,
                                   const ashi_strided *c, ashi_contraction *out, bool *nothing, ashlar_error *err)
{
    int64_t products = 1;
    *nothing = sums_nothing(e, a, b, c);
    for (int i = 0; i < e->indices; i++) {
        const bool in_a = a->has[i], in_b = b->has[i], in_c = c->has[i];
        if ((!in_a && !in_b) || e->extent[i] == 1 || (*nothing && !in_c))
            continue;
        ashi_stride_group *const group = !in_c ? &out->depth : in_a && in_b ? &out->batch : in_a ? &out->rows
                                                                                                   : &out->cols;
        group->index[group->count++] =
            (ashi_index){e->extent[i], {a->stride[i], b->stride[i], c->stride[i]}};
        if (!ashi_mul(products, e->extent[i], &products))
            return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "the products of elements do not fit in 64 bits");
    }
    return ASHLAR_OK;
}

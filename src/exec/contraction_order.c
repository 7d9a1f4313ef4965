/* An array whose indices change their order: matrices of the two indices that run fastest are transposed. */
#include "exec/contraction_thin.h"

#include "base/checked.h"
#include "base/type.h"
#include "exec/kernels.h"
#include "exec/positions.h"

#include <complex.h>

enum { A, B, C };

/* The index that runs fastest in a matrix, number `except` left out; -1 if there is none. */
static int fastest(const ashi_stride_group *group, int matrix, int except)
{
    int found = -1;
    for (int i = 0; i < group->count; i++)
        if (i != except && (found < 0 || group->index[i].stride[matrix] < group->index[found].stride[matrix]))
            found = i;
    return found;
}

bool ashi_contraction_is_order(const ashi_contraction *p)
{
    bool order = p->cols.count == 0 && p->depth.count == 0 && p->batch.count == 0 && p->rows.count > 0;
    for (int i = 0; i < p->rows.count; i++)
        order = order && p->rows.index[i].stride[B] == 0;
    return order;
}

/* out <- alpha b, or alpha times b's conjugate. */
static void times(ashlar_type type, const void *alpha, const void *b, bool conjugate, double _Complex *out)
{
    if (type == ASHLAR_TYPE_S)
        *(float *)out = *(const float *)alpha * *(const float *)b;
    else if (type == ASHLAR_TYPE_D)
        *(double *)out = *(const double *)alpha * *(const double *)b;
    else if (type == ASHLAR_TYPE_C)
        *(float _Complex *)out = *(const float _Complex *)alpha *
                                 (conjugate ? conjf(*(const float _Complex *)b) : *(const float _Complex *)b);
    else
        *out = *(const double _Complex *)alpha *
               (conjugate ? conj(*(const double _Complex *)b) : *(const double _Complex *)b);
}

/* The two indices leave the rows, which become what is done one after the other. */
static ashi_index_box others(const ashi_stride_group *rows, int minor, int major)
{
    ashi_index_box out = {.group = {0}, .count = 1};
    for (int i = 0; i < rows->count; i++)
        if (i != minor && i != major) {
            out.group.index[out.group.count++] = rows->index[i];
            out.count *= rows->index[i].extent;
        }
    return out;
}

void ashi_contraction_order(const ashi_contraction_plan *plan, const void *alpha, const void *a, const void *b,
                            const void *beta, void *c, int part, int parts)
{
    const ashi_contraction *const p = &plan->product;
    const ashi_kernels *const kernels = ashi_kernels_of(p->type);
    const int64_t bytes = (int64_t)ashi_type_of(p->type)->bytes;
    const int minor = fastest(&p->rows, C, -1), by_a = fastest(&p->rows, A, -1);
    const int major = by_a != minor ? by_a : fastest(&p->rows, C, minor);
    const ashi_index_box rest = others(&p->rows, minor, major);
    ashi_index x = p->rows.index[minor], y = major < 0 ? (ashi_index){1, {0, 0, x.extent}} : p->rows.index[major];
    const bool by_rest = rest.count >= parts;
    const int64_t first = by_rest ? 0 : ashi_cut(x.extent, parts, part);
    if (!by_rest)
        x.extent = ashi_cut_size(x.extent, parts, part);
    const int64_t from = by_rest ? ashi_cut(rest.count, parts, part) : 0;
    const int64_t to = by_rest ? ashi_cut(rest.count, parts, part + 1) : rest.count;
    double _Complex factor;
    times(p->type, alpha, plan->turned ? a : b, p->conjugate_b, &factor);
    for (int64_t i = from; i < to; i++) {
        int64_t of_a, of_c;
        ashi_box_offsets(&rest, A, (ashi_positions){i, 1}, &of_a);
        ashi_box_offsets(&rest, C, (ashi_positions){i, 1}, &of_c);
        of_a += first * x.stride[A], of_c += first * x.stride[C];
        const ashi_matrix m = {(const char *)(plan->turned ? b : a) + of_a * bytes, x.stride[A], y.stride[A]};
        kernels->axpby(x.extent, y.extent, &factor, &m, p->conjugate_a, beta, (char *)c + of_c * bytes, x.stride[C],
                       y.stride[C]);
    }
}

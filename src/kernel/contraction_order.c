/* Products without a sum: one array, its indices in another order, or two of them element by element. Boxes of the two
 * indices that run fastest in C and in A are taken one after the other. */
#include "kernel/contraction_thin.h"

#include "base/checked.h"
#include "base/type.h"
#include "kernel/elements.h"
#include "kernel/kernels.h"
#include "kernel/positions.h"

#include <complex.h>
#include <stdalign.h>
#include <string.h>

/* SIDE: of a box that is transposed. CHUNK: boxes whose places are found together. */
enum { A, B, C, MATRICES, SIDE = 32, CHUNK = 64 };

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
    bool order = p->cols.count == 0 && p->batch.count == 0 && p->rows.count > 0;
    for (int i = 0; i < p->depth.count; i++)
        order = order && p->depth.index[i].extent == 1;
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

/* What one part does. */
typedef struct order {
    const ashi_contraction *p;
    const ashi_kernels *kernels;
    ashi_elements elements;
    int64_t bytes;             /* of an element */
    ashi_index minor, major;   /* they run fastest in C and in A */
    const void *alpha, *beta;
    bool plain, clear;         /* alpha = 1, beta = 0 */
} order;

/* A matrix of a box as lines of the minor index: where it lies, or in `copy` if the minor index runs slowly there and
 * the major one fast. */
static ashi_matrix lines_of(const order *o, int matrix, const char *from, int64_t minor, int64_t major, char *copy)
{
    const ashi_matrix x = {from, o->minor.stride[matrix], o->major.stride[matrix]};
    if (x.minor_stride <= 1 || x.major_stride != 1)
        return x;
    o->kernels->axpby(minor, major, o->kernels->one, &x, false, o->kernels->zero, copy, 1, SIDE);
    return (ashi_matrix){copy, 1, SIDE};
}

/* A box of two arrays, element by element. */
static void multiply(const order *o, int64_t minor, int64_t major, const char *a, const char *b, char *c)
{
    alignas(double _Complex) char copy[2][SIDE * SIDE * sizeof(double _Complex)];
    const bool *const conjugate[2] = {&o->p->conjugate_a, &o->p->conjugate_b};
    const ashi_matrix x = lines_of(o, A, a, minor, major, copy[A]), y = lines_of(o, B, b, minor, major, copy[B]);
    for (int64_t j = 0; j < major; j++) {
        const ashi_line of_a = {(const char *)x.data + j * x.major_stride * o->bytes, x.minor_stride, *conjugate[A]};
        const ashi_line of_b = {(const char *)y.data + j * y.major_stride * o->bytes, y.minor_stride, *conjugate[B]};
        char *const line = c + j * o->major.stride[C] * o->bytes;
        for (int64_t i = 0; o->minor.stride[C] != 1 && i < minor; i++) {
            const ashi_line one_a = {(const char *)of_a.data + i * of_a.stride * o->bytes, 0, of_a.conjugate};
            const ashi_line one_b = {(const char *)of_b.data + i * of_b.stride * o->bytes, 0, of_b.conjugate};
            o->elements(1, o->plain ? NULL : o->alpha, &one_a, &one_b, o->clear ? NULL : o->beta,
                        line + i * o->minor.stride[C] * o->bytes);
        }
        if (o->minor.stride[C] == 1)
            o->elements(minor, o->plain ? NULL : o->alpha, &of_a, &of_b, o->clear ? NULL : o->beta, line);
    }
}

/* All values of the two indices. A box that is transposed is cut. */
static void run_pair(const order *o, const char *a, const char *b, char *c)
{
    const ashi_index x = o->minor, y = o->major;
    if (x.stride[B] == 0 && y.stride[B] == 0 && x.stride[A] != 0) {
        double _Complex factor;
        times(o->p->type, o->alpha, b, o->p->conjugate_b, &factor);
        const ashi_matrix m = {a, x.stride[A], y.stride[A]};
        o->kernels->axpby(x.extent, y.extent, &factor, &m, o->p->conjugate_a, o->beta, c, x.stride[C], y.stride[C]);
        return;
    }
    const bool turned = (x.stride[A] > 1 && y.stride[A] == 1) || (x.stride[B] > 1 && y.stride[B] == 1);
    const int64_t side[2] = {turned ? SIDE : x.extent, turned ? SIDE : y.extent};
    for (int64_t j = 0; j < y.extent; j += side[1])
        for (int64_t i = 0; i < x.extent; i += side[0])
            multiply(o, ashi_min(side[0], x.extent - i), ashi_min(side[1], y.extent - j),
                     a + (i * x.stride[A] + j * y.stride[A]) * o->bytes,
                     b + (i * x.stride[B] + j * y.stride[B]) * o->bytes,
                     c + (i * x.stride[C] + j * y.stride[C]) * o->bytes);
}

/* The second index of boxes: that which runs fastest in A, or else in B; -1 if there is no other. */
static int find_major(const ashi_stride_group *rows, int minor)
{
    for (int matrix = A; matrix <= B; matrix++) {
        int found = -1;
        for (int i = 0; i < rows->count; i++)
            if (rows->index[i].stride[matrix] > 0 &&
                (found < 0 || rows->index[i].stride[matrix] < rows->index[found].stride[matrix]))
                found = i;
        if (found >= 0 && found != minor && rows->index[found].stride[matrix] == 1)
            return found;
    }
    return fastest(rows, C, minor);
}

void ashi_contraction_order(const ashi_contraction_plan *plan, const void *alpha, const void *a, const void *b,
                            const void *beta, void *c, int part, int parts)
{
    const ashi_contraction *const p = &plan->product;
    const ashi_kernels *const kernels = ashi_kernels_of(p->type);
    const int minor = fastest(&p->rows, C, -1), major = find_major(&p->rows, minor);
    order o = {.p = p, .kernels = kernels, .elements = ashi_elements_of(p->type), .alpha = alpha, .beta = beta,
               .bytes = (int64_t)ashi_type_of(p->type)->bytes, .minor = p->rows.index[minor]};
    o.plain = memcmp(alpha, kernels->one, (size_t)o.bytes) == 0, o.clear = kernels->is_zero(beta);
    o.major = major < 0 ? (ashi_index){1, {0, 0, o.minor.extent}} : p->rows.index[major];
    const ashi_index_box rest = others(&p->rows, minor, major);
    const bool by_rest = rest.count >= parts;
    const int64_t first = by_rest ? 0 : ashi_cut(o.minor.extent, parts, part);
    if (!by_rest)
        o.minor.extent = ashi_cut_size(o.minor.extent, parts, part);
    const int64_t from = by_rest ? ashi_cut(rest.count, parts, part) : 0;
    const int64_t to = by_rest ? ashi_cut(rest.count, parts, part + 1) : rest.count;
    const char *const data[] = {plan->turned ? b : a, plan->turned ? a : b};
    for (int64_t i = from; i < to; i += CHUNK) {
        const ashi_positions some = {i, ashi_min(CHUNK, to - i)};
        int64_t at[MATRICES][CHUNK];
        for (int matrix = A; matrix < MATRICES; matrix++)
            ashi_box_offsets(&rest, matrix, some, at[matrix]);
        for (int64_t l = 0; l < some.count; l++)
            run_pair(&o, data[A] + (at[A][l] + first * o.minor.stride[A]) * o.bytes,
                     data[B] + (at[B][l] + first * o.minor.stride[B]) * o.bytes,
                     (char *)c + (at[C][l] + first * o.minor.stride[C]) * o.bytes);
    }
}

void ashi_contraction_copy(ashlar_type type, const ashi_stride_group *group, const void *source, const void *beta,
                           void *target)
{
    const void *const one = ashi_kernels_of(type)->one;
    const ashi_contraction_plan plan = {.product = {.type = type, .rows = *group}};
    ashi_contraction_order(&plan, one, source, one, beta, target, 0, 1);
}

/* Sums of products of two arrays of which another index runs fastest in each. */
#include "kernel/contraction_inner.h"

#include "base/checked.h"
#include "base/type.h"
#include "kernel/contraction_groups.h"
#include "kernel/kernels.h"
#include "kernel/positions.h"

#include <complex.h>
#include <stdalign.h>

/* SIDE: of a square. CHUNK: values of the other indices whose places are found together. LEAST: of positions of the
 * sum. */
enum { A, B, SIDE = 32, CHUNK = 64, LEAST = 64, LINE = 64 };

typedef struct inner {
    const ashi_kernels *kernels;
    const ashi_sums *sums;
    int64_t bytes;        /* of an element */
    ashi_index of_a, of_b; /* run fastest in A and in B */
    bool conjugate[2];
} inner;

bool ashi_contraction_is_inner(const ashi_contraction *p)
{
    const int of_a = ashi_group_neighbours(&p->depth, A), of_b = ashi_group_neighbours(&p->depth, B);
    return of_a >= 0 && of_b >= 0 && of_a != of_b && ashi_positions_of(&p->depth) >= LEAST;
}

/* The caches fetch `lines` lines of `count` elements. */
static void fetch(const inner *o, const char *from, int64_t count, int64_t lines, int64_t stride)
{
    for (int64_t j = 0; j < lines; j++)
        for (int64_t i = 0; i < count * o->bytes; i += LINE)
            __builtin_prefetch(from + j * stride * o->bytes + i);
}

/* All values of the two indices: B's squares are transposed. */
static void add_pair(const inner *o, const char *a, const char *b, char *sum)
{
    alignas(LINE) char square[SIDE * SIDE * sizeof(double _Complex)];
    const ashi_index x = o->of_a, y = o->of_b;
    for (int64_t j = 0; j < y.extent; j += SIDE)
        for (int64_t i = 0; i < x.extent; i += SIDE) {
            const int64_t count = ashi_min(SIDE, x.extent - i), lines = ashi_min(SIDE, y.extent - j);
            const char *const from_a = a + (i + j * y.stride[A]) * o->bytes;
            const ashi_matrix from_b = {b + (j + i * x.stride[B]) * o->bytes, x.stride[B], 1};
            const int64_t next = ashi_min(SIDE, x.extent - i - count);
            fetch(o, from_a + count * o->bytes, next, lines, y.stride[A]);
            fetch(o, (const char *)from_b.data + count * x.stride[B] * o->bytes, lines, next, x.stride[B]);
            o->kernels->axpby(count, lines, o->kernels->one, &from_b, false, o->kernels->zero, square, 1, SIDE);
            o->sums->box(count, lines, from_a, y.stride[A], square, SIDE, o->conjugate, sum);
        }
}

/* The indices of the sum that are left. */
static ashi_index_box others(const ashi_stride_group *depth, int of_a, int of_b)
{
    ashi_index_box out = {.group = {0}, .count = 1};
    for (int i = 0; i < depth->count; i++)
        if (i != of_a && i != of_b) {
            out.group.index[out.group.count++] = depth->index[i];
            out.count *= depth->index[i].extent;
        }
    return out;
}

void ashi_contraction_inner(const ashi_contraction_plan *plan, const ashi_thin *t, int64_t rows, const char *a,
                            const char *b, char *sum)
{
    const ashi_contraction *const p = &plan->product;
    const int of_a = ashi_group_neighbours(&p->depth, A), of_b = ashi_group_neighbours(&p->depth, B);
    const inner o = {.kernels = ashi_kernels_of(p->type), .sums = ashi_sums_of(p->type),
                     .bytes = (int64_t)ashi_type_of(p->type)->bytes, .of_a = p->depth.index[of_a],
                     .of_b = p->depth.index[of_b], .conjugate = {p->conjugate_a, p->conjugate_b}};
    const ashi_index_box rest = others(&p->depth, of_a, of_b);
    for (int64_t from = 0; from < rest.count; from += CHUNK) {
        const ashi_positions some = {from, ashi_min(CHUNK, rest.count - from)};
        int64_t at[2][CHUNK];
        for (int matrix = A; matrix <= B; matrix++)
            ashi_box_offsets(&rest, matrix, some, at[matrix]);
        for (int64_t i = 0; i < rows; i++)
            for (int64_t l = 0; l < some.count; l++)
                add_pair(&o, a + (ashi_thin_row(t, A, i) + at[A][l]) * o.bytes,
                         b + (ashi_thin_row(t, B, i) + at[B][l]) * o.bytes, sum + i * o.bytes);
    }
}

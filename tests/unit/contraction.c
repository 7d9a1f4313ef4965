/* Products of strided operands beside plain loops, exactly: elements are small integers. */
#include "contract/unfolded_order.h"
#include "kernel/contraction.h"
#include "kernel/contraction_interleaved.h"
#include "kernel/contraction_slabs.h"
#include "kernel/contraction_sums.h"
#include "kernel/elements.h"
#include "kernel/micro.h"
#include "kernel/skinny.h"
#include "test.h"

#include "base/type.h"
#include "element.h"

#include <math.h>
#include <stdalign.h>
#include <string.h>

enum { GROUPS = 4, MOST = 4096, A = 0, B = 1, C = 2 };

static const bool has[GROUPS][3] = {{true, false, true}, {false, true, true}, {true, true, false}, {true, true, true}};

typedef struct matrix {
    int64_t words;
    void *data;
} matrix;

static ashi_stride_group *group_of(ashi_contraction *p, int group)
{
    ashi_stride_group *const groups[GROUPS] = {&p->rows, &p->cols, &p->depth, &p->batch};
    return groups[group];
}

/* One group has two indices of many values, so that it is cut into boxes if they lie unlike in two matrices. */
static void draw_long(uint64_t *seed, ashi_contraction *p)
{
    const int lengthy = (int)(ashi_random(seed) % 2), deep = ashi_random(seed) % 2 == 0 ? 140 : 1;
    for (int g = 0; g < 3; g++) {
        const int64_t extent = g == 2 ? deep : g == lengthy ? 40 : 1 + (int64_t)(ashi_random(seed) % 3);
        ashi_stride_group *const group = group_of(p, g);
        group->count = g == lengthy ? 2 : 1;
        for (int i = 0; i < group->count; i++)
            group->index[i].extent = extent + (extent >= 40 ? (int64_t)(ashi_random(seed) % 30) : 0);
    }
}

static void draw_extents(uint64_t *seed, ashi_contraction *p)
{
    for (int g = 0; g < GROUPS; g++) {
        ashi_stride_group *const group = group_of(p, g);
        group->count = (int)(ashi_random(seed) % (g == 3 ? 2 : 4));
        for (int i = 0; i < group->count; i++)
            group->index[i] = (ashi_index){.extent = 1 + (int64_t)(ashi_random(seed) % (i == 0 && g < 3 ? 29 : 4))};
    }
}

/* Many small products, whose index may run fastest. */
static void draw_batch(uint64_t *seed, ashi_contraction *p)
{
    for (int g = 0; g < GROUPS; g++) {
        ashi_stride_group *const group = group_of(p, g);
        group->count = 1 + (int)(ashi_random(seed) % 2);
        group->index[0].extent = (g == 3 ? 8 : 4) + (int64_t)(ashi_random(seed) % (g == 3 ? 90 : 8));
        group->index[1].extent = 1 + (int64_t)(ashi_random(seed) % 3);
    }
}

/* Some little products of which one side is long. */
static void draw_little(uint64_t *seed, ashi_contraction *p)
{
    const int lengthy = (int)(ashi_random(seed) % 3);
    for (int g = 0; g < GROUPS; g++) {
        ashi_stride_group *const group = group_of(p, g);
        group->count = 1;
        group->index[0].extent = (g == lengthy ? 97 : 2) + (int64_t)(ashi_random(seed) % (g == lengthy ? 300 : 9));
    }
}

/* Many small products whose elements interleave: the first index of the batch is to run fastest everywhere. */
static void draw_interleaved(uint64_t *seed, ashi_contraction *p)
{
    for (int g = 0; g < GROUPS; g++) {
        ashi_stride_group *const group = group_of(p, g);
        group->count = 1 + (int)(ashi_random(seed) % 2);
        group->index[0].extent = (g == 3 ? 8 : 1) + (int64_t)(ashi_random(seed) % (g == 3 ? 90 : 9));
        group->index[1].extent = 1 + (int64_t)(ashi_random(seed) % 3);
    }
}

/* Few elements of C, each the sum of many products. */
static void draw_sums(uint64_t *seed, ashi_contraction *p)
{
    for (int g = 0; g < GROUPS; g++) {
        ashi_stride_group *const group = group_of(p, g);
        group->count = g == 2 ? 3 : (int)(ashi_random(seed) % 2);
        for (int i = 0; i < group->count; i++)
            group->index[i].extent = 1 + (int64_t)(ashi_random(seed) % (g != 2 ? 3 : i < 2 ? 70 : 2));
    }
}

/* Indices of random extents, which lie in each matrix in a random order, now and then with gaps. Returns the words of
 * each matrix. */
static void draw(uint64_t *seed, ashi_contraction *p, int64_t words[3])
{
    const int kind = (int)(ashi_random(seed) % 20);
    if (kind == 0)
        draw_long(seed, p);
    else if (kind < 3)
        draw_batch(seed, p);
    else if (kind < 5)
        draw_interleaved(seed, p);
    else if (kind < 7)
        draw_sums(seed, p);
    else if (kind < 9)
        draw_little(seed, p);
    else
        draw_extents(seed, p);
    for (int x = 0; x < 3; x++) {
        ashi_index *all[4 * GROUPS];
        int count = 0;
        words[x] = 1;
        for (int g = 0; g < GROUPS; g++)
            for (int i = 0; has[g][x] && i < group_of(p, g)->count; i++)
                all[count++] = &group_of(p, g)->index[i];
        for (int left = count; left > 0; left--) {
            const bool interleaved = (kind == 3 || kind == 4) && left == count;
            const int taken = interleaved ? count - p->batch.count : (int)(ashi_random(seed) % (uint64_t)left);
            all[taken]->stride[x] = words[x];
            words[x] *= all[taken]->extent;
            words[x] += ashi_random(seed) % 8 == 0 ? 3 : 0;
            all[taken] = all[left - 1];
        }
    }
    for (int i = 0; kind == 6 && p->cols.count == 0 && i < p->depth.count; i++)
        p->depth.index[i].stride[B] = 0; /* A is summed alone */
}

static void fill(uint64_t *seed, ashlar_type type, matrix *x)
{
    x->data = calloc((size_t)x->words, ashi_type_of(type)->bytes);
    for (int64_t i = 0; x->data != NULL && i < x->words; i++) {
        const int64_t re = (int64_t)(ashi_random(seed) % 9) - 4, im = (int64_t)(ashi_random(seed) % 9) - 4;
        set_element(type, x->data, i, (double)re + I * (double)im);
    }
}

static int64_t extent_of(const ashi_stride_group *group)
{
    int64_t extent = 1;
    for (int i = 0; i < group->count; i++)
        extent *= group->index[i].extent;
    return extent;
}

static int64_t place(const ashi_stride_group *group, int64_t position, int x)
{
    int64_t at = 0;
    for (int i = 0; i < group->count; i++) {
        at += position % group->index[i].extent * group->index[i].stride[x];
        position /= group->index[i].extent;
    }
    return at;
}

static double _Complex conjugated(ashlar_type type, const void *data, int64_t i, bool conjugate)
{
    const double _Complex x = get_element(type, data, i);
    return conjugate ? conj(x) : x;
}

/* C <- alpha A B + beta C by loops. */
static void expect(const ashi_contraction *p, double _Complex alpha, const matrix *a, const matrix *b,
                   double _Complex beta, matrix *c)
{
    const int64_t m = extent_of(&p->rows), n = extent_of(&p->cols), k = extent_of(&p->depth);
    for (int64_t x = 0; x < extent_of(&p->batch); x++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++) {
                double _Complex sum = 0;
                const int64_t of_a = place(&p->batch, x, A) + place(&p->rows, i, A);
                const int64_t of_b = place(&p->batch, x, B) + place(&p->cols, j, B);
                for (int64_t l = 0; l < k; l++)
                    sum += conjugated(p->type, a->data, of_a + place(&p->depth, l, A), p->conjugate_a) *
                           conjugated(p->type, b->data, of_b + place(&p->depth, l, B), p->conjugate_b);
                const int64_t at = place(&p->batch, x, C) + place(&p->rows, i, C) + place(&p->cols, j, C);
                const double _Complex before = beta == 0 ? 0 : beta * get_element(p->type, c->data, at);
                set_element(p->type, c->data, at, alpha == 0 ? before : alpha * sum + before);
            }
}

/* beta = 0: C is not read, whatever is there. */
static void poison(const ashi_contraction *p, matrix *c)
{
    for (int64_t x = 0; x < extent_of(&p->batch); x++)
        for (int64_t i = 0; i < extent_of(&p->rows); i++)
            for (int64_t j = 0; j < extent_of(&p->cols); j++)
                set_element(p->type, c->data,
                            place(&p->batch, x, C) + place(&p->rows, i, C) + place(&p->cols, j, C), NAN);
}

/* By slabs of the sum; false if there is none to cut. */
static bool run_slabs(const ashi_contraction *p, const void *alpha, const void *a, const void *b, const void *beta,
                      void *c, int slabs)
{
    static ashi_contraction_slabs x;
    if (!ashi_contraction_slabs_make(p, slabs, &x))
        return false;
    void *const workspace = malloc((size_t)ashi_contraction_slabs_bytes(&x));
    for (int slab = 0; workspace != NULL && slab < x.count; slab++)
        ashi_contraction_slabs_run(&x, alpha, a, b, slab, workspace);
    if (workspace != NULL)
        ashi_contraction_slabs_end(&x, beta, c, workspace);
    free(workspace);
    return true;
}

static void run(uint64_t *seed, const ashi_contraction *p, double _Complex alpha, const matrix *a, const matrix *b,
                double _Complex beta, matrix *c)
{
    const ashi_micro *const micro = ashi_micro_of(p->type);
    const int parts = 1 + (int)(ashi_random(seed) % 3);
    ashi_contraction_plan plan;
    double _Complex scalar[2];
    set_element(p->type, &scalar[0], 0, alpha);
    set_element(p->type, &scalar[1], 0, beta);
    if (ashi_random(seed) % 4 == 0 &&
        run_slabs(p, &scalar[0], a->data, b->data, &scalar[1], c->data, 2 + parts))
        return;
    if (ashi_random(seed) % 4 != 0 || !ashi_contraction_interleaved_make(p, &plan))
        ashi_contraction_make(p, &plan);
    if (ashi_random(seed) % 4 == 0)
        ashi_contraction_unstage(&plan);
    const ashi_skinny *kinds[ASHI_SIMD_KINDS];
    plan.kind = (int)(ashi_random(seed) % (uint64_t)ashi_skinny_all(ASHLAR_TYPE_D, kinds));
    if (ashi_random(seed) % 2 == 0)
        ashi_contraction_blocks(&plan, micro->rows, 2 * micro->cols, 1 + (int64_t)(ashi_random(seed) % 20));
    void *const workspace = malloc((size_t)plan.bytes);
    for (int part = 0; workspace != NULL && part < parts; part++)
        ashi_contraction_run(&plan, &scalar[0], a->data, b->data, &scalar[1], c->data, part, parts, workspace);
    free(workspace);
}

/* A product whose extents and strides are given, beside loops. */
static void compare(ashi_test *t, uint64_t which, uint64_t *seed, ashi_contraction *p, const int64_t words[3])
{
    const bool two_parts = ashi_type_of(p->type)->flops == 8;
    matrix x[3] = {0}, wanted;
    p->conjugate_a = two_parts && ashi_random(seed) % 2 == 0, p->conjugate_b = two_parts && ashi_random(seed) % 2 == 0;
    for (int i = 0; i < 3; i++) {
        x[i].words = words[i];
        fill(seed, p->type, &x[i]);
    }
    const double _Complex scalars[] = {1, 0, -2, two_parts ? 1 + 2 * I : 3};
    const double _Complex alpha = scalars[ashi_random(seed) % 4], beta = scalars[ashi_random(seed) % 4];
    wanted = x[C];
    wanted.data = malloc((size_t)words[C] * ashi_type_of(p->type)->bytes);
    memcpy(wanted.data, x[C].data, (size_t)words[C] * ashi_type_of(p->type)->bytes);
    expect(p, alpha, &x[A], &x[B], beta, &wanted);
    if (beta == 0)
        poison(p, &x[C]);
    run(seed, p, alpha, &x[A], &x[B], beta, &x[C]);
    int64_t wrong = 0;
    for (int64_t i = 0; i < words[C]; i++)
        wrong += get_element(p->type, x[C].data, i) != get_element(p->type, wanted.data, i);
    CHECK(t, wrong == 0, "%" PRId64 " elements, seed %" PRIu64, wrong, which);
    free(wanted.data);
    for (int i = 0; i < 3; i++)
        free(x[i].data);
}

static void one_case(ashi_test *t, uint64_t which)
{
    uint64_t seed = which;
    ashi_contraction p = {.type = (ashlar_type)(ashi_random(&seed) % 4)};
    int64_t words[3];
    draw(&seed, &p, words);
    compare(t, which, &seed, &p, words);
}

/* About as many rows as columns, both of which are neighbours, and a sum of two indices whose order is another one in B
 * than in A: A is read where it lies. */
static void few_case(ashi_test *t, uint64_t which)
{
    uint64_t seed = which;
    const int64_t m = 4 + (int64_t)(ashi_random(&seed) % 37), n = 3 + (int64_t)(ashi_random(&seed) % 22);
    const int64_t k = 5 + (int64_t)(ashi_random(&seed) % 9), l = 7 + (int64_t)(ashi_random(&seed) % 9);
    ashi_contraction p = {.type = (ashlar_type)(which % 4),
                          .rows = {1, {{m, {1, 0, 1}}}},
                          .cols = {1, {{n, {0, 1, m}}}},
                          .depth = {2, {{k, {m, l * n, 0}}, {l, {k * m, n, 0}}}}};
    compare(t, which, &seed, &p, (int64_t[]){m * k * l, n * k * l, m * n});
}

/* A matrix whose rows, or sums (`down`), are neighbours, times a vector: by any sums that this processor can run. */
static void sums_case(ashi_test *t, ashlar_type type, const ashi_sums *sums, int64_t rows, int64_t depth, bool down)
{
    enum { SIDE = 80, BYTES = 16 };
    static char a[SIDE * SIDE * BYTES], b[SIDE * BYTES], sum[SIDE * BYTES];
    int64_t place[2][SIDE], first[3] = {0};
    ashi_thin x = {.row = {first, first + 1, first + 2}, .depth = {place[0], place[1]}, .whole = {down, true},
                   .near = {!down, false, true}, .down = down, .run = {rows, rows, rows},
                   .step = {down ? depth : 1, 0, 1}, .even = {true, true, true},
                   .rows_run = down ? 1 : rows, .depth_run = down ? depth : 1};
    for (int64_t p = 0; p < depth; p++) {
        place[0][p] = down ? p : p * rows;
        place[1][p] = p;
        set_element(type, b, p, (double)(p % 7 - 3) + I * (double)(p % 3));
    }
    for (int64_t i = 0; i < rows * depth; i++)
        set_element(type, a, i, (double)(i % 11 - 5) - I * (double)(i % 5));
    for (int64_t i = 0; i < rows; i++)
        set_element(type, sum, i, (double)i);
    sums->add(&x, a, b, rows, depth, sum);
    int64_t wrong = 0;
    for (int64_t i = 0; i < rows; i++) {
        double _Complex wanted = (double)i;
        for (int64_t p = 0; p < depth; p++)
            wanted += get_element(type, a, down ? i * depth + p : p * rows + i) * get_element(type, b, p);
        wrong += get_element(type, sum, i) != wanted;
    }
    CHECK(t, wrong == 0, "type %d, %" PRId64 " rows, %" PRId64 " deep, down %d", (int)type, rows, depth, (int)down);
}

/* The sum of the products of two boxes' elements. */
static void box_case(ashi_test *t, ashlar_type type, const ashi_sums *sums, int64_t count, int64_t lines)
{
    enum { COUNT = 80, LINES = 3, BYTES = 16 };
    static char a[COUNT * LINES * BYTES], b[(COUNT + 5) * LINES * BYTES];
    const bool two_parts = ashi_type_of(type)->flops == 8, conjugate[2] = {two_parts && lines % 2 == 0, two_parts};
    double _Complex wanted = 2;
    alignas(double _Complex) char sum[BYTES];
    set_element(type, sum, 0, wanted);
    for (int64_t j = 0; j < lines; j++)
        for (int64_t i = 0; i < count; i++) {
            const int64_t of_a = j * count + i, of_b = j * (count + 5) + i;
            set_element(type, a, of_a, (double)(of_a % 11 - 5) - I * (double)(of_a % 5));
            set_element(type, b, of_b, (double)(of_b % 7 - 3) + I * (double)(of_b % 3));
            wanted += conjugated(type, a, of_a, conjugate[0]) * conjugated(type, b, of_b, conjugate[1]);
        }
    sums->box(count, lines, a, count, b, count + 5, conjugate, sum);
    CHECK(t, get_element(type, sum, 0) == wanted, "type %d, %" PRId64 " lines of %" PRId64, (int)type, lines, count);
}

static void all_sums(ashi_test *t, ashlar_type type)
{
    const ashi_sums *all[ASHI_SIMD_KINDS];
    const int kinds = ashi_sums_all(type, all);
    for (int i = 0; i < kinds; i++)
        for (int64_t count = 1; count < 80; count += 3)
            box_case(t, type, all[i], count, 1 + count % 3);
    for (int i = 0; i < kinds; i++)
        for (int64_t rows = 1; rows < 80; rows += 6)
            for (int64_t depth = 1; depth < 80; depth += 13) {
                sums_case(t, type, all[i], rows, depth, false);
                sums_case(t, type, all[i], rows, depth, true);
            }
}

/* A line of products of elements, by registers of any width: neighbours, one element for all, or others. */
static void elements_case(ashi_test *t, ashlar_type type, ashi_elements elements, int which)
{
    enum { COUNT = 37, BYTES = 16 };
    static const int64_t stride[] = {1, 0, 3};
    alignas(double _Complex) char x[3 * COUNT * BYTES], y[3 * COUNT * BYTES], z[COUNT * BYTES];
    alignas(double _Complex) char alpha[BYTES], beta[BYTES];
    const bool two_parts = ashi_type_of(type)->flops == 8, scaled = which % 4 >= 2, adds = which % 4 == 3;
    const double _Complex unit = two_parts ? I : 0;
    const ashi_line of_x = {x, stride[which / 4 % 3], two_parts && which % 2 == 1};
    const ashi_line of_y = {y, stride[which / 12], false};
    for (int i = 0; i < 3 * COUNT; i++) {
        set_element(type, x, i, (double)(i % 7 - 3) + unit * (double)(i % 3));
        set_element(type, y, i, (double)(i % 5 - 1) - unit * (double)(i % 4));
    }
    for (int i = 0; i < COUNT; i++)
        set_element(type, z, i, adds ? (double)i : NAN);
    set_element(type, alpha, 0, 2 + unit);
    set_element(type, beta, 0, 3 - unit);
    elements(COUNT, scaled ? alpha : NULL, &of_x, &of_y, adds ? beta : NULL, z);
    int64_t wrong = 0;
    for (int64_t i = 0; i < COUNT; i++) {
        const double _Complex product = conjugated(type, x, i * of_x.stride, of_x.conjugate) *
                                        get_element(type, y, i * of_y.stride);
        wrong += get_element(type, z, i) != (scaled ? 2 + unit : 1) * product + (adds ? (3 - unit) * (double)i : 0);
    }
    CHECK(t, wrong == 0, "type %d, lines %d: %" PRId64 " elements", (int)type, which, wrong);
}

static void all_elements(ashi_test *t, ashlar_type type)
{
    ashi_elements all[ASHI_SIMD_KINDS];
    const int kinds = ashi_elements_all(type, all);
    for (int i = 0; i < kinds; i++)
        for (int which = 0; which < 36; which++)
            elements_case(t, type, all[i], which);
}

/* a is contiguous in A, c in B and in C: a tile of rows covers a before b, one of columns c before d. */
static void pages_order_indices(ashi_test *t)
{
    ashi_expression e;
    ashlar_error err;
    int column;
    ashi_unfolded_group group[ASHI_UNFOLDED_GROUPS] = {{0}}, free_group[ASHI_UNFOLDED_GROUPS];
    static const char wanted[3][3] = {"ab", "cd", "mn"}, given[3][3] = {"ba", "dc", "nm"};
    bool good = ashi_expression_read("mbna,ndmc->adbc", &e, &column, &err) == ASHLAR_OK;
    for (const char *c = "amcbdn"; *c; c++)
        good = good && ashi_expression_extent(&e, *c, strchr("amc", *c) ? 64 : 80, &err) == ASHLAR_OK;
    for (int g = 0; g < 3; g++) {
        group[g] = (ashi_unfolded_group){.count = 2, .extent = 5120};
        for (int i = 0; i < 2; i++)
            group[g].index[i] = (int)((const char *)memchr(e.name, given[g][i], (size_t)e.indices) - e.name);
    }
    memcpy(free_group, group, sizeof group);
    ashi_unfolded_order(&e, 5 << 20, 8, group);
    ashi_unfolded_order(&e, 0, 8, free_group);
    for (int g = 0; g < 3; g++)
        for (int i = 0; i < 2; i++) {
            const char found = e.name[group[g].index[i]];
            CHECK(t, good && found == wanted[g][i], "group %d: index %d is %c", g, i, found);
            CHECK(t, e.name[free_group[g].index[i]] == given[g][i], "no limit, group %d: index %d moved", g, i);
        }
}

/* Products whose elements interleave and whose copies have room for one register of them: C goes past the caches, and
 * begins within a line, so that some products are done before the first whole line. */
static void lanes_within_line(ashi_test *t)
{
    enum { SIDE = 80, BATCH = 100, WORDS = SIDE * SIDE * BATCH, LINE = 64, SKIPPED = 2 };
    static ashi_contraction_plan plan;
    ashi_contraction p = {.type = ASHLAR_TYPE_D,
                          .rows = {1, {{SIDE, {SIDE * BATCH, 0, SIDE * BATCH}}}},
                          .cols = {1, {{SIDE, {0, BATCH, BATCH}}}},
                          .depth = {1, {{SIDE, {BATCH, SIDE * BATCH, 0}}}},
                          .batch = {1, {{BATCH, {1, 1, 1}}}}};
    const double one = 1, zero = 0;
    double *const ones = malloc(WORDS * sizeof *ones), *const room = aligned_alloc(LINE, (WORDS + 8) * sizeof *room);
    const bool made = ashi_contraction_interleaved_make(&p, &plan);
    void *const workspace = made ? malloc((size_t)plan.bytes) : NULL;
    CHECK(t, ones && room && workspace, "made %d", made);
    for (int64_t i = 0; ones && i < WORDS; i++)
        ones[i] = 1;
    if (ones && room && workspace)
        ashi_contraction_run(&plan, &one, ones, ones, &zero, room + SKIPPED, 0, 1, workspace);
    int64_t wrong = 0;
    for (int64_t i = 0; ones && room && workspace && i < WORDS; i++)
        wrong += room[SKIPPED + i] != SIDE;
    CHECK(t, wrong == 0, "%" PRId64 " elements", wrong);
    free(ones), free(room), free(workspace);
}

/* Few rows that are neighbours in C become columns if they fill registers badly, and stay rows if they fill them. Those
 * of B have gaps, so that they are not read where they lie. */
static void rows_fill_registers(ashi_test *t, ashlar_type type)
{
    enum { COLS = 240, DEPTH = 120, LANES_MOST = 16 };
    static char ones[2 * COLS * DEPTH * sizeof(double _Complex)], c[2 * LANES_MOST * COLS * sizeof(double _Complex)];
    const int lanes = ashi_micro_of(type)->lanes;
    double _Complex scalar[2];
    set_element(type, &scalar[0], 0, 1);
    set_element(type, &scalar[1], 0, 0);
    for (int64_t i = 0; i < 2 * COLS * DEPTH; i++)
        set_element(type, ones, i, 1);
    for (int full = 0; full < 2; full++) {
        const int64_t rows = full ? 2 * lanes : lanes + 1;
        ashi_contraction p = {.type = type,
                              .rows = {1, {{rows, {DEPTH, 0, 1}}}},
                              .cols = {1, {{COLS, {0, 2, rows}}}},
                              .depth = {1, {{DEPTH, {1, 2 * COLS, 0}}}}};
        ashi_contraction_plan plan;
        ashi_contraction_make(&p, &plan);
        CHECK(t, lanes < 4 || plan.turned == !full, "type %d, %" PRId64 " rows, registers of %d: turned %d", (int)type,
              rows, lanes, plan.turned);
        void *const workspace = malloc((size_t)plan.bytes);
        int64_t wrong = workspace == NULL;
        if (workspace)
            ashi_contraction_run(&plan, &scalar[0], ones, ones, &scalar[1], c, 0, 1, workspace);
        for (int64_t i = 0; workspace && i < rows * COLS; i++)
            wrong += get_element(type, c, i) != DEPTH;
        CHECK(t, wrong == 0, "type %d, %" PRId64 " rows: %" PRId64 " elements", (int)type, rows, wrong);
        free(workspace);
    }
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 400);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        one_case(&t, seed);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        few_case(&t, seed);
    lanes_within_line(&t);
    pages_order_indices(&t);
    for (int type = 0; type < 4; type++) {
        all_sums(&t, (ashlar_type)type);
        all_elements(&t, (ashlar_type)type);
        rows_fill_registers(&t, (ashlar_type)type);
    }
    return ashi_test_end(&t, "contraction");
}

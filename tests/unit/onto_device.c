/* Products on a device: exact for every type, order and operation; the words counted are those predicted, the memory
 * is that given; whatever fails, C is whole or untouched. */
#include "base/checked.h"
#include "base/type.h"
#include "check/program.h"
#include "device_kind.h"
#include "element.h"
#include "exec/onto_run.h"
#include "random_nest.h"
#include "test.h"

#include <complex.h>
#include <string.h>

typedef double _Complex number;

enum { GAP = 3 };

/* A matrix of the host, minor x major, with words between its lines that nobody may write. */
typedef struct matrix {
    ashlar_type type;
    int64_t size[2], stride[2], all;
    void *data;
} matrix;

static matrix new_matrix(ashlar_type type, int64_t minor, int64_t major, bool is_minor, uint64_t *state)
{
    matrix x = {type, {minor, major}, {1, 1}, 0, NULL};
    x.stride[is_minor ? 1 : 0] = (is_minor ? minor : major) + GAP;
    x.all = x.stride[is_minor ? 1 : 0] * (is_minor ? major : minor);
    x.data = malloc((size_t)x.all * ashlar_type_bytes(type));
    for (int64_t i = 0; i < x.all; i++) /* sums are exact in every type */
        set_element(type, x.data, i,
            (number)ashi_random_in(state, -3, 3) + (number)ashi_random_in(state, -3, 3) * I);
    return x;
}

static number element(const matrix *x, int64_t minor, int64_t major)
{
    return get_element(x->type, x->data, minor * x->stride[0] + major * x->stride[1]);
}

/* ---- one case ---- */

typedef struct product_case {
    ashlar_type type;
    int64_t m, n, k, memory, staging;
    matrix a, b, c, want;
    ashi_onto_product product;
    char alpha[16], beta[16];
} product_case;

/* Conjugation as kernel/kernels.h allows it. */
static void make_case(product_case *p, uint64_t seed)
{
    uint64_t state = seed;
    const bool minor[3] = {seed & 1, seed & 2, seed & 4};
    const int64_t most[] = {9, 100, 800, 5000}, side[] = {6, 14, 30, 30};
    *p = (product_case){.type = (ashlar_type)(seed / 8 % ASHI_TYPES), .m = ashi_random_in(&state, 1, side[seed % 4]),
                        .n = ashi_random_in(&state, 1, side[seed % 4]), .k = ashi_random_in(&state, 1, side[seed % 4])};
    p->memory = ashi_random_in(&state, 3, most[seed % 4]);
    p->staging = seed % 3 == 0 ? 1 : ashi_random_in(&state, 1, 300);
    p->a = new_matrix(p->type, p->m, p->k, minor[0], &state);
    p->b = new_matrix(p->type, p->n, p->k, minor[1], &state);
    uint64_t same = state;
    const ashlar_type sums = ashlar_type_of_sums(p->type);
    p->c = new_matrix(sums, p->m, p->n, minor[2], &state);
    p->want = new_matrix(sums, p->m, p->n, minor[2], &same);
    set_element(sums, p->alpha, 0, seed % 5 == 0 ? 1 : 2 - I);
    set_element(sums, p->beta, 0, seed % 3 == 0 ? 0 : seed % 3 == 1 ? 1 : -1 + I);
    p->product = (ashi_onto_product){
        .m = p->m, .n = p->n, .k = p->k, .alpha = p->alpha, .beta = p->beta,
        .a = {p->a.data, p->a.stride[0], p->a.stride[1]}, .b = {p->b.data, p->b.stride[0], p->b.stride[1]},
        .conjugate_a = minor[2] && !minor[0] && seed % 7 < 3, .conjugate_b = minor[2] && minor[1] && seed % 7 < 5,
        .c = p->c.data, .minor_stride = p->c.stride[0], .major_stride = p->c.stride[1]};
}

static void expect(product_case *p)
{
    for (int64_t i = 0; i < p->m; i++)
        for (int64_t j = 0; j < p->n; j++) {
            number sum = 0;
            for (int64_t l = 0; l < p->k; l++) {
                const number a = element(&p->a, i, l), b = element(&p->b, j, l);
                sum += (p->product.conjugate_a ? conj(a) : a) * (p->product.conjugate_b ? conj(b) : b);
            }
            const ashlar_type sums = p->want.type;
            const number beta = get_element(sums, p->beta, 0);
            set_element(sums, p->want.data, i * p->want.stride[0] + j * p->want.stride[1],
                get_element(sums, p->alpha, 0) * sum + (beta == 0 ? 0 : beta * element(&p->want, i, j)));
        }
}

static void free_case(product_case *p)
{
    free(p->a.data);
    free(p->b.data);
    free(p->c.data);
    free(p->want.data);
}

/* Not a word beside C was written either. */
static bool is_right(const product_case *p)
{
    bool same = true;
    for (int64_t i = 0; i < p->c.all; i++)
        same = same && get_element(p->c.type, p->c.data, i) == get_element(p->c.type, p->want.data, i);
    return same;
}

static ashi_device *open_device(ashi_test *t, const char *options, const char *fails)
{
    ashi_device *device = NULL;
    ashlar_error err = {0};
    if (open_failing(options, fails, &device, &err) != ASHLAR_OK) {
        CHECK(t, false, "%s, %s: %s", options, fails, err.text);
        exit(1);
    }
    return device;
}

/* ---- what is right ---- */

static void program_is_proved(ashi_test *t, uint64_t seed, const ashi_nest *nest)
{
    ashi_program program;
    ashi_check_report report = {0};
    ashlar_error err = {0};
    CHECK(t, ashi_nest_program(nest, &program, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    CHECK(t, ashi_check_program(&program, &report, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, report.text);
    ashi_program_free(&program);
}

/* The words that were counted are those of the nest, and so is the memory. */
static void counts_are_predicted(ashi_test *t, uint64_t seed, const ashi_nest *nest, const ashi_onto *onto)
{
    const ashi_onto_tally *tally = ashi_onto_total(onto);
    const ashi_nest_figures f = ashi_nest_of_rank(nest, 0);
    CHECK(t, tally->in == f.a + f.b + f.c0 + f.back && tally->out == f.c, "seed %" PRIu64 ": %" PRId64 " in, %" PRId64
          " out, %" PRId64 " and %" PRId64 " predicted", seed, tally->in, tally->out, f.disk - f.c, f.c);
    CHECK(t, tally->held == ashi_nest_memory(nest), "seed %" PRIu64 ": %" PRId64 " held", seed, tally->held);
    CHECK(t, tally->failure.status == ASHLAR_OK && tally->on_host == 0, "seed %" PRIu64 ": %s", seed,
          tally->failure.text);
}

static void product_is_right(ashi_test *t, uint64_t seed)
{
    product_case p;
    ashi_onto *onto = NULL;
    ashi_nest nest;
    ashlar_error err = {0};
    ashi_device *device = open_device(t, "", "");
    make_case(&p, seed);
    expect(&p);
    const ashi_onto_request request = {device, p.type, p.memory, NULL, p.staging, NULL};
    ashlar_status status = ashi_onto_create(&request, &onto, &err);
    if (status == ASHLAR_OK)
        status = ashi_onto_plan(onto, &p.product, &nest, &err);
    if (status == ASHLAR_OK)
        status = ashi_onto_multiply(onto, &p.product, &err);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    CHECK(t, is_right(&p), "seed %" PRIu64 ": %d x %d x %d in %d", seed, (int)p.m, (int)p.n, (int)p.k, (int)p.memory);
    counts_are_predicted(t, seed, &nest, onto);
    CHECK(t, ashi_onto_total(onto)->held <= p.memory, "seed %" PRIu64, seed);
    const ashi_device_facts facts = device->kind->facts(device);
    const int64_t stages = ashi_max(p.staging / 2, 1) * 2 * (int64_t)ashi_type_word(p.type);
    CHECK(t, kind_under_test() != KIND_EMULATED || (facts.pinned == stages && facts.pinned_most == stages),
          "seed %" PRIu64 ": %" PRId64 " bytes of the host, %" PRId64 " at most, %" PRId64 " are right", seed,
          facts.pinned, facts.pinned_most, stages);
    if (seed % 10 == 0)
        program_is_proved(t, seed, &nest);
    ashi_onto_free(&onto);
    CHECK(t, device->kind->facts(device).held == 0, "seed %" PRIu64, seed);
    ashi_device_close(&device);
    free_case(&p);
}

/* ---- any nest ---- */

/* A nest that need not be good, for the sizes and orders of a case; half of them on one that fails under way. Returns
 * whether sums came back. */
static bool any_nest_is_right(ashi_test *t, uint64_t seed)
{
    product_case p;
    ashi_onto *onto = NULL;
    ashlar_error err = {0};
    char text[64];
    uint64_t state = seed;
    snprintf(text, sizeof text, "fail-copy=%d", (int)ashi_random_in(&state, 1, 60));
    ashi_device *device = open_device(t, "", seed % 2 ? text : "");
    make_case(&p, seed);
    expect(&p);
    ashi_nest nest = random_nest(seed);
    nest.parts[0] = nest.parts[1] = nest.team[0] = nest.team[1] = nest.ranks = 1;
    nest.adds = creal(get_element(p.c.type, p.beta, 0)) != 0;
    for (int d = 0; d < 3; d++) {
        nest.size[d] = d == 0 ? p.m : d == 1 ? p.n : p.k;
        nest.cut[d] = ashi_random_in(&state, 1, ashi_min(nest.size[d], 5));
        nest.unit[d] = 0;
    }
    nest.minor[0] = p.a.stride[0] == 1;
    nest.minor[1] = p.b.stride[0] == 1;
    nest.minor[2] = p.c.stride[0] == 1;
    nest.ahead = nest.ahead && (nest.stays == ASHLAR_C || nest.cut[2] == 1 ||
                                nest.cut[nest.stays == ASHLAR_A ? 1 : 0] > 1);
    nest.stagger = nest.ahead && nest.stays == ASHLAR_C ? ashi_random_in(&state, 0, 6) : 0;
    const ashi_onto_request request = {device, p.type, 3, NULL, p.staging, NULL};
    ashlar_status status = ashi_onto_create(&request, &onto, &err);
    if (status == ASHLAR_OK)
        status = ashi_onto_multiply_as(onto, &p.product, &nest, &err);
    CHECK(t, status == ASHLAR_OK && is_right(&p), "seed %" PRIu64 ": %s", seed, err.text);
    if (onto && ashi_onto_total(onto)->failure.status == ASHLAR_OK)
        counts_are_predicted(t, seed, &nest, onto);
    ashi_onto_free(&onto);
    ashi_device_close(&device);
    free_case(&p);
    return ashi_nest_of_rank(&nest, 0).back > 0;
}

/* ---- what fails ---- */

/* The nth copy, product or call fails: C is whole, and so is that of the next product. Returns whether it failed. */
static bool failure_leaves_c_whole(ashi_test *t, uint64_t seed, const char *what, int n)
{
    product_case p;
    ashi_onto *onto = NULL;
    ashlar_error err = {0};
    char text[64];
    snprintf(text, sizeof text, "%s=%d", what, n);
    ashi_device *device = NULL;
    ashlar_status status = open_failing("", text, &device, &err);
    if (status != ASHLAR_OK) {
        CHECK(t, status == ASHLAR_ERR_DEVICE && kind_under_test() == KIND_FAKE, "%s: %s", text, err.text);
        return true;
    }
    make_case(&p, seed);
    const ashi_onto_request request = {device, p.type, p.memory, NULL, p.staging, NULL};
    status = ashi_onto_create(&request, &onto, &err);
    for (int again = 0; again < 2 && status == ASHLAR_OK; again++) {
        expect(&p);
        status = ashi_onto_multiply(onto, &p.product, &err);
        CHECK(t, status == ASHLAR_OK && is_right(&p), "seed %" PRIu64 ", %s: %s", seed, text, err.text);
    }
    const bool failed = onto && ashi_onto_total(onto)->failure.status == ASHLAR_ERR_DEVICE;
    CHECK(t, !onto || (ashi_onto_total(onto)->on_host > 0) == failed, "seed %" PRIu64 ", %s", seed, text);
    CHECK(t, status == ASHLAR_OK || (status == ASHLAR_ERR_DEVICE && !onto), "seed %" PRIu64 ", %s: %s", seed, text,
          err.text);
    ashi_onto_free(&onto);
    ashi_device_close(&device);
    free_case(&p);
    return failed || status != ASHLAR_OK;
}

/* Nothing of a device is left, and no copy made the host wait. */
static void fake_is_clean(ashi_test *t)
{
    if (kind_under_test() == KIND_FAKE)
        CHECK(t, fake_number("fake_cuda_left") == 0 && fake_number("fake_cuda_pageable") == 0, "%" PRId64
              " bytes are left, %" PRId64 " copies waited", fake_number("fake_cuda_left"),
              fake_number("fake_cuda_pageable"));
}

static void every_failure_leaves_c_whole(ashi_test *t, uint64_t seed)
{
    static const char *const what[] = {"fail-copy", "fail-product", "lost"};
    for (int w = 0; w < 3; w++) {
        int n = 1;
        while (failure_leaves_c_whole(t, seed, what[w], n) && n < 400)
            n += n < 24 ? 1 : n / 3;
        CHECK(t, n > 1, "%s", what[w]);
        fake_is_clean(t);
    }
}

static void too_little_is_refused(ashi_test *t)
{
    product_case p;
    ashi_onto *onto = NULL;
    ashlar_error err = {0};
    ashi_device *device = open_device(t, "memory=8", "");
    make_case(&p, 21);
    ashi_onto_request request = {device, ASHLAR_TYPE_D, 2, NULL, 0, NULL};
    CHECK(t, ashi_onto_create(&request, &onto, &err) == ASHLAR_ERR_LIMIT && !onto &&
                 strcmp(err.text, "device: 2 words of device memory are too few: 3 would do") == 0,
          "%s", err.text);
    request = (ashi_onto_request){device, p.type, 1000, NULL, 0, NULL};
    CHECK(t, ashi_onto_create(&request, &onto, &err) == ASHLAR_OK, "%s", err.text);
    memcpy(p.want.data, p.c.data, (size_t)p.c.all * ashlar_type_bytes(p.c.type));
    CHECK(t, ashi_onto_multiply(onto, &p.product, &err) == ASHLAR_ERR_MEMORY && is_right(&p), "%s", err.text);
    CHECK(t, strstr(err.text, "bytes are wanted, 8 of 8 are free") != NULL, "%s", err.text);
    ashi_onto_free(&onto);
    ashi_device_close(&device);
    free_case(&p);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 160);
    need_device();
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        product_is_right(&t, seed);
    int back = 0;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        back += any_nest_is_right(&t, seed);
    CHECK(&t, seeds.told || back > 40, "sums came back %d times", back);
    fake_is_clean(&t);
    for (uint64_t seed = seeds.first; seed < seeds.first + 6 && kind_under_test() != KIND_CUDA; seed++)
        every_failure_leaves_c_whole(&t, seed);
    too_little_is_refused(&t);
    return ashi_test_end(&t, "onto_device");
}

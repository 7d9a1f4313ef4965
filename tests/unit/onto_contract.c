/* Contractions on a device: exact for every type and order of indices; the words counted are those predicted, the
 * memory is that given; whatever fails, C is whole. */
#include "base/checked.h"
#include "base/type.h"
#include "device_kind.h"
#include "element.h"
#include "exec/onto_contract.h"
#include "exec/onto_run.h"
#include "kernel/positions.h"
#include "test.h"

#include <complex.h>
#include <string.h>

typedef double _Complex number;

enum { A, B, C, GROUP_MOST = 3 };

typedef struct contraction_case {
    ashi_contraction product;
    int64_t words[3], memory, staging; /* words: that each array has */
    void *data[3], *want;
    char alpha[16], beta[16];
    bool adds;
    double delay; /* by which cuts are chosen */
} contraction_case;

/* How often each way was gone. */
typedef struct met {
    int matrices, permuted[3], batched, overlapped, sums_cut, many_indices, refused;
} met;

/* ---- cases ---- */

static const bool has[ASHI_CUT_GROUPS][3] = {{true, false, true}, {false, true, true}, {true, true, false},
                                             {true, true, true}};

static ashi_stride_group *group_of(ashi_contraction *p, int group)
{
    ashi_stride_group *const groups[] = {&p->rows, &p->cols, &p->depth, &p->batch};
    return groups[group];
}

/* The indices of a matrix in any order, one behind the other with gaps: at times in the order of the groups. */
static int64_t lay_out(ashi_contraction *p, int matrix, bool mixed, uint64_t *state)
{
    ashi_index *list[ASHI_CUT_GROUPS * GROUP_MOST];
    int count = 0;
    int64_t next = 1;
    const int turn = (int)ashi_random_in(state, 0, 2);
    for (int i = 0; i < ASHI_CUT_GROUPS; i++) {
        const int g = i < 3 ? (i + turn) % 3 : ASHI_CUT_BATCH;
        for (int d = 0; has[g][matrix] && d < group_of(p, g)->count; d++)
            list[count++] = &group_of(p, g)->index[d];
    }
    for (int i = count - 1; i > 0 && mixed; i--) {
        const int64_t other = ashi_random_in(state, 0, i);
        ashi_index *const kept = list[i];
        list[i] = list[other];
        list[other] = kept;
    }
    for (int i = 0; i < count; i++) {
        list[i]->stride[matrix] = next;
        next = next * list[i]->extent + (ashi_random_in(state, 0, 4) == 0 ? ashi_random_in(state, 1, 3) : 0);
    }
    return next;
}

static void make_case(contraction_case *c, uint64_t seed)
{
    uint64_t state = seed * 77;
    const int64_t side = seed % 5 == 0 ? 2 : seed % 5 == 1 ? 9 : 5, indices = seed % 5 == 0 ? 3 : seed % 5 == 1 ? 1 : 2;
    const bool mixed = seed % 4 != 0;
    *c = (contraction_case){.product = {.type = (ashlar_type)(seed / 3 % 4)}, .adds = seed % 3 > 0};
    ashi_contraction *const p = &c->product;
    for (int g = 0; g < ASHI_CUT_GROUPS; g++) {
        const bool none = g == ASHI_CUT_BATCH || seed % 7 == 0;
        const int count = (int)ashi_random_in(&state, none ? 0 : side == 2 ? 2 : 1, indices);
        group_of(p, g)->count = count;
        for (int i = 0; i < count; i++)
            group_of(p, g)->index[i].extent = ashi_random_in(&state, side == 2 ? 2 : 1, side);
    }
    p->conjugate_a = ashi_random_in(&state, 0, 2) == 0;
    p->conjugate_b = ashi_random_in(&state, 0, 2) == 0;
    for (int x = 0; x < 3; x++) {
        c->words[x] = lay_out(p, x, mixed, &state);
        c->data[x] = malloc((size_t)c->words[x] * ashlar_type_bytes(p->type));
        for (int64_t i = 0; i < c->words[x]; i++)
            set_element(p->type, c->data[x], i,
                        (number)ashi_random_in(&state, -3, 3) + (number)ashi_random_in(&state, -3, 3) * I);
    }
    c->want = malloc((size_t)c->words[C] * ashlar_type_bytes(p->type));
    set_element(p->type, c->alpha, 0, seed % 5 == 0 ? 1 : 2 - I);
    set_element(p->type, c->beta, 0, !c->adds ? 0 : seed % 3 == 1 ? 1 : -1 + I);
    c->memory = ashi_random_in(&state, 3, seed % 2 ? 60 : 2000);
    c->staging = ashi_random_in(&state, 2, 40);
    c->delay = seed % 11 < 5 ? 0 : 1000;
}

static void free_case(contraction_case *c)
{
    for (int x = 0; x < 3; x++)
        free(c->data[x]);
    free(c->want);
}

/* Position number `at` of a group, in a matrix. */
static int64_t place(contraction_case *c, int group, int64_t at, int matrix)
{
    const ashi_stride_group *const g = group_of(&c->product, group);
    int64_t sum = 0;
    for (int i = 0; i < g->count; i++) {
        sum += at % g->index[i].extent * g->index[i].stride[matrix];
        at /= g->index[i].extent;
    }
    return sum;
}

static void expect(contraction_case *c)
{
    const ashi_contraction *const p = &c->product;
    const number alpha = get_element(p->type, c->alpha, 0), beta = get_element(p->type, c->beta, 0);
    memcpy(c->want, c->data[C], (size_t)c->words[C] * ashlar_type_bytes(p->type));
    for (int64_t z = 0; z < ashi_positions_of(&p->batch); z++)
        for (int64_t i = 0; i < ashi_positions_of(&p->rows); i++)
            for (int64_t j = 0; j < ashi_positions_of(&p->cols); j++) {
                const int64_t at = place(c, ASHI_CUT_BATCH, z, C) + place(c, ASHI_CUT_ROWS, i, C) +
                                   place(c, ASHI_CUT_COLS, j, C);
                number sum = 0;
                for (int64_t l = 0; l < ashi_positions_of(&p->depth); l++) {
                    const number a = get_element(p->type, c->data[A], place(c, ASHI_CUT_BATCH, z, A) +
                                                 place(c, ASHI_CUT_ROWS, i, A) + place(c, ASHI_CUT_DEPTH, l, A));
                    const number b = get_element(p->type, c->data[B], place(c, ASHI_CUT_BATCH, z, B) +
                                                 place(c, ASHI_CUT_COLS, j, B) + place(c, ASHI_CUT_DEPTH, l, B));
                    sum += (p->conjugate_a ? conj(a) : a) * (p->conjugate_b ? conj(b) : b);
                }
                const number old = get_element(p->type, c->want, at);
                set_element(p->type, c->want, at, alpha * sum + (beta == 0 ? 0 : beta * old));
            }
}

/* Not a word beside C was written either. */
static bool is_right(const contraction_case *c)
{
    bool same = true;
    for (int64_t i = 0; i < c->words[C]; i++)
        same = same && get_element(c->product.type, c->data[C], i) == get_element(c->product.type, c->want, i);
    return same;
}

/* ---- a contraction ---- */

static ashlar_status choose(const contraction_case *c, ashi_onto_way *way, ashlar_error *err)
{
    const ashi_device_terms terms = {.type = c->product.type, .memory_words = c->memory,
                                     .rates = {1, 1, 1, c->delay}};
    bool able = false;
    const ashlar_status status = ashi_onto_way_choose(&c->product, &terms, c->adds, way, &able, err);
    return status == ASHLAR_OK && !able ? ASHLAR_ERR_UNSUPPORTED : status;
}

static ashlar_status contract(contraction_case *c, ashi_onto *onto, const ashi_onto_way *way, ashlar_error *err)
{
    void *workspace = NULL;
    if (posix_memalign(&workspace, 64, (size_t)ashi_onto_contract_bytes(onto, way) + 1) != 0)
        exit(1);
    const ashi_onto_arguments with = {.alpha = c->alpha, .a = c->data[A], .b = c->data[B], .beta = c->beta,
                                      .c = c->data[C], .workspace = workspace};
    const ashlar_status status = ashi_onto_contract(onto, way, &with, err);
    free(workspace);
    return status;
}

static void note(const ashi_onto_way *way, met *m)
{
    m->matrices += way->by_matrices;
    if (way->by_matrices)
        return;
    m->batched += ashi_cut_positions(&way->cut, ASHI_CUT_BATCH) > 1;
    m->overlapped += way->cut.overlaps;
    m->sums_cut += ashi_cut_boxes(&way->cut, ASHI_CUT_DEPTH) > 1;
    for (int x = 0; x < 3; x++) {
        m->permuted[x] += way->cut.matrix[x].permuted;
        m->many_indices += way->cut.matrix[x].permuted && way->cut.matrix[x].count > ASHI_DEVICE_INDICES;
    }
}

/* Refused is only memory below 6 words, and with so much as the text says it is done. */
static void need_more(ashi_test *t, uint64_t seed, contraction_case *c, const ashlar_error *err, met *m)
{
    ashi_onto_way way;
    ashlar_error again = {0};
    const char *const says = strstr(err->text, "too few: ");
    const int64_t least = says ? strtoll(says + 9, NULL, 10) : 0;
    CHECK(t, c->memory < 6 && least > c->memory && least <= 6, "seed %" PRIu64 ": %s", seed, err->text);
    c->memory = least - 1;
    CHECK(t, choose(c, &way, &again) == ASHLAR_ERR_LIMIT, "seed %" PRIu64 ": one word less does", seed);
    c->memory = least;
    m->refused++;
}

static void contraction_is_right(ashi_test *t, uint64_t seed, met *m)
{
    contraction_case c;
    ashi_onto *onto = NULL;
    ashi_onto_way way;
    ashi_device *device = NULL;
    ashlar_error err = {0};
    make_case(&c, seed);
    expect(&c);
    ashlar_status status = choose(&c, &way, &err);
    if (status == ASHLAR_ERR_LIMIT) {
        need_more(t, seed, &c, &err, m);
        status = choose(&c, &way, &err);
    }
    if (status == ASHLAR_OK)
        status = open_failing("", "", &device, &err);
    const ashi_onto_request request = {device, c.product.type, c.memory, NULL, c.staging, NULL};
    if (status == ASHLAR_OK)
        status = ashi_onto_create(&request, &onto, &err);
    if (status == ASHLAR_OK)
        status = contract(&c, onto, &way, &err);
    CHECK(t, status == ASHLAR_OK && is_right(&c), "seed %" PRIu64 ": status %d, %s", seed, (int)status, err.text);
    if (onto) {
        const ashi_onto_tally *const tally = ashi_onto_total(onto);
        CHECK(t, tally->in == way.need.in && tally->out == way.need.out && tally->held == way.need.held &&
              tally->held <= c.memory && tally->on_host == 0, "seed %" PRIu64 ": %" PRId64 " in, %" PRId64 " out, %"
              PRId64 " held; predicted %" PRId64 ", %" PRId64 ", %" PRId64 " of %" PRId64, seed, tally->in, tally->out,
              tally->held, way.need.in, way.need.out, way.need.held, c.memory);
        note(&way, m);
    }
    ashi_onto_free(&onto);
    CHECK(t, !device || device->kind->facts(device).held == 0, "seed %" PRIu64 ": memory is left", seed);
    ashi_device_close(&device);
    free_case(&c);
}

/* ---- what fails ---- */

/* The nth copy, product or call fails: C is whole, and so is that of the next contraction. Returns whether it
 * failed. */
static bool failure_leaves_c_whole(ashi_test *t, uint64_t seed, const char *what, int n)
{
    contraction_case c;
    ashi_onto *onto = NULL;
    ashi_onto_way way;
    ashi_device *device = NULL;
    ashlar_error err = {0};
    char text[64];
    snprintf(text, sizeof text, "%s=%d", what, n);
    ashlar_status status = open_failing("", text, &device, &err);
    if (status != ASHLAR_OK) {
        CHECK(t, status == ASHLAR_ERR_DEVICE && kind_under_test() == KIND_FAKE, "%s: %s", text, err.text);
        return true;
    }
    make_case(&c, seed);
    c.memory = ashi_max(c.memory, 6);
    status = choose(&c, &way, &err);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    const ashi_onto_request request = {device, c.product.type, c.memory, NULL, c.staging, NULL};
    if (status == ASHLAR_OK)
        status = ashi_onto_create(&request, &onto, &err);
    for (int again = 0; again < 2 && status == ASHLAR_OK; again++) {
        expect(&c);
        status = contract(&c, onto, &way, &err);
        CHECK(t, status == ASHLAR_OK && is_right(&c), "seed %" PRIu64 ", %s: %s", seed, text, err.text);
    }
    const bool failed = onto && ashi_onto_total(onto)->failure.status == ASHLAR_ERR_DEVICE;
    CHECK(t, !onto || (ashi_onto_total(onto)->on_host > 0) == failed, "seed %" PRIu64 ", %s", seed, text);
    CHECK(t, status == ASHLAR_OK || (status == ASHLAR_ERR_DEVICE && !onto), "seed %" PRIu64 ", %s: %s", seed, text,
          err.text);
    ashi_onto_free(&onto);
    CHECK(t, kind_under_test() == KIND_FAKE || device->kind->facts(device).held == 0, "seed %" PRIu64 ", %s", seed,
          text);
    ashi_device_close(&device);
    free_case(&c);
    return failed || status != ASHLAR_OK;
}

static void every_failure_leaves_c_whole(ashi_test *t, uint64_t seed)
{
    static const char *const what[] = {"fail-copy", "fail-product", "lost"};
    for (int w = 0; w < 3; w++) {
        int n = 1;
        while (failure_leaves_c_whole(t, seed, what[w], n) && n < 300)
            n += n < 24 ? 1 : n / 3;
        CHECK(t, n > 1, "%s", what[w]);
    }
}

/* Memory that the device does not have: C is untouched. */
static void too_little_is_an_error(ashi_test *t)
{
    contraction_case c;
    ashi_onto *onto = NULL;
    ashi_onto_way way;
    ashi_device *device = NULL;
    ashlar_error err = {0};
    make_case(&c, 3);
    memcpy(c.want, c.data[C], (size_t)c.words[C] * ashlar_type_bytes(c.product.type));
    c.memory = 1000;
    ashlar_status status = open_failing("memory=8", "", &device, &err);
    const ashi_onto_request request = {device, c.product.type, c.memory, NULL, c.staging, NULL};
    if (status == ASHLAR_OK)
        status = choose(&c, &way, &err);
    if (status == ASHLAR_OK)
        status = ashi_onto_create(&request, &onto, &err);
    CHECK(t, status == ASHLAR_OK && !way.by_matrices, "%s", err.text);
    if (onto)
        CHECK(t, contract(&c, onto, &way, &err) == ASHLAR_ERR_MEMORY && is_right(&c) &&
              strstr(err.text, "bytes are wanted, 8 of 8 are free"), "%s", err.text);
    ashi_onto_free(&onto);
    ashi_device_close(&device);
    free_case(&c);
}

/* Boxes of plain matrices copy about as few words as a dense product does, which is within 5 % of any integer
 * tiling. */
static void words_are_few(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed * 31;
    const int64_t m = ashi_random_in(&state, 1, 400), n = ashi_random_in(&state, 1, 400);
    const int64_t k = ashi_random_in(&state, 1, 400), memory = ashi_random_in(&state, 10, 20000);
    const ashi_contraction p = {.type = ASHLAR_TYPE_D, .rows = {1, {{m, {1, 0, 1}}}}, .cols = {1, {{n, {0, 1, m}}}},
                                .depth = {1, {{k, {m, n, 0}}}}};
    const ashi_onto_problem dense = {.size = {m, n, k}, .type = ASHLAR_TYPE_D, .adds = true,
                                     .minor = {true, true, true}, .memory_words = memory};
    ashi_onto_cut cut;
    ashi_nest nest;
    ashlar_error err = {0};
    int64_t least;
    CHECK(t, ashi_onto_cut_make(&p, memory, &cut, &least) && ashi_onto_choose(&dense, &nest, &err) == ASHLAR_OK, "%s",
          err.text);
    const ashi_cut_figures f = ashi_onto_cut_figures(&cut, true);
    const int64_t words = ashi_nest_of_rank(&nest, 0).disk;
    CHECK(t, f.held <= memory && (double)(f.in + f.out) <= 1.05 * (double)words, "%" PRId64 " x %" PRId64 " x %" PRId64
          " in %" PRId64 ": %" PRId64 " words, dense %" PRId64, m, n, k, memory, f.in + f.out, words);
    if (m * k + k * n + m * n <= memory)
        CHECK(t, f.in + f.out == m * k + k * n + 2 * m * n, "%" PRId64 " words", f.in + f.out);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 400);
    met m = {0};
    need_device();
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        contraction_is_right(&t, seed, &m);
    CHECK(&t, seeds.told || (m.matrices > 9 && m.permuted[A] > 9 && m.permuted[B] > 9 && m.permuted[C] > 9 &&
                             m.batched > 9 && m.overlapped > 9 && m.overlapped < 290 && m.sums_cut > 9 &&
                             m.many_indices > 0 && m.refused > 0),
          "%d as matrices, permuted %d %d %d, %d batches, %d overlap, %d sums cut, %d of many indices, %d refused",
          m.matrices, m.permuted[A], m.permuted[B], m.permuted[C], m.batched, m.overlapped, m.sums_cut, m.many_indices,
          m.refused);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        words_are_few(&t, seed);
    for (uint64_t seed = seeds.first; seed < seeds.first + 8 && kind_under_test() != KIND_CUDA; seed++)
        every_failure_leaves_c_whole(&t, seed);
    too_little_is_an_error(&t);
    return ashi_test_end(&t, "onto_contract");
}

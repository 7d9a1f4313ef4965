/* A kind of device: what it computes, against loops in double precision; that its queues work beside each other and in
 * order; that the host cannot touch its memory; and each failure that can be asked for. */
#include "base/checked.h"
#include "base/type.h"
#include "device_kind.h"
#include "element.h"
#include "test.h"

#include <complex.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef double _Complex number;

/* One device, and what the calls of a case have returned so far. */
typedef struct bed {
    ashi_test *test;
    ashi_device *device;
    const ashi_device_kind *calls;
    ashlar_status status;
    ashlar_error err;
} bed;

static bed open_bed_failing(ashi_test *t, const char *options, const char *fails)
{
    bed b = {.test = t};
    b.status = open_failing(options, fails, &b.device, &b.err);
    CHECK(t, b.status == ASHLAR_OK, "%s, %s: %s", options, fails, b.err.text);
    if (b.status != ASHLAR_OK)
        exit(1);
    b.calls = b.device->kind;
    return b;
}

static bed open_bed(ashi_test *t, const char *options)
{
    return open_bed_failing(t, options, "");
}

/* Nothing failed, and nothing is left allocated. */
static void close_bed(bed *b, const char *what)
{
    const ashlar_status end = b->calls->finish(b->device, &b->err);
    CHECK(b->test, b->status == ASHLAR_OK && end == ASHLAR_OK, "%s: %s", what, b->err.text);
    CHECK(b->test, b->calls->facts(b->device).held == 0, "%s", what);
    ashi_device_close(&b->device);
    if (kind_under_test() == KIND_FAKE)
        CHECK(b->test, fake_number("fake_cuda_left") == 0 && fake_number("fake_cuda_pageable") == 0,
              "%s: %" PRId64 " bytes are left, %" PRId64 " copies made the host wait", what,
              fake_number("fake_cuda_left"), fake_number("fake_cuda_pageable"));
}

static void did(bed *b, ashlar_status status)
{
    if (b->status == ASHLAR_OK)
        b->status = status;
}

/* ---- elements ---- */

/* Small whole numbers: products and sums are exact in every type. */
static number random_number(uint64_t *state)
{
    return (number)ashi_random_in(state, -4, 4) + (number)ashi_random_in(state, -4, 4) * I;
}

/* ---- a matrix of the host and its copy on the device ---- */

enum { GAP = 2 }; /* rows between columns, on the host; one on the device */

typedef struct matrix {
    ashlar_type type;
    int64_t rows, columns, ld, far_ld;
    void *here, *there;
} matrix;

static ashi_device_copy copy_of(const matrix *x, bool in)
{
    const int64_t bytes = (int64_t)ashlar_type_bytes(x->type);
    const ashi_device_copy copy = {in ? x->here : x->there, (in ? x->ld : x->far_ld) * bytes,
                                   in ? x->there : x->here, (in ? x->far_ld : x->ld) * bytes, x->rows * bytes,
                                   x->columns};
    return copy;
}

static matrix new_matrix(bed *b, ashlar_type type, int64_t rows, int64_t columns, uint64_t *state)
{
    matrix x = {type, rows, columns, rows + GAP, rows + 1, NULL, NULL};
    const size_t bytes = ashlar_type_bytes(type);
    x.here = malloc((size_t)(x.ld * ashi_max(columns, 1)) * bytes);
    for (int64_t i = 0; i < x.ld * columns; i++)
        set_element(type, x.here, i, random_number(state));
    did(b, b->calls->allocate(b->device, x.far_ld * ashi_max(columns, 1) * (int64_t)bytes, &x.there, &b->err));
    const ashi_device_copy copy = copy_of(&x, true);
    did(b, b->calls->copy_in(b->device, &copy, &b->err));
    return x;
}

static void free_matrix(bed *b, matrix *x)
{
    did(b, b->calls->finish(b->device, &b->err));
    b->calls->release(b->device, x->there);
    free(x->here);
}

/* Work waits for what was copied in, copies out wait for work; then the host waits. */
static void join(bed *b, ashi_device_queue first, ashi_device_queue then)
{
    ashi_device_event *event;
    did(b, b->calls->event_create(b->device, &event, &b->err));
    did(b, b->calls->record(b->device, first, event, &b->err));
    did(b, b->calls->wait(b->device, then, event, &b->err));
    did(b, b->calls->finish(b->device, &b->err));
    b->calls->event_free(b->device, event);
}

static void fetch(bed *b, matrix *x)
{
    const ashi_device_copy copy = copy_of(x, false);
    join(b, ASHI_DEVICE_WORK, ASHI_DEVICE_OUT);
    did(b, b->calls->copy_out(b->device, &copy, &b->err));
    did(b, b->calls->finish(b->device, &b->err));
}

/* ---- products ---- */

static number element(const matrix *x, ashlar_op op, int64_t i, int64_t j)
{
    const int64_t at = op == ASHLAR_OP_N ? i + j * x->ld : j + i * x->ld;
    return op == ASHLAR_OP_C ? conj(get_element(x->type, x->here, at)) : get_element(x->type, x->here, at);
}

static void product_is_right(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    bed b = open_bed(t, "");
    const ashlar_type type = (ashlar_type)(seed % ASHI_TYPES), sums = ashlar_type_of_sums(type);
    const int64_t m = ashi_random_in(&state, 0, 9), n = ashi_random_in(&state, 0, 9), k = ashi_random_in(&state, 0, 9);
    const ashlar_op oa = (ashlar_op)(seed / 6 % 3), ob = (ashlar_op)(seed / 18 % 3);
    matrix x = oa == ASHLAR_OP_N ? new_matrix(&b, type, m, k, &state) : new_matrix(&b, type, k, m, &state);
    matrix y = ob == ASHLAR_OP_N ? new_matrix(&b, type, k, n, &state) : new_matrix(&b, type, n, k, &state);
    matrix z = new_matrix(&b, sums, m, n, &state);
    char alpha[16], beta[16], c0[16];
    set_element(sums, alpha, 0, seed % 5 == 0 ? 0 : random_number(&state));
    set_element(sums, beta, 0, seed % 3 == 0 ? 0 : random_number(&state));
    number *want = malloc((size_t)(m * n + 1) * sizeof *want);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            number sum = 0;
            for (int64_t l = 0; l < k; l++)
                sum += element(&x, oa, i, l) * element(&y, ob, l, j);
            set_element(sums, c0, 0, get_element(sums, alpha, 0) * sum +
                                         get_element(sums, beta, 0) * element(&z, ASHLAR_OP_N, i, j));
            want[i + j * m] = get_element(sums, c0, 0);
        }
    join(&b, ASHI_DEVICE_IN, ASHI_DEVICE_WORK);
    const ashi_device_gemm g = {type, oa, ob, m, n, k, alpha, beta, x.there, y.there, z.there, x.far_ld, y.far_ld,
                                z.far_ld};
    did(&b, b.calls->gemm(b.device, &g, &b.err));
    memset(alpha, 255, sizeof alpha); /* it was read during the call */
    fetch(&b, &z);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            CHECK(t, element(&z, ASHLAR_OP_N, i, j) == want[i + j * m], "seed %" PRIu64 ": element %d, %d", seed,
                  (int)i, (int)j);
    free(want);
    free_matrix(&b, &x);
    free_matrix(&b, &y);
    free_matrix(&b, &z);
    close_bed(&b, "product");
}

/* Several small products in one call: each is what a call of its own makes of it. */
static void batch_is_its_products(ashi_test *t, uint64_t seed)
{
    enum { COUNT = 5, N = 4 };
    uint64_t state = seed;
    bed b = open_bed(t, "");
    const ashlar_type type = (ashlar_type)(seed % ASHI_TYPES), sums = ashlar_type_of_sums(type);
    matrix a[COUNT], c[2][COUNT];
    const void *of_a[COUNT], *of_b[COUNT];
    void *of_c[COUNT];
    char one[16];
    set_element(sums, one, 0, 1);
    for (int i = 0; i < COUNT; i++) {
        a[i] = new_matrix(&b, type, N, N, &state);
        uint64_t same = state;
        c[0][i] = new_matrix(&b, sums, N, N, &state);
        c[1][i] = new_matrix(&b, sums, N, N, &same);
        of_a[i] = a[i].there;
        of_b[i] = a[0].there;
        of_c[i] = c[0][i].there;
    }
    join(&b, ASHI_DEVICE_IN, ASHI_DEVICE_WORK);
    ashi_device_gemm g = {type, ASHLAR_OP_T, ASHLAR_OP_C, N, N, N, one, one, NULL, NULL, NULL, N + 1, N + 1, N + 1};
    did(&b, b.calls->gemm_batched(b.device, &g, COUNT, of_a, of_b, of_c, &b.err));
    for (int i = 0; i < COUNT; i++) {
        g.a = of_a[i];
        g.b = of_b[i];
        g.c = c[1][i].there;
        did(&b, b.calls->gemm(b.device, &g, &b.err));
    }
    for (int i = 0; i < COUNT; i++) {
        fetch(&b, &c[0][i]);
        fetch(&b, &c[1][i]);
        for (int64_t e = 0; e < N; e++)
            CHECK(t, element(&c[0][i], ASHLAR_OP_N, e, 1) == element(&c[1][i], ASHLAR_OP_N, e, 1), "product %d", i);
        free_matrix(&b, &a[i]);
        free_matrix(&b, &c[0][i]);
        free_matrix(&b, &c[1][i]);
    }
    close_bed(&b, "batch");
}

/* More products in one call than any list of a device is long: element by element. It takes no memory for that. */
static void long_batch_is_its_products(ashi_test *t)
{
    enum { COUNT = 30001, VALUES = 7, BYTES = COUNT * (int)sizeof(double) };
    bed b = open_bed(t, "");
    double *host = malloc(2 * BYTES), one = 1, zero = 0;
    const void **lists = malloc(3 * COUNT * sizeof *lists);
    void *there = NULL;
    CHECK(t, host && lists && b.calls->allocate(b.device, 2 * BYTES, &there, &b.err) == ASHLAR_OK, "%s", b.err.text);
    for (int i = 0; i < COUNT; i++) {
        host[i] = i + 1;
        host[COUNT + i] = 0;
        lists[i] = (char *)there + i * (int)sizeof(double);
        lists[COUNT + i] = (char *)there + i % VALUES * (int)sizeof(double);
        lists[2 * COUNT + i] = (char *)there + BYTES + i * (int)sizeof(double);
    }
    const ashi_device_copy in = {host, 2 * BYTES, there, 2 * BYTES, 2 * BYTES, 1};
    const ashi_device_copy out = {(char *)there + BYTES, BYTES, host + COUNT, BYTES, BYTES, 1};
    const ashi_device_gemm g = {.type = ASHLAR_TYPE_D, .m = 1, .n = 1, .k = 1, .alpha = &one, .beta = &zero, .lda = 1,
                                .ldb = 1, .ldc = 1};
    did(&b, b.calls->copy_in(b.device, &in, &b.err));
    did(&b, b.calls->finish(b.device, &b.err));
    const int64_t held = kind_under_test() == KIND_FAKE ? fake_number("fake_cuda_left") : 0;
    did(&b, b.calls->gemm_batched(b.device, &g, COUNT, lists, lists + COUNT, (void *const *)(lists + 2 * COUNT),
                                  &b.err));
    did(&b, b.calls->finish(b.device, &b.err));
    const int64_t after = kind_under_test() == KIND_FAKE ? fake_number("fake_cuda_left") : 0;
    CHECK(t, held == after, "a batch takes %" PRId64 " bytes", after - held);
    did(&b, b.calls->copy_out(b.device, &out, &b.err));
    did(&b, b.calls->finish(b.device, &b.err));
    int wrong = 0;
    for (int i = 0; i < COUNT; i++)
        wrong += host[COUNT + i] != (i + 1.0) * (i % VALUES + 1.0);
    CHECK(t, wrong == 0, "%d of %d products are wrong", wrong, COUNT);
    b.calls->release(b.device, there);
    free(host);
    free(lists);
    close_bed(&b, "a long batch");
}

/* ---- sums and permutations ---- */

static void sum_is_right(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    bed b = open_bed(t, "");
    const ashlar_type type = (ashlar_type)(seed % 4);
    const int64_t m = ashi_random_in(&state, 0, 6), n = ashi_random_in(&state, 0, 6);
    matrix x = new_matrix(&b, type, m, n, &state), y = new_matrix(&b, type, m, n, &state);
    char alpha[16], beta[16], value[16];
    set_element(type, alpha, 0, random_number(&state));
    set_element(type, beta, 0, seed % 3 == 0 ? 0 : random_number(&state));
    number want[36];
    for (int64_t i = 0; i < m * n; i++) {
        number v = get_element(type, x.here, i % m + i / m * x.ld);
        v = seed / 4 % 2 ? conj(v) : v;
        set_element(type, value, 0, get_element(type, alpha, 0) * v +
                                        get_element(type, beta, 0) * get_element(type, y.here, i % m + i / m * y.ld));
        want[i] = get_element(type, value, 0);
    }
    join(&b, ASHI_DEVICE_IN, ASHI_DEVICE_WORK);
    const ashi_device_sum s = {type, seed / 4 % 2, m, n, alpha, beta, x.there, y.there, x.far_ld, y.far_ld};
    did(&b, b.calls->axpby(b.device, &s, &b.err));
    fetch(&b, &y);
    for (int64_t i = 0; i < m * n; i++)
        CHECK(t, get_element(type, y.here, i % m + i / m * y.ld) == want[i], "seed %" PRIu64 ": element %d", seed,
              (int)i);
    free_matrix(&b, &x);
    free_matrix(&b, &y);
    close_bed(&b, "sum");
}

/* Up to four indices in any order, there and back: element for element. */
static void permutation_is_right(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    bed b = open_bed(t, "");
    const ashlar_type type = (ashlar_type)(seed % 4);
    ashi_device_permutation p = {.type = type, .conjugate = seed / 4 % 2, .indices = (int)ashi_random_in(&state, 1, 4)};
    int64_t all = 1, turned = 1;
    for (int i = 0; i < p.indices; i++) {
        p.extent[i] = ashi_random_in(&state, seed % 7 == 0 ? 0 : 1, 4);
        p.from_stride[i] = all;
        all *= p.extent[i];
    }
    for (int i = p.indices - 1; i >= 0; i--) { /* the last index runs fastest */
        p.to_stride[i] = turned;
        turned *= p.extent[i];
    }
    matrix x = new_matrix(&b, type, all, 1, &state), y = new_matrix(&b, type, all, 1, &state);
    p.from = x.there;
    p.to = y.there;
    join(&b, ASHI_DEVICE_IN, ASHI_DEVICE_WORK);
    did(&b, b.calls->permute(b.device, &p, &b.err));
    fetch(&b, &y);
    for (int64_t e = 0; e < all; e++) {
        int64_t rest = e, to = 0;
        for (int i = 0; i < p.indices; i++) {
            to += rest % p.extent[i] * p.to_stride[i];
            rest /= p.extent[i];
        }
        const number v = get_element(type, x.here, e), want = p.conjugate ? conj(v) : v;
        CHECK(t, get_element(type, y.here, to) == want, "seed %" PRIu64 ": element %d", seed, (int)e);
    }
    free_matrix(&b, &x);
    free_matrix(&b, &y);
    close_bed(&b, "permutation");
}

/* ---- queues and events ---- */

static bool is_reached(bed *b, ashi_device_event *event)
{
    bool reached = false;
    did(b, b->calls->reached(b->device, event, &reached, &b->err));
    return reached;
}

/* While one queue is held the two others go on; what waits for it does not. */
static void queues_are_beside_each_other(ashi_test *t, ashi_device_queue held)
{
    bed b = open_bed(t, "");
    ashi_device_event *event[ASHI_DEVICE_QUEUES], *after;
    hold(b.device, held, true);
    for (int q = 0; q < ASHI_DEVICE_QUEUES; q++) {
        did(&b, b.calls->event_create(b.device, &event[q], &b.err));
        CHECK(t, is_reached(&b, event[q]), "an event that was never recorded");
        did(&b, b.calls->record(b.device, (ashi_device_queue)q, event[q], &b.err));
        if (q != (int)held)
            did(&b, b.calls->await(b.device, event[q], &b.err));
    }
    const ashi_device_queue other = held == ASHI_DEVICE_IN ? ASHI_DEVICE_OUT : ASHI_DEVICE_IN;
    did(&b, b.calls->event_create(b.device, &after, &b.err));
    did(&b, b.calls->wait(b.device, other, event[held], &b.err));
    did(&b, b.calls->record(b.device, other, after, &b.err));
    CHECK(t, !is_reached(&b, event[held]) && !is_reached(&b, after), "queue %d is held", (int)held);
    hold(b.device, held, false);
    did(&b, b.calls->await(b.device, after, &b.err));
    CHECK(t, is_reached(&b, event[held]), "what came before");
    for (int q = 0; q < ASHI_DEVICE_QUEUES; q++)
        b.calls->event_free(b.device, event[q]);
    b.calls->event_free(b.device, after);
    close_bed(&b, "queues");
}

/* An event that is recorded again: who waited before waits for the first record only. */
static void an_event_serves_again(ashi_test *t)
{
    bed b = open_bed(t, "");
    ashi_device_event *again, *seen;
    did(&b, b.calls->event_create(b.device, &again, &b.err));
    did(&b, b.calls->event_create(b.device, &seen, &b.err));
    did(&b, b.calls->record(b.device, ASHI_DEVICE_IN, again, &b.err));
    did(&b, b.calls->wait(b.device, ASHI_DEVICE_WORK, again, &b.err));
    did(&b, b.calls->await(b.device, again, &b.err));
    hold(b.device, ASHI_DEVICE_IN, true);
    did(&b, b.calls->record(b.device, ASHI_DEVICE_IN, again, &b.err));
    did(&b, b.calls->record(b.device, ASHI_DEVICE_WORK, seen, &b.err));
    did(&b, b.calls->await(b.device, seen, &b.err));
    CHECK(t, !is_reached(&b, again), "the second record");
    hold(b.device, ASHI_DEVICE_IN, false);
    did(&b, b.calls->finish(b.device, &b.err));
    CHECK(t, is_reached(&b, again), "all is done");
    b.calls->event_free(b.device, again);
    b.calls->event_free(b.device, seen);
    close_bed(&b, "events");
}

/* ---- memory ---- */

/* How a child process ends that reads a byte. */
static int fate_of_reader(const volatile char *address)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL); /* not a sanitizer's */
        _exit(address[0] != 0);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* Whether the last error is the device's, with this after its name. */
static bool says(const bed *b, const char *what)
{
    char text[sizeof b->err.text];
    snprintf(text, sizeof text, "device: %s%s", b->calls->facts(b->device).name, what);
    return strcmp(b->err.text, text) == 0;
}

static void the_host_cannot_touch(ashi_test *t)
{
    bed b = open_bed(t, "memory=100kB");
    void *x, *y;
    int64_t left = 0;
    const char here = 0;
    did(&b, b.calls->allocate(b.device, 60000, &x, &b.err));
    CHECK(t, fate_of_reader(x) == SIGSEGV && fate_of_reader(&here) == 0, "a reader of the device's memory lives");
    CHECK(t, b.calls->owner(b.device, (char *)x + 59999, &left) == ASHI_OWNER_DEVICE && left == 1, "%" PRId64, left);
    CHECK(t, b.calls->owner(b.device, &here, &left) == ASHI_OWNER_HOST && left == 0, "%" PRId64, left);
    CHECK(t, b.calls->allocate(b.device, 40001, &y, &b.err) == ASHLAR_ERR_MEMORY && y == NULL &&
                 says(&b, ": 40001 bytes are wanted, 40000 of 100000 are free"),
          "%s", b.err.text);
    did(&b, b.calls->allocate(b.device, 40000, &y, &b.err)); /* a lack of memory is no failure of the device */
    CHECK(t, b.calls->facts(b.device).held == 100000 && b.calls->facts(b.device).memory == 100000, "facts");
    b.calls->release(b.device, x);
    CHECK(t, b.calls->owner(b.device, x, &left) == ASHI_OWNER_HOST && fate_of_reader(x) == SIGSEGV, "released");
    b.calls->release(b.device, y);
    b.calls->release(b.device, NULL);
    close_bed(&b, "memory");
}

/* A rectangle that leaves its allocation is refused, and nothing else is lost. */
static void beyond_the_end_is_refused(ashi_test *t)
{
    bed b = open_bed(t, "");
    uint64_t state = 1;
    matrix x = new_matrix(&b, ASHLAR_TYPE_D, 4, 4, &state);
    ashi_device_copy copy = copy_of(&x, true);
    const double one = 1;
    copy.lines = 5;
    CHECK(t, b.calls->copy_in(b.device, &copy, &b.err) == ASHLAR_ERR_ARG &&
                 says(&b, ": 5 lines of 32 bytes, 40 apart, are not within one allocation"),
          "%s", b.err.text);
    const ashi_device_gemm g = {ASHLAR_TYPE_D, ASHLAR_OP_N, ASHLAR_OP_N, 4, 4, 4, &one, &one, x.there, x.here, x.there,
                                5, 5, 5};
    CHECK(t, b.calls->gemm(b.device, &g, &b.err) == ASHLAR_ERR_ARG, "an operand of the host");
    free_matrix(&b, &x);
    close_bed(&b, "beyond");
}

static void wrong_sizes_are_refused(ashi_test *t)
{
    bed b = open_bed(t, "");
    uint64_t state = 1;
    matrix x = new_matrix(&b, ASHLAR_TYPE_D, 4, 4, &state);
    const double one = 1;
    const ashi_device_gemm g = {ASHLAR_TYPE_D, ASHLAR_OP_N, ASHLAR_OP_N, 4, 4, 4, &one, &one, x.there, x.there, x.there,
                                5, 5, 3};
    const bool emulated = kind_under_test() == KIND_EMULATED;
    CHECK(t, b.calls->gemm(b.device, &g, &b.err) == ASHLAR_ERR_ARG &&
                 (!emulated || says(&b, ": a leading dimension is 3, 4 rows need more")),
          "%s", b.err.text);
    const ashi_device_permutation p = {.type = ASHLAR_TYPE_D, .indices = 7};
    CHECK(t, b.calls->permute(b.device, &p, &b.err) == ASHLAR_ERR_ARG &&
                 says(&b, ": a box of 7 indices; 1 to 6 are possible"),
          "%s", b.err.text);
    free_matrix(&b, &x);
    close_bed(&b, "sizes");
}

/* ---- memory of the host ---- */

/* Lines of every length to the device and back, from and to memory of either sort, by pieces so small that lines are
 * cut. */
static void lines_go_there_and_back(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    bed b = open_bed(t, kind_under_test() == KIND_EMULATED ? "" : "pinned=800");
    const int64_t bytes = ashi_random_in(&state, 1, 300), lines = ashi_random_in(&state, 1, 40);
    const int64_t stride[3] = {bytes + ashi_random_in(&state, 0, 9), bytes + ashi_random_in(&state, 0, 9),
                               bytes + ashi_random_in(&state, 0, 9)};
    void *device = NULL, *given[2] = {NULL, NULL};
    char *host[2];
    for (int i = 0; i < 2; i++) {
        const int64_t all = lines * stride[2 * i];
        if (ashi_random_in(&state, 0, 1))
            did(&b, b.calls->host_allocate(b.device, all, &given[i], &b.err));
        host[i] = given[i] ? given[i] : malloc((size_t)all);
        for (int64_t at = 0; at < all; at++)
            host[i][at] = (char)ashi_random(&state);
    }
    CHECK(t, b.calls->facts(b.device).pinned >= (given[0] ? lines * bytes : 0),
          "%" PRId64 " bytes are pinned", b.calls->facts(b.device).pinned);
    did(&b, b.calls->allocate(b.device, lines * stride[1], &device, &b.err));
    const ashi_device_copy in = {host[0], stride[0], device, stride[1], bytes, lines};
    const ashi_device_copy out = {device, stride[1], host[1], stride[2], bytes, lines};
    did(&b, b.calls->copy_in(b.device, &in, &b.err));
    join(&b, ASHI_DEVICE_IN, ASHI_DEVICE_OUT);
    did(&b, b.calls->copy_out(b.device, &out, &b.err));
    did(&b, b.calls->finish(b.device, &b.err));
    for (int64_t i = 0; i < lines; i++)
        CHECK(t, memcmp(host[0] + i * stride[0], host[1] + i * stride[2], (size_t)bytes) == 0,
              "seed %" PRIu64 ": line %d", seed, (int)i);
    b.calls->release(b.device, device);
    for (int i = 0; i < 2; i++) {
        b.calls->host_release(b.device, given[i]);
        free(given[i] ? NULL : host[i]);
    }
    close_bed(&b, "lines");
}

/* What was copied in by pageable memory is read after what the queue has waited for. */
static void a_copy_waits_before_it_reads(ashi_test *t, ashi_device_queue held)
{
    bed b = open_bed(t, "");
    double here[2] = {1, 1}, back[2] = {0, 0};
    void *x = NULL;
    ashi_device_event *event;
    did(&b, b.calls->allocate(b.device, sizeof here, &x, &b.err));
    did(&b, b.calls->event_create(b.device, &event, &b.err));
    const ashi_device_copy in = {here, sizeof here, x, sizeof here, sizeof here, 1};
    const ashi_device_copy out = {x, sizeof here, back, sizeof here, sizeof here, 1};
    if (held == ASHI_DEVICE_OUT)
        did(&b, b.calls->copy_in(b.device, &in, &b.err)); /* what copies ahead of the queue is there */
    did(&b, b.calls->finish(b.device, &b.err));
    hold(b.device, held, true);
    did(&b, b.calls->record(b.device, held, event, &b.err));
    did(&b, b.calls->wait(b.device, ASHI_DEVICE_IN, event, &b.err));
    did(&b, b.calls->copy_in(b.device, &in, &b.err));
    nanosleep(&(struct timespec){0, 2000000}, NULL); /* long enough to read too early */
    here[0] = here[1] = 2;
    hold(b.device, held, false);
    did(&b, b.calls->finish(b.device, &b.err));
    did(&b, b.calls->copy_out(b.device, &out, &b.err));
    did(&b, b.calls->finish(b.device, &b.err));
    CHECK(t, back[0] == 2 && back[1] == 2, "%g and %g came back", back[0], back[1]);
    b.calls->event_free(b.device, event);
    b.calls->release(b.device, x);
    close_bed(&b, "order");
}

/* ---- failures ---- */

/* Copies of a column of four in two lines, products of it with itself, all in a row: what fails is what is said, what
 * came before is whole, and nothing comes after. */
static void failure_is_seen(ashi_test *t, const char *options, const char *text, int good_copies)
{
    bed b = open_bed_failing(t, "", options);
    double in[4] = {1, 2, 3, 4}, out[4] = {0}, one = 1;
    void *x = NULL;
    ashi_device_event *event = NULL;
    int copied = 0;
    did(&b, b.calls->event_create(b.device, &event, &b.err));
    did(&b, b.calls->allocate(b.device, sizeof in, &x, &b.err));
    for (int i = 0; i < 3 && b.status == ASHLAR_OK; i++) {
        const ashi_device_copy there = {in, 16, x, 16, 16, 2}, back = {x, 16, out, 16, 16, 2};
        const ashi_device_gemm g = {ASHLAR_TYPE_D, ASHLAR_OP_N, ASHLAR_OP_N, 1, 1, 1, &one, &one, x, x, x, 1, 1, 1};
        memset(out, 0, sizeof out);
        did(&b, b.calls->copy_in(b.device, &there, &b.err));
        join(&b, ASHI_DEVICE_IN, ASHI_DEVICE_OUT);
        did(&b, b.calls->copy_out(b.device, &back, &b.err));
        did(&b, b.calls->record(b.device, ASHI_DEVICE_OUT, event, &b.err));
        did(&b, b.calls->await(b.device, event, &b.err));
        copied += b.status == ASHLAR_OK && memcmp(in, out, sizeof in) == 0;
        did(&b, b.calls->gemm(b.device, &g, &b.err));
        did(&b, b.calls->finish(b.device, &b.err));
    }
    CHECK(t, b.status == ASHLAR_ERR_DEVICE && says_failure(b.err.text, text), "%s: %s", options,
          b.err.text);
    CHECK(t, copied == good_copies, "%s: %d copies", options, copied);
    void *more = NULL;
    CHECK(t, b.calls->allocate(b.device, 8, &more, &b.err) == ASHLAR_ERR_DEVICE && says_failure(b.err.text, text),
          "%s: %s", options, b.err.text);
    b.calls->event_free(b.device, event);
    ashi_device_close(&b.device);
}

/* A copy that fails has written a part; an event behind it says that it failed, one before that it did not. */
static void events_say_what_failed(ashi_test *t)
{
    bed b = open_bed_failing(t, "", "fail-copy=1");
    ashi_device_event *before, *after;
    double in[4] = {1, 2, 3, 4};
    void *x;
    bool reached = false;
    did(&b, b.calls->event_create(b.device, &before, &b.err));
    did(&b, b.calls->event_create(b.device, &after, &b.err));
    did(&b, b.calls->allocate(b.device, sizeof in, &x, &b.err));
    const ashi_device_copy there = {in, 16, x, 16, 16, 2};
    hold(b.device, ASHI_DEVICE_IN, true);
    did(&b, b.calls->record(b.device, ASHI_DEVICE_IN, before, &b.err));
    did(&b, b.calls->copy_in(b.device, &there, &b.err));
    did(&b, b.calls->record(b.device, ASHI_DEVICE_IN, after, &b.err));
    hold(b.device, ASHI_DEVICE_IN, false);
    CHECK(t, b.calls->await(b.device, after, &b.err) == ASHLAR_ERR_DEVICE, "the copy failed");
    if (kind_under_test() == KIND_EMULATED) /* CUDA says that all has failed what was not seen before */
        CHECK(t, b.calls->await(b.device, before, &b.err) == ASHLAR_OK, "%s", b.err.text);
    CHECK(t, b.calls->reached(b.device, after, &reached, &b.err) == ASHLAR_ERR_DEVICE && reached, "asked");
    CHECK(t, b.status == ASHLAR_OK, "%s", b.err.text);
    b.calls->event_free(b.device, before);
    b.calls->event_free(b.device, after);
    ashi_device_close(&b.device);
}

static void text_is_refused(ashi_test *t, const char *text, const char *why)
{
    ashi_device *device = NULL;
    ashlar_error err = {0};
    CHECK(t, ashi_device_open(text, &device, &err) == ASHLAR_ERR_ARG && !device && strcmp(err.text, why) == 0,
          "%s: %s", text, err.text);
}

static void options_are_read(ashi_test *t)
{
    bed b = open_bed(t, "memory=3KiB,in=1e9,out=2e9,flops=3e10,delay=1e-7");
    const ashi_device_facts f = b.calls->facts(b.device);
    CHECK(t, f.memory == 3072 && f.in == 1e9 && f.out == 2e9 && f.flops == 3e10 && f.delay == 1e-7, "facts");
    close_bed(&b, "options");
    text_is_refused(t, "opencl:0", "device: 'opencl' is none of the kinds that there are: emulated, cuda");
    text_is_refused(t, "emulated:memory=0", "device: emulated: 'memory=0' gives no number of bytes above 0");
    text_is_refused(t, "emulated:in=1,out", "device: emulated: 'out' gives no number above 0");
    text_is_refused(t, "emulated:fail-copy=1.5", "device: emulated: 'fail-copy=1.5' gives no whole number above 0");
    text_is_refused(t, "emulated:speed=1",
                    "device: emulated: 'speed' is no option; there are NUMBER, memory=BYTES, in=BYTES_A_SECOND, "
                    "out=BYTES_A_SECOND, flops=OPERATIONS_A_SECOND, delay=SECONDS, count-time=1, "
                    "fail-copy=N, fail-product=N, lost=N");
}

static void emulated_says(ashi_test *t, const char *text, ashlar_status wanted, const char *why)
{
    ashi_device *device = NULL;
    ashlar_error err = {0};
    const ashlar_status status = ashi_device_open(text, &device, &err);
    CHECK(t, status == wanted && (wanted == ASHLAR_OK || strcmp(err.text, why) == 0), "%s: %s", text, err.text);
    ashi_device_close(&device);
}

/* As many as the environment says can be opened, and no others. */
static void emulated_are_counted(ashi_test *t)
{
    const ashi_device_kind *kind = &ashi_emulated_kind;
    ashlar_error err = {0};
    int64_t count = 0;
    CHECK(t, kind->count(&count, &err) == ASHLAR_OK && count == 1, "%lld", (long long)count);
    emulated_says(t, "emulated:0", ASHLAR_OK, "");
    emulated_says(t, "emulated:1", ASHLAR_ERR_DEVICE, "device: emulated: there is no device 1, there are 1");
    setenv(ASHI_EMULATED_DEVICES, "3", 1);
    CHECK(t, kind->count(&count, &err) == ASHLAR_OK && count == 3, "%lld", (long long)count);
    emulated_says(t, "emulated:2,memory=3KiB", ASHLAR_OK, "");
    emulated_says(t, "emulated:3", ASHLAR_ERR_DEVICE, "device: emulated: there is no device 3, there are 3");
    emulated_says(t, "emulated:1x", ASHLAR_ERR_ARG, "device: emulated: '1x' is no number of a device");
    setenv(ASHI_EMULATED_DEVICES, "some", 1);
    CHECK(t, kind->count(&count, &err) == ASHLAR_ERR_ARG && strstr(err.text, "is 'some', wanted a whole number"), "%s",
          err.text);
    setenv(ASHI_EMULATED_DEVICES, "0", 1);
    emulated_says(t, "emulated", ASHLAR_ERR_DEVICE, "device: emulated: there is no device 0, there are 0");
    unsetenv(ASHI_EMULATED_DEVICES);
}

/* ---- what only the CUDA that the host plays can be made to have ---- */

static void open_says(ashi_test *t, const char *options, const char *devices, const char *why)
{
    ashi_device *device = NULL;
    ashlar_error err = {0};
    const ashlar_status status = open_failing(options, devices, &device, &err);
    CHECK(t, status == ASHLAR_ERR_DEVICE && !device && strcmp(err.text, why) == 0, "%s with %s: %s", options, devices,
          err.text);
}

static void is_counted(ashi_test *t, const char *devices, ashlar_status status, int64_t count)
{
    int64_t found = -1;
    ashlar_error err = {0};
    fake_set(devices);
    CHECK(t, ashi_cuda_kind.count(&found, &err) == status && found == count, "%s: %" PRId64 " devices: %s", devices,
          found, err.text);
}

static void devices_are_counted(ashi_test *t)
{
    is_counted(t, "devices=3", ASHLAR_OK, 3);
    is_counted(t, "devices=0", ASHLAR_OK, 0);
    is_counted(t, "driver=0", ASHLAR_OK, 0);
    is_counted(t, "driver=12000", ASHLAR_ERR_DEVICE, 0);
    open_says(t, "2", "devices=2", "device: cuda: there is no device 2, there are 2, from 0 on");
    open_says(t, "", "devices=0", "device: cuda: no CUDA-capable device is detected");
    open_says(t, "", "driver=0", "device: cuda: there is no driver for NVIDIA's GPUs");
    open_says(t, "", "driver=12000", "device: cuda: cudaGetDeviceCount: CUDA driver version is insufficient for CUDA "
                                     "runtime version (cudaErrorInsufficientDriver)");
    text_is_refused(t, "cuda:0,in", "device: cuda: 'in' gives no number above 0");
    text_is_refused(t, "cuda:memory=0", "device: cuda: 'memory=0' gives no number of bytes above 0");
    text_is_refused(t, "cuda:0,1", "device: cuda: '1' is no option; there are NUMBER, memory=BYTES, pinned=BYTES, "
                                   "in=BYTES_A_SECOND, out=BYTES_A_SECOND, flops=OPERATIONS_A_SECOND");
}

/* The second of two devices: its calls are for it, whichever is the thread's current one; memory of the first is
 * another's. */
static void a_second_device_works(ashi_test *t)
{
    bed b = open_bed_failing(t, "1", "devices=2");
    ashi_device *first = NULL;
    void *x = NULL, *others = NULL;
    int64_t left = 0;
    const double two = 2, zero = 0;
    double back = 0;
    did(&b, ashi_device_open("cuda:0", &first, &b.err));
    did(&b, first->kind->allocate(first, 8, &others, &b.err));
    did(&b, b.calls->allocate(b.device, 16, &x, &b.err));
    CHECK(t, b.calls->owner(b.device, others, &left) == ASHI_OWNER_OTHER, "memory of the first device");
    CHECK(t, b.calls->owner(b.device, (char *)x + 8, &left) == ASHI_OWNER_DEVICE && left == 8, "%" PRId64, left);
    const ashi_device_copy in = {&two, 8, x, 8, 8, 1}, out = {(char *)x + 8, 8, &back, 8, 8, 1};
    const ashi_device_gemm g = {ASHLAR_TYPE_D, ASHLAR_OP_N, ASHLAR_OP_N, 1, 1, 1, &two, &zero, x, x, (char *)x + 8,
                                1, 1, 1};
    const ashi_device_sum s = {ASHLAR_TYPE_D, false, 1, 1, &two, &two, x, (char *)x + 8, 1, 1};
    did(&b, b.calls->copy_in(b.device, &in, &b.err));
    did(&b, b.calls->finish(b.device, &b.err));
    did(&b, b.calls->gemm(b.device, &g, &b.err));
    did(&b, b.calls->axpby(b.device, &s, &b.err));
    did(&b, b.calls->finish(b.device, &b.err));
    did(&b, b.calls->copy_out(b.device, &out, &b.err));
    did(&b, b.calls->finish(b.device, &b.err));
    CHECK(t, back == 20, "%g came back", back); /* 2 (2 2 2) + 2 2 */
    b.calls->release(b.device, x);
    first->kind->release(first, others);
    ashi_device_close(&first);
    close_bed(&b, "two devices");
}

/* What only the emulated device has. */
static void try_emulated(ashi_test *t)
{
    beyond_the_end_is_refused(t);
    failure_is_seen(t, "lost=1", "device: emulated: the device is lost", 0);
    failure_is_seen(t, "lost=12", "device: emulated: the device is lost", 1);
    options_are_read(t);
    emulated_are_counted(t);
}

/* What can be asked of a device that does as it is told. */
static void try_orders(ashi_test *t)
{
    for (int q = 0; q < ASHI_DEVICE_QUEUES; q++)
        queues_are_beside_each_other(t, (ashi_device_queue)q);
    an_event_serves_again(t);
    a_copy_waits_before_it_reads(t, ASHI_DEVICE_OUT);
    a_copy_waits_before_it_reads(t, ASHI_DEVICE_WORK);
    failure_is_seen(t, "fail-copy=1", "device: emulated: a copy failed", 0);
    failure_is_seen(t, "fail-copy=4", "device: emulated: a copy failed", 1);
    failure_is_seen(t, "fail-product=2", "device: emulated: a product failed", 2);
    events_say_what_failed(t);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 108);
    need_device();
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        product_is_right(&t, seed);
        sum_is_right(&t, seed);
        permutation_is_right(&t, seed);
        lines_go_there_and_back(&t, seed);
        if (seed <= seeds.first + 7)
            batch_is_its_products(&t, seed);
    }
    long_batch_is_its_products(&t);
    wrong_sizes_are_refused(&t);
    if (kind_under_test() != KIND_CUDA) {
        the_host_cannot_touch(&t);
        try_orders(&t);
    }
    if (kind_under_test() == KIND_EMULATED)
        try_emulated(&t);
    if (kind_under_test() == KIND_FAKE) {
        devices_are_counted(&t);
        a_second_device_works(&t);
    }
    return ashi_test_end(&t, "device");
}

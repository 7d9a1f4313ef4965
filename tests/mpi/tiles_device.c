/* Products of matrices of tiles on a device: limits of its memory, words between it and the host, its failures, and the
 * choice between it and the host. What products are made of is tried by tiles_multiply on a device. */
#define PROGRAM "tiles_device"

#include "mpi/tilings.h"

#include "base/checked.h"
#include "plan/device.h"
#include "plan/context.h"

#include <ashlar/ashlar.h>

static const char rates[] = "emulated:memory=16MiB,in=1e9,out=1e9,flops=1e10";

/* C <- 2 op(A) op(B) + C, of small integers. */
typedef struct product {
    rig *r;
    uint64_t state; /* of random numbers, the same on all ranks */
    ashlar_type type;
    ashlar_op op[2];
    int64_t tiles[3], size[3][SIDE_MOST]; /* of m, n, k */
    tiling t[3];
    model m[3];
    ashlar_context *context;
    ashlar_tiles *x[3];
} product;

/* ---- matrices ---- */

static void describe(product *p, int x, int row_side, int col_side)
{
    tiling *t = &p->t[x];
    *t = (tiling){.ranks = p->r->ranks, .d = {.size = sizeof t->d, .type = p->type}};
    random_deal(&p->state, p->r->ranks, t);
    t->d.tile_rows = p->tiles[row_side];
    t->d.tile_cols = p->tiles[col_side];
    memcpy(t->row_size, p->size[row_side], sizeof t->row_size);
    memcpy(t->col_size, p->size[col_side], sizeof t->col_size);
    t->d.row_sizes = t->row_size;
    t->d.col_sizes = t->col_size;
}

static void describe_all(product *p)
{
    uint64_t *s = &p->state;
    p->type = (ashlar_type)ashi_random_in(s, ASHLAR_TYPE_S, ASHLAR_TYPE_Z);
    for (int side = 0; side < 3; side++) {
        p->tiles[side] = ashi_random_in(s, 2, SIDE_MOST);
        random_sizes(s, p->tiles[side], p->size[side]);
        p->size[side][0] = 3; /* not all are 0 */
    }
    for (int x = 0; x < 2; x++)
        p->op[x] = (ashlar_op)ashi_random_in(s, ASHLAR_OP_N, ASHLAR_OP_C);
    const bool turned[2] = {p->op[0] != ASHLAR_OP_N, p->op[1] != ASHLAR_OP_N};
    describe(p, ASHLAR_A, turned[0] ? 2 : 0, turned[0] ? 0 : 2);
    describe(p, ASHLAR_B, turned[1] ? 1 : 2, turned[1] ? 2 : 1);
    describe(p, ASHLAR_C, 0, 1);
}

/* The matrices over a context of their own, with a device of which each rank has `bytes`; 0: all. The same elements
 * whenever the state is the same. False: no device. */
static bool open_product(product *p, const char *device, int64_t bytes)
{
    ashlar_error err = {0};
    uint64_t state = p->state;
    CHECK(&p->r->test, ashlar_context_create(MPI_COMM_WORLD, &p->context, &err) == ASHLAR_OK &&
          ashlar_context_set_device(p->context, device, bytes, &err) == ASHLAR_OK, CASE "%s", CASE_OF(p->r), err.text);
    if (err.status != ASHLAR_OK)
        return false;
    for (int x = 0; x < 3; x++) {
        p->x[x] = make_tiles(p->r, p->context, &p->t[x]);
        if (!model_make(&p->t[x], &p->m[x]))
            exit(1);
        fill_random(p->r, &state, p->x[x], &p->m[x], x == ASHLAR_C && p->r->seed % 3 == 0 ? 0 : 60, true);
    }
    return true;
}

static void close_product(product *p)
{
    const ashi_context_device *d = p->context->device;
    CHECK(&p->r->test, !d || d->device->kind->facts(d->device).held == d->memory, CASE "the device holds %" PRId64
          " bytes", CASE_OF(p->r), d->device->kind->facts(d->device).held);
    for (int x = 0; x < 3; x++) {
        ashlar_tiles_free(&p->x[x]);
        model_free(&p->m[x]);
    }
    ashlar_context_free(&p->context);
}

/* ---- what is to come out ---- */

static bool is_present(const product *p, int x, int64_t row, int64_t col)
{
    return p->op[x] == ASHLAR_OP_N ? *model_present(&p->m[x], row, col) : *model_present(&p->m[x], col, row);
}

static number of_op(const product *p, int x, int64_t row, int64_t col)
{
    const model *m = &p->m[x];
    number y = p->op[x] == ASHLAR_OP_N ? *model_at(m, row, col) : *model_at(m, col, row);
    if (p->op[x] == ASHLAR_OP_C)
        y.im = -y.im;
    return y;
}

/* Whether tiles (i, k) and (k, j) have a product with elements. */
static bool is_formed(const product *p, int64_t i, int64_t j, int64_t k)
{
    return is_present(p, ASHLAR_A, i, k) && is_present(p, ASHLAR_B, k, j) && p->size[0][i] > 0 && p->size[1][j] > 0 &&
           p->size[2][k] > 0;
}

static bool is_met(const product *p, int64_t i, int64_t j)
{
    for (int64_t k = 0; k < p->tiles[2]; k++)
        if (is_present(p, ASHLAR_A, i, k) && is_present(p, ASHLAR_B, k, j))
            return true;
    return false;
}

/* A tile of C that is not there is 0. */
static void multiply_models(product *p)
{
    model *c = &p->m[ASHLAR_C];
    const int64_t inner = p->op[0] == ASHLAR_OP_N ? ashi_cuts_all(&p->m[0].col) : ashi_cuts_all(&p->m[0].row);
    for (int64_t i = 0; i < ashi_cuts_all(&c->row); i++)
        for (int64_t j = 0; j < ashi_cuts_all(&c->col); j++) {
            number sum = {0, 0};
            for (int64_t k = 0; k < inner; k++)
                sum = number_add(sum, number_mul(of_op(p, ASHLAR_A, i, k), of_op(p, ASHLAR_B, k, j)));
            *model_at(c, i, j) = number_add(*model_at(c, i, j), number_mul((number){2, 0}, sum));
        }
    for (int64_t i = 0; i < p->tiles[0]; i++)
        for (int64_t j = 0; j < p->tiles[1]; j++)
            *model_present(c, i, j) = *model_present(c, i, j) || is_met(p, i, j);
}

static ashlar_status multiply(product *p, ashlar_tiles_result *result, ashlar_error *err)
{
    char two[2 * sizeof(double)], one[2 * sizeof(double)];
    number_store(p->type, (number){2, 0}, two);
    number_store(p->type, (number){1, 0}, one);
    return ashlar_tiles_multiply(two, p->op[0], p->x[0], p->op[1], p->x[1], one, p->x[2], NULL, result, err);
}

/* ---- figures ---- */

static ashlar_device_figures figures_of(product *p)
{
    ashlar_device_figures f = {0};
    ashlar_error err = {0};
    CHECK(&p->r->test, ashlar_tiles_device(p->context, &f, &err) == ASHLAR_OK, CASE "%s", CASE_OF(p->r), err.text);
    return f;
}

static void check_as_predicted(product *p, const ashlar_device_figures *f)
{
    CHECK(&p->r->test, f->measured_in_max == f->words_in_max && f->measured_in_total == f->words_in_total &&
          f->measured_out_max == f->words_out_max && f->measured_out_total == f->words_out_total &&
          f->measured_memory_words == f->memory_words, CASE "%" PRId64 " words in and %" PRId64 " out, predicted %"
          PRId64 " and %" PRId64, CASE_OF(p->r), f->measured_in_total, f->measured_out_total, f->words_in_total,
          f->words_out_total);
    CHECK(&p->r->test, f->ranks == p->r->ranks && !f->failure && f->measured_host_products == 0, CASE "%" PRId64
          " ranks, %" PRId64 " multiply-adds by the host", CASE_OF(p->r), f->ranks, f->measured_host_products);
}

/* Words of C's tiles that have products; on one rank, of A's and B's that have some, too. */
static int64_t words_of_c(const product *p)
{
    int64_t words = 0;
    for (int64_t i = 0; i < p->tiles[0]; i++)
        for (int64_t j = 0; j < p->tiles[1]; j++)
            for (int64_t k = 0; k < p->tiles[2]; k++)
                if (is_formed(p, i, j, k)) {
                    words += p->size[0][i] * p->size[1][j];
                    break;
                }
    return words;
}

static int64_t words_of_factor(const product *p, int x)
{
    int64_t words = 0;
    for (int64_t outer = 0; outer < p->tiles[x]; outer++)
        for (int64_t k = 0; k < p->tiles[2]; k++)
            for (int64_t other = 0; other < p->tiles[1 - x]; other++)
                if (is_formed(p, x == ASHLAR_A ? outer : other, x == ASHLAR_A ? other : outer, k)) {
                    words += p->size[x][outer] * p->size[2][k];
                    break;
                }
    return words;
}

/* Whether C had no tiles, which the model says before it is multiplied. */
static bool is_new(const product *p)
{
    for (int64_t t = 0; t < p->tiles[0] * p->tiles[1]; t++)
        if (p->m[ASHLAR_C].present[t])
            return false;
    return true;
}

/* With memory for all, each tile of C with products comes back once, and goes there once unless C, or partial sums of
 * it, had no tiles; on one rank each of A and B goes there once. */
static void check_fewest(product *p, const ashlar_tiles_result *result, const ashlar_device_figures *f)
{
    const bool at_c = result->stays == ASHLAR_STAYS_C && result->layers == 1, apart = !at_c || p->t[ASHLAR_C].d.owner;
    const int64_t c = apart || p->r->ranks > 1 || is_new(p) ? 0 : words_of_c(p);
    const int64_t factors = words_of_factor(p, ASHLAR_A) + words_of_factor(p, ASHLAR_B);
    CHECK(&p->r->test, !at_c || f->measured_out_total == words_of_c(p), CASE "%" PRId64
          " words out, of C's tiles %" PRId64, CASE_OF(p->r), f->measured_out_total, words_of_c(p));
    CHECK(&p->r->test, p->r->ranks > 1 || result->iterations > 1 || f->measured_in_total == c + factors, CASE "%" PRId64
          " words in, of the tiles %" PRId64, CASE_OF(p->r), f->measured_in_total, c + factors);
    CHECK(&p->r->test, f->measured_in_total >= c + factors, CASE "%" PRId64 " words in, of the tiles %" PRId64,
          CASE_OF(p->r), f->measured_in_total, c + factors);
}

/* ---- limits ---- */

static int64_t largest(const product *p, int side)
{
    int64_t most = 0;
    for (int64_t i = 0; i < p->tiles[side]; i++)
        most = ashi_max(most, p->size[side][i]);
    return most;
}

static int64_t least_bytes(const product *p)
{
    const int64_t m = largest(p, 0), n = largest(p, 1), k = largest(p, 2);
    return (m * n + 2 * (m * k + k * n)) * (int64_t)ashlar_type_bytes(p->type);
}

/* One byte less than the least is refused, with the least, and C is as it was. */
static void too_little(product *p)
{
    const int64_t least = least_bytes(p);
    char wanted[64];
    ashlar_error err = {0};
    snprintf(wanted, sizeof wanted, ": %" PRId64 " would do", least);
    if (!open_product(p, rates, least - 1))
        return;
    const ashlar_status status = multiply(p, NULL, &err);
    CHECK(&p->r->test, status == ASHLAR_ERR_LIMIT && strstr(err.text, wanted) &&
          ranks_agree(MPI_COMM_WORLD, (int)status, err.text) && ashlar_context_memory_words(p->context) == 0,
          CASE "%" PRId64 " bytes: %s", CASE_OF(p->r), least - 1, err.text);
    check_tiles(p->r, p->x[ASHLAR_C], &p->m[ASHLAR_C], 0, "C after a refusal");
    close_product(p);
}

/* Multiply with so much memory. Returns the words in and out. */
static int64_t within(product *p, int64_t bytes)
{
    ashlar_error err = {0};
    ashlar_tiles_result result = {0};
    if (!open_product(p, rates, bytes))
        return 0;
    const ashlar_status status = multiply(p, &result, &err);
    CHECK(&p->r->test, status == ASHLAR_OK, CASE "%" PRId64 " bytes: %s", CASE_OF(p->r), bytes, err.text);
    const ashlar_device_figures f = figures_of(p);
    check_as_predicted(p, &f);
    CHECK(&p->r->test, bytes == 0 || f.measured_memory_words * (int64_t)ashlar_type_bytes(p->type) <= bytes, CASE
          "%" PRId64 " words of %" PRId64 " bytes", CASE_OF(p->r), f.measured_memory_words, bytes);
    if (bytes == 0)
        check_fewest(p, &result, &f);
    multiply_models(p);
    check_tiles(p->r, p->x[ASHLAR_C], &p->m[ASHLAR_C], 0, "C");
    close_product(p);
    return f.measured_in_total + f.measured_out_total;
}

/* Any memory from the least on does; none takes fewer words than memory for all. */
static void limits(product *p)
{
    const int64_t least = least_bytes(p), some = least + ashi_random_in(&p->state, 1, 4 * least);
    too_little(p);
    const int64_t fewest = within(p, 0);
    for (int i = 0; i < 2; i++) {
        const int64_t words = within(p, i == 0 ? least : some);
        CHECK(&p->r->test, words >= fewest, CASE "%" PRId64 " words, %" PRId64 " with memory for all", CASE_OF(p->r),
              words, fewest);
    }
}

/* ---- failures ---- */

/* The device of some ranks fails at a random call: the product is right all the same, and so is the next one, of which
 * these ranks' part is the host's. */
static void failures(product *p)
{
    static const char *const kinds[] = {"fail-copy", "fail-product", "lost"};
    const int kind = (int)ashi_random_in(&p->state, 0, 2), call = (int)ashi_random_in(&p->state, 1, kind == 2 ? 60 : 6);
    const int64_t which = ashi_random_in(&p->state, 0, 1), first = ashi_random_in(&p->state, 0, p->r->ranks - 1);
    char text[160];
    ashlar_error err = {0};
    const bool fails = which == 0 || p->r->rank == first;
    snprintf(text, sizeof text, "%s%s%s%s%.0d", rates, fails ? "," : "", fails ? kinds[kind] : "", fails ? "=" : "",
             fails ? call : 0);
    if (!open_product(p, text, 1 << 20))
        return;
    for (int i = 0; i < 2; i++) {
        const ashlar_status status = multiply(p, NULL, &err);
        CHECK(&p->r->test, status == ASHLAR_OK, CASE "%s, %d: %s", CASE_OF(p->r), text, i, err.text);
        const ashlar_device_figures f = figures_of(p);
        CHECK(&p->r->test, ranks_agree(MPI_COMM_WORLD, (int)f.ranks, f.failure ? f.failure : "none") &&
              (!f.failure || strstr(f.failure, "device: emulated: ")), CASE "%s", CASE_OF(p->r),
              f.failure ? f.failure : "");
        CHECK(&p->r->test, f.failure || (f.measured_host_products == 0 && f.measured_in_total == f.words_in_total), CASE
              "%" PRId64 " multiply-adds by the host without a failure", CASE_OF(p->r), f.measured_host_products);
        multiply_models(p);
        check_tiles(p->r, p->x[ASHLAR_C], &p->m[ASHLAR_C], 0, "C after a failure");
    }
    close_product(p);
}

/* A device whose first copy fails has failed wherever there is something to multiply. */
static void first_copy(product *p)
{
    ashlar_error err = {0};
    if (!open_product(p, "emulated:memory=16MiB,fail-copy=1", 1 << 20))
        return;
    const ashlar_status status = multiply(p, NULL, &err);
    const ashlar_device_figures f = figures_of(p);
    CHECK(&p->r->test, status == ASHLAR_OK && (f.failure != NULL) == (f.words_in_total > 0) &&
          (f.measured_host_products > 0) == (f.words_in_total > 0), CASE "%s %s, %" PRId64 " multiply-adds by the host",
          CASE_OF(p->r), err.text, f.failure ? f.failure : "no failure", f.measured_host_products);
    multiply_models(p);
    check_tiles(p->r, p->x[ASHLAR_C], &p->m[ASHLAR_C], 0, "C after the first copy failed");
    close_product(p);
}

/* ---- the choice ---- */

/* "auto" takes a device that is much faster than the host, and leaves one that is much slower. */
static void choice(product *p)
{
    static const char *const device[] = {"emulated:0,memory=16MiB,in=1e15,out=1e15,flops=1e18",
                                         "emulated:0,memory=16MiB,in=1,out=1,flops=1"};
    for (int slow = 0; slow < 2; slow++) {
        ashlar_error err = {0};
        setenv("ASHLAR_DEVICE", device[slow], 1);
        if (!open_product(p, "auto", 1 << 20))
            return;
        CHECK(&p->r->test, multiply(p, NULL, &err) == ASHLAR_OK, CASE "%s", CASE_OF(p->r), err.text);
        const ashlar_device_figures f = figures_of(p);
        const bool works = f.words_in_total > 0;
        CHECK(&p->r->test, (slow || !works || (f.ranks > 0 && f.seconds < f.host_seconds)) &&
              (!slow || (f.ranks == 0 && f.measured_in_total == 0 && (!works || f.seconds > f.host_seconds))),
              CASE "%s: %" PRId64 " ranks use it, %g s and %g s", CASE_OF(p->r), device[slow], f.ranks, f.seconds,
              f.host_seconds);
        multiply_models(p);
        check_tiles(p->r, p->x[ASHLAR_C], &p->m[ASHLAR_C], 0, "C after a choice");
        close_product(p);
        unsetenv("ASHLAR_DEVICE");
    }
}

/* ---- wrong use, and none ---- */

static void without(product *p)
{
    ashlar_error err = {0};
    if (!open_product(p, "none", 0))
        return;
    CHECK(&p->r->test, multiply(p, NULL, &err) == ASHLAR_OK, CASE "%s", CASE_OF(p->r), err.text);
    const ashlar_device_figures f = figures_of(p);
    CHECK(&p->r->test, !f.name && f.ranks == 0 && f.words_in_total == 0 && f.measured_in_total == 0, CASE "%" PRId64
          " ranks", CASE_OF(p->r), f.ranks);
    ashlar_device_figures none;
    CHECK(&p->r->test, ashlar_tiles_device(NULL, &none, &err) == ASHLAR_ERR_ARG &&
          strstr(err.text, "context is NULL") && ashlar_tiles_device(p->context, NULL, &err) == ASHLAR_ERR_ARG &&
          strstr(err.text, "out is NULL"), "%s", err.text);
    close_product(p);
}

int main(int argc, char **argv)
{
    rig r;
    if (!ranks_begin(&r, &argc, &argv, 24))
        return 1;
    for (uint64_t i = 0; i < r.cases; i++) {
        r.seed = r.first + i;
        product p = {.r = &r, .state = r.seed * 0x9E3779B97F4A7C15u};
        describe_all(&p);
        limits(&p);
        failures(&p);
        if (i % 4 == 0) {
            first_copy(&p);
            choice(&p);
            without(&p);
        }
    }
    return ranks_end(&r, PROGRAM);
}

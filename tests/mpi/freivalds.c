/* The check of a product: right products pass, for every type, op and scalar; wrong ones do not. */
#include "cli/freivalds.h"
#include "cli/tiles.h"
#include "cli/values.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    ashlar_context *context;
    ashlar_plan *plan;
    ashlar_problem problem;
    const ashlar_layout *layout[3];
    char *data[3];
    double alpha[2], beta[2];
    unsigned char alpha_bytes[16], beta_bytes[16];
} job;

static void to_bytes(ashlar_type type, const double value[2], unsigned char out[16])
{
    const float narrow[2] = {(float)value[0], (float)value[1]};
    const bool wide = type == ASHLAR_TYPE_D || type == ASHLAR_TYPE_Z;
    memcpy(out, wide ? (const void *)value : (const void *)narrow, ashlar_type_bytes(type));
}

static void fill(const job *j, int x, int rank, uint64_t seed)
{
    const ashi_values values = {j->problem.type, ASHI_VALUES_UNIFORM, seed + (uint64_t)x};
    ashi_tiles tiles = ashi_tiles_all(j->layout[x], rank);
    for (ashi_tile t; ashi_tiles_next(&tiles, &t);)
        ashi_values_fill(&values, t.row, t.rows, t.col, t.cols,
                         j->data[x] + t.offset * (int64_t)ashlar_type_bytes(j->problem.type), t.row_stride,
                         t.col_stride);
}

/* Plan a random problem and fill its operands. */
static bool begin(job *j, int rank, uint64_t *random)
{
    const ashlar_type type = (ashlar_type)ashi_random_in(random, 0, 3);
    const bool complex = type == ASHLAR_TYPE_C || type == ASHLAR_TYPE_Z;
    j->problem = (ashlar_problem){.type = type, .op_a = (ashlar_op)ashi_random_in(random, 0, 2),
                                  .op_b = (ashlar_op)ashi_random_in(random, 0, 2), .m = ashi_random_in(random, 1, 90),
                                  .n = ashi_random_in(random, 1, 90), .k = ashi_random_in(random, 0, 200)};
    j->alpha[0] = (double)ashi_random_in(random, -2, 2);
    j->alpha[1] = complex ? (double)ashi_random_in(random, -2, 2) : 0;
    j->beta[0] = (double)ashi_random_in(random, -1, 1);
    j->beta[1] = complex ? (double)ashi_random_in(random, -1, 1) : 0;
    to_bytes(type, j->alpha, j->alpha_bytes);
    to_bytes(type, j->beta, j->beta_bytes);
    const uint64_t seed = ashi_random(random);
    if (ashlar_plan_create(j->context, &j->problem, NULL, &j->plan, NULL) != ASHLAR_OK)
        return false;
    for (int x = 0; x < 3; x++) {
        j->layout[x] = ashlar_plan_layout(j->plan, (ashlar_operand)x);
        const size_t count = (size_t)ashlar_layout_extent(j->layout[x], rank) + 1;
        j->data[x] = calloc(count, ashlar_type_bytes(type));
        if (!j->data[x])
            return false;
        fill(j, x, rank, seed);
    }
    return true;
}

/* Add `amount` to one element of C, on the rank that has it. */
static void spoil(const job *j, int rank, int64_t row, int64_t col, double amount)
{
    const ashlar_type type = j->problem.type;
    if (ashlar_layout_owner(j->layout[2], row, col) != rank)
        return;
    char *at = j->data[2] + ashlar_layout_offset(j->layout[2], row, col) * (int64_t)ashlar_type_bytes(type);
    double wide;
    float narrow;
    if (type == ASHLAR_TYPE_D || type == ASHLAR_TYPE_Z) {
        memcpy(&wide, at, sizeof wide);
        wide += amount;
        memcpy(at, &wide, sizeof wide);
    } else {
        memcpy(&narrow, at, sizeof narrow);
        narrow += (float)amount;
        memcpy(at, &narrow, sizeof narrow);
    }
}

static void one_case(ashi_test *t, job *j, int rank, uint64_t seed)
{
    uint64_t random = seed;
    ashi_freivalds check = {0};
    CHECK(t, begin(j, rank, &random), "seed %" PRIu64, seed);
    const ashi_freivalds_product product = {j->context, &j->problem, {j->layout[0], j->layout[1], j->layout[2]},
                                            {j->data[0], j->data[1], j->data[2]}, j->alpha_bytes, j->beta_bytes};
    ashlar_status status = ashi_freivalds_begin(&product, &check, NULL);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64, seed);
    status = ashlar_plan_execute(j->plan, j->alpha_bytes, j->data[0], j->data[1], j->beta_bytes, j->data[2], NULL);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64, seed);
    status = ashi_freivalds_judge(&product, &check, NULL);
    CHECK(t, status == ASHLAR_OK && check.done && check.passed, "seed %" PRIu64 ": right, but %g of the bound", seed,
          check.worst);

    const int64_t row = ashi_random_in(&random, 0, j->problem.m - 1);
    const int64_t col = ashi_random_in(&random, 0, j->problem.n - 1);
    const bool wide = j->problem.type == ASHLAR_TYPE_D || j->problem.type == ASHLAR_TYPE_Z;
    spoil(j, rank, row, col, wide ? 1e-6 : 3);
    status = ashi_freivalds_judge(&product, &check, NULL);
    CHECK(t, status == ASHLAR_OK && check.done && !check.passed && check.row == row,
          "seed %" PRIu64 ": element (%" PRId64 ", %" PRId64 ") is wrong, but %g of the bound in row %" PRId64, seed,
          row, col, check.worst, check.row);

    spoil(j, rank, row, col, (double)NAN);
    status = ashi_freivalds_judge(&product, &check, NULL);
    CHECK(t, status == ASHLAR_OK && check.done && !check.passed && check.row == row, "seed %" PRIu64 ": NaN", seed);
    ashi_freivalds_free(&check);
}

int main(int argc, char **argv)
{
    ashi_test test = {0};
    job j = {0};
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(&test, ashlar_context_create(MPI_COMM_WORLD, &j.context, NULL) == ASHLAR_OK, "context");
    for (uint64_t seed = 1; seed <= 12; seed++) {
        one_case(&test, &j, rank, seed);
        ashlar_plan_free(&j.plan);
        for (int x = 0; x < 3; x++)
            free(j.data[x]);
    }
    ashlar_context_free(&j.context);
    MPI_Finalize();
    return ashi_test_end(&test, "freivalds");
}

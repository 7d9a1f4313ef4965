/* The check of a product, in memory and in files: right products pass, for every type, op and scalar; wrong ones do
 * not. */
#include "cli/values.h"
#include "store/tiles.h"
#include "store_check.h"
#include "verify/freivalds.h"

#include <math.h>

typedef struct job {
    ashlar_context *context;
    ashlar_plan *plan;
    ashlar_problem problem;
    const ashlar_layout *layout[3];
    char *data[3];
    double alpha[2], beta[2];
    unsigned char alpha_bytes[16], beta_bytes[16];
    uint64_t seed;
    folder folder; /* the same on all ranks */
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
    j->seed = ashi_random(random);
    if (ashlar_plan_create(j->context, &j->problem, NULL, &j->plan, NULL) != ASHLAR_OK)
        return false;
    for (int x = 0; x < 3; x++) {
        j->layout[x] = ashlar_plan_layout(j->plan, (ashlar_operand)x);
        const size_t count = (size_t)ashlar_layout_extent(j->layout[x], rank) + 1;
        j->data[x] = calloc(count, ashlar_type_bytes(type));
        if (!j->data[x])
            return false;
        fill(j, x, rank, j->seed);
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

/* ---- in files ---- */

static const char *const file_names[4] = {"a.npy", "b.mtx", "c.npy", "c0.h5:/x"};

static ashi_store_info shape_of(const job *j, int x)
{
    const ashlar_layout *layout = j->layout[x < 3 ? x : 2];
    return (ashi_store_info){.type = j->problem.type, .rows = ashlar_layout_rows(layout),
                             .cols = ashlar_layout_cols(layout),
                             .order = x == 2 ? ASHLAR_COL_MAJOR : ASHLAR_ROW_MAJOR};
}

/* A matrix, dense in rows, on rank 0: A, B and C0 as they were made, C as it is now. Collective; NULL elsewhere. */
static char *whole(const job *j, int x, int rank)
{
    const ashi_store_info info = shape_of(j, x);
    const size_t size = ashlar_type_bytes(info.type), bytes = (size_t)(info.rows * info.cols) * size;
    char *own = calloc(bytes + 1, 1), *all = calloc(bytes + 1, 1);
    if (!own || !all)
        exit(1);
    if (x != 2) {
        const ashi_values values = {info.type, ASHI_VALUES_UNIFORM, j->seed + (uint64_t)(x < 3 ? x : 2)};
        ashi_values_fill(&values, 0, info.rows, 0, info.cols, all, info.cols, 1);
        free(own);
        return all;
    }
    ashi_tiles tiles = ashi_tiles_all(j->layout[2], rank);
    for (ashi_tile t; ashi_tiles_next(&tiles, &t);)
        for (int64_t r = 0; r < t.rows; r++)
            for (int64_t c = 0; c < t.cols; c++)
                memcpy(own + (size_t)((t.row + r) * info.cols + t.col + c) * size,
                       j->data[2] + (t.offset + r * t.row_stride + c * t.col_stride) * (int64_t)size, size);
    MPI_Reduce(own, all, (int)bytes, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
    free(own);
    return all;
}

static void write_file(ashi_test *t, const job *j, int x, int rank, const char *place)
{
    const ashi_store_info info = shape_of(j, x);
    ashi_store *store = NULL;
    ashlar_error err = {0};
    char *data = whole(j, x, rank);
    if (rank == 0) {
        ashlar_status status = ashi_store_create(place, &info, &store, &err);
        if (status == ASHLAR_OK)
            status = ashi_store_write(store, 0, info.rows, 0, info.cols, data, info.cols, 1, &err);
        if (status == ASHLAR_OK)
            status = ashi_store_publish(store, &err);
        CHECK(t, status == ASHLAR_OK, "%s: %s", place, err.text);
        ashi_store_close(&store, NULL);
    }
    free(data);
}

/* What the check says of the same product in files. C is read by all ranks, or by rank 0 alone. */
static ashi_freivalds judge_files(ashi_test *t, const job *j, int rank, bool alone)
{
    int ranks = 1;
    ashi_freivalds check = {0};
    ashlar_error err = {0};
    ashi_freivalds_product product = {.context = j->context, .problem = &j->problem, .alpha = j->alpha_bytes,
                                      .beta = j->beta_bytes};
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int x = 0; x < 4; x++) {
        char place[PATH_BYTES];
        ashi_store_info info;
        ashi_freivalds_file *f = &product.file[x];
        *f = (ashi_freivalds_file){NULL, j->problem.type, rank, ranks};
        folder_name(&j->folder, file_names[x], place);
        write_file(t, j, x, rank, place);
        MPI_Barrier(MPI_COMM_WORLD);
        if (x == 2 && alone) {
            f->share = 0;
            f->readers = 1;
        }
        if (x == 2 && alone && rank != 0)
            continue;
        CHECK(t, ashi_store_open(place, &f->file, &info, &err) == ASHLAR_OK, "%s", err.text);
        f->type = info.type;
    }
    CHECK(t, ashi_freivalds_judge(&product, &check, &err) == ASHLAR_OK, "%s", err.text);
    for (int x = 0; x < 4; x++)
        ashi_store_close(&product.file[x].file, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    return check;
}

/* A file that is shorter than it said is an error on all ranks, whoever meets it. */
static void truncated_file(ashi_test *t, const job *j, int rank)
{
    char place[PATH_BYTES];
    ashi_store_info info;
    ashi_freivalds check = {0};
    ashlar_error err = {0};
    ashi_freivalds_product product = {.context = j->context, .problem = &j->problem, .alpha = j->alpha_bytes,
                                      .beta = j->beta_bytes};
    folder_name(&j->folder, file_names[2], place);
    product.file[2] = (ashi_freivalds_file){NULL, j->problem.type, 0, 1};
    if (rank == 0)
        CHECK(t, ashi_store_open(place, &product.file[2].file, &info, &err) == ASHLAR_OK, "%s", err.text);
    if (rank == 0)
        CHECK(t, truncate(place, 100) == 0, "truncate");
    const ashlar_status status = ashi_freivalds_judge(&product, &check, &err);
    CHECK(t, status == ASHLAR_ERR_IO && !check.done && !check.passed && strstr(err.text, file_names[2]), "%s",
          err.text);
    ashi_store_close(&product.file[2].file, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- each case, in memory and in files ---- */

static void one_case(ashi_test *t, job *j, int rank, uint64_t seed)
{
    uint64_t random = seed;
    ashi_freivalds check = {0};
    CHECK(t, begin(j, rank, &random), "seed %" PRIu64, seed);
    const ashi_freivalds_product product = {.context = j->context, .problem = &j->problem,
                                            .layout = {j->layout[0], j->layout[1], j->layout[2]},
                                            .data = {j->data[0], j->data[1], j->data[2]},
                                            .alpha = j->alpha_bytes, .beta = j->beta_bytes};
    ashlar_status status = ashi_freivalds_begin(&product, &check, NULL);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64, seed);
    status = ashlar_plan_execute(j->plan, j->alpha_bytes, j->data[0], j->data[1], j->beta_bytes, j->data[2], NULL);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64, seed);
    status = ashi_freivalds_judge(&product, &check, NULL);
    CHECK(t, status == ASHLAR_OK && check.done && check.passed, "seed %" PRIu64 ": right, but %g of the bound", seed,
          check.worst);
    ashi_freivalds filed = judge_files(t, j, rank, seed % 2);
    CHECK(t, filed.done && filed.passed && fabs(filed.worst - check.worst) < 0.1, "seed %" PRIu64
          ": right, but %g of the bound in files", seed, filed.worst);

    const int64_t row = ashi_random_in(&random, 0, j->problem.m - 1);
    const int64_t col = ashi_random_in(&random, 0, j->problem.n - 1);
    const bool wide = j->problem.type == ASHLAR_TYPE_D || j->problem.type == ASHLAR_TYPE_Z;
    spoil(j, rank, row, col, wide ? 1e-6 : 3);
    status = ashi_freivalds_judge(&product, &check, NULL);
    CHECK(t, status == ASHLAR_OK && check.done && !check.passed && check.row == row,
          "seed %" PRIu64 ": element (%" PRId64 ", %" PRId64 ") is wrong, but %g of the bound in row %" PRId64, seed,
          row, col, check.worst, check.row);
    filed = judge_files(t, j, rank, seed % 2);
    CHECK(t, filed.done && !filed.passed && filed.row == row, "seed %" PRIu64
          ": wrong, but %g of the bound in row %" PRId64 " in files", seed, filed.worst, filed.row);

    spoil(j, rank, row, col, (double)NAN);
    status = ashi_freivalds_judge(&product, &check, NULL);
    CHECK(t, status == ASHLAR_OK && check.done && !check.passed && check.row == row, "seed %" PRIu64 ": NaN", seed);
    filed = judge_files(t, j, rank, seed % 2);
    CHECK(t, filed.done && !filed.passed && filed.row == row, "seed %" PRIu64 ": NaN in files", seed);
    truncated_file(t, j, rank);
    ashi_freivalds_free(&check);
}

/* ---- edges: what is empty, what is not used, what is nearly too large ---- */

/* A product of every element `a` by every element `b`, added to beta times `c`: whether it is formed and passes. */
static void edge(ashi_test *t, job *j, const int64_t size[3], const double scalar[2], const double value[3])
{
    ashi_freivalds check = {0};
    const double alpha[2] = {scalar[0], 0}, beta[2] = {scalar[1], 0};
    j->problem = (ashlar_problem){.type = ASHLAR_TYPE_D, .m = size[0], .n = size[1], .k = size[2]};
    to_bytes(ASHLAR_TYPE_D, alpha, j->alpha_bytes);
    to_bytes(ASHLAR_TYPE_D, beta, j->beta_bytes);
    CHECK(t, ashlar_plan_create(j->context, &j->problem, NULL, &j->plan, NULL) == ASHLAR_OK, "plan");
    for (int x = 0; x < 3; x++) {
        j->layout[x] = ashlar_plan_layout(j->plan, (ashlar_operand)x);
        const int64_t count = ashlar_layout_extent(j->layout[x], j->context->rank);
        double *data = calloc((size_t)count + 1, sizeof *data);
        for (int64_t i = 0; data && i < count; i++)
            data[i] = value[x];
        j->data[x] = (char *)data;
    }
    const ashi_freivalds_product product = {.context = j->context, .problem = &j->problem,
                                            .layout = {j->layout[0], j->layout[1], j->layout[2]},
                                            .data = {j->data[0], j->data[1], j->data[2]},
                                            .alpha = j->alpha_bytes, .beta = j->beta_bytes};
    ashlar_status status = ashi_freivalds_begin(&product, &check, NULL);
    if (status == ASHLAR_OK)
        status = ashlar_plan_execute(j->plan, j->alpha_bytes, j->data[0], j->data[1], j->beta_bytes, j->data[2], NULL);
    if (status == ASHLAR_OK)
        status = ashi_freivalds_judge(&product, &check, NULL);
    CHECK(t, status == ASHLAR_OK && check.done && check.passed,
          "m, n, k = %" PRId64 ", %" PRId64 ", %" PRId64 ", alpha %g, beta %g, values %g, %g, %g: %g of the bound",
          size[0], size[1], size[2], scalar[0], scalar[1], value[0], value[1], value[2], check.worst);
    ashi_freivalds_free(&check);
    ashlar_plan_free(&j->plan);
    for (int x = 0; x < 3; x++)
        free(j->data[x]);
}

static void edges(ashi_test *t, job *j)
{
    for (int i = 0; i < 32; i++) {
        const int64_t size[3] = {i & 1 ? 5 : 0, i & 2 ? 4 : 0, i & 4 ? 3 : 0};
        const double scalar[2] = {i & 8 ? 2 : 0, i & 16 ? 3 : 0};
        const bool factors = scalar[0] != 0 && size[2] > 0, empty = size[0] == 0 || size[1] == 0;
        const double none = (double)NAN; /* what nothing depends on may be anything */
        edge(t, j, size, scalar, (const double[3]){factors && !empty ? 1 : none, factors && !empty ? 1 : none,
                                                   scalar[1] != 0 ? 1 : none});
    }
    const int64_t size[3] = {5, 4, 3};
    edge(t, j, size, (const double[2]){1, 0}, (const double[3]){1e154, 5e153, 0}); /* |a_i| |B| is beyond double */
    edge(t, j, size, (const double[2]){1, 1}, (const double[3]){1, 1, 1.7e308}); /* the sum of a row is, too */
    edge(t, j, size, (const double[2]){1, 0}, (const double[3]){1e-200, 1e-200, 0}); /* and below it */
}

int main(int argc, char **argv)
{
    ashi_test test = {0};
    job j = {0};
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(&test, ashlar_context_create(MPI_COMM_WORLD, &j.context, NULL) == ASHLAR_OK, "context");
    if (rank == 0)
        j.folder = folder_make();
    MPI_Bcast(&j.folder, (int)sizeof j.folder, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (uint64_t seed = 1; seed <= 12; seed++) {
        one_case(&test, &j, rank, seed);
        ashlar_plan_free(&j.plan);
        for (int x = 0; x < 3; x++)
            free(j.data[x]);
    }
    edges(&test, &j);
    if (rank == 0)
        folder_remove(&j.folder);
    ashlar_context_free(&j.context);
    MPI_Finalize();
    return ashi_test_end(&test, "freivalds");
}

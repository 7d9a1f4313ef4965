/* The inverse of a kernel matrix, as of a Gaussian process: A = I + 1 / (1 + |x - y|) over points in clusters, with a
 * row of tiles for each cluster. Far from the diagonal tiles are smooth and are stored as U V^T. The iteration of
 * Newton and Schulz, X <- X (2 I - A X), keeps X so. The error is measured with all elements of A, and printed beside
 * its bound. */
#include <ashlar/ashlar.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CLUSTERS = 12, POINTS = 64, N = CLUSTERS * POINTS, STEPS = 40 };

static const double one = 1, zero = 0, minus_one = -1, tolerance = 1e-7, wanted = 1e-4;

/* Points of a cluster lie on a small spiral; the clusters lie on a large circle. */
static void place(double at[N][2])
{
    for (int i = 0; i < N; i++) {
        const double turn = 2 * acos(-1) * (i / POINTS) / CLUSTERS, own = i % POINTS;
        at[i][0] = 30 * cos(turn) + 0.4 * sqrt(own) * cos(2.4 * own);
        at[i][1] = 30 * sin(turn) + 0.4 * sqrt(own) * sin(2.4 * own);
    }
}

/* Each rank fills the tiles that are its own. */
static ashlar_status fill(ashlar_tiles *a, int rank, ashlar_error *err)
{
    static double at[N][2], x[POINTS * POINTS];
    place(at);
    for (int64_t row = 0; row < CLUSTERS; row++)
        for (int64_t col = 0; col < CLUSTERS; col++) {
            if (ashlar_tiles_owner(a, row, col) != rank)
                continue;
            for (int64_t e = 0; e < POINTS * POINTS; e++) {
                const int64_t i = row * POINTS + e % POINTS, j = col * POINTS + e / POINTS;
                x[e] = (i == j) + 1 / (1 + hypot(at[i][0] - at[j][0], at[i][1] - at[j][1]));
            }
            (void)ashlar_tiles_put(a, row, col, POINTS, POINTS, ASHLAR_COL_MAJOR, POINTS, x, err);
        }
    return ashlar_tiles_finish(a, err); /* says on all ranks if a put failed */
}

/* A matrix without tiles, cut as the others. */
static ashlar_status make(ashlar_context *context, ashlar_tiles **out, ashlar_error *err)
{
    int64_t size[CLUSTERS];
    for (int i = 0; i < CLUSTERS; i++)
        size[i] = POINTS;
    const ashlar_tiles_description d = {.size = sizeof d, .type = ASHLAR_TYPE_D, .tile_rows = CLUSTERS,
                                        .tile_cols = CLUSTERS, .row_sizes = size, .col_sizes = size};
    return ashlar_tiles_create(context, &d, out, err);
}

/* r <- I - A X, and its norm; *bound: what the product has lost. The tolerance may be 0. */
static ashlar_status residual(const ashlar_tiles *a, const ashlar_tiles *x, double loses, ashlar_tiles *r, double *norm,
                              double *bound, ashlar_error *err)
{
    const ashlar_tiles_options options = {.size = sizeof options, .tolerance = loses, .relative = 1, .bound = 1};
    ashlar_tiles_result done;
    ashlar_status status = ashlar_tiles_multiply(&minus_one, ASHLAR_OP_N, a, ASHLAR_OP_N, x, &zero, r, &options, &done,
                                                 err);
    if (status == ASHLAR_OK)
        status = ashlar_tiles_add_diagonal(&one, NULL, r, err);
    if (status == ASHLAR_OK)
        status = ashlar_tiles_norm(r, norm, err);
    *bound = status == ASHLAR_OK ? done.error_bound : 0;
    return status;
}

/* X <- X (I + r), in `next`, which X changes places with. */
static ashlar_status step(ashlar_tiles **x, ashlar_tiles *r, ashlar_tiles **next, ashlar_error *err)
{
    const ashlar_tiles_options options = {.size = sizeof options, .tolerance = tolerance, .relative = 1};
    ashlar_status status = ashlar_tiles_add_diagonal(&one, NULL, r, err);
    if (status == ASHLAR_OK)
        status = ashlar_tiles_multiply(&one, ASHLAR_OP_N, *x, ASHLAR_OP_N, r, &zero, *next, &options, NULL, err);
    ashlar_tiles *const old = *x;
    *x = *next;
    *next = old;
    return status;
}

/* From X = I / (a bound of A's largest eigenvalue) until |I - A X| is small. *last: that norm, and *bound: what its
 * product has lost. */
static ashlar_status invert(const ashlar_tiles *a, ashlar_tiles *matrix[3], int *steps, double *last, double *bound,
                            ashlar_error *err)
{
    double lowest = 0, highest = 1;
    ashlar_status status = ashlar_tiles_gershgorin(a, &lowest, &highest, err);
    const double start = 1 / highest;
    if (status == ASHLAR_OK)
        status = ashlar_tiles_add_diagonal(&start, NULL, matrix[0], err);
    for (*steps = 0; status == ASHLAR_OK; ++*steps) {
        status = residual(a, matrix[0], tolerance, matrix[1], last, bound, err);
        if (status != ASHLAR_OK || *last < wanted || *steps == STEPS)
            break;
        status = step(&matrix[0], matrix[1], &matrix[2], err);
    }
    return status;
}

static ashlar_status show(const char *name, const ashlar_tiles *x, int rank, ashlar_error *err)
{
    ashlar_tiles_info info;
    const ashlar_status status = ashlar_tiles_inspect(x, &info, err);
    if (status == ASHLAR_OK && rank == 0)
        printf("%s: %lld of %lld tiles as U V^T, %.0f %% of the elements are stored\n", name,
               (long long)info.low_rank_tiles, (long long)info.tiles, 100 * (double)info.words / ((double)N * N));
    return status;
}

/* The error with all elements of `whole`, of which A lost `lost`: |I - whole X| <= |I - A X| + lost |X|, and what the
 * two products that are compared have lost. *good: it is within that bound. */
static ashlar_status judge(const ashlar_tiles *whole, const ashlar_tiles *x, ashlar_tiles *r, double bound, double lost,
                           int rank, int *good, ashlar_error *err)
{
    double error = 0, norm = 0, rounding = 0;
    ashlar_status status = residual(whole, x, 0, r, &error, &rounding, err);
    if (status == ASHLAR_OK)
        status = ashlar_tiles_norm(x, &norm, err);
    bound += lost * norm + rounding;
    *good = error <= bound;
    if (status == ASHLAR_OK && rank == 0)
        printf("|I - A X| is %.2e, its bound %.2e\n", error, bound);
    return status;
}

static ashlar_status run(ashlar_context *context, ashlar_tiles *whole, ashlar_tiles **low, ashlar_tiles *matrix[3],
                         int rank, int *good, ashlar_error *err)
{
    double lost = 0, last = 0, bound = 0;
    int steps = 0;
    ashlar_status status = fill(whole, rank, err);
    if (status == ASHLAR_OK)
        status = ashlar_tiles_copy(whole, low, err);
    if (status == ASHLAR_OK)
        status = ashlar_tiles_compress(*low, tolerance, 1, &lost, err);
    for (int i = 0; i < 3 && status == ASHLAR_OK; i++)
        status = make(context, &matrix[i], err);
    if (status == ASHLAR_OK)
        status = show("A", *low, rank, err);
    if (status == ASHLAR_OK)
        status = invert(*low, matrix, &steps, &last, &bound, err);
    if (status == ASHLAR_OK && rank == 0)
        printf("%d steps of Newton-Schulz\n", steps);
    if (status == ASHLAR_OK)
        status = show("X", matrix[0], rank, err);
    return status == ASHLAR_OK ? judge(whole, matrix[0], matrix[1], last + bound, lost, rank, good, err) : status;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0, good = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ashlar_context *context = NULL;
    ashlar_tiles *whole = NULL, *low = NULL, *matrix[3] = {NULL, NULL, NULL};
    ashlar_error err = {0};
    ashlar_status status = ashlar_context_create(MPI_COMM_WORLD, &context, &err);
    if (status == ASHLAR_OK)
        status = make(context, &whole, &err);
    if (status == ASHLAR_OK)
        status = run(context, whole, &low, matrix, rank, &good, &err);
    if (status != ASHLAR_OK && rank == 0)
        fprintf(stderr, "%s: %s\n", ashlar_status_name(status), err.text);
    ashlar_tiles_free(&whole);
    ashlar_tiles_free(&low);
    for (int i = 0; i < 3; i++)
        ashlar_tiles_free(&matrix[i]);
    ashlar_context_free(&context);
    MPI_Finalize();
    return status == ASHLAR_OK && good ? 0 : 1;
}

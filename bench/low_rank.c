/* What tiles of low rank save in products of the kernel 1 / (1 + |x - y|) over clustered points. */
#include "die.h"

#include <ashlar/ashlar.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: low_rank POINTS CLUSTER SPREAD TOLERANCE REPETITIONS CHAIN\n\n"
    "The matrix 1 / (1 + |x - y|) over POINTS points in space, on all ranks: clusters of CLUSTER points, each a tile,\n"
    "uniform in balls of radius 1 whose centres are uniform in a cube. The cube has SPREAD times the volume of the\n"
    "balls' bounding cubes. It is squared with dense tiles and with tiles compressed within TOLERANCE of their norms,\n"
    "in turns, REPETITIONS times. A line of JSON has the median seconds of both, their ratio, the compression's\n"
    "seconds, words, the most words that a rank held at once ('held'), as parts of the matrix, ranks, the largest and\n"
    "the mean ratio of a tile's rank to the number of singular values that the same tolerance needs (for some tiles),\n"
    "and the error of the product beside its bound, relative to its norm.\n"
    "CHAIN products A X with tolerance are made of X = A, scaled to norm 1, and the same with dense tiles:\n"
    "'chain_error' is the norm of the difference, 'chain_bound' the bound from those of all products.\n";

void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *a, const int *lda, double *s,
             double *u, const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *info,
             size_t jobu_length, size_t jobvt_length);

typedef struct kernel {
    int64_t points, cluster, tiles;
    double tolerance;
    int rank;
    ashlar_context *context;
    int64_t *size;
    double *at; /* three numbers for each point */
} kernel;

static void require(ashlar_status status, const ashlar_error *err)
{
    if (status != ASHLAR_OK)
        ashi_die("%s", err->text);
}

/* Uniform in -1 .. 1, the same on all ranks. */
static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

static void place(kernel *k, double spread)
{
    uint64_t state = 7;
    const double edge = cbrt(spread * 8 * (double)k->tiles);
    for (int64_t t = 0, i = 0; t < k->tiles; t++) {
        const double centre[3] = {uniform(&state) * edge / 2, uniform(&state) * edge / 2, uniform(&state) * edge / 2};
        for (int64_t end = i + k->size[t]; i < end; i++) {
            double p[3], square;
            do {
                square = 0;
                for (int x = 0; x < 3; x++) {
                    p[x] = uniform(&state);
                    square += p[x] * p[x];
                }
            } while (square > 1);
            for (int x = 0; x < 3; x++)
                k->at[3 * i + x] = centre[x] + p[x];
        }
    }
}

static void evaluate(const kernel *k, int64_t row, int64_t col, double *x)
{
    const int64_t m = k->size[row], n = k->size[col];
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            const double *p = &k->at[3 * (row * k->cluster + i)], *q = &k->at[3 * (col * k->cluster + j)];
            x[i + j * m] = 1 / (1 + sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                                         (p[2] - q[2]) * (p[2] - q[2])));
        }
}

static ashlar_tiles *make(const kernel *k)
{
    const ashlar_tiles_description d = {.size = sizeof d, .type = ASHLAR_TYPE_D, .tile_rows = k->tiles,
                                        .tile_cols = k->tiles, .row_sizes = k->size};
    ashlar_tiles *tiles = NULL;
    ashlar_error err;
    require(ashlar_tiles_create(k->context, &d, &tiles, &err), &err);
    return tiles;
}

static ashlar_tiles *fill(const kernel *k)
{
    ashlar_tiles *tiles = make(k);
    ashlar_error err;
    ashlar_tiles_info info;
    for (int64_t row = 0; row < k->tiles; row++)
        for (int64_t col = 0; col < k->tiles; col++)
            if (ashlar_tiles_owner(tiles, row, col) == k->rank)
                require(ashlar_tiles_reserve(tiles, 1, &row, &col, &err), &err);
    require(ashlar_tiles_finish(tiles, &err), &err);
    require(ashlar_tiles_inspect(tiles, &info, &err), &err);
    for (int64_t t = 0; t < info.local_tiles; t++) {
        ashlar_stored_tile tile;
        require(ashlar_tiles_local(tiles, t, &tile, &err), &err);
        evaluate(k, tile.row, tile.col, tile.data);
    }
    return tiles;
}

static double most_of(double x)
{
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return x;
}

/* ---- ranks ---- */

/* Singular values that are needed within the tolerance times the norm. */
static int64_t values_of(const kernel *k, int64_t row, int64_t col, double *x, double *s, double *work, int room)
{
    const int m = (int)k->size[row], n = (int)k->size[col], one = 1;
    int64_t count = m < n ? m : n;
    double all = 0, left = 0;
    int info = 0;
    evaluate(k, row, col, x);
    dgesvd_("N", "N", &m, &n, x, &m, s, NULL, &one, NULL, &one, work, &room, &info, 1, 1);
    if (info != 0)
        ashi_die("dgesvd: %d", info);
    for (int64_t i = 0; i < count; i++)
        all += s[i] * s[i];
    while (count > 0 && left + s[count - 1] * s[count - 1] <= k->tolerance * k->tolerance * all) {
        left += s[count - 1] * s[count - 1];
        count--;
    }
    return count;
}

typedef struct ranks {
    double mean, largest_ratio, mean_ratio, low_tiles;
} ranks;

/* Of this rank's tiles; the singular values of about 64 of them. */
static ranks compare_ranks(const kernel *k, const ashlar_tiles *low)
{
    const int room = (int)(64 * k->cluster);
    double *x = ashi_need(k->cluster * k->cluster, 8), *s = ashi_need(k->cluster, 8), *work = ashi_need(room, 8);
    double sum = 0, count = 0, ratios = 0, tried = 0, most = 0;
    ashlar_tiles_info info;
    ashlar_error err;
    require(ashlar_tiles_inspect(low, &info, &err), &err);
    const int64_t stride = info.local_tiles / 64 + 1;
    for (int64_t t = 0; t < info.local_tiles; t++) {
        ashlar_stored_tile tile;
        require(ashlar_tiles_local(low, t, &tile, &err), &err);
        if (tile.rank < 0)
            continue;
        sum += (double)tile.rank;
        count++;
        if (t % stride > 0)
            continue;
        const int64_t needed = values_of(k, tile.row, tile.col, x, s, work, room);
        const double ratio = (double)tile.rank / (double)(needed > 0 ? needed : 1);
        most = fmax(most, ratio);
        ratios += ratio;
        tried++;
    }
    double all[4] = {sum, count, ratios, tried};
    MPI_Allreduce(MPI_IN_PLACE, all, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    free(x);
    free(s);
    free(work);
    return (ranks){all[0] / all[1], most_of(most), all[2] / all[3], all[1]};
}

/* ---- products ---- */

/* C <- A B; the seconds of all of it. *held: the most words that a rank had at once. */
static double multiply(const kernel *k, const ashlar_tiles *a, const ashlar_tiles *b, bool compresses, ashlar_tiles **c,
                       double *bound, double *held)
{
    const double one = 1, zero = 0;
    const ashlar_tiles_options options = {.size = sizeof options, .tolerance = compresses ? k->tolerance : 0,
                                          .relative = 1, .bound = bound != NULL};
    ashlar_tiles_result done = {0};
    ashlar_error err;
    ashlar_tiles_free(c);
    *c = make(k);
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    require(ashlar_tiles_multiply(&one, ASHLAR_OP_N, a, ASHLAR_OP_N, b, &zero, *c, &options, &done, &err), &err);
    const double seconds = most_of(MPI_Wtime() - began);
    if (bound)
        *bound = done.error_bound;
    *held = most_of((double)done.memory_words);
    return seconds;
}

static double norm_of(const ashlar_tiles *x)
{
    double norm = 0;
    ashlar_error err;
    require(ashlar_tiles_norm(x, &norm, &err), &err);
    return norm;
}

/* The norm of x - y; y is overwritten. */
static double distance(const ashlar_tiles *x, ashlar_tiles *y)
{
    const double one = 1, minus = -1;
    ashlar_error err;
    require(ashlar_tiles_add(&one, x, &minus, y, y, &err), &err);
    return norm_of(y);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int count)
{
    qsort(x, (size_t)count, sizeof *x, ascending);
    return count % 2 ? x[count / 2] : (x[count / 2 - 1] + x[count / 2]) / 2;
}

/* X <- A X / factor, with dense tiles and with such of low rank. The factor is the dense product's norm. *bound: of the
 * second, from |A (X + E)| <= |A| |E| and what each product adds. Returns the norm of the difference. */
static double chain(const kernel *k, const ashlar_tiles *dense, const ashlar_tiles *low, double lost, int count,
                    double *bound)
{
    ashlar_tiles *x[2] = {NULL, NULL}, *y[2] = {NULL, NULL};
    const double norm = norm_of(dense);
    double one = 1 / norm;
    ashlar_error err;
    require(ashlar_tiles_copy(dense, &x[0], &err), &err);
    require(ashlar_tiles_copy(low, &x[1], &err), &err);
    *bound = lost / norm;
    for (int i = 0; i < 2; i++)
        require(ashlar_tiles_scale(&one, x[i], &err), &err);
    for (int step = 0; step < count; step++) {
        double of[2], held;
        (void)multiply(k, dense, x[0], false, &y[0], &of[0], &held);
        (void)multiply(k, low, x[1], true, &y[1], &of[1], &held);
        const double factor = 1 / norm_of(y[0]);
        /* A and X are both as they were compressed: |A X - (A + F)(X + E)| <= |A| |E| + |F| (|X| + |E|) */
        *bound = factor * (norm * *bound + lost * (1 + *bound) + of[0] + of[1]);
        for (int i = 0; i < 2; i++) {
            ashlar_tiles *const swap = x[i];
            require(ashlar_tiles_scale(&factor, y[i], &err), &err);
            x[i] = y[i];
            y[i] = swap;
        }
    }
    const double found = distance(x[1], x[0]);
    for (int i = 0; i < 2; i++) {
        ashlar_tiles_free(&x[i]);
        ashlar_tiles_free(&y[i]);
    }
    return found;
}

static void measure(const kernel *k, int repetitions, int links)
{
    ashlar_tiles *dense = fill(k), *low = NULL, *c[2] = {NULL, NULL};
    ashlar_tiles_info before, after, product;
    ashlar_error err;
    double lost = 0, bound[2], held[2] = {0, 0}, *seconds = ashi_need(2LL * repetitions, 8), chain_bound = 0;
    require(ashlar_tiles_copy(dense, &low, &err), &err);
    const double began = MPI_Wtime();
    require(ashlar_tiles_compress(low, k->tolerance, 1, &lost, &err), &err);
    const double compressing = most_of(MPI_Wtime() - began);
    for (int i = 0; i < repetitions; i++) {
        seconds[i] = multiply(k, dense, dense, false, &c[0], &bound[0], &held[0]);
        seconds[repetitions + i] = multiply(k, low, low, true, &c[1], &bound[1], &held[1]);
    }
    require(ashlar_tiles_inspect(dense, &before, &err), &err);
    require(ashlar_tiles_inspect(low, &after, &err), &err);
    require(ashlar_tiles_inspect(c[1], &product, &err), &err);
    const double norm = norm_of(dense), of_product = norm_of(c[0]);
    const double all = bound[0] + bound[1] + lost * (2 * norm + lost), error = distance(c[1], c[0]);
    ashlar_tiles_free(&c[0]);
    ashlar_tiles_free(&c[1]);
    const ranks found = compare_ranks(k, low);
    const double chain_error = links > 0 ? chain(k, dense, low, lost, links, &chain_bound) : 0;
    const double times[2] = {median(seconds, repetitions), median(seconds + repetitions, repetitions)};
    if (k->rank == 0)
        printf("{\"points\": %lld, \"cluster\": %lld, \"tolerance\": %g, \"dense_seconds\": %.3f, "
               "\"low_seconds\": %.3f, \"faster\": %.2f, \"compress_seconds\": %.3f, \"words\": %.4f, "
               "\"product_words\": %.4f, \"dense_held\": %.4f, \"low_held\": %.4f, "
               "\"low_tiles\": %.0f, \"tiles\": %lld, \"mean_rank\": %.1f, \"rank_over_svd\": %.3f, "
               "\"mean_rank_over_svd\": %.3f, \"lost\": %.2e, \"error\": %.2e, \"bound\": %.2e, \"chain\": %d, "
               "\"chain_error\": %.2e, \"chain_bound\": %.2e}\n",
               (long long)k->points, (long long)k->cluster, k->tolerance, times[0], times[1], times[0] / times[1],
               compressing, (double)after.words / (double)before.words,
               (double)product.words / (double)before.words, held[0] / (double)before.words,
               held[1] / (double)before.words, found.low_tiles, (long long)after.tiles, found.mean,
               found.largest_ratio, found.mean_ratio, lost / norm, error / of_product, all / of_product, links,
               chain_error, chain_bound);
    ashlar_tiles_free(&dense);
    ashlar_tiles_free(&low);
    free(seconds);
}

int main(int argc, char **argv)
{
    kernel k = {0};
    ashlar_error err;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &k.rank);
    k.points = argc == 7 ? strtoll(argv[1], NULL, 10) : 0;
    k.cluster = argc == 7 ? strtoll(argv[2], NULL, 10) : 0;
    k.tolerance = argc == 7 ? strtod(argv[4], NULL) : 0;
    if (k.points < 1 || k.cluster < 1 || !(k.tolerance > 0) || strtol(argv[5], NULL, 10) < 1) {
        if (k.rank == 0)
            fputs(help, stderr);
        MPI_Finalize();
        return 2;
    }
    k.tiles = (k.points + k.cluster - 1) / k.cluster;
    k.size = ashi_need(k.tiles, 8);
    k.at = ashi_need(3 * k.points, 8);
    for (int64_t t = 0; t < k.tiles; t++)
        k.size[t] = t + 1 < k.tiles ? k.cluster : k.points - t * k.cluster;
    require(ashlar_context_create(MPI_COMM_WORLD, &k.context, &err), &err);
    place(&k, strtod(argv[3], NULL));
    measure(&k, (int)strtol(argv[5], NULL, 10), (int)strtol(argv[6], NULL, 10));
    ashlar_context_free(&k.context);
    free(k.size);
    free(k.at);
    MPI_Finalize();
    return 0;
}

/* Times products of matrices of tiles, beside DBCSR's and beside the BLAS if all tiles are present. */
#include "die.h"
#include "samples.h"
#include "tiling.h"

#include "exec/threads.h"

#include <ashlar/ashlar.h>
#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef ASHI_DBCSR
#define nullptr NULL /* its header wants it */
#include <dbcsr.h>
#undef nullptr
#endif

static const char help[] =
    "Usage: tiles N SIZES PERCENT REPETITIONS [THREADS]\n\n"
    "Multiply two N x N matrices of double precision tiles, PERCENT in a hundred of them present, on all ranks, and\n"
    "print a line of JSON. " ASHI_TILING_HELP "\n"
    "Tiles are dealt out cyclically on one grid for all. The times of Ashlar include the pattern of the result, its\n"
    "memory and making ready, as those of DBCSR do; 'run' is its tasks alone, and 'replay' a product by a plan that\n"
    "is kept, into a result that has its tiles already. With 100 percent each\n"
    "rank's BLAS multiplies its part of matrices of this size in one piece. With THREADS above 1 Ashlar and the BLAS\n"
    "have that many; DBCSR has OMP_NUM_THREADS. 'growth' is by how much the first product, with A, B and C, made the\n"
    "resident memory of the rank that needs most grow, over their words, once MPI and the BLAS had been used.\n"
    "'imbalance' is the work of the busiest rank over the mean. The BLAS's parts are of one size, so no way that\n"
    "leaves tiles where they are reaches more than 1 / imbalance of the BLAS's rate.\n";

enum { ASHLAR, RUN, REPLAY, DBCSR, BLAS, WAYS };
static const char *const name[WAYS] = {"ashlar", "run", "replay", "dbcsr", "dgemm"};

typedef struct bench {
    ashi_tiling tiling;
    int percent, repetitions, threads, rank, ranks;
    ashlar_context *context;
    ashlar_tiles *a, *b, *c;
    ashlar_tiles_plan *plan;
    ashlar_tiles_result done; /* of the last product */
    long long flops;          /* of all ranks */
    double growth, imbalance;
    double *whole[3];         /* the rank's part of A, B and C in one piece, NULL: some tiles are absent */
#ifdef ASHI_DBCSR
    dbcsr_matrix peer[3];
    dbcsr_distribution dist;
    int *block;
#endif
} bench;

static void require(ashlar_status status, const ashlar_error *err)
{
    if (status != ASHLAR_OK)
        ashi_die("%s", err->text);
}

/* ---- Ashlar ---- */

static double time_ashlar(bench *x)
{
    const double one = 1, zero = 0;
    ashlar_error err;
    require(ashlar_tiles_clear(x->c, &err), &err);
    if (MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Barrier failed");
    const double start = MPI_Wtime();
    require(ashlar_tiles_multiply(&one, ASHLAR_OP_N, x->a, ASHLAR_OP_N, x->b, &zero, x->c, NULL, &x->done, &err), &err);
    const double seconds = ashi_seconds_since(start, MPI_COMM_WORLD);
    const long long own = x->done.flops;
    long long most = 0;
    if (MPI_Allreduce(&own, &x->flops, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS ||
        MPI_Allreduce(&own, &most, 1, MPI_LONG_LONG, MPI_MAX, MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Allreduce failed");
    x->imbalance = x->flops > 0 ? (double)most * x->ranks / (double)x->flops : 1;
    return seconds;
}

/* Of the slowest rank, in the last product. */
static double time_run(const bench *x)
{
    double last = 0;
    if (MPI_Allreduce(&x->done.seconds, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Allreduce failed");
    return last;
}

/* C has the tiles of a product. */
static double time_replay(bench *x)
{
    const double one = 1, zero = 0;
    const ashlar_tiles_term term = {&one, ASHLAR_OP_N, ASHLAR_OP_N, x->a, x->b};
    ashlar_tiles_result done;
    ashlar_error err;
    if (!x->plan)
        require(ashlar_tiles_plan_create(1, &term, x->c, NULL, &x->plan, &err), &err);
    if (MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Barrier failed");
    const double start = MPI_Wtime();
    require(ashlar_tiles_plan_execute(x->plan, &term, &zero, x->c, &done, &err), &err);
    if (done.planned != ASHLAR_PLANNED_REUSED)
        ashi_die("the plan was not used as it was");
    return ashi_seconds_since(start, MPI_COMM_WORLD);
}

/* The most so far. */
static double most_resident(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : 0;
}

static double resident(void)
{
    long long all = 0, here = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lld %lld", &all, &here) != 2)
        ashi_die("/proc/self/statm cannot be read");
    fclose(file);
    return (double)here * (double)sysconf(_SC_PAGESIZE);
}

/* MPI and the BLAS take memory when they are first used. */
static void warm(const bench *x)
{
    enum { SIDE = 512, WORDS = SIDE * SIDE };
    double *const each[3] = {ashi_need(WORDS, sizeof(double)), ashi_need(WORDS, sizeof(double)),
                             ashi_need(WORDS, sizeof(double))};
    for (int i = 0; i < 3; i++)
        for (int e = 0; e < WORDS; e++)
            each[i][e] = 1;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE, 1, each[0], SIDE, each[1], SIDE, 0,
                each[2], SIDE);
    for (int step = 1; step < x->ranks; step++)
        if (MPI_Sendrecv(each[0], WORDS, MPI_DOUBLE, (x->rank + step) % x->ranks, 0, each[1], WORDS, MPI_DOUBLE,
                         (x->rank + x->ranks - step) % x->ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            ashi_die("MPI_Sendrecv failed");
    for (int i = 0; i < 3; i++)
        free(each[i]);
}

/* A and B are made, and multiplied once. */
static void open_ashlar(bench *x)
{
    ashlar_error err;
    warm(x);
    const double before = resident();
    double words = 0;
    require(ashlar_context_create(MPI_COMM_WORLD, &x->context, &err), &err);
    x->a = ashi_tiling_draw(&x->tiling, x->context, x->percent);
    x->b = ashi_tiling_draw(&x->tiling, x->context, x->percent);
    x->c = ashi_tiling_make(&x->tiling, x->context);
    (void)time_ashlar(x);
    ashlar_tiles *const all[3] = {x->a, x->b, x->c};
    for (int i = 0; i < 3; i++) {
        ashlar_tiles_info info;
        require(ashlar_tiles_inspect(all[i], &info, &err), &err);
        words += (double)info.local_words;
    }
    const double own = (most_resident() - before) / (words * (double)sizeof(double));
    if (MPI_Allreduce(&own, &x->growth, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Allreduce failed");
}

/* ---- DBCSR ---- */

#ifdef ASHI_DBCSR
static void make_peer(bench *x, int which, const ashlar_tiles *from)
{
    dbcsr_matrix *m = &x->peer[which];
    const int blocks = (int)x->tiling.tiles;
    ashlar_tiles_info info = {0};
    ashlar_error err;
    c_dbcsr_create_new(m, "matrix", x->dist, dbcsr_type_no_symmetry, x->block, blocks, x->block, blocks, NULL,
                       &dbcsr_type_real_8, NULL, NULL, NULL, NULL);
    if (from)
        require(ashlar_tiles_inspect(from, &info, &err), &err);
    for (int64_t t = 0; t < info.local_tiles; t++) {
        ashlar_stored_tile tile;
        require(ashlar_tiles_local(from, t, &tile, &err), &err);
        c_dbcsr_put_block2d_d(*m, (int)tile.row, (int)tile.col, tile.data, (int)tile.rows, (int)tile.cols, NULL, NULL);
    }
    c_dbcsr_finalize(*m);
}

static void open_peer(bench *x)
{
    MPI_Fint comm = MPI_Comm_c2f(MPI_COMM_WORLD);
    int unit = 6, periods[2] = {1, 1};
    const int blocks = (int)x->tiling.tiles;
    MPI_Comm grid;
    c_dbcsr_init_lib_internal(&comm, &unit);
    x->block = ashi_need(blocks, (long long)sizeof *x->block);
    int *owner[2] = {ashi_need(blocks, (long long)sizeof **owner), ashi_need(blocks, (long long)sizeof **owner)};
    for (int i = 0; i < blocks; i++) {
        x->block[i] = (int)x->tiling.size[i];
        owner[0][i] = i % x->tiling.grid[0];
        owner[1][i] = i % x->tiling.grid[1];
    }
    if (MPI_Cart_create(MPI_COMM_WORLD, 2, x->tiling.grid, periods, 0, &grid) != MPI_SUCCESS)
        ashi_die("no grid of processes");
    comm = MPI_Comm_c2f(grid);
    c_dbcsr_distribution_new_aux(&x->dist, &comm, owner[0], blocks, owner[1], blocks);
    free(owner[0]);
    free(owner[1]);
    make_peer(x, 0, x->a);
    make_peer(x, 1, x->b);
    make_peer(x, 2, NULL);
}

static double time_peer(bench *x)
{
    long long own = 0, all = 0;
    c_dbcsr_release(&x->peer[2]);
    make_peer(x, 2, NULL);
    if (MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Barrier failed");
    const double start = MPI_Wtime();
    c_dbcsr_multiply_d(dbcsr_no_transpose, dbcsr_no_transpose, 1, x->peer[0], x->peer[1], 0, x->peer[2], NULL, NULL,
                       NULL, NULL, NULL, NULL, NULL, NULL, &own);
    const double seconds = ashi_seconds_since(start, MPI_COMM_WORLD);
    if (MPI_Allreduce(&own, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Allreduce failed");
    if (llabs(all - x->flops) > 2LL * x->ranks) /* DBCSR rounds those of each rank */
        ashi_die("DBCSR did %lld flops, Ashlar %lld", all, x->flops);
    return seconds;
}

/* The largest difference of two elements of the products, over the largest sum of k terms. */
static double difference(const bench *x)
{
    double own = 0, most = 0;
    ashlar_tiles_info info;
    ashlar_error err;
    require(ashlar_tiles_inspect(x->c, &info, &err), &err);
    for (int64_t t = 0; t < info.local_tiles; t++) {
        ashlar_stored_tile tile;
        double *block = NULL;
        bool turned = false, found = false;
        int m = 0, n = 0;
        require(ashlar_tiles_local(x->c, t, &tile, &err), &err);
        c_dbcsr_get_block_p_d(x->peer[2], (int)tile.row, (int)tile.col, &block, &turned, &found, &m, &n);
        if (!found || turned)
            ashi_die("DBCSR has no tile (%lld, %lld)", (long long)tile.row, (long long)tile.col);
        for (int64_t e = 0; e < tile.rows * tile.cols; e++)
            own = fmax(own, fabs(block[e] - ((const double *)tile.data)[e]));
    }
    if (MPI_Allreduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Allreduce failed");
    return most / (double)x->tiling.n;
}

static void close_peer(bench *x)
{
    for (int i = 0; i < 3; i++)
        c_dbcsr_release(&x->peer[i]);
    c_dbcsr_distribution_release(&x->dist);
    c_dbcsr_finalize_lib();
    free(x->block);
}
#endif

/* ---- measuring ---- */

/* Rows and columns of C on each rank if it is in one piece. */
static void open_blas(bench *x)
{
    const int64_t rows = x->tiling.n / x->tiling.grid[0], cols = x->tiling.n / x->tiling.grid[1];
    const int64_t words[3] = {rows * x->tiling.n, x->tiling.n * cols, rows * cols};
    for (int i = 0; i < 3; i++) {
        x->whole[i] = ashi_need(words[i], (long long)sizeof(double));
        for (int64_t e = 0; e < words[i]; e++)
            x->whole[i][e] = (double)(int64_t)ashi_tiling_next(&x->tiling) * 0x1p-63;
    }
}

static double time_blas(const bench *x)
{
    const int n = (int)x->tiling.n, rows = n / x->tiling.grid[0], cols = n / x->tiling.grid[1];
    if (MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Barrier failed");
    const double start = MPI_Wtime();
    ashi_set_blas_threads(x->threads);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows, cols, n, 1, x->whole[0], rows, x->whole[1], n, 0,
                x->whole[2], rows);
    const double seconds = ashi_seconds_since(start, MPI_COMM_WORLD);
    return seconds;
}

static double time_way(bench *x, int way)
{
    switch (way) {
    case ASHLAR:
        return time_ashlar(x);
    case BLAS:
        return time_blas(x);
    default:
#ifdef ASHI_DBCSR
        return time_peer(x);
#else
        return 0;
#endif
    }
}

static bool has_way(const bench *x, int way)
{
#ifdef ASHI_DBCSR
    const bool peer = true;
#else
    const bool peer = false;
#endif
    return way == BLAS ? x->whole[0] != NULL : way == DBCSR ? peer : true;
}

/* In turns, after one untimed round; who begins moves on by one each time. */
static void measure(bench *x, double *seconds)
{
    static const int timed[] = {ASHLAR, DBCSR, BLAS};
    for (int r = -1; r < x->repetitions; r++)
        for (int i = 0; i < 3; i++) {
            const int way = timed[r < 0 ? i : (i + r) % 3];
            const double took = has_way(x, way) ? time_way(x, way) : 0;
            const double run = way == ASHLAR ? time_run(x) : 0, replay = way == ASHLAR ? time_replay(x) : 0;
            if (r < 0)
                continue;
            seconds[way * x->repetitions + r] = took;
            if (way != ASHLAR)
                continue;
            seconds[RUN * x->repetitions + r] = run;
            seconds[REPLAY * x->repetitions + r] = replay;
        }
}

static void print(const bench *x, const char *sizes, const double *seconds, double differ)
{
    const int n = x->repetitions;
    const double side = (double)x->tiling.n;
    if (x->rank != 0)
        return;
    printf("{\"schema\": 2, \"kind\": \"tiles\", \"n\": %lld, \"sizes\": \"%s\", \"percent\": %d, \"ranks\": %d, "
           "\"threads\": %d, \"repetitions\": %d, \"flops\": %lld, \"words\": %lld, \"workspace\": %lld, "
           "\"iterations\": %lld, \"growth\": %.3g, \"imbalance\": %.4f, \"blas\": \"%s\"",
           (long long)x->tiling.n, sizes, x->percent, x->ranks, x->threads, n, x->flops, (long long)x->done.words,
           (long long)x->done.workspace_words, (long long)x->done.iterations, x->growth, x->imbalance,
           ashi_blas_name());
    for (int way = 0; way < WAYS; way++) {
        if (!has_way(x, way))
            continue;
        const ashi_summary s = ashi_summarize(seconds + way * n, n);
        const double flops = way == BLAS ? 2.0 * side * side * side : (double)x->flops;
        printf(", \"%s\": {\"gflops\": %.4g, \"median\": %.9g, \"low\": %.9g, \"high\": %.9g}", name[way],
               flops / s.median * 1e-9, s.median, s.low, s.high);
        if (way < DBCSR)
            continue;
        const ashi_summary ratio = ashi_summarize_ratio(seconds + way * n, seconds + ASHLAR * n, n);
        printf(", \"rate_to_%s\": {\"median\": %.4g, \"low\": %.4g, \"high\": %.4g}", name[way], ratio.median,
               ratio.low, ratio.high);
    }
    if (differ >= 0)
        printf(", \"difference\": %.3g", differ);
    printf("}\n");
}

static void run(bench *x, const char *sizes)
{
    double *seconds = ashi_need((long long)WAYS * x->repetitions, (long long)sizeof *seconds), differ = -1;
    ashi_set_blas_threads(x->threads);
    ashi_tiling_cut(&x->tiling, sizes);
    open_ashlar(x);
    if (x->percent >= 100)
        open_blas(x);
#ifdef ASHI_DBCSR
    open_peer(x);
#endif
    measure(x, seconds);
#ifdef ASHI_DBCSR
    differ = difference(x);
    close_peer(x);
#endif
    print(x, sizes, seconds, differ);
    free(seconds);
    ashlar_tiles_plan_free(&x->plan);
    ashlar_tiles_free(&x->a);
    ashlar_tiles_free(&x->b);
    ashlar_tiles_free(&x->c);
    ashlar_context_free(&x->context);
    for (int i = 0; i < 3; i++)
        free(x->whole[i]);
    free(x->tiling.size);
}

int main(int argc, char **argv)
{
    bench x = {.tiling = {.state = 1}};
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS || MPI_Comm_size(MPI_COMM_WORLD, &x.ranks) != MPI_SUCCESS ||
        MPI_Comm_rank(MPI_COMM_WORLD, &x.rank) != MPI_SUCCESS)
        return 1;
    if (argc < 5 || argc > 6) {
        if (x.rank == 0)
            fputs(help, stdout);
        MPI_Finalize();
        return !(argc == 2 && strcmp(argv[1], "--help") == 0);
    }
    x.tiling.n = atoll(argv[1]);
    x.percent = atoi(argv[3]);
    x.repetitions = atoi(argv[4]);
    x.threads = argc > 5 ? atoi(argv[5]) : 1;
    if (x.tiling.n < 1 || x.percent < 0 || x.repetitions < 1 || x.threads < 1)
        ashi_die("N, REPETITIONS and THREADS are at least 1, PERCENT at least 0");
    if (MPI_Dims_create(x.ranks, 2, x.tiling.grid) != MPI_SUCCESS)
        ashi_die("no grid of processes");
    run(&x, argv[2]);
    MPI_Finalize();
    return 0;
}

/* Times products of matrices of tiles, beside DBCSR's and beside the BLAS if all tiles are present. */
#include "die.h"
#include "samples.h"
#include "tiles_errors.h"

#include "kernel/threads.h"

#include <ashlar/ashlar.h>
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char help[] =
    "Usage: tiles N|MxNxK SIZES PERCENT REPETITIONS [THREADS [EPS [DECAY [work]]]]\n\n"
    "Multiply matrices of M x K and K x N in double precision tiles, PERCENT in a hundred of them present, on all\n"
    "ranks, and print a line of JSON. " ASHI_TILING_HELP "\n"
    "Tiles are dealt out cyclically on one grid for all, or, with 'work', so that ranks have about the same to\n"
    "multiply. The times of Ashlar include the pattern of the result, its memory and making ready, as those of DBCSR\n"
    "do; 'run' is its tasks alone, and 'replay' a product by a plan that is kept, into a result that has its tiles\n"
    "already. With 100 percent each rank's BLAS multiplies its part of\n"
    "matrices of this size in one piece. With THREADS above 1 Ashlar and the BLAS have that many; DBCSR has\n"
    "OMP_NUM_THREADS. With EPS above 0 that is the threshold of Ashlar and the filter of DBCSR; both errors are then\n"
    "given as Frobenius norms of differences from a product in one piece. Elements fall off by exp(-DECAY |i - j|) in\n"
    "tile (i, j). 'growth' is by how much the first product, with A, B and C, made the resident memory of the rank\n"
    "that needs most grow, over their words, once MPI and the BLAS had been used. 'imbalance' is the work of the\n"
    "busiest rank over the mean. The BLAS's parts are of one size, so no way that leaves tiles where they are reaches\n"
    "more than 1 / imbalance of the BLAS's rate. With 0 repetitions only the first product is formed, for 'growth'.\n";

enum { ASHLAR, RUN, REPLAY, DBCSR, BLAS, WAYS };
static const char *const name[WAYS] = {"ashlar", "run", "replay", "dbcsr", "dgemm"};

typedef struct bench {
    ashi_tiling side[3]; /* m, n, k */
    double eps, decay;
    int percent, repetitions, threads, rank, ranks;
    bool by_work; /* how tiles are dealt out */
    ashlar_context *context;
    ashlar_tiles *a, *b, *c;
    ashlar_tiles_plan *plan;
    ashlar_tiles_result done; /* of the last product */
    long long flops, peer_flops; /* of all ranks */
    double growth;
    double error[2]; /* of Ashlar and of DBCSR; with a threshold */
    double *whole[3];         /* the rank's part of A, B and C in one piece, NULL: some tiles are absent */
    ashi_tiles_peer *peer;
} bench;

static void require(ashlar_status status, const ashlar_error *err)
{
    if (status != ASHLAR_OK)
        ashi_die("%s", err->text);
}

/* ---- Ashlar ---- */

static ashlar_tiles_options options_of(const bench *x)
{
    return (ashlar_tiles_options){.size = sizeof(ashlar_tiles_options), .threshold = x->eps};
}

static double time_ashlar(bench *x)
{
    const double one = 1, zero = 0;
    const ashlar_tiles_options options = options_of(x);
    ashlar_error err;
    require(ashlar_tiles_clear(x->c, &err), &err);
    if (MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Barrier failed");
    const double start = MPI_Wtime();
    require(ashlar_tiles_multiply(&one, ASHLAR_OP_N, x->a, ASHLAR_OP_N, x->b, &zero, x->c, &options, &x->done, &err),
            &err);
    const double seconds = ashi_seconds_since(start, MPI_COMM_WORLD);
    const long long own = x->done.flops;
    if (MPI_Allreduce(&own, &x->flops, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Allreduce failed");
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

/* The same from the same state. */
static void draw(bench *x, uint64_t state)
{
    x->side[0].state = state;
    x->a = ashi_tiling_draw(&x->side[0], &x->side[2], x->context, x->percent, x->decay);
    x->side[2].state = x->side[0].state;
    x->b = ashi_tiling_draw(&x->side[2], &x->side[1], x->context, x->percent, x->decay);
}

/* A and B are dealt out anew, and C will be. */
static void deal_by_work(bench *x, uint64_t state)
{
    ashi_tiling *const m = &x->side[0], *const n = &x->side[1];
    const ashlar_tiles_description c = {.size = sizeof c, .type = ASHLAR_TYPE_D, .tile_rows = m->tiles,
                                        .tile_cols = n->tiles, .row_sizes = m->size, .col_sizes = n->size,
                                        .grid_rows = m->grid[0], .grid_cols = m->grid[1]};
    ashlar_error err;
    int *const rows = ashi_need(m->tiles, (long long)sizeof *rows), *const cols = ashi_need(n->tiles, sizeof *cols);
    require(ashlar_tiles_deal_by_work(ASHLAR_OP_N, x->a, ASHLAR_OP_N, x->b, &c, rows, cols, NULL, &err), &err);
    m->owner = rows;
    n->owner = cols;
    ashlar_tiles_free(&x->a);
    ashlar_tiles_free(&x->b);
    draw(x, state);
}

/* A and B are made, and multiplied once. */
static void open_ashlar(bench *x)
{
    ashlar_error err;
    warm(x);
    const double before = resident();
    const uint64_t state = x->side[0].state;
    double words = 0;
    require(ashlar_context_create(MPI_COMM_WORLD, &x->context, &err), &err);
    draw(x, state);
    if (x->by_work)
        deal_by_work(x, state);
    x->c = ashi_tiling_make(&x->side[0], &x->side[1], x->context);
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

static double time_peer(bench *x)
{
    const double seconds = ashi_tiles_peer_time(x->peer, x->eps, &x->peer_flops);
    if (x->eps <= 0 && llabs(x->peer_flops - x->flops) > 2LL * x->ranks) /* DBCSR rounds those of each rank */
        ashi_die("DBCSR did %lld flops, Ashlar %lld", x->peer_flops, x->flops);
    return seconds;
}

/* ---- measuring ---- */

/* Rows and columns of C on each rank if it is in one piece. */
static void open_blas(bench *x)
{
    const int64_t rows = x->side[0].n / x->side[0].grid[0], cols = x->side[1].n / x->side[0].grid[1];
    const int64_t words[3] = {rows * x->side[2].n, x->side[2].n * cols, rows * cols};
    for (int i = 0; i < 3; i++) {
        x->whole[i] = ashi_need(words[i], (long long)sizeof(double));
        for (int64_t e = 0; e < words[i]; e++)
            x->whole[i][e] = (double)(int64_t)ashi_tiling_next(&x->side[0]) * 0x1p-63;
    }
}

static double time_blas(const bench *x)
{
    const int *const grid = x->side[0].grid;
    const int n = (int)x->side[2].n, rows = (int)x->side[0].n / grid[0], cols = (int)x->side[1].n / grid[1];
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
        return time_peer(x);
    }
}

static bool has_way(const bench *x, int way)
{
    if (x->repetitions == 0)
        return false;
    return way == BLAS ? x->whole[0] != NULL : way == DBCSR ? x->peer != NULL : way != REPLAY || x->eps <= 0;
}

/* In turns, after one untimed round; who begins moves on by one each time. */
static void measure(bench *x, double *seconds)
{
    static const int timed[] = {ASHLAR, DBCSR, BLAS};
    for (int r = x->repetitions > 0 ? -1 : 0; r < x->repetitions; r++)
        for (int i = 0; i < 3; i++) {
            const int way = timed[r < 0 ? i : (i + r) % 3];
            const double took = has_way(x, way) ? time_way(x, way) : 0;
            const double run = way == ASHLAR ? time_run(x) : 0;
            const double replay = way == ASHLAR && has_way(x, REPLAY) ? time_replay(x) : 0;
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
    const ashi_tiling *of = x->side;
    const double all = 2.0 * (double)of[0].n * (double)of[1].n * (double)of[2].n;
    if (x->rank != 0)
        return;
    printf("{\"schema\": 2, \"kind\": \"tiles\", \"m\": %lld, \"n\": %lld, \"k\": %lld, \"sizes\": \"%s\", "
           "\"percent\": %d, \"ranks\": %d, \"threads\": %d, \"repetitions\": %d, \"flops\": %lld, \"words\": %lld, "
           "\"workspace\": %lld, \"iterations\": %lld, \"growth\": %.3g, \"imbalance\": %.4f, \"blas\": \"%s\"",
           (long long)of[0].n, (long long)of[1].n, (long long)of[2].n, sizes, x->percent, x->ranks, x->threads, n,
           x->flops, (long long)x->done.words, (long long)x->done.workspace_words, (long long)x->done.iterations,
           x->growth, x->done.imbalance, ashi_blas_name());
    if (x->eps > 0)
        printf(", \"eps\": %.3g, \"decay\": %.3g, \"bound\": %.3g, \"error\": %.3g, \"dbcsr_error\": %.3g, "
               "\"dbcsr_flops\": %lld", x->eps, x->decay, x->done.error_bound, x->error[0], x->error[1],
               x->peer_flops);
    for (int way = 0; way < WAYS; way++) {
        if (!has_way(x, way))
            continue;
        const ashi_summary s = ashi_summarize(seconds + way * n, n);
        const double flops = way == BLAS ? all : (double)(way == DBCSR ? x->peer_flops : x->flops);
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
    for (int s = 0; s < 3; s++)
        ashi_tiling_cut(&x->side[s], sizes);
    open_ashlar(x);
    if (x->percent >= 100 && x->repetitions > 0)
        open_blas(x);
    if (x->repetitions > 0)
        x->peer = ashi_tiles_peer_open(x->side, x->a, x->b);
    measure(x, seconds);
    if (x->eps > 0 && x->repetitions > 0)
        ashi_tiles_errors(x->a, x->b, x->c, x->peer, x->error);
    else if (x->peer)
        differ = ashi_tiles_difference(x->c, x->peer) / (double)x->side[2].n;
    ashi_tiles_peer_close(x->peer);
    print(x, sizes, seconds, differ);
    free(seconds);
    ashlar_tiles_plan_free(&x->plan);
    ashlar_tiles_free(&x->a);
    ashlar_tiles_free(&x->b);
    ashlar_tiles_free(&x->c);
    ashlar_context_free(&x->context);
    for (int i = 0; i < 3; i++) {
        free(x->whole[i]);
        free(x->side[i].size);
        free(x->side[i].owner);
    }
}

/* The sides, from N or MxNxK. */
static void read_sides(bench *x, const char *text)
{
    long long side[3] = {0, 0, 0};
    int grid[2] = {0, 0};
    if (sscanf(text, "%lldx%lldx%lld", &side[0], &side[1], &side[2]) == 1)
        side[1] = side[2] = side[0];
    if (side[0] < 1 || side[1] < 1 || side[2] < 1)
        ashi_die("'%s', wanted N or MxNxK, each at least 1", text);
    if (MPI_Dims_create(x->ranks, 2, grid) != MPI_SUCCESS)
        ashi_die("no grid of processes");
    for (int s = 0; s < 3; s++)
        x->side[s] = (ashi_tiling){.n = side[s], .grid = {grid[0], grid[1]}, .state = 1};
}

int main(int argc, char **argv)
{
    bench x = {0};
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS || MPI_Comm_size(MPI_COMM_WORLD, &x.ranks) != MPI_SUCCESS ||
        MPI_Comm_rank(MPI_COMM_WORLD, &x.rank) != MPI_SUCCESS)
        return 1;
    if (argc < 5 || argc > 9) {
        if (x.rank == 0)
            fputs(help, stdout);
        MPI_Finalize();
        return !(argc == 2 && strcmp(argv[1], "--help") == 0);
    }
    x.percent = atoi(argv[3]);
    x.repetitions = atoi(argv[4]);
    x.threads = argc > 5 ? atoi(argv[5]) : 1;
    x.eps = argc > 6 ? atof(argv[6]) : 0;
    x.decay = argc > 7 ? atof(argv[7]) : 0;
    x.by_work = argc > 8 && strcmp(argv[8], "work") == 0;
    if (x.percent < 0 || x.repetitions < 0 || x.threads < 1 || !(x.eps >= 0) || !(x.decay >= 0))
        ashi_die("THREADS is at least 1, REPETITIONS, PERCENT, EPS and DECAY at least 0");
    read_sides(&x, argv[1]);
    run(&x, argv[2]);
    MPI_Finalize();
    return 0;
}

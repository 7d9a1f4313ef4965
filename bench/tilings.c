/* Times products of full matrices of uneven tiles, beside even tiles and beside the same matrices in one piece. */
#include "die.h"
#include "samples.h"
#include "tiling.h"

#include "kernel/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: tilings N SIZES EVEN REPETITIONS [THREADS]\n\n"
    "Multiply two N x N matrices of double precision by turns: in tiles of SIZES, in tiles of EVEN, and in one piece,\n"
    "on all ranks, and print a line of JSON. " ASHI_TILING_HELP "\n"
    "Tiles are dealt out cyclically on one grid. All have the memory of C before; the product in one piece is\n"
    "ashlar_multiply's over a context that is kept, in the plan's own layouts. 'imbalance' is the work of the busiest\n"
    "rank over the mean; 'to_even' is the time of SIZES over that of EVEN, each over its imbalance.\n";

enum { UNEVEN, EVEN, WHOLE, WAYS };
static const char *const name[WAYS] = {"uneven", "even", "whole"};

typedef struct tiled {
    ashi_tiling tiling;
    ashlar_tiles *a, *b, *c;
    double imbalance;
    double flops; /* of all ranks */
    ashlar_tiles_result done;
} tiled;

typedef struct bench {
    int64_t n;
    int repetitions, threads, rank, ranks;
    ashlar_context *context;
    tiled way[WHOLE];
    ashlar_problem problem;
    double *part[3]; /* of the matrices in one piece */
} bench;

static const double one = 1, zero = 0;

static void require(ashlar_status status, const ashlar_error *err)
{
    if (status != ASHLAR_OK)
        ashi_die("%s", err->text);
}

static double start(void)
{
    if (MPI_Barrier(MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Barrier failed");
    return MPI_Wtime();
}

static double time_tiles(tiled *t)
{
    ashlar_error err;
    const double began = start();
    require(ashlar_tiles_multiply(&one, ASHLAR_OP_N, t->a, ASHLAR_OP_N, t->b, &zero, t->c, NULL, &t->done, &err), &err);
    return ashi_seconds_since(began, MPI_COMM_WORLD);
}

static void open_tiles(bench *x, tiled *t, const char *sizes)
{
    t->tiling = (ashi_tiling){.n = x->n, .state = 1};
    if (MPI_Dims_create(x->ranks, 2, t->tiling.grid) != MPI_SUCCESS)
        ashi_die("no grid of processes");
    ashi_tiling_cut(&t->tiling, sizes);
    t->a = ashi_tiling_draw(&t->tiling, &t->tiling, x->context, 100, 0);
    t->b = ashi_tiling_draw(&t->tiling, &t->tiling, x->context, 100, 0);
    t->c = ashi_tiling_make(&t->tiling, &t->tiling, x->context);
    (void)time_tiles(t);
    const double own = (double)t->done.flops;
    double most = 0;
    if (MPI_Allreduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD) != MPI_SUCCESS ||
        MPI_Allreduce(&own, &t->flops, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Allreduce failed");
    t->imbalance = most * x->ranks / t->flops;
}

static ashlar_plan *plan_of(const bench *x)
{
    const ashlar_options options = {.size = sizeof options};
    ashlar_plan *plan = NULL;
    ashlar_error err;
    require(ashlar_plan_create(x->context, &x->problem, &options, &plan, &err), &err);
    return plan;
}

static void open_whole(bench *x)
{
    x->problem = (ashlar_problem){.size = sizeof x->problem, .type = ASHLAR_TYPE_D, .m = x->n, .n = x->n, .k = x->n};
    ashlar_plan *plan = plan_of(x);
    ashi_tiling random = {.state = 1 + (uint64_t)x->rank};
    for (int i = 0; i < 3; i++) {
        const int64_t words = ashlar_layout_extent(ashlar_plan_layout(plan, (ashlar_operand)i), x->rank);
        x->part[i] = ashi_need(words, (long long)sizeof(double));
        for (int64_t e = 0; e < words; e++)
            x->part[i][e] = (double)(int64_t)ashi_tiling_next(&random) * 0x1p-63;
    }
    ashlar_plan_free(&plan);
}

static double time_whole(const bench *x)
{
    ashlar_error err;
    const double began = start();
    ashlar_plan *plan = plan_of(x);
    require(ashlar_plan_execute(plan, &one, x->part[0], x->part[1], &zero, x->part[2], &err), &err);
    ashlar_plan_free(&plan);
    return ashi_seconds_since(began, MPI_COMM_WORLD);
}

/* In turns, after one untimed product in one piece, as there was one of tiles; who begins moves on by one each time. */
static void measure(bench *x, double *seconds)
{
    for (int r = -1; r < x->repetitions; r++)
        for (int i = 0; i < WAYS; i++) {
            const int way = r < 0 ? i : (i + r) % WAYS;
            if (r < 0 && way != WHOLE)
                continue;
            const double took = way == WHOLE ? time_whole(x) : time_tiles(&x->way[way]);
            if (r >= 0)
                seconds[way * x->repetitions + r] = way == WHOLE ? took : took / x->way[way].imbalance;
        }
}

static void print_ratio(const char *what, const double *a, const double *b, double scale, int n)
{
    const ashi_summary ratio = ashi_summarize_ratio(a, b, n);
    printf(", \"%s\": {\"median\": %.4g, \"low\": %.4g, \"high\": %.4g}", what, scale * ratio.median, scale * ratio.low,
           scale * ratio.high);
}

static void print(const bench *x, const char *sizes, const char *even, const double *seconds)
{
    const int n = x->repetitions;
    const double *const uneven = seconds;
    if (x->rank != 0)
        return;
    printf("{\"schema\": 2, \"kind\": \"tilings\", \"n\": %lld, \"sizes\": \"%s\", \"even_sizes\": \"%s\", "
           "\"ranks\": %d, \"threads\": %d, \"repetitions\": %d, \"imbalance\": %.4f, "
           "\"imbalance_even\": %.4f, \"iterations\": %lld, \"blas\": \"%s\"",
           (long long)x->n, sizes, even, x->ranks, x->threads, n, x->way[UNEVEN].imbalance,
           x->way[EVEN].imbalance, (long long)x->way[UNEVEN].done.iterations, ashi_blas_name());
    for (int way = 0; way < WAYS; way++) {
        const double times = way == WHOLE ? 1 : x->way[way].imbalance;
        const ashi_summary s = ashi_summarize(seconds + way * n, n);
        printf(", \"%s\": {\"gflops\": %.4g, \"median\": %.9g}", name[way],
               2e-9 * (double)x->n * (double)x->n * (double)x->n / (times * s.median), times * s.median);
    }
    print_ratio("to_even", uneven, seconds + EVEN * n, 1, n);
    print_ratio("to_whole", uneven, seconds + WHOLE * n, x->way[UNEVEN].imbalance, n);
    print_ratio("even_to_whole", seconds + EVEN * n, seconds + WHOLE * n, x->way[EVEN].imbalance, n);
    printf("}\n");
}

static void run(bench *x, const char *sizes, const char *even)
{
    double *seconds = ashi_need((long long)WAYS * x->repetitions, (long long)sizeof *seconds);
    ashlar_error err;
    ashi_set_blas_threads(x->threads);
    require(ashlar_context_create(MPI_COMM_WORLD, &x->context, &err), &err);
    open_tiles(x, &x->way[UNEVEN], sizes);
    open_tiles(x, &x->way[EVEN], even);
    open_whole(x);
    measure(x, seconds);
    print(x, sizes, even, seconds);
    free(seconds);
    for (int i = 0; i < WHOLE; i++) {
        ashlar_tiles_free(&x->way[i].a);
        ashlar_tiles_free(&x->way[i].b);
        ashlar_tiles_free(&x->way[i].c);
        free(x->way[i].tiling.size);
    }
    for (int i = 0; i < 3; i++)
        free(x->part[i]);
    ashlar_context_free(&x->context);
}

int main(int argc, char **argv)
{
    bench x = {0};
    int level = MPI_THREAD_SINGLE;
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS ||
        MPI_Comm_size(MPI_COMM_WORLD, &x.ranks) != MPI_SUCCESS || MPI_Comm_rank(MPI_COMM_WORLD, &x.rank) != MPI_SUCCESS)
        return 1;
    if (argc < 5 || argc > 6) {
        if (x.rank == 0)
            fputs(help, stdout);
        MPI_Finalize();
        return !(argc == 2 && strcmp(argv[1], "--help") == 0);
    }
    x.n = atoll(argv[1]);
    x.repetitions = atoi(argv[4]);
    x.threads = argc > 5 ? atoi(argv[5]) : 1;
    if (x.n < 1 || x.repetitions < 1 || x.threads < 1)
        ashi_die("N, REPETITIONS and THREADS are at least 1");
    run(&x, argv[2], argv[3]);
    MPI_Finalize();
    return 0;
}

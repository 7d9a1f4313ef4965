/* Times many products of small tiles on one rank: by the calling thread, with all threads of the BLAS in each, and side
 * by side on workers. */
#include "base/checked.h"
#include "engine/builder.h"
#include "exec/mpi.h"
#include "exec/player.h"
#include "inner.h"
#include "kernel/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: side SIZE TILES STEPS THREADS REPETITIONS\n\n"
    "Print a line of JSON with the GFlop/s of TILES x TILES sums of tiles of SIZE x SIZE, to each of which a product\n"
    "of two tiles is added in each of STEPS steps: in one thread, with THREADS threads of the BLAS in each product,\n"
    "and with THREADS products side by side.\n";

enum { NUMBER_MOST = 1 << 20 }; /* of an argument */

/* The panels of the tiles. */
typedef struct tiles {
    ashi_builder builder;
    int64_t size, count;
    int64_t *a, *b, *c;
} tiles;

static ashi_panel tile(const tiles *t, ashlar_operand operand, int64_t i, int64_t j)
{
    const ashi_box box = {i * t->size, (i + 1) * t->size, j * t->size, (j + 1) * t->size};
    return ashi_panel_of(operand, &box);
}

/* A tile of zeros. */
static int64_t clear(ashi_builder *b, ashi_panel *panel)
{
    ashi_operation scale = ashi_operation_blank(ASHI_DO_SCALE);
    scale.makes = ashi_build_panel(b, panel);
    scale.begins = true;
    ashi_build_operation(b, &scale);
    return scale.makes;
}

static void begin(ashi_builder *b)
{
    tiles *t = b->program->own;
    for (int64_t i = 0; i < t->count; i++) {
        ashi_panel a = tile(t, ASHLAR_A, i, 0), other = tile(t, ASHLAR_B, i, 0);
        t->a[i] = clear(b, &a);
        t->b[i] = clear(b, &other);
    }
    for (int64_t i = 0; i < t->count * t->count; i++) {
        ashi_panel sum = tile(t, ASHLAR_C, i % t->count, i / t->count);
        sum.part = i;
        t->c[i] = ashi_build_panel(b, &sum);
    }
}

static void multiply(ashi_builder *b, int64_t i, int64_t j)
{
    const tiles *t = b->program->own;
    const bool last = b->step + 2 == b->program->steps;
    ashi_operation product = ashi_operation_blank(ASHI_DO_MULTIPLY);
    ashi_operation_reads(&product, 0, t->a[i], last && j + 1 == t->count);
    ashi_operation_reads(&product, 2, t->b[j], last && i + 1 == t->count);
    product.makes = t->c[i + j * t->count];
    product.begins = b->step == 0;
    const int64_t lo[] = {i * t->size, j * t->size, 0, 0};
    const int64_t hi[] = {(i + 1) * t->size, (j + 1) * t->size, t->size, 1};
    for (int d = 0; d < ASHI_PRODUCT_INDICES; d++) {
        product.lo[d] = lo[d];
        product.hi[d] = hi[d];
    }
    ashi_build_operation(b, &product);
}

/* The sums are moved in the last step, so that something reads them. */
static ashlar_status build_step(ashi_builder *b)
{
    tiles *t = b->program->own;
    if (b->step == 0)
        begin(b);
    for (int64_t i = 0; i < t->count; i++)
        for (int64_t j = 0; j < t->count; j++) {
            ashi_panel to = tile(t, ASHLAR_C, i, j);
            to.unread = true;
            if (b->step + 1 == b->program->steps)
                ashi_build_move(b, t->c[i + j * t->count], true, &to);
            else
                multiply(b, i, j);
        }
    return b->status;
}

static ashlar_status emit(ashi_program *program, int64_t rank, int64_t step, const ashi_program_visitor *visitor,
                          ashlar_error *err)
{
    tiles *t = program->own;
    return ashi_build(&t->builder, build_step, rank, step, visitor, err);
}

/* ---- the three ways ---- */

enum { ALONE, EACH, SIDE, WAYS };

typedef struct way {
    int blas_threads;
    ashi_player *player;
    double *seconds;
} way;

static void make_way(way *w, int which, ashi_program *program, int threads, ashi_workers *workers, int repetitions)
{
    const ashi_player_request q = {.program = program, .type = ASHLAR_TYPE_D, .comm = MPI_COMM_WORLD,
                                   .tag_most = 32767, .message_most = ASHI_MESSAGE_MOST, .keeps = INT64_MAX,
                                   .threads = which == SIDE ? threads : 1, .workers = workers};
    ashlar_error err = {0};
    *w = (way){.blas_threads = which == ALONE ? 1 : threads, .seconds = ashi_inner_doubles(repetitions)};
    if (ashi_player_create(&q, &w->player, &err) != ASHLAR_OK)
        ashi_inner_end(err.text);
}

static void run(const way *w, double *seconds)
{
    const double one = 1;
    const ashi_player_work work = {.alpha = &one, .beta = &one};
    ashi_player_tally tally;
    ashlar_error err = {0};
    ashi_set_blas_threads(w->blas_threads);
    if (ashi_player_run(w->player, &work, &tally, &err) != ASHLAR_OK)
        ashi_inner_end(err.text);
    *seconds = tally.seconds;
}

/* By turns, after one run of each that is not counted. */
static void measure(ashi_program *program, int threads, int repetitions, double median[WAYS])
{
    ashi_workers *workers = NULL;
    way w[WAYS];
    ashlar_error err = {0};
    double unused = 0;
    if (threads > 1 && ashi_workers_create(threads - 1, &workers, &err) != ASHLAR_OK)
        ashi_inner_end(err.text);
    for (int i = 0; i < WAYS; i++)
        make_way(&w[i], i, program, threads, workers, repetitions);
    for (int r = -1; r < repetitions; r++)
        for (int i = 0; i < WAYS; i++)
            run(&w[i], r < 0 ? &unused : &w[i].seconds[r]);
    for (int i = 0; i < WAYS; i++) {
        median[i] = ashi_inner_median(w[i].seconds, repetitions);
        ashi_player_free(&w[i].player);
        free(w[i].seconds);
    }
    ashi_workers_free(&workers);
}

int main(int argc, char **argv)
{
    int level = MPI_THREAD_SINGLE;
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return 1;
    if (argc != 6) {
        fputs(help, stdout);
        MPI_Finalize();
        return !(argc == 2 && strcmp(argv[1], "--help") == 0);
    }
    tiles t = {.size = ashi_inner_number(argv[1], NUMBER_MOST), .count = ashi_inner_number(argv[2], NUMBER_MOST)};
    const int64_t steps = ashi_inner_number(argv[3], NUMBER_MOST), sums = t.count * t.count;
    const int threads = (int)ashi_min(ashi_inner_number(argv[4], NUMBER_MOST), ASHI_PLAYER_THREADS);
    const int repetitions = (int)ashi_inner_number(argv[5], NUMBER_MOST);
    t.a = calloc((size_t)(2 * t.count + sums), sizeof *t.a);
    if (!t.a)
        ashi_inner_end("memory is short");
    t.b = t.a + t.count;
    t.c = t.b + t.count;
    ashi_program program = {.m = t.count * t.size, .n = t.count * t.size, .k = t.size, .ranks = 1, .steps = steps + 1,
                            .own = &t, .emit = emit};
    t.builder = ashi_builder_of(&program);
    double s[WAYS];
    measure(&program, threads, repetitions, s);
    const double flops = 2e-9 * (double)(sums * steps) * (double)t.size * (double)t.size * (double)t.size;
    printf("{\"schema\": 1, \"kind\": \"side\", \"blas\": \"%s\", \"size\": %" PRId64 ", \"products\": %" PRId64
           ", \"steps\": %" PRId64 ", \"threads\": %d, \"repetitions\": %d, \"gflops\": {\"one_thread\": %.4g, "
           "\"blas_threads\": %.4g, \"side_by_side\": %.4g}}\n", ashi_blas_name(), t.size, sums * steps, steps,
           threads, repetitions, flops / s[ALONE], flops / s[EACH], flops / s[SIDE]);
    free(t.a);
    MPI_Finalize();
    return 0;
}

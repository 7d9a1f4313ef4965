/* What products of several ranks copy to and from their devices, and how long these take: words of all ranks, and the
 * seconds that the busiest emulated device counts by its rates, the same on any machine, beside the longest of copies
 * in, copies out and arithmetic. Of each strategy with its own layouts, and with block-cyclic ones. */
#include "base/checked.h"
#include "plan/device.h"
#include "plan/plan.h"

#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* FLOPS and RATE: copies of every word of A, B and C once take about as long as the arithmetic. */
enum { SIDE = 512, BLOCK = 16, OTHER = 24, BYTES = 8 };

static const double flops = 4e8, rate = 1.2e7;

typedef struct way {
    const char *strategy;
    int block, other; /* of block-cyclic layouts: of A and C, and of B; 0: the strategy's own layouts */
    int64_t memory;   /* words a rank; 0: no limit */
} way;

/* LIMIT: so little more than the matrices that k is cut into rounds. */
enum { LIMIT = 34 * SIDE * SIDE / 10 };

static const way ways[] = {{"summa", 0, 0, 0},          {"summa", 0, 0, LIMIT}, {"cannon", 0, 0, 0},
                           {"2.5d", 0, 0, 0},           {"cosma", 0, 0, 0},     {"cosma", 0, 0, LIMIT},
                           {"summa", BLOCK, BLOCK, 0},  {"summa", BLOCK, BLOCK, LIMIT},
                           {"summa", BLOCK, OTHER, 0},  {"cosma", BLOCK, OTHER, LIMIT}};

static _Noreturn void stop(const char *why)
{
    fprintf(stderr, "device_ranks: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static void make_layouts(const way *w, int ranks, ashlar_problem *problem, ashlar_layout *layout[3])
{
    ashlar_error err = {0};
    int rows = 1;
    for (int r = 1; r * r <= ranks; r++)
        rows = ranks % r == 0 ? r : rows;
    for (int x = 0; x < 3 && w->block > 0; x++) {
        const int block = x == ASHLAR_B ? w->other : w->block;
        if (ashlar_layout_block_cyclic(SIDE, SIDE, block, block, rows, ranks / rows, 0, 0, NULL, ASHLAR_COL_MAJOR, 0,
                                       &layout[x], &err) != ASHLAR_OK)
            stop(err.text);
    }
    problem->a = layout[0];
    problem->b = layout[1];
    problem->c = layout[2];
}

static void measure(ashlar_context *c, int rank, int ranks, const way *w)
{
    ashlar_error err = {0};
    ashlar_options options = ashlar_options_default();
    ashlar_problem problem = {.type = ASHLAR_TYPE_D, .m = SIDE, .n = SIDE, .k = SIDE};
    ashlar_layout *layout[3] = {NULL, NULL, NULL};
    ashlar_plan *plan = NULL;
    options.strategy = w->strategy;
    if (w->memory > 0)
        options.memory_words = w->memory / ranks + ashi_context_device_aside(c, ASHLAR_TYPE_D);
    make_layouts(w, ranks, &problem, layout);
    const ashlar_status status = ashlar_plan_create(c, &problem, &options, &plan, &err);
    if (status == ASHLAR_ERR_UNSUPPORTED || status == ASHLAR_ERR_LIMIT) {
        for (int x = 0; x < 3; x++)
            ashlar_layout_free(&layout[x]);
        return;
    }
    if (status != ASHLAR_OK)
        stop(err.text);
    double *part[3];
    for (int x = 0; x < 3; x++)
        part[x] = calloc((size_t)ashlar_layout_words(plan->layout[x], rank) + 1, BYTES);
    const double one = 1, zero = 0;
    ashi_device *device = c->device->device;
    const double before = device->kind->facts(device).seconds;
    if (ashlar_plan_execute(plan, &one, part[0], part[1], &zero, part[2], &err) != ASHLAR_OK)
        stop(err.text);
    double took = device->kind->facts(device).seconds - before, most;
    const ashi_device_need *need = &ashi_runner_on_device(plan->runner)->need;
    int64_t calls = need->calls, calls_most;
    ashlar_device_figures f;
    if (ashlar_plan_device(plan, &f, &err) != ASHLAR_OK)
        stop(err.text);
    MPI_Reduce(&took, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&calls, &calls_most, 1, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    const double work = 2.0 * SIDE * SIDE * SIDE / ranks / flops;
    const double in = (double)f.measured_in_max * BYTES / rate, out = (double)f.measured_out_max * BYTES / rate;
    const double bound = in > out ? (in > work ? in : work) : out > work ? out : work;
    if (rank == 0)
        printf("%5d  %-7s %5d %5d %7" PRId64 "  %6" PRId64 " %10" PRId64 " %10" PRId64 "  %6.3f  %6.3f  %5.2f\n", ranks,
               w->strategy, w->block, w->other, w->memory / ranks, calls_most, f.measured_in_total,
               f.measured_out_total, most, f.seconds, most / bound);
    for (int x = 0; x < 3; x++) {
        free(part[x]);
        ashlar_layout_free(&layout[x]);
    }
    ashlar_plan_free(&plan);
}

int main(int argc, char **argv)
{
    char text[128], devices[16];
    ashlar_error err = {0};
    ashlar_context *c = NULL;
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(devices, sizeof devices, "%d", ranks);
    setenv("ASHLAR_EMULATED_DEVICES", devices, 1); /* each rank has its own */
    snprintf(text, sizeof text, "emulated:in=%.0f,out=%.0f,flops=%.0f,count-time=1", rate, rate, flops);
    if (ashlar_context_create(MPI_COMM_WORLD, &c, &err) != ASHLAR_OK ||
        ashlar_context_set_device(c, text, 0, &err) != ASHLAR_OK)
        stop(err.text);
    if (rank == 0)
        printf("ranks  strategy block of B   limit  calls   words in  words out  took s  told s  over the longest\n");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        measure(c, rank, ranks, &ways[i]);
    ashlar_context_free(&c);
    MPI_Finalize();
    return 0;
}

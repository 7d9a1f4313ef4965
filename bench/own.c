/* Times products whose matrices lie in the plan's own layouts, and the making of their plans. */
#include "die.h"
#include "samples.h"

#include <ashlar/ashlar.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: own M N K REPETITIONS [STRATEGY [FIGURE,...]]\n\n"
    "Print a line of JSON with the seconds of a planned product in the plan's own layouts and of making its plan.\n"
    "STRATEGY is 'any' for the planner's choice. The figures are five of a machine, or nine: Flop/s, latency and\n"
    "bandwidth, those of copying and of the disk; Flop/s of the four forms of product.\n"
    "Only public calls are used, so that bench/against can compile it for older commits.\n";

typedef struct own {
    ashlar_problem problem;
    ashlar_options options;
    int repetitions;
    ashlar_machine machine;
    ashlar_context *context;
    ashlar_plan *plan;
    double *part[3];
} own;

static void require(ashlar_status status, const ashlar_error *err)
{
    if (status != ASHLAR_OK)
        ashi_die("%s", err->text);
}

static int64_t number(const char *text)
{
    char *end = NULL;
    const long long value = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || value < 1 || value > INT32_MAX)
        ashi_die("'%s', wanted a whole number of at least 1", text);
    return value;
}

/* The figures that decide what is planned. */
static void read_figures(own *o, const char *text)
{
    ashlar_machine *m = &o->machine;
    *m = ashlar_machine_default();
#ifdef OLD_MACHINE
    double forms[4]; /* not in the older commit's machine */
#else
    double *forms = m->forms;
#endif
    const int found = sscanf(text, "%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &m->flops_per_second, &m->latency,
                             &m->bandwidth, &m->copy_bandwidth, &m->disk_bandwidth, &forms[0], &forms[1], &forms[2],
                             &forms[3]);
    if (found != 5 && found != 9)
        ashi_die("'%s', wanted 5 figures of a machine, or 9", text);
    o->options.machine = &o->machine;
}

static void make_plan(own *o)
{
    ashlar_error err = {0};
    require(ashlar_plan_create(o->context, &o->problem, &o->options, &o->plan, &err), &err);
}

/* The elements are spread over [-1, 1); their values do not matter for the time. */
static void make_parts(own *o, int rank)
{
    uint64_t state = (uint64_t)rank + 1;
    for (int x = 0; x < 3; x++) {
        const int64_t count = ashlar_layout_extent(ashlar_plan_layout(o->plan, (ashlar_operand)x), rank);
        o->part[x] = ashi_need(count, (long long)sizeof(double));
        for (int64_t i = 0; i < count; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            o->part[x][i] = (double)(int64_t)state * 0x1p-63;
        }
    }
}

/* Twice without the clock: the first execution touches the memory. */
static void time_products(own *o, double *seconds)
{
    const double one = 1, zero = 0;
    for (int r = -2; r < o->repetitions; r++) {
        ashlar_error err = {0};
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        require(ashlar_plan_execute(o->plan, &one, o->part[0], o->part[1], &zero, o->part[2], &err), &err);
        const double took = ashi_seconds_since(start, MPI_COMM_WORLD);
        if (r >= 0)
            seconds[r] = took;
    }
}

static void time_plans(own *o, double *seconds)
{
    for (int r = 0; r < o->repetitions; r++) {
        ashlar_plan_free(&o->plan);
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        make_plan(o);
        seconds[r] = ashi_seconds_since(start, MPI_COMM_WORLD);
    }
}

static void print(const own *o, int ranks, const ashi_summary *product, const ashi_summary *plan)
{
    const ashlar_problem *p = &o->problem;
    printf("{\"schema\": 1, \"kind\": \"own\", \"m\": %lld, \"n\": %lld, \"k\": %lld, \"ranks\": %d, "
           "\"strategy\": \"%s\", \"repetitions\": %d, \"seconds\": {\"ashlar\": {\"median\": %.9g, \"low\": %.9g, "
           "\"high\": %.9g}}, \"plan_seconds\": {\"median\": %.9g, \"low\": %.9g, \"high\": %.9g}}\n",
           (long long)p->m, (long long)p->n, (long long)p->k, ranks, o->options.strategy ? o->options.strategy : "",
           o->repetitions, product->median, product->low, product->high, plan->median, plan->low, plan->high);
}

static void measure(own *o, int rank, int ranks)
{
    double *seconds = ashi_need(2LL * o->repetitions, (long long)sizeof *seconds);
    make_plan(o);
    make_parts(o, rank);
    time_products(o, seconds);
    time_plans(o, seconds + o->repetitions);
    const ashi_summary product = ashi_summarize(seconds, o->repetitions);
    const ashi_summary plan = ashi_summarize(seconds + o->repetitions, o->repetitions);
    if (rank == 0)
        print(o, ranks, &product, &plan);
    free(seconds);
}

int main(int argc, char **argv)
{
    int rank = 0, ranks = 0;
    ashlar_error err = {0};
    own o = {.problem = {.type = ASHLAR_TYPE_D}};
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 5 || argc > 7) {
        if (rank == 0)
            fputs(help, stdout);
        MPI_Finalize();
        return !(argc == 2 && strcmp(argv[1], "--help") == 0);
    }
    o.problem.m = number(argv[1]);
    o.problem.n = number(argv[2]);
    o.problem.k = number(argv[3]);
    o.repetitions = (int)number(argv[4]);
    o.options = ashlar_options_default();
    o.options.strategy = argc > 5 && strcmp(argv[5], "any") != 0 ? argv[5] : NULL;
    if (argc > 6)
        read_figures(&o, argv[6]);
    require(ashlar_context_create(MPI_COMM_WORLD, &o.context, &err), &err);
    measure(&o, rank, ranks);
    for (int x = 0; x < 3; x++)
        free(o.part[x]);
    ashlar_plan_free(&o.plan);
    ashlar_context_free(&o.context);
    MPI_Finalize();
    return 0;
}

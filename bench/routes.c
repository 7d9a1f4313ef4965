/* Compares Ashlar's transports, routes and windows on the same block-cyclic matrices, in turns. */
#include "case.h"
#include "die.h"
#include "program.h"

#include <stdlib.h>

enum { TRANSPORTS = 2, ROUTES = 2, WINDOWS = 3, WAYS = TRANSPORTS * ROUTES * WINDOWS };

static const char *const names[WAYS] = {
    "two-sided direct 1", "two-sided direct 2", "two-sided direct 3", "two-sided tree 1",
    "two-sided tree 2",   "two-sided tree 3",   "one-sided direct 1", "one-sided direct 2",
    "one-sided direct 3", "one-sided tree 1",   "one-sided tree 2",   "one-sided tree 3"};

/* In the order of the names. */
static ashlar_options options_of(const ashi_case *what, int way)
{
    ashlar_options options = what->options;
    options.transport = (ashlar_transport)(way / (ROUTES * WINDOWS));
    options.route = (ashlar_route)(way / WINDOWS % ROUTES);
    options.window = way % WINDOWS + 1;
    return options;
}

static void verify(const ashi_way *way, const ashi_matrices *x)
{
    const double mine = ashi_matrices_error(x, 16);
    double worst = 0;
    MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (!(worst <= 1))
        ashi_die("the product of %s is %g times the bound from the right one", way->name, worst);
}

static void measure(ashi_matrices *x, json_t *report)
{
    const int n = x->what.repetitions;
    ashi_way ways[WAYS];
    double *c[WAYS];
    for (int w = 0; w < WAYS; w++) {
        const ashlar_options options = options_of(&x->what, w);
        ways[w] = ashi_way_planned(names[w], x, &options, MPI_COMM_WORLD);
        c[w] = x->c.data;
        ashi_matrices_forget(x);
        ways[w].run(&ways[w], x, c[w]);
        verify(&ways[w], x);
    }
    double *seconds = ashi_samples_take(ways, WAYS, n, x, c, MPI_COMM_WORLD);
    json_t *times = json_object(), *plans = json_object(), *ratios = json_object();
    for (int w = 0; w < WAYS; w++) {
        const ashi_summary s = ashi_summarize(seconds + w * n, n);
        const ashi_summary ratio = ashi_summarize_ratio(seconds + w * n, seconds + n, n); /* to way 1, the default */
        ashi_report_set(times, names[w], ashi_report_summary(&s, NULL, 0));
        ashi_report_set(ratios, names[w], ashi_report_summary(&ratio, NULL, 0));
        ashi_report_set(plans, names[w], ashi_report_plan(ashi_way_plan(&ways[w])));
        ways[w].close(&ways[w]);
    }
    ashi_report_set(report, "seconds", times);
    ashi_report_set(report, "ratio_to_default", ratios);
    ashi_report_set(report, "plans", plans);
    free(seconds);
}

int main(int argc, char **argv)
{
    return ashi_program_run(argc, argv, "routes", "Compare Ashlar's transports, routes and windows.", measure);
}

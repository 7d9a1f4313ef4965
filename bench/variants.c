/* Plans of one product that differ in their options, timed in turns on the same data. */
#include "variants.h"

#include "die.h"

#include <stdlib.h>

static void verify(const ashi_way *way, const ashi_matrices *x)
{
    const double mine = ashi_matrices_error(x, 16);
    double worst = 0;
    MPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (!(worst <= 1))
        ashi_die("the product of %s is %g times the bound from the right one", way->name, worst);
}

void ashi_compare_variants(ashi_matrices *x, const char *const *names, const ashlar_options *options, int count,
                           int base, json_t *report)
{
    const int n = x->what.repetitions;
    ashi_way *ways = ashi_need(count, (long long)sizeof *ways);
    double **c = ashi_need(count, (long long)sizeof *c);
    for (int w = 0; w < count; w++) {
        ways[w] = ashi_way_planned(names[w], x, &options[w], MPI_COMM_WORLD);
        c[w] = x->c.data;
        ashi_matrices_forget(x);
        ways[w].run(&ways[w], x, c[w]);
        verify(&ways[w], x);
    }
    double *seconds = ashi_samples_take(ways, count, n, x, c, MPI_COMM_WORLD);
    json_t *times = json_object(), *plans = json_object(), *ratios = json_object();
    for (int w = 0; w < count; w++) {
        const ashi_summary s = ashi_summarize(seconds + w * n, n);
        const ashi_summary ratio = ashi_summarize_ratio(seconds + w * n, seconds + base * n, n);
        ashi_report_set(times, names[w], ashi_report_summary(&s, NULL, 0));
        ashi_report_set(ratios, names[w], ashi_report_summary(&ratio, NULL, 0));
        ashi_report_set(plans, names[w], ashi_report_plan(ashi_way_plan(&ways[w])));
        ways[w].close(&ways[w]);
    }
    ashi_report_set(report, "seconds", times);
    ashi_report_set(report, "ratio_to_default", ratios);
    ashi_report_set(report, "plans", plans);
    free(seconds);
    free(c);
    free(ways);
}

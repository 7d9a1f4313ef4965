/* Compares Ashlar on one rank with the BLAS's own dgemm on the same matrices, in turns. */
#include "die.h"
#include "program.h"

#include <math.h>
#include <stdlib.h>

enum { ASHLAR, BLAS, WAYS };

static void verify(json_t *report, const ashi_matrices *x, const double *other)
{
    const double error = ashi_matrices_error(x, 16), difference = ashi_matrices_difference(x, other);
    if (!(error <= 1 && difference <= 1))
        ashi_die("the products differ: %g times the bound from the right one, %g from the BLAS's", error, difference);
    ashi_report_set(report, "error_of_bound", json_real(error));
    ashi_report_set(report, "difference_of_bound", json_real(difference));
}

static void measure(ashi_matrices *x, json_t *report)
{
    const int n = x->what.repetitions;
    const int64_t count = x->c.local_rows * x->c.local_cols;
    double *c[WAYS] = {x->c.data, ashi_need(count, (long long)sizeof(double))};
    for (int64_t i = 0; i < count; i++)
        c[BLAS][i] = NAN; /* as the first one's: touched, and wrong wherever it is not written */
    ashi_way ways[WAYS] = {[ASHLAR] = ashi_way_planned("ashlar", x, &x->what.options, MPI_COMM_WORLD),
                           [BLAS] = ashi_way_blas("blas", x, MPI_COMM_WORLD)};
    double *seconds = ashi_samples_take(ways, WAYS, n, x, c, MPI_COMM_WORLD);
    verify(report, x, c[BLAS]);
    json_t *times = json_object();
    for (int w = 0; w < WAYS; w++) {
        const ashi_summary s = ashi_summarize(seconds + w * n, n);
        ashi_report_set(times, ways[w].name, ashi_report_summary(&s, seconds + w * n, n));
    }
    ashi_report_set(report, "seconds", times);
    /* Of rates, so of times the other way round. */
    const ashi_summary rate = ashi_summarize_ratio(seconds + BLAS * n, seconds + ASHLAR * n, n);
    ashi_report_set(report, "rate_to_blas", ashi_report_summary(&rate, NULL, 0));
    ashi_report_set(report, "plan", ashi_report_plan(ashi_way_plan(&ways[ASHLAR])));
    for (int w = 0; w < WAYS; w++)
        ways[w].close(&ways[w]);
    free(c[BLAS]);
    free(seconds);
}

int main(int argc, char **argv)
{
    return ashi_program_run(argc, argv, "dgemm", "Compare Ashlar on one rank with the BLAS's dgemm.", measure);
}

/* Compares Ashlar, ScaLAPACK's pdgemm and COSMA's on the same block-cyclic matrices, and Ashlar and COSMA on matrices
 * in the layouts that each likes best; all in turns. */
#include "die.h"
#include "process.h"
#include "program.h"
#include "scalapack.h"

#include <math.h>
#include <stdlib.h>

enum { ASHLAR, SCALAPACK, COSMA, ASHLAR_OWN, COSMA_OWN, WAYS, SAMPLES = 16 };

/* The products in x's layout are compared with each other whole, and all with sums in long double. */
static void verify(json_t *report, const ashi_way *ways, const ashi_matrices *x, double *const *c, MPI_Comm comm)
{
    const double mine[5] = {ashi_matrices_error(x, SAMPLES), ashi_matrices_difference(x, c[SCALAPACK]),
                            ashi_matrices_difference(x, c[COSMA]),
                            ways[ASHLAR_OWN].error(&ways[ASHLAR_OWN], x, SAMPLES),
                            ways[COSMA_OWN].error(&ways[COSMA_OWN], x, SAMPLES)};
    double worst[5] = {0};
    MPI_Allreduce(mine, worst, 5, MPI_DOUBLE, MPI_MAX, comm);
    for (int i = 0; i < 5; i++)
        if (!(worst[i] <= 1))
            ashi_die("the products differ: %g, %g, %g, %g, %g times the bounds of Ashlar, ScaLAPACK, COSMA, Ashlar's "
                     "and COSMA's own layouts", worst[0], worst[1], worst[2], worst[3], worst[4]);
    ashi_report_set(report, "error_of_bound", json_real(fmax(worst[0], fmax(worst[3], worst[4]))));
    ashi_report_set(report, "difference_of_bound", json_real(fmax(worst[1], worst[2])));
}

static void add_ratio(json_t *to, const char *name, const double *seconds, int way, int base, int n)
{
    const ashi_summary s = ashi_summarize_ratio(seconds + way * n, seconds + base * n, n);
    ashi_report_set(to, name, ashi_report_summary(&s, NULL, 0));
}

static void add_times(json_t *report, const ashi_way *ways, const double *seconds, int n)
{
    json_t *times = json_object(), *ratios = json_object();
    for (int w = 0; w < WAYS; w++) {
        const ashi_summary s = ashi_summarize(seconds + w * n, n);
        ashi_report_set(times, ways[w].name, ashi_report_summary(&s, seconds + w * n, n));
    }
    add_ratio(ratios, "ashlar_to_cosma", seconds, ASHLAR, COSMA, n);
    add_ratio(ratios, "ashlar_to_scalapack", seconds, ASHLAR, SCALAPACK, n);
    add_ratio(ratios, "cosma_to_scalapack", seconds, COSMA, SCALAPACK, n);
    add_ratio(ratios, "ashlar_own_to_cosma_own", seconds, ASHLAR_OWN, COSMA_OWN, n);
    ashi_report_set(report, "seconds", times);
    ashi_report_set(report, "ratios", ratios);
}

static void measure(ashi_matrices *x, json_t *report)
{
    const MPI_Comm comm = MPI_COMM_WORLD;
    const int n = x->what.repetitions;
    const int64_t count = x->c.local_rows * x->c.local_cols;
    double *c[WAYS] = {[ASHLAR] = x->c.data};
    ashi_require_one_blas();
    for (int w = SCALAPACK; w <= COSMA; w++) {
        c[w] = ashi_need(count, (long long)sizeof(double));
        for (int64_t i = 0; i < count; i++)
            c[w][i] = NAN; /* as Ashlar's: touched, and wrong wherever it is not written */
    }
    ashi_way ways[WAYS] = {[ASHLAR] = ashi_way_planned("ashlar", x, &x->what.options, comm),
                           [SCALAPACK] = ashi_way_scalapack("scalapack", x, comm),
                           [COSMA] = ashi_way_cosma("cosma", x, comm),
                           [ASHLAR_OWN] = ashi_way_own("ashlar_own", x, &x->what.options, comm),
                           [COSMA_OWN] = ashi_way_cosma_own("cosma_own", x, comm)};
    double *seconds = ashi_samples_take(ways, WAYS, n, x, c, comm);
    verify(report, ways, x, c, comm);
    add_times(report, ways, seconds, n);
    ashi_report_set(report, "plan", ashi_report_plan(ashi_way_plan(&ways[ASHLAR])));
    for (int w = 0; w < WAYS; w++)
        ways[w].close(&ways[w]);
    free(c[SCALAPACK]);
    free(c[COSMA]);
    free(seconds);
}

int main(int argc, char **argv)
{
    return ashi_program_run(argc, argv, "peers", "Compare Ashlar with ScaLAPACK and COSMA.", measure);
}

/* Compares Ashlar with ScaLAPACK's pdgemm on the same block-cyclic matrices, in turns. */
#include "case.h"
#include "die.h"
#include "link.h"
#include "process.h"
#include "program.h"

#include <math.h>
#include <stdlib.h>

/* Last comes Ashlar in one call; where a machine was given, Ashlar planned for the default one. */
enum { PLANNED, SCALAPACK, LAST, WAYS };

/* How long a plan takes to make, each time anew. */
static void time_planning(json_t *report, const ashi_matrices *x, MPI_Comm comm)
{
    const int n = x->what.repetitions;
    double *seconds = ashi_need(n, (long long)sizeof *seconds);
    for (int r = 0; r < n; r++) {
        MPI_Barrier(comm);
        const double start = MPI_Wtime();
        ashi_way way = ashi_way_planned("plan", x, &x->what.options, comm);
        seconds[r] = ashi_seconds_since(start, comm);
        way.close(&way);
    }
    const ashi_summary s = ashi_summarize(seconds, n);
    ashi_report_set(report, "plan_seconds", ashi_report_summary(&s, NULL, 0));
    free(seconds);
}

/* The greatest over the ranks of both errors; ends the program where a result is wrong. */
static void verify(json_t *report, const ashi_matrices *x, double *const *c, MPI_Comm comm)
{
    const double mine[3] = {ashi_matrices_error(x, 16), ashi_matrices_difference(x, c[SCALAPACK]),
                            ashi_matrices_difference(x, c[LAST])};
    double worst[3] = {0};
    MPI_Allreduce(mine, worst, 3, MPI_DOUBLE, MPI_MAX, comm);
    if (!(worst[0] <= 1 && worst[1] <= 1 && worst[2] <= 1))
        ashi_die("the products differ: %g times the bound from the right one, %g from ScaLAPACK's, %g from "
                 "Ashlar's other", worst[0], worst[1], worst[2]);
    ashi_report_set(report, "error_of_bound", json_real(worst[0]));
    ashi_report_set(report, "difference_of_bound", json_real(fmax(worst[1], worst[2])));
}

static void add_times(json_t *report, const ashi_way *ways, const double *seconds, int n)
{
    const double *scalapack = seconds + SCALAPACK * n;
    json_t *times = json_object(), *ratios = json_object();
    for (int w = 0; w < WAYS; w++) {
        const ashi_summary s = ashi_summarize(seconds + w * n, n);
        const ashi_summary ratio = ashi_summarize_ratio(seconds + w * n, scalapack, n);
        ashi_report_set(times, ways[w].name, ashi_report_summary(&s, seconds + w * n, n));
        if (w != SCALAPACK)
            ashi_report_set(ratios, ways[w].name, ashi_report_summary(&ratio, NULL, 0));
    }
    ashi_report_set(report, "seconds", times);
    ashi_report_set(report, "ratio_to_scalapack", ratios);
}

/* What one more run of each way takes over the busiest host's link, either way, where hosts have links of their own. */
static void add_link_bytes(json_t *report, ashi_way *ways, const ashi_matrices *x, double *const *c, MPI_Comm comm)
{
    if (x->what.link_mbit == 0)
        return;
    json_t *bytes = json_object();
    for (int w = 0; w < WAYS; w++) {
        MPI_Barrier(comm);
        const ashi_link before = ashi_link_read();
        ways[w].run(&ways[w], x, c[w]);
        MPI_Barrier(comm);
        const ashi_link after = ashi_link_read();
        const long long mine[2] = {after.received - before.received, after.sent - before.sent};
        long long most[2];
        MPI_Allreduce(mine, most, 2, MPI_LONG_LONG, MPI_MAX, comm);
        ashi_report_set(bytes, ways[w].name,
                        json_pack("{s:I, s:I}", "received", (json_int_t)most[0], "sent", (json_int_t)most[1]));
    }
    ashi_report_set(report, "link_bytes", bytes);
}

static ashi_way last_way(const ashi_matrices *x, MPI_Comm comm)
{
    ashlar_options options = x->what.options;
    if (!options.machine)
        return ashi_way_once("ashlar_once", &x->what.options, comm);
    options.machine = NULL;
    return ashi_way_planned("ashlar_default", x, &options, comm);
}

static void compare(const ashi_matrices *x, json_t *report, MPI_Comm comm)
{
    const int n = x->what.repetitions;
    const int64_t count = x->c.local_rows * x->c.local_cols;
    double *c[WAYS] = {[PLANNED] = x->c.data};
    for (int w = SCALAPACK; w < WAYS; w++) {
        c[w] = ashi_need(count, (long long)sizeof(double));
        for (int64_t i = 0; i < count; i++)
            c[w][i] = NAN; /* as the first one's: touched, and wrong wherever it is not written */
    }
    ashi_way ways[WAYS] = {[PLANNED] = ashi_way_planned("ashlar", x, &x->what.options, comm),
                           [SCALAPACK] = ashi_way_scalapack("scalapack", x, comm),
                           [LAST] = last_way(x, comm)};
    double *seconds = ashi_samples_take(ways, WAYS, n, x, c, comm);
    verify(report, x, c, comm);
    add_times(report, ways, seconds, n);
    add_link_bytes(report, ways, x, c, comm);
    ashi_report_set(report, "plan", ashi_report_plan(ashi_way_plan(&ways[PLANNED])));
    if (x->what.options.machine)
        ashi_report_set(report, "plan_default", ashi_report_plan(ashi_way_plan(&ways[LAST])));
    for (int w = 0; w < WAYS; w++)
        ways[w].close(&ways[w]);
    free(c[SCALAPACK]);
    free(c[LAST]);
    free(seconds);
}

static void measure(ashi_matrices *x, json_t *report)
{
    const char *const end = "end";
    ashi_require_one_blas();
    if (x->what.link_mbit > 0)
        ashi_report_set(report, "kind", json_string("cluster"));
    compare(x, report, MPI_COMM_WORLD);
    time_planning(report, x, MPI_COMM_WORLD);
    const ashi_resident resident = ashi_resident_read();
    ashi_report_set(report, "resident",
                    ashi_report_resident(&end, 1, &resident.now, &resident.peak, MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    return ashi_program_run(argc, argv, "pdgemm", "Compare Ashlar with ScaLAPACK's pdgemm.", measure);
}

/* Compares Ashlar with ScaLAPACK's pdgemm on the same block-cyclic matrices, in turns. */
#include "case.h"
#include "die.h"
#include "link.h"
#include "process.h"
#include "program.h"

#include <math.h>
#include <stdlib.h>

/* Then Ashlar in one call, without and with a context that is kept; if a machine was given, Ashlar planned for the
 * default one instead. */
enum { PLANNED, SCALAPACK, OTHERS, WAYS_MOST = 4 };

typedef struct contest {
    int count;
    ashi_way way[WAYS_MOST];
    double *c[WAYS_MOST];
} contest;

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

/* The greatest errors of all ranks, of the product and of the differences from it; ends the program if one is wrong. */
static void verify(json_t *report, const ashi_matrices *x, const contest *k, MPI_Comm comm)
{
    double mine[2] = {ashi_matrices_error(x, 16), 0}, worst[2] = {0};
    for (int w = SCALAPACK; w < k->count; w++) {
        const double difference = ashi_matrices_difference(x, k->c[w]);
        if (!(difference <= 1))
            ashi_die("the product of %s is %g times the bound from Ashlar's", k->way[w].name, difference);
        mine[1] = fmax(mine[1], difference);
    }
    MPI_Allreduce(mine, worst, 2, MPI_DOUBLE, MPI_MAX, comm);
    if (!(worst[0] <= 1))
        ashi_die("the product is %g times the bound from the right one", worst[0]);
    ashi_report_set(report, "error_of_bound", json_real(worst[0]));
    ashi_report_set(report, "difference_of_bound", json_real(worst[1]));
}

static void add_times(json_t *report, const contest *k, const double *seconds, int n)
{
    const double *scalapack = seconds + SCALAPACK * n;
    json_t *times = json_object(), *ratios = json_object();
    for (int w = 0; w < k->count; w++) {
        const ashi_summary s = ashi_summarize(seconds + w * n, n);
        const ashi_summary ratio = ashi_summarize_ratio(seconds + w * n, scalapack, n);
        ashi_report_set(times, k->way[w].name, ashi_report_summary(&s, seconds + w * n, n));
        if (w != SCALAPACK)
            ashi_report_set(ratios, k->way[w].name, ashi_report_summary(&ratio, NULL, 0));
    }
    ashi_report_set(report, "seconds", times);
    ashi_report_set(report, "ratio_to_scalapack", ratios);
}

/* What one more run of each way takes over the busiest host's link, either way, if hosts have links of their own. */
static void add_link_bytes(json_t *report, contest *k, const ashi_matrices *x, MPI_Comm comm)
{
    if (x->what.link_mbit == 0)
        return;
    json_t *bytes = json_object();
    for (int w = 0; w < k->count; w++) {
        MPI_Barrier(comm);
        const ashi_link before = ashi_link_read();
        k->way[w].run(&k->way[w], x, k->c[w]);
        MPI_Barrier(comm);
        const ashi_link after = ashi_link_read();
        const long long mine[2] = {after.received - before.received, after.sent - before.sent};
        long long most[2];
        MPI_Allreduce(mine, most, 2, MPI_LONG_LONG, MPI_MAX, comm);
        ashi_report_set(bytes, k->way[w].name,
                        json_pack("{s:I, s:I}", "received", (json_int_t)most[0], "sent", (json_int_t)most[1]));
    }
    ashi_report_set(report, "link_bytes", bytes);
}

/* Each product but the first has memory of its own: touched, and wrong wherever it is not written. */
static void enter(contest *k, ashi_way way, const ashi_matrices *x)
{
    const int64_t words = x->c.local_rows * x->c.local_cols;
    double *c = x->c.data;
    if (k->count > 0) {
        c = ashi_need(words, (long long)sizeof *c);
        for (int64_t i = 0; i < words; i++)
            c[i] = NAN;
    }
    k->way[k->count] = way;
    k->c[k->count++] = c;
}

static void enter_others(contest *k, const ashi_matrices *x, MPI_Comm comm)
{
    ashlar_options options = x->what.options;
    if (options.machine) {
        options.machine = NULL;
        enter(k, ashi_way_planned("ashlar_default", x, &options, comm), x);
    } else {
        enter(k, ashi_way_once("ashlar_once", &options, comm), x);
        enter(k, ashi_way_kept("ashlar_kept", &options, comm), x);
    }
}

static void compare(const ashi_matrices *x, json_t *report, MPI_Comm comm)
{
    const int n = x->what.repetitions;
    contest k = {0};
    enter(&k, ashi_way_planned("ashlar", x, &x->what.options, comm), x);
    enter(&k, ashi_way_scalapack("scalapack", x, comm), x);
    enter_others(&k, x, comm);
    double *seconds = ashi_samples_take(k.way, k.count, n, x, k.c, comm);
    verify(report, x, &k, comm);
    add_times(report, &k, seconds, n);
    add_link_bytes(report, &k, x, comm);
    ashi_report_set(report, "plan", ashi_report_plan(ashi_way_plan(&k.way[PLANNED])));
    if (x->what.options.machine)
        ashi_report_set(report, "plan_default", ashi_report_plan(ashi_way_plan(&k.way[OTHERS])));
    for (int w = 0; w < k.count; w++) {
        k.way[w].close(&k.way[w]);
        if (w > PLANNED)
            free(k.c[w]);
    }
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

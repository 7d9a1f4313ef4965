/* Times calls of p?gemm through ScaLAPACK and through Ashlar by turns, as programs make them: one shape many times. */
#include "die.h"
#include "pblas_call.h"
#include "process.h"
#include "report.h"

#include <ashlar/pblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCALAPACK, ASHLAR, WAYS };

static const char *const names[WAYS] = {"scalapack", "ashlar"};
static const ashi_pdgemm functions[WAYS] = {pdgemm_, ashlar_pdgemm_};

/* So long are calls repeated for one time, or so often. */
static const double least_seconds = 0.01;
enum { CALLS_MOST = 200 };

typedef struct grid {
    int rows, cols, context, rank, repetitions;
} grid;

/* Seconds of one call, of `calls` one after the other. */
static double time_calls(const ashi_pblas_call *q, int way, double *c, int calls)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        ashi_pblas_call_run(q, functions[way], c);
    return ashi_seconds_since(start, MPI_COMM_WORLD) / calls;
}

/* As many as the faster way needs, so that one time is not lost in the clock and the barrier; the same on all ranks. */
static int choose_calls(const ashi_pblas_call *q, double *const *c)
{
    const double first = time_calls(q, SCALAPACK, c[SCALAPACK], 3), second = time_calls(q, ASHLAR, c[ASHLAR], 3);
    const double calls = ceil(least_seconds / fmin(first, second));
    return calls < 1 ? 1 : calls > CALLS_MOST ? CALLS_MOST : (int)calls;
}

static void add_times(json_t *report, const double *seconds, int n)
{
    json_t *times = json_object();
    for (int w = 0; w < WAYS; w++) {
        const ashi_summary s = ashi_summarize(seconds + w * n, n);
        ashi_report_set(times, names[w], ashi_report_summary(&s, NULL, 0));
    }
    ashi_report_set(report, "seconds", times);
    const ashi_summary ratio = ashi_summarize_ratio(seconds + ASHLAR * n, seconds + SCALAPACK * n, n);
    ashi_report_set(report, "ratio_to_scalapack", ashi_report_summary(&ratio, NULL, 0));
}

/* The first calls, untimed, are those that plan and touch memory; then in pairs, of which another one begins each. */
static void measure(const grid *g, const ashi_pblas_call *q, double *const *c, json_t *report)
{
    const int n = g->repetitions;
    double *seconds = ashi_need((long long)WAYS * n, (long long)sizeof *seconds);
    const double first = time_calls(q, ASHLAR, c[ASHLAR], 1);
    ashi_pblas_call_run(q, functions[SCALAPACK], c[SCALAPACK]);
    ashi_pblas_call_verify(q, c[ASHLAR], c[SCALAPACK]);
    const int calls = choose_calls(q, c);
    for (int r = 0; r < n; r++)
        for (int turn = 0; turn < WAYS; turn++) {
            const int w = (r + turn) % WAYS;
            seconds[w * n + r] = time_calls(q, w, c[w], calls);
        }
    ashi_report_set(report, "calls", json_integer(calls));
    ashi_report_set(report, "first_call_seconds", json_real(first));
    add_times(report, seconds, n);
    free(seconds);
}

static void time_shape(const grid *g, const char *text)
{
    ashi_pblas_call q = ashi_pblas_call_parse(text);
    ashi_pblas_call_open(&q, g->context, g->rows, g->cols, g->rank);
    double *c[WAYS] = {[SCALAPACK] = ashi_need(q.c.count, (long long)sizeof(double)), [ASHLAR] = q.c.data};
    for (int64_t i = 0; i < q.c.count; i++)
        c[SCALAPACK][i] = NAN;
    json_t *report = ashi_report_start("calls");
    ashi_pblas_call_report(&q, text, g->rows, g->cols, report);
    ashi_report_set(report, "repetitions", json_integer(g->repetitions));
    measure(g, &q, c, report);
    ashi_report_end(report, g->rank);
    free(c[SCALAPACK]);
    ashi_pblas_call_close(&q);
}

int main(int argc, char **argv)
{
    char ours[256], theirs[256];
    grid g = {0};
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 1;
    if (argc < 4 || (g.repetitions = atoi(argv[2])) < 1)
        ashi_die("wanted a grid of all ranks as in 2x3, how often each is timed, and calls.\n" ASHI_PBLAS_CALL_FORM);
    ashi_library_of("cblas_dgemm", ours, sizeof ours);
    ashi_library_of("dgemm_", theirs, sizeof theirs);
    if (strcmp(ours, theirs) != 0)
        ashi_die("Ashlar multiplies with %s but ScaLAPACK with %s", ours, theirs);
    const int handle = ashi_pblas_grid(argv[1], &g.context, &g.rows, &g.cols, &g.rank);
    for (int i = 3; i < argc; i++)
        time_shape(&g, argv[i]);
    Cblacs_gridexit(g.context);
    Cfree_blacs_system_handle(handle);
    MPI_Finalize();
    return 0;
}

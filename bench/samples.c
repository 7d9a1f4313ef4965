/* Times of several ways to do the same thing, taken in turns, and what is said about them. */
#include "samples.h"
#include "die.h"

#include <stdlib.h>
#include <string.h>

double ashi_seconds_since(double start, MPI_Comm comm)
{
    const double mine = MPI_Wtime() - start;
    double last = 0;
    if (MPI_Allreduce(&mine, &last, 1, MPI_DOUBLE, MPI_MAX, comm) != MPI_SUCCESS)
        ashi_die("MPI_Allreduce failed");
    return last;
}

double *ashi_samples_take(ashi_way *ways, int count, int repetitions, const ashi_matrices *x, double *const *c,
                          MPI_Comm comm)
{
    double *seconds = ashi_need((long long)count * repetitions, (long long)sizeof *seconds);
    for (int w = 0; w < count; w++)
        ways[w].run(&ways[w], x, c[w]);
    for (int r = 0; r < repetitions; r++)
        for (int turn = 0; turn < count; turn++) {
            const int w = (r + turn) % count;
            MPI_Barrier(comm);
            const double start = MPI_Wtime();
            ways[w].run(&ways[w], x, c[w]);
            seconds[w * repetitions + r] = ashi_seconds_since(start, comm);
        }
    return seconds;
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Between the values, as far as `part` of the way from the first to the last. */
static double quantile(const double *sorted, int n, double part)
{
    const double place = part * (n - 1);
    const int below = (int)place;
    return below + 1 < n ? sorted[below] + (place - below) * (sorted[below + 1] - sorted[below]) : sorted[n - 1];
}

ashi_summary ashi_summarize(const double *values, int n)
{
    double *sorted = ashi_need(n, (long long)sizeof *sorted);
    memcpy(sorted, values, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    const ashi_summary s = {.median = quantile(sorted, n, 0.5), .min = sorted[0], .max = sorted[n - 1],
                            .low = quantile(sorted, n, 0.25), .high = quantile(sorted, n, 0.75)};
    free(sorted);
    return s;
}

ashi_summary ashi_summarize_ratio(const double *a, const double *b, int n)
{
    double *ratio = ashi_need(n, (long long)sizeof *ratio);
    for (int i = 0; i < n; i++)
        ratio[i] = a[i] / b[i];
    const ashi_summary s = ashi_summarize(ratio, n);
    free(ratio);
    return s;
}

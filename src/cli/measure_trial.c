/* A trial: what is repeated and timed on all ranks together to measure one figure. */
#include "cli/measure_trial.h"

#include "base/error.h"
#include "exec/mpi.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_REPETITIONS = 5 };

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void ashi_trial_median(double *value, int n, ashi_measurement *out)
{
    qsort(value, (size_t)n, sizeof *value, by_value);
    const double middle = n % 2 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
    *out = (ashi_measurement){middle, value[0], value[n - 1], n};
}

ashlar_status ashi_trial_once(ashi_trial *t, double *seconds, ashlar_error *err)
{
    ashlar_status status = ashi_mpi(MPI_Barrier(t->context->comm), "MPI_Barrier", err);
    const double start = MPI_Wtime();
    if (status == ASHLAR_OK)
        status = t->once(t, err);
    double own = MPI_Wtime() - start;
    status = ashi_agree(t->context, status, err);
    if (status != ASHLAR_OK)
        return status;
    return ashi_mpi(MPI_Allreduce(&own, seconds, 1, MPI_DOUBLE, MPI_MAX, t->context->comm), "MPI_Allreduce", err);
}

double ashi_trial_value(const ashi_trial *t, double seconds)
{
    seconds = seconds > 1e-9 ? seconds : 1e-9;
    return t->work > 0 ? t->work / seconds : seconds / t->times;
}

ashlar_status ashi_trial_repeat(ashi_trial *t, double budget, ashi_measurement *out, ashlar_error *err)
{
    double value[ASHI_TRIALS_MOST], spent = 0, seconds = 0;
    int n = 0;
    ashlar_status status = ashi_trial_once(t, &seconds, err);
    while (status == ASHLAR_OK && n < ASHI_TRIALS_MOST && (n < LEAST_REPETITIONS || spent < budget)) {
        status = ashi_trial_once(t, &seconds, err);
        spent += seconds;
        value[n++] = ashi_trial_value(t, seconds);
    }
    if (status == ASHLAR_OK)
        ashi_trial_median(value, n, out);
    return status;
}

char *ashi_touched(size_t bytes)
{
    char *memory = malloc(bytes);
    if (memory)
        memset(memory, 1, bytes);
    return memory;
}

int ashi_partner_of(const ashlar_context *context)
{
    const int half = context->ranks / 2;
    if (context->ranks == 1 || context->rank >= 2 * half)
        return -1;
    return context->rank < half ? context->rank + half : context->rank - half;
}

ashlar_status ashi_trial_matrices(ashi_trial *t, const int64_t count[3], ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3; x++) {
        t->product[x] = malloc((size_t)count[x] * sizeof(double));
        if (!t->product[x])
            status = ashi_fail_memory(err, "calibrate", count[x] * (int64_t)sizeof(double));
        for (int64_t i = 0; t->product[x] && i < count[x]; i++)
            t->product[x][i] = (double)(i % 7) - 3;
    }
    return ashi_agree(t->context, status, err);
}

void ashi_trial_free_matrices(ashi_trial *t)
{
    for (int x = 0; x < 3; x++)
        free(t->product[x]);
}

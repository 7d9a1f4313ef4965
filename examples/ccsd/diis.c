/* Extrapolation of iterates. */
#include "diis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int diis_begin(diis *d, int64_t words)
{
    int status = 0;
    *d = (diis){.words = words};
    for (int i = 0; i < DIIS_MOST; i++) {
        d->iterate[i] = calloc((size_t)words + 1, sizeof(double));
        d->error[i] = calloc((size_t)words + 1, sizeof(double));
        status = d->iterate[i] && d->error[i] ? status : -1;
    }
    return status;
}

void diis_free(diis *d)
{
    for (int i = 0; i < DIIS_MOST; i++) {
        free(d->iterate[i]);
        free(d->error[i]);
    }
    *d = (diis){0};
}

/* Solve a x = b, n <= DIIS_MOST + 1, by elimination with pivots. False: singular. */
static int solve(int n, double a[DIIS_MOST + 1][DIIS_MOST + 1], double *x)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            best = fabs(a[i][k]) > fabs(a[best][k]) ? i : best;
        if (a[best][k] == 0)
            return 0;
        for (int j = 0; j < n; j++) {
            const double swap = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = swap;
        }
        const double swap = x[k];
        x[k] = x[best];
        x[best] = swap;
        for (int i = k + 1; i < n; i++) {
            const double factor = a[i][k] / a[k][k];
            for (int j = k; j < n; j++)
                a[i][j] -= factor * a[k][j];
            x[i] -= factor * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            x[k] -= a[k][j] * x[j];
        x[k] /= a[k][k];
    }
    return 1;
}

void diis_step(diis *d, MPI_Comm comm, double *iterate, const double *error)
{
    double product[DIIS_MOST * DIIS_MOST] = {0}, a[DIIS_MOST + 1][DIIS_MOST + 1], x[DIIS_MOST + 1] = {0};
    memcpy(d->iterate[d->next], iterate, (size_t)d->words * sizeof(double));
    memcpy(d->error[d->next], error, (size_t)d->words * sizeof(double));
    d->next = (d->next + 1) % DIIS_MOST;
    d->kept += d->kept < DIIS_MOST;
    for (int i = 0; i < d->kept; i++)
        for (int j = 0; j < d->kept; j++)
            for (int64_t w = 0; w < d->words; w++)
                product[i * DIIS_MOST + j] += d->error[i][w] * d->error[j][w];
    MPI_Allreduce(MPI_IN_PLACE, product, DIIS_MOST * DIIS_MOST, MPI_DOUBLE, MPI_SUM, comm);
    const double scale = product[0] > 0 ? 1 / product[0] : 1;
    for (int i = 0; i <= d->kept; i++)
        for (int j = 0; j <= d->kept; j++)
            a[i][j] = i < d->kept && j < d->kept ? scale * product[i * DIIS_MOST + j] : i == j ? 0 : -1;
    x[d->kept] = -1;
    if (!solve(d->kept + 1, a, x))
        return;
    for (int64_t w = 0; w < d->words; w++) {
        iterate[w] = 0;
        for (int i = 0; i < d->kept; i++)
            iterate[w] += x[i] * d->iterate[i][w];
    }
}

/* COSMA as a way to form a product: by its call of ScaLAPACK's form, and on matrices in its own layouts. */
#include "cosma_own.h"
#include "die.h"
#include "scalapack.h"

#include <math.h>

/* Of the library that has COSMA's calls with a prefix, so that ScaLAPACK's own stay what they are. */
ashi_pdgemm_call cosma_pdgemm_;

ashi_way ashi_way_cosma(const char *name, const ashi_matrices *x, MPI_Comm comm)
{
    return ashi_way_pdgemm(name, cosma_pdgemm_, x, comm);
}

static double element(const void *context, int which, int64_t row, int64_t col)
{
    return which == ASHLAR_C ? NAN : ashi_matrices_element(context, (ashlar_operand)which, row, col);
}

static double error_at(const void *context, int64_t row, int64_t col, double value)
{
    return ashi_matrices_error_at(context, row, col, value);
}

static double error_of(const ashi_way *way, const ashi_matrices *x, int64_t samples)
{
    return ashi_cosma_error(way->state, samples, error_at, x);
}

static void run(ashi_way *way, const ashi_matrices *x, double *c)
{
    (void)x;
    (void)c;
    ashi_cosma_run(way->state);
}

static void close_own(ashi_way *way)
{
    ashi_cosma_close(way->state);
    way->state = NULL;
}

ashi_way ashi_way_cosma_own(const char *name, const ashi_matrices *x, MPI_Comm comm)
{
    const int size[3] = {(int)x->what.m, (int)x->what.n, (int)x->what.k};
    return (ashi_way){.name = name, .state = ashi_cosma_open(size, comm, element, x), .run = run, .close = close_own,
                      .error = error_of};
}

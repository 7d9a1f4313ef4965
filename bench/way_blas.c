/* The BLAS by itself as a way to form a product, on one rank. */
#include "die.h"
#include "way.h"

#include <cblas.h>

static void run(ashi_way *way, const ashi_matrices *x, double *c)
{
    (void)way;
    const ashi_case *w = &x->what; /* its sizes fit in an int */
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)w->m, (int)w->n, (int)w->k, 1, x->a.data,
                (int)x->a.ld, x->b.data, (int)x->b.ld, 0, c, (int)x->c.ld);
}

static void close_nothing(ashi_way *way)
{
    (void)way;
}

ashi_way ashi_way_blas(const char *name, const ashi_matrices *x, MPI_Comm comm)
{
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    /* On one rank a block-cyclic matrix lies as any other, whatever its blocks. */
    if (ranks != 1 || x->a.ld != x->what.m || x->b.ld != x->what.k)
        ashi_die("the BLAS alone multiplies on one rank, not on %d", ranks);
    return (ashi_way){.name = name, .run = run, .close = close_nothing};
}

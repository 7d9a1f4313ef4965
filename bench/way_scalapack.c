/* ScaLAPACK's pdgemm as a way to form a product. */
#include "die.h"
#include "scalapack.h"
#include "way.h"

#include <stdlib.h>

typedef struct grid {
    ashi_pdgemm call;
    int handle, context;
    int a[ASHI_DESC_LENGTH], b[ASHI_DESC_LENGTH], c[ASHI_DESC_LENGTH];
} grid;

static void describe(const ashi_part *part, int block, int context, int *desc)
{
    const int rows = (int)part->rows, cols = (int)part->cols, ld = (int)part->ld, first = 0;
    int info = 0;
    descinit_(desc, &rows, &cols, &block, &block, &first, &first, &context, &ld, &info);
    if (info != 0)
        ashi_die("descinit refused its argument %d", -info);
}

static void run(ashi_way *way, const ashi_matrices *x, double *c)
{
    const grid *s = way->state;
    const int m = (int)x->what.m, n = (int)x->what.n, k = (int)x->what.k, first = 1;
    const double alpha = 1, beta = 0;
    s->call("N", "N", &m, &n, &k, &alpha, x->a.data, &first, &first, s->a, x->b.data, &first, &first, s->b, &beta, c,
            &first, &first, s->c);
}

static void close_grid(ashi_way *way)
{
    grid *s = way->state;
    Cblacs_gridexit(s->context);
    Cfree_blacs_system_handle(s->handle);
    free(s);
    way->state = NULL;
}

ashi_way ashi_way_pdgemm(const char *name, ashi_pdgemm call, const ashi_matrices *x, MPI_Comm comm)
{
    const ashi_case *w = &x->what;
    grid *s = ashi_need(1, (long long)sizeof *s);
    s->call = call;
    s->handle = Csys2blacs_handle(comm);
    s->context = s->handle;
    Cblacs_gridinit(&s->context, "Row", w->grid_rows, w->grid_cols);
    describe(&x->a, (int)w->block, s->context, s->a);
    describe(&x->b, (int)w->block, s->context, s->b);
    describe(&x->c, (int)w->block, s->context, s->c);
    return (ashi_way){.name = name, .state = s, .run = run, .close = close_grid};
}

ashi_way ashi_way_scalapack(const char *name, const ashi_matrices *x, MPI_Comm comm)
{
    return ashi_way_pdgemm(name, pdgemm_, x, comm);
}

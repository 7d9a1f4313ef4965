/* ScaLAPACK's pdgemm as a way to form a product. */
#include "die.h"
#include "way.h"

#include <stdlib.h>

/* ScaLAPACK has no header; these are its interfaces with 32-bit integers. */
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridexit(int context);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *row_source,
               const int *col_source, const int *context, const int *ld, int *info);
void pdgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
             const double *a, const int *ia, const int *ja, const int *desca, const double *b, const int *ib,
             const int *jb, const int *descb, const double *beta, double *c, const int *ic, const int *jc,
             const int *descc);

enum { DESC_LENGTH = 9 };

typedef struct grid {
    int handle, context;
    int a[DESC_LENGTH], b[DESC_LENGTH], c[DESC_LENGTH];
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
    pdgemm_("N", "N", &m, &n, &k, &alpha, x->a.data, &first, &first, s->a, x->b.data, &first, &first, s->b, &beta, c,
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

ashi_way ashi_way_scalapack(const char *name, const ashi_matrices *x, MPI_Comm comm)
{
    const ashi_case *w = &x->what;
    grid *s = ashi_need(1, (long long)sizeof *s);
    s->handle = Csys2blacs_handle(comm);
    s->context = s->handle;
    Cblacs_gridinit(&s->context, "Row", w->grid_rows, w->grid_cols);
    describe(&x->a, (int)w->block, s->context, s->a);
    describe(&x->b, (int)w->block, s->context, s->b);
    describe(&x->c, (int)w->block, s->context, s->c);
    return (ashi_way){.name = name, .state = s, .run = run, .close = close_grid};
}

/* An ordinary program's use of ScaLAPACK: some products, which it checks. It knows nothing of Ashlar. */
#include <mpi.h>
#include <stdio.h>

int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col);
void Cblacs_gridexit(int context);
int numroc_(const int *n, const int *nb, const int *process, const int *source, const int *processes);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *row_source,
               const int *col_source, const int *context, const int *ld, int *info);
void pdgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
             const double *a, const int *ia, const int *ja, const int *desca, const double *b, const int *ib,
             const int *jb, const int *descb, const double *beta, double *c, const int *ic, const int *jc,
             const int *descc);

__attribute__((visibility("default"))) int calls(void);

enum { MOST = 40 };

/* A product of matrices of ones, of which the result is known. Returns how many elements of C are wrong. */
static int product(int context, int size)
{
    static double a[MOST * MOST], b[MOST * MOST], c[MOST * MOST];
    const int block = 3, zero = 0, one = 1;
    const double alpha = 2, beta = 1;
    int rows = 0, cols = 0, row = 0, col = 0, desc[9], info = 0, wrong = 0;
    Cblacs_gridinfo(context, &rows, &cols, &row, &col);
    const int m = numroc_(&size, &block, &row, &zero, &rows), n = numroc_(&size, &block, &col, &zero, &cols);
    const int ld = m > 1 ? m : 1;
    descinit_(desc, &size, &size, &block, &block, &zero, &zero, &context, &ld, &info);
    for (int i = 0; i < MOST * MOST; i++)
        a[i] = b[i] = c[i] = 1;
    pdgemm_("N", "T", &size, &size, &size, &alpha, a, &one, &one, desc, b, &one, &one, desc, &beta, c, &one, &one,
            desc);
    for (int i = 0; i < MOST * MOST; i++)
        wrong += c[i] != (i < m * n ? 2 * size + 1 : 1);
    return wrong + (info != 0);
}

int calls(void)
{
    int ranks = 0, wrong = 0, all = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int handle = Csys2blacs_handle(MPI_COMM_WORLD), rows = ranks % 2 ? 1 : 2;
    for (int grids = 0; grids < 2; grids++) {
        int context = handle;
        Cblacs_gridinit(&context, "Row", rows, ranks / rows);
        for (int i = 0; i < 3; i++)
            wrong += product(context, 40);
        wrong += product(context, 10);
        Cblacs_gridexit(context);
    }
    Cfree_blacs_system_handle(handle);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (all)
        fprintf(stderr, "%d elements are wrong\n", wrong);
    return all != 0;
}

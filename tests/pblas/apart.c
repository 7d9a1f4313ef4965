/* A product by ashlar_pdgemm_ of matrices in three contexts of the same processes, which ScaLAPACK cannot form. */
#include <ashlar/pblas.h>

#include <mpi.h>
#include <stdio.h>

int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col);
void Cblacs_gridexit(int context);

enum { SIZE = 40, BLOCK = 3 };

/* A matrix of ones on a grid of so many rows. */
typedef struct ones {
    int context, desc[9];
    double element[SIZE * SIZE];
} ones;

static void make(ones *x, int handle, int rows, int ranks)
{
    const int desc[9] = {1, 0, SIZE, SIZE, BLOCK, BLOCK, 0, 0, SIZE};
    x->context = handle;
    Cblacs_gridinit(&x->context, "Row", rows, ranks / rows);
    for (int i = 0; i < 9; i++)
        x->desc[i] = i == 1 ? x->context : desc[i];
    for (int i = 0; i < SIZE * SIZE; i++)
        x->element[i] = 1;
}

/* How many rows, or columns, a process has of those. */
static int share(int process, int processes)
{
    int count = 0;
    for (int i = 0; i < SIZE; i++)
        count += i / BLOCK % processes == process;
    return count;
}

int main(int argc, char **argv)
{
    static ones x[3];
    int ranks = 0, rows = 0, cols = 0, row = 0, col = 0, wrong = 0, all = 0;
    const int size = SIZE, one = 1;
    const double alpha = 1, beta = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int handle = Csys2blacs_handle(MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        make(&x[i], handle, i == 1 ? ranks : 1, ranks);
    ashlar_pdgemm_("N", "N", &size, &size, &size, &alpha, x[0].element, &one, &one, x[0].desc, x[1].element, &one, &one,
                   x[1].desc, &beta, x[2].element, &one, &one, x[2].desc);
    Cblacs_gridinfo(x[2].context, &rows, &cols, &row, &col);
    for (int j = 0; j < share(col, cols); j++)
        for (int i = 0; i < share(row, rows); i++)
            wrong += x[2].element[i + j * SIZE] != SIZE;
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        Cblacs_gridexit(x[i].context);
    Cfree_blacs_system_handle(handle);
    MPI_Finalize();
    return all != 0;
}

/* A call with one wrong entry in the descriptor of A: wrong gemm|tran ENTRY VALUE. ENTRY counts from 0, of nine. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int Csys2blacs_handle(MPI_Comm comm);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void pdgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
             const double *a, const int *ia, const int *ja, const int *desca, const double *b, const int *ib,
             const int *jb, const int *descb, const double *beta, double *c, const int *ic, const int *jc,
             const int *descc);
void pdtran_(const int *m, const int *n, const double *alpha, const double *a, const int *ia, const int *ja,
             const int *desca, const double *beta, double *c, const int *ic, const int *jc, const int *descc);

enum { SIZE = 10 };

int main(int argc, char **argv)
{
    static double a[SIZE * SIZE], b[SIZE * SIZE], c[SIZE * SIZE];
    int ranks = 0, desca[9], desc[9] = {1, 0, SIZE, SIZE, 3, 3, 0, 0, SIZE};
    const int size = SIZE, one = 1;
    const double alpha = 1, beta = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    desc[1] = Csys2blacs_handle(MPI_COMM_WORLD);
    Cblacs_gridinit(&desc[1], "Row", 1, ranks);
    memcpy(desca, desc, sizeof desc);
    if (argc == 4)
        desca[atoi(argv[2]) % 9] = atoi(argv[3]);
    if (argc == 4 && strcmp(argv[1], "gemm") == 0)
        pdgemm_("N", "N", &size, &size, &size, &alpha, a, &one, &one, desca, b, &one, &one, desc, &beta, c, &one, &one,
                desc);
    if (argc == 4 && strcmp(argv[1], "tran") == 0)
        pdtran_(&size, &size, &alpha, a, &one, &one, desca, &beta, c, &one, &one, desc);
    MPI_Finalize();
    return 0;
}

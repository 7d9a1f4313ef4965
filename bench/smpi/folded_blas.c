/* Products that take simulated time and no other: those of doubles, in the place of the BLAS's. */
#include <smpi/smpi.h>

/* No cblas.h: each BLAS's has names of its own for the types, which are these. */
void cblas_dgemm(int order, int turn_a, int turn_b, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc)
{
    (void)order, (void)turn_a, (void)turn_b, (void)alpha, (void)a, (void)lda;
    (void)b, (void)ldb, (void)beta, (void)c, (void)ldc;
    smpi_execute_flops(2.0 * m * n * k);
}

void cblas_dgemv(int order, int turn, int m, int n, double alpha, const double *a, int lda, const double *x,
                 int stride_x, double beta, double *y, int stride_y)
{
    (void)order, (void)turn, (void)alpha, (void)a, (void)lda;
    (void)x, (void)stride_x, (void)beta, (void)y, (void)stride_y;
    smpi_execute_flops(2.0 * m * n);
}

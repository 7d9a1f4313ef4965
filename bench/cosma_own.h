/* COSMA's own interface, which is C++, for programs in C. */
#ifndef ASHI_BENCH_COSMA_OWN_H
#define ASHI_BENCH_COSMA_OWN_H

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The value of an element of A (0), B (1) or C (2); how wrong a value of C's element is. */
typedef double (*ashi_cosma_element)(const void *context, int which, int64_t row, int64_t col);
typedef double (*ashi_cosma_judge)(const void *context, int64_t row, int64_t col, double value);

/* Matrices of m x k, k x n and m x n elements (size: m, n, k) in the layouts that COSMA chooses for all ranks of comm.
 * What COSMA throws ends the program. Collective, as is running. */
void *ashi_cosma_open(const int size[3], MPI_Comm comm, ashi_cosma_element element, const void *context);
void ashi_cosma_run(void *own);

/* The worst of up to `samples` of this rank's elements of C. Local. */
double ashi_cosma_error(void *own, int64_t samples, ashi_cosma_judge judge, const void *context);
void ashi_cosma_close(void *own);

#ifdef __cplusplus
}
#endif
#endif

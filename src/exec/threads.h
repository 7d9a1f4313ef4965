/* How many threads the BLAS uses, and how many cores there are for them. */
#ifndef ASHI_THREADS_H
#define ASHI_THREADS_H

#include <stdbool.h>

/* 0 where the BLAS does not say. */
int ashi_blas_threads(void);

/* Ask the BLAS for so many; false where it cannot be asked. */
bool ashi_set_blas_threads(int threads);

/* Cores this process may run on. */
int ashi_cores(void);

#endif

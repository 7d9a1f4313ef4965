/* The functions of ScaLAPACK and the BLACS that are called here, with 32-bit integers: they have no header. */
#ifndef ASHI_BENCH_SCALAPACK_H
#define ASHI_BENCH_SCALAPACK_H

#include "way.h"

int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridexit(int context);
int numroc_(const int *n, const int *block, const int *process, const int *source, const int *processes);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb, const int *row_source,
               const int *col_source, const int *context, const int *ld, int *info);

/* A product as ScaLAPACK and those who offer the same call it. */
typedef void ashi_pdgemm_call(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                              const double *alpha, const double *a, const int *ia, const int *ja, const int *desca,
                              const double *b, const int *ib, const int *jb, const int *descb, const double *beta,
                              double *c, const int *ic, const int *jc, const int *descc);
typedef ashi_pdgemm_call *ashi_pdgemm;
ashi_pdgemm_call pdgemm_;

enum { ASHI_DESC_LENGTH = 9 };

/* Such a call as a way to form a product, on ScaLAPACK's descriptors. */
ashi_way ashi_way_pdgemm(const char *name, ashi_pdgemm call, const ashi_matrices *x, MPI_Comm comm);

#endif

/* The names of p?gemm: ScaLAPACK's, for programs that are not changed, and Ashlar's, for choosing call by call. */
#include "pblas/gemm.h"

#include <ashlar/pblas.h>

ASHLAR_API void psgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                        const float *alpha, const float *a, const int *ia, const int *ja, const int *desca,
                        const float *b, const int *ib, const int *jb, const int *descb, const float *beta,
                        float *c, const int *ic, const int *jc, const int *descc);
ASHLAR_API void pdgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                        const double *alpha, const double *a, const int *ia, const int *ja, const int *desca,
                        const double *b, const int *ib, const int *jb, const int *descb, const double *beta,
                        double *c, const int *ic, const int *jc, const int *descc);
ASHLAR_API void pcgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                        const void *alpha, const void *a, const int *ia, const int *ja, const int *desca,
                        const void *b, const int *ib, const int *jb, const int *descb, const void *beta,
                        void *c, const int *ic, const int *jc, const int *descc);
ASHLAR_API void pzgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                        const void *alpha, const void *a, const int *ia, const int *ja, const int *desca,
                        const void *b, const int *ib, const int *jb, const int *descb, const void *beta,
                        void *c, const int *ic, const int *jc, const int *descc);

void psgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
             const float *alpha, const float *a, const int *ia, const int *ja, const int *desca,
             const float *b, const int *ib, const int *jb, const int *descb, const float *beta,
             float *c, const int *ic, const int *jc, const int *descc)
{
    const ashi_gemm_arguments given = {transa, transb, m, n, k, alpha, beta, a, b, c,
                                       {ia, ib, ic}, {ja, jb, jc}, {desca, descb, descc}};
    ashi_gemm(ASHLAR_TYPE_S, true, &given);
}

void pdgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
             const double *alpha, const double *a, const int *ia, const int *ja, const int *desca,
             const double *b, const int *ib, const int *jb, const int *descb, const double *beta,
             double *c, const int *ic, const int *jc, const int *descc)
{
    const ashi_gemm_arguments given = {transa, transb, m, n, k, alpha, beta, a, b, c,
                                       {ia, ib, ic}, {ja, jb, jc}, {desca, descb, descc}};
    ashi_gemm(ASHLAR_TYPE_D, true, &given);
}

void pcgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
             const void *alpha, const void *a, const int *ia, const int *ja, const int *desca,
             const void *b, const int *ib, const int *jb, const int *descb, const void *beta,
             void *c, const int *ic, const int *jc, const int *descc)
{
    const ashi_gemm_arguments given = {transa, transb, m, n, k, alpha, beta, a, b, c,
                                       {ia, ib, ic}, {ja, jb, jc}, {desca, descb, descc}};
    ashi_gemm(ASHLAR_TYPE_C, true, &given);
}

void pzgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
             const void *alpha, const void *a, const int *ia, const int *ja, const int *desca,
             const void *b, const int *ib, const int *jb, const int *descb, const void *beta,
             void *c, const int *ic, const int *jc, const int *descc)
{
    const ashi_gemm_arguments given = {transa, transb, m, n, k, alpha, beta, a, b, c,
                                       {ia, ib, ic}, {ja, jb, jc}, {desca, descb, descc}};
    ashi_gemm(ASHLAR_TYPE_Z, true, &given);
}

void ashlar_psgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                    const float *alpha, const float *a, const int *ia, const int *ja, const int *desca,
                    const float *b, const int *ib, const int *jb, const int *descb, const float *beta,
                    float *c, const int *ic, const int *jc, const int *descc)
{
    const ashi_gemm_arguments given = {transa, transb, m, n, k, alpha, beta, a, b, c,
                                       {ia, ib, ic}, {ja, jb, jc}, {desca, descb, descc}};
    ashi_gemm(ASHLAR_TYPE_S, false, &given);
}

void ashlar_pdgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                    const double *alpha, const double *a, const int *ia, const int *ja, const int *desca,
                    const double *b, const int *ib, const int *jb, const int *descb, const double *beta,
                    double *c, const int *ic, const int *jc, const int *descc)
{
    const ashi_gemm_arguments given = {transa, transb, m, n, k, alpha, beta, a, b, c,
                                       {ia, ib, ic}, {ja, jb, jc}, {desca, descb, descc}};
    ashi_gemm(ASHLAR_TYPE_D, false, &given);
}

void ashlar_pcgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                    const void *alpha, const void *a, const int *ia, const int *ja, const int *desca,
                    const void *b, const int *ib, const int *jb, const int *descb, const void *beta,
                    void *c, const int *ic, const int *jc, const int *descc)
{
    const ashi_gemm_arguments given = {transa, transb, m, n, k, alpha, beta, a, b, c,
                                       {ia, ib, ic}, {ja, jb, jc}, {desca, descb, descc}};
    ashi_gemm(ASHLAR_TYPE_C, false, &given);
}

void ashlar_pzgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                    const void *alpha, const void *a, const int *ia, const int *ja, const int *desca,
                    const void *b, const int *ib, const int *jb, const int *descb, const void *beta,
                    void *c, const int *ic, const int *jc, const int *descc)
{
    const ashi_gemm_arguments given = {transa, transb, m, n, k, alpha, beta, a, b, c,
                                       {ia, ib, ic}, {ja, jb, jc}, {desca, descb, descc}};
    ashi_gemm(ASHLAR_TYPE_Z, false, &given);
}

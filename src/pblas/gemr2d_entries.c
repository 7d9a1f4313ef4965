/* The names of p?gemr2d: ScaLAPACK's, for programs that are not changed, and Ashlar's. */
#include "pblas/gemr2d.h"

#include <ashlar/pblas.h>

ASHLAR_API void psgemr2d_(const int *m, const int *n, const float *a, const int *ia, const int *ja,
                          const int *desca, float *b, const int *ib, const int *jb, const int *descb,
                          const int *context);
ASHLAR_API void pdgemr2d_(const int *m, const int *n, const double *a, const int *ia, const int *ja,
                          const int *desca, double *b, const int *ib, const int *jb, const int *descb,
                          const int *context);
ASHLAR_API void pcgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja,
                          const int *desca, void *b, const int *ib, const int *jb, const int *descb,
                          const int *context);
ASHLAR_API void pzgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja,
                          const int *desca, void *b, const int *ib, const int *jb, const int *descb,
                          const int *context);
ASHLAR_API void pigemr2d_(const int *m, const int *n, const int *a, const int *ia, const int *ja,
                          const int *desca, int *b, const int *ib, const int *jb, const int *descb,
                          const int *context);

void psgemr2d_(const int *m, const int *n, const float *a, const int *ia, const int *ja,
               const int *desca, float *b, const int *ib, const int *jb, const int *descb,
               const int *context)
{
    const ashi_gemr2d_arguments given = {m, n, a, b, {ia, ib}, {ja, jb}, {desca, descb}, context};
    ashi_gemr2d(ASHI_GEMR2D_S, &given);
}

void pdgemr2d_(const int *m, const int *n, const double *a, const int *ia, const int *ja,
               const int *desca, double *b, const int *ib, const int *jb, const int *descb,
               const int *context)
{
    const ashi_gemr2d_arguments given = {m, n, a, b, {ia, ib}, {ja, jb}, {desca, descb}, context};
    ashi_gemr2d(ASHI_GEMR2D_D, &given);
}

void pcgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja,
               const int *desca, void *b, const int *ib, const int *jb, const int *descb,
               const int *context)
{
    const ashi_gemr2d_arguments given = {m, n, a, b, {ia, ib}, {ja, jb}, {desca, descb}, context};
    ashi_gemr2d(ASHI_GEMR2D_C, &given);
}

void pzgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja,
               const int *desca, void *b, const int *ib, const int *jb, const int *descb,
               const int *context)
{
    const ashi_gemr2d_arguments given = {m, n, a, b, {ia, ib}, {ja, jb}, {desca, descb}, context};
    ashi_gemr2d(ASHI_GEMR2D_Z, &given);
}

void pigemr2d_(const int *m, const int *n, const int *a, const int *ia, const int *ja,
               const int *desca, int *b, const int *ib, const int *jb, const int *descb,
               const int *context)
{
    const ashi_gemr2d_arguments given = {m, n, a, b, {ia, ib}, {ja, jb}, {desca, descb}, context};
    ashi_gemr2d(ASHI_GEMR2D_I, &given);
}

void ashlar_psgemr2d_(const int *m, const int *n, const float *a, const int *ia, const int *ja,
                      const int *desca, float *b, const int *ib, const int *jb, const int *descb,
                      const int *context)
{
    const ashi_gemr2d_arguments given = {m, n, a, b, {ia, ib}, {ja, jb}, {desca, descb}, context};
    ashi_gemr2d(ASHI_GEMR2D_S, &given);
}

void ashlar_pdgemr2d_(const int *m, const int *n, const double *a, const int *ia, const int *ja,
                      const int *desca, double *b, const int *ib, const int *jb, const int *descb,
                      const int *context)
{
    const ashi_gemr2d_arguments given = {m, n, a, b, {ia, ib}, {ja, jb}, {desca, descb}, context};
    ashi_gemr2d(ASHI_GEMR2D_D, &given);
}

void ashlar_pcgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja,
                      const int *desca, void *b, const int *ib, const int *jb, const int *descb,
                      const int *context)
{
    const ashi_gemr2d_arguments given = {m, n, a, b, {ia, ib}, {ja, jb}, {desca, descb}, context};
    ashi_gemr2d(ASHI_GEMR2D_C, &given);
}

void ashlar_pzgemr2d_(const int *m, const int *n, const void *a, const int *ia, const int *ja,
                      const int *desca, void *b, const int *ib, const int *jb, const int *descb,
                      const int *context)
{
    const ashi_gemr2d_arguments given = {m, n, a, b, {ia, ib}, {ja, jb}, {desca, descb}, context};
    ashi_gemr2d(ASHI_GEMR2D_Z, &given);
}

void ashlar_pigemr2d_(const int *m, const int *n, const int *a, const int *ia, const int *ja,
                      const int *desca, int *b, const int *ib, const int *jb, const int *descb,
                      const int *context)
{
    const ashi_gemr2d_arguments given = {m, n, a, b, {ia, ib}, {ja, jb}, {desca, descb}, context};
    ashi_gemr2d(ASHI_GEMR2D_I, &given);
}

/* The names of p?tran, p?tranu and p?tranc: ScaLAPACK's, for programs that are not changed, and Ashlar's. */
#include "pblas/tran.h"

#include <ashlar/pblas.h>

ASHLAR_API void pstran_(const int *m, const int *n, const float *alpha, const float *a, const int *ia,
                        const int *ja, const int *desca, const float *beta, float *c, const int *ic,
                        const int *jc, const int *descc);
ASHLAR_API void pdtran_(const int *m, const int *n, const double *alpha, const double *a, const int *ia,
                        const int *ja, const int *desca, const double *beta, double *c, const int *ic,
                        const int *jc, const int *descc);
ASHLAR_API void pctranu_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
                         const int *ja, const int *desca, const void *beta, void *c, const int *ic,
                         const int *jc, const int *descc);
ASHLAR_API void pztranu_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
                         const int *ja, const int *desca, const void *beta, void *c, const int *ic,
                         const int *jc, const int *descc);
ASHLAR_API void pctranc_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
                         const int *ja, const int *desca, const void *beta, void *c, const int *ic,
                         const int *jc, const int *descc);
ASHLAR_API void pztranc_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
                         const int *ja, const int *desca, const void *beta, void *c, const int *ic,
                         const int *jc, const int *descc);

void pstran_(const int *m, const int *n, const float *alpha, const float *a, const int *ia,
             const int *ja, const int *desca, const float *beta, float *c, const int *ic,
             const int *jc, const int *descc)
{
    const ashi_tran_arguments given = {m, n, alpha, beta, a, c, {ia, ic}, {ja, jc}, {desca, descc}};
    ashi_tran(ASHLAR_TYPE_S, ASHLAR_OP_T, &given);
}

void pdtran_(const int *m, const int *n, const double *alpha, const double *a, const int *ia,
             const int *ja, const int *desca, const double *beta, double *c, const int *ic,
             const int *jc, const int *descc)
{
    const ashi_tran_arguments given = {m, n, alpha, beta, a, c, {ia, ic}, {ja, jc}, {desca, descc}};
    ashi_tran(ASHLAR_TYPE_D, ASHLAR_OP_T, &given);
}

void pctranu_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
              const int *ja, const int *desca, const void *beta, void *c, const int *ic,
              const int *jc, const int *descc)
{
    const ashi_tran_arguments given = {m, n, alpha, beta, a, c, {ia, ic}, {ja, jc}, {desca, descc}};
    ashi_tran(ASHLAR_TYPE_C, ASHLAR_OP_T, &given);
}

void pztranu_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
              const int *ja, const int *desca, const void *beta, void *c, const int *ic,
              const int *jc, const int *descc)
{
    const ashi_tran_arguments given = {m, n, alpha, beta, a, c, {ia, ic}, {ja, jc}, {desca, descc}};
    ashi_tran(ASHLAR_TYPE_Z, ASHLAR_OP_T, &given);
}

void pctranc_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
              const int *ja, const int *desca, const void *beta, void *c, const int *ic,
              const int *jc, const int *descc)
{
    const ashi_tran_arguments given = {m, n, alpha, beta, a, c, {ia, ic}, {ja, jc}, {desca, descc}};
    ashi_tran(ASHLAR_TYPE_C, ASHLAR_OP_C, &given);
}

void pztranc_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
              const int *ja, const int *desca, const void *beta, void *c, const int *ic,
              const int *jc, const int *descc)
{
    const ashi_tran_arguments given = {m, n, alpha, beta, a, c, {ia, ic}, {ja, jc}, {desca, descc}};
    ashi_tran(ASHLAR_TYPE_Z, ASHLAR_OP_C, &given);
}

void ashlar_pstran_(const int *m, const int *n, const float *alpha, const float *a, const int *ia,
                    const int *ja, const int *desca, const float *beta, float *c, const int *ic,
                    const int *jc, const int *descc)
{
    const ashi_tran_arguments given = {m, n, alpha, beta, a, c, {ia, ic}, {ja, jc}, {desca, descc}};
    ashi_tran(ASHLAR_TYPE_S, ASHLAR_OP_T, &given);
}

void ashlar_pdtran_(const int *m, const int *n, const double *alpha, const double *a, const int *ia,
                    const int *ja, const int *desca, const double *beta, double *c, const int *ic,
                    const int *jc, const int *descc)
{
    const ashi_tran_arguments given = {m, n, alpha, beta, a, c, {ia, ic}, {ja, jc}, {desca, descc}};
    ashi_tran(ASHLAR_TYPE_D, ASHLAR_OP_T, &given);
}

void ashlar_pctranu_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
                     const int *ja, const int *desca, const void *beta, void *c, const int *ic,
                     const int *jc, const int *descc)
{
    const ashi_tran_arguments given = {m, n, alpha, beta, a, c, {ia, ic}, {ja, jc}, {desca, descc}};
    ashi_tran(ASHLAR_TYPE_C, ASHLAR_OP_T, &given);
}

void ashlar_pztranu_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
                     const int *ja, const int *desca, const void *beta, void *c, const int *ic,
                     const int *jc, const int *descc)
{
    const ashi_tran_arguments given = {m, n, alpha, beta, a, c, {ia, ic}, {ja, jc}, {desca, descc}};
    ashi_tran(ASHLAR_TYPE_Z, ASHLAR_OP_T, &given);
}

void ashlar_pctranc_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
                     const int *ja, const int *desca, const void *beta, void *c, const int *ic,
                     const int *jc, const int *descc)
{
    const ashi_tran_arguments given = {m, n, alpha, beta, a, c, {ia, ic}, {ja, jc}, {desca, descc}};
    ashi_tran(ASHLAR_TYPE_C, ASHLAR_OP_C, &given);
}

void ashlar_pztranc_(const int *m, const int *n, const void *alpha, const void *a, const int *ia,
                     const int *ja, const int *desca, const void *beta, void *c, const int *ic,
                     const int *jc, const int *descc)
{
    const ashi_tran_arguments given = {m, n, alpha, beta, a, c, {ia, ic}, {ja, jc}, {desca, descc}};
    ashi_tran(ASHLAR_TYPE_Z, ASHLAR_OP_C, &given);
}

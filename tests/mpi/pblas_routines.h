/* Ashlar's p?gemm, all four as one type. */
#ifndef ASHI_PBLAS_ROUTINES_H
#define ASHI_PBLAS_ROUTINES_H

#include <ashlar/pblas.h>

typedef void (*gemm)(const char *, const char *, const int *, const int *, const int *, const void *, const void *,
                     const int *, const int *, const int *, const void *, const int *, const int *, const int *,
                     const void *, void *, const int *, const int *, const int *);

static const char gemm_letters[4] = {'s', 'd', 'c', 'z'};
static const gemm gemm_ours[4] = {(gemm)ashlar_psgemm_, (gemm)ashlar_pdgemm_, (gemm)ashlar_pcgemm_,
                                  (gemm)ashlar_pzgemm_};

#endif

/* The factorisations of LAPACK that low-rank tiles need, for the four types. Fortran's names: all of LAPACK's libraries
 * have them. Behind the arguments follow the lengths of those that are characters. */
#include "kernel/lapack.h"

#include "base/checked.h"

#include <complex.h>
#include <stddef.h>

#define T float
#define R float
#define REAL_TYPE 1
#define NAME(f) s_##f
#define GEQRF sgeqrf_
#define ORGQR sorgqr_
#define GESVD sgesvd_
#include "kernel/lapack.inc"

#define T double
#define R double
#define REAL_TYPE 1
#define NAME(f) d_##f
#define GEQRF dgeqrf_
#define ORGQR dorgqr_
#define GESVD dgesvd_
#include "kernel/lapack.inc"

#define T float _Complex
#define R float
#define REAL_TYPE 0
#define NAME(f) c_##f
#define GEQRF cgeqrf_
#define ORGQR cungqr_
#define GESVD cgesvd_
#include "kernel/lapack.inc"

#define T double _Complex
#define R double
#define REAL_TYPE 0
#define NAME(f) z_##f
#define GEQRF zgeqrf_
#define ORGQR zungqr_
#define GESVD zgesvd_
#include "kernel/lapack.inc"

static const ashi_lapack table[] = {
    [ASHLAR_TYPE_S] = {s_qr, s_svd},
    [ASHLAR_TYPE_D] = {d_qr, d_svd},
    [ASHLAR_TYPE_C] = {c_qr, c_svd},
    [ASHLAR_TYPE_Z] = {z_qr, z_svd},
};

const ashi_lapack *ashi_lapack_of(ashlar_type type)
{
    return type >= ASHLAR_TYPE_S && type <= ASHLAR_TYPE_Z ? &table[type] : NULL;
}

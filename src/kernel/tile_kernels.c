/* Arithmetic on whole tiles that BLAS does not have: squares that cannot overflow, mirroring, element-wise products. */
#include "kernel/tile_kernels.h"

#include <complex.h>
#include <float.h>
#include <math.h>

/* Numbers between these are squared as they are: 2^60 squares of the largest do not overflow, and what underflows
 * beside the square of the smallest does not count. */
#define MOST_SQUARED 0x1p480
#define LEAST_SQUARED 0x1p-400

/* Numbers are scaled by at most 2^1000, which double holds: the least that there is, 2^-1074, is then large enough. */
enum { EXPONENT_LEAST = -1000 };

static int larger(int a, int b)
{
    return a > b ? a : b;
}

ashi_square ashi_square_add(ashi_square x, ashi_square y)
{
    if (x.sum <= 0 && x.sum >= 0)
        return y;
    if (y.sum <= 0 && y.sum >= 0)
        return x;
    if (x.exponent < y.exponent)
        return ashi_square_add(y, x);
    const int64_t below = x.exponent - y.exponent; /* at most 2100 */
    return (ashi_square){x.sum + ldexp(y.sum, -2 * (int)below), x.exponent};
}

double ashi_square_root(ashi_square x)
{
    return ldexp(sqrt(x.sum), (int)x.exponent);
}

#define T float
#define R float
#define PARTS 1
#define NAME(f) s_##f
#define CONJUGATE(x) (x)
#define MODULUS(x) fabs((double)(x))
#define REAL(x) ((double)(x))
#define IMAGINARY(x) ((void)(x), 0.0)
#include "kernel/tile_kernels.inc"

#define T double
#define R double
#define PARTS 1
#define NAME(f) d_##f
#define CONJUGATE(x) (x)
#define MODULUS(x) fabs(x)
#define REAL(x) (x)
#define IMAGINARY(x) ((void)(x), 0.0)
#include "kernel/tile_kernels.inc"

#define T float _Complex
#define R float
#define PARTS 2
#define NAME(f) c_##f
#define CONJUGATE(x) conjf(x)
#define MODULUS(x) hypot((double)crealf(x), (double)cimagf(x))
#define REAL(x) ((double)crealf(x))
#define IMAGINARY(x) ((double)cimagf(x))
#include "kernel/tile_kernels.inc"

#define T double _Complex
#define R double
#define PARTS 2
#define NAME(f) z_##f
#define CONJUGATE(x) conj(x)
#define MODULUS(x) cabs(x)
#define REAL(x) creal(x)
#define IMAGINARY(x) cimag(x)
#include "kernel/tile_kernels.inc"

static const ashi_tile_kernels table[] = {
    [ASHLAR_TYPE_S] = {s_square, s_follow, s_reflect, s_add, s_dot, s_times, s_scale_rows, s_scale_cols, s_add_rows,
                       s_add_cols, s_apply, s_apply_turned, s_number, s_element},
    [ASHLAR_TYPE_D] = {d_square, d_follow, d_reflect, d_add, d_dot, d_times, d_scale_rows, d_scale_cols, d_add_rows,
                       d_add_cols, d_apply, d_apply_turned, d_number, d_element},
    [ASHLAR_TYPE_C] = {c_square, c_follow, c_reflect, c_add, c_dot, c_times, c_scale_rows, c_scale_cols, c_add_rows,
                       c_add_cols, c_apply, c_apply_turned, c_number, c_element},
    [ASHLAR_TYPE_Z] = {z_square, z_follow, z_reflect, z_add, z_dot, z_times, z_scale_rows, z_scale_cols, z_add_rows,
                       z_add_cols, z_apply, z_apply_turned, z_number, z_element},
};

const ashi_tile_kernels *ashi_tile_kernels_of(ashlar_type type)
{
    return type >= ASHLAR_TYPE_S && type <= ASHLAR_TYPE_Z ? &table[type] : NULL;
}

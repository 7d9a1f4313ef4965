/* The four types' kernels of an emulated device: one text, included four times. */
#include "device/emulated_kernels.h"

#include <complex.h>

#define T float
#define NAME(f) s##f
#define CONJUGATE(x) (x)
#include "device/emulated_kernels.inc"
#undef T
#undef NAME

#define T double
#define NAME(f) d##f
#include "device/emulated_kernels.inc"
#undef T
#undef NAME
#undef CONJUGATE

#define T float _Complex
#define NAME(f) c##f
#define CONJUGATE(x) conjf(x)
#include "device/emulated_kernels.inc"
#undef T
#undef NAME
#undef CONJUGATE

#define T double _Complex
#define NAME(f) z##f
#define CONJUGATE(x) conj(x)
#include "device/emulated_kernels.inc"

static const ashi_emulated_kernels kernels[] = {
    [ASHLAR_TYPE_S] = {sgemm, saxpby, spermute},
    [ASHLAR_TYPE_D] = {dgemm, daxpby, dpermute},
    [ASHLAR_TYPE_C] = {cgemm, caxpby, cpermute},
    [ASHLAR_TYPE_Z] = {zgemm, zaxpby, zpermute},
};

const ashi_emulated_kernels *ashi_emulated_kernels_of(ashlar_type type)
{
    return &kernels[type];
}

/* Products of small tiles by libxsmm, which makes a kernel for the sizes when it is asked for one. */
#include "exec/small.h"

#ifdef ASHI_XSMM
#include <libxsmm.h>

/* Every type of function pointer can be kept as another and cast back. */
typedef void (*any_kernel)(void);

static bool serves(int64_t m, int64_t n, int64_t k)
{
    return m >= 1 && n >= 1 && k >= 1 && m <= ASHI_SMALL_MOST && n <= ASHI_SMALL_MOST && k <= ASHI_SMALL_MOST;
}

ashi_small ashi_small_find(ashlar_type type, int64_t m, int64_t n, int64_t k, bool turned_b)
{
    const float one_s = 1;
    const double one_d = 1;
    if (!serves(m, n, k))
        return (ashi_small){NULL};
    const libxsmm_blasint lda = (libxsmm_blasint)m, ldb = (libxsmm_blasint)(turned_b ? n : k), ldc = lda;
    const libxsmm_blasint columns = (libxsmm_blasint)n, depth = (libxsmm_blasint)k;
    const int flags = turned_b ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
    const int prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
    if (type == ASHLAR_TYPE_S)
        return (ashi_small){(any_kernel)libxsmm_smmdispatch(lda, columns, depth, &lda, &ldb, &ldc, &one_s, &one_s,
                                                            &flags, &prefetch)};
    if (type == ASHLAR_TYPE_D)
        return (ashi_small){(any_kernel)libxsmm_dmmdispatch(lda, columns, depth, &lda, &ldb, &ldc, &one_d, &one_d,
                                                            &flags, &prefetch)};
    return (ashi_small){NULL};
}

void ashi_small_run(ashi_small kernel, ashlar_type type, int64_t count, const ashi_small_at *at, const void *a,
                    const void *b, void *c)
{
    if (type == ASHLAR_TYPE_S) {
        const libxsmm_smmfunction multiply = (libxsmm_smmfunction)kernel.kernel;
        for (int64_t i = 0; i < count; i++)
            multiply((const float *)a + at[i].a, (const float *)b + at[i].b, (float *)c + at[i].c);
    } else {
        const libxsmm_dmmfunction multiply = (libxsmm_dmmfunction)kernel.kernel;
        for (int64_t i = 0; i < count; i++)
            multiply((const double *)a + at[i].a, (const double *)b + at[i].b, (double *)c + at[i].c);
    }
}

#else

ashi_small ashi_small_find(ashlar_type type, int64_t m, int64_t n, int64_t k, bool turned_b)
{
    (void)type, (void)m, (void)n, (void)k, (void)turned_b;
    return (ashi_small){NULL};
}

void ashi_small_run(ashi_small kernel, ashlar_type type, int64_t count, const ashi_small_at *at, const void *a,
                    const void *b, void *c)
{
    (void)kernel, (void)type, (void)count, (void)at, (void)a, (void)b, (void)c;
}

#endif

/* Products whose sizes and strides BLAS cannot be given in one call, with a BLAS whose largest integer is small. */
#include "element.h"
#include "test.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#define ASHI_BLAS_MOST 7

static int64_t illegal; /* arguments that BLAS would refuse */

static bool accept(bool ok)
{
    illegal += !ok;
    return ok;
}

static bool legal(CBLAS_ORDER order, int m, int n, int k)
{
    return accept(order == CblasColMajor && m >= 0 && n >= 0 && k >= 0 && m <= ASHI_BLAS_MOST &&
                  n <= ASHI_BLAS_MOST && k <= ASHI_BLAS_MOST);
}

static bool legal_ld(int ld, int least)
{
    return accept(ld >= 1 && ld >= least && ld <= ASHI_BLAS_MOST);
}

#define T float
#define NAME(f) s_##f
#define CONJUGATE(x) (x)
#define SCALAR float
#define VALUE(x) (x)
#include "small_blas.inc"

#define T double
#define NAME(f) d_##f
#define CONJUGATE(x) (x)
#define SCALAR double
#define VALUE(x) (x)
#include "small_blas.inc"

#define T float _Complex
#define NAME(f) c_##f
#define CONJUGATE(x) conjf(x)
#define SCALAR const void *
#define VALUE(x) (*(const float _Complex *)(x))
#include "small_blas.inc"

#define T double _Complex
#define NAME(f) z_##f
#define CONJUGATE(x) conj(x)
#define SCALAR const void *
#define VALUE(x) (*(const double _Complex *)(x))
#include "small_blas.inc"

#define cblas_sgemm s_small_gemm
#define cblas_sgemv s_small_gemv
#define cblas_dgemm d_small_gemm
#define cblas_dgemv d_small_gemv
#define cblas_cgemm c_small_gemm
#define cblas_cgemv c_small_gemv
#define cblas_zgemm z_small_gemm
#define cblas_zgemv z_small_gemv
#include "kernel/kernels.c"

/* ---- cases ---- */

enum { MOST = 19, ROOM = MOST * (MOST + 3) };

/* A matrix of integers, by minor or by major positions. */
typedef struct matrix {
    int64_t minor, major, minor_stride, major_stride;
    bool conjugate;
    double _Complex value[ROOM];   /* at the element's place */
    double _Complex memory[ROOM];  /* of any type, which is narrower or the same */
} matrix;

static size_t place(const matrix *x, int64_t i, int64_t j)
{
    return (size_t)(i * x->minor_stride + j * x->major_stride);
}

static void put(ashlar_type type, double _Complex value, void *memory, size_t at)
{
    switch (type) {
    case ASHLAR_TYPE_S: ((float *)memory)[at] = (float)creal(value); break;
    case ASHLAR_TYPE_D: ((double *)memory)[at] = creal(value); break;
    case ASHLAR_TYPE_C: ((float _Complex *)memory)[at] = (float _Complex)value; break;
    default: ((double _Complex *)memory)[at] = value; break;
    }
}

static double _Complex random_number(uint64_t *state, bool is_complex)
{
    const double re = (double)ashi_random_in(state, -3, 3), im = (double)ashi_random_in(state, -3, 3);
    return is_complex ? re + im * I : re;
}

/* Sides of one have any stride on the other side, and leading dimensions any gap. */
static void random_matrix(uint64_t *state, matrix *x, ashlar_type type, int64_t minor, int64_t major, bool by_minor)
{
    const int64_t inner = by_minor ? minor : major, ld = ashi_max(inner, 1) + ashi_random_in(state, 0, 3);
    *x = (matrix){.minor = minor, .major = major, .minor_stride = by_minor ? 1 : ld,
                  .major_stride = by_minor ? ld : 1};
    for (size_t at = 0; at < ROOM; at++) {
        x->value[at] = random_number(state, type >= ASHLAR_TYPE_C);
        put(type, x->value[at], x->memory, at);
    }
}

static double _Complex element_of(const matrix *x, int64_t i, int64_t j)
{
    const double _Complex v = x->value[place(x, i, j)];
    return x->conjugate ? conj(v) : v;
}

/* All of C's memory: its elements are the product, the others as before. */
static bool is_right(ashlar_type type, const matrix *a, const matrix *b, const matrix *c, double _Complex alpha,
                     double _Complex beta)
{
    static double _Complex want[ROOM];
    memcpy(want, c->value, sizeof want);
    for (int64_t i = 0; i < c->minor; i++)
        for (int64_t j = 0; j < c->major; j++) {
            double _Complex sum = 0;
            for (int64_t l = 0; l < a->major; l++)
                sum += element_of(a, i, l) * element_of(b, j, l);
            want[place(c, i, j)] = alpha * sum + (beta == 0 ? 0 : beta * c->value[place(c, i, j)]);
        }
    for (size_t at = 0; at < ROOM; at++)
        if (get_element(type, c->memory, (int64_t)at) != want[at])
            return false;
    return true;
}

static void one_product(ashi_test *t, uint64_t seed)
{
    static matrix a, b, c;
    uint64_t state = seed * 0x9E3779B97F4A7C15u;
    const ashlar_type type = (ashlar_type)ashi_random_in(&state, 0, 3);
    int64_t size[3];
    for (int d = 0; d < 3; d++)
        size[d] = ashi_random_in(&state, 0, 3) ? ashi_random_in(&state, 0, MOST) : 1;
    const bool is_complex = type >= ASHLAR_TYPE_C, c_by_minor = ashi_random_in(&state, 0, 1);
    const bool a_by_minor = ashi_random_in(&state, 0, 1), b_by_minor = ashi_random_in(&state, 0, 1);
    random_matrix(&state, &a, type, size[0], size[2], a_by_minor);
    random_matrix(&state, &b, type, size[1], size[2], b_by_minor);
    random_matrix(&state, &c, type, size[0], size[1], c_by_minor);
    a.conjugate = is_complex && c_by_minor && !a_by_minor && ashi_random_in(&state, 0, 1);
    b.conjugate = is_complex && c_by_minor && b_by_minor && ashi_random_in(&state, 0, 1);
    const double _Complex alpha = random_number(&state, is_complex);
    const double _Complex beta = ashi_random_in(&state, 0, 1) ? random_number(&state, is_complex) : 0;
    double _Complex scalar[2];
    put(type, alpha, &scalar[0], 0);
    put(type, beta, &scalar[1], 0);
    for (int64_t i = 0; i < c.minor && beta == 0; i++) /* is not read */
        for (int64_t j = 0; j < c.major; j++)
            put(type, (double)NAN, c.memory, place(&c, i, j));
    const ashi_matrix from_a = {a.memory, a.minor_stride, a.major_stride};
    const ashi_matrix from_b = {b.memory, b.minor_stride, b.major_stride};
    const int64_t before = illegal;
    ashi_kernels_of(type)->gemm(size[0], size[1], size[2], &scalar[0], &from_a, a.conjugate,
                                &from_b, b.conjugate, &scalar[1], c.memory, c.minor_stride, c.major_stride);
    CHECK(t, illegal == before, "seed %" PRIu64 ": BLAS was given what it cannot count", seed);
    CHECK(t, is_right(type, &a, &b, &c, alpha, beta), "seed %" PRIu64 ": a wrong product of %" PRId64 " x %" PRId64
          " x %" PRId64, seed, size[0], size[1], size[2]);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 20000);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        one_product(&t, seed);
    return ashi_test_end(&t, "kernels");
}

/* Random calls that replace sub(C) by a sum with it: their sizes and scalars, and what they leave in C, element by
 * element against the definition and against ScaLAPACK. PROGRAM names the program. */
#ifndef ASHI_PBLAS_COMPARE_H
#define ASHI_PBLAS_COMPARE_H

#include "mpi/pblas_matrix.h"
#include "mpi/ranks.h"

#include <float.h>

static inline int random_size(uint64_t *random)
{
    const int64_t kind = ashi_random_in(random, 0, 11);
    return kind < 3 ? kind != 0 : (int)(kind < 9 ? ashi_random_in(random, 2, 20) : ashi_random_in(random, 20, 60));
}

static inline double complex random_scalar(uint64_t *random, bool is_complex)
{
    const int64_t kind = ashi_random_in(random, 0, 5);
    if (kind < 3)
        return number((double)(kind % 2), 0); /* 0, 1, 0 */
    const double re = (double)ashi_random_in(random, -8, 8) / 4, im = (double)ashi_random_in(random, -8, 8) / 4;
    return number(re, is_complex ? im : 0);
}

/* Of a real or complex type. */
static inline double roundoff_of(char type)
{
    return type == 's' || type == 'c' ? (double)FLT_EPSILON / 2 : DBL_EPSILON / 2;
}

/* What one call is to do: C, what its element (i, j) has to be and the sum of its terms' sizes, and how far from it an
 * element may be for each unit of that size. */
typedef struct expectation {
    const matrix *c;
    const void *call;
    double complex (*expected)(const void *call, int i, int j, double *size);
    double bound;
} expectation;

typedef struct findings {
    double wrong, other; /* the largest error over its bound: of ours, and between ours and theirs */
    int64_t touched;     /* bytes outside sub(C) that changed */
} findings;

static inline double over(double error, double bound)
{
    return error == 0 ? 0 : !(error <= bound) ? (double)INFINITY : error / bound;
}

static inline findings compare(const expectation *e, char *mine, char *scalapack, const char *before)
{
    const matrix *x = e->c;
    findings f = {0, 0, 0};
    char *copy = malloc(matrix_bytes(x));
    memcpy(copy, before, matrix_bytes(x));
    for (int j = 0; j < x->cols; j++)
        for (int i = 0; i < x->rows; i++) {
            const int r = matrix_local(x, 0, x->row + i), c = matrix_local(x, 1, x->col + j);
            if (r < 0 || c < 0)
                continue;
            double size = 0;
            const double complex want = e->expected(e->call, i, j, &size);
            const double complex got = element_get(x->type, matrix_at(x, mine, r, c));
            const double complex say = element_get(x->type, matrix_at(x, scalapack, r, c));
            f.wrong = fmax(f.wrong, over(cabs(got - want), e->bound * size));
            f.other = fmax(f.other, over(cabs(got - say), 2 * e->bound * size));
            memcpy(matrix_at(x, copy, r, c), matrix_at(x, mine, r, c), x->bytes);
        }
    for (size_t b = 0; b < matrix_bytes(x); b++)
        f.touched += copy[b] != mine[b];
    free(copy);
    return f;
}

/* beta C's part of what is expected. */
static inline void expect_old(const matrix *c, double complex beta, int i, int j, double complex *result, double *size)
{
    if (beta == 0)
        return;
    const double complex old = matrix_value(c, c->row + i, c->col + j);
    *result += beta * old;
    *size += cabs(beta) * cabs(old);
}

/* The call by Ashlar, and by ScaLAPACK too where it is one that it takes: `run` has `theirs` told. */
static inline void check_call(rig *r, const expectation *e, const char *what, bool both,
                              void run(const void *call, bool theirs, char *c))
{
    const size_t bytes = matrix_bytes(e->c);
    char *before = malloc(bytes), *scalapack = malloc(bytes);
    memcpy(before, e->c->data, bytes);
    memcpy(scalapack, e->c->data, bytes);
    run(e->call, false, e->c->data);
    if (both)
        run(e->call, true, scalapack);
    else
        memcpy(scalapack, e->c->data, bytes);
    const findings f = compare(e, e->c->data, scalapack, before);
    CHECK(&r->test, f.wrong <= 1, CASE "%s: error over its bound %g", CASE_OF(r), what, f.wrong);
    CHECK(&r->test, f.other <= 1, CASE "%s: away from ScaLAPACK's %g", CASE_OF(r), what, f.other);
    CHECK(&r->test, f.touched == 0, CASE "%s: %" PRId64 " bytes outside changed", CASE_OF(r), what, f.touched);
    free(before);
    free(scalapack);
}

#endif

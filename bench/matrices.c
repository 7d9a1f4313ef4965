/* A, B and C in ScaLAPACK's block-cyclic layout, filled with numbers that any rank can work out for itself. */
#include "matrices.h"
#include "die.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* How many of n things in blocks fall to one of `parts` processes. */
static int64_t local_count(int64_t n, int64_t block, int process, int parts)
{
    const int64_t full = n / block, mine = full / parts * block, over = full % parts;
    if (process < over)
        return mine + block;
    return process == over ? mine + n % block : mine;
}

/* Where local thing i of a process stands in the whole. */
static int64_t whole_index(int64_t i, int64_t block, int process, int parts)
{
    return (i / block * parts + process) * block + i % block;
}

/* In [-1, 1), by splitmix64's mixing (Steele, Lea and Flood, OOPSLA 2014) of the element's place in the matrix. */
static double element(uint64_t matrix, int64_t rows, int64_t row, int64_t col)
{
    uint64_t z = ((uint64_t)(row + col * rows) + (matrix << 60)) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return (double)(int64_t)(z >> 11) * 0x1p-52 - 1;
}

double ashi_matrices_element(const ashi_matrices *x, ashlar_operand which, int64_t row, int64_t col)
{
    return element(which, which == ASHLAR_A ? x->what.m : x->what.k, row, col);
}

static void open_part(const ashi_case *w, int rank, int64_t rows, int64_t cols, ashi_part *out)
{
    ashlar_error err = {0};
    const int row = rank / w->grid_cols, col = rank % w->grid_cols;
    *out = (ashi_part){.rows = rows, .cols = cols};
    out->local_rows = local_count(rows, w->block, row, w->grid_rows);
    out->local_cols = local_count(cols, w->block, col, w->grid_cols);
    out->ld = out->local_rows > 0 ? out->local_rows : 1;
    if (ashlar_layout_block_cyclic(rows, cols, w->block, w->block, w->grid_rows, w->grid_cols, 0, 0, NULL,
                                   ASHLAR_COL_MAJOR, out->ld, &out->layout, &err) != ASHLAR_OK)
        ashi_die("%s", err.text);
    out->data = ashi_need(out->local_rows * out->local_cols, (long long)sizeof(double));
}

static void fill(const ashi_matrices *x, const ashi_part *part, uint64_t matrix)
{
    const ashi_case *w = &x->what;
    const int row = x->rank / w->grid_cols, col = x->rank % w->grid_cols;
    for (int64_t j = 0; j < part->local_cols; j++)
        for (int64_t i = 0; i < part->local_rows; i++)
            part->data[i + j * part->ld] =
                element(matrix, part->rows, whole_index(i, w->block, row, w->grid_rows),
                        whole_index(j, w->block, col, w->grid_cols));
}

void ashi_matrices_open(const ashi_case *what, int rank, ashi_matrices *out)
{
    *out = (ashi_matrices){.what = *what, .rank = rank};
    open_part(what, rank, what->m, what->k, &out->a);
    open_part(what, rank, what->k, what->n, &out->b);
    open_part(what, rank, what->m, what->n, &out->c);
    fill(out, &out->a, ASHLAR_A);
    fill(out, &out->b, ASHLAR_B);
    ashi_matrices_forget(out);
    out->problem = (ashlar_problem){.type = ASHLAR_TYPE_D, .m = what->m, .n = what->n, .k = what->k,
                                    .a = out->a.layout, .b = out->b.layout, .c = out->c.layout};
}

void ashi_matrices_close(ashi_matrices *x)
{
    ashi_part *const parts[] = {&x->a, &x->b, &x->c};
    for (int i = 0; i < 3; i++) {
        ashlar_layout_free(&parts[i]->layout);
        free(parts[i]->data);
        parts[i]->data = NULL;
    }
}

void ashi_matrices_forget(ashi_matrices *x)
{
    for (int64_t i = 0; i < x->c.local_rows * x->c.local_cols; i++)
        x->c.data[i] = NAN;
}

/* k u / (1 - k u): what a computed dot product of length k may be off, as a part of the sum of absolute products, in
 * any order of addition (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). */
static double dot_bound(int64_t k)
{
    const double ku = (double)k * DBL_EPSILON / 2;
    return ku / (1 - ku);
}

/* NaN counts as infinitely wrong. */
static double part_of(double error, double bound)
{
    return error <= 0 ? 0 : error / bound >= 0 ? error / bound : INFINITY;
}

double ashi_matrices_error_at(const ashi_matrices *x, int64_t row, int64_t col, double value)
{
    const ashi_case *w = &x->what;
    long double sum = 0, absolute = 0;
    for (int64_t l = 0; l < w->k; l++) {
        const long double product = (long double)element(ASHLAR_A, w->m, row, l) * element(ASHLAR_B, w->k, l, col);
        sum += product;
        absolute += fabsl(product);
    }
    return part_of((double)fabsl(value - sum), dot_bound(w->k) * (double)absolute);
}

double ashi_matrices_error(const ashi_matrices *x, int64_t samples)
{
    const ashi_case *w = &x->what;
    const int row = x->rank / w->grid_cols, col = x->rank % w->grid_cols;
    const int64_t count = x->c.local_rows * x->c.local_cols, step = count > samples ? count / samples : 1;
    double worst = 0;
    for (int64_t at = 0; at < count; at += step) {
        const int64_t i = whole_index(at % x->c.local_rows, w->block, row, w->grid_rows);
        const int64_t j = whole_index(at / x->c.local_rows, w->block, col, w->grid_cols);
        worst = fmax(worst, ashi_matrices_error_at(x, i, j, x->c.data[at]));
    }
    return worst;
}

double ashi_matrices_difference(const ashi_matrices *x, const double *other)
{
    /* Elements of A and B are at most 1, so the sum of absolute products is at most k; two results may err apart. */
    const double bound = 2 * dot_bound(x->what.k) * (double)x->what.k;
    double worst = 0;
    for (int64_t i = 0; i < x->c.local_rows * x->c.local_cols; i++)
        worst = fmax(worst, part_of(fabs(x->c.data[i] - other[i]), bound));
    return worst;
}

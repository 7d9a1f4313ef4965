/* C <- alpha op(A) op(B) + beta C by a plain triple loop in higher precision, and how far a product may be from it. */
#ifndef ASHI_MULTIPLYING_H
#define ASHI_MULTIPLYING_H

#include "mpi/matrices.h"

typedef struct product {
    ashlar_type type;
    ashlar_op op[2];
    int64_t size[3]; /* m, n, k */
    number alpha, beta;
    content content[3];
} product;

/* Rows and columns of a matrix as stored. */
static inline void product_shape(const product *p, int x, int64_t shape[2])
{
    const int64_t whole[3][2] = {{p->size[0], p->size[2]}, {p->size[2], p->size[1]}, {p->size[0], p->size[1]}};
    const bool turned = x < 2 && p->op[x] != ASHLAR_OP_N;
    shape[0] = whole[x][turned];
    shape[1] = whole[x][!turned];
}

/* Types, operations, contents and factors; the sizes are the caller's. */
static inline void random_product(uint64_t *state, product *p)
{
    const bool integers = ashi_random_in(state, 0, 1);
    p->type = (ashlar_type)ashi_random_in(state, 0, 3);
    for (int x = 0; x < 2; x++)
        p->op[x] = (ashlar_op)ashi_random_in(state, 0, 2);
    for (int x = 0; x < 3; x++)
        p->content[x] = (content){p->type, ashi_random(state), integers};
    number *const factor[2] = {&p->alpha, &p->beta};
    for (int i = 0; i < 2; i++) {
        const int64_t how = ashi_random_in(state, 0, 7);
        *factor[i] = how == 0 ? (number){0, 0} : how <= 2 ? (number){1, 0} : random_number(&p->content[0], state);
        unsigned char stored[16]; /* as the type has it */
        number_store(p->type, *factor[i], stored);
        *factor[i] = number_load(p->type, stored);
    }
    if (ashi_random_in(state, 0, 3) == 0)
        p->beta = (number){0, 0};
}

/* Now and then A and B become matrices of 16-bit numbers, and C one of floats. */
static inline void narrow_at_times(uint64_t *state, product *p)
{
    unsigned char stored[4];
    if (ashi_random_in(state, 0, 2))
        return;
    p->type = ashi_random_in(state, 0, 1) ? ASHLAR_TYPE_H : ASHLAR_TYPE_B;
    p->content[0].type = p->content[1].type = p->type;
    p->content[2].type = ASHLAR_TYPE_S;
    number *const factor[2] = {&p->alpha, &p->beta};
    for (int i = 0; i < 2; i++) {
        factor[i]->im = 0;
        number_store(ASHLAR_TYPE_S, *factor[i], stored);
        *factor[i] = number_load(ASHLAR_TYPE_S, stored);
    }
}

/* op(X) by rows, or by columns where `by_cols`; the caller frees it. */
static inline number *whole_operand(const product *p, int x, bool by_cols)
{
    const int64_t rows = p->size[x ? 2 : 0], cols = p->size[x ? 1 : 2];
    number *all = malloc((size_t)(rows * cols + 1) * sizeof *all);
    for (int64_t i = 0; all && i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            number v = p->op[x] == ASHLAR_OP_N ? element(&p->content[x], i, j) : element(&p->content[x], j, i);
            if (p->op[x] == ASHLAR_OP_C)
                v.im = -v.im;
            all[by_cols ? i + j * rows : i * cols + j] = v;
        }
    return all;
}

/* The largest distance of this rank's C from the reference, in units of what rounding allows: at most 1 is right. With
 * integers anything but the exact result is infinitely far.
 *
 * Whatever the order of a sum of k products, its error is at most gamma(k) sum |a||b|, gamma(k) = k u / (1 - k u)
 * (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1); scaling and adding C take a few
 * roundings more. Each part of a complex product is a sum of twice as many. */
static inline double product_error(const product *p, const part *c)
{
    const bool complex = ashi_type_of(p->type)->complex;
    const int64_t k = p->size[2], terms = (complex ? 2 * k : k) + 8;
    const long double u = ashi_type_of(p->type)->roundoff;
    const long double gamma = (long double)terms * u / (1 - (long double)terms * u) * (complex ? sqrtl(2) : 1);
    number *a = whole_operand(p, 0, false), *b = whole_operand(p, 1, true);
    double worst = a && b ? 0 : INFINITY;
    for (int64_t i = 0; i < p->size[0] && a && b; i++)
        for (int64_t j = 0; j < p->size[1]; j++) {
            if (!part_owns(c, i, j))
                continue;
            number sum = {0, 0};
            long double size = 0;
            const number *x = a + i * k, *y = b + j * k;
            for (int64_t l = 0; l < k; l++) {
                sum = number_add(sum, number_mul(x[l], y[l]));
                size += p->content[0].integers ? 0 : sqrtl((x[l].re * x[l].re + x[l].im * x[l].im) *
                                                           (y[l].re * y[l].re + y[l].im * y[l].im));
            }
            const number old = element(&p->content[2], i, j);
            const number want = number_add(number_mul(p->alpha, sum), number_mul(p->beta, old));
            const number got = number_load(p->content[2].type, part_at(c, c->memory, i, j));
            const long double off = number_abs((number){got.re - want.re, got.im - want.im});
            const long double may = gamma * (number_abs(p->alpha) * size + number_abs(p->beta) * number_abs(old));
            if (!(off <= may) || (p->content[0].integers && off != 0))
                worst = off / may > worst ? (double)(off / may) : INFINITY;
        }
    free(a);
    free(b);
    return worst;
}

#endif

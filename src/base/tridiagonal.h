/* Symmetric tridiagonal matrices, as Lanczos' method makes them: extreme eigenvalues, and bounds that follow. */
#ifndef ASHI_TRIDIAGONAL_H
#define ASHI_TRIDIAGONAL_H

#include <stdbool.h>
#include <stdint.h>

/* `count` numbers each, at least one: the diagonal, and what is beside it. beside[count - 1] is what would stand beside
 * the last one: the norm of the rest that Lanczos' method has after that many steps. */
typedef struct ashi_tridiagonal {
    int64_t count;
    const double *diagonal, *beside;
} ashi_tridiagonal;

/* The largest eigenvalue, or with `lowest` the smallest, to the precision of double. */
double ashi_tridiagonal_extreme(const ashi_tridiagonal *t, bool lowest);

/* A number that no eigenvalue of a Hermitian matrix X is above (or with `lowest` below) in whose eigenspace the vector
 * with which Lanczos' method began has at least the part sqrt(`weight`) of its length, 0 < weight <= 1; at most `limit`
 * (at least), which bounds them all. Rounding is not counted.
 *
 * The squares of the vector's parts in the eigenspaces are a measure that has the same moments 0 to 2 count as `t`
 * has. The most that such a measure can have at a point x beyond the eigenvalues of `t` is 1 / (p_0(x)^2 + ... +
 * p_count(x)^2), if p_j are the polynomials that the measure makes orthonormal, and this falls with the distance of x
 * (Szego, Orthogonal Polynomials, section 3.4). */
double ashi_tridiagonal_bound(const ashi_tridiagonal *t, bool lowest, double weight, double limit);

#endif

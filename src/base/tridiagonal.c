/* Symmetric tridiagonal matrices, as Lanczos' method makes them: extreme eigenvalues, and bounds that follow. */
#include "base/tridiagonal.h"

#include <float.h>
#include <math.h>

/* `t`, or -t with the signs beside the diagonal turned: the smallest eigenvalue of one is that of the other. */
static double diagonal(const ashi_tridiagonal *t, bool lowest, int64_t j)
{
    return lowest ? -t->diagonal[j] : t->diagonal[j];
}

/* Whether all eigenvalues are below x: the pivots of t - x are all negative (Sylvester's law of inertia). */
static bool all_below(const ashi_tridiagonal *t, bool lowest, double x)
{
    double pivot = diagonal(t, lowest, 0) - x;
    for (int64_t j = 1; j < t->count && pivot < 0; j++)
        pivot = diagonal(t, lowest, j) - x - t->beside[j - 1] * t->beside[j - 1] / pivot;
    return pivot < 0;
}

static double largest(const ashi_tridiagonal *t, bool lowest)
{
    double low = -INFINITY, high = -INFINITY;
    for (int64_t j = 0; j < t->count; j++) {
        const double radius = (j > 0 ? t->beside[j - 1] : 0) + (j + 1 < t->count ? t->beside[j] : 0);
        low = fmax(low, diagonal(t, lowest, j));
        high = fmax(high, diagonal(t, lowest, j) + radius);
    }
    for (double middle = low + (high - low) / 2; middle > low && middle < high; middle = low + (high - low) / 2) {
        if (all_below(t, lowest, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Whether a point beyond the eigenvalues cannot have the weight. */
static bool too_light(const ashi_tridiagonal *t, bool lowest, double weight, double x)
{
    double before = 0, now = 1, sum = 1;
    for (int64_t j = 0; j < t->count && sum * weight <= 1; j++) {
        if (!(t->beside[j] > 0))
            return true;
        const double beyond = j > 0 ? t->beside[j - 1] * before : 0;
        const double next = ((x - diagonal(t, lowest, j)) * now - beyond) / t->beside[j];
        before = now;
        now = next;
        sum += now * now;
    }
    return sum * weight > 1;
}

double ashi_tridiagonal_extreme(const ashi_tridiagonal *t, bool lowest)
{
    const double x = largest(t, lowest);
    return lowest ? -x : x;
}

double ashi_tridiagonal_bound(const ashi_tridiagonal *t, bool lowest, double weight, double limit)
{
    double low = largest(t, lowest), high = fmax(low, lowest ? -limit : limit);
    for (double middle = low + (high - low) / 2; middle > low && middle < high; middle = low + (high - low) / 2) {
        if (too_light(t, lowest, weight, middle))
            high = middle;
        else
            low = middle;
    }
    return lowest ? -high : high;
}

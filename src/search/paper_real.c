/* Numbers of tiles as real numbers, as the paper's tables have them.
 *
 * Each cost is a sum of products of powers, and so is each constraint: a geometric program, convex in the logarithms.
 * For a given p the rest is a closed form; p is found by golden-section search, after the points at which closed forms
 * have the optimum. */
#include "search/paper_loops.h"

#include <math.h>

/* The best of the rest for this p. */
static ashi_paper_counts complete(const ashi_paper_request *f, double p)
{
    const double q = fmax(1, f->need[0] / p), least = fmax(fmax(1, f->need[1] / p), f->need[2] / f->most[1]);
    double both = q, r = f->most[2];
    if (f->tile_q == 0) {
        both = f->most[1];
        r = f->tile_r == 0 ? r : least;
    } else if (f->tile_r == 0) {
        both = fmax(q, f->need[2] / r);
    } else { /* tile_q both + tile_r r, both r >= need */
        const double balanced = sqrt(f->tile_r * f->need[2] / f->tile_q);
        both = fmin(fmax(fmax(q, f->need[2] / f->most[2]), balanced), fmax(q, f->need[2] / least));
        r = fmax(least, f->need[2] / both);
    }
    return (ashi_paper_counts){p, q, fmax(both / q, 1), r};
}

static double cost_at(const ashi_paper_request *f, double p)
{
    const ashi_paper_counts n = complete(f, p);
    return ashi_paper_cost(f, &n);
}

static double search(const ashi_paper_request *f, double low, double high)
{
    const double ratio = (sqrt(5) - 1) / 2;
    double from = log(low), to = log(high);
    for (int i = 0; i < 120 && to - from > 1e-12; i++) {
        const double left = to - ratio * (to - from), right = from + ratio * (to - from);
        if (cost_at(f, exp(left)) <= cost_at(f, exp(right)))
            to = right;
        else
            from = left;
    }
    return exp((from + to) / 2);
}

/* The minimum of alpha x / p + beta p. */
static double balance(double alpha, double beta, double x)
{
    return beta > 0 ? sqrt(alpha * x / beta) : HUGE_VAL;
}

ashi_paper_counts ashi_paper_counts_real(const ashi_paper_request *f)
{
    const double low = fmax(fmax(1, f->need[0] / f->most[1]), f->need[1] / f->most[2]);
    const double high = fmax(low, fmin(f->most[0], fmax(f->need[0], f->need[1])));
    const double weight = f->third + f->tile_p;
    const double tried[] = {low, high, f->need[0], f->need[1], balance(f->second, weight, f->need[0]),
                            balance(f->second + f->tile_q, weight, f->need[0]), search(f, low, high)};
    double best = low;
    for (size_t i = 1; i < sizeof tried / sizeof tried[0]; i++) {
        const double p = fmin(fmax(tried[i], low), high);
        if (cost_at(f, p) < cost_at(f, best) * (1 - 1e-14)) /* not for the rounding of a search */
            best = p;
    }
    return ashi_paper_counts_shorten(f, complete(f, best), false);
}

/* Numbers of tiles as whole numbers, exactly, by branch and bound.
 *
 * A box of numbers is cut in two until its bound is no less than the best so far. The bound is the least cost in real
 * numbers, of the disk's part and of the network's part each for itself. */
#include "base/checked.h"
#include "search/paper_loops.h"

#include <math.h>

enum { P, Q, INNER, R, LOOPS };

typedef struct span {
    double low, high;
} span;

typedef struct box {
    span of[LOOPS];
} box;

typedef struct whole_search {
    const ashi_paper_request *f;
    bool inner_free, r_free; /* these loops cost nothing */
    ashi_paper_counts best;
    double cost;
} whole_search;

static void at_least(span *s, double value)
{
    s->low = fmax(s->low, ceil(value));
}

/* Beyond what the others need at most there is nothing to gain. */
static void at_most(span *s, double value)
{
    s->high = fmin(s->high, fmax(s->low, ceil(value)));
}

/* Leave out of a box what is not feasible, and what costs no less than something that stays. False: nothing stays. */
static bool tighten(const whole_search *w, box *b)
{
    const double x = w->f->need[0], y = w->f->need[1], z = w->inner_free ? 0 : w->f->need[2];
    span *p = &b->of[P], *q = &b->of[Q], *i = &b->of[INNER], *r = &b->of[R];
    for (int again = 0; again < 2; again++) {
        at_least(p, fmax(x / q->high, y / r->high));
        at_least(q, fmax(x / p->high, z / (i->high * r->high)));
        at_least(i, z / (q->high * r->high));
        at_least(r, fmax(y / p->high, z / (q->high * i->high)));
        for (int l = 0; l < LOOPS; l++)
            if (b->of[l].low > b->of[l].high)
                return false;
    }
    at_most(p, fmax(x / q->low, y / r->low));
    at_most(q, fmax(x / p->low, z / (i->low * r->low)));
    at_most(i, z / (q->low * r->low));
    if (!w->r_free)
        at_most(r, fmax(y / p->low, z / (q->low * i->low)));
    return true;
}

/* The least alpha u + beta v with u v >= x, in real numbers of a box that is feasible. */
static double pair(double alpha, span u, double beta, span v, double x)
{
    if (u.low * v.low >= x)
        return alpha * u.low + beta * v.low;
    const double from = fmax(u.low, x / v.high), to = fmax(from, fmin(u.high, x / v.low));
    const double balanced = alpha > 0 ? sqrt(beta * x / alpha) : to;
    const double at = fmin(fmax(balanced, from), to);
    return alpha * at + beta * fmax(v.low, x / at);
}

static double bound(const whole_search *w, const box *b)
{
    const ashi_paper_request *f = w->f;
    const span p = b->of[P], q = b->of[Q], i = b->of[INNER], r = b->of[R];
    if (f->tile_r == 0) /* p and q cost, and C has both */
        return pair(f->second + f->tile_q * i.low, q, f->third + f->tile_p, p, f->need[0]);
    const double disk = pair(f->second, q, f->third, p, f->need[0]);
    if (f->tile_q == 0)
        return disk + pair(f->tile_p, p, f->tile_r, r, f->need[1]);
    const span both = {q.low * i.low, q.high * i.high};
    return disk + pair(f->tile_q, both, f->tile_r, r, f->need[2]) + f->tile_p * p.low;
}

/* The best of these numbers with p and the inner loop as small as can be, or with q instead of p. */
static void offer(whole_search *w, const box *b, double q, double p, double r)
{
    const ashi_paper_request *f = w->f;
    const double z = w->inner_free ? 0 : f->need[2];
    ashi_paper_counts n = {p, q, 1, r};
    if (n.p == 0)
        n.p = fmax(b->of[P].low, ceil(fmax(f->need[0] / q, f->need[1] / r)));
    if (n.q == 0)
        n.q = fmax(b->of[Q].low, ceil(f->need[0] / p));
    n.inner = fmax(b->of[INNER].low, ceil(z / (n.q * r)));
    const bool fits = n.p <= b->of[P].high && n.q <= b->of[Q].high && n.inner <= b->of[INNER].high &&
                      n.p * r >= f->need[1];
    const double cost = ashi_paper_cost(f, &n);
    if (fits && cost < w->cost) {
        w->best = n;
        w->cost = cost;
    }
}

static void offer_corners(whole_search *w, const box *b)
{
    const span p = b->of[P], q = b->of[Q], r = b->of[R];
    offer(w, b, q.low, 0, r.low);
    offer(w, b, q.high, 0, r.high);
    offer(w, b, q.high, 0, r.low);
    offer(w, b, 0, p.low, r.high);
    offer(w, b, 0, p.high, r.low);
}

/* Where a box is cut: its loop of the largest ratio, at the geometric mean. -1: it is one point. */
static int widest(const box *b, double *middle)
{
    int loop = -1;
    double ratio = 1;
    for (int l = 0; l < LOOPS; l++)
        if (b->of[l].high > b->of[l].low && b->of[l].high / b->of[l].low > ratio) {
            ratio = b->of[l].high / b->of[l].low;
            loop = l;
        }
    if (loop >= 0)
        *middle = fmin(floor(sqrt(b->of[loop].low * b->of[loop].high)), b->of[loop].high - 1);
    return loop;
}

static bool is_worse(const whole_search *w, double least)
{
    return least >= w->cost * (1 - 1e-13); /* what rounding may be */
}

/* A box that is tight. They are halved, so that there are at most some 4 x 64 calls one in the other. */
static void visit(whole_search *w, const box *b)
{
    double middle = 0, least[2] = {HUGE_VAL, HUGE_VAL};
    offer_corners(w, b);
    const int loop = widest(b, &middle);
    if (loop < 0)
        return;
    box half[2] = {*b, *b};
    half[0].of[loop].high = middle;
    half[1].of[loop].low = middle + 1;
    for (int h = 0; h < 2; h++)
        if (tighten(w, &half[h]))
            least[h] = bound(w, &half[h]);
    const int first = least[1] < least[0];
    for (int h = 0; h < 2; h++)
        if (!is_worse(w, least[h ^ first]))
            visit(w, &half[h ^ first]);
}

ashi_paper_counts ashi_paper_counts_whole(const ashi_paper_request *f)
{
    whole_search w = {.f = f, .inner_free = f->tile_q == 0, .r_free = f->tile_r == 0, .cost = HUGE_VAL};
    const double r_least = fmax(1, ceil(f->need[2] / f->most[1])); /* q cannot be cut into more than single values */
    box all = {.of = {[P] = {1, f->most[0]}, [Q] = {1, f->most[1]}, [INNER] = {1, f->most[1]},
                      [R] = {r_least, f->most[2]}}};
    if (w.inner_free)
        all.of[INNER].high = 1;
    if (w.r_free)
        all.of[R].low = f->most[2];
    if (tighten(&w, &all))
        visit(&w, &all);
    return ashi_paper_counts_shorten(f, w.best, true);
}

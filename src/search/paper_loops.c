/* The loops of the six orders of reads. */
#include "search/paper_loops.h"

#include <math.h>

/* The two indices of A, B and C, by number. */
static bool has_index(int array, int index)
{
    static const int missing[3] = {ASHI_PAPER_J, ASHI_PAPER_I, ASHI_PAPER_K};
    return missing[array] != index;
}

static int shared_index(int one, int other)
{
    int index = 0;
    while (!has_index(one, index) || !has_index(other, index))
        index++;
    return index;
}

ashi_paper_loops ashi_paper_loops_of(int order)
{
    static const int arrays[ASHI_PAPER_ORDERS][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const int *a = arrays[order];
    return (ashi_paper_loops){.array = {a[0], a[1], a[2]}, .p = shared_index(a[0], a[1]),
                              .q = shared_index(a[0], a[2]), .r = shared_index(a[1], a[2])};
}

double ashi_paper_cost(const ashi_paper_request *f, const ashi_paper_counts *n)
{
    return f->second * n->q + (f->third + f->tile_p) * n->p + f->tile_q * n->q * n->inner + f->tile_r * n->r;
}

static double up(double value, bool whole)
{
    return fmax(whole ? ceil(value) : value, 1);
}

ashi_paper_counts ashi_paper_counts_shorten(const ashi_paper_request *f, ashi_paper_counts n, bool whole)
{
    if (f->tile_r == 0) {
        const double along_q = fmin(f->tile_q == 0 ? n.q : n.q * n.inner, f->most[1]);
        n.r = fmin(fmax(up(f->need[1] / n.p, whole), up(f->need[2] / along_q, whole)), f->most[2]);
    }
    if (f->tile_q == 0)
        n.inner = up(f->need[2] / (n.q * n.r), whole);
    return n;
}

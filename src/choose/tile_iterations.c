/* How the k of a product of matrices of tiles is cut into iterations. */
#include "choose/tile_iterations.h"

#include "base/checked.h"

#include <math.h>
#include <string.h>

/* PANELS: the tiles of A and B that come for the iterations in flight are 1 / PANELS of what a rank has of both at
 * most. ITERATIONS: the fewest; if tiles are absent, so that some iterations have more than others, SPARSE_ITERATIONS.
 * If these had less of k than the innermost product sums up at once, SHALLOW_ITERATIONS at least.
 * ALL_PARTS: where fewer iterations spare the memory of C, what comes is 1 / ALL_PARTS of A, B and C at most. */
enum { PANELS = 4, ITERATIONS = 8, SPARSE_ITERATIONS = 12, SHALLOW_ITERATIONS = 4, ALL_PARTS = 6 };

/* Fewer iterations spare the memory of C if it is read and written that much less often. */
static const double sparing = 0.8;

/* Of k, in all terms. */
static double inner_in_ranges(const ashi_iterations_request *p)
{
    double all = 0;
    for (int64_t q = 0; q < p->terms; q++)
        all += (double)(p->term[q].k->at[p->term[q].hi] - p->term[q].k->at[p->term[q].lo]);
    return all;
}

static bool same_parts(const int *x, const int *y, int64_t tiles)
{
    return x && y ? memcmp(x, y, (size_t)tiles * sizeof *x) == 0 : x == y;
}

/* Whether all tiles of op(A)'s rows, or of op(B)'s columns, are where C's are: then none of them is sent. */
static bool is_at_home(const ashi_iterations_request *p, int64_t q, int x)
{
    const ashi_iterations_factor *t = &p->term[q].x[x];
    const ashi_deal *c = p->c, *d = t->deal;
    const bool by_rows = (x == ASHLAR_A) == !t->turned;
    const int64_t parts = x == ASHLAR_A ? c->grid_rows : c->grid_cols;
    const int64_t grid[2] = {by_rows ? d->grid_rows : d->grid_cols, by_rows ? d->grid_cols : d->grid_rows};
    if (p->layered || c->owner || d->owner || t->half || c->grid_rows * c->grid_cols != parts || grid[0] != parts ||
        grid[1] != 1)
        return false;
    return memcmp(c->grid_rank, d->grid_rank, (size_t)parts * sizeof *d->grid_rank) == 0 &&
           same_parts(by_rows ? d->row_part : d->col_part, x == ASHLAR_A ? c->row_part : c->col_part,
                      p->cuts[x]->tiles);
}

/* The elements of A or B, if all tiles were there. */
static double cells_of(const ashi_iterations_request *p, int64_t q, int x)
{
    return (double)ashi_cuts_all(p->cuts[x]) * (double)ashi_cuts_all(p->term[q].k);
}

static bool are_full(const ashi_iterations_request *p)
{
    bool full = true;
    for (int64_t q = 0; q < p->terms; q++)
        for (int x = 0; x < 2; x++)
            full = full && p->term[q].x[x].words ==
                               ashi_mul_most(ashi_cuts_all(p->cuts[x]), ashi_cuts_all(p->term[q].k));
    return full;
}

/* How often the innermost product reads and writes C if an iteration has as many tiles of k as `most` elements hold. */
static double passes(const ashi_iterations_request *p, double most)
{
    const ashi_cuts *k = p->cuts[2];
    double count = 0;
    for (int64_t t = 1, begin = 0; t <= k->tiles; t++)
        if (t == k->tiles || (double)(k->at[t + 1] - k->at[begin]) > most) {
            count += ceil((double)(k->at[t] - k->at[begin]) / (double)p->depth);
            begin = t;
        }
    return count;
}

/* Full matrices: of `fewest` iterations and more, until they have half of the innermost product's depth each, the
 * number with which C is read least often. */
static double suit_sums(const ashi_iterations_request *p, double inner, double fewest)
{
    const double depth = (double)p->depth;
    double count = fewest, least = passes(p, inner / fewest);
    for (double more = fewest + 1; inner > fewest * depth && 2 * inner >= more * depth; more++) {
        const double now = passes(p, inner / more);
        count = now < least ? more : count;
        least = fmin(now, least);
    }
    return count;
}

/* Of the elements of op(A) or op(B), about how many are there. */
static double density(const ashi_iterations_request *p, int64_t q, int x)
{
    const ashi_iterations_factor *t = &p->term[q].x[x];
    const double cells = cells_of(p, q, x);
    return cells > 0 ? fmin(1, (double)t->words * (t->half ? 2 : 1) / cells) : 0;
}

/* How often a tile of C is read and written in `count` iterations, if the tiles of A and B are anywhere. In one
 * iteration that is how many of C's tiles there are. */
static double touches(const ashi_iterations_request *p, double count)
{
    const double tiles = (double)p->cuts[2]->tiles;
    double sum = 0, left = 1;
    for (int64_t q = 0; q < p->terms; q++) {
        const double own = (double)p->term[q].k->tiles, share = count * own / tiles;
        const double absent = 1 - density(p, q, 0) * density(p, q, 1);
        sum += own > 0 ? share * (1 - pow(absent, own / share)) : 0;
        left *= pow(absent, own);
    }
    return count > 1 ? sum : 1 - left;
}

/* If tiles are absent: of `count` iterations or fewer, in which `come` words of A and B come to a rank that has `words`
 * of both. Each iteration reads and writes the tiles of C that it has products for. Those of several products are so
 * once instead of several times if the products are in one iteration, which matters if tiles are small: there a product
 * takes little longer than moving its tile of C. */
static double spare_sums(const ashi_iterations_request *p, double come, double words, double count)
{
    const double cells = (double)ashi_cuts_all(p->cuts[0]) * (double)ashi_cuts_all(p->cuts[1]);
    const double room = (words + cells * touches(p, 1)) / ((double)p->ranks * ALL_PARTS * p->window);
    const double fewer = room > 0 ? fmax(SHALLOW_ITERATIONS, ceil(come / room)) : count;
    return fewer < count && touches(p, fewer) < sparing * touches(p, count) ? fewer : count;
}

double ashi_iterations_inner_most(const ashi_iterations_request *p)
{
    double words = 0, come = 0;
    const double ranks = (double)p->ranks, layers = p->layered ? (double)p->layers : 1;
    const double parts[2] = {(double)p->c->grid_rows, (double)p->c->grid_cols * layers};
    for (int64_t q = 0; q < p->terms; q++)
        for (int x = 0; x < 2; x++) {
            const double all = (double)p->term[q].x[x].words;
            words += all;
            come += is_at_home(p, q, x) ? 0 : all / parts[x];
        }
    const double room = words / (ranks * PANELS * p->window), inner = inner_in_ranges(p);
    const bool full = are_full(p);
    const double deep = full ? ITERATIONS : SPARSE_ITERATIONS;
    const double fewest = fmin(deep, fmax(SHALLOW_ITERATIONS, ceil(inner / (double)p->depth)));
    const double count = round(fmax(fewest, room > 0 ? come / room : 1));
    return inner / (ranks > 1 ? (full ? suit_sums(p, inner, count) : spare_sums(p, come, words, count)) : 1);
}

/* In how many iterations tiles lo to hi - 1 of k are if each has as many as it may. */
static int64_t least_iterations(const ashi_cuts *k, int64_t lo, int64_t hi, double most)
{
    int64_t count = 1;
    for (int64_t t = lo + 1, begin = lo; t < hi; t++)
        if ((double)(k->at[t + 1] - k->at[begin]) > most) {
            begin = t;
            count++;
        }
    return count;
}

/* Tiles lo to hi - 1 of k are cut about evenly: a short last iteration would take kernels and tables for tiles that are
 * too few to be merged. Returns how many iterations there are then, `count` before. */
static int64_t cut_range(const ashi_cuts *k, int64_t lo, int64_t hi, double most, int64_t *first, int64_t count)
{
    int64_t left = least_iterations(k, lo, hi, most);
    for (int64_t t = lo + 1, begin = lo; t < hi; t++) {
        const double share = (double)(k->at[hi] - k->at[begin]) / (double)left;
        const double size = (double)(k->at[t] - k->at[begin]), next = (double)ashi_cuts_size(k, t);
        if (size + next / 2 < share && size + next <= most)
            continue;
        first[count++] = begin = t;
        left = ashi_max(1, left - 1);
    }
    return count;
}

int64_t ashi_iterations_cut(const ashi_iterations_request *p, double most, int64_t *first)
{
    const ashi_cuts *k = p->cuts[2];
    int64_t count = 0;
    for (int64_t q = 0; q < p->terms; q++) {
        const ashi_iterations_term *t = &p->term[q];
        if (t->k->tiles == 0)
            continue;
        first[count++] = t->begin;
        count = cut_range(k, t->begin + t->lo, t->begin + t->hi, most, first, count);
    }
    first[count] = k->tiles;
    return count;
}

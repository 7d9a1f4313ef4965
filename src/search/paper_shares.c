/* Shares and movements of the paper's methods.
 *
 * Rotation on r x c ranks, r along I and c along J, is the paper's on sqrt P x sqrt P, generalised: K is cut into
 * s = lcm(r, c) pieces, of which each rank has s/c of A and s/r of B, and in s steps all of K passes by each rank. If
 * r = 1 blocks of B stay, if c = 1 those of A. */
#include "search/paper_shares.h"

#include "base/checked.h"

#include <math.h>

enum { A, B, C };

typedef struct cutter {
    const ashi_paper_problem *q;
    bool whole;
} cutter;

/* The length of an index that one of `parts` parts has. */
static double part(const cutter *u, int index, int64_t parts)
{
    const int64_t n = u->q->extent[index];
    return u->whole ? (double)ashi_ceil_div(n, parts) : (double)n / (double)parts;
}

/* Words of two indices cut so. One division, so that what is a whole number comes out as one. */
static double area(const cutter *u, int one, int64_t parts, int other, int64_t others)
{
    if (u->whole)
        return part(u, one, parts) * part(u, other, others);
    return (double)u->q->extent[one] * (double)u->q->extent[other] / ((double)parts * (double)others);
}

static void rotate(const cutter *u, bool inside, const int64_t grid[2], const bool resident[3], ashi_paper_shares *s)
{
    const int64_t r = grid[0], c = grid[1], steps = r / ashi_common_divisor(r, c) * c;
    const double a = area(u, ASHI_PAPER_I, r, ASHI_PAPER_K, 1), b = area(u, ASHI_PAPER_J, c, ASHI_PAPER_K, 1);
    const double own = area(u, ASHI_PAPER_I, r, ASHI_PAPER_J, c), moved[2] = {c > 1 ? a : 0, r > 1 ? b : 0};
    s->tiled[A] = area(u, ASHI_PAPER_I, r, ASHI_PAPER_K, inside ? c : steps);
    s->tiled[B] = area(u, ASHI_PAPER_J, c, ASHI_PAPER_K, inside ? r : steps);
    s->tiled[C] = s->each[C] = s->first = own;
    s->each[A] = inside ? s->tiled[A] : a;
    s->each[B] = inside ? s->tiled[B] : b;
    s->length[ASHI_PAPER_I] = part(u, ASHI_PAPER_I, r);
    s->length[ASHI_PAPER_J] = part(u, ASHI_PAPER_J, c);
    s->length[ASHI_PAPER_K] = part(u, ASHI_PAPER_K, inside ? ashi_min(r, c) : steps);
    if (inside) { /* a tile of A moves for each tile of J */
        s->with_tile[ASHI_PAPER_J] = moved[A];
        s->with_tile[ASHI_PAPER_I] = moved[B];
        return;
    }
    for (int x = 0; x < 2; x++)
        if (u->q->runs && resident[x] && moved[x] > 0)
            s->each[x] = x == A ? area(u, ASHI_PAPER_I, r, ASHI_PAPER_K, c) : area(u, ASHI_PAPER_J, c, ASHI_PAPER_K, r);
    s->each[C] = own * (double)steps;
    s->moved_once = moved[A] + moved[B];
    s->copied_writes = (resident[A] ? 0 : moved[A]) + (resident[B] ? 0 : moved[B]);
    s->copied_reads = s->copied_writes;
}

/* What a rank receives of an array with index i of which each rank has a part, cut along K. */
static double others(const cutter *u, int i, double all)
{
    const int64_t p = u->q->ranks;
    return u->whole ? all - (double)u->q->extent[i] * (double)(u->q->extent[ASHI_PAPER_K] / p)
                    : all * (double)(p - 1) / (double)p;
}

/* X, which is A or B with its index i, goes to all; the other one's index j is cut. */
static void replicate(const cutter *u, bool inside, int x, const bool resident[3], ashi_paper_shares *s)
{
    const int i = x == A ? ASHI_PAPER_I : ASHI_PAPER_J, j = x == A ? ASHI_PAPER_J : ASHI_PAPER_I, other = 1 - x;
    const int64_t p = u->q->ranks;
    const double all = area(u, i, 1, ASHI_PAPER_K, 1), own = area(u, i, 1, ASHI_PAPER_K, p);
    const double copied = p > 1 && !resident[x] ? all : 0;
    const double received = p < 2 ? 0 : u->q->runs ? others(u, i, all) : all * u->q->replicate;
    s->tiled[x] = all;
    s->tiled[other] = s->each[other] = area(u, j, p, ASHI_PAPER_K, 1);
    s->tiled[C] = s->each[C] = s->first = area(u, i, 1, j, p);
    s->each[x] = inside ? own : all;
    s->length[i] = part(u, i, 1);
    s->length[j] = part(u, j, p);
    s->length[ASHI_PAPER_K] = part(u, ASHI_PAPER_K, 1);
    if (inside) {
        s->with_read[x] = received;
        return;
    }
    s->moved_once = received;
    s->copied_writes = copied;
    s->copied_reads = (u->q->transfer_reads || u->q->runs) && p > 1 ? own : 0;
    if (u->q->runs && resident[x] && p > 1)
        s->each[x] = 0;
}

/* Each rank sums over its part of K; then all are added up. */
static void accumulate(const cutter *u, bool inside, const bool resident[3], ashi_paper_shares *s)
{
    const int64_t p = u->q->ranks;
    const double all = area(u, ASHI_PAPER_I, 1, ASHI_PAPER_J, 1);
    const double copied = p > 1 && !resident[C] ? all : 0, rows = area(u, ASHI_PAPER_I, p, ASHI_PAPER_J, 1);
    const double received = p < 2 ? 0 : u->q->runs ? all + (double)(p - 2) * rows : all * u->q->reduce;
    s->tiled[A] = s->each[A] = area(u, ASHI_PAPER_I, 1, ASHI_PAPER_K, p);
    s->tiled[B] = s->each[B] = area(u, ASHI_PAPER_J, 1, ASHI_PAPER_K, p);
    s->tiled[C] = s->each[C] = s->first = all;
    for (int d = 0; d < 3; d++)
        s->length[d] = part(u, d, d == ASHI_PAPER_K ? p : 1);
    if (inside) {
        s->with_read[C] = received;
        return;
    }
    s->moved_once = received;
    s->copied_writes = copied;
    s->copied_reads = (u->q->transfer_reads || u->q->runs) && copied > 0 ? rows : 0;
    s->first = copied > 0 ? rows : all;
}

ashi_paper_shares ashi_paper_shares_of(const ashi_paper_problem *q, bool inside, ashi_paper_method method,
                                       const int64_t grid[2], const bool resident[3], bool whole)
{
    const cutter u = {q, whole};
    ashi_paper_shares s = {0};
    if (method == ASHI_PAPER_ROTATION)
        rotate(&u, inside, grid, resident, &s);
    else if (method == ASHI_PAPER_ACCUMULATION)
        accumulate(&u, inside, resident, &s);
    else
        replicate(&u, inside, method == ASHI_PAPER_REPLICATION_A ? A : B, resident, &s);
    return s;
}

void ashi_paper_residents(const ashi_paper_problem *q, const ashi_paper_shares *s, bool resident[3])
{
    for (int x = 0; x < 3; x++)
        resident[x] = s->tiled[x] <= (double)q->tile_words;
}

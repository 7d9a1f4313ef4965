/* The determinant that a file of integrals means, whatever the order of its orbitals. */
#include "reference.h"

#include "open_shell.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Files have few digits, and calculations end before all is exact. */
static const double NEAR = 1e-4;

/* Pairs of electrons in each orbital: 0 or 1, or anything between if they are spread. */
typedef struct pairs {
    double in[FCIDUMP_ORBITALS_MOST];
} pairs;

/* Why a determinant may be the one: the most important comes first. */
enum { LISTED, STATIONARY, ORDERED, FIRST, REASONS };

typedef struct determinant {
    pairs of;
    bool is[REASONS];
    double energy; /* without the core's */
} determinant;

/* ---- energies ---- */

static double two_electrons(const fcidump *f, int64_t p, int64_t q, int64_t r, int64_t s)
{
    const int64_t n = f->orbitals;
    return f->two[((p * n + q) * n + r) * n + s];
}

/* What a pair of electrons in q adds to the energy of an electron in p. */
static double repulsion(const fcidump *f, int64_t p, int64_t q)
{
    return 2 * two_electrons(f, p, p, q, q) - two_electrons(f, p, q, q, p);
}

/* An element of the Fock matrix. */
static double fock(const fcidump *f, const pairs *of, int64_t p, int64_t q)
{
    double sum = f->one[p * f->orbitals + q];
    for (int64_t i = 0; i < f->orbitals; i++)
        if (of->in[i] > 0)
            sum += of->in[i] * (2 * two_electrons(f, p, q, i, i) - two_electrons(f, p, i, i, q));
    return sum;
}

static void fock_diagonal(const fcidump *f, const pairs *of, double *e)
{
    for (int64_t p = 0; p < f->orbitals; p++)
        e[p] = fock(f, of, p, p);
}

/* ---- determinants ---- */

static pairs lowest(const fcidump *f, const double *e)
{
    pairs of = {{0}};
    for (int64_t i = 0; i < f->electrons / 2; i++) {
        int64_t best = -1;
        for (int64_t p = 0; p < f->orbitals; p++)
            if (of.in[p] == 0 && (best < 0 || e[p] < e[best]))
                best = p;
        of.in[best] = 1;
    }
    return of;
}

static bool same(const fcidump *f, const pairs *a, const pairs *b)
{
    for (int64_t p = 0; p < f->orbitals; p++)
        if ((a->in[p] > 0) != (b->in[p] > 0))
            return false;
    return true;
}

/* Occupy the lowest orbitals until they stay the lowest, or long enough: some go round in a circle. */
static pairs reoccupy(const fcidump *f, pairs of)
{
    double e[FCIDUMP_ORBITALS_MOST];
    for (int64_t step = 0; step < f->orbitals; step++) {
        fock_diagonal(f, &of, e);
        const pairs next = lowest(f, e);
        if (same(f, &next, &of))
            break;
        of = next;
    }
    return of;
}

/* Move the pair of electrons that lowers the energy most. Returns false if none does. */
static bool move_pair(const fcidump *f, pairs *of)
{
    double e[FCIDUMP_ORBITALS_MOST], most = -NEAR;
    int64_t from = -1, to = -1;
    fock_diagonal(f, of, e);
    for (int64_t i = 0; i < f->orbitals; i++)
        for (int64_t a = 0; a < f->orbitals; a++) {
            const double change = 2 * (e[a] - e[i]) - 2 * repulsion(f, a, i) + repulsion(f, i, i) + repulsion(f, a, a);
            if (of->in[i] == 0 || of->in[a] > 0 || !(change < most))
                continue;
            most = change;
            from = i;
            to = a;
        }
    if (from < 0)
        return false;
    of->in[from] = 0;
    of->in[to] = 1;
    return true;
}

static pairs descend(const fcidump *f, pairs of)
{
    for (int64_t step = 0; step < f->orbitals * f->orbitals && move_pair(f, &of); step++)
        ;
    return of;
}

/* ---- which one ---- */

/* The largest element of the Fock matrix between occupied and virtual orbitals. */
static double coupling(const fcidump *f, const pairs *of)
{
    double most = 0;
    for (int64_t i = 0; i < f->orbitals; i++)
        for (int64_t a = 0; a < f->orbitals; a++)
            if (of->in[i] > 0 && of->in[a] == 0)
                most = fmax(most, fabs(fock(f, of, i, a)));
    return most;
}

static determinant describe(const fcidump *f, pairs of)
{
    determinant d = {.of = of, .is = {[LISTED] = f->energy != NULL, [FIRST] = true}};
    double e[FCIDUMP_ORBITALS_MOST], highest = -INFINITY, least = INFINITY;
    fock_diagonal(f, &of, e);
    for (int64_t p = 0; p < f->orbitals; p++) {
        d.is[LISTED] = d.is[LISTED] && fabs(e[p] - f->energy[p]) < NEAR;
        d.is[FIRST] = d.is[FIRST] && (of.in[p] > 0) == (p < f->electrons / 2);
        highest = of.in[p] > 0 ? fmax(highest, e[p]) : highest;
        least = of.in[p] > 0 ? least : fmin(least, e[p]);
        d.energy += of.in[p] * (e[p] + f->one[p * f->orbitals + p]);
    }
    d.is[ORDERED] = highest < least;
    d.is[STATIONARY] = coupling(f, &of) < NEAR;
    return d;
}

static void consider(const fcidump *f, pairs of, determinant *best)
{
    const determinant d = describe(f, of);
    int reason = 0;
    while (reason < REASONS && d.is[reason] == best->is[reason])
        reason++;
    if (reason < REASONS ? d.is[reason] : d.energy < best->energy)
        *best = d;
}

/* All that follows from one start. */
static void consider_from(const fcidump *f, pairs of, determinant *best)
{
    consider(f, reoccupy(f, of), best);
    of = descend(f, of);
    consider(f, of, best);
    consider(f, reoccupy(f, of), best);
}

static determinant best_determinant(const fcidump *f)
{
    double e[FCIDUMP_ORBITALS_MOST];
    pairs first = {{0}}, spread = {{0}};
    for (int64_t p = 0; p < f->orbitals; p++) {
        first.in[p] = p < f->electrons / 2;
        spread.in[p] = (double)f->electrons / 2 / (double)f->orbitals;
        e[p] = f->one[p * f->orbitals + p];
    }
    determinant best = describe(f, first);
    consider_from(f, first, &best);
    consider_from(f, lowest(f, e), &best);
    fock_diagonal(f, &spread, e);
    consider_from(f, lowest(f, e), &best);
    for (int64_t p = 0; p < f->orbitals; p++)
        e[p] = f->energy && isfinite(f->energy[p]) ? f->energy[p] : INFINITY;
    consider(f, lowest(f, e), &best);
    consider_from(f, lowest(f, e), &best);
    return best;
}

/* Orbitals that are occupied. */
static int64_t occupied_of(const fcidump *f)
{
    return f->open ? f->electrons : f->electrons / 2;
}

/* Read "1-3,5". Returns false if it is no list of as many orbitals as are occupied. */
static bool read_list(const fcidump *f, const char *text, pairs *of)
{
    int64_t count = 0;
    for (const char *comma = ","; *comma == ','; comma = text) {
        char *end = NULL;
        const long long from = strtoll(text + (comma == text), &end, 10);
        const long long to = *end == '-' ? strtoll(end + 1, &end, 10) : from;
        if (from < 1 || to < from || to > f->orbitals)
            return false;
        for (long long p = from - 1; p < to; p++) {
            count += of->in[p] == 0 ? 1 : f->orbitals;
            of->in[p] = 1;
        }
        text = end;
    }
    return *text == '\0' && count == occupied_of(f);
}

/* "orbitals 1-3, 5 are occupied" */
static void write_list(const fcidump *f, const pairs *of, char *text, size_t room)
{
    size_t used = (size_t)snprintf(text, room, f->open ? "spin orbitals" : "orbitals");
    for (int64_t p = 0, end; p < f->orbitals && used < room; p = end) {
        for (end = p; end < f->orbitals && of->in[end] > 0; end++)
            ;
        if (end == p) {
            end++;
            continue;
        }
        used += (size_t)snprintf(text + used, room - used, "%s %lld", text[used - 1] == 's' ? "" : ",",
                                 (long long)p + 1);
        if (end > p + 1 && used < room)
            used += (size_t)snprintf(text + used, room - used, "-%lld", (long long)end);
    }
    if (used < room)
        snprintf(text + used, room - used, " are occupied");
}

static int choose(const fcidump *f, const char *occupied, pairs *of, char *text, size_t room)
{
    if (occupied && !read_list(f, occupied, of)) {
        snprintf(text, room, "'%s' does not list %lld different orbitals of 1 to %lld, as in 1-3,5", occupied,
                 (long long)occupied_of(f), (long long)f->orbitals);
        return -1;
    }
    if (!occupied && f->open) {
        bool in[FCIDUMP_ORBITALS_MOST];
        if (!open_shell_occupied(f, in)) {
            snprintf(text, room, "which spin orbitals are occupied cannot be told: name them (OCCUPIED, as in 1-3,5)");
            return -1;
        }
        for (int64_t p = 0; p < f->orbitals; p++)
            of->in[p] = in[p];
    } else if (!occupied) {
        const determinant best = best_determinant(f);
        *of = best.of;
        if (!best.is[LISTED] && !best.is[STATIONARY] && !best.is[ORDERED]) {
            snprintf(text, room, "which orbitals are occupied cannot be told: name them (OCCUPIED, as in 1-3,5)");
            return -1;
        }
    }
    write_list(f, of, text, room);
    return 0;
}

int reference_prepare(fcidump *f, const char *occupied, char *text, size_t room)
{
    int rank, result = 0;
    pairs of = {{0}};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        result = choose(f, occupied, &of, text, room);
    MPI_Bcast(&result, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(text, (int)room, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Bcast(of.in, FCIDUMP_ORBITALS_MOST, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int64_t p = 0, front = 0; p < f->orbitals && result == 0; p++)
        if (of.in[p] > 0)
            fcidump_swap(f, front++, p);
    return result;
}

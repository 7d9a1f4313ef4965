/* The determinant that integrals over spin orbitals mean. */
#include "open_shell.h"

#include <math.h>
#include <string.h>

/* Files have few digits, and calculations end before all is exact. */
static const double NEAR = 1e-4;

typedef struct determinant {
    bool in[FCIDUMP_ORBITALS_MOST];
    bool stationary;
    double energy; /* without the core's */
} determinant;

/* (pp|qq) - (pq|qp) */
static double repulsion(const fcidump *f, int64_t p, int64_t q)
{
    return fcidump_integral(f, p, q, p, q);
}

static double fock(const fcidump *f, const bool *in, int64_t p, int64_t q)
{
    double sum = f->one[p * f->orbitals + q];
    for (int64_t i = 0; i < f->orbitals; i++)
        sum += in[i] ? fcidump_integral(f, p, i, q, i) : 0;
    return sum;
}

/* Occupy the orbitals of each spin that are lowest by e. */
static void lowest(const fcidump *f, const double *e, bool *in)
{
    memset(in, 0, FCIDUMP_ORBITALS_MOST * sizeof *in);
    for (int64_t n = 0; n < f->electrons; n++) {
        const int64_t spin = n >= f->alpha;
        int64_t best = -1;
        for (int64_t p = spin; p < f->orbitals; p += 2)
            if (!in[p] && (best < 0 || e[p] < e[best]))
                best = p;
        in[best] = true;
    }
}

/* Occupy the lowest orbitals until they stay the lowest, or long enough: some go round in a circle. */
static void reoccupy(const fcidump *f, bool *in)
{
    double e[FCIDUMP_ORBITALS_MOST];
    for (int64_t step = 0; step < f->orbitals; step++) {
        bool next[FCIDUMP_ORBITALS_MOST];
        for (int64_t p = 0; p < f->orbitals; p++)
            e[p] = fock(f, in, p, p);
        lowest(f, e, next);
        if (memcmp(in, next, sizeof next) == 0)
            return;
        memcpy(in, next, sizeof next);
    }
}

/* Move the electron that lowers the energy most, keeping its spin. Returns false if none does. */
static bool move_electron(const fcidump *f, bool *in)
{
    double e[FCIDUMP_ORBITALS_MOST], most = -NEAR;
    int64_t from = -1, to = -1;
    for (int64_t p = 0; p < f->orbitals; p++)
        e[p] = fock(f, in, p, p);
    for (int64_t i = 0; i < f->orbitals; i++)
        for (int64_t a = i % 2; a < f->orbitals; a += 2) {
            const double change = e[a] - e[i] - repulsion(f, i, a);
            if (!in[i] || in[a] || !(change < most))
                continue;
            most = change;
            from = i;
            to = a;
        }
    if (from < 0)
        return false;
    in[from] = false;
    in[to] = true;
    return true;
}

/* The mean of the elements between orbitals p and q of those spins in which p is occupied and q not. */
static double mean_fock(const fcidump *f, const bool *in, int64_t p, int64_t q)
{
    double sum = 0;
    int spins = 0;
    for (int64_t spin = 0; spin < 2; spin++) {
        const int64_t i = p / 2 * 2 + spin, a = q / 2 * 2 + spin;
        if (!in[i] || in[a])
            continue;
        sum += fock(f, in, i, a);
        spins++;
    }
    return sum / spins;
}

static void consider(const fcidump *f, const bool *in, determinant *best)
{
    determinant d = {0};
    double most = 0, most_mean = 0;
    memcpy(d.in, in, sizeof d.in);
    for (int64_t p = 0; p < f->orbitals; p++) {
        if (!in[p])
            continue;
        d.energy += (fock(f, in, p, p) + f->one[p * f->orbitals + p]) / 2;
        for (int64_t q = p % 2; q < f->orbitals; q += 2) {
            most = in[q] ? most : fmax(most, fabs(fock(f, in, p, q)));
            most_mean = in[q] ? most_mean : fmax(most_mean, fabs(mean_fock(f, in, p, q)));
        }
    }
    d.stationary = fmin(most, most_mean) < NEAR;
    if (d.stationary != best->stationary ? d.stationary : d.energy < best->energy)
        *best = d;
}

static void consider_from(const fcidump *f, const double *e, determinant *best)
{
    bool in[FCIDUMP_ORBITALS_MOST], moved[FCIDUMP_ORBITALS_MOST];
    lowest(f, e, in);
    consider(f, in, best);
    memcpy(moved, in, sizeof moved);
    reoccupy(f, in);
    consider(f, in, best);
    for (int64_t step = 0; step < f->orbitals * f->orbitals && move_electron(f, moved); step++)
        ;
    consider(f, moved, best);
}

bool open_shell_occupied(const fcidump *f, bool occupied[FCIDUMP_ORBITALS_MOST])
{
    double e[FCIDUMP_ORBITALS_MOST];
    determinant best = {.energy = INFINITY};
    for (int64_t p = 0; p < f->orbitals; p++)
        e[p] = (double)p;
    consider_from(f, e, &best);
    for (int64_t p = 0; p < f->orbitals; p++)
        e[p] = f->energy && isfinite(f->energy[p]) ? f->energy[p] : (double)p;
    consider_from(f, e, &best);
    for (int64_t p = 0; p < f->orbitals; p++)
        e[p] = f->one[p * f->orbitals + p];
    consider_from(f, e, &best);
    memcpy(occupied, best.in, sizeof best.in);
    return best.stationary;
}

/* Reading integrals, and integrals over spin orbitals. */
#include "fcidump.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fcidump_free(fcidump *f)
{
    free(f->one);
    free(f->two);
    free(f->energy);
    *f = (fcidump){0};
}

/* The header ends with "&END", "/" or "$END" at the beginning of a word. NULL: it does not end. */
static const char *end_of_header(const char *text)
{
    for (const char *c = text; *c; c++) {
        const bool begins = c == text || isspace((unsigned char)c[-1]) || c[-1] == ',';
        if (begins && *c == '/')
            return c + 1;
        if (begins && (*c == '&' || *c == '$') && toupper((unsigned char)c[1]) == 'E' &&
            toupper((unsigned char)c[2]) == 'N' && toupper((unsigned char)c[3]) == 'D')
            return c + 4;
    }
    return NULL;
}

/* What stands after "NAME=" in the header; NULL: nothing. */
static const char *setting(const char *text, const char *end, const char *name)
{
    const size_t length = strlen(name);
    for (const char *c = text; c + length < end; c++) {
        size_t same = 0;
        while (same < length && toupper((unsigned char)c[same]) == name[same])
            same++;
        if (same < length || (c > text && isalnum((unsigned char)c[-1])))
            continue;
        c += length;
        c += strspn(c, " \t");
        if (c < end && *c == '=')
            return c + 1 + strspn(c + 1, " \t");
    }
    return NULL;
}

static int fail(fcidump *f, char *message, size_t room, int line, const char *says)
{
    fcidump_free(f);
    snprintf(message, room, "line %d: %s", line, says);
    return -1;
}

static void set_two(const fcidump *f, int64_t p, int64_t q, int64_t r, int64_t s, double value)
{
    const int64_t n = f->orbitals;
    f->two[((p * n + q) * n + r) * n + s] = f->two[((q * n + p) * n + r) * n + s] = value;
    f->two[((p * n + q) * n + s) * n + r] = f->two[((q * n + p) * n + s) * n + r] = value;
}

/* "value p q r s": (pq|rs); "value p q 0 0": one electron; "value p 0 0 0": an orbital energy. */
static bool set(fcidump *f, double value, const long long *index)
{
    bool good = isfinite(value);
    int zeros = 0;
    for (int i = 0; i < 4; i++) {
        good = good && index[i] >= 0 && index[i] <= f->orbitals && (zeros == 0 || index[i] == 0);
        zeros += index[i] == 0;
    }
    if (!good || zeros == 1)
        return false;
    const int64_t p = index[0] - 1, q = index[1] - 1, r = index[2] - 1, s = index[3] - 1;
    if (zeros == 4)
        f->core = value;
    if (zeros == 3)
        f->energy[p] = value;
    if (zeros == 2)
        f->one[p * f->orbitals + q] = f->one[q * f->orbitals + p] = value;
    if (zeros == 0) {
        set_two(f, p, q, r, s, value);
        set_two(f, r, s, p, q, value);
    }
    return true;
}

const char *fcidump_mistake(const fcidump *f)
{
    if (f->orbitals < 1 || f->orbitals > FCIDUMP_ORBITALS_MOST)
        return "wanted from 1 to 128 orbitals";
    if (f->open && (f->alpha < 0 || f->alpha > f->electrons || 2 * f->alpha > f->orbitals ||
                    2 * (f->electrons - f->alpha) > f->orbitals))
        return "wanted MS2 and the number of electrons to fit each other and the orbitals";
    if (f->electrons < 2 || f->electrons >= fcidump_spin_orbitals(f) || (!f->open && f->electrons % 2 != 0))
        return "wanted at least 2 electrons and fewer than two for each orbital, an even number if MS2=0";
    return NULL;
}

/* A number as C or Fortran writes it (Fortran's exponents may begin with D), and four indices. Returns what follows;
 * NULL: there are other things. */
static const char *read_integral(const char *text, double *value, long long *index)
{
    char number[64] = "", *stop = NULL;
    const size_t length = strcspn(text, " \t\r\n");
    if (length >= sizeof number)
        return NULL;
    for (size_t i = 0; i < length; i++)
        number[i] = text[i] == 'D' || text[i] == 'd' ? 'e' : text[i];
    *value = strtod(number, &stop);
    if (length == 0 || stop != number + length)
        return NULL;
    text += length;
    for (int i = 0; i < 4; i++) {
        text += strspn(text, " \t");
        index[i] = strtoll(text, &stop, 10);
        if (stop == text || *text == '\n')
            return NULL;
        text = stop;
    }
    return text;
}

/* ---- the header ---- */

/* What the header says besides numbers of orbitals and electrons. */
typedef struct layout {
    bool own;      /* each spin has orbitals of its own */
    bool sections; /* these are counted by NORB, in sections that end with a line of zeros; else NORB counts both */
} layout;

static bool is_true(const char *value)
{
    if (!value)
        return false;
    value += *value == '.';
    return toupper((unsigned char)*value) == 'T' ||
           (isdigit((unsigned char)*value) && strtoll(value, NULL, 10) != 0);
}

/* Lines with four zeros: the last has the energy of the nuclei, others end a section. */
static int lines_of_zeros(const char *at)
{
    int count = 0;
    while (at) {
        double value;
        long long index[4] = {0};
        at += strspn(at, " \t\r\n");
        at = *at ? read_integral(at, &value, index) : NULL;
        count += at && index[0] == 0 && index[1] == 0 && index[2] == 0 && index[3] == 0;
    }
    return count;
}

static int allocate(fcidump *f)
{
    const size_t n = (size_t)f->orbitals;
    f->one = calloc(n * n, sizeof *f->one);
    f->two = calloc(n * n * n * n, sizeof *f->two);
    f->energy = calloc(n, sizeof *f->energy);
    for (size_t p = 0; p < n && f->energy; p++)
        f->energy[p] = NAN;
    return f->one && f->two && f->energy ? 0 : -1;
}

static int read_header(const char *text, const char *end, fcidump *f, layout *how, char *message, size_t room)
{
    const char *orbitals = setting(text, end, "NORB"), *electrons = setting(text, end, "NELEC");
    const char *spin = setting(text, end, "MS2");
    const long long unpaired = spin ? strtoll(spin, NULL, 10) : 0;
    how->own = is_true(setting(text, end, "UHF")) || is_true(setting(text, end, "IUHF"));
    how->sections = how->own && lines_of_zeros(end) > 1;
    f->orbitals = orbitals ? strtoll(orbitals, NULL, 10) : 0;
    f->electrons = electrons ? strtoll(electrons, NULL, 10) : 0;
    if (f->orbitals < 1 || f->orbitals > FCIDUMP_ORBITALS_MOST)
        return fail(f, message, room, 1, "wanted from 1 to 128 orbitals");
    f->open = how->own || unpaired != 0;
    f->shared = f->open && !how->own;
    if (f->open && (f->electrons < 0 || f->electrons > 2 * FCIDUMP_ORBITALS_MOST || unpaired > f->electrons ||
                    unpaired < -f->electrons || (f->electrons + unpaired) % 2 != 0))
        return fail(f, message, room, 1, "wanted MS2 and the number of electrons to fit each other and the orbitals");
    f->alpha = f->open ? (f->electrons + unpaired) / 2 : 0;
    f->orbitals *= f->open && (f->shared || how->sections) ? 2 : 1;
    if (f->orbitals > FCIDUMP_ORBITALS_MOST)
        return fail(f, message, room, 1, "wanted at most 64 orbitals of each spin, if MS2 is not 0 or UHF is set");
    if (f->orbitals % 2 != 0 && f->open)
        return fail(f, message, room, 1, "wanted as many orbitals with spin alpha as with beta");
    if (fcidump_mistake(f))
        return fail(f, message, room, 1, fcidump_mistake(f));
    return allocate(f) == 0 ? 0 : fail(f, message, room, 1, "not enough memory");
}

/* ---- spins ---- */

/* Set what a line of a file means, whose orbitals are counted as the header says. `section` is 0 to 2 for integrals
 * (aa|aa), (bb|bb), (aa|bb), then 3 and 4 for one electron of each spin. */
static bool set_spins(fcidump *f, const layout *how, int section, double value, const long long *index)
{
    static const int spins[5][2] = {{0, 0}, {1, 1}, {0, 1}, {0, 0}, {1, 1}};
    if (!f->open || (how->own && !how->sections))
        return set(f, value, index);
    bool good = section < 5 || index[0] == 0;
    for (int pair = 0; pair < 4 && good; pair++) {
        const int *const own_spin = spins[section % 5];
        const int spin[2] = {f->shared ? pair % 2 : own_spin[0], f->shared ? pair / 2 : own_spin[1]};
        long long own[4];
        for (int i = 0; i < 4; i++) {
            if (index[i] < 0 || index[i] > f->orbitals / 2)
                return false;
            own[i] = index[i] == 0 ? 0 : 2 * index[i] - 1 + spin[i / 2];
        }
        good = good && set(f, value, own);
        if (!f->shared)
            break;
    }
    return good;
}

int fcidump_read(const char *text, fcidump *out, char *message, size_t room)
{
    *out = (fcidump){0};
    const char *at = end_of_header(text);
    layout how;
    int line = 1, section = 0;
    if (!at)
        return fail(out, message, room, line, "the header does not end: wanted &END or /");
    if (read_header(text, at, out, &how, message, room) != 0)
        return -1;
    for (const char *c = text; c < at; c++)
        line += *c == '\n';
    while (at) {
        double value = 0;
        long long index[4] = {0};
        const size_t spaces = strspn(at, " \t\r\n");
        for (size_t i = 0; i < spaces; i++)
            line += at[i] == '\n';
        at += spaces;
        if (!*at)
            return 0;
        at = read_integral(at, &value, index);
        const bool ends = at && how.sections && section < 5 && index[0] == 0 && value == 0;
        if (ends)
            section++;
        else if (at && !set_spins(out, &how, section, value, index))
            at = NULL;
    }
    return fail(out, message, room, line, "wanted a number and four indices of orbitals");
}

/* Exchange values i and j of one index of an array; `outer` and `inner` are the products of the extents before and
 * after that index. */
static void swap_along(double *a, int64_t outer, int64_t n, int64_t inner, int64_t i, int64_t j)
{
    for (int64_t k = 0; k < outer; k++)
        for (int64_t l = 0; l < inner; l++) {
            double *x = &a[(k * n + i) * inner + l], *y = &a[(k * n + j) * inner + l];
            const double held = *x;
            *x = *y;
            *y = held;
        }
}

void fcidump_swap(fcidump *f, int64_t i, int64_t j)
{
    const int64_t n = f->orbitals;
    if (i == j)
        return;
    for (int64_t outer = 1; outer <= n; outer *= n)
        swap_along(f->one, outer, n, n / outer, i, j);
    for (int64_t outer = 1; outer <= n * n * n; outer *= n)
        swap_along(f->two, outer, n, n * n * n / outer, i, j);
    if (f->energy)
        swap_along(f->energy, 1, n, 1, i, j);
}

int64_t fcidump_spin_orbitals(const fcidump *f)
{
    return f->open ? f->orbitals : 2 * f->orbitals;
}

static double coulomb(const fcidump *f, int64_t p, int64_t q, int64_t r, int64_t s)
{
    const int64_t n = f->orbitals;
    if (f->open)
        return f->two[((p * n + q) * n + r) * n + s];
    return p % 2 == q % 2 && r % 2 == s % 2 ? f->two[((p / 2 * n + q / 2) * n + r / 2) * n + s / 2] : 0;
}

double fcidump_integral(const fcidump *f, int64_t p, int64_t q, int64_t r, int64_t s)
{
    return coulomb(f, p, r, q, s) - coulomb(f, p, s, q, r);
}

static double one_electron(const fcidump *f, int64_t p, int64_t q)
{
    if (f->open)
        return f->one[p * f->orbitals + q];
    return p % 2 == q % 2 ? f->one[p / 2 * f->orbitals + q / 2] : 0;
}

double fcidump_fock(const fcidump *f, int64_t p, int64_t q)
{
    double sum = one_electron(f, p, q);
    for (int64_t i = 0; i < f->electrons; i++)
        sum += fcidump_integral(f, p, i, q, i);
    return sum;
}

double fcidump_coupling(const fcidump *f)
{
    const int64_t next = f->open ? 1 : 2;
    double most = 0;
    for (int64_t p = 0; p < fcidump_spin_orbitals(f); p += next)
        for (int64_t q = 0; q < p; q += next)
            most = fmax(most, fabs(fcidump_fock(f, p, q)));
    return most;
}

bool fcidump_in_order(const fcidump *f)
{
    double highest = -INFINITY, lowest = INFINITY;
    for (int64_t p = 0; p < 2 * f->orbitals && !f->open; p += 2) {
        const double e = fcidump_fock(f, p, p);
        highest = p < f->electrons ? fmax(highest, e) : highest;
        lowest = p < f->electrons ? lowest : fmin(lowest, e);
    }
    return highest < lowest;
}

double fcidump_energy(const fcidump *f)
{
    double sum = f->core;
    for (int64_t i = 0; i < f->electrons; i++)
        sum += (fcidump_fock(f, i, i) + one_electron(f, i, i)) / 2;
    return sum;
}

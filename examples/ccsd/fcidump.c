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
    if (f->electrons < 2 || f->electrons >= 2 * f->orbitals || f->electrons % 2 != 0)
        return "wanted an even number of electrons, at least 2 and less than two for each orbital";
    return NULL;
}

static int read_header(const char *text, const char *end, fcidump *f, char *message, size_t room)
{
    const char *orbitals = setting(text, end, "NORB"), *electrons = setting(text, end, "NELEC");
    const char *spin = setting(text, end, "MS2"), *uhf = setting(text, end, "UHF");
    const char *iuhf = setting(text, end, "IUHF");
    f->orbitals = orbitals ? strtoll(orbitals, NULL, 10) : 0;
    f->electrons = electrons ? strtoll(electrons, NULL, 10) : 0;
    if (fcidump_mistake(f))
        return fail(f, message, room, 1, fcidump_mistake(f));
    if ((spin && strtoll(spin, NULL, 10) != 0) || (iuhf && strtoll(iuhf, NULL, 10) != 0) ||
        (uhf && (strncmp(uhf, ".T", 2) == 0 || strncmp(uhf, ".t", 2) == 0)))
        return fail(f, message, room, 1, "wanted MS2=0 and the same orbitals for both spins");
    const size_t n = (size_t)f->orbitals;
    f->one = calloc(n * n, sizeof *f->one);
    f->two = calloc(n * n * n * n, sizeof *f->two);
    f->energy = calloc(n, sizeof *f->energy);
    for (size_t p = 0; p < n && f->energy; p++)
        f->energy[p] = NAN;
    return f->one && f->two && f->energy ? 0 : fail(f, message, room, 1, "not enough memory");
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

int fcidump_read(const char *text, fcidump *out, char *message, size_t room)
{
    *out = (fcidump){0};
    const char *at = end_of_header(text);
    int line = 1;
    if (!at)
        return fail(out, message, room, line, "the header does not end: wanted &END or /");
    if (read_header(text, at, out, message, room) != 0)
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
        if (at && !set(out, value, index))
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

static double coulomb(const fcidump *f, int64_t p, int64_t q, int64_t r, int64_t s)
{
    const int64_t n = f->orbitals;
    return p % 2 == q % 2 && r % 2 == s % 2 ? f->two[((p / 2 * n + q / 2) * n + r / 2) * n + s / 2] : 0;
}

double fcidump_integral(const fcidump *f, int64_t p, int64_t q, int64_t r, int64_t s)
{
    return coulomb(f, p, r, q, s) - coulomb(f, p, s, q, r);
}

double fcidump_fock(const fcidump *f, int64_t p, int64_t q)
{
    double sum = p % 2 == q % 2 ? f->one[p / 2 * f->orbitals + q / 2] : 0;
    for (int64_t i = 0; i < f->electrons; i++)
        sum += fcidump_integral(f, p, i, q, i);
    return sum;
}

double fcidump_coupling(const fcidump *f)
{
    double most = 0;
    for (int64_t p = 0; p < 2 * f->orbitals; p += 2)
        for (int64_t q = 0; q < p; q += 2)
            most = fmax(most, fabs(fcidump_fock(f, p, q)));
    return most;
}

bool fcidump_in_order(const fcidump *f)
{
    double highest = -INFINITY, lowest = INFINITY;
    for (int64_t p = 0; p < 2 * f->orbitals; p += 2) {
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
        sum += (fcidump_fock(f, i, i) + f->one[i / 2 * f->orbitals + i / 2]) / 2;
    return sum;
}

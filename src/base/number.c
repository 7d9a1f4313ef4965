/* Numbers as people write them on a command line or in the environment: counts, sizes with units, real numbers. */
#include "base/number.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* In small letters; a size has no other meaning of "m" or "b" that the case of a letter would have to tell apart. */
static const struct {
    const char *name;
    double bytes;
} units[] = {
    {"", 1},         {"b", 1},       {"k", 1e3},      {"kb", 1e3},    {"m", 1e6},      {"mb", 1e6},    {"g", 1e9},
    {"gb", 1e9},     {"t", 1e12},    {"tb", 1e12},    {"ki", 0x1p10}, {"kib", 0x1p10}, {"mi", 0x1p20}, {"mib", 0x1p20},
    {"gi", 0x1p30},  {"gib", 0x1p30}, {"ti", 0x1p40}, {"tib", 0x1p40},
};

/* Beyond 2^53 a double leaves whole numbers out, so digits are read as an integer. */
static bool digits(const char *text, int64_t *out)
{
    char *end = NULL;
    if (!isdigit((unsigned char)text[0]))
        return false;
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    *out = value;
    return *end == '\0' && errno == 0;
}

/* strtod with a decimal point, also in a program whose own locale has a comma. */
static double with_point(const char *text, char **end)
{
    const locale_t point = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    const locale_t before = point ? uselocale(point) : (locale_t)0;
    const double value = strtod(text, end);
    if (point) {
        uselocale(before);
        freelocale(point);
    }
    return value;
}

/* A decimal number at the beginning of text: neither hexadecimal, nor a word such as "inf". */
static bool decimal(const char *text, double *out, char **end)
{
    const char *first = text + (*text == '-' || *text == '+');
    if (!isdigit((unsigned char)*first) && !(*first == '.' && isdigit((unsigned char)first[1])))
        return false;
    if (first[0] == '0' && (first[1] == 'x' || first[1] == 'X'))
        return false;
    *out = with_point(text, end);
    return true;
}

static bool narrow(double value, int64_t *out)
{
    if (!(value >= 0 && value < 0x1p63))
        return false;
    *out = (int64_t)value;
    return true;
}

/* Not strcasecmp, which goes by the program's locale. */
static bool is_unit(const char *text, const char *small)
{
    while (*text && (*text >= 'A' && *text <= 'Z' ? *text - 'A' + 'a' : *text) == *small) {
        text++;
        small++;
    }
    return *text == '\0' && *small == '\0';
}

bool ashi_number_count(const char *text, int64_t *out)
{
    char *end = NULL;
    double value = 0;
    if (digits(text, out))
        return true;
    return decimal(text, &value, &end) && *end == '\0' && value == floor(value) && narrow(value, out);
}

bool ashi_number_size(const char *text, int64_t *out)
{
    char *end = NULL;
    double value = 0;
    if (digits(text, out))
        return true;
    if (!decimal(text, &value, &end))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (is_unit(end, units[i].name))
            return narrow(value * units[i].bytes, out);
    return false;
}

bool ashi_number_any(const char *text, double *out)
{
    char *end = NULL;
    return decimal(text, out, &end) && *end == '\0';
}

bool ashi_number_real(const char *text, double *out)
{
    return ashi_number_any(text, out) && isfinite(*out);
}

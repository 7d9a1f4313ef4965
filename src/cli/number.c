/* Numbers as people write them on a command line: counts, sizes with units, real numbers. */
#include "cli/number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    double bytes;
} units[] = {
    {"", 1},        {"B", 1},       {"k", 1e3},      {"K", 1e3},      {"kB", 1e3},      {"KB", 1e3},
    {"M", 1e6},     {"MB", 1e6},    {"G", 1e9},      {"GB", 1e9},     {"T", 1e12},      {"TB", 1e12},
    {"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30},  {"Ti", 0x1p40},  {"KiB", 0x1p10},  {"MiB", 0x1p20},
    {"GiB", 0x1p30}, {"TiB", 0x1p40},
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

/* A decimal number at the beginning of text: neither hexadecimal, nor a word such as "inf". */
static bool decimal(const char *text, double *out, char **end)
{
    const char *first = text + (*text == '-' || *text == '+');
    if (!isdigit((unsigned char)*first) && !(*first == '.' && isdigit((unsigned char)first[1])))
        return false;
    if (first[0] == '0' && (first[1] == 'x' || first[1] == 'X'))
        return false;
    *out = strtod(text, end);
    return isfinite(*out);
}

static bool narrow(double value, int64_t *out)
{
    if (!(value >= 0 && value < 0x1p63))
        return false;
    *out = (int64_t)value;
    return true;
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
        if (strcmp(end, units[i].name) == 0)
            return narrow(value * units[i].bytes, out);
    return false;
}

bool ashi_number_real(const char *text, double *out)
{
    char *end = NULL;
    return decimal(text, out, &end) && *end == '\0';
}

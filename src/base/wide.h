/* A 128-bit integer for intermediate results: products of 64-bit sizes, compared before they are narrowed. */
#ifndef ASHI_WIDE_H
#define ASHI_WIDE_H

#include <stdbool.h>
#include <stdint.h>

/* Not ISO C, but in every compiler for 64-bit machines that Ashlar supports. */
__extension__ typedef __int128 ashi_wide;

/* False, and *out untouched, where a does not fit in 64 bits. */
static inline bool ashi_narrow(ashi_wide a, int64_t *out)
{
    if (a > INT64_MAX || a < INT64_MIN)
        return false;
    *out = (int64_t)a;
    return true;
}

#endif

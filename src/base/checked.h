/* 64-bit integer arithmetic that says when it would overflow, and the even cutting of a range. */
#ifndef ASHI_CHECKED_H
#define ASHI_CHECKED_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* Each returns false, and leaves *out undefined, where the result does not fit. */
static inline bool ashi_add(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static inline bool ashi_mul(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* The product and the sum of two numbers of at least 0, or INT64_MAX where that does not fit. */
static inline int64_t ashi_mul_most(int64_t a, int64_t b)
{
    int64_t product;
    return ashi_mul(a, b, &product) ? product : INT64_MAX;
}

static inline int64_t ashi_add_most(int64_t a, int64_t b)
{
    int64_t sum;
    return ashi_add(a, b, &sum) ? sum : INT64_MAX;
}

static inline bool ashi_to_int(int64_t a, int *out)
{
    if (a < INT_MIN || a > INT_MAX)
        return false;
    *out = (int)a;
    return true;
}

static inline int64_t ashi_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t ashi_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* a / b rounded up; a >= 0, b >= 1. */
static inline int64_t ashi_ceil_div(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

/* The greatest that divides both, which are at least 0 and not both 0. */
static inline int64_t ashi_common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Where part i of n things cut into even parts begins; the first n mod parts are one longer. 0 <= i <= parts. */
static inline int64_t ashi_cut(int64_t n, int64_t parts, int64_t i)
{
    return n / parts * i + ashi_min(n % parts, i);
}

/* How many things part i has. */
static inline int64_t ashi_cut_size(int64_t n, int64_t parts, int64_t i)
{
    return n / parts + (i < n % parts);
}

/* The same if parts begin at multiples of `unit` only: units, of which the last may be shorter, are cut evenly. */
static inline int64_t ashi_cut_units(int64_t n, int64_t unit, int64_t parts, int64_t i)
{
    return ashi_min(n, unit * ashi_cut(ashi_ceil_div(n, unit), parts, i));
}

/* Which part holds thing x; 0 <= x < n. */
static inline int64_t ashi_cut_find(int64_t n, int64_t parts, int64_t x)
{
    const int64_t size = n / parts, longer = n % parts, edge = longer * (size + 1);
    return x < edge ? x / (size + 1) : longer + (x - edge) / size;
}

#endif

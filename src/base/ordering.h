/* Putting numbers in order in linear time, and finding them in order. */
#ifndef ASHI_ORDERING_H
#define ASHI_ORDERING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `order` has the numbers 0 to count - 1 in any order, and is changed so that key[order[x] * stride] ascends; equal
 * keys stay as they were. The work is proportional to `count` and to the digits, of 11 bits, of the keys' range. False
 * if memory lacks: the order is then unspecified. */
bool ashi_order_by(const int64_t *key, int64_t stride, int64_t count, int64_t *order);

/* 0 to count - 1 */
static inline void ashi_order_start(int64_t count, int64_t *order)
{
    for (int64_t x = 0; x < count; x++)
        order[x] = x;
}

/* Puts numbers in ascending order, where they are; `spare` has room for `count` numbers. */
void ashi_sort_numbers(int64_t *number, int64_t count, int64_t *spare);

/* The first place from lo to hi - 1 of an ascending array whose number is at least `wanted`, hi if there is none. */
static inline int64_t ashi_first_from(const int64_t *in, int64_t lo, int64_t hi, int64_t wanted)
{
    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (in[middle] < wanted)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* The same of `count` structures of `size` bytes; `key` is the number of the first one. `count` if there is none. */
static inline int64_t ashi_first_key(const int64_t *key, size_t size, int64_t count, int64_t wanted)
{
    int64_t lo = 0, hi = count;
    while (lo < hi) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (*(const int64_t *)(const void *)((const char *)key + (size_t)middle * size) < wanted)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* The one of `count` intervals that has a position: interval i goes from start[i] to start[i + 1] - 1. */
static inline int64_t ashi_interval_of(const int64_t *start, int64_t count, int64_t position)
{
    int64_t lo = 0, hi = count; /* start[lo] <= position < start[hi] */
    while (hi - lo > 1) {
        const int64_t middle = lo + (hi - lo) / 2;
        if (start[middle] <= position)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

/* As ashi_first_from, in few steps if that place is near lo. */
static inline int64_t ashi_first_near(const int64_t *in, int64_t lo, int64_t hi, int64_t wanted)
{
    int64_t step = 1;
    while (step <= hi - lo && in[lo + step - 1] < wanted) {
        lo += step;
        step *= 2;
    }
    return ashi_first_from(in, lo, step <= hi - lo ? lo + step : hi, wanted);
}

#endif

/* Putting numbers in order in linear time. */
#ifndef ASHI_ORDERING_H
#define ASHI_ORDERING_H

#include <stdbool.h>
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

/* Puts numbers in ascending order, where they are; `spare` has room for as many. */
void ashi_sort_numbers(int64_t *number, int64_t count, int64_t *spare);

#endif

/* Putting numbers in order in linear time. */
#include "base/ordering.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT = 11, VALUES = 1 << DIGIT, FEW = 32 };

typedef struct range {
    int64_t least;
    uint64_t width; /* greatest - least */
} range;

static range range_of(const int64_t *key, int64_t stride, int64_t count)
{
    int64_t least = INT64_MAX, greatest = INT64_MIN;
    for (int64_t x = 0; x < count; x++) {
        least = key[x * stride] < least ? key[x * stride] : least;
        greatest = key[x * stride] > greatest ? key[x * stride] : greatest;
    }
    return count > 0 ? (range){least, (uint64_t)greatest - (uint64_t)least} : (range){0, 0};
}

static size_t digit(int64_t key, range within, int shift)
{
    return (size_t)((((uint64_t)key - (uint64_t)within.least) >> shift) & (VALUES - 1));
}

/* Counts of each digit become the places where its numbers begin. */
static void places_from_counts(int64_t *at)
{
    int64_t sum = 0;
    for (int d = 0; d < VALUES; d++) {
        const int64_t count = at[d];
        at[d] = sum;
        sum += count;
    }
}

bool ashi_order_by(const int64_t *key, int64_t stride, int64_t count, int64_t *order)
{
    const range within = range_of(key, stride, count);
    if (within.width == 0)
        return true;
    int64_t *spare = malloc((size_t)count * sizeof *spare), *from = order, *to = spare;
    if (!spare)
        return false;
    for (int shift = 0; shift < 64 && within.width >> shift != 0; shift += DIGIT) {
        int64_t at[VALUES] = {0};
        for (int64_t x = 0; x < count; x++)
            at[digit(key[x * stride], within, shift)]++;
        places_from_counts(at);
        for (int64_t x = 0; x < count; x++)
            to[at[digit(key[from[x] * stride], within, shift)]++] = from[x];
        int64_t *const last = from;
        from = to;
        to = last;
    }
    if (from != order)
        memcpy(order, from, (size_t)count * sizeof *order);
    free(spare);
    return true;
}

static void insert_in_order(int64_t *number, int64_t count)
{
    for (int64_t x = 1; x < count; x++) {
        const int64_t moving = number[x];
        int64_t y = x;
        for (; y > 0 && number[y - 1] > moving; y--)
            number[y] = number[y - 1];
        number[y] = moving;
    }
}

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void ashi_sort_numbers(int64_t *number, int64_t count, int64_t *spare)
{
    if (count <= FEW) {
        insert_in_order(number, count);
        return;
    }
    const range within = range_of(number, 1, count);
    if (count < VALUES / 4) { /* a count of digits would take longer */
        qsort(number, (size_t)count, sizeof *number, ascending);
        return;
    }
    int64_t *from = number, *to = spare;
    for (int shift = 0; shift < 64 && within.width >> shift != 0; shift += DIGIT) {
        int64_t at[VALUES] = {0};
        for (int64_t x = 0; x < count; x++)
            at[digit(from[x], within, shift)]++;
        places_from_counts(at);
        for (int64_t x = 0; x < count; x++)
            to[at[digit(from[x], within, shift)]++] = from[x];
        int64_t *const last = from;
        from = to;
        to = last;
    }
    if (from != number)
        memcpy(number, from, (size_t)count * sizeof *number);
}

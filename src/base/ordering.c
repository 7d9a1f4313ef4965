/* Putting numbers in order in linear time, and finding them in order. */
#include "base/ordering.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT = 11, VALUES = 1 << DIGIT, SHORT_DIGIT = 8, FEW = 32 };

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

static size_t digit(int64_t key, range within, int shift, int bits)
{
    return (size_t)((((uint64_t)key - (uint64_t)within.least) >> shift) & (((uint64_t)1 << bits) - 1));
}

/* Counts of each digit become the places where its numbers begin. */
static void places_from_counts(int64_t *at, int bits)
{
    int64_t sum = 0;
    for (int d = 0; d < 1 << bits; d++) {
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
            at[digit(key[x * stride], within, shift, DIGIT)]++;
        places_from_counts(at, DIGIT);
        for (int64_t x = 0; x < count; x++)
            to[at[digit(key[from[x] * stride], within, shift, DIGIT)]++] = from[x];
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

void ashi_sort_numbers(int64_t *number, int64_t count, int64_t *spare)
{
    if (count <= FEW) {
        insert_in_order(number, count);
        return;
    }
    const range within = range_of(number, 1, count);
    const int bits = count < VALUES ? SHORT_DIGIT : DIGIT; /* the values of a digit take time too */
    int64_t *from = number, *to = spare;
    for (int shift = 0; shift < 64 && within.width >> shift != 0; shift += bits) {
        int64_t at[VALUES];
        memset(at, 0, ((size_t)1 << bits) * sizeof *at);
        for (int64_t x = 0; x < count; x++)
            at[digit(from[x], within, shift, bits)]++;
        places_from_counts(at, bits);
        for (int64_t x = 0; x < count; x++)
            to[at[digit(from[x], within, shift, bits)]++] = from[x];
        int64_t *const last = from;
        from = to;
        to = last;
    }
    if (from != number)
        memcpy(number, from, (size_t)count * sizeof *number);
}

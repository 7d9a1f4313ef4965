/* Long rows of bits: bit x is bit x % 64 of word x / 64. */
#ifndef ASHI_BITS_H
#define ASHI_BITS_H

#include "base/checked.h"

enum { ASHI_WORD_BITS = 64 };

static inline bool ashi_bit(const uint64_t *word, int64_t bit)
{
    return word[bit / ASHI_WORD_BITS] >> (bit % ASHI_WORD_BITS) & 1;
}

/* A word whose lowest `count` bits are set. */
static inline uint64_t ashi_bits_lowest(int64_t count)
{
    return count > 0 ? UINT64_MAX >> (ASHI_WORD_BITS - ashi_min(count, ASHI_WORD_BITS)) : 0;
}

/* Set `count` bits from `bit` on. */
static inline void ashi_bits_set(uint64_t *word, int64_t bit, int64_t count)
{
    while (count > 0) {
        const int64_t here = ashi_min(count, ASHI_WORD_BITS - bit % ASHI_WORD_BITS);
        word[bit / ASHI_WORD_BITS] |= ashi_bits_lowest(here) << (bit % ASHI_WORD_BITS);
        bit += here;
        count -= here;
    }
}

/* The first bit from `bit` to end - 1 that is 0, `end` if there is none. */
static inline int64_t ashi_bits_clear_from(const uint64_t *word, int64_t bit, int64_t end)
{
    while (bit < end) {
        const uint64_t clear = ~word[bit / ASHI_WORD_BITS] >> (bit % ASHI_WORD_BITS);
        if (clear)
            return ashi_min(end, bit + __builtin_ctzll(clear));
        bit += ASHI_WORD_BITS - bit % ASHI_WORD_BITS;
    }
    return end;
}

/* `count` bits from `bit` on, at most 64. */
static inline uint64_t ashi_bits_get(const uint64_t *word, int64_t bit, int64_t count)
{
    const int64_t within = bit % ASHI_WORD_BITS;
    uint64_t bits = word[bit / ASHI_WORD_BITS] >> within;
    if (within + count > ASHI_WORD_BITS)
        bits |= word[bit / ASHI_WORD_BITS + 1] << (ASHI_WORD_BITS - within);
    return bits & ashi_bits_lowest(count);
}

/* Set those bits from `to` on that are set from `from` on. The two rows are apart. */
static inline void ashi_bits_copy(uint64_t *target, int64_t to, const uint64_t *source, int64_t from, int64_t count)
{
    while (count > 0) {
        const int64_t here = ashi_min(count, ASHI_WORD_BITS - to % ASHI_WORD_BITS);
        target[to / ASHI_WORD_BITS] |= ashi_bits_get(source, from, here) << (to % ASHI_WORD_BITS);
        to += here;
        from += here;
        count -= here;
    }
}

#endif

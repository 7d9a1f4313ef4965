/* Well mixed 64-bit numbers from a key and a counter, the same on every machine. */
#ifndef ASHI_HASH_H
#define ASHI_HASH_H

#include <stdint.h>

/* The finisher of splitmix64 (Steele, Lea and Flood, OOPSLA 2014). */
static inline uint64_t ashi_hash_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* A counter through splitmix64 whose stream the key chooses; two rounds, so that neighbouring keys share nothing. */
static inline uint64_t ashi_hash(uint64_t key, int64_t counter)
{
    return ashi_hash_mix(ashi_hash_mix(key) + ((uint64_t)counter + 1) * 0x9E3779B97F4A7C15u);
}

/* Of the bytes of a text, its end left out. */
static inline uint64_t ashi_hash_text(const char *text)
{
    uint64_t sum = 0;
    for (; *text; text++)
        sum = ashi_hash(sum, (unsigned char)*text);
    return sum;
}

#endif

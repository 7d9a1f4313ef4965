/* A test program: checks that count, a repeatable random stream, and an exit status. */
#ifndef ASHI_TEST_H
#define ASHI_TEST_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ashi_test {
    int64_t checks, failures;
} ashi_test;

/* Print the failed condition with a line that repeats it, and go on; at most 20 are printed. */
#define CHECK(t, condition, ...)                                                                                       \
    do {                                                                                                               \
        (t)->checks++;                                                                                                 \
        if (!(condition) && (t)->failures++ < 20) {                                                                    \
            fprintf(stderr, "%s:%d: failed: %s: ", __FILE__, __LINE__, #condition);                                    \
            fprintf(stderr, __VA_ARGS__);                                                                              \
            fputc('\n', stderr);                                                                                       \
        }                                                                                                              \
    } while (0)

/* The last line of main: says how much was checked; a test that checked nothing fails. */
static inline int ashi_test_end(const ashi_test *t, const char *name)
{
    printf("%s: %" PRId64 " checks, %" PRId64 " failed\n", name, t->checks, t->failures);
    return t->failures != 0 || t->checks == 0;
}

/* splitmix64 (Steele, Lea and Flood, OOPSLA 2014): the same stream on every rank that starts with the same seed. */
static inline uint64_t ashi_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* The seeds of a program's random cases: 1 to `usual`, or those of the arguments: FIRST [LAST]. */
typedef struct ashi_seeds {
    uint64_t first, last;
    bool told;
} ashi_seeds;

static inline ashi_seeds ashi_seeds_of(int argc, char **argv, uint64_t usual)
{
    if (argc < 2)
        return (ashi_seeds){1, usual, false};
    const uint64_t first = strtoull(argv[1], NULL, 10);
    return (ashi_seeds){first, argc > 2 ? strtoull(argv[2], NULL, 10) : first, true};
}

/* Whether the text of a refused limit names these words as the least that would do. */
static inline bool ashi_says_least(const char *text, int64_t words)
{
    char wanted[48];
    snprintf(wanted, sizeof wanted, ": %" PRId64 " would do", words);
    return strstr(text, wanted) != NULL;
}

/* A number from lo to hi, both included. */
static inline int64_t ashi_random_in(uint64_t *state, int64_t lo, int64_t hi)
{
    return lo + (int64_t)(ashi_random(state) % (uint64_t)(hi - lo + 1));
}

#endif

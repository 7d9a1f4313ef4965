/* Products of small tiles whose last register of a column overlaps the one before: exactly, since elements are small
 * integers, of random sizes, and nothing outside C is touched. */
#include "kernel/overlap.h"
#include "test.h"

#include "base/type.h"
#include "element.h"

enum { SIDE_MOST = 64, WORDS = SIDE_MOST * SIDE_MOST, MARGIN = 8 };

static double number(uint64_t *seed)
{
    return (double)(ashi_random(seed) % 15) - 7;
}

/* C is between two margins. */
static void try_sizes(ashi_test *t, ashlar_type type, const int size[3], bool turned_b, uint64_t seed)
{
    static double a[WORDS], b[WORDS], c[WORDS + 2 * MARGIN], wanted[WORDS + 2 * MARGIN];
    const int m = size[0], n = size[1], k = size[2];
    ashi_overlap *const form = ashi_overlap_of(type, m);
    uint64_t state = seed;
    int64_t wrong = 0;
    for (int i = 0; i < m * k; i++)
        set_element(type, a, i, number(&state));
    for (int i = 0; i < k * n; i++)
        set_element(type, b, i, number(&state));
    for (int i = 0; i < m * n + 2 * MARGIN; i++) {
        wanted[i] = number(&state);
        set_element(type, c, i, wanted[i]);
    }
    for (int j = 0; j < n; j++)
        for (int p = 0; p < k; p++)
            for (int i = 0; i < m; i++)
                wanted[MARGIN + i + j * m] += creal(get_element(type, a, i + p * m) *
                                                    get_element(type, b, turned_b ? j + p * n : p + j * k));
    form(m, n, k, turned_b, a, b, (char *)c + MARGIN * ashi_type_of(type)->bytes);
    for (int i = 0; i < m * n + 2 * MARGIN; i++)
        wrong += creal(get_element(type, c, i)) != wanted[i];
    CHECK(t, wrong == 0, "seed %" PRIu64 ": type %d, %d x %d x %d, %s: %" PRId64 " elements differ", seed, (int)type, m,
          n, k, turned_b ? "B turned" : "B straight", wrong);
}

/* Every number of rows, and some columns. */
static void try_all(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    for (int type = ASHLAR_TYPE_S; type <= ASHLAR_TYPE_D; type++)
        for (int m = 1; m <= SIDE_MOST; m++)
            for (int turned = 0; turned < 2; turned++) {
                const int size[3] = {m, 1 + (int)(ashi_random(&state) % SIDE_MOST),
                                     1 + (int)(ashi_random(&state) % SIDE_MOST)};
                if (ashi_overlap_of((ashlar_type)type, m))
                    try_sizes(t, (ashlar_type)type, size, turned, ashi_random(&state));
            }
}

/* Where rows fill registers, or less than one, and where there are no real numbers. */
static void try_none(ashi_test *t)
{
    for (int m = 1; m <= SIDE_MOST; m++) {
        CHECK(t, !ashi_overlap_of(ASHLAR_TYPE_C, m) && !ashi_overlap_of(ASHLAR_TYPE_Z, m), "complex, %d rows", m);
        CHECK(t, !ashi_overlap_of(ASHLAR_TYPE_D, m) || (m > 4 && m % 4 > 0), "double precision, %d rows", m);
        CHECK(t, !ashi_overlap_of(ASHLAR_TYPE_S, m) || (m > 8 && m % 8 > 0), "single precision, %d rows", m);
    }
}

int main(int argc, char **argv)
{
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 20);
    ashi_test t = {0};
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        try_all(&t, seed);
    try_none(&t);
    return ashi_test_end(&t, "overlap");
}

/* A block is shared by turns: parts fill each band, what is told of their words is what they have, and each is
 * longer in as many bands as every other, or in one more. */
#include "search/turns.h"

#include "base/checked.h"
#include "test.h"

#include <string.h>

enum { PARTS_MOST = 500 };

/* Each position of each band is in the part that is told; adds up what parts have. */
static void fill(ashi_test *t, uint64_t seed, const ashi_turns *turns, int64_t side, int64_t across, int64_t *words)
{
    for (int64_t band = 0; band < turns->bands; band++) {
        const int64_t width = ashi_turns_band(turns, across, band + 1) - ashi_turns_band(turns, across, band);
        CHECK(t, ashi_turns_edge(turns, side, band, 0) == 0 && ashi_turns_edge(turns, side, band, turns->parts) == side,
              "seed %" PRIu64 ": band %" PRId64 " is not filled", seed, band);
        for (int64_t part = 0; part < turns->parts; part++) {
            const int64_t lo = ashi_turns_edge(turns, side, band, part);
            const int64_t hi = ashi_turns_edge(turns, side, band, part + 1);
            CHECK(t, hi - lo == side / turns->parts || hi - lo == ashi_ceil_div(side, turns->parts), "seed %" PRIu64
                  ": part %" PRId64 " of band %" PRId64 " is %" PRId64 " long", seed, part, band, hi - lo);
            for (int64_t at = lo; at < hi; at++)
                CHECK(t, ashi_turns_part(turns, side, band, at) == part, "seed %" PRIu64 ": position %" PRId64
                      " of band %" PRId64 " is not in part %" PRId64, seed, at, band, part);
            words[part] += (hi - lo) * width;
        }
    }
}

static bool one_cut(ashi_test *t, uint64_t seed, int64_t *words)
{
    uint64_t state = seed;
    const int64_t most = seed % 3 ? 60 : 600;
    const int64_t parts = ashi_random_in(&state, 1, seed % 7 == 0 ? PARTS_MOST : seed % 2 ? 40 : 8);
    const int64_t side = ashi_random_in(&state, 1, most), across = ashi_random_in(&state, 1, most);
    const ashi_turns turns = ashi_turns_of(side, parts, ashi_random_in(&state, 1, across),
                                           seed % 5 ? parts : 1 << 13);
    int64_t widest = 0, narrowest = INT64_MAX, bounds[2], found[2] = {INT64_MAX, 0};
    CHECK(t, turns.bands >= 1 && turns.bands <= turns.rounds && turns.bands <= parts, "seed %" PRIu64 ": %" PRId64
          " bands", seed, turns.bands);
    CHECK(t, seed % 5 || turns.bands <= 2, "seed %" PRIu64 ": %" PRId64 " bands for very many ranks", seed,
          turns.bands);
    for (int64_t band = 0; band < turns.bands; band++) {
        const int64_t width = ashi_turns_band(&turns, across, band + 1) - ashi_turns_band(&turns, across, band);
        widest = ashi_max(widest, width);
        narrowest = ashi_min(narrowest, width);
    }
    memset(words, 0, (size_t)parts * sizeof *words);
    fill(t, seed, &turns, side, across, words);
    const int64_t lo = ashi_random_in(&state, 0, parts - 1), hi = ashi_random_in(&state, lo + 1, parts);
    for (int64_t part = 0; part < parts; part++) {
        CHECK(t, ashi_turns_words(&turns, side, across, part) == words[part], "seed %" PRIu64 ": part %" PRId64
              " has %" PRId64 " words, told %" PRId64, seed, part, words[part],
              ashi_turns_words(&turns, side, across, part));
        if (part < lo || part >= hi)
            continue;
        found[0] = ashi_min(found[0], words[part]);
        found[1] = ashi_max(found[1], words[part]);
    }
    ashi_turns_extremes(&turns, side, across, lo, hi, bounds);
    CHECK(t, bounds[0] == found[0] && bounds[1] == found[1], "seed %" PRIu64 ": parts of %" PRId64 " to %" PRId64
          " words, told %" PRId64 " to %" PRId64, seed, found[0], found[1], bounds[0], bounds[1]);
    /* Each part is longer in `often` bands, or in one more. */
    const int64_t often = turns.bands * (side % parts) / parts;
    CHECK(t, found[1] - found[0] <= (often + 1) * widest - often * narrowest, "seed %" PRIu64 ": parts of %" PRId64
          " to %" PRId64 " words", seed, found[0], found[1]);
    return turns.bands > 1;
}

/* 45 rows in 11 parts beside 110 columns: 450 words each, where even parts have 440 or 550. */
static void example(ashi_test *t)
{
    const ashi_turns turns = ashi_turns_of(45, 11, 110, 11);
    CHECK(t, turns.bands == 11, "%" PRId64 " bands", turns.bands);
    for (int64_t part = 0; part < 11; part++)
        CHECK(t, ashi_turns_words(&turns, 45, 110, part) == 450, "part %" PRId64 " has %" PRId64 " words", part,
              ashi_turns_words(&turns, 45, 110, part));
    const ashi_turns even = ashi_turns_of(3001, 11, 110, 11);
    CHECK(t, even.bands == 1, "%" PRId64 " bands for parts that are nearly equal", even.bands);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    int64_t words[PARTS_MOST], turned = 0;
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 1500);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        turned += one_cut(&t, seed, words);
    CHECK(&t, seeds.told || turned > 500, "only %" PRId64 " cuts by turns", turned);
    example(&t);
    return ashi_test_end(&t, "turns");
}

/* Whether boxes fill a box: against a table of all cells, for random boxes, and quickly for a large grid. */
#include "check/cover.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 6, BOXES = 60 };

/* Cut a box in two again and again. */
static int64_t random_cut(uint64_t *state, ashi_cover_box *box)
{
    int64_t count = 1;
    const int64_t cuts = ashi_random_in(state, 0, BOXES / 2);
    box[0] = (ashi_cover_box){.hi = {SIDE, SIDE, SIDE, 2}};
    for (int64_t i = 0; i < cuts; i++) {
        const int64_t which = ashi_random_in(state, 0, count - 1), d = ashi_random_in(state, 0, 3);
        if (box[which].hi[d] - box[which].lo[d] < 2)
            continue;
        box[count] = box[which];
        box[which].hi[d] = box[count].lo[d] = ashi_random_in(state, box[which].lo[d] + 1, box[which].hi[d] - 1);
        count++;
    }
    return count;
}

/* One face a little further in or out, one box less, or one twice. */
static void spoil(uint64_t *state, ashi_cover_box *box, int64_t *count)
{
    const int64_t which = ashi_random_in(state, 0, *count - 1), d = ashi_random_in(state, 0, 3);
    switch (ashi_random_in(state, 0, 3)) {
    case 0:
        *(ashi_random_in(state, 0, 1) ? &box[which].lo[d] : &box[which].hi[d]) += ashi_random_in(state, -1, 1);
        return;
    case 1:
        box[which] = box[--*count];
        return;
    case 2:
        box[(*count)++] = box[which];
        return;
    default:
        return;
    }
}

static int64_t times_had(const ashi_cover_box *box, int64_t count, const int64_t at[4])
{
    int64_t times = 0;
    for (int64_t i = 0; i < count; i++) {
        bool in = true;
        for (int d = 0; d < 4; d++)
            in = in && box[i].lo[d] <= at[d] && at[d] < box[i].hi[d];
        times += in;
    }
    return times;
}

static void one_set(ashi_test *t, uint64_t seed, int64_t *found)
{
    uint64_t state = seed;
    ashi_cover_box box[BOXES], where = {.rank = 0};
    const ashi_cover_box all = {.hi = {SIDE, SIDE, SIDE, 2}};
    int64_t count = random_cut(&state, box), least = INT64_MAX, most = 0;
    ashi_cover_finding finding = ASHI_COVER_FILLED, loose = ASHI_COVER_FILLED;
    spoil(&state, box, &count);
    for (int64_t cell = 0; cell < SIDE * SIDE * SIDE * 2; cell++) {
        const int64_t at[4] = {cell % SIDE, cell / SIDE % SIDE, cell / SIDE / SIDE % SIDE, cell / SIDE / SIDE / SIDE};
        const int64_t times = times_had(box, count, at);
        least = times < least ? times : least;
        most = times > most ? times : most;
    }
    CHECK(t, ashi_cover(box, count, &all, true, &loose, &where, NULL) == ASHLAR_OK, "seed %" PRIu64, seed);
    CHECK(t, (loose == ASHI_COVER_TWICE) == (most > 1), "seed %" PRIu64 ": %d", seed, (int)loose);
    CHECK(t, ashi_cover(box, count, &all, false, &finding, &where, NULL) == ASHLAR_OK, "seed %" PRIu64, seed);
    CHECK(t, (finding == ASHI_COVER_FILLED) == (least == 1 && most == 1), "seed %" PRIu64 ": %d", seed, (int)finding);
    if (finding != ASHI_COVER_FILLED) {
        const int64_t times = times_had(box, count, where.lo);
        CHECK(t, finding == ASHI_COVER_GAP ? times == 0 : times > 1, "seed %" PRIu64 ": a wrong place", seed);
    }
    found[finding]++;
}

/* 2^18 boxes in rows of boxes of one length, whose faces are not in line with those of the next row. */
static void large(ashi_test *t)
{
    enum { LINE = 64, COUNT = LINE * LINE * LINE };
    ashi_cover_box *box = calloc(COUNT, sizeof *box), where;
    const ashi_cover_box all = {.hi = {1000 * LINE, 1000 * LINE, 1000 * LINE, 1}};
    ashi_cover_finding finding;
    CHECK(t, box, "no memory");
    for (int64_t i = 0; box && i < COUNT; i++) {
        const int64_t x = i % LINE, y = i / LINE % LINE, z = i / LINE / LINE, shift = 7 * x + 3;
        box[i] = (ashi_cover_box){.lo = {1000 * x, 1000 * y + (y ? shift : 0), 1000 * z},
                                  .hi = {1000 * x + 1000, 1000 * y + 1000 + (y < LINE - 1 ? shift : 0), 1000 * z + 1000,
                                         1}};
    }
    CHECK(t, box && ashi_cover(box, COUNT, &all, false, &finding, &where, NULL) == ASHLAR_OK &&
                 finding == ASHI_COVER_FILLED, "a large set is not filled");
    if (box)
        box[COUNT / 3].hi[1]--;
    CHECK(t, box && ashi_cover(box, COUNT, &all, false, &finding, &where, NULL) == ASHLAR_OK &&
                 finding == ASHI_COVER_GAP, "a gap in a large set is not found");
    free(box);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    int64_t found[3] = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 2000);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        one_set(&t, seed, found);
    if (!seeds.told) {
        large(&t);
        for (int i = 0; i < 3; i++)
            CHECK(&t, found[i] > 100, "too few of kind %d: %" PRId64, i, found[i]);
    }
    return ashi_test_end(&t, "cover");
}

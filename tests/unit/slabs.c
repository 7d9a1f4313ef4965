/* Rounds take an equal share of what each owner has, however the two layouts cut k. */
#include "engine/slabs.h"
#include "test.h"

enum { OWNERS_MOST = 4, ROUNDS_MOST = 9, LEAST = OWNERS_MOST * OWNERS_MOST * ROUNDS_MOST * 8 };

static ashi_dim random_dim(uint64_t *state, int64_t size)
{
    const int64_t parts = ashi_random_in(state, 1, OWNERS_MOST), block = ashi_random_in(state, 1, size / parts);
    return (ashi_dim){.size = size, .parts = parts, .block = block, .source = ashi_random_in(state, 0, parts - 1),
                      .first = block, .whole = size};
}

/* How many of the positions from `lo` to `hi` - 1 are of this part of each. */
static int64_t owned(const ashi_strip strip[2], int64_t a, int64_t b, int64_t lo, int64_t hi)
{
    int64_t count = 0;
    for (int64_t i = lo; i < hi; i++)
        count += strip[0].part[ashi_strip_find(&strip[0], i)] == a && strip[1].part[ashi_strip_find(&strip[1], i)] == b;
    return count;
}

static void check_shares(ashi_test *t, uint64_t seed, const ashi_strip strip[2], const ashi_slabs *slabs)
{
    for (int64_t a = 0; a < strip[0].parts; a++)
        for (int64_t b = 0; b < strip[1].parts; b++)
            for (int64_t r = 0; r < slabs->rounds; r++) {
                const int64_t all = owned(strip, a, b, 0, strip[0].size);
                const int64_t share = owned(strip, a, b, ashi_slab(slabs, 0, r), ashi_slab(slabs, 0, r + 1));
                CHECK(t, share >= all / slabs->rounds && share <= all / slabs->rounds + 1,
                      "seed %" PRIu64 ": round %" PRId64 " of %" PRId64 " takes %" PRId64 " of the %" PRId64
                      " that %" PRId64 " has of A and %" PRId64 " of B", seed, r, slabs->rounds, share, all, a, b);
            }
}

static void one_axis(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    const int64_t size = ashi_random_in(&state, LEAST, 2 * LEAST);
    const ashi_reach part = {0, size};
    const ashi_dim dim[2] = {random_dim(&state, size), random_dim(&state, size)};
    ashi_axis axis = {0};
    ashi_strip strip[2] = {{0}};
    ashi_slabs slabs = {0};
    ashlar_error err = {0};
    ashlar_status status = ashi_axis_build(size, &dim[0], &dim[1], &axis, &err);
    for (int x = 0; x < 2 && status == ASHLAR_OK; x++)
        status = ashi_strip_build(&axis, &dim[x], &strip[x], &err);
    if (status == ASHLAR_OK)
        status = ashi_slabs_build(&axis, &strip[0], &strip[1], 1, &part, ashi_random_in(&state, 1, ROUNDS_MOST), &slabs,
                                  &err);
    for (int x = 0; x < 2 && status == ASHLAR_OK; x++) {
        ashi_strip_free(&strip[x]);
        status = ashi_strip_build(&axis, &dim[x], &strip[x], &err);
    }
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    if (status == ASHLAR_OK)
        check_shares(t, seed, strip, &slabs);
    for (int x = 0; x < 2; x++)
        ashi_strip_free(&strip[x]);
    ashi_axis_free(&axis);
    ashi_slabs_free(&slabs);
}

int main(void)
{
    ashi_test t = {0};
    for (uint64_t seed = 1; seed <= 200; seed++)
        one_axis(&t, seed);
    return ashi_test_end(&t, "slabs");
}

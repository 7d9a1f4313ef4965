/* Slabs of layouts: the same owners and the same elements as the whole, and keys that tell which lie alike. */
#include "layout/slab.h"

#include "random_layout.h"

enum { ROOM = 4096, RANKS = 6 };

/* Every element of a slab has the owner and the place that it has in the whole. */
static void elements_are_those_of_the_whole(ashi_test *t, const ashlar_layout *of, const ashi_layout_slab *slab,
                                            uint64_t seed, bool by_tiles)
{
    static double array[1 << 16];
    const void *given[ROOM] = {NULL}, *at[ROOM] = {NULL};
    for (int rank = 0; rank < RANKS; rank++) {
        ashlar_layout *part = NULL;
        ashlar_error err = {0};
        const ashlar_status status = ashi_layout_slab_of(of, slab, rank, &part, &err);
        CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
        if (status != ASHLAR_OK)
            return;
        for (int64_t r = 0; r < of->row.parts; r++)
            for (int64_t c = 0; c < of->col.parts; c++)
                if (of->owner[r * of->col.parts + c] == rank) {
                    const ashi_storage s = ashi_layout_storage(of, r, c);
                    given[s.tile] = array + s.start;
                }
        ashi_layout_slab_tiles(of, slab, rank, sizeof *array, array, by_tiles ? given : NULL, at);
        for (int64_t i = 0; i < ashlar_layout_rows(part); i++)
            for (int64_t j = 0; j < ashlar_layout_cols(part); j++) {
                const int64_t row = i + (slab->rows ? slab->lo : 0), col = j + (slab->rows ? 0 : slab->lo);
                const int owner = ashlar_layout_owner(of, row, col);
                CHECK(t, ashlar_layout_owner(part, i, j) == owner, "seed %" PRIu64 ": (%" PRId64 ", %" PRId64 ")", seed,
                      i, j);
                if (owner != rank)
                    continue;
                const int64_t pr = ashi_dim_part(&part->row, i), pc = ashi_dim_part(&part->col, j);
                const ashi_storage s = ashi_layout_storage(part, pr, pc);
                const double *found = (const double *)at[s.tile] + s.offset +
                                      ashi_dim_local(&part->row, i) * s.row_stride +
                                      ashi_dim_local(&part->col, j) * s.col_stride;
                CHECK(t, found == array + ashlar_layout_offset(of, row, col),
                      "seed %" PRIu64 ": (%" PRId64 ", %" PRId64 ") lies elsewhere", seed, i, j);
            }
        ashlar_layout_free(&part);
    }
}

/* Slabs of one key have the same owners and strides. */
static void keys_tell_what_lies_alike(ashi_test *t, const ashlar_layout *of, const ashi_layout_slab slab[2],
                                      uint64_t seed)
{
    const ashi_layout_slab_key x = ashi_layout_slab_key_of(of, &slab[0]), y = ashi_layout_slab_key_of(of, &slab[1]);
    if (x.size != y.size || x.part != y.part || x.at != y.at)
        return;
    for (int rank = 0; rank < RANKS; rank++) {
        ashlar_layout *part[2] = {NULL, NULL};
        for (int i = 0; i < 2; i++)
            CHECK(t, ashi_layout_slab_of(of, &slab[i], rank, &part[i], NULL) == ASHLAR_OK, "seed %" PRIu64, seed);
        if (!part[0] || !part[1])
            return;
        CHECK(t, ashi_layout_digest(part[0]) == ashi_layout_digest(part[1]), "seed %" PRIu64 ": other owners", seed);
        for (int64_t r = 0; r < part[0]->row.parts; r++)
            for (int64_t c = 0; c < part[0]->col.parts; c++) {
                if (part[0]->owner[r * part[0]->col.parts + c] != rank)
                    continue;
                const ashi_storage s = ashi_layout_storage(part[0], r, c), other = ashi_layout_storage(part[1], r, c);
                CHECK(t, s.tile == other.tile && s.offset == other.offset && s.row_stride == other.row_stride &&
                      s.col_stride == other.col_stride, "seed %" PRIu64 ": other strides", seed);
            }
        ashlar_layout_free(&part[0]);
        ashlar_layout_free(&part[1]);
    }
}

static ashi_layout_slab random_slab(uint64_t *state, const ashlar_layout *of, bool rows)
{
    const int64_t size = rows ? of->row.size : of->col.size, lo = ashi_random_in(state, 0, size - 1);
    return (ashi_layout_slab){.rows = rows, .lo = lo, .hi = ashi_random_in(state, lo + 1, size)};
}

/* After a period a slab lies alike. */
static void blocks_repeat(ashi_test *t, uint64_t *state, const ashlar_layout *of, uint64_t seed)
{
    const bool rows = ashi_random_in(state, 0, 1);
    const ashi_dim *dim = rows ? &of->row : &of->col;
    const int64_t period = ashi_layout_period(of, rows);
    ashi_layout_slab x = random_slab(state, of, rows), y = x;
    y.lo += period;
    y.hi += period;
    if (dim->cuts || y.hi > dim->size || x.lo + dim->start < dim->first)
        return;
    const ashi_layout_slab_key a = ashi_layout_slab_key_of(of, &x), b = ashi_layout_slab_key_of(of, &y);
    CHECK(t, a.size == b.size && a.part == b.part && a.at == b.at, "seed %" PRIu64 ": not after %" PRId64, seed,
          period);
}

/* A repeated layout has the owners again; its slabs have all tiles, those that are empty too. */
static void tiles_repeat(ashi_test *t, uint64_t *state, uint64_t seed)
{
    ashlar_error err = {0};
    ashlar_layout *of = random_tiles(state, ashi_random_in(state, 1, 12), ashi_random_in(state, 1, 12), RANKS, &err);
    ashlar_layout *whole = NULL;
    const bool rows = ashi_random_in(state, 0, 1);
    CHECK(t, of, "%s", err.text);
    if (!of)
        return;
    const int64_t own = rows ? of->row.size : of->col.size, size = own * 2 + ashi_random_in(state, 1, own);
    CHECK(t, ashi_layout_repeat(of, rows, size, &whole, &err) == ASHLAR_OK, "%s", err.text);
    for (int64_t i = 0; whole && i < whole->row.size; i++)
        for (int64_t j = 0; j < whole->col.size; j++)
            CHECK(t, ashlar_layout_owner(whole, i, j) ==
                         ashlar_layout_owner(of, rows ? i % own : i, rows ? j : j % own),
                  "seed %" PRIu64 ": (%" PRId64 ", %" PRId64 ")", seed, i, j);
    for (int64_t lo = 0; whole && lo < size; lo += own) {
        const int64_t count = rows ? of->row.parts : of->col.parts;
        const ashi_layout_slab slab = {rows, lo, ashi_min(lo + own, size), lo / own * count, count};
        elements_are_those_of_the_whole(t, whole, &slab, seed, false);
    }
    ashlar_layout_free(&whole);
    ashlar_layout_free(&of);
}

int main(void)
{
    ashi_test t = {0};
    for (uint64_t seed = 1; seed <= 600; seed++) {
        uint64_t state = seed;
        ashlar_error err = {0};
        const int64_t rows = ashi_random_in(&state, 1, 30), cols = ashi_random_in(&state, 1, 30);
        ashlar_layout *of = random_layout(&state, rows, cols, RANKS, &err);
        CHECK(&t, of, "%s", err.text);
        if (!of)
            continue;
        const bool by_rows = ashi_random_in(&state, 0, 1);
        const ashi_layout_slab slab[2] = {random_slab(&state, of, by_rows), random_slab(&state, of, by_rows)};
        elements_are_those_of_the_whole(&t, of, &slab[0], seed, ashi_random_in(&state, 0, 1));
        keys_tell_what_lies_alike(&t, of, slab, seed);
        blocks_repeat(&t, &state, of, seed);
        tiles_repeat(&t, &state, seed);
        ashlar_layout_free(&of);
    }
    return ashi_test_end(&t, "layout_slab");
}

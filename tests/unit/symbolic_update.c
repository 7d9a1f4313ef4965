/* After a few tiles change, the updated symbolic product equals one that is made anew, and takes less work. */
#include "layout/pattern_sets.h"
#include "layout/random_tiles.h"
#include "layout/symbolic_update.h"
#include "test.h"

/* One matrix of tiles before and after. */
typedef struct changing {
    ashi_pattern before, after;
    ashi_factor factor_before, factor_after;
    ashi_pattern_changes changes; /* of op(X) */
} changing;

/* About one tile in `rare` of those that are there goes, and as many come. */
static ashi_pattern changed(ashi_test *t, const ashi_pattern *from, int64_t rows, int64_t cols, bool upper,
                            int64_t rare, uint64_t *state)
{
    const int64_t new_ones = from->tiles / rare;
    ashi_tile_at *list = malloc(((size_t)(from->tiles + new_ones) + 1) * sizeof *list);
    int64_t count = 0;
    CHECK(t, list, "memory");
    for (int64_t x = 0; x < from->rows; x++)
        for (int64_t y = from->start[x]; y < from->start[x + 1]; y++)
            if (ashi_random_in(state, 1, rare) > 1)
                list[count++] = (ashi_tile_at){from->row[x], from->col[y]};
    for (int64_t n = 0; n < new_ones; n++) {
        const int64_t i = ashi_random_in(state, 0, rows - 1), j = ashi_random_in(state, 0, cols - 1);
        list[count++] = upper && i > j ? (ashi_tile_at){j, i} : (ashi_tile_at){i, j};
    }
    ashi_pattern made;
    ashlar_error err = {0};
    CHECK(t, ashi_pattern_make(list, count, &made, &err) == ASHLAR_OK, "%s", err.text);
    free(list);
    return made;
}

static bool not_below(const void *context, int64_t row, int64_t col)
{
    (void)context;
    return row <= col;
}

static void make_changing(ashi_test *t, changing *x, int64_t rows, int64_t cols, double density,
                          ashlar_symmetry symmetry, ashlar_op op, int64_t rare, uint64_t *state)
{
    const bool turned = op != ASHLAR_OP_N, upper = symmetry != ASHLAR_GENERAL;
    const ashi_random_pattern random = {turned ? cols : rows, turned ? rows : cols, ashi_random(state), density, 0};
    ashi_pattern whole;
    ashi_pattern_changes stored;
    int64_t looked = 0;
    ashlar_error err = {0};
    CHECK(t, ashi_random_pattern_make(&random, 0, random.rows, &whole, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, (upper ? ashi_pattern_filter(&whole, not_below, NULL, &x->before, &err)
                    : ashi_pattern_copy(&whole, &x->before, &err)) == ASHLAR_OK, "%s", err.text);
    x->after = changed(t, &x->before, random.rows, random.cols, upper, rare, state);
    CHECK(t, ashi_factor_make(&x->before, symmetry, op, &x->factor_before, &err) == ASHLAR_OK &&
             ashi_factor_make(&x->after, symmetry, op, &x->factor_after, &err) == ASHLAR_OK &&
             ashi_pattern_compare(&x->before, &x->after, &stored, &looked, &err) == ASHLAR_OK &&
             ashi_factor_changes(&stored, symmetry, op, &x->changes, &err) == ASHLAR_OK, "%s", err.text);
    ashi_pattern_changes_free(&stored);
    ashi_pattern_free(&whole);
}

static void free_changing(changing *x)
{
    ashi_factor_free(&x->factor_before);
    ashi_factor_free(&x->factor_after);
    ashi_pattern_free(&x->before);
    ashi_pattern_free(&x->after);
    ashi_pattern_changes_free(&x->changes);
}

/* op(X) as a pattern of its own. */
static void as_pattern(ashi_test *t, const ashi_factor *factor, ashi_pattern *out)
{
    ashi_pattern_maker maker = {0};
    ashlar_error err = {0};
    bool added = true;
    for (int64_t x = 0; x < factor->rows; x++) {
        ashi_factor_run run[2];
        const int runs = ashi_factor_runs(factor, x, run);
        for (int r = 0; r < runs; r++)
            for (int64_t j = 0; j < run[r].count; j++)
                added = added && ashi_pattern_add(&maker, factor->row[x], run[r].col[j]);
    }
    CHECK(t, ashi_pattern_finish(&maker, added, out, &err) == ASHLAR_OK, "%s", err.text);
}

/* op(A)'s changes, applied to a copy and in place, with numbers and running sums that go along. */
static void check_change(ashi_test *t, const changing *x, uint64_t seed)
{
    ashi_pattern before, after, made, changed;
    ashi_splice splice;
    ashlar_error err = {0};
    as_pattern(t, &x->factor_before, &before);
    as_pattern(t, &x->factor_after, &after);
    int64_t room[3] = {before.tiles, before.tiles, before.tiles};
    int64_t *value = malloc(((size_t)before.tiles + 1) * sizeof *value);
    int64_t *start = malloc(((size_t)before.tiles + 1) * sizeof *start);
    int64_t *length = malloc(((size_t)x->changes.added.tiles + 1) * sizeof *length);
    CHECK(t, value && start && length, "memory");
    for (int64_t at = 0; at < before.tiles; at++)
        value[at] = at + 1;
    for (int64_t at = 0; at <= before.tiles; at++)
        start[at] = 2 * at;
    for (int64_t at = 0; at < x->changes.added.tiles; at++)
        length[at] = 5;
    CHECK(t, ashi_pattern_change(&before, &x->changes, &made, &err) == ASHLAR_OK &&
             ashi_pattern_copy(&before, &changed, &err) == ASHLAR_OK &&
             ashi_pattern_splice(&before, &x->changes, &splice, &err) == ASHLAR_OK &&
             ashi_pattern_change_in_place(&changed, &x->changes, &splice, &room[0], &err) == ASHLAR_OK &&
             ashi_splice_starts(&splice, &start, &room[2], length, &err) == ASHLAR_OK, "%s", err.text);
    value = ashi_splice_array(&splice, value, &room[1], sizeof *value);
    CHECK(t, value && ashi_pattern_equal(&made, &after) && ashi_pattern_equal(&changed, &after), "seed %" PRIu64, seed);
    for (int64_t i = 0; i < splice.comes; i++)
        value[splice.place[i]] = 0;
    int64_t sum = 0;
    for (int64_t r = 0; r < made.rows; r++)
        for (int64_t at = made.start[r]; at < made.start[r + 1]; at++) {
            CHECK(t, value[at] == ashi_pattern_find(&before, made.row[r], made.col[at]) + 1 && start[at] == sum,
                  "seed %" PRIu64, seed);
            sum += value[at] == 0 ? 5 : 2;
        }
    CHECK(t, start[made.tiles] == sum, "seed %" PRIu64, seed);
    ashi_splice_free(&splice);
    free(value);
    free(start);
    free(length);
    ashi_pattern_free(&made);
    ashi_pattern_free(&changed);
    ashi_pattern_free(&before);
    ashi_pattern_free(&after);
}

static ashi_cuts even_cuts(ashi_test *t, int64_t tiles, uint64_t *state)
{
    ashi_cuts cuts;
    ashlar_error err = {0};
    CHECK(t, ashi_random_cuts(tiles * 4, 4, 3, ashi_random(state), "cuts", &cuts, &err) == ASHLAR_OK &&
             cuts.tiles == tiles, "%s", err.text);
    return cuts;
}

static void check_equal(ashi_test *t, const ashi_symbolic *updated, const ashi_symbolic *anew, uint64_t seed)
{
    CHECK(t, ashi_pattern_equal(&updated->c, &anew->c), "seed %" PRIu64 ": %" PRId64 " tiles, wanted %" PRId64, seed,
          updated->c.tiles, anew->c.tiles);
    CHECK(t, updated->formed == anew->formed && updated->multiplies == anew->multiplies &&
             updated->left_out == anew->left_out, "seed %" PRIu64 ": %" PRId64 " formed, wanted %" PRId64, seed,
          updated->formed, anew->formed);
    for (int64_t at = 0; at < anew->c.tiles && at < updated->c.tiles; at++)
        CHECK(t, updated->products[at] == anew->products[at], "seed %" PRIu64, seed);
}

typedef struct shape {
    int64_t rows, inner, cols, rare;
    double density;
    bool symmetries, half, with_c, retain;
} shape;

/* The work of the update as a part of the work from scratch. */
static double update(ashi_test *t, shape want, uint64_t seed)
{
    uint64_t state = seed;
    changing a, b;
    const bool a_square = want.symmetries && want.rows == want.inner;
    const bool b_square = want.symmetries && want.cols == want.inner;
    const ashlar_symmetry a_symmetry = a_square ? (ashlar_symmetry)ashi_random_in(&state, 0, 4) : ASHLAR_GENERAL;
    const ashlar_symmetry b_symmetry = b_square ? (ashlar_symmetry)ashi_random_in(&state, 0, 4) : ASHLAR_GENERAL;
    const ashlar_op a_op = (ashlar_op)ashi_random_in(&state, 0, 2), b_op = (ashlar_op)ashi_random_in(&state, 0, 2);
    make_changing(t, &a, want.rows, want.inner, want.density, a_symmetry, a_op, want.rare, &state);
    make_changing(t, &b, want.inner, want.cols, want.density, b_symmetry, b_op, want.rare, &state);
    check_change(t, &a, seed);
    ashi_cuts rows = even_cuts(t, want.rows, &state), inner = even_cuts(t, want.inner, &state);
    ashi_cuts cols = even_cuts(t, want.cols, &state);
    ashi_pattern c;
    ashlar_error err = {0};
    const ashi_random_pattern random_c = {want.rows, want.cols, seed, 0.3, 0};
    CHECK(t, ashi_random_pattern_make(&random_c, 0, want.rows, &c, &err) == ASHLAR_OK, "%s", err.text);
    const ashi_sparse_product before = {.a = &a.factor_before, .b = &b.factor_before, .rows = &rows, .inner = &inner,
                                        .cols = &cols, .c = want.with_c ? &c : NULL, .half = want.half,
                                        .retain = want.retain};
    ashi_sparse_product after = before;
    after.a = &a.factor_after;
    after.b = &b.factor_after;
    const ashi_symbolic_changes changes = {&before, &after, &a.changes, &b.changes};
    ashi_symbolic updated, anew;
    ashi_splice splice;
    ashi_pattern old;
    CHECK(t, ashi_symbolic_make(&before, &updated, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, ashi_symbolic_make(&after, &anew, &err) == ASHLAR_OK, "%s", err.text);
    ashi_pattern_changes found, wanted;
    int64_t looked = 0;
    CHECK(t, ashi_pattern_copy(&updated.c, &old, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, ashi_symbolic_update(&changes, &updated, &found, &splice, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, splice.before == old.tiles && splice.after == anew.c.tiles, "seed %" PRIu64, seed);
    CHECK(t, ashi_pattern_compare(&old, &anew.c, &wanted, &looked, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, ashi_pattern_equal(&found.added, &wanted.added) && ashi_pattern_equal(&found.removed, &wanted.removed),
          "seed %llu: tiles of C that come and go", (unsigned long long)seed);
    ashi_pattern_changes_free(&found);
    ashi_pattern_changes_free(&wanted);
    check_equal(t, &updated, &anew, seed);
    const double part = (double)updated.visited / (double)(anew.visited + 1);
    ashi_pattern_free(&old);
    ashi_splice_free(&splice);
    ashi_symbolic_free(&updated);
    ashi_symbolic_free(&anew);
    ashi_pattern_free(&c);
    ashi_cuts_free(&rows);
    ashi_cuts_free(&inner);
    ashi_cuts_free(&cols);
    free_changing(&a);
    free_changing(&b);
    return part;
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 150);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        uint64_t state = ~seed;
        const int64_t inner = ashi_random_in(&state, 1, 15);
        shape want = {.inner = inner, .with_c = seed % 2, .half = seed % 5 == 0};
        want.rows = ashi_random_in(&state, 1, 15);
        want.cols = ashi_random_in(&state, 1, 15);
        want.rare = ashi_random_in(&state, 2, 10);
        want.density = (double)ashi_random_in(&state, 0, 10) / 10;
        want.symmetries = ashi_random_in(&state, 0, 1);
        if (want.symmetries || want.half)
            want.rows = want.cols = inner;
        want.retain = want.with_c && seed % 3 == 0;
        update(&t, want, seed);
    }
    /* One tile in 100 of A and of B goes, and as many come. */
    const shape large[] = {{400, 400, 400, 100, 0.05, .symmetries = false},
                           {400, 400, 400, 100, 0.05, .symmetries = true},
                           {2000, 2000, 2000, 100, 0.004, .symmetries = false, .half = true},
                           {150, 150, 150, 100, 0.7, .symmetries = false},
                           {400, 400, 400, 100, 0.05, .symmetries = true, .with_c = true, .retain = true}};
    for (size_t x = 0; x < sizeof large / sizeof *large; x++) {
        const double part = update(&t, large[x], x + 1);
        CHECK(&t, part <= 0.1, "case %zu: %.4f of the work from scratch", x, part);
    }
    return ashi_test_end(&t, "symbolic_update");
}

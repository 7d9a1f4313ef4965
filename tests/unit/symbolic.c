/* The symbolic product: the tiles of C, the products that make them, and how each stored tile is used. */
#include "sparse_problem.h"

/* Element (i, k) of op(X) from the stored tile and from what is to be done with it. */
static scalar used(const matrix *x, int64_t tile, unsigned how, int64_t row, int64_t col, int64_t i, int64_t k)
{
    int64_t stored_row = 0;
    while (x->pattern.start[stored_row + 1] <= tile)
        stored_row++;
    const int64_t r = x->pattern.row[stored_row], c = x->pattern.col[tile];
    const bool turned = how & ASHI_TILE_TURNED;
    if (turned ? r != col || c != row : r != row || c != col)
        return NAN;
    scalar value = turned ? x->at[k][i] : x->at[i][k];
    if (how & ASHI_TILE_CONJUGATED)
        value = conjl(value);
    return how & ASHI_TILE_NEGATED ? -value : value;
}

static void check_used(ashi_test *t, const matrix *x, const ashi_cuts *rows, const ashi_cuts *cols, int64_t tile,
                       unsigned how, int64_t row, int64_t col, uint64_t seed)
{
    for (int64_t i = rows->at[row]; i < rows->at[row + 1]; i++)
        for (int64_t k = cols->at[col]; k < cols->at[col + 1]; k++)
            CHECK(t, used(x, tile, how, row, col, i, k) == x->op_at[i][k],
                  "seed %" PRIu64 " symmetry %d op %d tile %" PRId64 ", %" PRId64 " how %u", seed, (int)x->symmetry,
                  (int)x->op, row, col, how);
}

static bool wanted(const problem *p, int64_t i, int64_t k, int64_t j)
{
    return tile_of(&p->a, i, k) >= 0 && tile_of(&p->b, k, j) >= 0 && (!p->product.half || i <= j) &&
           (!p->product.retain || ashi_pattern_find(&p->c.pattern, i, j) >= 0);
}

/* Every product that the patterns allow is walked once, k ascending, and no others. */
static void check_walk(ashi_test *t, const problem *p, const ashi_symbolic *s, uint64_t seed)
{
    static bool seen[TILES_MOST][TILES_MOST][TILES_MOST];
    memset(seen, 0, sizeof seen);
    for (int64_t x = 0; x < p->a.factor.rows; x++) {
        const int64_t i = p->a.factor.row[x];
        int64_t last[TILES_MOST];
        for (int j = 0; j < TILES_MOST; j++)
            last[j] = -1;
        ashi_formed formed = ashi_formed_begin(&p->product, s, x);
        while (ashi_formed_next(&formed)) {
            const ashi_allowed_product *now = &formed.walk.now;
            CHECK(t, !seen[i][now->k][now->col] && now->k > last[now->col], "seed %" PRIu64, seed);
            seen[i][now->k][now->col] = true;
            last[now->col] = now->k;
            CHECK(t, now->a == tile_of(&p->a, i, now->k) && now->b == tile_of(&p->b, now->k, now->col), "seed %" PRIu64,
                  seed);
            CHECK(t, formed.tile == ashi_pattern_find(&s->c, i, now->col) && formed.tile >= 0, "seed %" PRIu64, seed);
            check_used(t, &p->a, &p->rows, &p->inner, now->a, now->a_how, i, now->k, seed);
            check_used(t, &p->b, &p->inner, &p->cols, now->b, now->b_how, now->k, now->col, seed);
        }
    }
    for (int64_t i = 0; i < p->rows.tiles; i++)
        for (int64_t k = 0; k < p->inner.tiles; k++)
            for (int64_t j = 0; j < p->cols.tiles; j++)
                CHECK(t, seen[i][k][j] == wanted(p, i, k, j),
                      "seed %" PRIu64 ": product %" PRId64 " %" PRId64 " %" PRId64, seed, i, k, j);
}

static void check_counts(ashi_test *t, const problem *p, const ashi_symbolic *s, uint64_t seed)
{
    int64_t formed = 0, multiplies = 0, tiles = 0, left_out = 0;
    for (int64_t i = 0; i < p->rows.tiles; i++)
        for (int64_t j = 0; j < p->cols.tiles; j++) {
            int64_t here = 0;
            for (int64_t k = 0; k < p->inner.tiles; k++) {
                const bool allowed = tile_of(&p->a, i, k) >= 0 && tile_of(&p->b, k, j) >= 0 &&
                                     (!p->product.half || i <= j);
                here += wanted(p, i, k, j);
                left_out += allowed && !wanted(p, i, k, j);
                if (wanted(p, i, k, j))
                    multiplies += ashi_cuts_size(&p->rows, i) * ashi_cuts_size(&p->inner, k) *
                                  ashi_cuts_size(&p->cols, j);
            }
            const bool there = here > 0 || (p->product.c && ashi_pattern_find(p->product.c, i, j) >= 0);
            const int64_t number = ashi_pattern_find(&s->c, i, j);
            CHECK(t, number == (there ? tiles : -1), "seed %" PRIu64 ": tile %" PRId64 ", %" PRId64, seed, i, j);
            CHECK(t, number < 0 || s->products[number] == here, "seed %" PRIu64, seed);
            tiles += there;
            formed += here;
        }
    CHECK(t, s->formed == formed && s->left_out == left_out && s->multiplies == multiplies && s->c.tiles == tiles,
          "seed %" PRIu64 ": %" PRId64 " formed, wanted %" PRId64, seed, s->formed, formed);
}

static void check_factor(ashi_test *t, const matrix *x, int64_t rows, int64_t cols, uint64_t seed)
{
    for (int64_t i = -1; i <= rows; i++) {
        int64_t tiles = 0;
        for (int64_t k = 0; k < cols && i >= 0 && i < rows; k++)
            tiles += tile_of(x, i, k) >= 0;
        const int64_t at = ashi_factor_find(&x->factor, i);
        CHECK(t, (at >= 0) == (tiles > 0) && (at < 0 || ashi_factor_tiles(&x->factor, at) == tiles), "seed %" PRIu64,
              seed);
    }
}

/* Rows that are far apart, of which no table is made, and columns that do not begin at 0. */
static void check_far_apart(ashi_test *t)
{
    ashi_tile_at a_tile[] = {{5, 70000}, {900000, 3}}, b_tile[] = {{3, 50}, {70000, 40}, {70000, 41}};
    ashi_pattern a, b;
    ashi_factor fa, fb;
    ashlar_error err = {0};
    CHECK(t, ashi_pattern_make(a_tile, 2, &a, &err) == ASHLAR_OK && ashi_pattern_make(b_tile, 3, &b, &err) == ASHLAR_OK,
          "%s", err.text);
    CHECK(t, ashi_factor_make(&a, ASHLAR_GENERAL, ASHLAR_OP_N, &fa, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, ashi_factor_make(&b, ASHLAR_GENERAL, ASHLAR_OP_N, &fb, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, !fa.place && !fb.place, "tables of rows");
    int64_t *at = calloc(900002, sizeof *at); /* all tiles are empty */
    const ashi_cuts cuts = {.tiles = 900001, .at = at};
    const ashi_sparse_product product = {.a = &fa, .b = &fb, .rows = &cuts, .inner = &cuts, .cols = &cuts};
    ashi_symbolic s = {0};
    CHECK(t, at && ashi_symbolic_make(&product, &s, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, s.c.tiles == 3 && ashi_pattern_find(&s.c, 5, 40) == 0 && ashi_pattern_find(&s.c, 5, 41) == 1 &&
             ashi_pattern_find(&s.c, 900000, 50) == 2, "%" PRId64 " tiles", s.c.tiles);
    ashi_symbolic_free(&s);
    ashi_factor_free(&fa);
    ashi_factor_free(&fb);
    ashi_pattern_free(&a);
    ashi_pattern_free(&b);
    free(at);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 400);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        uint64_t state = seed;
        problem p;
        make_problem(&t, &p, (shape){.symmetries = seed % 3 != 0, .complex_type = true, .with_c = seed % 2}, &state);
        p.product.half = p.rows.tiles == p.cols.tiles && ashi_random_in(&state, 0, 2) == 0;
        p.product.retain = p.product.c && ashi_random_in(&state, 0, 1);
        ashi_symbolic s;
        ashlar_error err = {0};
        CHECK(&t, ashi_symbolic_make(&p.product, &s, &err) == ASHLAR_OK, "%s", err.text);
        check_factor(&t, &p.a, p.rows.tiles, p.inner.tiles, seed);
        check_factor(&t, &p.b, p.inner.tiles, p.cols.tiles, seed);
        check_walk(&t, &p, &s, seed);
        check_counts(&t, &p, &s, seed);
        ashi_symbolic_free(&s);
        free_problem(&p);
    }
    check_far_apart(&t);
    return ashi_test_end(&t, "symbolic");
}

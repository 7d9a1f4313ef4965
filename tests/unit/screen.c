/* Screening: which products are left out, and that the error is within the bound, measured in long double. */
#include "base/bits.h"
#include "layout/symbolic_joined.h"
#include "layout/symbolic_making.h"
#include "sparse_problem.h"

static ashi_screen screen_of(const problem *p, ashlar_type type, double alpha, double beta, double skip, double drop)
{
    return (ashi_screen){.type = ashi_type_of(type), .alpha = fabs(alpha), .beta = fabs(beta), .a_norm = p->a.norm,
                         .b_norm = p->b.norm, .c_norm = p->product.c ? p->c.norm : NULL, .skip = skip, .drop = drop};
}

static long double in_type(bool single, long double x)
{
    return single ? (long double)(float)x : (long double)(double)x;
}

/* x + y, and sum + x * y as a processor does it in the type. */
static scalar add(bool single, scalar x, scalar y)
{
    return in_type(single, creall(x) + creall(y)) + in_type(single, cimagl(x) + cimagl(y)) * (scalar)I;
}

static scalar times(bool single, scalar x, scalar y)
{
    const long double a = in_type(single, creall(x) * creall(y)), b = in_type(single, cimagl(x) * cimagl(y));
    const long double c = in_type(single, creall(x) * cimagl(y)), d = in_type(single, cimagl(x) * creall(y));
    return in_type(single, a - b) + in_type(single, c + d) * (scalar)I;
}

/* Element (i, j) of C before, 0 if its tile was absent. */
static scalar before(const problem *p, int64_t i, int64_t j)
{
    return p->product.c && p->product.screen->c_norm ? p->c.at[i][j] : 0;
}

static scalar exact_at(const problem *p, double alpha, double beta, int64_t i, int64_t j)
{
    scalar sum = 0;
    for (int64_t k = 0; k < ashi_cuts_all(&p->inner); k++)
        sum += p->a.op_at[i][k] * p->b.op_at[k][j];
    return alpha * sum + beta * before(p, i, j);
}

/* What is computed, tile by tile, with what the symbolic product says is formed; then dropped by norm. */
typedef struct computed {
    scalar at[EDGE][EDGE];
    long double dropped; /* the sum of squares */
} computed;

static void drop_tile(const problem *p, computed *c, int64_t row, int64_t col)
{
    long double square = 0;
    for (int64_t i = p->rows.at[row]; i < p->rows.at[row + 1]; i++)
        for (int64_t j = p->cols.at[col]; j < p->cols.at[col + 1]; j++)
            square += creall(c->at[i][j] * conjl(c->at[i][j]));
    if (p->product.retain || !(sqrtl(square) < p->product.screen->drop))
        return;
    c->dropped += square;
    for (int64_t i = p->rows.at[row]; i < p->rows.at[row + 1]; i++)
        for (int64_t j = p->cols.at[col]; j < p->cols.at[col + 1]; j++)
            c->at[i][j] = 0;
}

static void add_product(const problem *p, bool single, const ashi_allowed_product *now, int64_t row, computed *c)
{
    for (int64_t i = p->rows.at[row]; i < p->rows.at[row + 1]; i++)
        for (int64_t j = p->cols.at[now->col]; j < p->cols.at[now->col + 1]; j++)
            for (int64_t k = p->inner.at[now->k]; k < p->inner.at[now->k + 1]; k++)
                c->at[i][j] = add(single, c->at[i][j], times(single, p->a.op_at[i][k], p->b.op_at[k][j]));
}

static void compute(const problem *p, const ashi_symbolic *s, bool single, double alpha, double beta, computed *c)
{
    memset(c, 0, sizeof *c);
    for (int64_t x = 0; x < p->a.factor.rows; x++) {
        ashi_formed formed = ashi_formed_begin(&p->product, s, x);
        while (ashi_formed_next(&formed))
            add_product(p, single, &formed.walk.now, p->a.factor.row[x], c);
    }
    for (int64_t r = 0; r < s->c.rows; r++)
        for (int64_t at = s->c.start[r]; at < s->c.start[r + 1]; at++) {
            const int64_t row = s->c.row[r], col = s->c.col[at];
            for (int64_t i = p->rows.at[row]; i < p->rows.at[row + 1]; i++)
                for (int64_t j = p->cols.at[col]; j < p->cols.at[col + 1]; j++)
                    c->at[i][j] = add(single, times(single, alpha, c->at[i][j]),
                                      times(single, beta, before(p, i, j)));
            drop_tile(p, c, row, col);
        }
}

/* With retained sparsity the error is that of the product restricted to C's pattern; with half of C, of that half. */
static long double error_of(const problem *p, double alpha, double beta, const computed *c)
{
    long double square = 0;
    for (int64_t i = 0; i < ashi_cuts_all(&p->rows); i++)
        for (int64_t j = 0; j < ashi_cuts_all(&p->cols); j++) {
            const int64_t row = ashi_cuts_find(&p->rows, i), col = ashi_cuts_find(&p->cols, j);
            if (p->product.retain && ashi_pattern_find(&p->c.pattern, row, col) < 0)
                continue;
            const scalar apart = c->at[i][j] - exact_at(p, alpha, beta, i, j);
            square += creall(apart * conjl(apart));
        }
    return sqrtl(square);
}

/* The rule by definition, if norms are ordinary numbers; what is just at the limit may go either way. */
static void check_rule(ashi_test *t, const problem *p, const ashi_symbolic *s, uint64_t seed)
{
    const ashi_screen *screen = p->product.screen;
    static bool formed_one[TILES_MOST][TILES_MOST][TILES_MOST];
    memset(formed_one, 0, sizeof formed_one);
    for (int64_t x = 0; x < p->a.factor.rows; x++) {
        ashi_formed formed = ashi_formed_begin(&p->product, s, x);
        while (ashi_formed_next(&formed))
            formed_one[p->a.factor.row[x]][formed.walk.now.k][formed.walk.now.col] = true;
    }
    for (int64_t i = 0; i < p->rows.tiles; i++) {
        int64_t tiles = 0;
        for (int64_t k = 0; k < p->inner.tiles; k++)
            tiles += tile_of(&p->a, i, k) >= 0;
        for (int64_t j = 0; j < p->cols.tiles; j++) {
            const int64_t was = p->product.c ? ashi_pattern_find(p->product.c, i, j) : -1;
            double sum = was >= 0 && screen->c_norm ? screen->beta * screen->c_norm[was] : 0;
            bool keep[TILES_MOST] = {false}, any = was >= 0, close = false;
            for (int64_t k = 0; k < p->inner.tiles; k++) {
                const int64_t a = tile_of(&p->a, i, k), b = tile_of(&p->b, k, j);
                if (a < 0 || b < 0 || (p->product.retain && was < 0))
                    continue;
                const double size = screen->alpha * screen->a_norm[a] * screen->b_norm[b];
                const double limit = screen->skip / (double)tiles;
                close = close || fabs(size - limit) < 1e-12 * limit;
                keep[k] = !(size < limit);
                sum += keep[k] ? size : 0;
                any = any || keep[k];
            }
            if (close || fabs(sum - screen->drop) < 1e-12 * sum)
                continue;
            const bool gone = !p->product.retain && sum < screen->drop;
            for (int64_t k = 0; k < p->inner.tiles; k++)
                CHECK(t, formed_one[i][k][j] == (keep[k] && !gone),
                      "seed %" PRIu64 ": %" PRId64 " %" PRId64 " %" PRId64, seed, i, k, j);
            CHECK(t, (ashi_pattern_find(&s->c, i, j) >= 0) == (any && !gone), "seed %" PRIu64, seed);
        }
    }
}

static void check_bound(ashi_test *t, const problem *p, const ashi_symbolic *s, ashlar_type type, double alpha,
                        double beta, uint64_t seed)
{
    static computed c;
    compute(p, s, type == ASHLAR_TYPE_S || type == ASHLAR_TYPE_C, alpha, beta, &c);
    const long double error = error_of(p, alpha, beta, &c);
    CHECK(t, error <= s->bound.all, "seed %" PRIu64 " type %d: error %Lg, bound %g = %g + %g + %g", seed, (int)type,
          error, s->bound.all, s->bound.left_out, s->bound.dropped, s->bound.rounding);
    const ashi_error_bound after = ashi_error_with_dropped(s->bound, (double)sqrtl(c.dropped) * (1 + 0x1p-50));
    CHECK(t, error <= after.all && after.dropped <= s->bound.dropped * (1 + 0x1p-40),
          "seed %" PRIu64 ": error %Lg, bound %g after %Lg was dropped of %g", seed, error, after.all,
          sqrtl(c.dropped), s->bound.dropped);
}

/* One time in three 0: the rule is off. */
static double some_limit(uint64_t *state)
{
    const int power = (int)ashi_random_in(state, -20, 8);
    return ashi_random_in(state, 0, 2) == 0 ? 0 : ldexp(random_unit(state), power);
}

/* From -1 to 1, a number of the type. */
static double some_factor(bool single, uint64_t *state)
{
    const double x = 2 * random_unit(state) - 1;
    return single ? (double)(float)x : x;
}

/* All of an error for products, on one rank. */
static ashlar_status within(const ashi_sparse_product *product, double error, ashi_symbolic *s, ashlar_error *err)
{
    ashi_allowance all = {.error = error, .share = 1};
    return ashi_symbolic_within(product, &all, s, err);
}

static void check_random(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    const ashlar_type type = (ashlar_type)ashi_random_in(&state, 0, 3);
    const bool single = type == ASHLAR_TYPE_S || type == ASHLAR_TYPE_C;
    shape want = {.single = single, .complex_type = type == ASHLAR_TYPE_C || type == ASHLAR_TYPE_Z};
    want.symmetries = ashi_random_in(&state, 0, 1);
    want.with_c = ashi_random_in(&state, 0, 1);
    want.magnitude = (int)ashi_random_in(&state, 0, 12);
    problem p;
    make_problem(t, &p, want, &state);
    const double alpha = some_factor(single, &state), beta = p.product.c ? some_factor(single, &state) : 0;
    const double skip = some_limit(&state), drop = some_limit(&state);
    const ashi_screen screen = screen_of(&p, type, alpha, beta, skip, drop);
    p.product.screen = &screen;
    p.product.retain = p.product.c && ashi_random_in(&state, 0, 3) == 0;
    ashi_symbolic s;
    ashlar_error err = {0};
    CHECK(t, ashi_symbolic_make(&p.product, &s, &err) == ASHLAR_OK, "%s", err.text);
    check_rule(t, &p, &s, seed);
    check_bound(t, &p, &s, type, alpha, beta, seed);
    ashi_symbolic_free(&s);

    const ashi_screen off = screen_of(&p, type, alpha, beta, 0, 0);
    p.product.screen = &off;
    const double error = ldexp(random_unit(&state), (int)ashi_random_in(&state, -20, 12));
    CHECK(t, ashi_symbolic_make(&p.product, &s, &err) == ASHLAR_OK, "%s", err.text);
    const double rounding = s.bound.all;
    ashi_symbolic_free(&s);
    CHECK(t, within(&p.product, error, &s, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, s.bound.all <= error || (rounding >= error && s.bound.all == rounding), "seed %" PRIu64 ": %g of %g", seed,
          s.bound.all, error);
    check_bound(t, &p, &s, type, alpha, beta, seed);
    ashi_symbolic_free(&s);
    free_problem(&p);
}

static void check_same(ashi_test *t, const ashi_symbolic *x, const ashi_symbolic *y, uint64_t seed)
{
    CHECK(t, ashi_pattern_equal(&x->c, &y->c) && x->formed == y->formed && x->left_out == y->left_out &&
             x->multiplies == y->multiplies && x->visited == y->visited, "seed %" PRIu64, seed);
    for (int64_t tile = 0; tile < x->c.tiles; tile++)
        CHECK(t, x->products[tile] == y->products[tile], "seed %" PRIu64 ": tile %" PRId64, seed, tile);
    for (int64_t bit = 0; bit < (x->first ? x->formed + x->left_out : 0); bit++)
        CHECK(t, ashi_bit(x->left, bit) == ashi_bit(y->left, bit), "seed %" PRIu64 ": bit %" PRId64, seed, bit);
}

static int64_t joined_products;

/* Columns that are far apart are numbered anew, and nothing of the result shows it. */
static void check_joined(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    problem p;
    make_problem(t, &p, (shape){.with_c = seed % 3 == 0, .magnitude = 10}, &state);
    const ashi_screen screen = screen_of(&p, ASHLAR_TYPE_D, 0.75, 0.5, some_limit(&state), some_limit(&state));
    ashi_symbolic s, apart;
    ashi_joined joined;
    ashlar_error err = {0};
    int64_t rounding;
    p.product.screen = &screen;
    if (ashi_joined_make(&p.product, &joined)) {
        joined_products += joined.cuts.tiles > 1;
        for (int64_t x = 0; x < joined.cuts.tiles; x++)
            CHECK(t, ashi_cuts_size(&joined.cuts, x) == ashi_cuts_size(&p.cols, joined.col[x]) &&
                  (x == 0 || joined.col[x] > joined.col[x - 1]), "seed %" PRIu64 ": column %" PRId64, seed, x);
        CHECK(t, ashi_symbolic_make(&p.product, &s, &err) == ASHLAR_OK, "%s", err.text);
        CHECK(t, ashi_making_within(&p.product, 0, &rounding, &apart, &err) == ASHLAR_OK, "%s", err.text);
        check_same(t, &s, &apart, seed);
        CHECK(t, memcmp(&s.bound, &apart.bound, sizeof s.bound) == 0, "seed %" PRIu64 ": the bound", seed);
        ashi_symbolic_free(&s);
        ashi_symbolic_free(&apart);
    }
    ashi_joined_free(&joined);
    free_problem(&p);
}

/* Norms that are 2^700 times as large, with limits that are so too, give the same products, and a bound that is 2^700
 * times as large to its last bit: those are weighed as numbers with exponents of their own, these as doubles. */
static void check_scaled(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    problem p;
    make_problem(t, &p, (shape){.symmetries = seed % 2 == 0, .with_c = seed % 3 == 0, .magnitude = 10}, &state);
    ashi_screen screen = screen_of(&p, ASHLAR_TYPE_D, 0.75, 0.5, some_limit(&state), some_limit(&state));
    ashi_symbolic s, larger;
    ashlar_error err = {0};
    p.product.screen = &screen;
    p.a.norm[0] = 0;
    CHECK(t, ashi_symbolic_make(&p.product, &s, &err) == ASHLAR_OK, "%s", err.text);
    screen.alpha = ldexp(screen.alpha, 700);
    screen.beta = ldexp(screen.beta, 700);
    screen.skip = ldexp(screen.skip, 700);
    screen.drop = ldexp(screen.drop, 700);
    CHECK(t, ashi_symbolic_make(&p.product, &larger, &err) == ASHLAR_OK, "%s", err.text);
    check_same(t, &s, &larger, seed);
    CHECK(t, larger.bound.left_out == ldexp(s.bound.left_out, 700), "seed %" PRIu64 ": %a, %a", seed,
          larger.bound.left_out, s.bound.left_out);
    ashi_symbolic_free(&s);
    ashi_symbolic_free(&larger);
    free_problem(&p);
}

/* Positive matrices: nothing cancels, and the bound is to be of use. */
static void check_useful(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    problem p;
    make_problem(t, &p, (shape){.positive = true, .magnitude = 10}, &state);
    const ashi_screen screen = screen_of(&p, ASHLAR_TYPE_D, 1, 0, ldexp(1, (int)ashi_random_in(&state, -10, 3)), 0);
    p.product.screen = &screen;
    ashi_symbolic s;
    ashlar_error err = {0};
    static computed c;
    CHECK(t, ashi_symbolic_make(&p.product, &s, &err) == ASHLAR_OK, "%s", err.text);
    compute(&p, &s, false, 1, 0, &c);
    const long double error = error_of(&p, 1, 0, &c);
    CHECK(t, error <= s.bound.all && (s.bound.left_out == 0 || s.bound.all <= 100 * error),
          "seed %" PRIu64 ": error %Lg, bound %g", seed, error, s.bound.all);
    ashi_symbolic_free(&s);
    free_problem(&p);
}

/* ---- square matrices of tiles of one size, with given norms ---- */

typedef struct square {
    ashi_cuts cuts;
    ashi_pattern pattern;
    ashi_factor factor;
    ashi_sparse_product product;
} square;

static void make_square(ashi_test *t, square *q, int64_t tiles, int64_t size, bool diagonal_only)
{
    int64_t *sizes = malloc((size_t)tiles * sizeof *sizes), count = 0;
    ashi_tile_at *list = malloc((size_t)(tiles * tiles) * sizeof *list);
    ashlar_error err = {0};
    CHECK(t, sizes && list, "memory");
    for (int64_t i = 0; i < tiles; i++) {
        sizes[i] = size;
        for (int64_t j = 0; j < tiles; j++)
            if (i == j || !diagonal_only)
                list[count++] = (ashi_tile_at){i, j};
    }
    CHECK(t, ashi_cuts_make(tiles, sizes, "rows", &q->cuts, &err) == ASHLAR_OK &&
             ashi_pattern_make(list, count, &q->pattern, &err) == ASHLAR_OK &&
             ashi_factor_make(&q->pattern, ASHLAR_GENERAL, ASHLAR_OP_N, &q->factor, &err) == ASHLAR_OK, "%s", err.text);
    q->product = (ashi_sparse_product){.a = &q->factor, .b = &q->factor, .rows = &q->cuts, .inner = &q->cuts,
                                       .cols = &q->cuts};
    free(sizes);
    free(list);
}

static void free_square(square *q)
{
    ashi_factor_free(&q->factor);
    ashi_pattern_free(&q->pattern);
    ashi_cuts_free(&q->cuts);
}

/* Norms of 1e200 and of 1e-200 beside each other: products are compared as the numbers that they are. */
static void check_norm_extremes(ashi_test *t)
{
    square q;
    make_square(t, &q, 2, 3, true);
    const double big[] = {1e200, 1e-200}, bigger[] = {1e-200, 1e300};
    const struct {
        const double *a, *b;
        double alpha, skip;
        int64_t formed;
        double least, most; /* of the bound */
    } cases[] = {
        {big, big, 1, 1, 1, INFINITY, INFINITY},      /* 1e400 is no double; 1e-400 is skipped */
        {big, big, 1e-200, 1, 1, 1e184, 1e186},       /* 1e200 is formed, with rounding; 1e-600 is skipped */
        {big, big, 1e200, 1e-250, 2, INFINITY, INFINITY},
        {big, bigger, 1, 1.01, 1, 1, 1e90},           /* 1 is skipped, 1e100 is formed */
        {bigger, bigger, 1e-300, 0, 2, 1e284, 1e286},
        {big, big, 0, 1, 0, 0, 0},
        {bigger, big, 1, 1e-300, 2, 1e84, 1e86},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const ashi_screen screen = {.type = ashi_type_of(ASHLAR_TYPE_D), .alpha = cases[c].alpha, .a_norm = cases[c].a,
                                    .b_norm = cases[c].b, .skip = cases[c].skip};
        q.product.screen = &screen;
        ashi_symbolic s;
        ashlar_error err = {0};
        CHECK(t, ashi_symbolic_make(&q.product, &s, &err) == ASHLAR_OK, "%s", err.text);
        CHECK(t, s.formed == cases[c].formed, "case %zu: %" PRId64 " formed", c, s.formed);
        CHECK(t, s.bound.all >= cases[c].least && s.bound.all <= cases[c].most, "case %zu: bound %g", c, s.bound.all);
        ashi_symbolic_free(&s);
    }
    free_square(&q);
}

/* What is not finite is formed whatever stands beside it, also zeros, and by no rule left out. */
static void check_not_finite(ashi_test *t)
{
    square q;
    make_square(t, &q, 3, 2, true);
    const double strange[][3] = {{(double)NAN, 1, 1}, {INFINITY, 1, 1}}, zero[] = {0, 0, 0};
    for (int c = 0; c < 4; c++) {
        const ashi_screen screen = {.type = ashi_type_of(ASHLAR_TYPE_D), .alpha = 1, .a_norm = strange[c % 2],
                                    .b_norm = zero, .skip = c < 2 ? 1e10 : 0, .drop = c < 2 ? 1e10 : 0};
        q.product.screen = &screen;
        ashi_symbolic s;
        ashlar_error err = {0};
        CHECK(t, (c < 2 ? ashi_symbolic_make(&q.product, &s, &err) : within(&q.product, 1, &s, &err)) ==
                     ASHLAR_OK, "%s", err.text);
        CHECK(t, ashi_pattern_find(&s.c, 0, 0) == 0 && s.products[0] == 1, "case %d: not formed", c);
        CHECK(t, s.formed == (c < 2 ? 1 : 3) && isinf(s.bound.all), "case %d: %" PRId64 " formed, bound %g", c,
              s.formed, s.bound.all);
        ashi_symbolic_free(&s);
    }
    free_square(&q);
}

/* ---- budgets ---- */

/* 30 x 30 tiles that are all alike: the budget pays for part of the products, and is used up. */
static void check_equal_products(ashi_test *t)
{
    square q;
    make_square(t, &q, 30, 2, false);
    double norm[900];
    for (int x = 0; x < 900; x++)
        norm[x] = 1;
    const ashi_screen screen = {.type = ashi_type_of(ASHLAR_TYPE_D), .alpha = 1, .a_norm = norm, .b_norm = norm};
    q.product.screen = &screen;
    int64_t last = 0;
    for (double error = 1; error < 1000; error *= 1.5) {
        ashi_symbolic s;
        ashlar_error err = {0};
        CHECK(t, within(&q.product, error, &s, &err) == ASHLAR_OK, "%s", err.text);
        /* Each tile of C loses n or n + 1 products, as evenly as can be: 900 n^2 <= error^2. */
        const double even = floor(error / 30), more = error * error - 900 * even * even;
        const int64_t best = ashi_min(27000, (int64_t)(900 * even + more / (2 * even + 1)));
        CHECK(t, s.bound.all <= error && s.left_out >= last && s.left_out <= best + 1,
              "error %g: bound %g, %" PRId64 " left out of %" PRId64, error, s.bound.all, s.left_out, best);
        CHECK(t, s.left_out >= best * 19 / 20 - 1, "error %g: %" PRId64 " left out, %" PRId64 " would do", error,
              s.left_out, best);
        last = s.left_out;
        ashi_symbolic_free(&s);
    }
    free_square(&q);
}

/* The most work that a rule "leave out all products below a size" saves within an error. */
static double best_by_threshold(const problem *p, double error)
{
    double best = 0;
    for (double limit = 1e-9; limit < 1e9; limit *= 1.05) {
        double saved = 0, square_sum = 0;
        for (int64_t i = 0; i < p->rows.tiles; i++)
            for (int64_t j = 0; j < p->cols.tiles; j++) {
                double lost = 0;
                for (int64_t k = 0; k < p->inner.tiles; k++) {
                    const int64_t a = tile_of(&p->a, i, k), b = tile_of(&p->b, k, j);
                    const double size = a >= 0 && b >= 0 ? p->a.norm[a] * p->b.norm[b] : INFINITY;
                    if (size >= limit)
                        continue;
                    lost += size;
                    saved += (double)(ashi_cuts_size(&p->rows, i) * ashi_cuts_size(&p->inner, k) *
                                      ashi_cuts_size(&p->cols, j));
                }
                square_sum += lost * lost;
            }
        if (sqrt(square_sum) <= error && saved > best)
            best = saved;
    }
    return best;
}

/* The work saved, over all problems, is more than one threshold on the norms saves. */
static void check_budget_saves(ashi_test *t)
{
    double ours = 0, theirs = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint64_t state = seed;
        problem p;
        make_problem(t, &p, (shape){.magnitude = 6}, &state);
        const ashi_screen screen = screen_of(&p, ASHLAR_TYPE_D, 1, 0, 0, 0);
        p.product.screen = &screen;
        ashi_symbolic whole, s;
        ashlar_error err = {0};
        CHECK(t, ashi_symbolic_make(&p.product, &whole, &err) == ASHLAR_OK, "%s", err.text);
        CHECK(t, within(&p.product, 10, &s, &err) == ASHLAR_OK, "%s", err.text);
        ours += (double)(whole.multiplies - s.multiplies);
        theirs += best_by_threshold(&p, 10);
        ashi_symbolic_free(&whole);
        ashi_symbolic_free(&s);
        free_problem(&p);
    }
    CHECK(t, ours > theirs && theirs > 0, "%g multiply-adds saved, %g by one threshold", ours, theirs);
}

/* Parts of C in two halves have the bound of the whole. */
static void check_join(ashi_test *t)
{
    const ashi_error_bound x = {3e200, 0, 1e-200, 3e200}, y = {4e200, 5, 0, 4e200};
    const ashi_error_bound both = ashi_error_join(x, y);
    CHECK(t, both.left_out >= 5e200 && both.left_out < 5.0000001e200 && both.dropped >= 5 && both.dropped < 5.0000001 &&
             both.rounding >= 1e-200 && both.rounding < 1.0000001e-200 && both.all >= 5e200, "%g %g %g", both.left_out,
          both.dropped, both.rounding);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 500);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        check_random(&t, seed);
        check_useful(&t, seed);
        check_scaled(&t, seed);
        check_joined(&t, seed);
    }
    CHECK(&t, seeds.first == seeds.last || joined_products > 0, "no columns were joined");
    check_norm_extremes(&t);
    check_not_finite(&t);
    check_equal_products(&t);
    check_budget_saves(&t);
    check_join(&t);
    return ashi_test_end(&t, "screen");
}

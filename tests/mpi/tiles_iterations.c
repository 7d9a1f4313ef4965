/* Small tiles of which most are absent: k is cut into fewer iterations where that spares C, within the memory that may
 * be used, and nothing else of the product changes. */
#define PROGRAM "tiles_iterations"

#include "mpi/in_context.h"

#include <ashlar/ashlar.h>

/* Tiles on each side of A, B and C; those of m and n have OUTER elements, those of k INNER. */
enum { TILES = 256, OUTER = 8, INNER = 23, WINDOWS = 4 };

/* Some of the tiles of A and B are there: in each row of tiles as many. */
typedef struct scene {
    rig *r;
    ashlar_context *context;
    int64_t each; /* tiles of a row */
    bool there[2][TILES][TILES];
    ashlar_tiles *x[3];
    ashlar_error err;
} scene;

static bool ok(scene *s, ashlar_status status)
{
    CHECK(&s->r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(s->r), s->err.text);
    return status == ASHLAR_OK;
}

/* ---- matrices ---- */

static void choose_tiles(scene *s, uint64_t *state, int x)
{
    int64_t order[TILES];
    for (int64_t j = 0; j < TILES; j++)
        order[j] = j;
    memset(s->there[x], 0, sizeof s->there[x]);
    for (int64_t i = 0; i < TILES; i++)
        for (int64_t j = 0; j < s->each; j++) {
            const int64_t other = ashi_random_in(state, j, TILES - 1), column = order[other];
            order[other] = order[j];
            order[j] = column;
            s->there[x][i][column] = true;
        }
}

/* Small integers, so that sums are exact in any order. */
static void put(scene *s, int x, int64_t i, int64_t j, int64_t rows, int64_t cols)
{
    float data[INNER * INNER];
    for (int64_t e = 0; e < rows * cols; e++)
        data[e] = (float)((3 * i + 5 * j + e) % 7 - 3);
    ok(s, ashlar_tiles_put(s->x[x], i, j, rows, cols, ASHLAR_COL_MAJOR, rows, data, &s->err));
}

/* One process grid for all three, near to a square. */
static void make(scene *s, int x)
{
    static int64_t size[2][TILES];
    for (int64_t i = 0; i < TILES; i++) {
        size[0][i] = OUTER;
        size[1][i] = INNER;
    }
    const int inner_rows = x == ASHLAR_B, inner_cols = x == ASHLAR_A, grid_rows = s->r->ranks >= 4 ? 2 : 1;
    const ashlar_tiles_description d = {.type = ASHLAR_TYPE_S, .tile_rows = TILES, .tile_cols = TILES,
                                        .row_sizes = size[inner_rows], .col_sizes = size[inner_cols],
                                        .grid_rows = grid_rows, .grid_cols = s->r->ranks / grid_rows};
    if (!ok(s, ashlar_tiles_create(s->context, &d, &s->x[x], &s->err)))
        exit(1);
    for (int64_t i = 0; i < TILES && x != ASHLAR_C; i++)
        for (int64_t j = 0; j < TILES; j++)
            if (s->there[x][i][j] && ashlar_tiles_owner(s->x[x], i, j) == s->r->rank)
                put(s, x, i, j, size[inner_rows][i], size[inner_cols][j]);
    ok(s, ashlar_tiles_finish(s->x[x], &s->err));
}

static void make_all(scene *s, int64_t each)
{
    uint64_t state = s->r->seed;
    s->each = each;
    for (int x = 0; x < 3; x++) {
        if (x != ASHLAR_C)
            choose_tiles(s, &state, x);
        make(s, x);
    }
}

static void free_all(scene *s)
{
    for (int x = 0; x < 3; x++)
        ashlar_tiles_free(&s->x[x]);
}

/* Elements of a matrix on all ranks. */
static int64_t words_of(scene *s, int x)
{
    ashlar_tiles_info info = {0};
    ok(s, ashlar_tiles_inspect(s->x[x], &info, &s->err));
    return info.words;
}

/* ---- what is expected ---- */

/* Each tile that this rank multiplies with and does not own comes once, however k is cut. */
static int64_t words_needed(scene *s)
{
    bool row[TILES] = {false}, col[TILES] = {false};
    int64_t tiles = 0;
    for (int64_t i = 0; i < TILES; i++)
        for (int64_t j = 0; j < TILES; j++)
            if (ashlar_tiles_owner(s->x[ASHLAR_C], i, j) == s->r->rank)
                row[i] = col[j] = true;
    for (int64_t k = 0; k < TILES; k++) {
        bool a = false, b = false;
        for (int64_t i = 0; i < TILES; i++) {
            a = a || (row[i] && s->there[0][i][k]);
            b = b || (col[i] && s->there[1][k][i]);
        }
        for (int64_t i = 0; i < TILES && a && b; i++) {
            tiles += row[i] && s->there[0][i][k] && ashlar_tiles_owner(s->x[0], i, k) != s->r->rank;
            tiles += col[i] && s->there[1][k][i] && ashlar_tiles_owner(s->x[1], k, i) != s->r->rank;
        }
    }
    return tiles * OUTER * INNER;
}

/* How often a tile of C is read and written on average, counted one by one, if k is cut evenly into so many parts. */
static double touches(const scene *s, int64_t iterations)
{
    int64_t sum = 0;
    for (int64_t part = 0; part < iterations; part++)
        for (int64_t i = 0; i < TILES; i++) {
            bool touched[TILES] = {false};
            for (int64_t k = part * TILES / iterations; k < (part + 1) * TILES / iterations; k++)
                for (int64_t j = 0; j < TILES && s->there[0][i][k]; j++)
                    touched[j] = touched[j] || s->there[1][k][j];
            for (int64_t j = 0; j < TILES; j++)
                sum += touched[j];
        }
    return (double)sum / (TILES * TILES);
}

/* Without the rule there are 12 iterations at least, so many that what comes for those in flight is a quarter of a
 * rank's A and B at most. With it there are 4 at least, so many that what comes is a sixth of a rank's A, B and C at
 * most, if C is read and written at most 0.8 times as often then. By hand, with two ranks, a fifth of the tiles and 2
 * in flight: A and B have 256 * 51 * 184 = 2402304 elements each, C 2048 * 2048. All of A comes to each rank, and two
 * iterations may have (2 * 2402304 + 4194304) / (2 * 6) of it: so 7, and 8 as they are of whole tiles. Each of 7 has
 * 1 - 0.96^(256 / 7) of C's tiles, which makes 5.4 times C, and 12 would make 7.0. */
typedef struct expected {
    int ranks;
    int64_t usual[WINDOWS], taken[WINDOWS]; /* with 1, 2, ... iterations in flight */
    int64_t of_two;                         /* of a sum of two products, one in flight */
} expected;

static const expected all_expected[] = {
    {1, {1, 1, 1, 1}, {1, 1, 1, 1}, 2},       {2, {13, 13, 13, 16}, {4, 8, 13, 16}, 6},
    {3, {13, 13, 19, 26}, {6, 13, 19, 26}, 8},   {4, {13, 16, 26, 32}, {8, 16, 26, 32}, 14},
    {6, {13, 22, 32, 43}, {13, 22, 32, 43}, 14},
};

static const expected *expected_of(const scene *s)
{
    for (size_t i = 0; i < sizeof all_expected / sizeof *all_expected; i++)
        if (all_expected[i].ranks == s->r->ranks)
            return &all_expected[i];
    return NULL;
}

/* ---- products ---- */

static const float one = 1, minus = -1, zero = 0;

static ashlar_tiles_options options_of(int window, int64_t memory_words)
{
    return (ashlar_tiles_options){.size = sizeof(ashlar_tiles_options), .window = window, .stays = ASHLAR_STAYS_C,
                                  .layers = 1, .memory_words = memory_words};
}

static int64_t over_ranks(int64_t own, MPI_Op op)
{
    int64_t all = 0;
    MPI_Allreduce(&own, &all, 1, MPI_INT64_T, op, MPI_COMM_WORLD);
    return all;
}

/* C is what it was, if something was kept; then it is kept. */
static void compare(scene *s, ashlar_tiles **kept, const char *what)
{
    double norm = 0;
    if (*kept && ok(s, ashlar_tiles_add(&one, s->x[ASHLAR_C], &minus, *kept, *kept, &s->err)) &&
        ok(s, ashlar_tiles_norm(*kept, &norm, &s->err)))
        CHECK(&s->r->test, norm == 0, CASE "%s: C differs by %g", CASE_OF(s->r), what, norm);
    ashlar_tiles_free(kept);
    ok(s, ashlar_tiles_copy(s->x[ASHLAR_C], kept, &s->err));
}

static ashlar_tiles_result multiply(scene *s, const ashlar_tiles_options *options)
{
    ashlar_tiles_result done = {0};
    ok(s, ashlar_tiles_multiply(&one, ASHLAR_OP_N, s->x[0], ASHLAR_OP_N, s->x[1], &zero, s->x[2], options, &done,
                                &s->err));
    CHECK(&s->r->test, done.predicted_words == done.words, CASE "%" PRId64 " words came, predicted were %" PRId64,
          CASE_OF(s->r), done.words, done.predicted_words);
    return done;
}

/* Iterations, words and memory, for each number of iterations in flight; 0 is that of 2. */
static void try_windows(scene *s, bool sparing, ashlar_tiles **kept)
{
    const expected *e = expected_of(s);
    const int64_t words = words_needed(s);
    for (int window = 0; window <= WINDOWS; window++) {
        const ashlar_tiles_options options = options_of(window, 0);
        const ashlar_tiles_result done = multiply(s, &options);
        const int flight = window > 0 ? window : 2;
        const int64_t usual = e->usual[flight - 1], wanted = sparing ? e->taken[flight - 1] : usual;
        CHECK(&s->r->test, done.iterations == wanted && done.window == flight, CASE "window %d: %" PRId64
              " iterations, %d in flight, wanted %" PRId64, CASE_OF(s->r), window, done.iterations, done.window,
              wanted);
        CHECK(&s->r->test, done.words == words, CASE "window %d: %" PRId64 " words came, %" PRId64 " are needed",
              CASE_OF(s->r), window, done.words, words);
        const int64_t workspace = over_ranks(done.workspace_words, MPI_SUM);
        const int64_t matrices = words_of(s, ASHLAR_A) + words_of(s, ASHLAR_B) + words_of(s, ASHLAR_C);
        CHECK(&s->r->test, wanted == usual || 6 * workspace <= matrices, CASE "window %d: %" PRId64
              " words of workspace, A, B and C have %" PRId64, CASE_OF(s->r), window, workspace, matrices);
        if (s->r->rank == 0) /* a whole number of tiles makes an iteration more */
            CHECK(&s->r->test, wanted == usual || touches(s, wanted) <= 0.85 * touches(s, usual),
                  CASE "window %d: C is touched %g times, instead of %g", CASE_OF(s->r), window, touches(s, wanted),
                  touches(s, usual));
        compare(s, kept, "another window");
    }
}

/* Within what the product takes nothing changes. Within less it is kept, with more iterations; and the least is held by
 * the fullest rank. */
static void try_limits(scene *s, ashlar_tiles **kept)
{
    ashlar_tiles_options options = options_of(2, 0);
    const ashlar_tiles_result whole = multiply(s, &options);
    const int64_t most = over_ranks(whole.memory_words, MPI_MAX);
    options.memory_words = 1;
    CHECK(&s->r->test, ashlar_tiles_multiply(&one, ASHLAR_OP_N, s->x[0], ASHLAR_OP_N, s->x[1], &zero, s->x[2], &options,
                                             NULL, &s->err) == ASHLAR_ERR_LIMIT, CASE "one word will do",
          CASE_OF(s->r));
    const int64_t least = ashlar_context_memory_words(s->context);
    const int64_t limits[] = {most, (most + least) / 2, least};
    for (int i = 0; i < 3; i++) {
        options = options_of(i == 2 ? 2 : i, limits[i]);
        const ashlar_tiles_result done = multiply(s, &options);
        const int64_t held = over_ranks(done.memory_words, MPI_MAX);
        const int64_t without = expected_of(s)->taken[options.window == 1 ? 0 : 1];
        CHECK(&s->r->test, held <= limits[i] && (limits[i] > least || held == least), CASE "%" PRId64
              " words are held of %" PRId64 ", the least are %" PRId64, CASE_OF(s->r), held, limits[i], least);
        CHECK(&s->r->test, i > 0 ? done.iterations >= without : done.iterations == without, CASE "%" PRId64
              " iterations within %" PRId64 " words, %" PRId64 " without a limit", CASE_OF(s->r), done.iterations,
              limits[i], without);
        CHECK(&s->r->test, done.words == whole.words && (options.window == 0 || done.window == options.window),
              CASE "%" PRId64 " words of %" PRId64 ", window %d of %d", CASE_OF(s->r), done.words, whole.words,
              done.window, options.window);
        compare(s, kept, "a limit of memory");
    }
}

/* A plan has the same iterations; so do products that are added up, with those of all of them. */
static void try_plans(scene *s)
{
    const expected *e = expected_of(s);
    const ashlar_tiles_term term = {&one, ASHLAR_OP_N, ASHLAR_OP_N, s->x[0], s->x[1]}, both[2] = {term, term};
    for (int window = 1; window <= 2; window++) {
        const ashlar_tiles_options options = options_of(window, 0);
        ashlar_tiles_plan *plan = NULL;
        ashlar_tiles_plan_info info = {0};
        if (ok(s, ashlar_tiles_plan_create(1, &term, s->x[2], &options, &plan, &s->err)) &&
            ok(s, ashlar_tiles_plan_inspect(plan, &info, &s->err)))
            CHECK(&s->r->test, info.iterations == e->taken[window - 1] && info.window == window, CASE "a plan has %"
                  PRId64 " iterations, %d in flight", CASE_OF(s->r), info.iterations, info.window);
        ashlar_tiles_plan_free(&plan);
    }
    const ashlar_tiles_options options = options_of(1, 0);
    ashlar_tiles_result done = {0};
    if (ok(s, ashlar_tiles_multiply_sum(2, both, &zero, s->x[2], &options, &done, &s->err)))
        CHECK(&s->r->test, done.iterations == e->of_two && done.words == 2 * words_needed(s), CASE "a sum has %" PRId64
              " iterations, and %" PRId64 " words come", CASE_OF(s->r), done.iterations, done.words);
}

/* A fifth of the tiles: the rule applies. A twentieth: a tile of C has about one product, and nothing is spared. */
int main(int argc, char **argv)
{
    rig r;
    static scene s;
    if (!ranks_begin(&r, &argc, &argv, 1))
        return 1;
    r.seed = r.first;
    s.r = &r;
    CHECK(&r.test, expected_of(&s), "nothing is expected of %d ranks", r.ranks);
    ok(&s, ashlar_context_create(MPI_COMM_WORLD, &s.context, &s.err));
    for (int i = 0; i < 2 && expected_of(&s); i++) {
        ashlar_tiles *kept = NULL;
        make_all(&s, i == 0 ? TILES / 5 : TILES / 20);
        try_windows(&s, i == 0, &kept);
        if (i == 0) {
            try_limits(&s, &kept);
            try_plans(&s);
        }
        ashlar_tiles_free(&kept);
        free_all(&s);
    }
    ashlar_context_free(&s.context);
    return ranks_end(&r, PROGRAM);
}

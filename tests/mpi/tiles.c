/* Matrices of tiles: what any rank puts, adds and asks for is there after `finish`, and can be read in every way. */
#define PROGRAM "tiles"

#include "mpi/tilings.h"

/* One round: each tile may be put by one rank, added to by several, and asked for. */
static void fill_round(rig *r, uint64_t *state, ashlar_tiles *tiles, model *m)
{
    ashlar_error err = {0};
    ashlar_status status = ASHLAR_OK;
    enum { PUT, ADD, RESERVE, KINDS };
    for (int kind = PUT; kind < KINDS; kind++) /* the model has what is put before what is added */
        for (int64_t row = 0; row < m->row.tiles; row++)
            for (int64_t col = 0; col < m->col.tiles; col++) {
                const bool stored = m->symmetry == ASHLAR_GENERAL || row <= col;
                const content c = {m->type, ashi_random(state), true};
                const int64_t who = ashi_random_in(state, 0, r->ranks - 1);
                if (ashi_random_in(state, 0, 3) != 0 || (kind == PUT && !stored))
                    continue;
                uint64_t own = *state;
                const bool mirrored = kind == PUT && m->symmetry != ASHLAR_GENERAL && ashi_random_in(state, 0, 1);
                const int64_t i = mirrored ? col : row, j = mirrored ? row : col;
                if (kind == RESERVE)
                    *model_present(m, i, j) = true;
                else
                    model_fill(m, i, j, &c, kind == ADD);
                if (who != r->rank)
                    continue;
                own_tile t = own_tile_of(&own, m, i, j, &c);
                if (kind == RESERVE)
                    status = ashlar_tiles_reserve(tiles, 1, &i, &j, &err);
                else
                    status = (kind == PUT ? ashlar_tiles_put : ashlar_tiles_accumulate)(tiles, i, j, t.rows, t.cols,
                                                                                       t.order, t.ld, t.data, &err);
                CHECK(&r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
                free(t.data);
            }
    status = ashlar_tiles_finish(tiles, &err);
    CHECK(&r->test, status == ASHLAR_OK && ranks_agree(MPI_COMM_WORLD, (int)status, err.text), CASE "%s", CASE_OF(r),
          err.text);
}

/* Any tiles, those below the diagonal too, some of them twice. */
static void check_fetch(rig *r, const ashlar_tiles *tiles, const model *m)
{
    enum { MOST = 6 };
    uint64_t own = r->seed * 100 + (uint64_t)r->rank;
    int64_t row[MOST], col[MOST], words = 0, at = 0;
    int present[MOST];
    ashlar_error err = {0};
    const int64_t count = m->row.tiles && m->col.tiles ? ashi_random_in(&own, 0, MOST) : 0;
    const size_t word = ashlar_type_bytes(m->type);
    for (int64_t i = 0; i < count; i++) {
        row[i] = ashi_random_in(&own, 0, m->row.tiles - 1);
        col[i] = ashi_random_in(&own, 0, m->col.tiles - 1);
        words += ashi_cuts_size(&m->row, row[i]) * ashi_cuts_size(&m->col, col[i]);
    }
    char *data = malloc((size_t)(words + 1) * word);
    memset(data, 0xFF, (size_t)(words + 1) * word);
    const ashlar_status status = ashlar_tiles_fetch(tiles, count, row, col, data, present, &err);
    CHECK(&r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    for (int64_t i = 0; i < count && status == ASHLAR_OK; i++) {
        const int64_t rows = ashi_cuts_size(&m->row, row[i]), size = rows * ashi_cuts_size(&m->col, col[i]);
        CHECK(&r->test, present[i] == *model_present(m, row[i], col[i]), CASE "fetch", CASE_OF(r));
        bool good = true;
        for (int64_t e = 0; e < size; e++, at++)
            good = good && number_near(number_load(m->type, data + (size_t)at * word),
                                       *model_at(m, m->row.at[row[i]] + e % rows, m->col.at[col[i]] + e / rows), 0);
        CHECK(&r->test, good, CASE "fetch of tile (%" PRId64 ", %" PRId64 ")", CASE_OF(r), row[i], col[i]);
    }
    const unsigned char *const beyond = (unsigned char *)data + (size_t)words * word;
    CHECK(&r->test, beyond[0] == 0xFF && beyond[word - 1] == 0xFF, CASE "fetch wrote too much", CASE_OF(r));
    free(data);
}

/* In any layout; nothing but the elements is written. */
static void check_dense(rig *r, uint64_t *state, const ashlar_tiles *tiles, const model *m)
{
    const int64_t rows = ashi_cuts_all(&m->row), cols = ashi_cuts_all(&m->col);
    const content c = {m->type, 0, true};
    ashlar_error err = {0};
    part p = {0};
    ashlar_layout *layout = random_part_layout(state, rows, cols, r->ranks, r->rank, &err);
    if (!layout || !part_make(&p, &c, layout, r->rank, true))
        exit(1);
    const ashlar_status status = ashlar_tiles_to_dense(tiles, layout, p.base, &err);
    bool good = status == ASHLAR_OK;
    CHECK(&r->test, good, CASE "%s", CASE_OF(r), err.text);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++)
            if (part_owns(&p, i, j))
                good = good && number_near(number_load(m->type, part_at(&p, p.memory, i, j)), *model_at(m, i, j), 0);
    CHECK(&r->test, good, CASE "to_dense, %" PRId64 " x %" PRId64, CASE_OF(r), rows, cols);
    CHECK(&r->test, part_only_elements_changed(&p), CASE "to_dense wrote beside the matrix", CASE_OF(r));
    part_free(&p);
    ashlar_layout_free(&layout);
}

/* Norms and density from all elements. */
static void check_norms(rig *r, const ashlar_tiles *tiles, const model *m)
{
    const int64_t rows = ashi_cuts_all(&m->row), cols = ashi_cuts_all(&m->col);
    long double square = 0, present = 0;
    double norm = -1, first = 0;
    ashlar_error err = {0};
    ashlar_tiles_info info = {0};
    for (int64_t i = 0; i < rows * cols; i++)
        square += m->element[i].re * m->element[i].re + m->element[i].im * m->element[i].im;
    for (int64_t row = 0; row < m->row.tiles; row++)
        for (int64_t col = 0; col < m->col.tiles; col++)
            if (*model_present(m, row, col))
                present += (long double)(ashi_cuts_size(&m->row, row) * ashi_cuts_size(&m->col, col));
    const ashlar_status status = ashlar_tiles_norm(tiles, &norm, &err);
    CHECK(&r->test, status == ASHLAR_OK && fabsl(norm - sqrtl(square)) <= 1e-15L * sqrtl(square), CASE "norm %g: %s",
          CASE_OF(r), norm, err.text);
    first = norm;
    MPI_Bcast(&first, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    CHECK(&r->test, memcmp(&norm, &first, sizeof norm) == 0, CASE "norms differ", CASE_OF(r));
    CHECK(&r->test, ashlar_tiles_inspect(tiles, &info, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    const double density = rows && cols ? (double)(present / (long double)(rows * cols)) : 0;
    CHECK(&r->test, fabs(info.density - density) < 1e-14 && info.rows == rows && info.cols == cols, CASE "density %g",
          CASE_OF(r), info.density);
}

/* The tiles by number, one after the other in memory within a row, and their norms. */
static void check_order(rig *r, const ashlar_tiles *tiles, const model *m)
{
    ashlar_tiles_info info = {0};
    ashlar_stored_tile t = {0}, before = {.row = -1};
    ashlar_error err = {0};
    if (ashlar_tiles_inspect(tiles, &info, &err) != ASHLAR_OK)
        return;
    double *norms = malloc((size_t)(info.local_tiles + 1) * sizeof *norms);
    CHECK(&r->test, ashlar_tiles_norms(tiles, norms, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    for (int64_t i = 0; i < info.local_tiles; i++, before = t) {
        long double square = 0;
        CHECK(&r->test, ashlar_tiles_local(tiles, i, &t, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
        CHECK(&r->test, t.row > before.row || (t.row == before.row && t.col > before.col), CASE "order", CASE_OF(r));
        if (t.data && before.data)
            CHECK(&r->test, (char *)before.data + (size_t)(before.rows * before.cols) * ashlar_type_bytes(m->type) ==
                  (char *)t.data, CASE "tile (%" PRId64 ", %" PRId64 ") is elsewhere", CASE_OF(r), t.row, t.col);
        for (int64_t e = 0; e < t.rows * t.cols; e++) {
            const number x = *model_at(m, m->row.at[t.row] + e % t.rows, m->col.at[t.col] + e / t.rows);
            square += x.re * x.re + x.im * x.im;
        }
        CHECK(&r->test, fabsl(norms[i] - sqrtl(square)) <= 1e-15L * sqrtl(square), CASE "norm of a tile", CASE_OF(r));
    }
    CHECK(&r->test, ashlar_tiles_local(tiles, info.local_tiles, &t, &err) == ASHLAR_ERR_ARG, CASE "no end", CASE_OF(r));
    free(norms);
}

static void check_all(rig *r, uint64_t *state, const ashlar_tiles *tiles, const model *m, const char *what)
{
    check_tiles(r, tiles, m, 0, what);
    check_fetch(r, tiles, m);
    check_dense(r, state, tiles, m);
    check_norms(r, tiles, m);
    check_order(r, tiles, m);
}

/* ---- wrong use ---- */

/* A call that is refused on one rank fails on all in `finish`, with one text; nothing has changed. */
static void wrong_use(rig *r, ashlar_tiles *tiles, const model *m)
{
    static const char *const wanted[] = {"was put by rank", "it is", "there is no tile", "wanted at least",
                                         "there is no tile"};
    enum { TWICE, SHAPE, OUTSIDE, LD, RESERVED, KINDS };
    uint64_t state = r->seed;
    const content c = {m->type, r->seed, true};
    for (int kind = TWICE; kind < KINDS && m->row.tiles > 0 && m->col.tiles > 0; kind++) {
        const int64_t row = ashi_random_in(&state, 0, m->row.tiles - 1);
        const int64_t col = ashi_random_in(&state, 0, m->col.tiles - 1);
        const int who = (int)ashi_random_in(&state, 0, r->ranks - 1);
        const int other = (int)ashi_random_in(&state, 0, r->ranks - 1);
        own_tile t = own_tile_of(&state, m, row, col, &c);
        ashlar_error err = {0};
        ashlar_status status = ASHLAR_OK;
        const int64_t outside = m->row.tiles;
        if (kind == TWICE)
            for (int i = 0; i < 2; i++)
                if (r->rank == (i == 0 ? who : other))
                    status = ashlar_tiles_put(tiles, row, col, t.rows, t.cols, t.order, t.ld, t.data, &err);
        if (kind == SHAPE && r->rank == who)
            status = ashlar_tiles_put(tiles, row, col, t.rows, t.cols + 1, t.order, t.ld + 1, t.data, &err);
        if (kind == OUTSIDE && r->rank == who)
            status = ashlar_tiles_accumulate(tiles, outside, col, t.rows, t.cols, t.order, t.ld, t.data, &err);
        if (kind == LD && r->rank == who)
            status = ashlar_tiles_put(tiles, row, col, t.rows, t.cols, t.order, -1, t.data, &err);
        if (kind == RESERVED && r->rank == who)
            status = ashlar_tiles_reserve(tiles, 1, &outside, &col, &err);
        CHECK(&r->test, (status == ASHLAR_ERR_ARG) == (kind != TWICE && r->rank == who), CASE "%d: %s", CASE_OF(r),
              kind, err.text);
        free(t.data);
        err = (ashlar_error){0};
        status = ashlar_tiles_finish(tiles, &err);
        CHECK(&r->test, status == ASHLAR_ERR_ARG && ranks_agree(MPI_COMM_WORLD, (int)status, err.text), CASE "%d: %s",
              CASE_OF(r), kind, err.text);
        CHECK(&r->test, strstr(err.text, wanted[kind]) != NULL, CASE "%d: %s", CASE_OF(r), kind, err.text);
        check_tiles(r, tiles, m, 0, "after wrong use");
    }
    ashlar_error err = {0};
    CHECK(&r->test, ashlar_tiles_finish(tiles, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
}

/* The text of two puts names the tile and both ranks. */
static void two_puts(rig *r, ashlar_context *context)
{
    const int64_t size[2] = {2, 3};
    const double x[9] = {0};
    char wanted[80];
    tiling t = {.d = {.type = ASHLAR_TYPE_D, .tile_rows = 2, .tile_cols = 2, .row_sizes = size}};
    ashlar_tiles *tiles = make_tiles(r, context, &t);
    ashlar_error err = {0};
    for (int i = 0; i < 2; i++)
        if (r->rank == (i == 0 ? 0 : r->ranks - 1))
            ashlar_tiles_put(tiles, 1, 0, 3, 2, ASHLAR_COL_MAJOR, 3, x, &err);
    snprintf(wanted, sizeof wanted, "ashlar_tiles_finish: tile (1, 0) was put by rank 0 and by rank %d", r->ranks - 1);
    CHECK(&r->test, ashlar_tiles_finish(tiles, &err) == ASHLAR_ERR_ARG && strstr(err.text, wanted), "%s", err.text);
    ashlar_tiles_free(&tiles);
}

/* Ranks that describe different matrices, and descriptions that are none. */
static void wrong_descriptions(rig *r, ashlar_context *context)
{
    static const int64_t size[3] = {2, 3, 4}, other[3] = {2, 3, 5}, below[3] = {2, -1, 3};
    static const int map[3] = {0, 0, 0}, bad_map[3] = {0, 7000, 0};
    const ashlar_tiles_description good = {.type = ASHLAR_TYPE_D, .tile_rows = 3, .tile_cols = 3, .row_sizes = size};
    enum { WRONG = 9 };
    ashlar_tiles_description d[WRONG];
    for (int i = 0; i < WRONG; i++)
        d[i] = good;
    d[0].type = (ashlar_type)9;
    d[1].symmetry = (ashlar_symmetry)5;
    d[2].row_sizes = below;
    d[3].tile_cols = 2;
    d[4].col_sizes = other;
    d[4].symmetry = ASHLAR_HERMITIAN;
    d[5].grid_rows = r->ranks + 1;
    d[5].grid_cols = 1;
    d[6].row_map = bad_map;
    d[7].grid_cols = 1;
    d[8].tile_rows = -1;
    ashlar_tiles *tiles = NULL;
    for (int i = 0; i < WRONG; i++)
        for (int alone = 0; alone < 2; alone++) {
            ashlar_error err = {0};
            const ashlar_status status =
                ashlar_tiles_create(context, alone && r->rank != r->ranks - 1 ? &good : &d[i], &tiles, &err);
            CHECK(&r->test, status == ASHLAR_ERR_ARG && !tiles && ranks_agree(MPI_COMM_WORLD, (int)status, err.text),
                  "%d: %s", i, err.text);
        }
    ashlar_tiles_description differ[4] = {good, good, good, good};
    static const char *const wanted[4] = {"the type", "the sizes of the rows", "the symmetry", "the grid"};
    differ[0].type = ASHLAR_TYPE_S;
    differ[1].row_sizes = other;
    differ[1].col_sizes = size;
    differ[2].symmetry = ASHLAR_SYMMETRIC;
    differ[3].row_map = map;
    for (int i = 0; i < 4 && r->ranks > 1; i++) {
        ashlar_error err = {0};
        const ashlar_status status = ashlar_tiles_create(context, r->rank == 1 ? &differ[i] : &good, &tiles, &err);
        CHECK(&r->test, status == ASHLAR_ERR_ARG && !tiles && ranks_agree(MPI_COMM_WORLD, (int)status, err.text) &&
              strstr(err.text, wanted[i]), "%d: %s", i, err.text);
    }
}

/* ---- numbers ---- */

/* The contribution number `call` of a rank to an element: numbers whose sum depends on its order. */
static double contribution(int rank, int call, int64_t element_number)
{
    uint64_t state = (uint64_t)(rank * 100 + call * 10) + (uint64_t)element_number * 1000;
    return (double)(ashi_random(&state) >> 11) / (double)(1 + ashi_random(&state) % 1000);
}

/* What is added is added in the order of the ranks, then of the calls, to what was put: in each of many elements. */
static void order_of_sums(rig *r, ashlar_context *context)
{
    enum { ELEMENTS = 64, CALLS = 3 };
    const int64_t rows = ELEMENTS, cols = 1;
    tiling t = {.d = {.type = ASHLAR_TYPE_D, .tile_rows = 1, .tile_cols = 1, .row_sizes = &rows, .col_sizes = &cols}};
    ashlar_tiles *tiles = make_tiles(r, context, &t);
    ashlar_stored_tile tile = {0};
    double wanted[ELEMENTS] = {0}, x[ELEMENTS];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < CALLS; i++) {
            for (int64_t e = 0; e < ELEMENTS; e++)
                x[e] = contribution(r->rank, i, e);
            ashlar_tiles_accumulate(tiles, 0, 0, ELEMENTS, 1, ASHLAR_COL_MAJOR, ELEMENTS, x, NULL);
        }
        for (int64_t e = 0; e < ELEMENTS; e++)
            x[e] = contribution(r->ranks, 0, e);
        if (r->rank == r->ranks - 1 && round == 0)
            ashlar_tiles_put(tiles, 0, 0, ELEMENTS, 1, ASHLAR_ROW_MAJOR, 1, x, NULL);
        for (int64_t e = 0; e < ELEMENTS; e++) {
            volatile double sum = round == 0 ? x[e] : wanted[e];
            for (int call = 0; call < CALLS * r->ranks; call++)
                sum = sum + contribution(call / CALLS, call % CALLS, e);
            wanted[e] = sum;
        }
        CHECK(&r->test, ashlar_tiles_finish(tiles, NULL) == ASHLAR_OK, "finish");
    }
    ashlar_tiles_get(tiles, 0, 0, &tile, NULL);
    CHECK(&r->test, !tile.data || memcmp(tile.data, wanted, sizeof wanted) == 0, "sums were made in another order");
    ashlar_tiles_free(&tiles);
}

/* Three tiles on the diagonal, each of one element; a norm of all. */
static double norm_of(rig *r, ashlar_context *context, ashlar_type type, const double x[3])
{
    static const int64_t size[3] = {1, 1, 1};
    tiling t = {.d = {.type = type, .tile_rows = 3, .tile_cols = 3, .row_sizes = size}};
    ashlar_tiles *tiles = make_tiles(r, context, &t);
    double norm = -1;
    for (int64_t i = 0; i < 3; i++) {
        const double z[2] = {x[i], x[i]};
        if (r->rank == i % r->ranks)
            ashlar_tiles_put(tiles, i, i, 1, 1, ASHLAR_COL_MAJOR, 1, z, NULL);
    }
    CHECK(&r->test, ashlar_tiles_finish(tiles, NULL) == ASHLAR_OK, "finish");
    CHECK(&r->test, ashlar_tiles_norm(tiles, &norm, NULL) == ASHLAR_OK, "norm");
    ashlar_tiles_free(&tiles);
    return norm;
}

static void norm_extremes(rig *r, ashlar_context *context)
{
    static const double x[][3] = {{3e200, 4e200, 0},  {3e-200, 4e-200, 0}, {3e200, 4e-200, 1}, {0, 5e-324, 0},
                                  {1.7e308, 0, 0},    {0, 0, 0},           {1e-170, 1e-170, 1e-150}};
    for (size_t i = 0; i < sizeof x / sizeof x[0]; i++) {
        const long double square = (long double)x[i][0] * x[i][0] + (long double)x[i][1] * x[i][1] +
                                   (long double)x[i][2] * x[i][2], wanted = sqrtl(square);
        const double d = norm_of(r, context, ASHLAR_TYPE_D, x[i]);
        CHECK(&r->test, fabsl(d - wanted) <= 4e-16L * wanted, "%zu: %g", i, d);
        const double z = norm_of(r, context, ASHLAR_TYPE_Z, x[i]);
        const double both = (double)(sqrtl(2) * wanted);
        CHECK(&r->test, fabs(z - both) <= 4e-16 * both || isinf(both) || (both < 1e-300 && fabs(z - both) <= 5e-324),
              "%zu: %g", i, z);
    }
    static const double bad[][3] = {{1, NAN, 0}, {INFINITY, NAN, 1}, {NAN, INFINITY, 0}, {1e200, 0, NAN}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK(&r->test, isnan(norm_of(r, context, ASHLAR_TYPE_D, bad[i])), "%zu", i);
    static const double infinite[3] = {1, -INFINITY, 1e-300};
    CHECK(&r->test, isinf(norm_of(r, context, ASHLAR_TYPE_D, infinite)), "infinite");
}

/* Tiles whose packets take several messages, and whose columns are cut between two of them. */
static void long_tiles(rig *r, ashlar_context *context)
{
    static const int64_t size[2] = {1000, 301};
    tiling t = {.d = {.type = ASHLAR_TYPE_Z, .tile_rows = 2, .tile_cols = 2, .row_sizes = size,
                      .symmetry = ASHLAR_HERMITIAN}};
    ashlar_tiles *tiles = make_tiles(r, context, &t);
    model m;
    uint64_t state = 5;
    if (!model_make(&t, &m))
        exit(1);
    fill_random(r, &state, tiles, &m, 100, true);
    check_tiles(r, tiles, &m, 0, "long tiles");
    check_fetch(r, tiles, &m);
    check_dense(r, &state, tiles, &m);
    model_free(&m);
    ashlar_tiles_free(&tiles);
}

static void one(ashlar_context *context, rig *r)
{
    uint64_t state = r->seed;
    tiling t;
    model m;
    random_tiling(&state, r->ranks, &t);
    ashlar_tiles *tiles = make_tiles(r, context, &t);
    if (!tiles || !model_make(&t, &m))
        exit(1);
    check_all(r, &state, tiles, &m, "empty");
    for (int round = 0; round < 3; round++) {
        fill_round(r, &state, tiles, &m);
        check_all(r, &state, tiles, &m, "filled");
    }
    wrong_use(r, tiles, &m);
    if (r->seed == r->first) {
        two_puts(r, context);
        wrong_descriptions(r, context);
        order_of_sums(r, context);
        norm_extremes(r, context);
        long_tiles(r, context);
    }
    model_free(&m);
    ashlar_tiles_free(&tiles);
}

int main(int argc, char **argv)
{
    return try_in_context(argc, argv, 60, one);
}

/* Tiles that are stored as U V^T, against the same tiles put as dense ones: every call gives the same elements.
 *
 * Elements are small integers, with which sums and products here are exact: what is compared is equal. */
#define PROGRAM "tiles_low_rank"

#include "mpi/filing.h"
#include "mpi/tilings.h"

#include <ashlar/tiles_file.h>
#include <ashlar/tiles_low_rank.h>
#include <ashlar/tiles_plan.h>

enum { TILES = 4, INNER = 8, SIDE = 24, RANK = 3 };

/* One matrix, stored in both ways. */
typedef struct pair {
    ashlar_tiles *low, *dense;
    int64_t ranked; /* tiles that are stored as U V^T */
} pair;

typedef struct cuts {
    int64_t tiles, size[INNER];
} cuts;

static void good(rig *r, ashlar_status status, const ashlar_error *err, const char *what)
{
    CHECK(&r->test, status == ASHLAR_OK, CASE "%s: %s", CASE_OF(r), what, err->text);
}

static cuts some_cuts(uint64_t *state)
{
    cuts c = {.tiles = ashi_random_in(state, 1, TILES)};
    for (int64_t i = 0; i < c.tiles; i++)
        c.size[i] = ashi_random_in(state, 0, 9) == 0 ? 0 : ashi_random_in(state, 1, SIDE);
    return c;
}

static ashlar_tiles_description described(ashlar_type type, ashlar_symmetry symmetry, const cuts *rows,
                                          const cuts *cols)
{
    return (ashlar_tiles_description){.size = sizeof(ashlar_tiles_description), .type = type, .symmetry = symmetry,
                                      .tile_rows = rows->tiles, .tile_cols = cols->tiles, .row_sizes = rows->size,
                                      .col_sizes = cols->size};
}

static ashlar_tiles *make(rig *r, ashlar_context *context, const ashlar_tiles_description *d)
{
    ashlar_tiles *tiles = NULL;
    ashlar_error err = {0};
    good(r, ashlar_tiles_create(context, d, &tiles, &err), &err, "create");
    return tiles;
}

static number small(uint64_t *state, ashlar_type type)
{
    const bool complex = ashi_type_of(type)->complex;
    return (number){(long double)ashi_random_in(state, -2, 2), complex ? (long double)ashi_random_in(state, -1, 1) : 0};
}

/* U and V with gaps of NaN below their columns, and their product. */
typedef struct factors {
    int64_t rows, cols, rank, ldu, ldv;
    char *u, *v, *x;
} factors;

static void *column_major(uint64_t *state, ashlar_type type, int64_t rows, int64_t cols, int64_t ld)
{
    const size_t word = ashlar_type_bytes(type);
    char *const x = malloc((size_t)(ld * cols + 1) * word);
    if (!x)
        exit(1);
    memset(x, 0xFF, (size_t)(ld * cols + 1) * word);
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++)
            number_store(type, small(state, type), x + (size_t)(i + j * ld) * word);
    return x;
}

static factors random_factors(uint64_t *state, ashlar_type type, int64_t rows, int64_t cols)
{
    const size_t word = ashlar_type_bytes(type);
    const int64_t most = ashi_min(RANK, ashi_min(rows, cols));
    factors f = {rows, cols, ashi_random_in(state, 0, most), 0, 0, NULL, NULL, NULL};
    f.ldu = rows + ashi_random_in(state, 0, 2);
    f.ldv = cols + ashi_random_in(state, 0, 2);
    f.u = column_major(state, type, rows, f.rank, f.ldu);
    f.v = column_major(state, type, cols, f.rank, f.ldv);
    f.x = malloc((size_t)(rows * cols + 1) * word);
    for (int64_t j = 0; f.x && j < cols; j++)
        for (int64_t i = 0; i < rows; i++) {
            number sum = {0, 0};
            for (int64_t k = 0; k < f.rank; k++)
                sum = number_add(sum, number_mul(number_load(type, f.u + (size_t)(i + k * f.ldu) * word),
                                                   number_load(type, f.v + (size_t)(j + k * f.ldv) * word)));
            number_store(type, sum, f.x + (size_t)(i + j * rows) * word);
        }
    return f;
}

static void factors_free(factors *f)
{
    free(f->u);
    free(f->v);
    free(f->x);
}

/* Some tiles of low rank, some dense, some absent, put by random ranks, and some as their mirror images. */
static pair random_pair(rig *r, ashlar_context *context, uint64_t *state, const ashlar_tiles_description *d)
{
    pair p = {make(r, context, d), make(r, context, d), 0};
    ashlar_error err = {0};
    for (int64_t i = 0; i < d->tile_rows; i++)
        for (int64_t j = d->symmetry == ASHLAR_GENERAL ? 0 : i; j < d->tile_cols; j++) {
            const int64_t kind = ashi_random_in(state, 0, 4), who = ashi_random_in(state, 0, r->ranks - 1);
            const bool turns = d->symmetry != ASHLAR_GENERAL && ashi_random_in(state, 0, 1);
            const int64_t row = turns ? j : i, col = turns ? i : j, m = d->row_sizes[row], n = d->col_sizes[col];
            factors f = random_factors(state, d->type, m, n);
            const bool small_enough = f.rank * (m + n) < m * n && (d->symmetry == ASHLAR_GENERAL || i != j);
            p.ranked += kind > 1 && small_enough;
            if (kind > 0 && who == r->rank) {
                good(r, kind == 1 ? ashlar_tiles_put(p.low, row, col, m, n, ASHLAR_COL_MAJOR, m, f.x, &err)
                                  : ashlar_tiles_put_low_rank(p.low, row, col, f.rank, f.u, f.ldu, f.v, f.ldv, &err),
                     &err, "put_low_rank");
                good(r, ashlar_tiles_put(p.dense, row, col, m, n, ASHLAR_COL_MAJOR, m, f.x, &err), &err, "put");
            }
            factors_free(&f);
        }
    good(r, ashlar_tiles_finish(p.low, &err), &err, "finish");
    good(r, ashlar_tiles_finish(p.dense, &err), &err, "finish");
    return p;
}

static void pair_free(pair *p)
{
    ashlar_tiles_free(&p->low);
    ashlar_tiles_free(&p->dense);
}

static ashlar_tiles_info info_of(rig *r, const ashlar_tiles *tiles)
{
    ashlar_tiles_info info = {0};
    ashlar_error err = {0};
    good(r, ashlar_tiles_inspect(tiles, &info, &err), &err, "inspect");
    return info;
}

/* All elements, on every rank. */
static char *all_of(rig *r, const ashlar_tiles *tiles, size_t *bytes)
{
    const ashlar_tiles_info info = info_of(r, tiles);
    const int64_t count = info.tile_rows * info.tile_cols;
    int64_t *const at = malloc((size_t)(2 * count + 1) * sizeof *at);
    int *const present = malloc((size_t)count * sizeof *present + 1);
    ashlar_error err = {0};
    const size_t words = (size_t)(info.rows * info.cols), word = ashlar_type_bytes(info.type);
    char *const data = malloc(words * word + (size_t)count * sizeof *present + 1);
    if (!at || !data || !present)
        exit(1);
    for (int64_t t = 0; t < count; t++) {
        at[t] = t / info.tile_cols;
        at[count + t] = t % info.tile_cols;
    }
    good(r, ashlar_tiles_fetch(tiles, count, at, at + count, data, present, &err), &err, "fetch");
    memcpy(data + words * word, present, (size_t)count * sizeof *present);
    *bytes = words * word;
    free(at);
    free(present);
    return data;
}

/* Both have the same tiles with equal elements; 0 and -0 are equal. */
static void same(rig *r, const ashlar_tiles *x, const ashlar_tiles *y, const char *what)
{
    const ashlar_tiles_info a = info_of(r, x), b = info_of(r, y);
    size_t bytes[2];
    char *const p = all_of(r, x, &bytes[0]), *const q = all_of(r, y, &bytes[1]);
    bool equal = bytes[0] == bytes[1] && a.tiles == b.tiles &&
                 memcmp(p + bytes[0], q + bytes[1], (size_t)(a.tile_rows * a.tile_cols) * sizeof(int)) == 0;
    for (size_t at = 0; equal && at < bytes[0]; at += ashlar_type_bytes(a.type))
        equal = number_near(number_load(a.type, p + at), number_load(a.type, q + at), 0);
    CHECK(&r->test, equal, CASE "%s: elements or tiles differ", CASE_OF(r), what);
    free(p);
    free(q);
}

static bool same_bytes(const folder *f, const char *x, const char *y)
{
    char path[2][PATH_BYTES];
    bool same = true;
    folder_name(f, x, path[0]);
    folder_name(f, y, path[1]);
    FILE *file[2] = {fopen(path[0], "rb"), fopen(path[1], "rb")};
    for (int c = 0; file[0] && file[1] && same && c != EOF;) {
        c = getc(file[0]);
        same = c == getc(file[1]);
    }
    same = same && file[0] && file[1];
    for (int i = 0; i < 2; i++)
        if (file[i])
            fclose(file[i]);
    return same;
}

/* ---- what is stored ---- */

static void stored(rig *r, const pair *p)
{
    const ashlar_tiles_info low = info_of(r, p->low), dense = info_of(r, p->dense);
    int64_t words = 0;
    ashlar_error err = {0};
    CHECK(&r->test, low.low_rank_tiles == p->ranked && dense.low_rank_tiles == 0, CASE "%" PRId64 " of %" PRId64
          " tiles have a rank", CASE_OF(r), low.low_rank_tiles, p->ranked);
    CHECK(&r->test, low.tiles == dense.tiles && low.density >= dense.density && low.density <= dense.density &&
          low.words <= dense.words, CASE "counts", CASE_OF(r));
    for (int64_t t = 0; t < low.local_tiles; t++) {
        ashlar_stored_tile tile = {0};
        good(r, ashlar_tiles_local(p->low, t, &tile, &err), &err, "local");
        words += tile.rank < 0 ? tile.rows * tile.cols : tile.rank * (tile.rows + tile.cols);
        CHECK(&r->test, tile.rank < 0 || (!tile.data && (tile.u != NULL) == (tile.rank > 0) &&
              tile.rank * (tile.rows + tile.cols) < tile.rows * tile.cols), CASE "a tile's rank", CASE_OF(r));
    }
    CHECK(&r->test, words == low.local_words, CASE "words", CASE_OF(r));
    same(r, p->low, p->dense, "put");
}

/* ---- algebra ---- */

static void number_equal(rig *r, ashlar_type type, const void *x, const void *y, const char *what)
{
    CHECK(&r->test, number_near(number_load(type, x), number_load(type, y), 0), CASE "%s", CASE_OF(r), what);
}

static void read_only(rig *r, ashlar_type type, const pair *p, bool square)
{
    char x[2][2 * sizeof(double)] = {{0}};
    double norm[2], bound[4] = {0};
    ashlar_error err = {0};
    good(r, ashlar_tiles_norm(p->low, &norm[0], &err), &err, "norm");
    good(r, ashlar_tiles_norm(p->dense, &norm[1], &err), &err, "norm");
    CHECK(&r->test, norm[0] >= norm[1] && norm[0] <= norm[1], CASE "norm", CASE_OF(r));
    good(r, ashlar_tiles_trace_product(ASHLAR_OP_C, p->low, p->low, x[0], &err), &err, "trace_product");
    good(r, ashlar_tiles_trace_product(ASHLAR_OP_C, p->dense, p->dense, x[1], &err), &err, "trace_product");
    number_equal(r, type, x[0], x[1], "trace_product");
    if (!square)
        return;
    good(r, ashlar_tiles_trace(p->low, x[0], &err), &err, "trace");
    good(r, ashlar_tiles_trace(p->dense, x[1], &err), &err, "trace");
    number_equal(r, type, x[0], x[1], "trace");
    good(r, ashlar_tiles_gershgorin(p->low, &bound[0], &bound[1], &err), &err, "gershgorin");
    good(r, ashlar_tiles_gershgorin(p->dense, &bound[2], &bound[3], &err), &err, "gershgorin");
    CHECK(&r->test, memcmp(bound, bound + 2, 2 * sizeof *bound) == 0, CASE "gershgorin", CASE_OF(r));
}

/* The same to a copy of each. */
/* Saved on all ranks and loaded on some of them, dealt out otherwise: U and V, so that saving again gives the same
 * bytes. */
static void save_p_load_q(rig *r, uint64_t *state, const pair *p)
{
    const folder f = folder_of_ranks(r);
    char low[PATH_BYTES], dense[PATH_BYTES], again[PATH_BYTES];
    MPI_Comm some = MPI_COMM_NULL;
    ashlar_context *context = NULL;
    pair q = {NULL, NULL, p->ranked};
    ashlar_error err = {0};
    folder_name(&f, "low.h5:/A", low);
    folder_name(&f, "dense.h5:/A", dense);
    folder_name(&f, "again.h5:/A", again);
    good(r, ashlar_tiles_save(p->low, low, &err), &err, "save");
    good(r, ashlar_tiles_save(p->dense, dense, &err), &err, "save");
    const int64_t ranks = ashi_random_in(state, 1, r->ranks);
    MPI_Comm_split(MPI_COMM_WORLD, r->rank < ranks ? 0 : MPI_UNDEFINED, 0, &some);
    if (some != MPI_COMM_NULL) {
        good(r, ashlar_context_create(some, &context, &err), &err, "context");
        good(r, ashlar_tiles_load(context, low, NULL, &q.low, &err), &err, "load");
        good(r, ashlar_tiles_load(context, dense, NULL, &q.dense, &err), &err, "load");
        stored(r, &q);
        good(r, ashlar_tiles_save(q.low, again, &err), &err, "save");
        pair_free(&q);
        ashlar_context_free(&context);
        MPI_Comm_free(&some);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (r->rank == 0) {
        CHECK(&r->test, same_bytes(&f, "low.h5", "again.h5"), CASE "bytes", CASE_OF(r));
        CHECK(&r->test, p->ranked == 0 || !same_bytes(&f, "low.h5", "dense.h5"), CASE "no ranks", CASE_OF(r));
        folder_remove(&f);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void changed(rig *r, const pair *p, const char *what, ashlar_status change(ashlar_tiles *x, ashlar_error *err))
{
    pair q = {NULL, NULL, 0};
    ashlar_error err = {0};
    good(r, ashlar_tiles_copy(p->low, &q.low, &err), &err, "copy");
    good(r, ashlar_tiles_copy(p->dense, &q.dense, &err), &err, "copy");
    good(r, change(q.low, &err), &err, what);
    good(r, change(q.dense, &err), &err, what);
    same(r, q.low, q.dense, what);
    pair_free(&q);
}

static ashlar_status doubled(ashlar_tiles *x, ashlar_error *err)
{
    char two[2 * sizeof(double)];
    ashlar_tiles_info info;
    (void)ashlar_tiles_inspect(x, &info, err);
    number_store(info.type, (number){2, 0}, two);
    return ashlar_tiles_scale(two, x, err);
}

static ashlar_status filtered(ashlar_tiles *x, ashlar_error *err)
{
    return ashlar_tiles_filter(x, 20, err);
}

static ashlar_status shifted(ashlar_tiles *x, ashlar_error *err)
{
    char two[2 * sizeof(double)];
    ashlar_tiles_info info;
    (void)ashlar_tiles_inspect(x, &info, err);
    number_store(info.type, info.symmetry == ASHLAR_ANTIHERMITIAN ? (number){0, 2} : (number){2, 0}, two);
    return ashlar_tiles_add_diagonal(two, NULL, x, err);
}

static ashlar_status scaled(ashlar_tiles *x, ashlar_error *err)
{
    ashlar_tiles_info info;
    (void)ashlar_tiles_inspect(x, &info, err);
    const size_t word = ashlar_type_bytes(info.type);
    char *const d = malloc((size_t)ashi_max(info.rows, info.cols) * word + 1);
    for (int64_t i = 0; d && i < ashi_max(info.rows, info.cols); i++)
        number_store(info.type, (number){(long double)(i % 3), 0}, d + (size_t)i * word);
    const ashlar_status status = ashlar_tiles_scale_by_diagonal(d, d, x, err);
    free(d);
    return status;
}

static ashlar_status expanded(ashlar_tiles *x, ashlar_error *err)
{
    ashlar_tiles_info info = {0};
    const ashlar_status status = ashlar_tiles_expand(x, err);
    (void)ashlar_tiles_inspect(x, &info, err);
    return status == ASHLAR_OK && info.low_rank_tiles > 0 ? ASHLAR_ERR_INTERNAL : status;
}

/* Every rank adds 1 to the first element of the last tile, if there is one. */
static ashlar_status added_to(ashlar_tiles *x, ashlar_error *err)
{
    ashlar_tiles_info info;
    (void)ashlar_tiles_inspect(x, &info, err);
    const int64_t i = info.tile_rows - 1, j = info.tile_cols - 1;
    const int64_t m = info.row_cuts[i + 1] - info.row_cuts[i], n = info.col_cuts[j + 1] - info.col_cuts[j];
    char *const one = calloc((size_t)(m * n) + 1, ashlar_type_bytes(info.type));
    if (one)
        number_store(info.type, (number){1, 0}, one);
    if (one && m * n > 0)
        (void)ashlar_tiles_accumulate(x, i, j, m, n, ASHLAR_COL_MAJOR, m, one, err);
    free(one);
    return ashlar_tiles_finish(x, err);
}

static void combined(rig *r, ashlar_context *context, uint64_t *state, const ashlar_tiles_description *d, const pair *p)
{
    char two[2 * sizeof(double)], minus[2 * sizeof(double)];
    ashlar_error err = {0};
    pair q = random_pair(r, context, state, d), s = {make(r, context, d), make(r, context, d), 0};
    number_store(d->type, (number){2, 0}, two);
    number_store(d->type, (number){-1, 0}, minus);
    good(r, ashlar_tiles_add(two, p->low, minus, q.low, s.low, &err), &err, "add");
    good(r, ashlar_tiles_add(two, p->dense, minus, q.dense, s.dense, &err), &err, "add");
    same(r, s.low, s.dense, "add");
    if (d->symmetry == ASHLAR_GENERAL) {
        good(r, ashlar_tiles_multiply_elements(p->low, q.low, s.low, &err), &err, "multiply_elements");
        good(r, ashlar_tiles_multiply_elements(p->dense, q.dense, s.dense, &err), &err, "multiply_elements");
        same(r, s.low, s.dense, "multiply_elements");
    }
    pair_free(&q);
    pair_free(&s);
}

/* Between the same cuts tiles stay U V^T, between others they become dense. */
static void moved(rig *r, ashlar_context *context, uint64_t *state, const ashlar_tiles_description *d, const pair *p)
{
    const ashlar_op op = (ashlar_op)ashi_random_in(state, 0, 2);
    const bool turned = op != ASHLAR_OP_N, whole = ashi_random_in(state, 0, 3) == 0;
    ashlar_tiles_description to = *d;
    int64_t all[2] = {0, 0};
    ashlar_error err = {0};
    for (int64_t i = 0; i < d->tile_rows; i++)
        all[turned] += d->row_sizes[i];
    for (int64_t i = 0; i < d->tile_cols; i++)
        all[!turned] += d->col_sizes[i];
    to.tile_rows = whole ? 1 : turned ? d->tile_cols : d->tile_rows;
    to.tile_cols = whole ? 1 : turned ? d->tile_rows : d->tile_cols;
    to.row_sizes = whole ? &all[0] : turned ? d->col_sizes : d->row_sizes;
    to.col_sizes = whole ? &all[1] : turned ? d->row_sizes : d->col_sizes;
    to.symmetry = ashi_random_in(state, 0, 1) ? d->symmetry : ASHLAR_GENERAL;
    to.grid_rows = r->ranks;
    to.grid_cols = 1;
    pair q = {make(r, context, &to), make(r, context, &to), 0};
    good(r, ashlar_tiles_move(op, p->low, q.low, &err), &err, "move");
    good(r, ashlar_tiles_move(op, p->dense, q.dense, &err), &err, "move");
    same(r, q.low, q.dense, "move");
    const int64_t mirrored = d->symmetry != ASHLAR_GENERAL && to.symmetry == ASHLAR_GENERAL ? 2 : 1;
    if (!whole || d->tile_rows * d->tile_cols != 1)
        CHECK(&r->test, info_of(r, q.low).low_rank_tiles == (whole ? 0 : mirrored * p->ranked),
              CASE "%" PRId64 " tiles have a rank after a move", CASE_OF(r), info_of(r, q.low).low_rank_tiles);
    pair_free(&q);
}

/* ---- products ---- */

static bool number_is_zero(ashlar_type type, const void *x)
{
    const number n = number_load(type, x);
    return n.re == 0 && n.im == 0;
}

static void multiplied(rig *r, ashlar_context *context, uint64_t *state)
{
    const ashlar_type type = (ashlar_type)ashi_random_in(state, 0, 3);
    const ashlar_op op[2] = {(ashlar_op)ashi_random_in(state, 0, 2), (ashlar_op)ashi_random_in(state, 0, 2)};
    const bool squares = ashi_random_in(state, 0, 2) == 0;
    cuts c[3];
    for (int i = 0; i < 3; i++)
        c[i] = i > 0 && squares ? c[0] : some_cuts(state);
    const ashlar_symmetry symmetry = squares ? (ashlar_symmetry)ashi_random_in(state, 0, 4) : ASHLAR_GENERAL;
    const bool turned[2] = {op[0] != ASHLAR_OP_N, op[1] != ASHLAR_OP_N};
    const ashlar_tiles_description d[3] = {
        described(type, symmetry, &c[turned[0] ? 2 : 0], &c[turned[0] ? 0 : 2]),
        described(type, ASHLAR_GENERAL, &c[turned[1] ? 1 : 2], &c[turned[1] ? 2 : 1]),
        described(type, ASHLAR_GENERAL, &c[0], &c[1])};
    pair x[3];
    ashlar_error err = {0};
    ashlar_tiles_options options = {.size = sizeof options, .bound = 1, .retain = (int)ashi_random_in(state, 0, 1)};
    char two[2 * sizeof(double)], beta[2 * sizeof(double)];
    int64_t ranges[6];
    number_store(type, (number){(long double)ashi_random_in(state, 0, 3), 0}, two); /* or 0 */
    number_store(type, (number){(long double)ashi_random_in(state, -1, 1), 0}, beta);
    for (int side = 0; side < 3; side++) {
        ranges[2 * side] = ashi_random_in(state, 0, c[side].tiles);
        ranges[2 * side + 1] = ashi_random_in(state, ranges[2 * side], c[side].tiles);
    }
    options.ranges = ashi_random_in(state, 0, 2) == 0 ? ranges : NULL;
    for (int i = 0; i < 3; i++)
        x[i] = random_pair(r, context, state, &d[i]);
    good(r, ashlar_tiles_multiply(two, op[0], x[0].low, op[1], x[1].low, beta, x[2].low, &options, NULL, &err), &err,
         "multiply");
    good(r, ashlar_tiles_multiply(two, op[0], x[0].dense, op[1], x[1].dense, beta, x[2].dense, &options, NULL, &err),
         &err, "multiply");
    same(r, x[2].low, x[2].dense, "multiply");
    CHECK(&r->test, options.ranges || number_is_zero(type, two) || info_of(r, x[2].low).low_rank_tiles == 0,
          CASE "C's tiles have ranks", CASE_OF(r));
    for (int i = 0; i < 3; i++)
        pair_free(&x[i]);
}

/* A product with tiles of rank 0 as if these were absent, where C retains its tiles: as many words come. */
static void multiplied_by_nothing(rig *r, ashlar_context *context, uint64_t *state)
{
    const cuts side[3] = {{3, {2, 3, 4}}, {3, {3, 5, 2}}, {INNER, {2, 1, 3, 2, 4, 1, 2, 3}}};
    const cuts *const of[3][2] = {{&side[0], &side[2]}, {&side[2], &side[1]}, {&side[0], &side[1]}};
    const ashlar_tiles_options options = {.size = sizeof options, .retain = 1};
    const double one = 1, x[20] = {1, 2, 3, -1, 2, -2};
    ashlar_tiles_result with = {0}, without = {0};
    ashlar_error err = {0};
    pair p[3]; /* with tiles of rank 0, and without */
    for (int i = 0; i < 3; i++) {
        const ashlar_tiles_description d = described(ASHLAR_TYPE_D, ASHLAR_GENERAL, of[i][0], of[i][1]);
        p[i] = (pair){make(r, context, &d), make(r, context, &d), 0};
        for (int64_t t = 0; t < d.tile_rows * d.tile_cols; t++) {
            const int64_t row = t / d.tile_cols, col = t % d.tile_cols, m = d.row_sizes[row], n = d.col_sizes[col];
            const int64_t kind = ashi_random_in(state, 0, 2);
            if (r->rank == 0 && kind == 0 && i < 2)
                good(r, ashlar_tiles_put_low_rank(p[i].low, row, col, 0, NULL, m, NULL, n, &err), &err, "put");
            for (int low = 0; low < 2 && r->rank == 0 && kind == 1; low++)
                good(r, ashlar_tiles_put(low ? p[i].low : p[i].dense, row, col, m, n, ASHLAR_COL_MAJOR, m, x, &err),
                     &err, "put");
        }
        good(r, ashlar_tiles_finish(p[i].low, &err), &err, "finish");
        good(r, ashlar_tiles_finish(p[i].dense, &err), &err, "finish");
    }
    good(r, ashlar_tiles_multiply(&one, ASHLAR_OP_N, p[0].low, ASHLAR_OP_N, p[1].low, &one, p[2].low, &options, &with,
                                  &err), &err, "with tiles of rank 0");
    good(r, ashlar_tiles_multiply(&one, ASHLAR_OP_N, p[0].dense, ASHLAR_OP_N, p[1].dense, &one, p[2].dense, &options,
                                  &without, &err), &err, "without tiles of rank 0");
    same(r, p[2].low, p[2].dense, "tiles of rank 0");
    CHECK(&r->test, with.words == without.words && with.messages == without.messages, CASE "%" PRId64
          " words come in %" PRId64 " messages, %" PRId64 " in %" PRId64 " without tiles of rank 0", CASE_OF(r),
          with.words, with.messages, without.words, without.messages);
    for (int i = 0; i < 3; i++)
        pair_free(&p[i]);
}

/* With beta = 0 C is not read: what its U and V had is nowhere in the product, or in its bound. */
static void unread(rig *r, ashlar_context *context)
{
    const cuts c = {.tiles = 2, .size = {10, 10}};
    const ashlar_tiles_description d = described(ASHLAR_TYPE_D, ASHLAR_GENERAL, &c, &c);
    const int64_t ranges[6] = {0, 2, 0, 2, 0, 2};
    const double zero = 0, u[10] = {1, 2, 3}, nan[10] = {NAN, 1, INFINITY};
    for (int i = 0; i < 8; i++) {
        const double alpha = i % 2;
        const ashlar_tiles_options options = {.size = sizeof options, .bound = 1, .ranges = i & 2 ? ranges : NULL,
                                              .tolerance = i & 4 ? 1e-3 : 0};
        pair a = {make(r, context, &d), make(r, context, &d), 0}, y = {make(r, context, &d), make(r, context, &d), 0};
        ashlar_tiles_result done = {0};
        ashlar_error err = {0};
        for (int64_t t = 0; t < 4 && r->rank == 0; t++) {
            good(r, ashlar_tiles_put_low_rank(a.low, t / 2, t % 2, 1, u, 10, u, 10, &err), &err, "put");
            good(r, ashlar_tiles_put_low_rank(y.low, t / 2, t % 2, 1, t < 2 ? u : nan, 10, t < 2 ? nan : u, 10, &err),
                 &err, "put");
            good(r, ashlar_tiles_put_low_rank(y.dense, t / 2, t % 2, 1, u, 10, u, 10, &err), &err, "put");
        }
        good(r, ashlar_tiles_finish(a.low, &err), &err, "finish");
        good(r, ashlar_tiles_finish(y.low, &err), &err, "finish");
        good(r, ashlar_tiles_finish(y.dense, &err), &err, "finish");
        good(r, ashlar_tiles_multiply(&alpha, ASHLAR_OP_N, a.low, ASHLAR_OP_N, a.low, &zero, y.low, &options, &done,
                                      &err), &err, "unread");
        good(r, ashlar_tiles_multiply(&alpha, ASHLAR_OP_N, a.low, ASHLAR_OP_N, a.low, &zero, y.dense, &options, NULL,
                                      &err), &err, "unread");
        same(r, y.low, y.dense, "unread");
        CHECK(&r->test, i % 2 == 0 || isfinite(done.error_bound), CASE "bound %g", CASE_OF(r), done.error_bound);
        pair_free(&a);
        pair_free(&y);
    }
}

/* On a 1 x p grid each rank with columns of C is sent all of A that it lacks, as it is stored. */
static void counted(rig *r, ashlar_context *context)
{
    const cuts c = {.tiles = TILES, .size = {10, 10, 10, 10}};
    ashlar_tiles_description d = described(ASHLAR_TYPE_D, ASHLAR_GENERAL, &c, &c);
    d.grid_rows = 1;
    d.grid_cols = r->ranks;
    ashlar_tiles *a = make(r, context, &d), *b = make(r, context, &d), *s = make(r, context, &d);
    ashlar_tiles_result done = {0};
    ashlar_error err = {0};
    double x[100];
    const double one = 1, zero = 0;
    for (int i = 0; i < 100; i++)
        x[i] = i % 7;
    for (int64_t t = 0; t < TILES * TILES && r->rank == 0; t++) {
        good(r, ashlar_tiles_put_low_rank(a, t / TILES, t % TILES, t % 4, x, 10, x, 10, &err), &err, "put");
        good(r, ashlar_tiles_put(b, t / TILES, t % TILES, 10, 10, ASHLAR_COL_MAJOR, 10, x, &err), &err, "put");
    }
    good(r, ashlar_tiles_finish(a, &err), &err, "finish");
    good(r, ashlar_tiles_finish(b, &err), &err, "finish");
    good(r, ashlar_tiles_multiply(&one, ASHLAR_OP_N, a, ASHLAR_OP_N, b, &zero, s, NULL, &done, &err), &err, "product");
    const ashlar_tiles_info info = info_of(r, a);
    const int64_t wanted = r->rank < TILES ? info.words - info.local_words : 0; /* the others have no columns of C */
    CHECK(&r->test, info.words == 4 * (1 + 2 + 3) * 20 && done.words == wanted,
          "%" PRId64 " words came, wanted %" PRId64, done.words, wanted);
    ashlar_tiles_free(&a);
    ashlar_tiles_free(&b);
    ashlar_tiles_free(&s);
}

/* ---- compressing ---- */

typedef struct watched {
    int64_t done, all;
    bool fell; /* `done` became less, or `all` changed */
} watched;

static void watch(void *user, int64_t done, int64_t all)
{
    watched *const w = user;
    w->fell = w->fell || done < w->done || (w->all > 0 && w->all != all);
    *w = (watched){done, all, w->fell};
}

static double difference(rig *r, const ashlar_tiles *x, ashlar_tiles *y, ashlar_type type)
{
    char one[2 * sizeof(double)], minus[2 * sizeof(double)];
    double norm = 0;
    ashlar_error err = {0};
    number_store(type, (number){1, 0}, one);
    number_store(type, (number){-1, 0}, minus);
    good(r, ashlar_tiles_add(one, x, minus, y, y, &err), &err, "add");
    good(r, ashlar_tiles_norm(y, &norm, &err), &err, "norm");
    return norm;
}

/* Tiles that have a rank of 3 at most get one within rounding, and a looser tolerance no larger one. */
static void compressed(rig *r, const pair *p, ashlar_type type)
{
    const double unit = ashi_type_of(type)->roundoff, loose[] = {64 * unit, 0.3};
    int64_t words = INT64_MAX;
    double norm = 0;
    ashlar_error err = {0};
    good(r, ashlar_tiles_norm(p->dense, &norm, &err), &err, "norm");
    for (int i = 0; i < 2; i++) {
        ashlar_tiles *x = NULL, *y = NULL;
        double lost = -1;
        good(r, ashlar_tiles_copy(p->dense, &x, &err), &err, "copy");
        good(r, ashlar_tiles_copy(p->dense, &y, &err), &err, "copy");
        good(r, ashlar_tiles_compress(x, loose[i], 1, &lost, &err), &err, "compress");
        const ashlar_tiles_info info = info_of(r, x);
        for (int64_t t = 0; t < info.local_tiles; t++) {
            ashlar_stored_tile tile = {0};
            good(r, ashlar_tiles_local(x, t, &tile, &err), &err, "local");
            const int64_t pays = tile.rows * tile.cols / (2 * (tile.rows + tile.cols + (tile.rows == 0)));
            CHECK(&r->test, tile.rank <= RANK && (tile.rank >= 0 || pays < RANK || info.symmetry != ASHLAR_GENERAL),
                  CASE "a tile of %" PRId64 " x %" PRId64 " has rank %" PRId64, CASE_OF(r), tile.rows, tile.cols,
                  tile.rank);
        }
        CHECK(&r->test, info.words <= words, CASE "more words within a looser tolerance", CASE_OF(r));
        words = info.words;
        const double found = difference(r, x, y, type);
        CHECK(&r->test, found <= lost && lost <= (loose[i] + 64 * unit) * norm * 1.01 * sqrt(2),
              CASE "lost %.3e, bound %.3e, norm %.3e", CASE_OF(r), found, lost, norm);
        ashlar_tiles_free(&x);
        ashlar_tiles_free(&y);
    }
}

/* Ranks of sums are reduced, and products are compressed, within the bounds that are returned. */
enum { LINE = 16, LINE_MOST = 8 * LINE, PART = 24 };

/* 1 / (1 + |i - j| / 4): the tiles off the diagonal are compressed. */
static pair line(rig *r, ashlar_context *context, ashlar_symmetry symmetry, int64_t tiles)
{
    cuts c = {.tiles = 0};
    int64_t size[LINE_MOST];
    double x[PART * PART];
    ashlar_error err = {0};
    ashlar_tiles_description d = described(ASHLAR_TYPE_D, symmetry, &c, &c);
    d.tile_rows = d.tile_cols = tiles;
    d.row_sizes = d.col_sizes = size;
    for (int64_t i = 0; i < tiles; i++)
        size[i] = PART;
    pair p = {make(r, context, &d), NULL, 0};
    for (int64_t t = 0; t < tiles * tiles && r->rank == 0; t++) {
        const int64_t row = t / tiles, col = t % tiles;
        for (int64_t e = 0; e < PART * PART; e++)
            x[e] = 1 / (1 + fabs((double)((row - col) * PART + e % PART - e / PART)) / 4);
        if (symmetry == ASHLAR_GENERAL || row <= col)
            good(r, ashlar_tiles_put(p.low, row, col, PART, PART, ASHLAR_COL_MAJOR, PART, x, &err), &err, "put");
    }
    good(r, ashlar_tiles_finish(p.low, &err), &err, "finish");
    good(r, ashlar_tiles_copy(p.low, &p.dense, &err), &err, "copy");
    good(r, ashlar_tiles_compress(p.low, 1e-3, 1, NULL, &err), &err, "compress");
    return p;
}

/* C <- A A - C of tiles of low rank within a limit: what is refused names the least that would do, which does, and one
 * word less does not. */
static void limited(rig *r, ashlar_context *context)
{
    pair a = line(r, context, ASHLAR_GENERAL, LINE), c = line(r, context, ASHLAR_GENERAL, LINE);
    ashlar_tiles_options options = {.size = sizeof options, .memory_words = 1};
    ashlar_tiles_result done = {0};
    ashlar_tiles *whole = NULL;
    ashlar_error err = {0};
    int64_t least = 0;
    const double one = 1, minus = -1;
    good(r, ashlar_tiles_copy(c.low, &whole, &err), &err, "copy");
    good(r, ashlar_tiles_multiply(&one, ASHLAR_OP_N, a.low, ASHLAR_OP_N, a.low, &minus, whole, NULL, NULL, &err), &err,
         "without a limit");
    for (int i = 0; i < 2; i++) {
        const ashlar_status status = ashlar_tiles_multiply(&one, ASHLAR_OP_N, a.low, ASHLAR_OP_N, a.low, &minus, c.low,
                                                           &options, &done, &err);
        CHECK(&r->test, status == ASHLAR_ERR_LIMIT, CASE "%s", CASE_OF(r), err.text);
        least = ashlar_context_memory_words(context);
        options.memory_words = least - 1;
    }
    options.memory_words = least;
    good(r, ashlar_tiles_multiply(&one, ASHLAR_OP_N, a.low, ASHLAR_OP_N, a.low, &minus, c.low, &options, &done, &err),
         &err, "limited");
    CHECK(&r->test, done.memory_words <= least && done.words == done.predicted_words, CASE "%" PRId64 " words, %" PRId64
          " allowed", CASE_OF(r), done.memory_words, least);
    CHECK(&r->test, difference(r, c.low, whole, ASHLAR_TYPE_D) <= 1e-9, CASE "limited", CASE_OF(r));
    ashlar_tiles_free(&whole);
    pair_free(&a);
    pair_free(&c);
}

/* So many rows and columns of tiles that the process grid that is chosen for them has LINE for each of its rows. */
static int64_t tiles_for_all_rows(rig *r, ashlar_context *context)
{
    int64_t tiles = LINE, wanted = LINE;
    do {
        tiles = ashi_min(wanted, LINE_MOST);
        pair p = line(r, context, ASHLAR_GENERAL, tiles);
        wanted = LINE * info_of(r, p.low).grid_rows;
        pair_free(&p);
    } while (tiles < wanted && tiles < LINE_MOST);
    return tiles;
}

/* C <- A A - C: a rank never holds all elements of C beside A and C as it was, and the error is within the bound. C has
 * so many rows that each row of processes has as many of them as one process alone. Progress comes to its end once. */
static void in_panels(rig *r, ashlar_context *context)
{
    const int64_t tiles = tiles_for_all_rows(r, context);
    for (int s = 0; s < 2; s++) {
        const ashlar_symmetry symmetry = s == 0 ? ASHLAR_GENERAL : ASHLAR_SYMMETRIC;
        pair a = line(r, context, symmetry, tiles), c = line(r, context, symmetry, tiles);
        ashlar_tiles_options options = {.size = sizeof options, .bound = 1, .tolerance = 1e-3, .relative = 1,
                                        .progress = watch, .progress_user = &(watched){0}};
        ashlar_tiles_result whole = {0}, done = {0};
        ashlar_error err = {0};
        const double one = 1, minus = -1;
        const watched *const w = options.progress_user;
        const int64_t before = info_of(r, a.low).local_words + info_of(r, c.low).local_words;
        ashlar_tiles_free(&c.dense);
        good(r, ashlar_tiles_copy(c.low, &c.dense, &err), &err, "copy");
        good(r, ashlar_tiles_multiply(&one, ASHLAR_OP_N, a.low, ASHLAR_OP_N, a.low, &minus, c.low, &options, &done,
                                      &err), &err, "panels");
        good(r, ashlar_tiles_multiply(&one, ASHLAR_OP_N, a.low, ASHLAR_OP_N, a.low, &minus, c.dense, NULL, &whole,
                                      &err), &err, "dense");
        const ashlar_tiles_info low = info_of(r, c.low), dense = info_of(r, c.dense);
        CHECK(&r->test, low.low_rank_tiles > low.tiles / 2 && low.words < dense.words, CASE "%" PRId64 " tiles",
              CASE_OF(r), low.low_rank_tiles);
        CHECK(&r->test, done.memory_words - done.workspace_words < before + dense.local_words, CASE "%" PRId64
              " words are held, %" PRId64 " before, C has %" PRId64, CASE_OF(r),
              done.memory_words - done.workspace_words, before, dense.local_words);
        CHECK(&r->test, done.products == whole.products && done.words == done.predicted_words &&
              done.stays == ASHLAR_STAYS_C && done.layers == 1, CASE "%" PRId64 " products, wanted %" PRId64,
              CASE_OF(r), done.products, whole.products);
        CHECK(&r->test, w->all > 0 && w->done == w->all && !w->fell, CASE "progress", CASE_OF(r));
        const double error = difference(r, c.low, c.dense, ASHLAR_TYPE_D);
        CHECK(&r->test, error <= done.error_bound && error > done.error_bound / 100, CASE "error %g, bound %g",
              CASE_OF(r), error, done.error_bound);
        pair_free(&a);
        pair_free(&c);
    }
}

static void recompressed(rig *r, ashlar_context *context, uint64_t *state)
{
    const ashlar_type type = (ashlar_type)ashi_random_in(state, 0, 3);
    const cuts c = {.tiles = 3, .size = {24, 40, 33}};
    const ashlar_tiles_description d = described(type, ASHLAR_GENERAL, &c, &c);
    pair p = random_pair(r, context, state, &d), s = {make(r, context, &d), make(r, context, &d), 0};
    ashlar_tiles_options options = {.size = sizeof options, .bound = 1};
    ashlar_tiles_result done[2] = {{0}, {0}};
    ashlar_error err = {0};
    char one[2 * sizeof(double)], zero[2 * sizeof(double)];
    double lost = 0;
    number_store(type, (number){1, 0}, one);
    number_store(type, (number){0, 0}, zero);
    good(r, ashlar_tiles_add(one, p.low, one, p.low, s.low, &err), &err, "add");
    good(r, ashlar_tiles_add(one, p.dense, one, p.dense, s.dense, &err), &err, "add");
    const int64_t words = info_of(r, s.low).words, wanted = info_of(r, p.low).words;
    good(r, ashlar_tiles_compress(s.low, 1e-4, 1, &lost, &err), &err, "compress");
    CHECK(&r->test, info_of(r, s.low).words <= ashi_min(words, wanted), CASE "ranks were not reduced", CASE_OF(r));
    CHECK(&r->test, difference(r, s.low, s.dense, type) <= lost, CASE "a sum's error", CASE_OF(r));
    good(r, ashlar_tiles_multiply(one, ASHLAR_OP_N, p.dense, ASHLAR_OP_C, p.dense, zero, s.dense, &options, &done[0],
                                  &err), &err, "multiply");
    options.tolerance = 1e-3;
    options.relative = 1;
    good(r, ashlar_tiles_multiply(one, ASHLAR_OP_N, p.low, ASHLAR_OP_C, p.low, zero, s.low, &options, &done[1], &err),
         &err, "multiply");
    const double found = difference(r, s.low, s.dense, type);
    CHECK(&r->test, found <= done[0].error_bound + done[1].error_bound, CASE "error %.3e, bounds %.3e and %.3e",
          CASE_OF(r), found, done[0].error_bound, done[1].error_bound);
    CHECK(&r->test, p.ranked < 6 || info_of(r, s.low).low_rank_tiles > 0, CASE "no tile was compressed", CASE_OF(r));
    pair_free(&p);
    pair_free(&s);
}

/* ---- what is refused ---- */

static void wrong(rig *r, ashlar_status status, ashlar_status wanted, ashlar_error *err, const char *text)
{
    CHECK(&r->test,
          status == wanted && strstr(err->text, text) != NULL && ranks_agree(MPI_COMM_WORLD, (int)status, "x"),
          "status %d, \"%s\", wanted \"%s\"", (int)status, err->text, text);
    *err = (ashlar_error){0};
}

static int first_rank(void *user, int64_t row, int64_t col)
{
    (void)user, (void)row, (void)col;
    return 0;
}

static void refused(rig *r, ashlar_context *context)
{
    const cuts c = {.tiles = 2, .size = {8, 8}};
    const ashlar_tiles_description d = described(ASHLAR_TYPE_D, ASHLAR_GENERAL, &c, &c);
    ashlar_tiles_description by_function = d;
    by_function.owner = first_rank;
    ashlar_tiles *a = make(r, context, &d), *b = make(r, context, &d), *dealt = make(r, context, &by_function);
    ashlar_tiles_plan *plan = NULL;
    ashlar_error err = {0};
    const double x[64] = {1}, one = 1, zero = 0;
    const ashlar_tiles_term term = {&one, ASHLAR_OP_N, ASHLAR_OP_N, a, a};
    const int64_t ranges[] = {0, 1, 0, 1, 0, 1};
    ashlar_tiles_options options;
    wrong(r, ashlar_tiles_put_low_rank(a, 0, 0, 9, x, 8, x, 8, &err), ASHLAR_ERR_ARG, &err, "rank = 9, wanted 0 to 8");
    wrong(r, ashlar_tiles_put_low_rank(a, 0, 0, 1, x, 7, x, 8, &err), ASHLAR_ERR_ARG, &err, "ldu = 7");
    wrong(r, ashlar_tiles_put_low_rank(a, 0, 2, 1, x, 8, x, 8, &err), ASHLAR_ERR_ARG, &err, "no tile (0, 2)");
    wrong(r, ashlar_tiles_put_low_rank(a, 0, 0, 1, x, 8, NULL, 8, &err), ASHLAR_ERR_ARG, &err, "v is NULL");
    wrong(r, ashlar_tiles_finish(a, &err), ASHLAR_ERR_ARG, &err, "rank = 9");
    (void)ashlar_tiles_accumulate(a, 0, 0, 8, 8, ASHLAR_COL_MAJOR, 8, x, NULL);
    if (r->rank == r->ranks - 1)
        (void)ashlar_tiles_put_low_rank(a, 0, 0, 1, x, 8, x, 8, NULL);
    wrong(r, ashlar_tiles_finish(a, &err), ASHLAR_ERR_ARG, &err, "tile (0, 0) was put as U V^T");
    if (r->rank == 0)
        (void)ashlar_tiles_put_low_rank(a, 0, 0, 1, x, 8, x, 8, NULL);
    wrong(r, ashlar_tiles_finish(a, &err), ASHLAR_OK, &err, "");
    wrong(r, ashlar_tiles_compress(a, -1, 0, NULL, &err), ASHLAR_ERR_ARG, &err, "tolerance = -1");
    options = (ashlar_tiles_options){.size = sizeof options, .tolerance = 1, .budget = 1};
    wrong(r, ashlar_tiles_multiply(&one, ASHLAR_OP_N, a, ASHLAR_OP_N, a, &zero, b, &options, NULL, &err),
          ASHLAR_ERR_UNSUPPORTED, &err, "a tolerance together with a budget");
    options = (ashlar_tiles_options){.size = sizeof options, .budget = 1};
    wrong(r, ashlar_tiles_multiply(&one, ASHLAR_OP_N, a, ASHLAR_OP_N, a, &zero, b, &options, NULL, &err),
          ASHLAR_ERR_UNSUPPORTED, &err, "a budget");
    options = (ashlar_tiles_options){.size = sizeof options, .memory_words = 1000, .tolerance = 1};
    wrong(r, ashlar_tiles_multiply(&one, ASHLAR_OP_N, a, ASHLAR_OP_N, a, &zero, b, &options, NULL, &err),
          ASHLAR_ERR_UNSUPPORTED, &err, "memory_words together with a tolerance");
    options = (ashlar_tiles_options){.size = sizeof options, .memory_words = 1000, .ranges = ranges};
    wrong(r, ashlar_tiles_multiply(&one, ASHLAR_OP_N, b, ASHLAR_OP_N, b, &zero, a, &options, NULL, &err),
          ASHLAR_ERR_UNSUPPORTED, &err, "memory_words together with ranges");
    options = (ashlar_tiles_options){.size = sizeof options, .stays = ASHLAR_STAYS_A};
    wrong(r, ashlar_tiles_multiply(&one, ASHLAR_OP_N, a, ASHLAR_OP_N, a, &zero, b, &options, NULL, &err),
          ASHLAR_ERR_UNSUPPORTED, &err, "in one layer");
    wrong(r, ashlar_tiles_multiply(&one, ASHLAR_OP_N, a, ASHLAR_OP_N, a, &zero, dealt, NULL, NULL, &err),
          ASHLAR_ERR_UNSUPPORTED, &err, "on a process grid");
    options = (ashlar_tiles_options){.size = sizeof options, .stays = ASHLAR_STAYS_B};
    wrong(r, ashlar_tiles_plan_create(1, &term, b, &options, &plan, &err), ASHLAR_ERR_UNSUPPORTED, &err,
          "a plan for tiles that are stored as U V^T");
    wrong(r, ashlar_tiles_plan_create(1, &term, b, NULL, &plan, &err), ASHLAR_ERR_UNSUPPORTED, &err, "a plan");
    ashlar_tiles_free(&a);
    ashlar_tiles_free(&b);
    ashlar_tiles_free(&dealt);
}

static void one(ashlar_context *context, rig *r)
{
    uint64_t state = r->seed;
    const int64_t kind = ashi_random_in(&state, 0, 7);
    const ashlar_symmetry symmetry = kind < 5 ? (ashlar_symmetry)kind : ASHLAR_GENERAL;
    const cuts rows = some_cuts(&state), other = some_cuts(&state);
    const cuts *const cols = symmetry == ASHLAR_GENERAL && kind < 7 ? &other : &rows;
    const ashlar_type type = (ashlar_type)ashi_random_in(&state, 0, 3);
    const ashlar_tiles_description d = described(type, symmetry, &rows, cols);
    pair p = random_pair(r, context, &state, &d);
    stored(r, &p);
    read_only(r, type, &p, cols == &rows);
    changed(r, &p, "scale", doubled);
    changed(r, &p, "filter", filtered);
    changed(r, &p, "expand", expanded);
    changed(r, &p, "accumulate", added_to);
    const bool pairs = type == ASHLAR_TYPE_C || type == ASHLAR_TYPE_Z;
    if (cols == &rows && symmetry != ASHLAR_ANTISYMMETRIC && (symmetry != ASHLAR_ANTIHERMITIAN || pairs))
        changed(r, &p, "add_diagonal", shifted);
    if (symmetry == ASHLAR_GENERAL)
        changed(r, &p, "scale_by_diagonal", scaled);
    combined(r, context, &state, &d, &p);
    moved(r, context, &state, &d, &p);
    if (r->seed % 4 == 0)
        save_p_load_q(r, &state, &p);
    compressed(r, &p, type);
    pair_free(&p);
    for (int i = 0; i < 3; i++)
        multiplied(r, context, &state);
    multiplied_by_nothing(r, context, &state);
    recompressed(r, context, &state);
    if (r->seed == r->first) {
        counted(r, context);
        unread(r, context);
        in_panels(r, context);
        limited(r, context);
        refused(r, context);
    }
}

int main(int argc, char **argv)
{
    return try_in_context(argc, argv, 20, one);
}

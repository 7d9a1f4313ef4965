/* Matrices of tiles: algebra, movements and arrays, compared with all elements in long double on every rank.
 *
 * Elements are small integers, with which every sum and product here is exact: what is compared is equal. */
#define PROGRAM "tiles_algebra"

#include "mpi/tilings.h"

/* A matrix and what it should be. */
typedef struct pair {
    tiling t;
    ashlar_tiles *tiles;
    model m;
} pair;

static void pair_make(rig *r, ashlar_context *context, pair *p)
{
    p->tiles = make_tiles(r, context, &p->t);
    if (!p->tiles || !model_make(&p->t, &p->m))
        exit(1);
}

/* With random tiles. */
static void pair_fill(rig *r, uint64_t *state, ashlar_context *context, pair *p)
{
    pair_make(r, context, p);
    fill_random(r, state, p->tiles, &p->m, ashi_random_in(state, 0, 3) * 33, true);
}

static void pair_free(pair *p)
{
    ashlar_tiles_free(&p->tiles);
    model_free(&p->m);
}

static int64_t rows_of(const model *m)
{
    return ashi_cuts_all(&m->row);
}

static int64_t cols_of(const model *m)
{
    return ashi_cuts_all(&m->col);
}

/* Cut alike and dealt out alike: a description with pointers to another's arrays. */
static pair alike(const pair *p, ashlar_symmetry symmetry)
{
    pair q = {.t = {.d = p->t.d}};
    q.t.d.symmetry = symmetry;
    return q;
}

static void agreed(rig *r, ashlar_status status, ashlar_status wanted, const ashlar_error *err, const char *what)
{
    CHECK(&r->test, status == wanted && ranks_agree(MPI_COMM_WORLD, (int)status, err->text), CASE "%s: %s", CASE_OF(r),
          what, err->text);
}

static number conjugate(number x)
{
    return (number){x.re, -x.im};
}

/* ---- move ---- */

/* op(from) at (i, j). */
static number op_at(const model *m, ashlar_op op, int64_t i, int64_t j)
{
    const number x = op == ASHLAR_OP_N ? *model_at(m, i, j) : *model_at(m, j, i);
    return op == ASHLAR_OP_C ? conjugate(x) : x;
}

/* Whether element (i, j) of op(from) is in a present tile. */
static bool op_present(const model *m, ashlar_op op, int64_t i, int64_t j)
{
    const int64_t x = op == ASHLAR_OP_N ? i : j, y = op == ASHLAR_OP_N ? j : i;
    return *model_present(m, ashi_cuts_find(&m->row, x), ashi_cuts_find(&m->col, y));
}

/* Other cuts of as many elements. */
static void recut(uint64_t *state, int64_t all, int64_t tiles, int64_t *size)
{
    for (int64_t i = 0; i < tiles; i++) {
        size[i] = i == tiles - 1 ? all : ashi_random_in(state, 0, all);
        all -= size[i];
    }
}

static void moved(rig *r, uint64_t *state, ashlar_context *context, const pair *from)
{
    const ashlar_op op = (ashlar_op)ashi_random_in(state, 0, 2);
    const int64_t rows = op == ASHLAR_OP_N ? rows_of(&from->m) : cols_of(&from->m);
    const int64_t cols = op == ASHLAR_OP_N ? cols_of(&from->m) : rows_of(&from->m);
    const int64_t kind = rows == cols ? ashi_random_in(state, 0, 8) : 8;
    pair to;
    ashlar_error err = {0};
    random_tiling_of(state, r->ranks, from->t.d.type, kind < 5 ? (ashlar_symmetry)kind : ASHLAR_GENERAL, &to.t);
    to.t.d.tile_rows = ashi_random_in(state, 1, SIDE_MOST);
    to.t.d.tile_cols = to.t.d.symmetry == ASHLAR_GENERAL ? ashi_random_in(state, 1, SIDE_MOST) : to.t.d.tile_rows;
    recut(state, rows, to.t.d.tile_rows, to.t.row_size);
    recut(state, cols, to.t.d.tile_cols, to.t.col_size);
    pair_make(r, context, &to);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            const int64_t x = ashi_cuts_find(&to.m.row, i), y = ashi_cuts_find(&to.m.col, j);
            if (op_present(&from->m, op, i, j) && (to.m.symmetry == ASHLAR_GENERAL || x <= y)) {
                model_set(&to.m, x, y, i, j, op_at(&from->m, op, i, j), false);
                *model_present(&to.m, x, y) = true;
            }
        }
    agreed(r, ashlar_tiles_move(op, from->tiles, to.tiles, &err), ASHLAR_OK, &err, "move");
    check_tiles(r, to.tiles, &to.m, 0, "move");
    pair_free(&to);
}

/* ---- arrays ---- */

/* To an array and back, where it is in any layout: with a threshold small tiles are dropped. */
static void from_array(rig *r, uint64_t *state, ashlar_context *context, const pair *from)
{
    const content c = {from->m.type, ashi_random(state), true};
    const bool drops = ashi_random_in(state, 0, 1);
    part p = {0};
    pair to = {.t = from->t};
    ashlar_error err = {0};
    to.t.d.row_sizes = from->t.d.row_sizes;
    if (to.t.d.user)
        to.t.d.user = from->t.d.user;
    pair_make(r, context, &to);
    ashlar_layout *layout = random_part_layout(state, rows_of(&to.m), cols_of(&to.m), r->ranks, r->rank, &err);
    if (!layout || !part_make(&p, &c, layout, r->rank, false))
        exit(1);
    const double threshold = drops ? 4 : 0;
    for (int64_t x = 0; x < to.m.row.tiles; x++)
        for (int64_t y = to.m.symmetry == ASHLAR_GENERAL ? 0 : x; y < to.m.col.tiles; y++) {
            long double square = 0;
            if (ashi_cuts_size(&to.m.row, x) == 0 || ashi_cuts_size(&to.m.col, y) == 0)
                continue;
            model_fill(&to.m, x, y, &c, false);
            for (int64_t i = to.m.row.at[x]; i < to.m.row.at[x + 1]; i++)
                for (int64_t j = to.m.col.at[y]; j < to.m.col.at[y + 1]; j++) {
                    const number e = *model_at(&to.m, i, j);
                    square += e.re * e.re + e.im * e.im;
                }
            if (sqrtl(square) >= threshold)
                continue;
            *model_present(&to.m, x, y) = false;
            for (int64_t i = to.m.row.at[x]; i < to.m.row.at[x + 1]; i++)
                for (int64_t j = to.m.col.at[y]; j < to.m.col.at[y + 1]; j++)
                    model_set(&to.m, x, y, i, j, (number){0, 0}, false);
        }
    agreed(r, ashlar_tiles_from_dense(to.tiles, layout, p.base, threshold, &err), ASHLAR_OK, &err, "from_dense");
    check_tiles(r, to.tiles, &to.m, 0, "from_dense");
    CHECK(&r->test, memcmp(p.memory, p.before, p.bytes) == 0, CASE "from_dense wrote to the array", CASE_OF(r));
    part_free(&p);
    ashlar_layout_free(&layout);
    pair_free(&to);
}

/* ---- sums ---- */

/* A small integer, real if a symmetry wants that; 0 now and then. */
static number random_factor(uint64_t *state, const model *m)
{
    const bool real = m->symmetry == ASHLAR_HERMITIAN || m->symmetry == ASHLAR_ANTIHERMITIAN;
    number x = {(long double)ashi_random_in(state, -2, 2), (long double)ashi_random_in(state, -1, 1)};
    if (real || !ashi_type_of(m->type)->complex || ashi_random_in(state, 0, 3) == 0)
        x.im = 0;
    return x;
}

static bool is_zero(number x)
{
    return fabsl(x.re) + fabsl(x.im) <= 0;
}

/* z <- alpha x + beta y, and of matrices whose factor is 0 the tiles do not count. z may be x or y. */
static void model_add(number alpha, const model *x, number beta, const model *y, model *z)
{
    for (int64_t i = 0; i < rows_of(z) * cols_of(z); i++)
        z->element[i] = number_add(number_mul(alpha, x->element[i]), number_mul(beta, y->element[i]));
    for (int64_t i = 0; i < z->row.tiles * z->col.tiles; i++)
        z->present[i] = (x->present[i] && !is_zero(alpha)) || (y->present[i] && !is_zero(beta));
}

static void added(rig *r, uint64_t *state, ashlar_context *context, pair *a)
{
    char alpha[16], beta[16];
    ashlar_error err = {0};
    pair b = alike(a, a->m.symmetry), c = b;
    const number x = random_factor(state, &a->m), y = random_factor(state, &a->m);
    const int64_t which = ashi_random_in(state, 0, 2);
    pair_fill(r, state, context, &b);
    pair_fill(r, state, context, &c);
    pair *const out = which == 0 ? a : which == 1 ? &b : &c;
    number_store(a->m.type, x, alpha);
    number_store(a->m.type, y, beta);
    agreed(r, ashlar_tiles_add(alpha, a->tiles, beta, b.tiles, out->tiles, &err), ASHLAR_OK, &err, "add");
    model_add(x, &a->m, y, &b.m, &out->m);
    check_tiles(r, out->tiles, &out->m, 0, "add");
    agreed(r, ashlar_tiles_scale(alpha, out->tiles, &err), ASHLAR_OK, &err, "scale");
    for (int64_t i = 0; i < rows_of(&out->m) * cols_of(&out->m); i++)
        out->m.element[i] = number_mul(x, out->m.element[i]);
    check_tiles(r, out->tiles, &out->m, 0, "scale");
    pair_free(&b);
    pair_free(&c);
}

static void multiplied(rig *r, uint64_t *state, ashlar_context *context, const pair *a)
{
    static const ashlar_symmetry other[5] = {ASHLAR_GENERAL, ASHLAR_ANTISYMMETRIC, ASHLAR_SYMMETRIC,
                                             ASHLAR_ANTIHERMITIAN, ASHLAR_HERMITIAN};
    static const ashlar_symmetry even[5] = {ASHLAR_GENERAL, ASHLAR_SYMMETRIC, ASHLAR_SYMMETRIC, ASHLAR_HERMITIAN,
                                            ASHLAR_HERMITIAN};
    const bool same = ashi_random_in(state, 0, 1);
    const ashlar_symmetry s = a->m.symmetry, product = same ? even[s] : other[even[s]];
    ashlar_error err = {0};
    pair b = alike(a, same ? s : other[s]), c = alike(a, product);
    pair_fill(r, state, context, &b);
    pair_fill(r, state, context, &c);
    agreed(r, ashlar_tiles_multiply_elements(a->tiles, b.tiles, c.tiles, &err), ASHLAR_OK, &err, "multiply_elements");
    for (int64_t i = 0; i < rows_of(&c.m) * cols_of(&c.m); i++)
        c.m.element[i] = number_mul(a->m.element[i], b.m.element[i]);
    for (int64_t i = 0; i < c.m.row.tiles * c.m.col.tiles; i++)
        c.m.present[i] = a->m.present[i] && b.m.present[i];
    check_tiles(r, c.tiles, &c.m, 0, "multiply_elements");
    pair_free(&b);
    pair_free(&c);
}

static void copied(rig *r, const pair *a)
{
    ashlar_error err = {0};
    ashlar_tiles *copy = NULL;
    agreed(r, ashlar_tiles_copy(a->tiles, &copy, &err), ASHLAR_OK, &err, "copy");
    check_tiles(r, copy, &a->m, 0, "copy");
    CHECK(&r->test, ashlar_tiles_clear(copy, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    ashlar_tiles_info info = {0};
    ashlar_tiles_inspect(copy, &info, &err);
    CHECK(&r->test, info.tiles == 0 && info.words == 0 && info.local_tiles == 0, CASE "clear", CASE_OF(r));
    check_tiles(r, a->tiles, &a->m, 0, "of which a copy was made");
    ashlar_tiles_free(&copy);
}

/* ---- numbers ---- */

static void check_value(rig *r, ashlar_type type, const char *value, number wanted, const char *what)
{
    const number x = number_load(type, value);
    CHECK(&r->test, number_near(x, wanted, 0), CASE "%s: %Lg %Lg, wanted %Lg %Lg", CASE_OF(r), what, x.re, x.im,
          wanted.re, wanted.im);
}

static void traced(rig *r, uint64_t *state, ashlar_context *context, const pair *a)
{
    const ashlar_op op = (ashlar_op)ashi_random_in(state, 0, 2);
    const bool same = ashi_random_in(state, 0, 1), square = rows_of(&a->m) == cols_of(&a->m);
    const int64_t kind = ashi_random_in(state, 0, 4);
    const int64_t rows = op == ASHLAR_OP_N ? cols_of(&a->m) : rows_of(&a->m);
    const int64_t cols = rows_of(&a->m) + cols_of(&a->m) - rows;
    ashlar_error err = {0};
    char value[16];
    pair b = alike(a, square ? (ashlar_symmetry)kind : ASHLAR_GENERAL);
    number sum = {0, 0};
    if (!same || (op == ASHLAR_OP_N && !square) || (b.t.d.symmetry != ASHLAR_GENERAL && b.t.d.col_sizes)) {
        random_tiling_of(state, r->ranks, a->m.type, square && same ? a->m.symmetry : ASHLAR_GENERAL, &b.t);
        b.t.d.tile_rows = ashi_random_in(state, 1, SIDE_MOST);
        b.t.d.tile_cols = b.t.d.col_sizes ? ashi_random_in(state, 1, SIDE_MOST) : b.t.d.tile_rows;
        recut(state, rows, b.t.d.tile_rows, b.t.row_size);
        recut(state, cols, b.t.d.tile_cols, b.t.col_size);
    }
    pair_fill(r, state, context, &b);
    for (int64_t i = 0; i < cols; i++)
        for (int64_t j = 0; j < rows; j++)
            sum = number_add(sum, number_mul(op_at(&a->m, op, i, j), *model_at(&b.m, j, i)));
    agreed(r, ashlar_tiles_trace_product(op, a->tiles, b.tiles, value, &err), ASHLAR_OK, &err, "trace_product");
    check_value(r, a->m.type, value, sum, "trace_product");
    check_tiles(r, b.tiles, &b.m, 0, "after trace_product");
    pair_free(&b);
    agreed(r, ashlar_tiles_trace(a->tiles, value, &err), square ? ASHLAR_OK : ASHLAR_ERR_ARG, &err, "trace");
    sum = (number){0, 0};
    for (int64_t i = 0; square && i < rows; i++)
        sum = number_add(sum, *model_at(&a->m, i, i));
    if (square)
        check_value(r, a->m.type, value, sum, "trace");
}

/* All of a row's circle is between the bounds, and for small integers nothing more than rounding is beyond. */
static void bounded(rig *r, const pair *a)
{
    const int64_t n = rows_of(&a->m);
    double lo = 0, hi = 0;
    long double lowest = INFINITY, highest = -INFINITY;
    ashlar_error err = {0};
    const bool possible = ashi_cuts_differ(&a->m.row, &a->m.col) < 0;
    agreed(r, ashlar_tiles_gershgorin(a->tiles, &lo, &hi, &err), possible ? ASHLAR_OK : ASHLAR_ERR_ARG, &err,
           "gershgorin");
    for (int64_t i = 0; possible && i < n; i++) {
        long double radius = 0;
        for (int64_t j = 0; j < n; j++)
            radius += i == j ? 0 : number_abs(*model_at(&a->m, i, j));
        lowest = fminl(lowest, model_at(&a->m, i, i)->re - radius);
        highest = fmaxl(highest, model_at(&a->m, i, i)->re + radius);
    }
    if (possible && n > 0)
        CHECK(&r->test, lo <= lowest && hi >= highest && lowest - lo < 1e-9L && hi - highest < 1e-9L,
              CASE "gershgorin: %g to %g, circles %Lg to %Lg", CASE_OF(r), lo, hi, lowest, highest);
}

/* ---- diagonals ---- */

/* A vector of small integers, and its elements. */
static void *random_vector(uint64_t *state, ashlar_type type, int64_t n, number *out)
{
    const content c = {type, ashi_random(state), true};
    char *const v = malloc((size_t)(n + 1) * ashlar_type_bytes(type));
    for (int64_t i = 0; v && i < n; i++) {
        out[i] = element(&c, i, i);
        number_store(type, out[i], v + (size_t)i * ashlar_type_bytes(type));
    }
    return v;
}

static void set_diagonal(model *m, const number *d, bool adds)
{
    for (int64_t i = 0; i < rows_of(m); i++) {
        const int64_t x = ashi_cuts_find(&m->row, i), y = ashi_cuts_find(&m->col, i);
        *model_present(m, x, y) = true;
        model_set(m, x, y, i, i, d[i], adds);
    }
}

/* A number times the unit matrix, which the matrix's symmetry may forbid. */
static void add_number(rig *r, pair *a, number alpha, bool possible)
{
    const int64_t n = rows_of(&a->m);
    ashlar_error err = {0};
    char one[16];
    number *const d = malloc((size_t)(n + 1) * sizeof *d);
    number_store(a->m.type, alpha, one);
    agreed(r, ashlar_tiles_add_diagonal(one, NULL, a->tiles, &err), possible ? ASHLAR_OK : ASHLAR_ERR_ARG, &err,
           "add_diagonal of a number");
    for (int64_t i = 0; i < n; i++)
        d[i] = alpha;
    if (possible)
        set_diagonal(&a->m, d, true);
    free(d);
}

static void diagonals(rig *r, uint64_t *state, pair *a)
{
    const int64_t n = rows_of(&a->m), cols = cols_of(&a->m);
    const bool square = n == cols, possible = square && a->m.symmetry != ASHLAR_ANTISYMMETRIC;
    const size_t word = ashlar_type_bytes(a->m.type);
    ashlar_error err = {0};
    number *const d = malloc((size_t)(n + cols + 1) * sizeof *d);
    char *const got = calloc((size_t)n + 1, word);
    void *v = random_vector(state, a->m.type, n, d);
    const ashlar_status wanted = possible ? ASHLAR_OK : ASHLAR_ERR_ARG;
    agreed(r, ashlar_tiles_set_diagonal(a->tiles, v, &err), wanted, &err, "set_diagonal");
    if (possible)
        set_diagonal(&a->m, d, false);
    check_tiles(r, a->tiles, &a->m, 0, "set_diagonal");
    char one[16];
    number_store(a->m.type, (number){1, 0}, one);
    agreed(r, ashlar_tiles_add_diagonal(one, v, a->tiles, &err), wanted, &err, "add_diagonal");
    if (possible)
        set_diagonal(&a->m, d, true);
    add_number(r, a, (number){1, 0}, possible && a->m.symmetry != ASHLAR_ANTIHERMITIAN);
    if (a->m.type >= ASHLAR_TYPE_C)
        add_number(r, a, (number){0, 2}, possible && a->m.symmetry != ASHLAR_HERMITIAN);
    check_tiles(r, a->tiles, &a->m, 0, "add_diagonal");
    agreed(r, ashlar_tiles_diagonal(a->tiles, got, &err), square ? ASHLAR_OK : ASHLAR_ERR_ARG, &err, "diagonal");
    for (int64_t i = 0; square && i < n; i++)
        check_value(r, a->m.type, got + (size_t)i * word, *model_at(&a->m, i, i), "diagonal");
    free(v);
    v = random_vector(state, a->m.type, n, d);
    void *const w = random_vector(state, a->m.type, cols, d + n);
    const bool general = a->m.symmetry == ASHLAR_GENERAL;
    agreed(r, ashlar_tiles_scale_by_diagonal(v, w, a->tiles, &err), general ? ASHLAR_OK : ASHLAR_ERR_ARG, &err,
           "scale_by_diagonal");
    for (int64_t i = 0; general && i < n; i++)
        for (int64_t j = 0; j < cols; j++)
            *model_at(&a->m, i, j) = number_mul(number_mul(d[i], *model_at(&a->m, i, j)), d[n + j]);
    check_tiles(r, a->tiles, &a->m, 0, "scale_by_diagonal");
    free(v);
    free(w);
    free(got);
    free(d);
}

/* Tiles that are small are dropped, and a NaN is none of them. */
static void filtered(rig *r, ashlar_context *context)
{
    static const int64_t size[4] = {1, 2, 0, 3};
    tiling t = {.d = {.type = ASHLAR_TYPE_D, .tile_rows = 4, .tile_cols = 4, .row_sizes = size}};
    ashlar_tiles *tiles = make_tiles(r, context, &t);
    ashlar_error err = {0};
    int present[16];
    int64_t row[16], col[16];
    double x[9], copies[36];
    for (int64_t i = 0; i < 16; i++) {
        row[i] = i / 4;
        col[i] = i % 4;
        for (int e = 0; e < 9; e++)
            x[e] = i == 5 ? NAN : i % 3 == 0 ? 1e-3 : 1e-200;
        if (i % r->ranks == r->rank)
            ashlar_tiles_put(tiles, row[i], col[i], size[row[i]], size[col[i]], ASHLAR_COL_MAJOR, 3, x, &err);
    }
    agreed(r, ashlar_tiles_finish(tiles, &err), ASHLAR_OK, &err, "finish");
    agreed(r, ashlar_tiles_filter(tiles, -1, &err), ASHLAR_ERR_ARG, &err, "filter");
    agreed(r, ashlar_tiles_filter(tiles, NAN, &err), ASHLAR_ERR_ARG, &err, "filter");
    agreed(r, ashlar_tiles_filter(tiles, 1e-3, &err), ASHLAR_OK, &err, "filter");
    agreed(r, ashlar_tiles_fetch(tiles, 16, row, col, copies, present, &err), ASHLAR_OK, &err, "fetch");
    for (int64_t i = 0; i < 16; i++) {
        const bool empty = size[row[i]] * size[col[i]] == 0;
        CHECK(&r->test, present[i] == (!empty && (i == 5 || i % 3 == 0)), "tile %" PRId64 ": %d", i, present[i]);
    }
    ashlar_tiles_free(&tiles);
}

/* Matrices that do not fit, and numbers that ranks have differently. */
static void refused(rig *r, ashlar_context *context)
{
    static const int64_t size[2] = {2, 3}, other[2] = {3, 2};
    tiling t = {.d = {.type = ASHLAR_TYPE_Z, .tile_rows = 2, .tile_cols = 2, .row_sizes = size}}, u = t, h = t;
    u.d.row_sizes = other;
    h.d.symmetry = ASHLAR_HERMITIAN;
    ashlar_tiles *a = make_tiles(r, context, &t), *b = make_tiles(r, context, &u), *c = make_tiles(r, context, &h);
    const double one[2] = {1, 0}, own[2] = {r->rank == 0, 0}, i[2] = {0, 1};
    ashlar_error err = {0};
    agreed(r, ashlar_tiles_add(one, a, one, b, a, &err), ASHLAR_ERR_ARG, &err, "add");
    CHECK(&r->test, strstr(err.text, "the sizes of their rows") != NULL, "%s", err.text);
    agreed(r, ashlar_tiles_add(one, a, one, a, c, &err), ASHLAR_ERR_ARG, &err, "add");
    CHECK(&r->test, strstr(err.text, "symmetry") != NULL, "%s", err.text);
    agreed(r, ashlar_tiles_scale(i, c, &err), ASHLAR_ERR_ARG, &err, "scale");
    agreed(r, ashlar_tiles_scale(own, a, &err), r->ranks > 1 ? ASHLAR_ERR_ARG : ASHLAR_OK, &err, "scale");
    agreed(r, ashlar_tiles_move(ASHLAR_OP_N, a, a, &err), ASHLAR_ERR_ARG, &err, "move");
    agreed(r, ashlar_tiles_multiply_elements(a, c, a, &err), ASHLAR_ERR_ARG, &err, "multiply_elements");
    agreed(r, ashlar_tiles_filter(a, r->rank, &err), r->ranks > 1 ? ASHLAR_ERR_ARG : ASHLAR_OK, &err, "filter");
    ashlar_tiles_free(&a);
    ashlar_tiles_free(&b);
    ashlar_tiles_free(&c);
}

static void one(ashlar_context *context, rig *r)
{
    uint64_t state = r->seed;
    pair a;
    random_tiling(&state, r->ranks, &a.t);
    pair_fill(r, &state, context, &a);
    check_tiles(r, a.tiles, &a.m, 0, "filled");
    copied(r, &a);
    for (int i = 0; i < 3; i++)
        moved(r, &state, context, &a);
    from_array(r, &state, context, &a);
    traced(r, &state, context, &a);
    bounded(r, &a);
    multiplied(r, &state, context, &a);
    diagonals(r, &state, &a);
    added(r, &state, context, &a);
    pair_free(&a);
    if (r->seed == r->first) {
        filtered(r, context);
        refused(r, context);
    }
}

int main(int argc, char **argv)
{
    return try_in_context(argc, argv, 80, one);
}

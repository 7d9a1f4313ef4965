/* Matrices of tiles that are special in one way; the argument says which case is tried. */
#define PROGRAM "tile_cases"

#include "tiles/asked.h" /* before the type `number` of others */
#include "tiles/deal_sums.h"
#include "tiles/product_parts.h"

#include "mpi/tilings.h"

enum { MOST = SIDE_MOST };

/* A matrix and what it should be. */
typedef struct operand {
    tiling t;
    model m;
    ashlar_tiles *tiles;
} operand;

typedef struct trial {
    rig *r;
    ashlar_context *context;
    uint64_t state; /* of random numbers, the same on all ranks */
} trial;

static operand operand_of(trial *c, const ashlar_tiles_description *d)
{
    operand x = {.t = {.d = *d}};
    x.t.d.size = sizeof x.t.d;
    x.tiles = make_tiles(c->r, c->context, &x.t);
    if (!x.tiles || !model_make(&x.t, &x.m))
        exit(1);
    return x;
}

static void operand_free(operand *x)
{
    model_free(&x->m);
    ashlar_tiles_free(&x->tiles);
}

/* A tile of random integers, or all of one value; rank 0 puts it. */
static void put(trial *c, operand *x, int64_t row, int64_t col, double value)
{
    const content random = {x->t.d.type, ashi_random(&c->state), true};
    const int64_t rows = ashi_cuts_size(&x->m.row, row), cols = ashi_cuts_size(&x->m.col, col);
    const size_t word = ashlar_type_bytes(x->t.d.type);
    char *data = calloc((size_t)(rows * cols) + 1, word);
    *model_present(&x->m, row, col) = true;
    for (int64_t e = 0; e < rows * cols && data; e++) {
        const int64_t i = x->m.row.at[row] + e % rows, j = x->m.col.at[col] + e / rows;
        const number v = value > 0 || value < 0 || isnan(value) ? (number){value, 0} : element(&random, i, j);
        model_set(&x->m, row, col, i, j, v, false);
        number_store(x->t.d.type, v, data + (size_t)e * word);
    }
    if (c->r->rank == 0)
        CHECK(&c->r->test, ashlar_tiles_put(x->tiles, row, col, rows, cols, ASHLAR_COL_MAJOR, rows > 0 ? rows : 1, data,
                                            NULL) == ASHLAR_OK, "put (%" PRId64 ", %" PRId64 ")", row, col);
    free(data);
}

static void finish(trial *c, operand *x)
{
    ashlar_error err = {0};
    CHECK(&c->r->test, ashlar_tiles_finish(x->tiles, &err) == ASHLAR_OK, "%s", err.text);
}

static number op_at(const operand *x, ashlar_op op, int64_t i, int64_t j)
{
    number v = op == ASHLAR_OP_N ? *model_at(&x->m, i, j) : *model_at(&x->m, j, i);
    if (op == ASHLAR_OP_C)
        v.im = -v.im;
    return v;
}

static bool op_present(const operand *x, ashlar_op op, int64_t i, int64_t j)
{
    return op == ASHLAR_OP_N ? *model_present(&x->m, i, j) : *model_present(&x->m, j, i);
}

static const ashi_cuts *op_cols(const operand *x, ashlar_op op)
{
    return op == ASHLAR_OP_N ? &x->m.col : &x->m.row;
}

/* What C should be: tile by tile, products of present tiles only. Returns how many there are. */
static int64_t multiply_models(number alpha, ashlar_op op_a, const operand *a, ashlar_op op_b, const operand *b,
                               number beta, operand *c, bool retain)
{
    const ashi_cuts *k = op_cols(a, op_a);
    int64_t products = 0;
    for (int64_t row = 0; row < c->m.row.tiles; row++)
        for (int64_t col = 0; col < c->m.col.tiles; col++) {
            bool *present = model_present(&c->m, row, col), formed[MOST] = {false}, any = false;
            for (int64_t t = 0; t < k->tiles && (*present || !retain); t++) {
                formed[t] = op_present(a, op_a, row, t) && op_present(b, op_b, t, col);
                products += formed[t];
                any = any || formed[t];
            }
            *present = *present || any;
            for (int64_t i = c->m.row.at[row]; i < c->m.row.at[row + 1]; i++)
                for (int64_t j = c->m.col.at[col]; j < c->m.col.at[col + 1]; j++) {
                    number sum = {0, 0}, *at = model_at(&c->m, i, j);
                    for (int64_t t = 0; t < k->tiles; t++)
                        for (int64_t l = k->at[t]; l < k->at[t + 1] && formed[t]; l++)
                            sum = number_add(sum, number_mul(op_at(a, op_a, i, l), op_at(b, op_b, l, j)));
                    const bool reads = beta.re < 0 || beta.re > 0;
                    const number before = reads ? number_mul(beta, *at) : (number){0, 0};
                    *at = number_add(number_mul(alpha, sum), before);
                }
        }
    return products;
}

/* The product, which has to be what the models say. */
static ashlar_tiles_result multiply(trial *t, double alpha, ashlar_op op_a, const operand *a, ashlar_op op_b,
                                    const operand *b, double beta, operand *c, bool retain)
{
    char scalar[2][2 * sizeof(double)];
    const ashlar_tiles_options options = {.size = sizeof options, .retain = retain};
    ashlar_tiles_result result = {0};
    ashlar_error err = {0};
    int64_t products;
    number_store(c->t.d.type, (number){alpha, 0}, scalar[0]);
    number_store(c->t.d.type, (number){beta, 0}, scalar[1]);
    CHECK(&t->r->test, ashlar_tiles_multiply(scalar[0], op_a, a->tiles, op_b, b->tiles, scalar[1], c->tiles, &options,
                                             &result, &err) == ASHLAR_OK, "%s", err.text);
    const int64_t wanted = multiply_models((number){alpha, 0}, op_a, a, op_b, b, (number){beta, 0}, c, retain);
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Allreduce(&result.products, &products, 1, MPI_INT64_T, MPI_SUM, comm);
    CHECK(&t->r->test, products == wanted, "%" PRId64 " products of %" PRId64, products, wanted);
    check_tiles(t->r, c->tiles, &c->m, 0, "C");
    return result;
}

/* ---- one full row and column ---- */

/* The words that a rank has to receive: tiles of other ranks with which it has something to multiply. */
static int64_t needed_words(const trial *t, const operand *a, const operand *b, const operand *c)
{
    const int64_t n = a->m.row.tiles;
    int64_t words = 0;
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < n; i++) {
            bool from_a = false, from_b = false;
            for (int64_t j = 0; j < n; j++) {
                from_a = from_a || (*model_present(&a->m, i, k) && *model_present(&b->m, k, j) &&
                                    ashlar_tiles_owner(c->tiles, i, j) == t->r->rank);
                from_b = from_b || (*model_present(&b->m, k, i) && *model_present(&a->m, j, k) &&
                                    ashlar_tiles_owner(c->tiles, j, i) == t->r->rank);
            }
            if (from_a && ashlar_tiles_owner(a->tiles, i, k) != t->r->rank)
                words += ashi_cuts_size(&a->m.row, i) * ashi_cuts_size(&a->m.col, k);
            if (from_b && ashlar_tiles_owner(b->tiles, k, i) != t->r->rank)
                words += ashi_cuts_size(&b->m.row, k) * ashi_cuts_size(&b->m.col, i);
        }
    return words;
}

static void arrow(trial *t)
{
    static const int64_t size[MOST] = {3, 1, 5, 2, 4, 1, 7};
    const ashlar_tiles_description d = {.type = ASHLAR_TYPE_Z, .tile_rows = MOST, .tile_cols = MOST, .row_sizes = size};
    for (int turned = 0; turned < 2; turned++) {
        operand a = operand_of(t, &d), b = operand_of(t, &d), c = operand_of(t, &d);
        const int64_t at = turned ? MOST - 1 : 0; /* the arrow points to the first or to the last tile */
        for (int64_t i = 0; i < MOST; i++)
            for (int64_t j = 0; j < MOST; j++)
                if (i == at || j == at || i == j) {
                    put(t, &a, i, j, 0);
                    put(t, &b, i, j, 0);
                }
        finish(t, &a);
        finish(t, &b);
        const ashlar_tiles_result r = multiply(t, 2, ASHLAR_OP_N, &a, ASHLAR_OP_N, &b, 0, &c, false);
        const int64_t wanted = needed_words(t, &a, &b, &c);
        CHECK(&t->r->test, r.words == wanted, "%" PRId64 " words of %" PRId64, r.words, wanted);
        multiply(t, 1, ASHLAR_OP_C, &a, ASHLAR_OP_T, &b, -1, &c, false);
        operand_free(&a);
        operand_free(&b);
        operand_free(&c);
    }
}

/* ---- NaN ---- */

/* A NaN meets nothing where the other matrix is absent; where it meets something it stays, whatever the threshold. */
static void nan_beside_absent(trial *t)
{
    static const int64_t size[3] = {2, 1, 3};
    const ashlar_tiles_description d = {.type = ASHLAR_TYPE_D, .tile_rows = 3, .tile_cols = 3, .row_sizes = size};
    operand a = operand_of(t, &d), b = operand_of(t, &d), c = operand_of(t, &d);
    put(t, &a, 0, 0, 0);
    put(t, &a, 0, 1, (double)NAN); /* row 1 of B is absent */
    put(t, &a, 2, 0, 0);
    put(t, &b, 0, 0, 0);
    put(t, &b, 0, 2, 0);
    put(t, &c, 0, 0, (double)NAN); /* not read */
    put(t, &c, 1, 1, (double)NAN);
    finish(t, &a);
    finish(t, &b);
    finish(t, &c);
    multiply(t, 1, ASHLAR_OP_N, &a, ASHLAR_OP_N, &b, 0, &c, false);
    put(t, &b, 1, 2, 1e-30);
    finish(t, &b);
    const double one = 1, zero = 0;
    const ashlar_tiles_options options = {.size = sizeof options, .threshold = 1e10};
    ashlar_tiles_result result = {0};
    ashlar_error err = {0};
    CHECK(&t->r->test, ashlar_tiles_multiply(&one, ASHLAR_OP_N, a.tiles, ASHLAR_OP_N, b.tiles, &zero, c.tiles, &options,
                                             &result, &err) == ASHLAR_OK, "%s", err.text);
    double x[6] = {0};
    const int64_t row = 0, col = 2;
    int present = 0;
    CHECK(&t->r->test, ashlar_tiles_fetch(c.tiles, 1, &row, &col, x, &present, &err) == ASHLAR_OK && present &&
          isnan(x[0]) && isnan(x[5]), "%s: present %d, %g", err.text, present, x[0]);
    ashlar_tiles_info info = {0};
    CHECK(&t->r->test, ashlar_tiles_inspect(c.tiles, &info, &err) == ASHLAR_OK && info.tiles == 1,
          "%" PRId64 " tiles are left", info.tiles);
    operand_free(&a);
    operand_free(&b);
    operand_free(&c);
}

/* ---- C beside the product ---- */

static void beta_outside_pattern(trial *t)
{
    static const int64_t size[4] = {2, 3, 1, 4};
    for (int way = 0; way < 6; way++) {
        const ashlar_tiles_description d = {.type = (ashlar_type)(way % 4), .tile_rows = 4, .tile_cols = 4,
                                            .row_sizes = size};
        operand a = operand_of(t, &d), b = operand_of(t, &d), c = operand_of(t, &d);
        put(t, &a, 1, 2, 0); /* the product is in tile (1, 3) alone */
        put(t, &b, 2, 3, 0);
        for (int64_t i = 0; i < 4; i++)
            put(t, &c, i, (3 * i + 1) % 4, 0);
        put(t, &c, 3, 3, 0);
        finish(t, &a);
        finish(t, &b);
        finish(t, &c);
        multiply(t, way == 5 ? 0 : 1, ASHLAR_OP_N, &a, ASHLAR_OP_N, &b, way % 3 - 1, &c, way >= 3);
        operand_free(&a);
        operand_free(&b);
        operand_free(&c);
    }
}

/* ---- symmetries ---- */

/* Each symmetry, operation and type against a copy of all of the matrix; either side. */
static void symmetric_forms(trial *t)
{
    static const int64_t size[4] = {2, 1, 4, 3};
    for (int form = 0; form < 4 * 4 * 3; form++) {
        ashlar_tiles_description d = {.type = (ashlar_type)(form % 4), .tile_rows = 4, .tile_cols = 4,
                                      .row_sizes = size};
        operand b = operand_of(t, &d), c = operand_of(t, &d);
        d.symmetry = (ashlar_symmetry)(1 + form / 4 % 4);
        operand a = operand_of(t, &d);
        const ashlar_op op = (ashlar_op)(ASHLAR_OP_N + form / 16);
        for (int64_t i = 0; i < 4; i++)
            for (int64_t j = 0; j < 4; j++) {
                if (i <= j && (i + j) % 3 != 1)
                    put(t, &a, i, j, 0);
                if ((i + 2 * j) % 3 != 1)
                    put(t, &b, i, j, 0);
            }
        finish(t, &a);
        finish(t, &b);
        multiply(t, 1, op, &a, ASHLAR_OP_N, &b, 0, &c, false);
        multiply(t, -1, ASHLAR_OP_T, &b, op, &a, 1, &c, false);
        multiply(t, 2, op, &a, ASHLAR_OP_N, &a, 0, &c, false);
        operand_free(&a);
        operand_free(&b);
        operand_free(&c);
    }
}

/* ---- magnitudes ---- */

/* Norms and thresholds with elements whose squares are beyond double precision: products of 1e200 and 1e-200 count as
 * 1, of 1e-200 and 1e-200 as nothing. */
static void norm_extremes(trial *t)
{
    static const int64_t size[2] = {1, 4};
    const ashlar_tiles_description d = {.type = ASHLAR_TYPE_D, .tile_rows = 2, .tile_cols = 2, .row_sizes = size};
    const ashlar_tiles_options options = {.size = sizeof options, .threshold = 0.25};
    operand a = operand_of(t, &d), b = operand_of(t, &d), c = operand_of(t, &d);
    const double one = 1, zero = 0;
    double norm = 0, x[4] = {0};
    ashlar_tiles_result result = {0};
    ashlar_error err = {0};
    put(t, &a, 0, 0, 1e200);
    put(t, &a, 0, 1, 1e-200);
    put(t, &b, 0, 0, 1e-200);
    put(t, &b, 1, 1, 1e-200);
    finish(t, &a);
    finish(t, &b);
    CHECK(&t->r->test, ashlar_tiles_norm(a.tiles, &norm, &err) == ASHLAR_OK && fabs(norm / 1e200 - 1) < 1e-15, "%g",
          norm);
    CHECK(&t->r->test, ashlar_tiles_norm(b.tiles, &norm, &err) == ASHLAR_OK &&
          fabs(norm / sqrt(17) / 1e-200 - 1) < 1e-15, "%g", norm);
    CHECK(&t->r->test, ashlar_tiles_multiply(&one, ASHLAR_OP_N, a.tiles, ASHLAR_OP_N, b.tiles, &zero, c.tiles, &options,
                                             &result, &err) == ASHLAR_OK, "%s", err.text);
    int64_t own[2] = {result.products, result.left_out}, all[2];
    MPI_Allreduce(own, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(&t->r->test, all[0] == 1 && all[1] == 1, "%" PRId64 " formed, %" PRId64 " left out", all[0], all[1]);
    CHECK(&t->r->test, result.error_bound > 0 && result.error_bound < 1e-14, "bound %g", result.error_bound);
    const int64_t row = 0, col = 0;
    CHECK(&t->r->test, ashlar_tiles_fetch(c.tiles, 1, &row, &col, x, NULL, &err) == ASHLAR_OK &&
          fabs(x[0] - 1) < 1e-15, "%g", x[0]);
    CHECK(&t->r->test, ashlar_tiles_filter(a.tiles, 1e-100, &err) == ASHLAR_OK, "%s", err.text);
    ashlar_tiles_info info = {0};
    CHECK(&t->r->test, ashlar_tiles_inspect(a.tiles, &info, &err) == ASHLAR_OK && info.tiles == 1, "filter");
    operand_free(&a);
    operand_free(&b);
    operand_free(&c);
}

/* ---- few tiles ---- */

/* Rows and columns of tiles without elements, first, last and between; also nothing but them. */
static void empty_rows_and_columns(trial *t)
{
    static const int64_t size[3][4] = {{0, 3, 0, 2}, {1, 0, 0, 0}, {0, 0, 0, 0}};
    for (int i = 0; i < 27; i++) {
        const ashlar_tiles_description da = {.type = ASHLAR_TYPE_C, .tile_rows = 4, .tile_cols = 4,
                                             .row_sizes = size[i % 3], .col_sizes = size[i / 3 % 3]};
        ashlar_tiles_description db = da, dc = da;
        db.row_sizes = da.col_sizes;
        db.col_sizes = dc.col_sizes = size[i / 9];
        operand a = operand_of(t, &da), b = operand_of(t, &db), c = operand_of(t, &dc);
        for (int64_t tile = 0; tile < 16; tile++) {
            put(t, &a, tile / 4, tile % 4, 0);
            put(t, &b, tile / 4, tile % 4, 0);
        }
        finish(t, &a);
        finish(t, &b);
        multiply(t, 1, ASHLAR_OP_N, &a, ASHLAR_OP_N, &b, 0, &c, false);
        operand_free(&a);
        operand_free(&b);
        operand_free(&c);
    }
}

/* A matrix of one element; products without a tile; one tile, on each rank by turns. */
static void few_tiles(trial *t)
{
    static const int64_t size[3] = {1, 2, 3}, five = 5;
    ashlar_tiles_description d = {.type = ASHLAR_TYPE_S, .tile_rows = 1, .tile_cols = 1, .row_sizes = size};
    const ashlar_tiles_description grid = {.type = ASHLAR_TYPE_D, .tile_rows = 3, .tile_cols = 3, .row_sizes = size};
    operand a = operand_of(t, &d), b = operand_of(t, &d), c = operand_of(t, &d);
    put(t, &a, 0, 0, 3);
    put(t, &b, 0, 0, -2);
    finish(t, &a);
    finish(t, &b);
    multiply(t, 1, ASHLAR_OP_T, &a, ASHLAR_OP_N, &b, 0, &c, false);
    operand_free(&a);
    operand_free(&b);
    operand_free(&c);
    a = operand_of(t, &grid), b = operand_of(t, &grid), c = operand_of(t, &grid);
    const ashlar_tiles_result r = multiply(t, 1, ASHLAR_OP_N, &a, ASHLAR_OP_C, &b, 0, &c, false);
    CHECK(&t->r->test, r.words == 0 && r.messages == 0 && r.flops == 0, "%" PRId64 " words for nothing", r.words);
    operand_free(&a);
    operand_free(&b);
    operand_free(&c);
    for (int rank = 0; rank < t->r->ranks; rank++) {
        d = (ashlar_tiles_description){.type = ASHLAR_TYPE_D, .tile_rows = 1, .tile_cols = 1, .row_sizes = &five,
                                       .grid_rows = 1, .grid_cols = 1, .grid_ranks = &rank};
        a = operand_of(t, &d), c = operand_of(t, &d);
        d.grid_ranks = &(int){0};
        b = operand_of(t, &d);
        put(t, &a, 0, 0, 0);
        put(t, &b, 0, 0, 0);
        finish(t, &a);
        finish(t, &b);
        const ashlar_tiles_result one = multiply(t, 1, ASHLAR_OP_N, &a, ASHLAR_OP_N, &b, 0, &c, false);
        CHECK(&t->r->test, one.words == (t->r->rank == rank && rank > 0 ? 25 : 0), "rank %d: %" PRId64 " words", rank,
              one.words);
        operand_free(&a);
        operand_free(&b);
        operand_free(&c);
    }
}

/* ---- dealing by work ---- */

/* The work of each tile of A^T B. */
static void find_work(const operand *a, const operand *b, double work[MOST * MOST])
{
    for (int64_t i = 0; i < MOST; i++)
        for (int64_t j = 0; j < MOST; j++) {
            work[i * MOST + j] = 0;
            for (int64_t k = 0; k < MOST; k++)
                if (op_present(a, ASHLAR_OP_T, i, k) && op_present(b, ASHLAR_OP_N, k, j))
                    work[i * MOST + j] += (double)(ashi_cuts_size(&a->m.col, i) * ashi_cuts_size(&b->m.row, k) *
                                                   ashi_cuts_size(&b->m.col, j));
        }
}

/* The maps are those that one memory with all tiles gives. */
static void check_maps(trial *t, const double *work, int map[2][MOST])
{
    ashi_tile_at at[MOST * MOST];
    ashi_pattern all;
    int wanted[2][MOST];
    double left;
    ashlar_error err = {0};
    for (int64_t i = 0; i < MOST * MOST; i++)
        at[i] = (ashi_tile_at){i / MOST, i % MOST};
    CHECK(&t->r->test, ashi_pattern_make(at, MOST * MOST, &all, &err) == ASHLAR_OK, "%s", err.text);
    const ashi_tile_work tiles = {MOST, MOST, &all, work};
    CHECK(&t->r->test, ashi_deal_by_work(&tiles, 2, 2, wanted[0], wanted[1], &left, &err) == ASHLAR_OK &&
          memcmp(wanted, map, sizeof wanted) == 0, "other maps: %s", err.text);
    ashi_pattern_free(&all);
}

/* The work of lines, by which they are dealt if there are too many products. */
static void check_lines(trial *t, const operand *a, const operand *b, const operand *c, const double *work)
{
    const ashlar_tiles_term term = {NULL, ASHLAR_OP_T, ASHLAR_OP_N, a->tiles, b->tiles};
    const ashi_tiles_asked q = {.who = "lines", .context = t->context, .terms = 1, .term = &term, .shapes = true,
                                .c = c->tiles};
    ashi_tiles_product product;
    double lines[2 * MOST];
    ashlar_error err = {0};
    ashlar_status status = ashi_tiles_product_begin(&q, true, &product, &err);
    for (int x = 0; x < 2; x++)
        status = ashi_product_find_needed(&product, x, status, &err);
    status = ashi_deal_line_work(&product, status, lines, &err);
    CHECK(&t->r->test, status == ASHLAR_OK, "%s", err.text);
    for (int line = 0; line < 2 * MOST; line++) {
        double wanted = 0;
        for (int i = 0; i < MOST; i++)
            wanted += line < MOST ? work[line * MOST + i] : work[i * MOST + line - MOST];
        CHECK(&t->r->test, lines[line] - wanted == 0, "line %d has %g, wanted %g", line, lines[line], wanted);
    }
    ashi_tiles_product_free(&product);
}

/* Tiles that are large and small by turns: dealt out by turns, one process of four has three quarters of all work. By
 * work the busiest has what is said, and that is what a product then does. */
static void deal_by_work(trial *t)
{
    static const int64_t size[MOST] = {8, 1, 9, 1, 7, 2, 8};
    ashlar_tiles_description d = {.type = ASHLAR_TYPE_D, .tile_rows = MOST, .tile_cols = MOST, .row_sizes = size,
                                  .grid_rows = 2, .grid_cols = 2};
    operand a = operand_of(t, &d), b = operand_of(t, &d), c = operand_of(t, &d);
    int map[2][MOST];
    double left = 0, work[MOST * MOST];
    ashlar_error err = {0};
    for (int64_t i = 0; i < MOST; i++)
        for (int64_t j = 0; j < MOST; j++) {
            if ((i + 2 * j) % 5 != 0)
                put(t, &a, i, j, 0);
            if ((3 * i + j) % 4 != 0)
                put(t, &b, i, j, 0);
        }
    finish(t, &a);
    finish(t, &b);
    CHECK(&t->r->test, ashlar_tiles_deal_by_work(ASHLAR_OP_T, a.tiles, ASHLAR_OP_N, b.tiles, &d, map[0], map[1], &left,
                                                 &err) == ASHLAR_OK, "%s", err.text);
    find_work(&a, &b, work);
    check_maps(t, work, map);
    check_lines(t, &a, &b, &c, work);
    operand_free(&c);
    d.row_map = map[0];
    d.col_map = map[1];
    c = operand_of(t, &d);
    const ashlar_tiles_result done = multiply(t, 1, ASHLAR_OP_T, &a, ASHLAR_OP_N, &b, 0, &c, false);
    int64_t most = 0, all = 0;
    MPI_Allreduce(&done.flops, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&done.flops, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(&t->r->test, fabs(left * (double)all / (4 * (double)most) - 1) < 1e-12 && left < 1.5,
          "said %g, the busiest has %g of the mean", left, 4 * (double)most / (double)all);
    d.grid_rows = t->r->rank == 0 ? 3 : 2;
    ashlar_status status = ashlar_tiles_deal_by_work(ASHLAR_OP_T, a.tiles, ASHLAR_OP_N, b.tiles, &d, map[0], map[1],
                                                     NULL, &err);
    CHECK(&t->r->test, status == ASHLAR_ERR_ARG && ranks_agree(MPI_COMM_WORLD, (int)status, err.text), "%s", err.text);
    status = ashlar_tiles_deal_by_work(t->r->rank == 1 ? (ashlar_op)9 : ASHLAR_OP_N, a.tiles, ASHLAR_OP_N, b.tiles, &d,
                                       map[0], map[1], NULL, &err);
    CHECK(&t->r->test, status == ASHLAR_ERR_ARG && ranks_agree(MPI_COMM_WORLD, (int)status, err.text) &&
          strstr(err.text, "op_a = 9 is none"), "%s", err.text);
    operand_free(&a);
    operand_free(&b);
    operand_free(&c);
}

/* ---- tilings that do not match ---- */

static void refused(trial *t, const operand *a, ashlar_op op, const operand *b, const operand *c, const char *text)
{
    const double one = 1, zero = 0;
    ashlar_error err = {0};
    const ashlar_status status = ashlar_tiles_multiply(&one, op, a->tiles, ASHLAR_OP_N, b->tiles, &zero, c->tiles, NULL,
                                                       NULL, &err);
    CHECK(&t->r->test, status == ASHLAR_ERR_ARG && strstr(err.text, text) &&
          ranks_agree(MPI_COMM_WORLD, (int)status, err.text), "%s instead of %s", err.text, text);
}

static void cuts_that_differ(trial *t)
{
    static const int64_t size[3] = {2, 3, 4}, other[3] = {2, 2, 5}, last[3] = {2, 3, 5};
    const ashlar_tiles_description d = {.type = ASHLAR_TYPE_D, .tile_rows = 3, .tile_cols = 3, .row_sizes = size};
    ashlar_tiles_description e = d, f = d, g = d;
    e.row_sizes = other;
    e.col_sizes = size;
    f.col_sizes = last;
    g.tile_cols = 2;
    g.col_sizes = size;
    operand x = operand_of(t, &d), y = operand_of(t, &d), rows = operand_of(t, &e), cols = operand_of(t, &f),
            few = operand_of(t, &g);
    refused(t, &x, ASHLAR_OP_N, &rows, &y, "tile 1 of op(A)'s columns ends at 5, of op(B)'s rows at 4");
    refused(t, &rows, ASHLAR_OP_T, &x, &y, "tile 1 of op(A)'s columns ends at 4, of op(B)'s rows at 5");
    refused(t, &x, ASHLAR_OP_N, &x, &rows, "tile 1 of C's rows ends at 4, of op(A)'s rows at 5");
    refused(t, &x, ASHLAR_OP_N, &cols, &y, "tile 2 of C's columns ends at 9, of op(B)'s columns at 10");
    refused(t, &x, ASHLAR_OP_N, &few, &y, "C's columns are cut into 3 tiles, op(B)'s columns into 2");
    operand_free(&x);
    operand_free(&y);
    operand_free(&rows);
    operand_free(&cols);
    operand_free(&few);
}

/* ---- process grids ---- */

/* Every grid of 1 to all ranks, with A full and B sparse, then the other way round. */
static void process_grids(trial *t)
{
    static const int64_t size[3][MOST] = {{3, 1, 4, 2, 6, 1, 2}, {1, 5, 2, 3, 1, 4, 2}, {2, 2, 7, 1, 3, 1, 3}};
    for (int p = 1; p <= t->r->ranks; p++)
        for (int rows = 1; rows <= p; rows++) {
            ashlar_tiles_description d[3] = {{.type = ASHLAR_TYPE_D}};
            operand x[3];
            if (p % rows != 0)
                continue;
            for (int i = 0; i < 3; i++) {
                d[i] = (ashlar_tiles_description){.type = (ashlar_type)(p % 4), .tile_rows = MOST, .tile_cols = MOST,
                                                  .row_sizes = size[i == 1 ? 2 : 0],
                                                  .col_sizes = size[i == 0 ? 2 : 1], .grid_rows = rows,
                                                  .grid_cols = p / rows};
                x[i] = operand_of(t, &d[i]);
                for (int64_t tile = 0; tile < MOST * MOST; tile++)
                    if (i == (rows + p) % 2 || (i < 2 && ashi_random_in(&t->state, 0, 4) == 0))
                        put(t, &x[i], tile / MOST, tile % MOST, 0);
                finish(t, &x[i]);
            }
            multiply(t, 1, ASHLAR_OP_N, &x[0], ASHLAR_OP_N, &x[1], 0, &x[2], false);
            for (int i = 0; i < 3; i++)
                operand_free(&x[i]);
        }
}

/* ---- which ---- */

static const struct {
    const char *name;
    void (*run)(trial *t);
} cases[] = {
    {"arrow", arrow},
    {"nan_beside_absent", nan_beside_absent},
    {"beta_outside_pattern", beta_outside_pattern},
    {"symmetric_forms", symmetric_forms},
    {"norm_extremes", norm_extremes},
    {"empty_rows_and_columns", empty_rows_and_columns},
    {"few_tiles", few_tiles}, {"deal_by_work", deal_by_work},
    {"cuts_that_differ", cuts_that_differ},
    {"process_grids", process_grids},
};

int main(int argc, char **argv)
{
    rig r;
    trial t = {.r = &r};
    const char *const name = argc > 1 ? argv[1] : "";
    int none = 0;
    if (!ranks_begin(&r, &none, &(char **){NULL}, 1))
        return 1;
    CHECK(&r.test, ashlar_context_create(MPI_COMM_WORLD, &t.context, NULL) == ASHLAR_OK, "no context");
    t.state = (uint64_t)r.ranks * 1000;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0] && t.context; i++)
        if (!*name || strcmp(cases[i].name, name) == 0)
            cases[i].run(&t);
    ashlar_context_free(&t.context);
    return ranks_end(&r, name);
}

/* Freivalds' test of a product, distributed or in files. */
#include "verify/freivalds.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/type.h"
#include "exec/mpi.h"
#include "kernel/kernels.h"
#include "kernel/narrow.h"
#include "store/bands.h"
#include "store/tiles.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    VECTORS = ASHI_FREIVALDS_VECTORS,
    WIDTH = 2 * VECTORS,  /* numbers an index: real and imaginary parts */
    SLAB = 1 << 14        /* indices of a dimension that are looked at together */
};

static const int64_t band_bytes = 8 << 20;

static const uint64_t key = 0x4173686C61722121u; /* of x; any number will do */

/* The vectors over one slab of each dimension, WIDTH numbers an index, and the squares of rows over one slab of m. */
typedef struct slabs {
    long double *x, *y, *residual;
    long double *squares; /* of rows of op(A), C and C0: three a row */
    void *band;           /* of a file */
} slabs;

/* A box of a matrix in memory: element (i, j), i counted along the result, at first + i * out + j * in elements. */
typedef struct piece {
    ashlar_type type;
    const char *first;
    int64_t out, in;
    bool conjugate, minus;
} piece;

static void element(const piece *p, int64_t i, int64_t j, double value[2])
{
    const char *at = p->first + (i * p->out + j * p->in) * (int64_t)ashlar_type_bytes(p->type);
    const bool wide = p->type == ASHLAR_TYPE_D || p->type == ASHLAR_TYPE_Z;
    float narrow[2] = {0, 0};
    value[0] = value[1] = 0;
    if (wide) {
        memcpy(value, at, ashlar_type_bytes(p->type));
    } else if (ashi_is_narrow(p->type)) {
        uint16_t bits;
        memcpy(&bits, at, sizeof bits);
        value[0] = (double)ashi_narrow_value(p->type, bits);
    } else {
        memcpy(narrow, at, ashlar_type_bytes(p->type));
        value[0] = (double)narrow[0];
        value[1] = (double)narrow[1];
    }
    if (p->conjugate != p->minus)
        value[1] = -value[1];
    if (p->minus)
        value[0] = -value[0];
}

/* alpha or beta. */
static void scalar(ashlar_type type, const void *from, double value[2])
{
    const piece p = {ashlar_type_of_sums(type), from, 0, 0, false, false};
    element(&p, 0, 0, value);
}

/* to_i += sum over j of element (i, j) from_j; the squares of row i are added to squares[3 * i]. */
static void multiply(const piece *p, int64_t rows, int64_t cols, const long double *from, long double *to,
                     long double *squares)
{
    const bool complex = ashi_type_of(p->type)->complex;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) {
            double e[2];
            element(p, i, j, e);
            squares[3 * i] += (long double)e[0] * e[0] + (long double)e[1] * e[1];
            const long double *f = from + j * WIDTH;
            long double *t = to + i * WIDTH;
            for (int v = 0; v < VECTORS; v++)
                t[v] += (long double)e[0] * f[v];
            for (int v = 0; complex && v < VECTORS; v++) {
                t[v] -= (long double)e[1] * f[VECTORS + v];
                t[VECTORS + v] += (long double)e[0] * f[VECTORS + v] + (long double)e[1] * f[v];
            }
        }
}

/* value *= factor, for one index. */
static void scale(long double *value, const double factor[2])
{
    for (int v = 0; v < VECTORS; v++) {
        const long double re = value[v], im = value[VECTORS + v];
        value[v] = (long double)factor[0] * re - (long double)factor[1] * im;
        value[VECTORS + v] = (long double)factor[0] * im + (long double)factor[1] * re;
    }
}

static void draw(int64_t from, int64_t count, long double *x)
{
    memset(x, 0, (size_t)(count * WIDTH) * sizeof *x);
    for (int64_t j = 0; j < count; j++) {
        const uint64_t bits = ashi_hash(key, from + j);
        for (int v = 0; v < VECTORS; v++)
            x[j * WIDTH + v] = bits >> v & 1 ? 1 : -1;
    }
}

static bool in_file(const ashi_freivalds_product *p, int which)
{
    if (p->tiles[which])
        return false;
    return which == ASHI_FREIVALDS_C0 ? p->file[which].readers > 0 : !p->layout[which];
}

/* Whether a band of a file may have to be held. */
static bool in_files(const ashi_freivalds_product *p)
{
    return in_file(p, ASHLAR_A) || in_file(p, ASHLAR_B) || in_file(p, ASHLAR_C) || in_file(p, ASHI_FREIVALDS_C0);
}

/* An interval of the dimension of the result or of the vector. */
typedef struct span {
    int64_t at, count;
} span;

/* What is applied to a vector: op(matrix), and the squares of its rows are added to every third number. */
typedef struct factor {
    int which; /* an operand, or ASHI_FREIVALDS_C0 */
    ashlar_op op;
    long double *squares;
} factor;

/* result[out] += op(tile) vector[in], for a tile of the matrix as stored. */
static void apply_tile(ashlar_type type, const void *data, const ashi_freivalds_tile *tile, const factor *f, span out,
                       span in, const long double *vector, long double *result)
{
    const ashi_tile *t = &tile->tile;
    const bool plain = f->op == ASHLAR_OP_N;
    const piece part = {type, (const char *)data + t->offset * (int64_t)ashlar_type_bytes(type),
                        plain ? t->row_stride : t->col_stride, plain ? t->col_stride : t->row_stride,
                        (f->op == ASHLAR_OP_C) != tile->conjugate, tile->minus};
    const int64_t i = (plain ? t->row : t->col) - out.at, j = (plain ? t->col : t->row) - in.at;
    multiply(&part, plain ? t->rows : t->cols, plain ? t->cols : t->rows, vector + j * WIDTH, result + i * WIDTH,
             f->squares + 3 * i);
}

/* This rank's share of a box of a file: lines that follow one another in it. */
static ashi_file_box share_of(const ashi_freivalds_file *file, ashi_file_box box, ashlar_order order)
{
    const bool by_row = order == ASHLAR_ROW_MAJOR;
    const int64_t lines = by_row ? box.rows : box.cols; /* at most SLAB */
    const int64_t from = lines * file->share / file->readers, to = lines * (file->share + 1) / file->readers;
    return by_row ? (ashi_file_box){box.row + from, to - from, box.col, box.cols}
                  : (ashi_file_box){box.row, box.rows, box.col + from, to - from};
}

/* A box of a file, band after band. */
static ashlar_status apply_file(const ashi_freivalds_file *file, ashi_file_box box, const factor *f, span out, span in,
                                slabs *s, const long double *vector, long double *result, ashlar_error *err)
{
    if (!file->file)
        return ASHLAR_OK;
    const ashlar_order order = ashi_store_order(file->file);
    const bool by_row = order == ASHLAR_ROW_MAJOR;
    const ashi_file_box own = share_of(file, box, order);
    ashi_bands bands = ashi_bands_of(own.rows, own.cols, order, band_bytes / (int64_t)ashlar_type_bytes(file->type));
    ashlar_status status = ASHLAR_OK;
    for (ashi_file_box b; status == ASHLAR_OK && ashi_bands_next(&bands, &b);) {
        const ashi_freivalds_tile own_tile = {
            {.row = own.row + b.row, .rows = b.rows, .col = own.col + b.col, .cols = b.cols,
             .row_stride = by_row ? b.cols : 1, .col_stride = by_row ? 1 : b.rows}, false, false, false, 0};
        const ashi_tile *t = &own_tile.tile;
        status = ashi_store_read(file->file, t->row, t->rows, t->col, t->cols, s->band, t->row_stride, t->col_stride,
                                 err);
        if (status == ASHLAR_OK)
            apply_tile(file->type, s->band, &own_tile, f, out, in, vector, result);
    }
    return status;
}

/* Of the elements of an operand in memory. */
static ashlar_type type_of(const ashi_freivalds_product *p, int which)
{
    return which < ASHLAR_C ? p->problem->type : ashlar_type_of_sums(p->problem->type);
}

/* The part of a tile that lies in a box. */
static ashi_tile clip(const ashi_tile *t, const ashi_file_box *box)
{
    const int64_t row = ashi_max(t->row, box->row), row_end = ashi_min(t->row + t->rows, box->row + box->rows);
    const int64_t col = ashi_max(t->col, box->col), col_end = ashi_min(t->col + t->cols, box->col + box->cols);
    return (ashi_tile){t->owner, row, row_end - row, col, col_end - col,
                       t->offset + (row - t->row) * t->row_stride + (col - t->col) * t->col_stride, t->row_stride,
                       t->col_stride};
}

static void apply_tiles(const ashi_freivalds_product *p, const factor *f, ashi_file_box box, span out, span in,
                        const long double *vector, long double *result)
{
    const ashi_freivalds_tiles *tiles = p->tiles[f->which];
    const ashlar_type type = type_of(p, f->which);
    for (int64_t i = 0; i < tiles->count; i++) {
        ashi_freivalds_tile part = tiles->tile[i];
        part.tile = clip(&tiles->tile[i].tile, &box);
        if (part.tile.rows > 0 && part.tile.cols > 0)
            apply_tile(type, part.viewed ? tiles->view(tiles->user, part.number) : tiles->data, &part, f,
                       out, in, vector, result);
    }
}

/* result[out] += op(matrix)[out, in] vector[in], with what this rank has, or reads, of the matrix. Collective. */
static ashlar_status apply(const ashi_freivalds_product *p, const factor *f, span out, span in, slabs *s,
                           const long double *vector, long double *result, ashlar_error *err)
{
    const ashi_file_box box = f->op == ASHLAR_OP_N ? (ashi_file_box){out.at, out.count, in.at, in.count}
                                               : (ashi_file_box){in.at, in.count, out.at, out.count};
    if (in_file(p, f->which))
        return ashi_agree(p->context, apply_file(&p->file[f->which], box, f, out, in, s, vector, result, err), err);
    if (p->tiles[f->which]) {
        apply_tiles(p, f, box, out, in, vector, result);
        return ASHLAR_OK;
    }
    ashi_tiles tiles = ashi_tiles_of(p->layout[f->which], p->context->rank, box, ASHLAR_ROW_MAJOR);
    for (ashi_freivalds_tile t = {.minus = false}; ashi_tiles_next(&tiles, &t.tile);)
        apply_tile(type_of(p, f->which), p->data[f->which], &t, f, out, in, vector, result);
    return ASHLAR_OK;
}

/* Whether C0 is somewhere else than in C's memory. */
static bool start_is_given(const ashi_freivalds_product *p)
{
    return p->tiles[ASHI_FREIVALDS_C0] || in_file(p, ASHI_FREIVALDS_C0);
}

static bool nonzero(const ashi_freivalds_product *p, const void *value)
{
    return !ashi_kernels_of(p->problem->type)->is_zero(value);
}

/* ---- before ---- */

ashlar_status ashi_freivalds_begin(const ashi_freivalds_product *p, ashi_freivalds *out, ashlar_error *err)
{
    const ashlar_type type = type_of(p, ASHLAR_C);
    const int64_t size = (int64_t)ashlar_type_bytes(type);
    double beta[2];
    *out = (ashi_freivalds){0};
    if (!nonzero(p, p->beta) || in_file(p, ASHLAR_C) || start_is_given(p))
        return ASHLAR_OK;
    scalar(p->problem->type, p->beta, beta);
    ashi_tiles tiles = ashi_tiles_all(p->layout[ASHLAR_C], p->context->rank);
    ashi_tile t;
    while (ashi_tiles_next(&tiles, &t))
        out->rows += t.rows;
    long double *x = malloc(SLAB * WIDTH * sizeof *x);
    long double *squares = calloc((size_t)out->rows * 3 + 1, sizeof *squares);
    out->start = calloc((size_t)out->rows * (WIDTH + 1) + 1, sizeof *out->start);
    int64_t row = 0;
    tiles = ashi_tiles_all(p->layout[ASHLAR_C], p->context->rank);
    for (; x && squares && out->start && ashi_tiles_next(&tiles, &t); row += t.rows) {
        for (int64_t j = 0; j < t.cols; j += SLAB) {
            const int64_t count = ashi_min(SLAB, t.cols - j);
            const char *first = (const char *)p->data[ASHLAR_C] + (t.offset + j * t.col_stride) * size;
            const piece part = {type, first, t.row_stride, t.col_stride, false, false};
            draw(t.col + j, count, x);
            multiply(&part, t.rows, count, x, out->start + row * WIDTH, squares + row * 3);
        }
    }
    const bool made = x && squares && out->start;
    for (int64_t i = 0; made && i < out->rows; i++) {
        scale(out->start + i * WIDTH, beta);
        out->start[out->rows * WIDTH + i] = squares[3 * i];
    }
    free(x);
    free(squares);
    return made ? ASHLAR_OK : ashi_fail_memory(err, "check", (out->rows + SLAB) * WIDTH * (int64_t)sizeof *x);
}

/* ---- after ---- */

static ashlar_status sum(const ashi_freivalds_product *p, long double *values, int64_t count, ashlar_error *err)
{
    return ashi_mpi(MPI_Allreduce(MPI_IN_PLACE, values, (int)count, MPI_LONG_DOUBLE, MPI_SUM, p->context->comm),
                    "MPI_Allreduce", err);
}

/* result += scalar matrix x over the slab's rows, with x drawn a slab at a time. */
static ashlar_status apply_to_x(const ashi_freivalds_product *p, const factor *f, const double by[2], span out,
                                slabs *s, long double *result, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t j = 0; j < p->problem->n && status == ASHLAR_OK; j += SLAB) {
        const span in = {j, ashi_min(SLAB, p->problem->n - j)};
        draw(in.at, in.count, s->x);
        for (int64_t i = 0; by && i < in.count; i++)
            scale(s->x + i * WIDTH, by);
        status = apply(p, f, out, in, s, s->x, result, err);
    }
    return status;
}

static void negative(ashlar_type type, const void *from, double value[2])
{
    scalar(type, from, value);
    value[0] = -value[0];
    value[1] = -value[1];
}

/* residual -= alpha op(A) (op(B) x) over a slab of rows. *b_square becomes the sum of B's squares where it is still
 * below 0. */
static ashlar_status factors(const ashi_freivalds_product *p, span rows, slabs *s, long double *b_square,
                             ashlar_error *err)
{
    const ashlar_problem *q = p->problem;
    double minus[2];
    negative(q->type, p->alpha, minus);
    ashlar_status status = ASHLAR_OK;
    long double own = 0, *squares = s->squares + 3 * SLAB;
    const factor a = {ASHLAR_A, q->op_a, s->squares}, b = {ASHLAR_B, q->op_b, squares};
    for (int64_t l = 0; l < q->k && status == ASHLAR_OK; l += SLAB) {
        const span in = {l, ashi_min(SLAB, q->k - l)};
        memset(s->y, 0, (size_t)(in.count * WIDTH) * sizeof *s->y);
        memset(squares, 0, 3 * SLAB * sizeof *squares);
        status = apply_to_x(p, &b, NULL, in, s, s->y, err);
        for (int64_t i = 0; i < in.count; i++)
            own += squares[3 * i];
        if (status == ASHLAR_OK)
            status = sum(p, s->y, in.count * WIDTH, err);
        for (int64_t i = 0; i < in.count; i++)
            scale(s->y + i * WIDTH, minus);
        if (status == ASHLAR_OK)
            status = apply(p, &a, rows, in, s, s->y, s->residual, err);
    }
    if (status == ASHLAR_OK && *b_square < 0) {
        *b_square = own;
        status = sum(p, b_square, 1, err);
    }
    return status;
}

/* residual -= beta C0 x over a slab of rows, from what was kept of it. */
static void subtract_start(const ashi_freivalds_product *p, const ashi_freivalds *test, span rows, slabs *s)
{
    ashi_tiles tiles = ashi_tiles_all(p->layout[ASHLAR_C], p->context->rank);
    int64_t base = 0;
    for (ashi_tile t; ashi_tiles_next(&tiles, &t); base += t.rows)
        for (int64_t i = ashi_max(t.row, rows.at); i < ashi_min(t.row + t.rows, rows.at + rows.count); i++) {
            const int64_t from = base + i - t.row, to = i - rows.at;
            for (int v = 0; v < WIDTH; v++)
                s->residual[to * WIDTH + v] -= test->start[from * WIDTH + v];
            s->squares[3 * to + 2] += test->start[test->rows * WIDTH + from];
        }
}

/* The same, if C0 is somewhere else. */
static ashlar_status subtract_given(const ashi_freivalds_product *p, span rows, slabs *s, ashlar_error *err)
{
    const factor start = {ASHI_FREIVALDS_C0, ASHLAR_OP_N, s->squares + 2};
    double minus[2];
    negative(p->problem->type, p->beta, minus);
    return apply_to_x(p, &start, minus, rows, s, s->residual, err);
}

/* What rounding may come to in a row, from the squares of op(A)'s, C's and C0's rows. The header has the derivation.
 * The norms' product may be beyond double's range though every element of C is within it. */
static long double bound_of(const ashi_freivalds_product *p, const long double squares[3], long double b_square)
{
    const ashlar_problem *q = p->problem;
    const ashi_type *type = ashi_type_of(q->type);
    const bool wide = q->type == ASHLAR_TYPE_D || q->type == ASHLAR_TYPE_Z;
    const double m = (double)q->m, n = (double)q->n, k = (double)q->k, ranks = (double)p->context->ranks;
    double alpha[2], beta[2];
    scalar(q->type, p->alpha, alpha);
    scalar(q->type, p->beta, beta);
    const long double a = hypotl(alpha[0], alpha[1]);
    const long double most = a * sqrtl(squares[0]) * sqrtl(b_square > 0 ? b_square : 0) +
                             hypotl(beta[0], beta[1]) * sqrtl(squares[2]);
    const double c = type->complex ? sqrt(2) * (2 * k + 16) : k + 8;
    const double t = fmin(sqrt(n), sqrt(2 * log(4 * m * VECTORS * 1e12)));
    const double own = (type->complex ? 3 : 1) * (n + k + ranks + 16) * (double)LDBL_EPSILON / 2 * sqrt(n);
    const long double lost = (k + 8) * n * (1 + a) * (wide ? DBL_MIN : (double)FLT_MIN);
    return t * p->allowed + t * c * type->roundoff * most + own * (most + sqrtl(squares[1])) + lost;
}

/* Keep the worst row. Where residual or bound is no finite number, nothing is known, which is worse than any. */
static void judge_row(const ashi_freivalds_product *p, const long double *residual, const long double squares[3],
                      long double b_square, int64_t row, ashi_freivalds *test)
{
    const long double bound = bound_of(p, squares, b_square);
    for (int v = 0; v < VECTORS; v++) {
        const long double ratio = hypotl(residual[v], residual[VECTORS + v]) / bound;
        const bool known = isfinite(bound) && isfinite(ratio);
        if (known && ratio <= test->worst)
            continue;
        test->worst = known ? (double)fminl(ratio, DBL_MAX) : INFINITY;
        test->row = row;
    }
}

static ashlar_status judge_slab(const ashi_freivalds_product *p, span rows, slabs *s, long double *b_square,
                                ashi_freivalds *test, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    memset(s->residual, 0, (size_t)(rows.count * WIDTH) * sizeof *s->residual);
    memset(s->squares, 0, 3 * SLAB * sizeof *s->squares);
    if (p->problem->k > 0 && nonzero(p, p->alpha))
        status = factors(p, rows, s, b_square, err);
    if (status == ASHLAR_OK)
        status = apply_to_x(p, &(factor){ASHLAR_C, ASHLAR_OP_N, s->squares + 1}, NULL, rows, s, s->residual, err);
    if (status == ASHLAR_OK && start_is_given(p) && nonzero(p, p->beta))
        status = subtract_given(p, rows, s, err);
    if (test->start)
        subtract_start(p, test, rows, s);
    if (status == ASHLAR_OK)
        status = sum(p, s->residual, rows.count * WIDTH, err);
    if (status == ASHLAR_OK)
        status = sum(p, s->squares, rows.count * 3, err);
    for (int64_t i = 0; i < rows.count && status == ASHLAR_OK; i++)
        judge_row(p, s->residual + i * WIDTH, s->squares + 3 * i, *b_square, rows.at + i, test);
    return status;
}

ashlar_status ashi_freivalds_judge(const ashi_freivalds_product *p, ashi_freivalds *test, ashlar_error *err)
{
    const size_t bytes = (size_t)SLAB * WIDTH * sizeof(long double);
    slabs s = {malloc(bytes), malloc(bytes), malloc(bytes), malloc(6 * SLAB * sizeof(long double)),
               in_files(p) ? malloc((size_t)band_bytes) : NULL};
    long double b_square = -1;
    ashlar_status status = ASHLAR_OK;
    test->worst = 0;
    test->row = 0;
    if (!s.x || !s.y || !s.residual || !s.squares || (in_files(p) && !s.band))
        status = ashi_fail_memory(err, "check", (int64_t)(3 * bytes) + (in_files(p) ? band_bytes : 0));
    status = ashi_agree(p->context, status, err);
    const int64_t rows = p->problem->n > 0 ? p->problem->m : 0; /* without columns there is nothing to be wrong */
    for (int64_t i = 0; i < rows && status == ASHLAR_OK; i += SLAB)
        status = judge_slab(p, (span){i, ashi_min(SLAB, p->problem->m - i)}, &s, &b_square, test, err);
    free(s.x);
    free(s.y);
    free(s.residual);
    free(s.squares);
    free(s.band);
    /* Sums may differ in their last bits between ranks: one rank's verdict is everyone's. */
    struct {
        double worst;
        int64_t row;
    } verdict = {test->worst, test->row};
    if (status == ASHLAR_OK)
        status = ashi_mpi(MPI_Bcast(&verdict, (int)sizeof verdict, MPI_BYTE, 0, p->context->comm), "MPI_Bcast", err);
    test->worst = verdict.worst;
    test->row = verdict.row;
    test->done = status == ASHLAR_OK;
    test->passed = test->done && verdict.worst <= 1;
    return ashi_agree(p->context, status, err);
}

void ashi_freivalds_free(ashi_freivalds *test)
{
    free(test->start);
    test->start = NULL;
}

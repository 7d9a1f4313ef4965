/* Tiles as products U V^T of a rank that is small enough: dense tiles, and such that have a rank already. */
#include "kernel/compress.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "kernel/large.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* BLOCK: columns that are chosen before what is left of the tile is formed anew. SPOILT: how many roundoffs of a sum
 * of squares may be wrong after squares were taken away from it. MORE: ranks above the one that pays which are tried,
 * since singular values may need fewer. */
enum { BLOCK = 32, SPOILT = 256, MORE = 8, ALIGNED = 64 };

/* What QR may leave of the tolerance; the singular values have nearly all of it. */
static const double share_of_qr = 0.25;

/* ---- room ---- */

/* The largest rank that pays: U and V take at most half of the tile's words then. More would not be multiplied faster
 * than the tile. */
static int64_t largest_rank(int64_t rows, int64_t cols)
{
    return rows + cols > 0 ? rows * cols / (2 * (rows + cols)) : 0;
}

static int64_t tried(int64_t rows, int64_t cols)
{
    const int64_t most = largest_rank(rows, cols);
    return ashi_min(ashi_min(rows, cols), most + most / 8 + MORE);
}

/* Take a part of the room, or only count it. */
static void take(ashi_compressor *c, void *out, size_t bytes)
{
    char *const at = c->room ? (char *)c->room + c->bytes : NULL;
    memcpy(out, &at, sizeof at);
    c->bytes += (bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static void deal(ashi_compressor *c, size_t rows, size_t cols)
{
    const size_t e = c->element, most = (size_t)ashi_max(c->most, 1);
    c->bytes = 0;
    take(c, &c->rest, rows * cols * e);
    take(c, &c->left, rows * most * e);
    take(c, &c->right, cols * most * e);
    for (int i = 0; i < 3; i++)
        take(c, &c->square[i], most * most * e);
    take(c, &c->tau, most * e);
    take(c, &c->work, ASHI_LAPACK_WORK * most * e);
    take(c, &c->value, most * sizeof *c->value);
    take(c, &c->real, 6 * most * sizeof *c->real);
    take(c, &c->column, cols * sizeof *c->column);
}

static ashlar_status make_one(const ashi_compressed_size *size, ashi_compressor *out, ashlar_error *err)
{
    *out = (ashi_compressor){.kernels = ashi_kernels_of(size->type), .tile_kernels = ashi_tile_kernels_of(size->type),
                             .lapack = ashi_lapack_of(size->type), .element = ashi_type_of(size->type)->bytes,
                             .unit = ashi_type_of(size->type)->roundoff,
                             .most = ashi_max(tried(size->rows, size->cols), size->rank)};
    deal(out, (size_t)size->rows, (size_t)size->cols);
    out->room = ashi_large_make(out->bytes);
    if (!out->room)
        return ashi_fail_memory(err, "room to compress tiles", (int64_t)out->bytes);
    deal(out, (size_t)size->rows, (size_t)size->cols);
    return ASHLAR_OK;
}

static void free_one(ashi_compressor *c)
{
    ashi_large_free(c->room, c->bytes);
    *c = (ashi_compressor){0};
}

ashlar_status ashi_compressors_make(const ashi_compressed_size *size, int threads, ashi_compressor **out,
                                    ashlar_error *err)
{
    ashi_compressor *const c = calloc((size_t)threads, sizeof *c);
    ashlar_status status = c ? ASHLAR_OK
                             : ashi_fail_memory(err, "room to compress tiles", threads * (int64_t)sizeof *c);
    *out = c;
    for (int i = 0; i < threads && status == ASHLAR_OK; i++)
        status = make_one(size, &c[i], err);
    return status;
}

void ashi_compressors_free(ashi_compressor **c, int threads)
{
    for (int i = 0; i < threads && *c; i++)
        free_one(&(*c)[i]);
    free(*c);
    *c = NULL;
}

/* ---- arithmetic ---- */

static char *at(const ashi_compressor *c, char *x, int64_t words)
{
    return x + (size_t)words * c->element;
}

/* y <- sign A B + beta y of matrices whose elements are those of `c`. */
static void multiply(const ashi_compressor *c, int64_t m, int64_t n, int64_t k, double sign, ashi_matrix a, bool turned,
                     ashi_matrix b, bool adds, void *y)
{
    double _Complex factor = 0; /* room for an element of any type */
    c->tile_kernels->element((ashi_number){sign, 0}, &factor);
    c->kernels->gemm(m, n, k, &factor, &a, turned, &b, false, adds ? c->kernels->one : c->kernels->zero, y, 1, m);
}

static double norm_of(const ashi_compressor *c, int64_t words, const void *x)
{
    return ashi_square_root(c->tile_kernels->square(words, x));
}

static void scale(const ashi_compressor *c, int64_t words, double factor, void *x)
{
    double _Complex alpha = 0;
    c->tile_kernels->element((ashi_number){factor, 0}, &alpha);
    c->kernels->axpby(words, 1, &alpha, &(ashi_matrix){x, 1, words}, false, c->kernels->zero, x, 1, words);
}

/* ---- QR with column pivoting, which ends early ---- */

typedef struct pivoting {
    ashi_compressor *c;
    int64_t rows, cols;
    int64_t done, block; /* columns of left; those up to `block` are no longer in what is left */
    double left;         /* the square of the norm of what is left, about */
    double least;        /* below which rounding may have spoilt it since the last block */
} pivoting;

/* What is left of the tile without the columns that were chosen, and its norms. */
static void end_block(pivoting *p)
{
    ashi_compressor *const c = p->c;
    const int64_t count = p->done - p->block;
    if (count > 0)
        multiply(c, p->rows, p->cols, count, -1, (ashi_matrix){at(c, c->left, p->block * p->rows), 1, p->rows}, false,
                 (ashi_matrix){at(c, c->right, p->block * p->cols), 1, p->cols}, true, c->rest);
    p->block = p->done;
    p->left = 0;
    for (int64_t j = 0; j < p->cols; j++) {
        const double norm = norm_of(c, p->rows, at(c, c->rest, j * p->rows));
        c->column[j] = norm * norm;
        p->left += c->column[j];
    }
    p->least = SPOILT * c->unit * p->left;
}

/* The longest column of what is left, orthogonal to the columns that were chosen: false if nothing is left of it. */
static bool choose_column(pivoting *p)
{
    ashi_compressor *const c = p->c;
    int64_t j = 0, count = p->done - p->block;
    char *const q = at(c, c->left, p->done * p->rows);
    for (int64_t i = 1; i < p->cols; i++)
        j = c->column[i] > c->column[j] ? i : j;
    memcpy(q, at(c, c->rest, j * p->rows), (size_t)p->rows * c->element);
    if (count > 0)
        multiply(c, p->rows, 1, count, -1, (ashi_matrix){at(c, c->left, p->block * p->rows), 1, p->rows}, false,
                 (ashi_matrix){at(c, c->right, p->block * p->cols + j), 1, p->cols}, true, q);
    if (p->done > 0) { /* once more, since what was taken off may be much longer than what is left */
        multiply(c, p->done, 1, p->rows, 1, (ashi_matrix){c->left, p->rows, 1}, true, (ashi_matrix){q, p->rows, 1},
                 false, c->tau);
        multiply(c, p->rows, 1, p->done, -1, (ashi_matrix){c->left, 1, p->rows}, false,
                 (ashi_matrix){c->tau, p->done, 1}, true, q);
    }
    const double norm = norm_of(c, p->rows, q);
    if (!(norm > 0))
        return false;
    scale(c, p->rows, 1 / norm, q);
    return true;
}

/* right: the transpose of Q^H times the tile, of which this is one column; and what that leaves of each column. */
static void project(pivoting *p)
{
    ashi_compressor *const c = p->c;
    const char *const q = at(c, c->left, p->done * p->rows);
    char *const w = at(c, c->right, p->done * p->cols);
    multiply(c, p->cols, 1, p->rows, 1, (ashi_matrix){c->rest, p->rows, 1}, true, (ashi_matrix){q, p->rows, 1}, false,
             w);
    c->tile_kernels->reflect(p->cols, 1, &(ashi_mirror){.conjugate = true}, w, 1, p->cols, w);
    p->left = 0;
    for (int64_t j = 0; j < p->cols; j++) {
        const ashi_number x = c->tile_kernels->number(at(c, w, j));
        c->column[j] = fmax(0, c->column[j] - x.re * x.re - x.im * x.im);
        p->left += c->column[j];
    }
    p->done++;
}

/* Columns until what is left is within `most`. Returns its norm, or infinity if too many would be needed. */
static double pivot(pivoting *p, int64_t ranks, double most)
{
    end_block(p);
    while (!(p->left <= most * most)) {
        if (p->done == ranks || !choose_column(p))
            return INFINITY;
        project(p);
        if (p->done - p->block == BLOCK || p->left <= fmax(most * most, p->least))
            end_block(p);
    }
    return sqrt(p->left);
}

/* ---- the rank ---- */

/* How many singular values are needed; *lost: the norm of the others and of what was lost before. */
static int64_t count_values(const ashi_compressor *c, int64_t count, double tolerance, double before, double *lost)
{
    int64_t rank = count;
    *lost = before;
    while (rank > 0 && hypot(*lost, c->value[rank - 1]) <= tolerance)
        *lost = hypot(*lost, c->value[--rank]);
    return rank;
}

/* left right^T, of rank `count` and with orthogonal columns of left, becomes U V^T of at most `most` words in `to`.
 * `before`: what it lacks already. */
static ashi_compressed finish(ashi_compressor *c, int64_t rows, int64_t cols, int64_t count, double tolerance,
                              double before, int64_t most, char *to)
{
    ashi_compressed out = {-1, 0};
    double lost = before;
    char *const r = c->square[0], *const u = c->square[1], *const vh = c->square[2];
    if (count > 0) {
        if (!c->lapack->qr(cols, count, c->right, u, c->tau, c->work))
            return out;
        c->kernels->axpby(count, count, c->kernels->one, &(ashi_matrix){u, count, 1}, false, c->kernels->zero, r, 1,
                          count);
        if (!c->lapack->svd(count, r, c->value, u, vh, c->work, c->real))
            return out;
    }
    const int64_t rank = count_values(c, count, tolerance, before, &lost);
    if (rank * (rows + cols) > most)
        return out;
    for (int64_t i = 0; i < rank; i++)
        scale(c, count, c->value[i], at(c, u, i * count));
    if (rank > 0) {
        multiply(c, rows, rank, count, 1, (ashi_matrix){c->left, 1, rows}, false, (ashi_matrix){u, count, 1}, false,
                 to);
        multiply(c, cols, rank, count, 1, (ashi_matrix){c->right, 1, cols}, false, (ashi_matrix){vh, 1, count}, false,
                 at(c, to, rank * rows));
    }
    out = (ashi_compressed){rank, lost};
    return out;
}

/* With the rounding of the factorisations. */
static double with_rounding(const ashi_compressor *c, double lost, int64_t rows, int64_t cols, double norm)
{
    return (lost + norm * c->unit * sqrt((double)(rows + cols)) * 8) * (1 + 64 * DBL_EPSILON);
}

ashi_compressed ashi_compress_dense(ashi_compressor *c, int64_t rows, int64_t cols, const void *x, double tolerance,
                                    bool relative, void *to)
{
    const double norm = norm_of(c, rows * cols, x), most = relative ? tolerance * norm : tolerance;
    ashi_compressed out = {-1, 0};
    if (!(norm <= sqrt(DBL_MAX)) || (norm > 0 && norm < sqrt(DBL_MIN)) || largest_rank(rows, cols) == 0)
        return out;
    pivoting p = {.c = c, .rows = rows, .cols = cols};
    memcpy(c->rest, x, (size_t)(rows * cols) * c->element);
    const double left = norm <= most ? norm : pivot(&p, tried(rows, cols), share_of_qr * most);
    if (!(left <= most))
        return out;
    out = finish(c, rows, cols, p.done, most, left, largest_rank(rows, cols) * (rows + cols), to);
    if (out.rank >= 0)
        out.error = with_rounding(c, out.error, rows, cols, norm);
    return out;
}

ashi_compressed ashi_compress_factors(ashi_compressor *c, int64_t rows, int64_t cols, int64_t rank, const void *factors,
                                      double tolerance, bool relative, void *to)
{
    const char *const u = factors, *const v = u + (size_t)(rows * rank) * c->element;
    ashi_compressed out = {-1, 0};
    if (rank == 0 || rank > c->most)
        return out;
    memcpy(c->left, u, (size_t)(rows * rank) * c->element);
    if (!c->lapack->qr(rows, rank, c->left, c->square[0], c->tau, c->work))
        return out;
    multiply(c, cols, rank, rank, 1, (ashi_matrix){v, 1, cols}, false, (ashi_matrix){c->square[0], 1, rank}, false,
             c->right);
    const double norm = norm_of(c, cols * rank, c->right), most = relative ? tolerance * norm : tolerance;
    if (!(norm <= sqrt(DBL_MAX)))
        return out;
    out = finish(c, rows, cols, rank, most, 0, (rank - 1) * (rows + cols), to);
    if (out.rank >= 0)
        out.error = with_rounding(c, out.error, rows, cols, norm);
    return out;
}

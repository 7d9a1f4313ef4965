/* Random products of small tiled matrices, and what they are by definition. */
#ifndef ASHI_SPARSE_PROBLEM_H
#define ASHI_SPARSE_PROBLEM_H

#include "layout/symbolic.h"
#include "test.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum { TILES_MOST = 9, SIZE_MOST = 5, EDGE = TILES_MOST * SIZE_MOST };

typedef long double complex scalar;

/* One matrix: what is stored, as elements, and op of it. */
typedef struct matrix {
    ashlar_symmetry symmetry;
    ashlar_op op;
    ashi_pattern pattern;
    ashi_factor factor;
    const ashi_cuts *rows, *cols; /* as stored */
    double norm[TILES_MOST * TILES_MOST];
    scalar (*at)[EDGE];           /* stored elements */
    scalar (*op_at)[EDGE];        /* op(X) */
} matrix;

typedef struct problem {
    ashi_cuts rows, inner, cols;
    matrix a, b, c;
    ashi_sparse_product product;
} problem;

static inline double random_unit(uint64_t *state)
{
    return (double)(ashi_random(state) >> 11) * 0x1p-53;
}

static inline ashi_cuts random_sides(ashi_test *t, uint64_t *state)
{
    int64_t size[TILES_MOST];
    const int64_t tiles = ashi_random_in(state, 1, TILES_MOST);
    for (int64_t x = 0; x < tiles; x++)
        size[x] = ashi_random_in(state, 0, 6) == 0 ? 0 : ashi_random_in(state, 1, SIZE_MOST);
    ashi_cuts cuts;
    ashlar_error err = {0};
    CHECK(t, ashi_cuts_make(tiles, size, "cuts", &cuts, &err) == ASHLAR_OK, "%s", err.text);
    return cuts;
}

static inline ashi_pattern random_pattern(ashi_test *t, int64_t rows, int64_t cols, bool upper, uint64_t *state)
{
    ashi_tile_at list[TILES_MOST * TILES_MOST];
    int64_t count = 0;
    const int64_t tenths = ashi_random_in(state, 1, 10);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = upper ? i : 0; j < cols; j++)
            if (ashi_random_in(state, 1, 10) <= tenths)
                list[count++] = (ashi_tile_at){i, j};
    ashi_pattern made;
    ashlar_error err = {0};
    CHECK(t, ashi_pattern_make(list, count, &made, &err) == ASHLAR_OK, "%s", err.text);
    return made;
}

/* The element that a symmetry puts at (j, i) if x is at (i, j). */
static inline scalar mirrored(ashlar_symmetry symmetry, scalar x)
{
    switch (symmetry) {
    case ASHLAR_SYMMETRIC: return x;
    case ASHLAR_ANTISYMMETRIC: return -x;
    case ASHLAR_HERMITIAN: return conjl(x);
    case ASHLAR_ANTIHERMITIAN: return -conjl(x);
    default: return 0;
    }
}

/* The whole matrix from what is stored, then op. */
static inline void expand(matrix *x)
{
    const int64_t m = ashi_cuts_all(x->rows), n = ashi_cuts_all(x->cols);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            const bool mirror = x->symmetry != ASHLAR_GENERAL &&
                                ashi_cuts_find(x->rows, i) > ashi_cuts_find(x->cols, j);
            const scalar value = mirror ? mirrored(x->symmetry, x->at[j][i]) : x->at[i][j];
            if (x->op == ASHLAR_OP_N)
                x->op_at[i][j] = value;
            else
                x->op_at[j][i] = x->op == ASHLAR_OP_C ? conjl(value) : value;
        }
}

/* `magnitude`: elements of tile (i, j) are multiplied by 2 to a power from -magnitude to magnitude. */
static inline void fill(matrix *x, bool complex_type, bool single, bool positive, int magnitude, uint64_t *state)
{
    x->at = calloc(EDGE, sizeof *x->at);
    x->op_at = calloc(EDGE, sizeof *x->op_at);
    for (int64_t r = 0, tile = 0; r < x->pattern.rows; r++)
        for (; tile < x->pattern.start[r + 1]; tile++) {
            const int64_t i0 = x->pattern.row[r], j0 = x->pattern.col[tile];
            const double scale = ldexp(1, (int)ashi_random_in(state, -magnitude, magnitude));
            long double square = 0;
            for (int64_t i = x->rows->at[i0]; i < x->rows->at[i0 + 1]; i++)
                for (int64_t j = x->cols->at[j0]; j < x->cols->at[j0 + 1]; j++) {
                    double re = positive ? random_unit(state) + 0.1 : 2 * random_unit(state) - 1, im = 0;
                    if (complex_type)
                        im = 2 * random_unit(state) - 1;
                    if (single) {
                        re = (double)(float)re;
                        im = (double)(float)im;
                    }
                    x->at[i][j] = (scalar)(re * scale) + (scalar)(im * scale) * I;
                    if (x->symmetry != ASHLAR_GENERAL && i0 == j0 && j < i)
                        x->at[i][j] = mirrored(x->symmetry, x->at[j][i]);
                    if (x->symmetry != ASHLAR_GENERAL && i == j)
                        x->at[i][j] = (x->at[i][j] + mirrored(x->symmetry, x->at[i][j])) / 2;
                    square += creall(x->at[i][j]) * creall(x->at[i][j]) + cimagl(x->at[i][j]) * cimagl(x->at[i][j]);
                }
            x->norm[tile] = (double)sqrtl(square) * (1 + 0x1p-50);
        }
    expand(x);
}

typedef struct shape {
    bool symmetries, complex_type, single, positive, with_c;
    int magnitude;
} shape;

static inline void make_matrix(ashi_test *t, matrix *x, const ashi_cuts *rows, const ashi_cuts *cols, bool square,
                               shape want, uint64_t *state)
{
    x->op = (ashlar_op)ashi_random_in(state, 0, 2);
    x->symmetry = square && want.symmetries ? (ashlar_symmetry)ashi_random_in(state, 0, 4) : ASHLAR_GENERAL;
    x->rows = x->op == ASHLAR_OP_N ? rows : cols;
    x->cols = x->op == ASHLAR_OP_N ? cols : rows;
    x->pattern = random_pattern(t, x->rows->tiles, x->cols->tiles, x->symmetry != ASHLAR_GENERAL, state);
    ashlar_error err = {0};
    CHECK(t, ashi_factor_make(&x->pattern, x->symmetry, x->op, &x->factor, &err) == ASHLAR_OK, "%s", err.text);
    fill(x, want.complex_type, want.single, want.positive, want.magnitude, state);
}

/* op(A) is rows x inner; with symmetries A's two cuts are often the same, and then B's are. */
static inline void make_problem(ashi_test *t, problem *p, shape want, uint64_t *state)
{
    memset(p, 0, sizeof *p);
    const bool a_square = want.symmetries && ashi_random_in(state, 0, 1), b_square = want.symmetries &&
                                                                                     ashi_random_in(state, 0, 1);
    p->inner = random_sides(t, state);
    p->rows = random_sides(t, state);
    p->cols = random_sides(t, state);
    ashlar_error err = {0};
    if (a_square) {
        ashi_cuts_free(&p->rows);
        CHECK(t, ashi_cuts_copy(&p->inner, &p->rows, &err) == ASHLAR_OK, "%s", err.text);
    }
    if (b_square) {
        ashi_cuts_free(&p->cols);
        CHECK(t, ashi_cuts_copy(&p->inner, &p->cols, &err) == ASHLAR_OK, "%s", err.text);
    }
    make_matrix(t, &p->a, &p->rows, &p->inner, a_square, want, state);
    make_matrix(t, &p->b, &p->inner, &p->cols, b_square, want, state);
    p->c.op = ASHLAR_OP_N;
    p->c.rows = &p->rows;
    p->c.cols = &p->cols;
    p->c.pattern = random_pattern(t, p->rows.tiles, p->cols.tiles, false, state);
    fill(&p->c, want.complex_type, want.single, want.positive, want.magnitude, state);
    p->product = (ashi_sparse_product){.a = &p->a.factor, .b = &p->b.factor, .rows = &p->rows, .inner = &p->inner,
                                       .cols = &p->cols, .c = want.with_c ? &p->c.pattern : NULL};
}

static inline void free_matrix(matrix *x)
{
    ashi_pattern_free(&x->pattern);
    ashi_factor_free(&x->factor);
    free(x->at);
    free(x->op_at);
}

static inline void free_problem(problem *p)
{
    free_matrix(&p->a);
    free_matrix(&p->b);
    free_matrix(&p->c);
    ashi_cuts_free(&p->rows);
    ashi_cuts_free(&p->inner);
    ashi_cuts_free(&p->cols);
}

/* The stored tile at (i, k) of op(X), -1: it is absent. */
static inline int64_t tile_of(const matrix *x, int64_t i, int64_t k)
{
    if (x->symmetry != ASHLAR_GENERAL)
        return ashi_pattern_find(&x->pattern, i < k ? i : k, i < k ? k : i);
    return x->op == ASHLAR_OP_N ? ashi_pattern_find(&x->pattern, i, k) : ashi_pattern_find(&x->pattern, k, i);
}

#endif

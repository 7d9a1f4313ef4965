/* A random block-cyclic matrix with a ScaLAPACK descriptor: addressed element by element, by the definition alone. */
#ifndef ASHI_PBLAS_MATRIX_H
#define ASHI_PBLAS_MATRIX_H

#include "test.h"

#include <complex.h>
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The BLACS and ScaLAPACK have no header; integers are of 32 bits. */
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridmap(int *context, int *usermap, int ld, int rows, int cols);
void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col);
void Cblacs_gridexit(int context);

typedef struct process_grid {
    int context, rows, cols, row, col; /* row -1: outside */
} process_grid;

static inline process_grid grid_make(int handle, int rows, int cols)
{
    process_grid g = {.context = handle};
    Cblacs_gridinit(&g.context, "Row", rows, cols);
    Cblacs_gridinfo(g.context, &g.rows, &g.cols, &g.row, &g.col);
    return g;
}

/* Any that fits; some processes may be outside. */
static inline process_grid grid_any(uint64_t *random, int handle, int ranks)
{
    const int rows = (int)ashi_random_in(random, 1, ranks);
    return grid_make(handle, rows, (int)ashi_random_in(random, 1, ranks / rows));
}

/* The same processes in another order, on another grid. */
static inline process_grid grid_turned(int handle, const process_grid *like)
{
    const int count = like->rows * like->cols;
    int *map = malloc((size_t)count * sizeof *map);
    process_grid g = {.context = handle};
    for (int i = 0; i < count; i++)
        map[i] = count - 1 - i;
    Cblacs_gridmap(&g.context, map, like->cols, like->cols, like->rows);
    Cblacs_gridinfo(g.context, &g.rows, &g.cols, &g.row, &g.col);
    free(map);
    return g;
}

/* sub(X) = X(row+1 : row+rows, ...), of a matrix X that has margins around it. */
typedef struct matrix {
    const process_grid *on;
    char type;
    int key;             /* what its elements are made from */
    bool unset;          /* its elements are NaN */
    int row, col, rows, cols;
    int desc[11];
    int first[2], block[2], source[2], whole[2], local[2], ld;
    size_t bytes;        /* of an element */
    char *data;
} matrix;

/* C11's CMPLX, which not every compiler has with this C library. */
static inline double complex number(double re, double im)
{
    const double parts[2] = {re, im};
    double complex z;
    memcpy(&z, parts, sizeof z);
    return z;
}

static inline size_t bytes_of(char type)
{
    return type == 's' ? sizeof(float) : type == 'z' ? 2 * sizeof(double) : sizeof(double);
}

/* The place of an index among those that process `at` has along dimension d; -1 if it has not. */
static inline int matrix_local(const matrix *x, int d, int index)
{
    const int processes = d ? x->on->cols : x->on->rows, at = d ? x->on->col : x->on->row;
    if (x->source[d] < 0)
        return index;
    int place = 0;
    for (int begin = 0, b = 0; begin < x->whole[d]; b++) {
        const int size = b ? x->block[d] : x->first[d], owner = (b + x->source[d]) % processes;
        if (index < begin + size)
            return owner == at ? place + index - begin : -1;
        place += owner == at ? size : 0;
        begin += size;
    }
    return -1;
}

static inline int matrix_count(const matrix *x, int d)
{
    int count = 0;
    for (int i = 0; i < x->whole[d]; i++)
        count += matrix_local(x, d, i) >= 0;
    return count;
}

/* Element (i, j) of X, both parts from -1 to 1. */
static inline double complex matrix_value(const matrix *x, int i, int j)
{
    uint64_t state = (uint64_t)x->key * 0x10001 + (uint64_t)(i + 1) * 0x9E3779B1u + (uint64_t)j * 0x85EBCA6Bu * 65537;
    const double re = (double)(ashi_random(&state) >> 40) * 0x1p-23 - 1;
    const double im = (double)(ashi_random(&state) >> 40) * 0x1p-23 - 1;
    return x->type == 'c' || x->type == 'z' ? number(re, im) : number(re, 0);
}

static inline void element_put(char type, void *to, double complex v)
{
    const float narrow[2] = {(float)creal(v), (float)cimag(v)};
    const double wide[2] = {creal(v), cimag(v)};
    memcpy(to, type == 's' || type == 'c' ? (const void *)narrow : (const void *)wide, bytes_of(type));
}

static inline double complex element_get(char type, const void *from)
{
    float narrow[2] = {0, 0};
    double wide[2] = {0, 0};
    memcpy(type == 's' || type == 'c' ? (void *)narrow : (void *)wide, from, bytes_of(type));
    return type == 's' || type == 'c' ? number((double)narrow[0], (double)narrow[1]) : number(wide[0], wide[1]);
}

static inline char *matrix_at(const matrix *x, char *data, int local_row, int local_col)
{
    return data + ((size_t)local_row + (size_t)local_col * (size_t)x->ld) * x->bytes;
}

static inline size_t matrix_bytes(const matrix *x)
{
    return (size_t)x->ld * (size_t)(x->local[1] + 1) * x->bytes;
}

/* Its array: what is no element is a pattern. */
static inline void matrix_fill(matrix *x)
{
    x->data = malloc(matrix_bytes(x));
    memset(x->data, 0x5A, matrix_bytes(x));
    for (int i = 0; i < x->whole[0]; i++)
        for (int j = 0; j < x->whole[1]; j++) {
            const int r = matrix_local(x, 0, i), c = matrix_local(x, 1, j);
            if (r >= 0 && c >= 0)
                element_put(x->type, matrix_at(x, x->data, r, c),
                            x->unset ? number((double)NAN, (double)NAN) : matrix_value(x, i, j));
        }
}

/* A matrix around a submatrix of that size. copies: sources may be -1. */
static inline matrix matrix_make(uint64_t *random, const process_grid *on, char type, int rows, int cols,
                                 int most_block, bool copies)
{
    const int size[2] = {rows, cols}, processes[2] = {on->rows, on->cols};
    const bool nine = ashi_random_in(random, 0, 1);
    matrix x = {.on = on, .type = type, .rows = rows, .cols = cols, .bytes = bytes_of(type)};
    int begin[2];
    x.key = (int)ashi_random_in(random, 1, 1 << 20);
    for (int d = 0; d < 2; d++) {
        begin[d] = (int)(ashi_random_in(random, 0, 2) ? ashi_random_in(random, 0, 2L * most_block) : 0);
        x.whole[d] = begin[d] + size[d] + (int)ashi_random_in(random, 0, 3);
        x.whole[d] += x.whole[d] == 0;
        x.block[d] = (int)ashi_random_in(random, 1, most_block);
        x.first[d] = nine ? x.block[d] : (int)ashi_random_in(random, 1, most_block + 3L);
        x.source[d] = (int)ashi_random_in(random, 0, processes[d] - 1);
        if (copies && ashi_random_in(random, 0, 2) == 0)
            x.source[d] = -1;
    }
    x.row = begin[0];
    x.col = begin[1];
    const int more = (int)ashi_random_in(random, 0, 3), own = on->row >= 0 ? 1 : 0;
    for (int d = 0; d < 2; d++)
        x.local[d] = own ? matrix_count(&x, d) : 0;
    x.ld = (x.local[0] > 1 ? x.local[0] : 1) + (more + (own ? on->row : 0)) % 4; /* another one on each process row */
    const int short_desc[9] = {1, on->context, x.whole[0], x.whole[1], x.block[0], x.block[1],
                               x.source[0], x.source[1], x.ld};
    const int long_desc[11] = {2, on->context, x.whole[0], x.whole[1], x.first[0], x.first[1],
                               x.block[0], x.block[1], x.source[0], x.source[1], x.ld};
    memcpy(x.desc, nine ? short_desc : long_desc, nine ? sizeof short_desc : sizeof long_desc);
    return x;
}

/* With a leading dimension so much longer. */
static inline void matrix_lead(matrix *x, int more)
{
    x->ld += more;
    x->desc[x->desc[0] == 2 ? 10 : 8] = x->ld;
}

#endif

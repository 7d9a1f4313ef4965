/* The shape of a call: all that what is prepared for it depends on, equal on all processes or on none. */
#ifndef ASHI_SHAPE_H
#define ASHI_SHAPE_H

#include "pblas/descriptor.h"

#include <stddef.h>

/* Neither addresses nor scalars, nor leading dimensions, which are each process's own. */
enum { ASHI_SHAPE_MOST = 48 };

/* The first value of a shape: what is called. */
enum { ASHI_ROUTINE_GEMM = 1, ASHI_ROUTINE_TRAN, ASHI_ROUTINE_GEMR2D };

typedef struct ashi_call_shape {
    int count;
    int64_t value[ASHI_SHAPE_MOST];
} ashi_call_shape;

static inline void ashi_shape_add(ashi_call_shape *shape, int64_t value)
{
    if (shape->count < ASHI_SHAPE_MOST)
        shape->value[shape->count++] = value;
}

/* A submatrix on the grid of that serial number (grid.h). */
static inline void ashi_shape_add_submatrix(ashi_call_shape *shape, const ashi_submatrix *s, int64_t grid)
{
    const ashi_descriptor *d = &s->of;
    const int64_t values[] = {grid,          s->row,        s->col,         s->rows,       s->cols,
                              d->rows,       d->cols,       d->first_rows,  d->first_cols, d->block_rows,
                              d->block_cols, d->row_source, d->col_source};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        ashi_shape_add(shape, values[i]);
}

#endif

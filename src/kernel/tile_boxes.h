/* Rows of tiles that are alike, times columns that all of them meet: their tiles make dense matrices of A and B. */
#ifndef ASHI_TILE_BOXES_H
#define ASHI_TILE_BOXES_H

#include "kernel/tile_plan.h"

/* What is worked on of a side of a box: from lo to hi. */
typedef struct ashi_tile_span {
    int64_t lo, hi;
} ashi_tile_span;

/* Rows of the task, tiles first to first + depth - 1 of each, and the columns that they all meet. */
typedef struct ashi_tile_box {
    const ashi_tile_product *p;
    const ashi_tile_task *task;
    int64_t rows, first, depth, columns;
    int64_t height;   /* of all rows, in elements */
    int64_t *edge[3]; /* where the rows, the k, the columns of its tiles begin, and the end */
    int64_t *right;   /* for each k, the first of B's tiles, in op(B)'s order */
    int64_t *cursor;  /* for each row, a tile of C */
} ashi_tile_box;

/* The numbers that each array of a box has for a task: of `edge`, then of `right` and of `cursor`. */
enum { ASHI_BOX_ARRAYS = 5 };
void ashi_tile_box_room(const ashi_tile_product *p, const ashi_tile_task *task, int64_t count[ASHI_BOX_ARRAYS]);

/* Before the first box of a task of rows that are alike. */
ashi_tile_box ashi_tile_box_begin(const ashi_tile_product *p, const ashi_tile_task *task,
                                  int64_t *const array[ASHI_BOX_ARRAYS]);

/* The rows of its row i of tiles. */
static inline int64_t ashi_tile_box_height(const ashi_tile_box *x, int64_t i)
{
    return ashi_tile_rows_height(&x->p->a, x->p->a.row[x->task->row_lo + i]);
}

/* The next one that is worth merging; false if there is none. */
bool ashi_tile_box_next(ashi_tile_box *box);

/* What the task has of the box's rows (side 0) or columns (side 1): whole panels of the innermost product. */
ashi_tile_span ashi_tile_box_part(const ashi_tile_box *box, int side);

#endif

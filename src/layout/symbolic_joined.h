/* A sparse product whose columns are numbered anew, so that those of one process are neighbours. */
#ifndef ASHI_SYMBOLIC_JOINED_H
#define ASHI_SYMBOLIC_JOINED_H

#include "layout/symbolic.h"

/* If columns are dealt out by turns, those of a process lie some columns apart, and whole runs of neighbours, which are
 * weighed fastest, do not occur. */
typedef struct ashi_joined {
    ashi_sparse_product product; /* the same product with the new numbers; it may be used as long as the given one */
    int64_t *col;                /* the column of each number */
    ashi_factor b;               /* op(B) and C; of both only the columns are owned */
    ashi_pattern stored, c;
    ashi_cuts cuts;
} ashi_joined;

/* Whether the products are weighed in runs, and the columns that occur are few of those between the first and the last.
 * Local; a pass over the tiles of op(B) and C. *out is freed by ashi_joined_free; if the answer is false it is empty,
 * also if memory lacks. */
bool ashi_joined_make(const ashi_sparse_product *product, ashi_joined *out);
void ashi_joined_free(ashi_joined *joined);

#endif

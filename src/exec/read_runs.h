/* Tiles that a product reads: several lists, each in order, become one pattern. */
#ifndef ASHI_READ_RUNS_H
#define ASHI_READ_RUNS_H

#include "kernel/tile_product.h"

/* At most so many lists are merged. */
enum { ASHI_READ_RUNS = 8 };

/* Tiles by row, then by column. Each is two numbers, row and column, and its word one; the next ones are `tile_step`
 * and `word_step` numbers on. */
typedef struct ashi_read_run {
    const int64_t *tile;
    const int64_t *word; /* where each is in the pool; below 0: it is the rank's own; NULL: all are */
    int64_t tile_step, word_step;
    int64_t apart;       /* is added to words of at least 0 */
    int64_t count;
} ashi_read_run;

/* Runs that together name each tile once. */
typedef struct ashi_read_runs {
    ashi_read_run run[ASHI_READ_RUNS];
    int count;
    int64_t tiles, rows; /* of all runs; a row counts in each of them */
} ashi_read_runs;

/* Add the tiles of a list as runs, from its beginning to the first tile that is not in order, from there on, and so
 * forth. False if there would be too many: then not all are added. */
bool ashi_read_runs_add(ashi_read_runs *runs, const ashi_read_run *list);

/* What is made of them, in the order of the pattern: for each tile its word of the pool or of the rank's own memory,
 * and which of them it is. The pattern has room for runs->rows rows and runs->tiles tiles, and the lists for as many.
 * own: all tiles that the rank has of the matrix. The runs are used up. */
typedef struct ashi_read_places {
    ashi_pattern *pattern;
    int64_t *at;
    bool *own;
} ashi_read_places;

void ashi_read_runs_merge(ashi_read_runs *runs, const ashi_tile_set *own, const ashi_read_places *out);

#endif

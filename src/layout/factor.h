/* The rows of op(X) for a stored pattern: how each stored tile is used, without a second copy of any. */
#ifndef ASHI_FACTOR_H
#define ASHI_FACTOR_H

#include "layout/cuts.h"
#include "layout/pattern.h"

/* What is done to a stored tile to obtain that of op(X). */
enum { ASHI_TILE_TURNED = 1, ASHI_TILE_CONJUGATED = 2, ASHI_TILE_NEGATED = 4 };

/* The stored pattern outlives the factor. If the matrix has a symmetry, only its tiles with row <= column are
 * stored. */
typedef struct ashi_factor {
    const ashi_pattern *stored;
    ashi_pattern turned;         /* of the tiles that are used turned, as they are used */
    int64_t *turned_tile;        /* the stored number of each tile of `turned` */
    unsigned stored_how, turned_how;
    int64_t rows;                /* of op(X) that have tiles */
    int64_t *row;                /* ascending */
    int64_t *in_stored, *in_turned; /* for each of `row` which row of `stored` and of `turned` it is, -1: none */
    int64_t *place;              /* which of `row` is the row row[0] + x, -1: none; NULL: rows are far apart */
    const int64_t *rank;         /* of each stored tile that is stored as U V^T, -1: it is dense; NULL: all are. Not
                                    owned; set by whoever counts words */
} ashi_factor;

/* Words of stored tile number `tile`, which has `rows` rows and `cols` columns. */
static inline int64_t ashi_factor_words(const ashi_factor *factor, int64_t tile, int64_t rows, int64_t cols)
{
    return ashi_tile_stored_words(factor->rank ? factor->rank[tile] : -1, rows, cols);
}

/* `out` is freed by ashi_factor_free, also after a failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_factor_make(const ashi_pattern *stored, ashlar_symmetry symmetry, ashlar_op op, ashi_factor *out,
                               ashlar_error *err);
void ashi_factor_free(ashi_factor *factor);

/* Tiles of one row, columns ascending. */
typedef struct ashi_factor_run {
    const int64_t *col;
    int64_t count;
    int64_t first;         /* the stored number of the first tile, the others follow, if `tile` is NULL */
    const int64_t *tile;   /* the stored number of each */
    unsigned how;
} ashi_factor_run;

/* Which of factor->row is a row, -1 if it has no tile. */
int64_t ashi_factor_find(const ashi_factor *factor, int64_t row);

/* The runs of factor->row[x], one after the other ascending in columns: their number, 1 or 2. */
int ashi_factor_runs(const ashi_factor *factor, int64_t x, ashi_factor_run run[2]);

/* The tiles of factor->row[x]. */
int64_t ashi_factor_tiles(const ashi_factor *factor, int64_t x);

static inline int64_t ashi_run_tile(const ashi_factor_run *run, int64_t x)
{
    return run->tile ? run->tile[x] : run->first + x;
}

#endif

/* The products of tiles that two patterns allow, one row of C after the other, without a list of them. */
#ifndef ASHI_CANDIDATES_H
#define ASHI_CANDIDATES_H

#include "base/ordering.h"
#include "layout/factor.h"

/* Tile (row, k) of op(A) times tile (k, col) of op(B): the stored tiles, and how each is used. */
typedef struct ashi_allowed_product {
    int64_t k, col;
    int64_t a, b;
    unsigned a_how, b_how;
} ashi_allowed_product;

/* The products of one row of op(A): k ascends, and the column ascends for each k. So each tile of C meets its products
 * in ascending order of k. */
typedef struct ashi_candidates {
    const ashi_factor *b;
    ashi_factor_run a_run[2], b_run[2];
    int a_runs, b_runs, a_now, b_now;
    int64_t a_at, b_at;   /* the next tile of each run */
    int64_t least_col;    /* columns before it are left out */
    ashi_allowed_product now;
} ashi_candidates;

/* The row a->row[x], and only columns of at least least_col. */
static inline ashi_candidates ashi_candidates_begin(const ashi_factor *a, int64_t x, const ashi_factor *b,
                                                    int64_t least_col)
{
    ashi_candidates walk = {.b = b, .least_col = least_col};
    walk.a_runs = ashi_factor_runs(a, x, walk.a_run);
    return walk;
}

/* Where a run of B has its first column that is not left out. */
static inline int64_t ashi_candidates_first(const ashi_factor_run *run, int64_t least_col)
{
    return ashi_first_from(run->col, 0, run->count, least_col);
}

/* The next tile of A's row, with the tiles that it meets; false at the row's end. */
static inline bool ashi_candidates_next_k(ashi_candidates *walk)
{
    while (walk->a_now < walk->a_runs && walk->a_at == walk->a_run[walk->a_now].count) {
        walk->a_now++;
        walk->a_at = 0;
    }
    if (walk->a_now == walk->a_runs)
        return false;
    const ashi_factor_run *run = &walk->a_run[walk->a_now];
    walk->now.k = run->col[walk->a_at];
    walk->now.a = ashi_run_tile(run, walk->a_at++);
    walk->now.a_how = run->how;
    const int64_t y = ashi_factor_find(walk->b, walk->now.k);
    walk->b_runs = y < 0 ? 0 : ashi_factor_runs(walk->b, y, walk->b_run);
    walk->b_now = 0;
    walk->b_at = walk->b_runs > 0 ? ashi_candidates_first(&walk->b_run[0], walk->least_col) : 0;
    return true;
}

/* The next product, in walk->now; false after the last. */
static inline bool ashi_candidates_next(ashi_candidates *walk)
{
    for (;;) {
        if (walk->b_now < walk->b_runs) {
            const ashi_factor_run *run = &walk->b_run[walk->b_now];
            if (walk->b_at < run->count) {
                walk->now.col = run->col[walk->b_at];
                walk->now.b = ashi_run_tile(run, walk->b_at++);
                walk->now.b_how = run->how;
                return true;
            }
            walk->b_now++;
            if (walk->b_now < walk->b_runs)
                walk->b_at = ashi_candidates_first(&walk->b_run[walk->b_now], walk->least_col);
        } else if (!ashi_candidates_next_k(walk)) {
            return false;
        }
    }
}

#endif

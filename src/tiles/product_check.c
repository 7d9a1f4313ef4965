/* Is a product of matrices of tiles right? Checked with random vectors, without forming it again. */
#include "tiles/product_check.h"

#include "base/error.h"
#include "base/ordering.h"
#include "verify/freivalds.h"

#include <stdlib.h>

enum { MATRICES = 4 };

/* The elements of a tile that is stored as U V^T. */
static const void *view(const void *user, int64_t number)
{
    const ashlar_tiles *const t = user;
    const ashi_held_size size = ashi_tiles_held_size(t);
    const ashi_pattern *const p = &t->held.pattern;
    const int64_t row = p->row[ashi_first_from(p->start, 0, p->rows + 1, number + 1) - 1];
    return ashi_held_view_again(&t->held, &size, number, (ashi_tile_at){row, p->col[number]});
}

/* What this rank has of a matrix, tile by tile; a tile that stands for its mirror image is there twice. */
static ashlar_status list_tiles(const ashlar_tiles *t, ashi_freivalds_tiles *out, ashlar_error *err)
{
    const bool mirrors = t->symmetry != ASHLAR_GENERAL;
    const ashi_mirror mirror = ashi_tiles_mirror(t);
    const size_t bytes = ((size_t)t->held.pattern.tiles * (mirrors ? 2 : 1) + 1) * sizeof(ashi_freivalds_tile);
    ashi_freivalds_tile *tile = malloc(bytes);
    *out = (ashi_freivalds_tiles){tile, 0, t->held.data, view, t};
    ashi_held_begin(&t->held);
    if (!tile)
        return ashi_fail_memory(err, "check", (int64_t)bytes);
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&t->held, &w);) {
        const int64_t rows = ashi_cuts_size(&t->row, w.at.row), cols = ashi_cuts_size(&t->col, w.at.col);
        const int64_t row = t->row.at[w.at.row], col = t->col.at[w.at.col], number = w.number;
        const bool low = ashi_held_rank(&t->held, number) >= 0;
        const int64_t offset = low ? 0 : t->held.offset[number];
        tile[out->count++] = (ashi_freivalds_tile){
            {.row = row, .rows = rows, .col = col, .cols = cols, .offset = offset, .row_stride = 1, .col_stride = rows},
            false, false, low, number};
        if (mirrors && w.at.row != w.at.col)
            tile[out->count++] = (ashi_freivalds_tile){{.row = col, .rows = cols, .col = row, .cols = rows,
                                                        .offset = offset, .row_stride = rows, .col_stride = 1},
                                                       mirror.conjugate, mirror.minus, low, number};
    }
    return ASHLAR_OK;
}

static ashlar_problem problem_of(const ashi_tiles_claim *claim)
{
    const ashlar_tiles *a = claim->x[0];
    return (ashlar_problem){.type = claim->c->type, .op_a = claim->op[0], .op_b = claim->op[1],
                            .m = ashi_cuts_all(&claim->c->row), .n = ashi_cuts_all(&claim->c->col),
                            .k = ashi_cuts_all(claim->op[0] == ASHLAR_OP_N ? &a->col : &a->row)};
}

ashlar_status ashi_tiles_product_check(const ashi_tiles_claim *claim, ashlar_verdict *out, ashlar_error *err)
{
    const ashlar_tiles *const matrix[MATRICES] = {claim->x[0], claim->x[1], claim->c, claim->c0};
    const ashlar_problem problem = problem_of(claim);
    ashi_freivalds_tiles tiles[MATRICES] = {{.count = 0}};
    ashi_freivalds test = {.start = NULL};
    ashi_freivalds_product product = {.context = claim->c->context, .problem = &problem, .alpha = claim->alpha,
                                      .beta = claim->beta, .allowed = claim->allowed};
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < MATRICES && status == ASHLAR_OK; x++)
        if (matrix[x]) {
            status = list_tiles(matrix[x], &tiles[x], err);
            product.tiles[x] = &tiles[x];
        }
    status = ashi_agree(claim->c->context, status, err);
    if (status == ASHLAR_OK)
        status = ashi_freivalds_judge(&product, &test, err);
    for (int x = 0; x < MATRICES; x++)
        free((void *)tiles[x].tile);
    if (status == ASHLAR_OK)
        *out = (ashlar_verdict){.passed = test.passed, .vectors = ASHI_FREIVALDS_VECTORS, .worst = test.worst,
                                .row = test.row};
    return status;
}

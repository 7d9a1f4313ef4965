/* The diagonal of a matrix of tiles: read, set, added to, and rows and columns times a diagonal. */
#include "tiles/diagonal.h"

#include "base/checked.h"
#include "base/error.h"
#include "exec/mpi.h"
#include "plan/check.h"
#include "tiles/alike.h"

#include <stdlib.h>
#include <string.h>

bool ashi_diagonal_next(const ashlar_tiles *tiles, const ashi_held *held, ashi_diagonal_part *part)
{
    const ashi_cuts *const row = &tiles->row, *const col = &tiles->col;
    const int64_t at = part->first + part->count, all = ashi_min(ashi_cuts_all(row), ashi_cuts_all(col));
    if (at >= all)
        return false;
    while (row->at[part->tile.row + 1] <= at)
        part->tile.row++;
    while (col->at[part->tile.col + 1] <= at)
        part->tile.col++;
    part->first = at;
    part->count = ashi_min(row->at[part->tile.row + 1], col->at[part->tile.col + 1]) - at;
    part->number = ashi_pattern_find(&held->pattern, part->tile.row, part->tile.col);
    if (part->number < 0)
        return true;
    const int64_t rows = ashi_cuts_size(row, part->tile.row);
    const int64_t down = at - row->at[part->tile.row], right = at - col->at[part->tile.col];
    const ashi_held_size size = ashi_tiles_held_size(tiles);
    part->from = ashi_held_view(held, &size, part->number, part->tile) + (size_t)(down + right * rows) * tiles->bytes;
    part->stride = rows + 1;
    return true;
}

/* Bytes of one reduction. */
enum { AT_ONCE = 1 << 20 };

ashlar_status ashlar_tiles_diagonal(const ashlar_tiles *tiles, void *diagonal, ashlar_error *err)
{
    static const char *const who = "ashlar_tiles_diagonal";
    ashlar_error own = {0};
    err = err ? err : &own;
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tiles is NULL", who);
    const size_t bytes = (size_t)ashi_cuts_all(&tiles->row) * tiles->bytes;
    ashlar_status status = ashi_tiles_check_square(who, tiles, err);
    if (status == ASHLAR_OK && !diagonal && bytes > 0)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "%s: diagonal is NULL", who);
    status = ashi_agree(tiles->context, status, err);
    if (status != ASHLAR_OK)
        return status;
    if (bytes > 0)
        memset(diagonal, 0, bytes);
    for (ashi_diagonal_part p = {0}; ashi_diagonal_next(tiles, &tiles->held, &p);)
        if (p.number >= 0)
            tiles->kernels->axpby(1, p.count, tiles->kernels->one, &(ashi_matrix){p.from, 1, p.stride}, false,
                                  tiles->kernels->zero, (char *)diagonal + (size_t)p.first * tiles->bytes, 1, 1);
    /* each element is on one rank, and all bits of it are 0 on the others */
    for (size_t at = 0; at < bytes; at += AT_ONCE)
        ashi_note(tiles->context, MPI_Allreduce(MPI_IN_PLACE, (char *)diagonal + at,
                                                (int)(bytes - at < AT_ONCE ? bytes - at : AT_ONCE), MPI_BYTE, MPI_BOR,
                                                tiles->context->comm), "MPI_Allreduce");
    return ashi_conclude(tiles->context, ASHLAR_OK, err);
}

/* What is done to the diagonal: alpha times the numbers given, or alpha itself if there are none, and what is there is
 * kept or not. */
typedef struct change {
    const char *who;
    const void *alpha, *diagonal;
    bool keeps;
} change;

/* A number alone that the symmetry forbids on the diagonal would be left out without a word. */
static ashlar_status check_number(const ashlar_tiles *t, const change *g, ashlar_error *err)
{
    const bool real = t->symmetry == ASHLAR_HERMITIAN, imaginary = t->symmetry == ASHLAR_ANTIHERMITIAN;
    if (g->diagonal || !g->keeps || (!real && !imaginary))
        return ASHLAR_OK;
    const bool complex_type = t->type == ASHLAR_TYPE_C || t->type == ASHLAR_TYPE_Z;
    const bool single = t->type == ASHLAR_TYPE_S || t->type == ASHLAR_TYPE_C;
    double part[2] = {0, 0};
    for (int i = 0; i < (complex_type ? 2 : 1); i++)
        part[i] = single ? (double)((const float *)g->alpha)[i] : ((const double *)g->alpha)[i];
    const double forbidden = part[real ? 1 : 0];
    return forbidden == 0 ? ASHLAR_OK
                          : ashi_fail(err, ASHLAR_ERR_ARG,
                                      "%s: the diagonal of %s matrix is %s, and alpha = %g %+g i", g->who,
                                      real ? "a Hermitian" : "an anti-Hermitian", real ? "real" : "imaginary", part[0],
                                      part[1]);
}

static ashlar_status check_change(const ashlar_tiles *t, const change *g, ashlar_error *err)
{
    if (!g->alpha || (!g->diagonal && !g->keeps && ashi_cuts_all(&t->row) > 0))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s is NULL", g->who, g->alpha ? "diagonal" : "alpha");
    if (t->symmetry == ASHLAR_ANTISYMMETRIC)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: the diagonal of an antisymmetric matrix is 0", g->who);
    const ashlar_status status = check_number(t, g, err);
    return status == ASHLAR_OK ? ashi_tiles_check_square(g->who, t, err) : status;
}

/* Storage with the tiles of this rank that the diagonal passes through. */
static ashlar_status with_diagonal(const ashlar_tiles *t, ashi_held *out, ashlar_error *err)
{
    const ashi_held_size size = ashi_tiles_held_size(t);
    int64_t count = 0;
    ashi_tile_at *const tile = malloc((size_t)(t->row.tiles + t->col.tiles + 1) * sizeof *tile);
    if (!tile)
        return ashi_fail_memory(err, "the tiles of a diagonal", (t->row.tiles + t->col.tiles) * 16);
    for (ashi_diagonal_part p = {0}; ashi_diagonal_next(t, &t->held, &p);)
        if (ashlar_tiles_owner(t, p.tile.row, p.tile.col) == t->context->rank)
            tile[count++] = p.tile;
    const ashlar_status status = ashi_held_grow(&t->held, tile, count, &size, out, err);
    free(tile);
    return status;
}

static void write_diagonal(const ashlar_tiles *t, const change *g, ashi_held *held)
{
    const ashi_kernels *const k = t->kernels;
    const ashi_mirror mirror = ashi_tiles_mirror(t);
    for (ashi_diagonal_part p = {0}; ashi_diagonal_next(t, held, &p);) {
        const char *const d = g->diagonal;
        const ashi_matrix from = {d ? d + (size_t)p.first * t->bytes : k->one, 1, d != NULL};
        if (p.number < 0)
            continue;
        char *const to = ashi_held_tile(held, p.number, t->bytes);
        const size_t skipped = (size_t)(p.from - to); /* the tiles of the diagonal are dense now */
        k->axpby(1, p.count, g->alpha, &from, false, g->keeps ? k->one : k->zero, to + skipped, 1, p.stride);
        if (t->symmetry != ASHLAR_GENERAL)
            t->tile_kernels->follow(ashi_cuts_size(&t->row, p.tile.row), &mirror,
                                    to);
    }
}

static ashlar_status change_diagonal(ashlar_tiles *tiles, const change *g, ashlar_error *err)
{
    ashlar_error own = {0};
    ashi_held held = {0};
    err = err ? err : &own;
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tiles is NULL", g->who);
    ashlar_status status = check_change(tiles, g, err);
    status = ashi_agree_scalars(tiles->context, status, g->who, tiles->type, g->alpha, g->alpha, err);
    if (status == ASHLAR_OK)
        status = ashi_agree(tiles->context, with_diagonal(tiles, &held, err), err);
    if (status == ASHLAR_OK) {
        write_diagonal(tiles, g, &held);
        status = ashi_tiles_settle(tiles, &held, err);
    }
    ashi_held_free(&held);
    return status;
}

ashlar_status ashlar_tiles_set_diagonal(ashlar_tiles *tiles, const void *diagonal, ashlar_error *err)
{
    const change g = {"ashlar_tiles_set_diagonal", tiles ? tiles->kernels->one : NULL, diagonal, false};
    return change_diagonal(tiles, &g, err);
}

ashlar_status ashlar_tiles_add_diagonal(const void *alpha, const void *diagonal, ashlar_tiles *tiles, ashlar_error *err)
{
    const change g = {"ashlar_tiles_add_diagonal", alpha, diagonal, true};
    return change_diagonal(tiles, &g, err);
}

ashlar_status ashlar_tiles_scale_by_diagonal(const void *left, const void *right, ashlar_tiles *tiles,
                                             ashlar_error *err)
{
    static const char *const who = "ashlar_tiles_scale_by_diagonal";
    ashlar_error own = {0};
    err = err ? err : &own;
    if (!tiles)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: tiles is NULL", who);
    const ashlar_status mine = tiles->symmetry == ASHLAR_GENERAL
                                   ? ASHLAR_OK
                                   : ashi_fail(err, ASHLAR_ERR_ARG, "%s: the matrix would lose its symmetry", who);
    const ashi_shared given = {"which of left and right is NULL", (left != NULL) + 2 * (right != NULL)};
    const ashlar_status status = ashi_agree_same(tiles->context, mine, who, &given, 1, err);
    for (ashi_held_walk w = {.number = -1}; status == ASHLAR_OK && ashi_held_next(&tiles->held, &w);) {
        const int64_t rows = ashi_cuts_size(&tiles->row, w.at.row), cols = ashi_cuts_size(&tiles->col, w.at.col);
        const int64_t rank = ashi_held_rank(&tiles->held, w.number);
        const char *const of_rows = left ? (const char *)left + (size_t)tiles->row.at[w.at.row] * tiles->bytes : NULL;
        const char *const of_cols = right ? (const char *)right + (size_t)tiles->col.at[w.at.col] * tiles->bytes : NULL;
        char *const x = ashi_held_tile(&tiles->held, w.number, tiles->bytes);
        if (left)
            tiles->tile_kernels->scale_rows(rows, rank < 0 ? cols : rank, of_rows, x);
        if (right && rank < 0)
            tiles->tile_kernels->scale_cols(rows, cols, of_cols, x);
        else if (right)
            tiles->tile_kernels->scale_rows(cols, rank, of_cols, x + (size_t)(rank * rows) * tiles->bytes);
    }
    return status == ASHLAR_OK ? ashi_mpi_noted(tiles->context->missed, err) : status;
}

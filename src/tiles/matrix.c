/* What a matrix of tiles is inside: copies of its description, and what becomes of its tiles. */
#include "tiles/matrix.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/structure.h"

#include <stdlib.h>
#include <string.h>

static ashlar_status copy_ints(const int *from, int64_t count, int **out, ashlar_error *err)
{
    if (!from)
        return ASHLAR_OK;
    *out = malloc((size_t)ashi_max(count, 1) * sizeof **out);
    if (!*out)
        return ashi_fail_memory(err, "how tiles are dealt out", count * (int64_t)sizeof **out);
    memcpy(*out, from, (size_t)count * sizeof **out);
    return ASHLAR_OK;
}

static ashlar_status copy_deal(const ashlar_tiles *of, ashi_deal *out, ashlar_error *err)
{
    const ashi_deal *from = &of->deal;
    *out = (ashi_deal){.grid_rows = from->grid_rows, .grid_cols = from->grid_cols, .owner = from->owner,
                       .context = from->context};
    ashlar_status status = copy_ints(from->grid_rank, from->grid_rows * from->grid_cols, &out->grid_rank, err);
    if (status == ASHLAR_OK)
        status = copy_ints(from->row_part, of->row.tiles, &out->row_part, err);
    return status == ASHLAR_OK ? copy_ints(from->col_part, of->col.tiles, &out->col_part, err) : status;
}

ashlar_status ashi_tiles_like_with(const ashlar_tiles *of, ashlar_symmetry symmetry, ashlar_tiles **out,
                                   ashlar_error *err)
{
    ashlar_tiles *const t = calloc(1, sizeof *t);
    *out = t;
    if (!t)
        return ashi_fail_memory(err, "a matrix of tiles", (int64_t)sizeof *t);
    *t = (ashlar_tiles){.context = of->context, .type = of->type, .bytes = of->bytes, .kernels = of->kernels,
                        .tile_kernels = of->tile_kernels, .symmetry = symmetry};
    ashlar_status status = ashi_cuts_copy(&of->row, &t->row, err);
    if (status == ASHLAR_OK)
        status = ashi_cuts_copy(&of->col, &t->col, err);
    return status == ASHLAR_OK ? copy_deal(of, &t->deal, err) : status;
}

ashlar_status ashi_tiles_like(const ashlar_tiles *of, ashlar_tiles **out, ashlar_error *err)
{
    return ashi_tiles_like_with(of, of->symmetry, out, err);
}

void ashlar_tiles_free(ashlar_tiles **tiles)
{
    if (!tiles || !*tiles)
        return;
    ashlar_tiles *const t = *tiles;
    ashi_waiting_free(&t->waiting);
    ashi_held_free(&t->held);
    ashi_cuts_free(&t->row);
    ashi_cuts_free(&t->col);
    free(t->deal.grid_rank);
    free(t->deal.row_part);
    free(t->deal.col_part);
    free(t);
    *tiles = NULL;
}

ashi_mirror ashi_tiles_mirror(const ashlar_tiles *tiles)
{
    const ashlar_symmetry s = tiles->symmetry;
    return (ashi_mirror){.minus = s == ASHLAR_ANTISYMMETRIC || s == ASHLAR_ANTIHERMITIAN,
                         .conjugate = s == ASHLAR_HERMITIAN || s == ASHLAR_ANTIHERMITIAN};
}

int64_t ashi_tiles_bytes(const ashlar_tiles *t)
{
    const ashi_deal *d = &t->deal;
    const int64_t number = (int64_t)sizeof(int64_t), map = (int64_t)sizeof(int);
    return (int64_t)sizeof *t + (t->row.tiles + t->col.tiles + 2) * number +
           (d->owner ? 0 : d->grid_rows * d->grid_cols * map) + (d->row_part ? t->row.tiles * map : 0) +
           (d->col_part ? t->col.tiles * map : 0) + ashi_pattern_bytes(&t->held.pattern) +
           (t->held.offset ? (t->held.pattern.tiles + 1) * number : 0) +
           (t->held.low ? t->held.pattern.tiles * number + (int64_t)t->held.low->room : 0);
}

ashi_held_size ashi_tiles_held_size(const ashlar_tiles *tiles)
{
    return (ashi_held_size){&tiles->row, &tiles->col, tiles->bytes, tiles->kernels};
}

const char *ashi_tiles_view(const ashlar_tiles *tiles, int64_t number, ashi_tile_at at)
{
    const ashi_held_size size = ashi_tiles_held_size(tiles);
    return ashi_held_view(&tiles->held, &size, number, at);
}

void ashi_tiles_count(ashlar_tiles *tiles)
{
    enum { COUNTS = 5 };
    int64_t own[COUNTS] = {tiles->held.pattern.tiles, ashi_held_words(&tiles->held)}, all[COUNTS] = {0};
    for (ashi_held_walk w = {.number = -1}; ashi_held_next(&tiles->held, &w);) {
        const int64_t elements = ashi_tiles_words(tiles, w.at.row, w.at.col);
        own[2] += elements;
        own[3] += tiles->symmetry != ASHLAR_GENERAL && w.at.row < w.at.col ? elements : 0;
        own[4] += ashi_held_rank(&tiles->held, w.number) >= 0;
    }
    ashi_note(tiles->context, MPI_Allreduce(own, all, COUNTS, MPI_INT64_T, MPI_SUM, tiles->context->comm),
              "MPI_Allreduce");
    tiles->all_tiles = all[0];
    tiles->all_words = all[1];
    tiles->all_elements = all[2];
    tiles->all_mirrored = all[3];
    tiles->all_low = all[4];
}

void ashi_tiles_take_counts(ashlar_tiles *tiles, const ashlar_tiles *of)
{
    tiles->all_tiles = of->all_tiles;
    tiles->all_words = of->all_words;
    tiles->all_elements = of->all_elements;
    tiles->all_mirrored = of->all_mirrored;
    tiles->all_low = of->all_low;
}

void ashi_tiles_take(ashlar_tiles *tiles, ashi_held *held)
{
    ashi_held_free(&tiles->held);
    tiles->held = *held;
    *held = (ashi_held){0};
}

ashlar_status ashi_tiles_settle(ashlar_tiles *tiles, ashi_held *held, ashlar_error *err)
{
    const ashlar_status status = ashi_agree(tiles->context, ASHLAR_OK, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_tiles_take(tiles, held);
    ashi_tiles_count(tiles);
    return ashi_conclude(tiles->context, ASHLAR_OK, err);
}

int ashlar_tiles_owner(const ashlar_tiles *tiles, int64_t row, int64_t col)
{
    if (!tiles || !ashi_tiles_has(tiles, row, col))
        return -1;
    return ashi_tiles_turns(tiles, row, col) ? ashi_deal_owner(&tiles->deal, col, row)
                                             : ashi_deal_owner(&tiles->deal, row, col);
}

ashlar_status ashlar_tiles_inspect_sized(const ashlar_tiles *tiles, ashlar_tiles_info *out, size_t size,
                                         ashlar_error *err)
{
    if (!tiles || !out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_tiles_inspect: %s is NULL", tiles ? "out" : "tiles");
    const double rows = (double)ashi_cuts_all(&tiles->row), cols = (double)ashi_cuts_all(&tiles->col);
    const double present = (double)tiles->all_elements + (double)tiles->all_mirrored;
    const ashlar_tiles_info info = {
        .type = tiles->type,
        .symmetry = tiles->symmetry,
        .rows = ashi_cuts_all(&tiles->row),
        .cols = ashi_cuts_all(&tiles->col),
        .tile_rows = tiles->row.tiles,
        .tile_cols = tiles->col.tiles,
        .row_cuts = tiles->row.at,
        .col_cuts = tiles->col.at,
        .grid_rows = tiles->deal.grid_rows,
        .grid_cols = tiles->deal.grid_cols,
        .local_tiles = tiles->held.pattern.tiles,
        .local_words = ashi_held_words(&tiles->held),
        .tiles = tiles->all_tiles,
        .words = tiles->all_words,
        .low_rank_tiles = tiles->all_low,
        .density = rows > 0 && cols > 0 ? present / rows / cols : 0,
    };
    ashi_structure_give(&info, sizeof info, out, size);
    return ASHLAR_OK;
}

/* Matrices of tiles loaded from files: each rank finds its own among all tiles, and reads them. */
#include <ashlar/tiles_file.h>

#include "base/array.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/structure.h"
#include "store/tile_file.h"
#include "tiles/matrix.h"

#include <inttypes.h>
#include <stdlib.h>

static const char who[] = "ashlar_tiles_load";

/* Tiles whose columns are looked at at a time. */
enum { AT_ONCE = 1 << 14 };

typedef struct loader {
    ashlar_context *context;
    ashi_tile_file *file;
    const ashi_tile_head *head;
    ashlar_tiles *tiles;
    ashi_tile_at *mine;  /* this rank's tiles, by rows, then columns */
    int64_t *word;       /* where each begins in the file */
    int64_t *rank;       /* of each, -1 for a dense one */
    int64_t count, mine_room, word_room, rank_room;
} loader;

/* The caller's members that say how tiles are dealt out. Local. */
static ashlar_status take_deal(const ashlar_tiles_description *given, ashlar_tiles_description *out, ashlar_error *err)
{
    const ashi_filled filled = {who, "deal", given, ASHI_FIRST_VERSION(ashlar_tiles_description, user)};
    *out = (ashlar_tiles_description){0};
    return given ? ashi_structure_take(&filled, out, sizeof *out, err) : ASHLAR_OK;
}

/* Each rank opens the file; those of several nodes may see different ones under one name. Collective. */
static ashlar_status open_on_all(loader *l, const char *place, ashlar_status status, ashlar_error *err)
{
    if (status == ASHLAR_OK)
        status = ashi_tile_file_open(place, &l->file, err);
    status = ashi_agree_named(l->context, status, err);
    if (status != ASHLAR_OK)
        return status;
    l->head = ashi_tile_file_head(l->file);
    const ashi_shared values[] = {{"the type", (int64_t)l->head->type}, {"tiles", l->head->tiles},
                                  {"words", l->head->words}};
    return ashi_same(l->context, place, values, (int)(sizeof values / sizeof values[0]), err);
}

static int64_t *sizes_of(const ashi_cuts *cuts)
{
    int64_t *size = malloc(((size_t)cuts->tiles + 1) * sizeof *size);
    for (int64_t t = 0; size && t < cuts->tiles; t++)
        size[t] = ashi_cuts_size(cuts, t);
    return size;
}

/* The matrix without tiles: as the file describes it, and dealt out as the caller wants. Collective. */
static ashlar_status create(loader *l, ashlar_tiles_description *d, ashlar_error *err)
{
    const ashi_tile_head *h = l->head;
    int64_t *rows = sizes_of(&h->row), *cols = sizes_of(&h->col);
    ashlar_status status = rows && cols ? ASHLAR_OK
                                        : ashi_fail_memory(err, who, (h->row.tiles + h->col.tiles) * 8);
    if (status == ASHLAR_OK && ((d->row_map && d->tile_rows != h->row.tiles) ||
                                (d->col_map && d->tile_cols != h->col.tiles)))
        status = ashi_fail(err, ASHLAR_ERR_ARG, "%s: maps for %" PRId64 " x %" PRId64 " tiles, but the file has "
                           "%" PRId64 " x %" PRId64, who, d->tile_rows, d->tile_cols, h->row.tiles, h->col.tiles);
    status = ashi_agree(l->context, status, err);
    d->size = sizeof *d;
    d->type = h->type;
    d->symmetry = (ashlar_symmetry)h->symmetry;
    d->tile_rows = h->row.tiles;
    d->tile_cols = h->col.tiles;
    d->row_sizes = rows;
    d->col_sizes = cols;
    if (status == ASHLAR_OK)
        status = ashlar_tiles_create(l->context, d, &l->tiles, err);
    free(rows);
    free(cols);
    return status;
}

/* ---- this rank's tiles ---- */

static ashlar_status add_mine(loader *l, ashi_tile_at at, int64_t rank, int64_t word, ashlar_error *err)
{
    ashi_tile_at *mine = ashi_array_room(l->mine, &l->mine_room, l->count + 1, sizeof *mine);
    l->mine = mine ? mine : l->mine;
    int64_t *words = ashi_array_room(l->word, &l->word_room, l->count + 1, sizeof *words);
    l->word = words ? words : l->word;
    int64_t *ranks = ashi_array_room(l->rank, &l->rank_room, l->count + 1, sizeof *ranks);
    l->rank = ranks ? ranks : l->rank;
    if (!mine || !words || !ranks)
        return ashi_fail_memory(err, who, l->count * (int64_t)(sizeof *mine + sizeof *words + sizeof *ranks));
    l->mine[l->count] = at;
    l->rank[l->count] = rank;
    l->word[l->count++] = word;
    return ASHLAR_OK;
}

/* Columns and ranks of some tiles. */
typedef struct listed {
    int64_t column[AT_ONCE], rank[AT_ONCE];
} listed;

static ashlar_status read_listed(const loader *l, int64_t first, int64_t count, listed *out, ashlar_error *err)
{
    for (int64_t i = 0; i < count; i++)
        out->rank[i] = -1;
    const ashlar_status status = ashi_tile_file_read(l->file, ASHI_TILE_COLUMNS, first, count, out->column, err);
    return status == ASHLAR_OK && l->head->low
               ? ashi_tile_file_read(l->file, ASHI_TILE_RANKS, first, count, out->rank, err)
               : status;
}

static ashlar_status find_mine(loader *l, listed *some, ashlar_error *err)
{
    const int64_t *starts = ashi_tile_file_starts(l->file);
    int64_t row = 0, word = 0;
    ashlar_status status = ASHLAR_OK;
    for (int64_t tile = 0; tile < l->head->tiles && status == ASHLAR_OK; tile++) {
        const int64_t at = tile % AT_ONCE;
        if (at == 0)
            status = read_listed(l, tile, ashi_min(AT_ONCE, l->head->tiles - tile), some, err);
        if (status != ASHLAR_OK)
            return status;
        while (starts[row + 1] <= tile)
            row++;
        if (ashi_deal_owner(&l->tiles->deal, row, some->column[at]) == l->context->rank)
            status = add_mine(l, (ashi_tile_at){row, some->column[at]}, some->rank[at], word, err);
        word += ashi_tile_head_words(l->head, row, some->column[at], some->rank[at]);
    }
    return status;
}

/* Tiles that follow one another in the file do so in memory, and are read together. */
static ashlar_status read_mine(loader *l, const ashi_held *held, ashlar_error *err)
{
    const int64_t *offset = held->offset;
    ashlar_status status = ASHLAR_OK;
    for (int64_t first = 0, end = 0; first < l->count && status == ASHLAR_OK; first = end) {
        for (end = first + 1; end < l->count && l->word[end] - l->word[first] == offset[end] - offset[first];)
            end++;
        status = ashi_tile_file_read(l->file, ASHI_TILE_ELEMENTS, l->word[first], offset[end] - offset[first],
                                     ashi_held_tile(held, first, l->tiles->bytes), err);
    }
    const ashi_mirror mirror = ashi_tiles_mirror(l->tiles);
    for (ashi_held_walk w = {.number = -1}; status == ASHLAR_OK && ashi_held_next(held, &w);)
        if (l->tiles->symmetry != ASHLAR_GENERAL && w.at.row == w.at.col)
            l->tiles->tile_kernels->follow(ashi_cuts_size(&l->tiles->row, w.at.row), &mirror,
                                           ashi_held_tile(held, w.number, l->tiles->bytes));
    return status;
}

/* Local. */
static ashlar_status load_mine(loader *l, ashi_held *held, ashlar_error *err)
{
    const ashi_held_size size = ashi_tiles_held_size(l->tiles);
    ashi_pattern pattern = {0};
    listed *some = malloc(sizeof *some);
    ashlar_status status = some ? find_mine(l, some, err) : ashi_fail_memory(err, who, (int64_t)sizeof *some);
    free(some);
    if (status == ASHLAR_OK)
        status = ashi_pattern_make(l->mine, l->count, &pattern, err);
    if (status != ASHLAR_OK) {
        ashi_pattern_free(&pattern);
        return status;
    }
    int64_t *const rank = l->rank; /* tiles of the file ascend, as those of the pattern do */
    l->rank = NULL;
    status = ashi_held_make_ranked(&pattern, rank, &size, held, err); /* which has both from now on */
    return status == ASHLAR_OK ? read_mine(l, held, err) : status;
}

/* ---- the call ---- */

/* Collective. */
static ashlar_status load(loader *l, const char *place, const ashlar_tiles_description *deal, ashlar_status status,
                          ashlar_error *err)
{
    ashlar_tiles_description d;
    ashi_held held = {0};
    if (status == ASHLAR_OK)
        status = take_deal(deal, &d, err);
    status = open_on_all(l, place, status, err);
    if (status == ASHLAR_OK)
        status = create(l, &d, err);
    if (status != ASHLAR_OK)
        return status;
    status = ashi_agree_named(l->context, load_mine(l, &held, err), err);
    if (status == ASHLAR_OK) {
        ashi_tiles_take(l->tiles, &held);
        ashi_tiles_count(l->tiles);
        status = ashi_agree(l->context, ASHLAR_OK, err);
    }
    ashi_held_free(&held);
    return status;
}

ashlar_status ashlar_tiles_load(ashlar_context *context, const char *place, const ashlar_tiles_description *deal,
                                ashlar_tiles **out, ashlar_error *err)
{
    ashlar_error own = {0};
    loader l = {.context = context};
    err = err ? err : &own;
    if (!context)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: context is NULL", who);
    if (out)
        *out = NULL;
    const ashlar_status given =
        place && out ? ASHLAR_OK : ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s is NULL", who, place ? "out" : "place");
    const ashlar_status status = load(&l, place, deal, given, err);
    ashi_tile_file_close(&l.file, NULL);
    free(l.mine);
    free(l.word);
    free(l.rank);
    if (status == ASHLAR_OK)
        *out = l.tiles;
    else
        ashlar_tiles_free(&l.tiles);
    return status;
}

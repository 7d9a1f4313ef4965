/* Random matrices of tiles, and what every rank holds of them to compare: all elements, and which tiles are present. */
#ifndef ASHI_TILINGS_H
#define ASHI_TILINGS_H

#include "layout/cuts.h"
#include "mpi/in_context.h"
#include "mpi/matrices.h"

#include <ashlar/tiles.h>

enum { SIDE_MOST = 7, OWNERS_MOST = 16 };

/* What is described, with the memory for it. */
typedef struct tiling {
    ashlar_tiles_description d;
    int64_t row_size[SIDE_MOST], col_size[SIDE_MOST];
    int row_map[SIDE_MOST], col_map[SIDE_MOST], grid_ranks[OWNERS_MOST];
    uint64_t seed; /* of the function that deals tiles out */
    int ranks;
} tiling;

/* A matrix as it should be. */
typedef struct model {
    ashlar_type type;
    ashlar_symmetry symmetry;
    ashi_cuts row, col;
    number *element; /* (i, j) at i * cols + j; with those that a symmetry implies */
    bool *present;   /* tile (r, c) at r * tile columns + c; stored ones only */
} model;

static inline int tiling_owner(void *user, int64_t row, int64_t col)
{
    const tiling *t = user;
    uint64_t state = t->seed + (uint64_t)(row * 1000 + col);
    return (int)(ashi_random(&state) % (uint64_t)t->ranks);
}

/* Sizes of tiles: none, one element, a few, now and then many. */
static inline void random_sizes(uint64_t *state, int64_t tiles, int64_t *size)
{
    for (int64_t i = 0; i < tiles; i++) {
        const int64_t kind = ashi_random_in(state, 0, 9), few = ashi_random_in(state, 1, 8);
        size[i] = kind < 2 ? kind : kind == 9 ? 5 * few : few;
    }
}

static inline void random_deal(uint64_t *state, int ranks, tiling *t)
{
    const int64_t kind = ashi_random_in(state, 0, 4);
    t->ranks = ranks;
    t->seed = ashi_random(state);
    random_permutation(state, ranks, t->grid_ranks);
    if (kind == 0)
        return;
    if (kind == 1) {
        t->d.owner = tiling_owner;
        t->d.user = t;
        return;
    }
    t->d.grid_rows = ashi_random_in(state, 1, ranks);
    t->d.grid_cols = ashi_random_in(state, 1, ranks / t->d.grid_rows);
    for (int i = 0; i < SIDE_MOST; i++) {
        t->row_map[i] = (int)ashi_random_in(state, 0, t->d.grid_rows - 1);
        t->col_map[i] = (int)ashi_random_in(state, 0, t->d.grid_cols - 1);
    }
    t->d.grid_ranks = kind == 2 ? NULL : t->grid_ranks;
    t->d.row_map = kind == 4 ? t->row_map : NULL;
    t->d.col_map = kind == 4 ? t->col_map : NULL;
}

static inline void random_tiling_of(uint64_t *state, int ranks, ashlar_type type, ashlar_symmetry symmetry, tiling *t)
{
    *t = (tiling){.d = {.size = sizeof t->d, .type = type, .symmetry = symmetry}};
    t->d.tile_rows = ashi_random_in(state, 0, SIDE_MOST);
    t->d.tile_cols = symmetry == ASHLAR_GENERAL ? ashi_random_in(state, 0, SIDE_MOST) : t->d.tile_rows;
    random_sizes(state, t->d.tile_rows, t->row_size);
    random_sizes(state, t->d.tile_cols, t->col_size);
    t->d.row_sizes = t->row_size;
    t->d.col_sizes = symmetry == ASHLAR_GENERAL ? t->col_size : NULL;
    random_deal(state, ranks, t);
}

static inline void random_tiling(uint64_t *state, int ranks, tiling *t)
{
    const ashlar_type type = (ashlar_type)ashi_random_in(state, 0, 3);
    const int64_t symmetry = ashi_random_in(state, 0, 8);
    random_tiling_of(state, ranks, type, symmetry <= 4 ? (ashlar_symmetry)symmetry : ASHLAR_GENERAL, t);
}

static inline ashlar_tiles *make_tiles(rig *r, ashlar_context *context, const tiling *t)
{
    ashlar_tiles *tiles = NULL;
    ashlar_error err = {0};
    CHECK(&r->test, ashlar_tiles_create(context, &t->d, &tiles, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    return tiles;
}

static inline bool model_make(const tiling *t, model *m)
{
    *m = (model){.type = t->d.type, .symmetry = t->d.symmetry};
    const int64_t *const cols = t->d.col_sizes ? t->d.col_sizes : t->d.row_sizes;
    if (ashi_cuts_make(t->d.tile_rows, t->d.row_sizes, "rows", &m->row, NULL) != ASHLAR_OK ||
        ashi_cuts_make(t->d.tile_cols, cols, "columns", &m->col, NULL) != ASHLAR_OK)
        return false;
    m->element = calloc((size_t)(ashi_cuts_all(&m->row) * ashi_cuts_all(&m->col)) + 1, sizeof *m->element);
    m->present = calloc((size_t)(m->row.tiles * m->col.tiles) + 1, sizeof *m->present);
    return m->element && m->present;
}

static inline void model_free(model *m)
{
    ashi_cuts_free(&m->row);
    ashi_cuts_free(&m->col);
    free(m->element);
    free(m->present);
    *m = (model){0};
}

static inline number *model_at(const model *m, int64_t i, int64_t j)
{
    return &m->element[i * ashi_cuts_all(&m->col) + j];
}

static inline bool *model_present(const model *m, int64_t row, int64_t col)
{
    const bool turns = m->symmetry != ASHLAR_GENERAL && row > col;
    return &m->present[turns ? col * m->col.tiles + row : row * m->col.tiles + col];
}

/* What (j, i) is if (i, j) is x. */
static inline number model_mirrored(const model *m, number x)
{
    const bool complex = ashi_type_of(m->type)->complex;
    if (m->symmetry == ASHLAR_HERMITIAN || m->symmetry == ASHLAR_ANTIHERMITIAN)
        x.im = complex ? -x.im : 0;
    if (m->symmetry == ASHLAR_ANTISYMMETRIC || m->symmetry == ASHLAR_ANTIHERMITIAN)
        x = (number){-x.re, -x.im};
    return x;
}

/* Element (i, j) is x, or x is added to it, as a tile that has it says: below the diagonal that of a diagonal tile does
 * not count, and of an element on it what may not be there. */
static inline void model_set(model *m, int64_t row, int64_t col, int64_t i, int64_t j, number x, bool adds)
{
    if (m->symmetry != ASHLAR_GENERAL && row == col && i > j)
        return;
    if (m->symmetry != ASHLAR_GENERAL && i == j) {
        const number y = model_mirrored(m, x);
        x = (number){(x.re + y.re) / 2, (x.im + y.im) / 2};
    }
    if (adds)
        x = number_add(x, *model_at(m, i, j));
    *model_at(m, i, j) = x;
    if (m->symmetry != ASHLAR_GENERAL && i != j)
        *model_at(m, j, i) = model_mirrored(m, x);
}

/* A tile in the caller's memory, its elements those of a content: with gaps that hold NaN. */
typedef struct own_tile {
    ashlar_order order;
    int64_t rows, cols, ld;
    void *data;
} own_tile;

static inline own_tile own_tile_of(uint64_t *state, const model *m, int64_t row, int64_t col, const content *c)
{
    own_tile t = {random_order(state), ashi_cuts_size(&m->row, row), ashi_cuts_size(&m->col, col), 0, NULL};
    const int64_t least = t.order == ASHLAR_COL_MAJOR ? t.rows : t.cols, other = t.rows + t.cols - least;
    const size_t word = ashlar_type_bytes(m->type);
    t.ld = least + ashi_random_in(state, 0, 2);
    t.data = malloc((size_t)(t.ld * other + 1) * word);
    if (!t.data)
        return t;
    memset(t.data, 0xFF, (size_t)(t.ld * other + 1) * word);
    for (int64_t i = 0; i < t.rows; i++)
        for (int64_t j = 0; j < t.cols; j++) {
            const int64_t at = t.order == ASHLAR_COL_MAJOR ? i + j * t.ld : i * t.ld + j;
            number_store(m->type, element(c, m->row.at[row] + i, m->col.at[col] + j),
                         (char *)t.data + (size_t)at * word);
        }
    return t;
}

/* The whole matrix in the model: a tile's elements are those of a content. */
static inline void model_fill(model *m, int64_t row, int64_t col, const content *c, bool adds)
{
    *model_present(m, row, col) = true;
    for (int64_t i = m->row.at[row]; i < m->row.at[row + 1]; i++)
        for (int64_t j = m->col.at[col]; j < m->col.at[col + 1]; j++)
            model_set(m, row, col, i, j, element(c, i, j), adds);
}

/* Some of the tiles, filled by random ranks; the same in the model. Small integers if so asked. */
static inline void fill_random(rig *r, uint64_t *state, ashlar_tiles *tiles, model *m, int64_t percent, bool integers)
{
    ashlar_error err = {0};
    ashlar_status status = ASHLAR_OK;
    for (int64_t row = 0; row < m->row.tiles; row++)
        for (int64_t col = m->symmetry == ASHLAR_GENERAL ? 0 : row; col < m->col.tiles; col++) {
            const content c = {m->type, ashi_random(state), integers};
            const bool there = ashi_random_in(state, 0, 99) < percent;
            const int64_t who = ashi_random_in(state, 0, r->ranks - 1);
            const bool mirrored = m->symmetry != ASHLAR_GENERAL && ashi_random_in(state, 0, 1);
            const int64_t i = mirrored ? col : row, j = mirrored ? row : col;
            if (!there)
                continue;
            model_fill(m, i, j, &c, false);
            uint64_t own = *state;
            if (who != r->rank)
                continue;
            own_tile t = own_tile_of(&own, m, i, j, &c);
            status = ashlar_tiles_put(tiles, i, j, t.rows, t.cols, t.order, t.ld, t.data, &err);
            CHECK(&r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
            free(t.data);
        }
    status = ashlar_tiles_finish(tiles, &err);
    CHECK(&r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
}

static inline bool number_near(number x, number y, long double distance)
{
    return fabsl(x.re - y.re) <= distance && fabsl(x.im - y.im) <= distance;
}

/* Each rank's own tiles are those that the model says, and no others. Elements are at most `distance` away. */
static inline void check_tiles(rig *r, const ashlar_tiles *tiles, const model *m, long double distance,
                               const char *what)
{
    int64_t found = 0, all = 0, words = 0;
    ashlar_tiles_info info = {0};
    ashlar_error err = {0};
    CHECK(&r->test, ashlar_tiles_inspect(tiles, &info, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    for (int64_t row = 0; row < m->row.tiles; row++)
        for (int64_t col = m->symmetry == ASHLAR_GENERAL ? 0 : row; col < m->col.tiles; col++) {
            ashlar_stored_tile t = {0};
            const bool there = *model_present(m, row, col);
            const int owner = ashlar_tiles_owner(tiles, row, col);
            all += there;
            words += there ? ashi_cuts_size(&m->row, row) * ashi_cuts_size(&m->col, col) : 0;
            CHECK(&r->test, ashlar_tiles_get(tiles, row, col, &t, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
            CHECK(&r->test, t.owner == owner && (t.number >= 0) == (there && owner == r->rank),
                  CASE "%s: tile (%" PRId64 ", %" PRId64 "): number %" PRId64, CASE_OF(r), what, row, col, t.number);
            if (t.number < 0)
                continue;
            CHECK(&r->test, t.number == found++, CASE "%s: out of order", CASE_OF(r), what);
            bool good = true;
            for (int64_t i = 0; i < t.rows; i++)
                for (int64_t j = 0; j < t.cols; j++)
                    good = good && number_near(number_load(m->type, (char *)t.data + (size_t)(i + j * t.ld) *
                                                                                         ashlar_type_bytes(m->type)),
                                               *model_at(m, m->row.at[row] + i, m->col.at[col] + j), distance);
            CHECK(&r->test, good, CASE "%s: tile (%" PRId64 ", %" PRId64 ") of %" PRId64 " x %" PRId64, CASE_OF(r),
                  what, row, col, t.rows, t.cols);
        }
    CHECK(&r->test, info.local_tiles == found && info.tiles == all && info.words == words,
          CASE "%s: counts", CASE_OF(r), what);
}

#endif

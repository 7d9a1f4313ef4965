/* Matrices of tiles in files: saved on p ranks, loaded on q, dealt out in any way; what is wrong fails on all ranks. */
#define PROGRAM "tiles_file"

#include "folder.h"
#include "mpi/filing.h"
#include "mpi/tilings.h"
#include "store/store.h"
#include "store/tile_file.h"
#include "tiles/to_file.h"

/* The first ranks of all, with a context of their own. */
typedef struct group {
    rig rig;
    MPI_Comm comm;
    ashlar_context *context; /* NULL on other ranks */
} group;

static group group_of(const rig *r, int ranks)
{
    group g = {.rig = *r, .comm = MPI_COMM_NULL};
    const bool member = r->rank < ranks;
    g.rig.ranks = ranks;
    MPI_Comm_split(MPI_COMM_WORLD, member ? 0 : MPI_UNDEFINED, 0, &g.comm);
    if (member)
        CHECK(&g.rig.test, ashlar_context_create(g.comm, &g.context, NULL) == ASHLAR_OK, "no context");
    return g;
}

/* What was checked counts for all. */
static void group_free(rig *r, group *g)
{
    r->test = g->rig.test;
    ashlar_context_free(&g->context);
    if (g->comm != MPI_COMM_NULL)
        MPI_Comm_free(&g->comm);
}

/* The file as it must be whoever wrote it: the tiles of the model in their order. */
static void check_file(rig *r, const char *place, const model *m)
{
    ashlar_error err = {0};
    ashi_tile_file *file = NULL;
    CHECK(&r->test, ashi_tile_file_open(place, &file, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    if (!file)
        return;
    const ashi_tile_head *h = ashi_tile_file_head(file);
    const int64_t *starts = ashi_tile_file_starts(file);
    int64_t tile = 0, word = 0;
    CHECK(&r->test, h->type == m->type && (int)h->symmetry == (int)m->symmetry, CASE "head", CASE_OF(r));
    CHECK(&r->test, ashi_cuts_differ(&h->row, &m->row) == -1 && ashi_cuts_differ(&h->col, &m->col) == -1, CASE "cuts",
          CASE_OF(r));
    for (int64_t row = 0; row < m->row.tiles; row++) {
        CHECK(&r->test, starts[row] == tile, CASE "row %" PRId64, CASE_OF(r), row);
        for (int64_t col = m->symmetry == ASHLAR_GENERAL ? 0 : row; col < m->col.tiles; col++) {
            const int64_t before = word;
            int64_t found[2] = {-1, -1};
            long double square = 0;
            double norm = -1;
            if (!*model_present(m, row, col))
                continue;
            for (int64_t i = m->row.at[row]; i < m->row.at[row + 1]; i++)
                for (int64_t j = m->col.at[col]; j < m->col.at[col + 1]; j++, word++)
                    square += model_at(m, i, j)->re * model_at(m, i, j)->re +
                              model_at(m, i, j)->im * model_at(m, i, j)->im;
            ashi_tile_file_read(file, ASHI_TILE_COLUMNS, tile, 1, &found[0], NULL);
            ashi_tile_file_read(file, ASHI_TILE_OFFSETS, tile + 1, 1, &found[1], NULL);
            ashi_tile_file_read(file, ASHI_TILE_NORMS, tile, 1, &norm, NULL);
            const long double rounding = 0x1p-53L * (long double)(word - before + 4); /* of a sum of squares */
            CHECK(&r->test, found[0] == col && found[1] == word &&
                  fabsl(norm - sqrtl(square)) <= rounding * sqrtl(square),
                  CASE "tile (%" PRId64 ", %" PRId64 "): norm %g", CASE_OF(r), row, col, norm);
            tile++;
        }
    }
    CHECK(&r->test, h->tiles == tile && h->words == word, CASE "%" PRId64 " tiles", CASE_OF(r), h->tiles);
    ashi_tile_file_close(&file, NULL);
}

/* On some of the ranks: a random matrix goes to the file. */
static void save(group *g, uint64_t *state, const char *place, tiling *t, model *m)
{
    rig *r = &g->rig;
    ashlar_error err = {0};
    random_tiling(state, r->ranks, t);
    if (!model_make(t, m))
        exit(1);
    ashlar_tiles *tiles = g->context ? make_tiles(r, g->context, t) : NULL;
    const int64_t percent = ashi_random_in(state, 0, 4) * 25;
    if (!tiles) {
        uint64_t own = *state;
        for (int64_t row = 0; row < m->row.tiles; row++) /* the model as fill_random makes it */
            for (int64_t col = m->symmetry == ASHLAR_GENERAL ? 0 : row; col < m->col.tiles; col++) {
                const content c = {m->type, ashi_random(&own), false};
                const bool there = ashi_random_in(&own, 0, 99) < percent;
                ashi_random_in(&own, 0, r->ranks - 1);
                const bool mirrored = m->symmetry != ASHLAR_GENERAL && ashi_random_in(&own, 0, 1);
                if (there)
                    model_fill(m, mirrored ? col : row, mirrored ? row : col, &c, false);
            }
        return;
    }
    uint64_t own = *state;
    fill_random(r, &own, tiles, m, percent, false);
    const ashlar_status status = ashlar_tiles_save(tiles, place, &err);
    CHECK(&r->test, status == ASHLAR_OK && ranks_agree(g->comm, (int)status, err.text), CASE "%s", CASE_OF(r),
          err.text);
    check_tiles(r, tiles, m, 0, "saved");
    if (r->rank == 0)
        check_file(r, place, m);
    ashlar_tiles_free(&tiles);
}

/* Made dense on other ranks it has all elements, those that a symmetry implies too. */
static void expand(group *g, const char *place, const folder *f, const model *m)
{
    rig *r = &g->rig;
    char dense[PATH_BYTES];
    const int64_t rows = ashi_cuts_all(&m->row), cols = ashi_cuts_all(&m->col);
    const int64_t word = (int64_t)ashlar_type_bytes(m->type);
    ashlar_error err = {0};
    ashi_store *store = NULL;
    ashi_store_info info = {0};
    folder_name(f, "dense.npy", dense);
    const ashlar_status status =
        ashi_tiles_expand_file(g->context, place, dense, r->seed % 2 ? ASHLAR_ROW_MAJOR : ASHLAR_COL_MAJOR, &err);
    CHECK(&r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    if (r->rank != 0 || status != ASHLAR_OK || ashi_store_open(dense, &store, &info, &err) != ASHLAR_OK)
        return;
    char *data = malloc((size_t)(rows * cols * word) + 1);
    CHECK(&r->test, ashi_store_read(store, 0, rows, 0, cols, data, cols, 1, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r),
          err.text);
    bool good = info.rows == rows && info.cols == cols && info.type == m->type;
    for (int64_t e = 0; e < rows * cols && good; e++)
        good = number_near(number_load(m->type, data + e * word), m->element[e], 0);
    CHECK(&r->test, good, CASE "untile of a matrix with symmetry %d", CASE_OF(r), (int)m->symmetry);
    free(data);
    ashi_store_close(&store, NULL);
    unlink(dense);
}

/* On other ranks it is what it was, and dealt out as they want; maps are for as many tiles as the file has. */
static void load(group *g, uint64_t *state, const char *place, const model *m)
{
    rig *r = &g->rig;
    tiling t = {.d = {.size = sizeof t.d}};
    ashlar_tiles *tiles = NULL;
    ashlar_error err = {0};
    random_deal(state, r->ranks, &t);
    t.d.tile_rows = m->row.tiles;
    t.d.tile_cols = m->col.tiles;
    if (!g->context)
        return;
    ashlar_status status = ashlar_tiles_load(g->context, place, t.d.row_map || t.d.owner || t.d.grid_rows ? &t.d : NULL,
                                             &tiles, &err);
    CHECK(&r->test, status == ASHLAR_OK && ranks_agree(g->comm, (int)status, err.text), CASE "%s", CASE_OF(r),
          err.text);
    if (tiles)
        check_tiles(r, tiles, m, 0, "loaded");
    ashlar_tiles_free(&tiles);
    if (!t.d.row_map)
        return;
    t.d.tile_rows++;
    status = ashlar_tiles_load(g->context, place, &t.d, &tiles, &err);
    CHECK(&r->test, status == ASHLAR_ERR_ARG && !tiles && strstr(err.text, "ashlar_tiles_load: maps for"), CASE "%s",
          CASE_OF(r), err.text);
}

static void save_p_load_q(rig *r, const folder *f)
{
    uint64_t state = r->seed;
    char place[PATH_BYTES];
    tiling t;
    model m;
    folder_name(f, "m.h5:/deep/m", place);
    group p = group_of(r, (int)ashi_random_in(&state, 1, r->ranks));
    save(&p, &state, place, &t, &m);
    group_free(r, &p);
    MPI_Barrier(MPI_COMM_WORLD);
    group q = group_of(r, (int)ashi_random_in(&state, 1, r->ranks));
    load(&q, &state, place, &m);
    if (q.context)
        expand(&q, place, f, &m);
    group_free(r, &q);
    model_free(&m);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* One status and text on all ranks, and nothing left beside the files. */
static void refused(rig *r, const folder *f, ashlar_status status, ashlar_status wanted, const ashlar_error *err,
                    const char *says)
{
    CHECK(&r->test, status == wanted && ranks_agree(MPI_COMM_WORLD, (int)status, err->text), "%d: %s", (int)status,
          err->text);
    CHECK(&r->test, strstr(err->text, says) != NULL, "wanted '%s', says '%s'", says, err->text);
    CHECK(&r->test, folder_files(f, false) == 1, "a file is left");
    MPI_Barrier(MPI_COMM_WORLD);
}

static void wrong_use(rig *r, ashlar_context *context, const folder *f)
{
    static const int64_t size[2] = {2, 3};
    char good[PATH_BYTES], other[PATH_BYTES], bad[PATH_BYTES], none[PATH_BYTES], nowhere[PATH_BYTES];
    tiling t = {.d = {.type = ASHLAR_TYPE_D, .tile_rows = 2, .tile_cols = 2, .row_sizes = size}};
    ashlar_tiles *tiles = make_tiles(r, context, &t), *loaded = NULL;
    ashlar_error err = {0};
    ashlar_tiles_description beyond = {.grid_rows = r->ranks + 1, .grid_cols = 1};
    folder_name(f, "m.h5:/m", good);
    folder_name(f, "n.h5:/m", other);
    folder_name(f, "m.npy", bad);
    folder_name(f, "m.h5:/none", none);
    folder_name(f, "nowhere/m.h5:/m", nowhere);
    CHECK(&r->test, ashlar_tiles_save(tiles, good, &err) == ASHLAR_OK, "%s", err.text);
    refused(r, f, ashlar_tiles_save(tiles, bad, &err), ASHLAR_ERR_ARG, &err, "matrices of tiles are kept in HDF5");
    refused(r, f, ashlar_tiles_save(tiles, nowhere, &err), ASHLAR_ERR_IO, &err, "nowhere");
    refused(r, f, ashlar_tiles_save(tiles, r->rank == r->ranks - 1 ? NULL : good, &err), ASHLAR_ERR_ARG, &err,
            "place is NULL");
    if (r->ranks > 1)
        refused(r, f, ashlar_tiles_save(tiles, r->rank == 0 ? good : other, &err), ASHLAR_ERR_ARG, &err, "the place");
    CHECK(&r->test, ashlar_tiles_save(NULL, good, &err) == ASHLAR_ERR_ARG, "%s", err.text);
    refused(r, f, ashlar_tiles_load(context, bad, NULL, &loaded, &err), ASHLAR_ERR_ARG, &err, "kept in HDF5");
    refused(r, f, ashlar_tiles_load(context, none, NULL, &loaded, &err), ASHLAR_ERR_IO, &err, "has no /none");
    refused(r, f, ashlar_tiles_load(context, nowhere, NULL, &loaded, &err), ASHLAR_ERR_IO, &err, "cannot open");
    refused(r, f, ashlar_tiles_load(context, r->rank == 0 ? NULL : good, NULL, &loaded, &err), ASHLAR_ERR_ARG, &err,
            "place is NULL");
    refused(r, f, ashlar_tiles_load(context, good, &beyond, &loaded, &err), ASHLAR_ERR_ARG, &err, "");
    CHECK(&r->test, !loaded && ashlar_tiles_load(NULL, good, NULL, &loaded, &err) == ASHLAR_ERR_ARG, "%s", err.text);
    CHECK(&r->test, ashlar_tiles_load(context, good, NULL, &loaded, &err) == ASHLAR_OK, "%s", err.text);
    ashlar_tiles_free(&loaded);
    ashlar_tiles_free(&tiles);
}

static void one(ashlar_context *context, rig *r)
{
    const folder f = folder_of_ranks(r);
    save_p_load_q(r, &f);
    if (r->rank == 0)
        folder_files(&f, true);
    MPI_Barrier(MPI_COMM_WORLD);
    if (r->seed == r->first)
        wrong_use(r, context, &f);
    MPI_Barrier(MPI_COMM_WORLD);
    if (r->rank == 0)
        folder_remove(&f);
}

int main(int argc, char **argv)
{
    return try_in_context(argc, argv, 40, one);
}

/* store: matrices of tiles in HDF5 files, written, read back in ranges, and refused if anything in them is wrong. */
#include "base/checked.h"
#include "folder.h"
#include "store/store.h"
#include "store/tile_file.h"
#include "test.h"

#include <hdf5.h>
#include <math.h>

/* ---- a matrix ---- */

enum { MOST_TILES = 12 };

typedef struct matrix {
    ashi_tile_head head;
    int64_t starts[MOST_TILES + 1], columns[MOST_TILES * MOST_TILES], offsets[MOST_TILES * MOST_TILES + 1];
    int64_t ranks[MOST_TILES * MOST_TILES];
    double norms[MOST_TILES * MOST_TILES];
    char *elements;
} matrix;

static void random_cuts(uint64_t *state, const char *side, ashi_cuts *out)
{
    int64_t size[MOST_TILES];
    const int64_t tiles = ashi_random_in(state, 0, MOST_TILES);
    for (int64_t t = 0; t < tiles; t++)
        size[t] = ashi_random_in(state, 0, 3) == 0 ? ashi_random_in(state, 0, 1) : ashi_random_in(state, 1, 40);
    if (ashi_cuts_make(tiles, size, side, out, NULL) != ASHLAR_OK)
        exit(1);
}

/* A rank whose U and V take less than the tile, or -1. */
static int64_t random_rank(uint64_t *state, const ashi_tile_head *h, int64_t row, int64_t col)
{
    const int64_t rows = ashi_cuts_size(&h->row, row), cols = ashi_cuts_size(&h->col, col);
    const int64_t most = rows * cols > 0 ? (rows * cols - 1) / (rows + cols) : -1;
    return h->low && (!h->symmetry || row != col) ? ashi_random_in(state, -1, most) : -1;
}

/* Any cuts, of which each tile is present with a chance of `part` quarters. */
static matrix *random_matrix(uint64_t *state)
{
    matrix *m = calloc(1, sizeof *m);
    ashi_tile_head *h = &m->head;
    const int64_t part = ashi_random_in(state, 0, 4);
    h->type = (ashlar_type)ashi_random_in(state, 0, 3);
    h->symmetry = (ashlar_symmetry)ashi_random_in(state, 0, 4);
    h->low = ashi_random_in(state, 0, 1) == 1;
    random_cuts(state, "the rows", &h->row);
    if (h->symmetry == ASHLAR_GENERAL)
        random_cuts(state, "the columns", &h->col);
    else if (ashi_cuts_copy(&h->row, &h->col, NULL) != ASHLAR_OK)
        exit(1);
    for (int64_t r = 0; r < h->row.tiles; r++) {
        m->starts[r] = h->tiles;
        for (int64_t c = h->symmetry ? r : 0; c < h->col.tiles; c++)
            if (ashi_random_in(state, 1, 4) <= part) {
                m->columns[h->tiles] = c;
                m->offsets[h->tiles] = h->words;
                m->ranks[h->tiles] = random_rank(state, h, r, c);
                h->words += ashi_tile_head_words(h, r, c, m->ranks[h->tiles]);
                m->norms[h->tiles++] = (double)ashi_random_in(state, 0, 1000) / 8;
            }
    }
    m->starts[h->row.tiles] = h->tiles;
    m->offsets[h->tiles] = h->words;
    const int64_t bytes = h->words * (int64_t)ashlar_type_bytes(h->type);
    m->elements = malloc((size_t)bytes + 1);
    for (int64_t b = 0; b < bytes; b++)
        m->elements[b] = (char)(ashi_random(state) & 0x3f); /* of any type finite numbers */
    return m;
}

static void free_matrix(matrix *m)
{
    ashi_cuts_free(&m->head.row);
    ashi_cuts_free(&m->head.col);
    free(m->elements);
    free(m);
}

static const void *list_of(const matrix *m, ashi_tile_list list, int64_t *length, int64_t *bytes)
{
    const ashi_tile_head *h = &m->head;
    *bytes = list == ASHI_TILE_ELEMENTS ? (int64_t)ashlar_type_bytes(h->type) : 8;
    switch (list) {
    case ASHI_TILE_STARTS:
        *length = h->row.tiles + 1;
        return m->starts;
    case ASHI_TILE_COLUMNS:
        *length = h->tiles;
        return m->columns;
    case ASHI_TILE_OFFSETS:
        *length = h->tiles + 1;
        return m->offsets;
    case ASHI_TILE_NORMS:
        *length = h->tiles;
        return m->norms;
    case ASHI_TILE_RANKS:
        *length = h->low ? h->tiles : 0;
        return m->ranks;
    case ASHI_TILE_ELEMENTS:
        *length = h->words;
        return m->elements;
    default:
        *length = 0;
        return NULL;
    }
}

/* ---- there and back ---- */

/* The lists in pieces, every other piece by this writer, or all. */
static void write_pieces(ashi_test *t, const matrix *m, ashi_tile_file *file, int turn, int turns)
{
    for (ashi_tile_list l = ASHI_TILE_STARTS; l < ASHI_TILE_LISTS; l++) {
        int64_t length, bytes;
        const char *data = list_of(m, l, &length, &bytes);
        for (int64_t at = 0, piece = 0; at < length; at += 7, piece++)
            if (piece % turns == turn) {
                ashlar_error err = {0};
                CHECK(t, ashi_tile_file_write(file, l, at, ashi_min(7, length - at), data + at * bytes, &err) ==
                             ASHLAR_OK, "%s", err.text);
            }
    }
}

static void write_matrix(ashi_test *t, const char *place, const matrix *m, bool joined)
{
    ashlar_error err = {0};
    ashi_tile_file *file = NULL, *other = NULL;
    CHECK(t, ashi_tile_file_create(place, &m->head, &file, &err) == ASHLAR_OK, "%s", err.text);
    if (!file)
        return;
    if (joined) {
        const ashi_tile_places places = ashi_tile_file_places(file);
        CHECK(t, ashi_tile_file_join(place, ashi_tile_file_temporary(file), &places, &m->head, &other, &err) ==
                     ASHLAR_OK, "%s", err.text);
        write_pieces(t, m, other, 1, 2);
        CHECK(t, ashi_tile_file_close(&other, &err) == ASHLAR_OK, "%s", err.text);
    }
    write_pieces(t, m, file, 0, joined ? 2 : 1);
    CHECK(t, ashi_tile_file_publish(file, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, ashi_tile_file_close(&file, &err) == ASHLAR_OK, "%s", err.text);
}

static void same_cuts(ashi_test *t, const ashi_cuts *found, const ashi_cuts *wanted)
{
    CHECK(t, ashi_cuts_differ(found, wanted) == -1, "cuts differ from tile %" PRId64, ashi_cuts_differ(found, wanted));
}

static void check_matrix(ashi_test *t, const char *place, const matrix *m, bool norms, uint64_t *state)
{
    ashlar_error err = {0};
    ashi_tile_file *file = NULL;
    CHECK(t, ashi_tile_file_open(place, &file, &err) == ASHLAR_OK, "%s", err.text);
    if (!file)
        return;
    const ashi_tile_head *h = ashi_tile_file_head(file);
    CHECK(t, h->type == m->head.type && h->symmetry == m->head.symmetry && h->low == m->head.low, "%d %d",
          (int)h->type, (int)h->symmetry);
    CHECK(t, h->tiles == m->head.tiles && h->words == m->head.words, "%" PRId64 " tiles", h->tiles);
    CHECK(t, ashi_tile_file_has_norms(file) == norms, "norms");
    same_cuts(t, &h->row, &m->head.row);
    same_cuts(t, &h->col, &m->head.col);
    CHECK(t, memcmp(ashi_tile_file_starts(file), m->starts, sizeof(int64_t) * (size_t)(h->row.tiles + 1)) == 0,
          "starts");
    for (ashi_tile_list l = ASHI_TILE_STARTS; l < ASHI_TILE_LISTS; l++) {
        int64_t length, bytes;
        const char *wanted = list_of(m, l, &length, &bytes);
        const int64_t first = ashi_random_in(state, 0, length), count = ashi_random_in(state, 0, length - first);
        char *got = malloc((size_t)(count * bytes) + 1);
        const ashlar_status status = ashi_tile_file_read(file, l, first, count, got, &err);
        CHECK(t, status == ((l == ASHI_TILE_NORMS && !norms) || (l == ASHI_TILE_RANKS && !h->low) ? ASHLAR_ERR_ARG
                                                                                                  : ASHLAR_OK), "%s",
              err.text);
        CHECK(t, status != ASHLAR_OK || memcmp(got, wanted + first * bytes, (size_t)(count * bytes)) == 0,
              "list %d from %" PRId64, (int)l, first);
        CHECK(t, ashi_tile_file_read(file, l, first, length - first + 1, got, NULL) == ASHLAR_ERR_ARG, "too many");
        free(got);
    }
    CHECK(t, ashi_tile_file_write(file, ASHI_TILE_COLUMNS, 0, 0, NULL, NULL) == ASHLAR_ERR_ARG, "open for reading");
    CHECK(t, ashi_tile_file_publish(file, NULL) == ASHLAR_ERR_ARG, "open for reading");
    ashi_tile_file_close(&file, NULL);
}

static void round_trips(ashi_test *t, const folder *f, uint64_t seed)
{
    uint64_t state = seed;
    char place[PATH_BYTES];
    matrix *a = random_matrix(&state), *b = random_matrix(&state);
    folder_name(f, "m.h5:/deep/A", place);
    write_matrix(t, place, a, seed % 2 == 0);
    check_matrix(t, place, a, true, &state);
    write_matrix(t, place, b, seed % 2 != 0); /* in its place */
    check_matrix(t, place, b, true, &state);
    char other[PATH_BYTES];
    folder_name(f, "m.h5:/B", other);
    write_matrix(t, other, a, false); /* beside it */
    check_matrix(t, place, b, true, &state);
    check_matrix(t, other, a, true, &state);
    CHECK(t, folder_files(f, true) == 1, "files beside the output, seed %" PRIu64, seed);
    free_matrix(a);
    free_matrix(b);
}

/* ---- what else may be in the file ---- */

/* Two rows and three columns of tiles: 2 x (1, 3, 2) absent (1, 0), (0, 1) of 2 x 3, (1, 2) of 4 x 2, and so on. */
static matrix *small_matrix(ashlar_symmetry symmetry)
{
    static const int64_t rows[] = {2, 4}, cols[] = {1, 3, 2}, columns[] = {0, 1, 1, 2}, mirrored[] = {0, 1, 1};
    matrix *m = calloc(1, sizeof *m);
    ashi_tile_head *h = &m->head;
    const bool general = symmetry == ASHLAR_GENERAL;
    h->type = ASHLAR_TYPE_D;
    h->symmetry = symmetry;
    if (ashi_cuts_make(2, rows, "the rows", &h->row, NULL) != ASHLAR_OK ||
        ashi_cuts_make(general ? 3 : 2, general ? cols : rows, "the columns", &h->col, NULL) != ASHLAR_OK)
        exit(1);
    h->tiles = general ? 4 : 3;
    for (int64_t t = 0; t < h->tiles; t++) {
        m->columns[t] = general ? columns[t] : mirrored[t];
        m->offsets[t] = h->words;
        h->words += ashi_cuts_size(&h->row, t / 2) * ashi_cuts_size(&h->col, m->columns[t]);
        m->norms[t] = 1;
    }
    m->starts[1] = 2;
    m->starts[2] = h->tiles;
    m->offsets[h->tiles] = h->words;
    m->elements = calloc((size_t)h->words, sizeof(double));
    return m;
}

static void one_line(ashi_test *t, ashlar_status status, const ashlar_error *err, ashlar_status wanted,
                     const char *says)
{
    CHECK(t, status == wanted && err->status == wanted, "status %d, wanted %d: %s", (int)status, (int)wanted,
          err->text);
    CHECK(t, strstr(err->text, says) && !strchr(err->text, '\n'), "wanted '%s', says '%s'", says, err->text);
}

static void refused(ashi_test *t, const char *place, ashlar_status wanted, const char *says)
{
    ashlar_error err = {0};
    ashi_tile_file *file = NULL;
    const ashlar_status status = ashi_tile_file_open(place, &file, &err);
    CHECK(t, !file, "%s: opened", says);
    one_line(t, status, &err, wanted, says);
    ashi_tile_file_close(&file, NULL);
}

/* A matrix replaces a data set or a matrix, nothing else; a data set does not replace a matrix; what is not published
 * changes nothing. */
static void what_is_replaced(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES], path[PATH_BYTES], group[PATH_BYTES];
    uint64_t state = 3;
    ashlar_error err = {0};
    matrix *a = small_matrix(ASHLAR_GENERAL), *b = small_matrix(ASHLAR_SYMMETRIC);
    ashi_tile_file *file = NULL;
    ashi_store *store = NULL;
    const ashi_store_info dense = {.type = ASHLAR_TYPE_D, .rows = 3, .cols = 2, .order = ASHLAR_ROW_MAJOR};
    const double zeros[6] = {0};
    folder_name(f, "r.h5", path);
    folder_name(f, "r.h5:/A", place);
    folder_name(f, "r.h5:/", group);
    strcat(group, "deep");
    CHECK(t, ashi_store_create(place, &dense, &store, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, ashi_store_write(store, 0, 3, 0, 2, zeros, 2, 1, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, ashi_store_publish(store, &err) == ASHLAR_OK, "%s", err.text);
    ashi_store_close(&store, NULL);
    refused(t, place, ASHLAR_ERR_IO, "/A is no group with a matrix of tiles");
    write_matrix(t, place, a, false); /* instead of the data set */
    check_matrix(t, place, a, true, &state);
    one_line(t, ashi_store_create(place, &dense, &store, &err), &err, ASHLAR_ERR_IO, "/A exists and is not a data set");
    CHECK(t, ashi_tile_file_create(place, &b->head, &file, &err) == ASHLAR_OK, "%s", err.text);
    write_pieces(t, b, file, 0, 1);
    ashi_tile_file_close(&file, NULL); /* and so not published */
    check_matrix(t, place, a, true, &state);
    CHECK(t, folder_files(f, false) == 1, "a temporary file is left");
    const hid_t h = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    H5Lcreate_soft("/A", h, "/A/mine", H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(h, "/deep", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(h);
    one_line(t, ashi_tile_file_create(place, &b->head, &file, &err), &err, ASHLAR_ERR_IO,
             "/A exists and is neither a data set nor a matrix of tiles with nothing beside it");
    one_line(t, ashi_tile_file_create(group, &b->head, &file, &err), &err, ASHLAR_ERR_IO, "/deep exists and is");
    refused(t, group, ASHLAR_ERR_IO, "matrix of tiles /deep: its format is ''");
    check_matrix(t, place, a, true, &state); /* whatever else is in its group */
    free_matrix(a);
    free_matrix(b);
    folder_files(f, true);
}

static void places_are_checked(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES];
    folder_name(f, "a.npy", place);
    refused(t, place, ASHLAR_ERR_ARG, "matrices of tiles are kept in HDF5");
    folder_name(f, "a.h5", place);
    refused(t, place, ASHLAR_ERR_ARG, "names no data set");
    folder_name(f, "a.h5:/A", place);
    refused(t, place, ASHLAR_ERR_IO, "cannot open");
}

/* ---- what is wrong in a file ---- */

/* A list made anew, of `count` numbers; wide: of 64 bits in memory, narrower in the file if `stored` says so. */
static void replace_list(const char *path, const char *name, hid_t stored, hid_t memory, int64_t count,
                         const void *data, bool packed)
{
    const hsize_t size = (hsize_t)count;
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate_simple(1, &size, NULL);
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    if (packed) {
        const hsize_t chunk = size < 3 ? size : 3;
        H5Pset_chunk(plist, 1, &chunk);
        H5Pset_deflate(plist, 6);
    }
    H5Ldelete(file, name, H5P_DEFAULT);
    const hid_t set = H5Dcreate2(file, name, stored, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    if (data)
        H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(set);
    H5Pclose(plist);
    H5Sclose(space);
    H5Fclose(file);
}

static void replace_numbers(const char *path, const char *name, int64_t count, const int64_t *data)
{
    replace_list(path, name, H5T_STD_I64LE, H5T_NATIVE_INT64, count, data, false);
}

static void set_attribute(const char *path, const char *name, hid_t type, const void *value)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    H5Adelete_by_name(file, "/A", name, H5P_DEFAULT);
    const hid_t made = H5Acreate_by_name(file, "/A", name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(made, type, value);
    H5Aclose(made);
    H5Sclose(space);
    H5Fclose(file);
}

static void set_word(const char *path, const char *name, const char *word)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(word) + 1);
    set_attribute(path, name, type, word);
    H5Tclose(type);
}

/* The same matrix in other types of number, packed, and without norms, as other programs may write it. */
static void other_writers(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES], path[PATH_BYTES];
    uint64_t state = 5;
    matrix *a = small_matrix(ASHLAR_GENERAL);
    const int64_t rows[] = {2, 4}, cols[] = {1, 3, 2};
    for (int64_t e = 0; e < a->head.words; e++)
        ((double *)a->elements)[e] = (double)e / 4;
    folder_name(f, "o.h5", path);
    folder_name(f, "o.h5:/A", place);
    write_matrix(t, place, a, false);
    set_word(path, "format", "ashlar-tiles");
    set_word(path, "symmetry", "general");
    replace_list(path, "/A/row_sizes", H5T_STD_I32BE, H5T_NATIVE_INT64, 2, rows, false);
    replace_list(path, "/A/column_sizes", H5T_STD_U8LE, H5T_NATIVE_INT64, 3, cols, true);
    replace_list(path, "/A/row_starts", H5T_STD_U64BE, H5T_NATIVE_INT64, 3, a->starts, true);
    replace_list(path, "/A/columns", H5T_STD_I16LE, H5T_NATIVE_INT64, 4, a->columns, true);
    replace_list(path, "/A/offsets", H5T_STD_I64LE, H5T_NATIVE_INT64, 5, a->offsets, true);
    replace_list(path, "/A/norms", H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, 4, a->norms, true);
    replace_list(path, "/A/elements", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, a->head.words, a->elements, true);
    check_matrix(t, place, a, true, &state);
    replace_list(path, "/A/elements", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, a->head.words, a->elements, false);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    H5Ldelete(file, "/A/norms", H5P_DEFAULT);
    H5Fclose(file);
    check_matrix(t, place, a, false, &state);
    free_matrix(a);
    folder_files(f, true);
}

/* (0, 1) is stored as U V^T of rank 1, and (1, 1) of rank 0: the others follow. */
static void lower(matrix *m)
{
    static const int64_t ranks[] = {-1, 1, 0, -1};
    int64_t word = 0;
    m->head.low = true;
    for (int64_t t = 0; t < m->head.tiles; t++) {
        m->ranks[t] = ranks[t];
        m->offsets[t] = word;
        word += ashi_tile_head_words(&m->head, t / 2, m->columns[t], ranks[t]);
    }
    m->offsets[m->head.tiles] = m->head.words = word;
}

typedef struct wrong {
    const char *list;
    int64_t count, number[6];
    const char *says;
} wrong;

static const wrong wrongs[] = {
    {"row_sizes", 2, {2, -4}, "the rows: tile 1 has the size -4"},
    {"row_sizes", 2, {INT64_MAX, 4}, "the rows are more than 2^63 - 1"},
    {"row_sizes", 1, {2}, "row_starts has 3 numbers, wanted 2"},
    {"row_sizes", 2, {2, 5}, "tile (1, 2) begins at element 20, wanted 23"},
    {"column_sizes", 3, {1, 3, 1}, "the tiles have 24 elements and offsets ends with 28, but there are 28"},
    {"column_sizes", 3, {1, 3, 100}, "tile (1, 2) ends beyond the 28 elements"},
    {"column_sizes", 2, {1, 3}, "tile 3 is in column 2, of 2 columns"},
    {"column_sizes", 3, {INT64_MAX / 2, 3, 2}, "ends beyond the 28 elements"},
    {"row_starts", 3, {0, 5, 4}, "row_starts descends from 5 to 4 at row 1"},
    {"row_starts", 3, {1, 2, 4}, "row_starts goes from 1 to 4, wanted 0 to 4"},
    {"row_starts", 3, {0, 2, 3}, "row_starts goes from 0 to 3, wanted 0 to 4"},
    {"row_starts", 3, {0, 1, 4}, "columns 1 and 1 of row 1 do not ascend"},
    {"row_starts", 2, {0, 4}, "row_starts has 2 numbers, wanted 3"},
    {"columns", 4, {0, 0, 1, 2}, "columns 0 and 0 of row 0 do not ascend"},
    {"columns", 4, {0, 1, 2, 1}, "columns 2 and 1 of row 1 do not ascend"},
    {"columns", 4, {0, 1, 0, 2}, "tile (1, 2) begins at element 20, wanted 12"},
    {"columns", 4, {0, 1, -1, 2}, "tile 2 is in column -1, of 3 columns"},
    {"columns", 4, {0, 1, 1, 3}, "tile 3 is in column 3, of 3 columns"},
    {"columns", 5, {0, 1, 1, 2, 2}, "offsets has 5 numbers, wanted 6"},
    {"offsets", 5, {0, 2, 9, 20, 28}, "tile (1, 1) begins at element 9, wanted 8"},
    {"offsets", 5, {0, 2, 8, 20, 27}, "offsets ends with 27"},
    {"offsets", 4, {0, 2, 8, 20}, "offsets has 4 numbers, wanted 5"},
    {"norms", 4, {1, 1, 1, 1}, "norms has other numbers than real ones"},
};

/* Of the same with two tiles of low rank. */
static const wrong wrong_ranks[] = {
    {"ranks", 4, {-1, 2, 0, -1}, "tile (0, 1) has rank 2, wanted -1, or one whose U and V take less than its elements"},
    {"ranks", 4, {-1, -2, 0, -1}, "tile (0, 1) has rank -2, wanted -1"},
    {"ranks", 4, {-1, INT64_MAX, 0, -1}, "tile (0, 1) has rank 9223372036854775807, wanted -1"},
    {"ranks", 4, {-1, 0, 0, -1}, "tile (1, 1) begins at element 7, wanted 2"},
    {"ranks", 4, {-1, -1, 0, -1}, "tile (1, 1) begins at element 7, wanted 8"},
    {"ranks", 3, {-1, 1, 0}, "ranks has 3 numbers, wanted 4"},
    {"offsets", 5, {0, 2, 8, 20, 28}, "tile (1, 1) begins at element 8, wanted 7"},
};

static void wrong_lists(ashi_test *t, const folder *f, const wrong *some, size_t count, bool low)
{
    char place[PATH_BYTES], path[PATH_BYTES], name[40];
    matrix *a = small_matrix(ASHLAR_GENERAL);
    if (low)
        lower(a);
    folder_name(f, "w.h5", path);
    folder_name(f, "w.h5:/A", place);
    for (size_t i = 0; i < count; i++) {
        const wrong *w = &some[i];
        write_matrix(t, place, a, false);
        snprintf(name, sizeof name, "/A/%s", w->list);
        replace_numbers(path, name, w->count, w->number);
        refused(t, place, ASHLAR_ERR_IO, w->says);
    }
    free_matrix(a);
    folder_files(f, true);
}

static void wrong_kinds(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES], path[PATH_BYTES];
    static const double reals[30] = {0, 1, 1, 2};
    static const int newer = 3, ranked = 2;
    static const double negative[4] = {1, 2, -0.5, 1};
    matrix *a = small_matrix(ASHLAR_GENERAL), *s = small_matrix(ASHLAR_HERMITIAN);
    uint64_t state = 9;
    folder_name(f, "k.h5", path);
    folder_name(f, "k.h5:/A", place);
    write_matrix(t, place, a, false);
    replace_list(path, "/A/columns", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 4, reals, false);
    refused(t, place, ASHLAR_ERR_IO, "columns has other numbers than integers of at most 64 bits");
    write_matrix(t, place, a, false);
    replace_list(path, "/A/norms", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 4, negative, false);
    refused(t, place, ASHLAR_ERR_IO, "the norm of tile (1, 1) is -0.5");
    write_matrix(t, place, a, false);
    replace_list(path, "/A/elements", H5T_STD_I64LE, H5T_NATIVE_DOUBLE, 28, reals, false);
    refused(t, place, ASHLAR_ERR_IO, "has elements that are neither float, double");
    write_matrix(t, place, a, false);
    replace_list(path, "/A/columns", H5T_STD_I64LE, H5T_NATIVE_INT64, INT64_C(1) << 40, NULL, false);
    refused(t, place, ASHLAR_ERR_IO, "columns needs 8796093022208 bytes, 0 are stored of it");
    write_matrix(t, place, a, false);
    replace_list(path, "/A/row_sizes", H5T_STD_I64LE, H5T_NATIVE_INT64, INT64_C(1) << 50, NULL, true);
    refused(t, place, ASHLAR_ERR_IO, "row_sizes needs 9007199254740992 bytes, 0 are stored of it");
    write_matrix(t, place, a, false);
    set_word(path, "symmetry", "symmetric");
    refused(t, place, ASHLAR_ERR_IO, "it is symmetric, but its rows and columns are cut differently from tile 0 on");
    set_word(path, "symmetry", "sym\nmetric");
    refused(t, place, ASHLAR_ERR_IO, "its symmetry is 'sym?metric', wanted general, symmetric,");
    set_word(path, "symmetry", "general");
    check_matrix(t, place, a, true, &state);
    set_attribute(path, "version", H5T_NATIVE_INT, &newer);
    refused(t, place, ASHLAR_ERR_IO, "its version is 3, this Ashlar reads up to 2");
    set_attribute(path, "version", H5T_NATIVE_INT, &ranked);
    refused(t, place, ASHLAR_ERR_IO, "has no data set /A/ranks");
    set_word(path, "format", "tiles of somebody else, with a name that is much longer than any that we have");
    refused(t, place, ASHLAR_ERR_IO, "its format is '', wanted the attribute format = ashlar-tiles");
    folder_files(f, true);
    write_matrix(t, place, s, false);
    const int64_t below[] = {0, 1, 0};
    replace_numbers(path, "/A/columns", 3, below);
    refused(t, place, ASHLAR_ERR_IO, "tile (1, 0) is below the diagonal, but the matrix is hermitian");
    lower(s);
    s->ranks[0] = 0; /* which a tile on the diagonal has not */
    write_matrix(t, place, s, false);
    refused(t, place, ASHLAR_ERR_IO, "tile (0, 0) has rank 0, wanted -1");
    free_matrix(a);
    free_matrix(s);
    folder_files(f, true);
}

/* A file that was cut short is refused, wherever that was, and nothing is lost or left open. */
static void cut_short(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES], path[PATH_BYTES];
    matrix *a = small_matrix(ASHLAR_GENERAL);
    folder_name(f, "c.h5", path);
    folder_name(f, "c.h5:/A", place);
    for (int64_t keep = 0; keep < 6000; keep += 211) {
        ashlar_error err = {0};
        ashi_tile_file *file = NULL;
        write_matrix(t, place, a, false);
        FILE *whole = fopen(path, "r");
        CHECK(t, whole && fseek(whole, 0, SEEK_END) == 0, "%s", path);
        const int64_t bytes = whole ? ftell(whole) : 0;
        if (whole)
            fclose(whole);
        CHECK(t, truncate(path, ashi_min(keep, bytes - 1)) == 0, "%s", path);
        CHECK(t, ashi_tile_file_open(place, &file, &err) == ASHLAR_ERR_IO && !file, "%" PRId64 " bytes: %s", keep,
              err.text);
        CHECK(t, H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0, "something is open");
        folder_files(f, true);
    }
    free_matrix(a);
}

/* More than 2^31 elements, nearly all of them in a hole of the file: what follows them is found. */
static void many_elements(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES], path[PATH_BYTES];
    const int64_t many = (INT64_C(1) << 31) + 5;
    const int64_t rows[] = {many}, cols[] = {1, 1}, starts[] = {0, 2}, columns[] = {0, 1};
    const int64_t offsets[] = {0, many, 2 * many};
    const hsize_t size = (hsize_t)(2 * many), last = size - 1, one = 1;
    const float wanted = 2.5f;
    float got = 0;
    matrix *a = small_matrix(ASHLAR_GENERAL);
    folder_name(f, "l.h5", path);
    folder_name(f, "l.h5:/A", place);
    write_matrix(t, place, a, false);
    replace_numbers(path, "/A/row_sizes", 1, rows);
    replace_numbers(path, "/A/column_sizes", 2, cols);
    replace_numbers(path, "/A/row_starts", 2, starts);
    replace_numbers(path, "/A/columns", 2, columns);
    replace_numbers(path, "/A/offsets", 3, offsets);
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), plist = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(1, &size, NULL), memory = H5Screate_simple(1, &one, NULL);
    H5Ldelete(file, "/A/norms", H5P_DEFAULT);
    H5Ldelete(file, "/A/elements", H5P_DEFAULT);
    H5Pset_alloc_time(plist, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(plist, H5D_FILL_TIME_NEVER);
    const hid_t set = H5Dcreate2(file, "/A/elements", H5T_NATIVE_FLOAT, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &last, NULL, &one, NULL);
    CHECK(t, H5Dwrite(set, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, &wanted) >= 0, "the last element");
    H5Dclose(set);
    H5Sclose(memory);
    H5Sclose(space);
    H5Pclose(plist);
    H5Fclose(file);
    ashlar_error err = {0};
    ashi_tile_file *opened = NULL;
    CHECK(t, ashi_tile_file_open(place, &opened, &err) == ASHLAR_OK, "%s", err.text);
    if (opened)
        CHECK(t, ashi_tile_file_read(opened, ASHI_TILE_ELEMENTS, 2 * many - 1, 1, &got, &err) == ASHLAR_OK, "%s",
              err.text);
    CHECK(t, got == wanted, "%g", (double)got);
    ashi_tile_file_close(&opened, NULL);
    free_matrix(a);
    folder_files(f, true);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 60);
    const folder f = folder_make();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        round_trips(&t, &f, seed);
    places_are_checked(&t, &f);
    what_is_replaced(&t, &f);
    other_writers(&t, &f);
    wrong_lists(&t, &f, wrongs, sizeof wrongs / sizeof wrongs[0], false);
    wrong_lists(&t, &f, wrong_ranks, sizeof wrong_ranks / sizeof wrong_ranks[0], true);
    wrong_kinds(&t, &f);
    cut_short(&t, &f);
    many_elements(&t, &f);
    CHECK(&t, H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0, "something is open");
    folder_remove(&f);
    return ashi_test_end(&t, "store_tile_file");
}

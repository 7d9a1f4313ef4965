/* store: HDF5 data sets. */
#include "store_check.h"

#include <hdf5.h>

static void random_shapes(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES];
    for (uint64_t seed = 1; seed <= 60; seed++) {
        uint64_t state = seed;
        const ashi_store_info info = random_info(&state);
        folder_name(f, seed % 2 ? "a.h5:/group/of/x" : "b.hdf5:/y", place);
        round_trip(t, place, info, info.type, false, seed);
    }
    folder_name(f, "large.h5:/x", place);
    round_trip(t, place, matrix_info(ASHLAR_TYPE_D, 3, 300000, ASHLAR_ROW_MAJOR), ASHLAR_TYPE_D, false, 1);
    round_trip(t, place, matrix_info(ASHLAR_TYPE_Z, 500, 300, ASHLAR_COL_MAJOR), ASHLAR_TYPE_Z, false, 2);
}

/* Other data sets stay, and replacing one over and over does not let the file grow. */
static void other_contents_stay(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES], other[PATH_BYTES], path[PATH_BYTES];
    const ashi_store_info info = matrix_info(ASHLAR_TYPE_D, 60, 50, ASHLAR_ROW_MAJOR);
    const ashi_store_info small = matrix_info(ASHLAR_TYPE_S, 7, 3, ASHLAR_ROW_MAJOR);
    struct stat first, last;
    folder_name(f, "shared.h5", path);
    folder_name(f, "shared.h5:/a", place);
    folder_name(f, "shared.h5:/group/b", other);
    round_trip(t, place, info, info.type, false, 1);
    round_trip(t, other, small, small.type, false, 2);
    check_matrix(t, place, &info, 3);
    round_trip(t, place, info, info.type, false, 4);
    CHECK(t, stat(path, &first) == 0, "stat");
    for (uint64_t seed = 5; seed < 10; seed++)
        round_trip(t, place, info, info.type, false, seed);
    CHECK(t, stat(path, &last) == 0 && last.st_size <= first.st_size, "grows from %ld to %ld", (long)first.st_size,
          (long)last.st_size);
    check_matrix(t, other, &small, 6);
    ashi_store *store = NULL;
    folder_name(f, "shared.h5:/group", place);
    CHECK(t, ashi_store_create(place, &info, &store, NULL) == ASHLAR_ERR_IO && !store, "a group is not replaced");
    folder_name(f, "shared.h5:/a/b", place);
    CHECK(t, ashi_store_create(place, &info, &store, NULL) == ASHLAR_ERR_IO && !store, "a data set holds no other");
    check_matrix(t, other, &small, 7);
}

static void make_set_of(hid_t file, const char *name, hid_t type, int dimensions, const hsize_t *size, hid_t plist,
                        hid_t memory, const void *data)
{
    const hid_t space = dimensions ? H5Screate_simple(dimensions, size, NULL) : H5Screate(H5S_SCALAR);
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    if (data)
        H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(set);
    H5Sclose(space);
}

static hid_t pair_of(hid_t number, const char *first, const char *second)
{
    const size_t part = H5Tget_size(number);
    const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * part);
    H5Tinsert(type, first, 0, number);
    H5Tinsert(type, second, part, number);
    return type;
}

/* The data set is the matrix of `element`, 40 x 30, or its first column. */
static void check_found(ashi_test *t, const char *path, const char *name, ashlar_type type, int64_t cols)
{
    char place[PATH_BYTES];
    const ashi_store_info info = matrix_info(type, 40, cols, ASHLAR_ROW_MAJOR);
    snprintf(place, sizeof place, "%.900s:%s", path, name);
    check_matrix(t, place, &info, 11);
}

/* Data sets as others write them: other orders of bytes, chunks, compression, one dimension, Octave's names. */
static void foreign_files(ashi_test *t, const folder *f)
{
    enum { ROWS = 40, COLS = 30 };
    static const char *const names[] = {"r", "i", "real", "imag"};
    const hsize_t size[2] = {ROWS, COLS}, chunk[2] = {7, 11};
    static char column[ROWS * 8], data[ROWS * COLS * 16];
    char path[PATH_BYTES];
    folder_name(f, "foreign.h5", path);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(chunked, 2, chunk);
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0)
        H5Pset_deflate(chunked, 4);
    for (int i = 0; i < ROWS; i++) {
        element(ASHLAR_TYPE_D, i, 0, column + i * 8);
        for (int j = 0; j < COLS; j++)
            element(ASHLAR_TYPE_D, i, j, data + (i * COLS + j) * 8);
    }
    make_set_of(file, "/big", H5T_IEEE_F64BE, 2, size, H5P_DEFAULT, H5T_NATIVE_DOUBLE, data);
    make_set_of(file, "/chunked", H5T_IEEE_F64LE, 2, size, chunked, H5T_NATIVE_DOUBLE, data);
    make_set_of(file, "/column", H5T_IEEE_F64LE, 1, size, H5P_DEFAULT, H5T_NATIVE_DOUBLE, column);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++)
            element(ASHLAR_TYPE_Z, i, j, data + (i * COLS + j) * 16);
    for (int octave = 0; octave < 2; octave++) {
        const char *const *pair = names + 2 * octave;
        const hid_t stored = pair_of(H5T_IEEE_F64BE, pair[0], pair[1]);
        const hid_t memory = pair_of(H5T_NATIVE_DOUBLE, pair[0], pair[1]);
        make_set_of(file, octave ? "/octave" : "/h5py", stored, 2, size, chunked, memory, data);
        H5Tclose(stored);
        H5Tclose(memory);
    }
    H5Pclose(chunked);
    H5Fclose(file);
    check_found(t, path, "/big", ASHLAR_TYPE_D, COLS);
    check_found(t, path, "/chunked", ASHLAR_TYPE_D, COLS);
    check_found(t, path, "/column", ASHLAR_TYPE_D, 1);
    check_found(t, path, "/octave", ASHLAR_TYPE_Z, COLS);
    check_found(t, path, "/h5py", ASHLAR_TYPE_Z, COLS);
}

static void make_unfit(const char *path)
{
    const hsize_t size[3] = {4, 4, 4}, huge[2] = {(hsize_t)1 << 40, (hsize_t)1 << 40}, chunk[2] = {1 << 14, 1 << 14};
    const hsize_t small[2] = {4, 4}, large[2] = {1 << 20, 1 << 20};
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t chunked = H5Pcreate(H5P_DATASET_CREATE), outside = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t small_chunks = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t half = pair_of(H5T_IEEE_F64LE, "x", "y"), mixed = H5Tcreate(H5T_COMPOUND, 12);
    H5Tinsert(mixed, "r", 0, H5T_IEEE_F64LE);
    H5Tinsert(mixed, "i", 8, H5T_IEEE_F32LE);
    H5Pset_chunk(chunked, 2, chunk);
    H5Pset_fletcher32(chunked);
    H5Pset_chunk(small_chunks, 2, small);
    H5Pset_external(outside, "/etc/passwd", 0, 128);
    make_set_of(file, "/cube", H5T_IEEE_F64LE, 3, size, H5P_DEFAULT, 0, NULL);
    make_set_of(file, "/scalar", H5T_IEEE_F64LE, 0, NULL, H5P_DEFAULT, 0, NULL);
    make_set_of(file, "/integers", H5T_STD_I32LE, 2, size, H5P_DEFAULT, 0, NULL);
    make_set_of(file, "/points", half, 2, size, H5P_DEFAULT, 0, NULL);
    make_set_of(file, "/mixed", mixed, 2, size, H5P_DEFAULT, 0, NULL);
    make_set_of(file, "/unwritten", H5T_IEEE_F64LE, 2, size, H5P_DEFAULT, 0, NULL);
    make_set_of(file, "/huge", H5T_IEEE_F64LE, 2, huge, chunked, 0, NULL);
    make_set_of(file, "/chunks", H5T_IEEE_F64LE, 2, large, chunked, 0, NULL);
    make_set_of(file, "/empty", H5T_IEEE_F64LE, 2, large, small_chunks, 0, NULL);
    make_set_of(file, "/outside", H5T_IEEE_F64LE, 2, small, outside, 0, NULL);
    H5Gclose(H5Gcreate2(file, "/group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Tclose(half);
    H5Tclose(mixed);
    H5Pclose(chunked);
    H5Pclose(small_chunks);
    H5Pclose(outside);
    H5Fclose(file);
}

static void unfit_files(ashi_test *t, const folder *f)
{
    static const struct {
        const char *name, *says;
    } cases[] = {
        {"/cube", "3 dimensions"},
        {"/scalar", "0 dimensions"},
        {"/integers", "neither float"},
        {"/points", "neither float"},
        {"/mixed", "neither float"},
        {"/unwritten", "0 are stored"},
        {"/huge", "shape that is too large"},
        {"/chunks", "packed chunks of more than 1 GiB"},
        {"/empty", "was never written"},
        {"/outside", "in other files"},
        {"/group", "has no data set /group"},
        {"/none", "has no data set /none"},
        {"/no/ne", "has no data set"},
    };
    char path[PATH_BYTES], place[PATH_BYTES];
    folder_name(f, "unfit.h5", path);
    make_unfit(path);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        snprintf(place, sizeof place, "%.900s:%s", path, cases[c].name);
        check_refused(t, place, ASHLAR_ERR_IO, cases[c].says);
    }
    check_refused(t, path, ASHLAR_ERR_ARG, "names no data set, wanted FILE.h5:/DATASET");
    snprintf(place, sizeof place, "%.900s:/", path);
    check_refused(t, place, ASHLAR_ERR_ARG, "names no data set");
    folder_name(f, "none.h5:/x", place);
    check_refused(t, place, ASHLAR_ERR_IO, "none.h5: cannot open: ");
    write_bytes(path, "no HDF5 at all", 14);
    snprintf(place, sizeof place, "%.900s:/x", path);
    check_refused(t, place, ASHLAR_ERR_IO, "cannot be opened as HDF5");
}

/* A file cut short anywhere is refused, or what is left of it reads as before; never more. */
static void truncated_files(ashi_test *t, const folder *f)
{
    char path[PATH_BYTES], place[PATH_BYTES];
    const ashi_store_info info = matrix_info(ASHLAR_TYPE_D, 10, 10, ASHLAR_ROW_MAJOR);
    struct stat st;
    folder_name(f, "cut.h5", path);
    folder_name(f, "cut.h5:/x", place);
    round_trip(t, place, info, info.type, false, 1);
    CHECK(t, stat(path, &st) == 0, "stat");
    for (off_t n = st.st_size - 1; n >= 0; n -= 97) {
        ashi_store *store = NULL;
        ashi_store_info found;
        CHECK(t, truncate(path, n) == 0, "truncate");
        CHECK(t, ashi_store_open(place, &store, &found, NULL) == ASHLAR_ERR_IO, "%ld bytes", (long)n);
        ashi_store_close(&store, NULL);
    }
}

/* Errors inside do not print, and the caller's own handler is there again afterwards. */
static void printing_is_restored(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES];
    H5E_auto2_t before = NULL, after = NULL;
    void *data = NULL;
    folder_name(f, "none.h5:/x", place);
    H5Eget_auto2(H5E_DEFAULT, &before, &data);
    check_refused(t, place, ASHLAR_ERR_IO, "cannot open");
    H5Eget_auto2(H5E_DEFAULT, &after, &data);
    CHECK(t, before == after, "the handler");
    CHECK(t, H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0, "objects were left open");
}

/* A file that the program has open itself, in its own way of closing and locking. */
static void files_in_use(ashi_test *t, const folder *f)
{
    char path[PATH_BYTES], place[PATH_BYTES];
    const ashi_store_info info = matrix_info(ASHLAR_TYPE_D, 9, 7, ASHLAR_ROW_MAJOR);
    folder_name(f, "used.h5", path);
    folder_name(f, "used.h5:/x", place);
    round_trip(t, place, info, info.type, false, 1);
    const unsigned ways[] = {H5F_ACC_RDONLY, H5F_ACC_RDWR};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        const hid_t file = H5Fopen(path, ways[i], H5P_DEFAULT);
        CHECK(t, file >= 0, "the program's own file");
        check_matrix(t, place, &info, 1);
        CHECK(t, H5Fclose(file) >= 0, "the program's own file was closed");
    }
    CHECK(t, H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) == 0, "objects were left open");
}

int main(void)
{
    ashi_test t = {0};
    const folder f = folder_make();
    random_shapes(&t, &f);
    other_contents_stay(&t, &f);
    foreign_files(&t, &f);
    unfit_files(&t, &f);
    truncated_files(&t, &f);
    joined_writers(&t, &f, "joined.h5:/deep/x", ASHLAR_TYPE_C);
    unpublished_is_harmless(&t, &f, "u.h5:/x", false);
    wrong_calls_are_refused(&t, &f, "w.h5:/x");
    files_in_use(&t, &f);
    printing_is_restored(&t, &f);
    folder_remove(&f);
    return ashi_test_end(&t, "store_hdf5");
}

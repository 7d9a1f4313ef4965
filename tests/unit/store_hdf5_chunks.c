/* store: packed HDF5 chunks are unpacked once, and what they take is said; others are read in pieces. */
#include "store/chunked.h"
#include "store_check.h"

#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* A filter's number that is free for trials. */
#define FILTER 301

/* 2 x 2 chunks of 18 MB, but the second of a row has one column only and the second of a column one row. */
enum { CHUNK = 1500, SIDE = CHUNK + 1 };

static int unpacked;

/* Leaves the data as they are, and counts. */
static size_t count(unsigned flags, size_t values_count, const unsigned values[], size_t bytes, size_t *room,
                    void **data)
{
    (void)values_count, (void)values, (void)room, (void)data;
    unpacked += (flags & H5Z_FLAG_REVERSE) != 0;
    return bytes;
}

static void make_file(ashi_test *t, const char *path, bool packed)
{
    const hsize_t size[2] = {SIDE, SIDE}, chunk[2] = {CHUNK, CHUNK};
    double *data = malloc(SIDE * SIDE * sizeof *data);
    if (!data)
        exit(1);
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            element(ASHLAR_TYPE_D, i, j, &data[i * SIDE + j]);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(2, size, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(list, 2, chunk);
    if (packed)
        H5Pset_filter(list, FILTER, H5Z_FLAG_MANDATORY, 0, NULL);
    const hid_t set = H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    CHECK(t, H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0, "the file");
    H5Dclose(set);
    H5Pclose(list);
    H5Sclose(space);
    H5Fclose(file);
    free(data);
}

/* Read a box in bands of so many rows. */
static void read_bands(ashi_test *t, ashi_store *store, const ashi_file_box *box, int64_t rows)
{
    for (int64_t at = 0; at < box->rows; at += rows) {
        test_box band = {.row = box->row + at, .rows = at + rows > box->rows ? box->rows - at : rows,
                         .col = box->col, .cols = box->cols, .row_stride = box->cols, .col_stride = 1};
        band.extent = band.rows * band.cols + 1;
        check_box_with(t, store, ASHLAR_TYPE_D, &band, element);
    }
}

static void each_chunk_is_unpacked_once(ashi_test *t, const char *path)
{
    const ashi_file_box whole = {0, SIDE, 0, SIDE};
    char place[PATH_BYTES + 20];
    ashi_store *store = NULL;
    ashi_store_info info;
    ashlar_error err = {0};
    snprintf(place, sizeof place, "%s:/x", path);
    make_file(t, path, true);
    CHECK(t, ashi_store_open(place, &store, &info, &err) == ASHLAR_OK, "%s", err.text);
    if (!store)
        return;
    const ashi_store_chunks chunks = ashi_store_packed(store);
    CHECK(t, chunks.rows == CHUNK && chunks.cols == CHUNK && chunks.bytes == INT64_C(3) * CHUNK * CHUNK * 8,
          "%" PRId64 " x %" PRId64 ", %" PRId64 " bytes", chunks.rows, chunks.cols, chunks.bytes);
    unpacked = 0;
    read_bands(t, store, &whole, SIDE);
    CHECK(t, unpacked == 4, "in one box: unpacked %d times", unpacked);
    unpacked = 0;
    ashi_chunked cells = ashi_chunked_of(&whole, chunks.rows, chunks.cols, 1 << 20);
    for (ashi_file_box cell; ashi_chunked_next(&cells, &cell);)
        read_bands(t, store, &cell, 400);
    CHECK(t, unpacked == 4, "in bands of cells: unpacked %d times", unpacked);
    ashi_store_close(&store, NULL);
}

static int64_t peak_bytes(void)
{
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss * INT64_C(1024);
}

/* A chunk that is not packed is never in memory as a whole. Another process makes the file, so that it does not raise
 * this one's peak. */
static void others_are_read_in_pieces(ashi_test *t, const char *path)
{
    static double line[SIDE];
    char place[PATH_BYTES + 20];
    ashi_store *store = NULL;
    ashi_store_info info;
    ashlar_error err = {0};
    int ended = -1;
    const pid_t child = fork();
    if (child == 0) {
        make_file(t, path, false);
        _exit(0);
    }
    CHECK(t, child > 0 && waitpid(child, &ended, 0) == child && ended == 0, "the file is not made");
    snprintf(place, sizeof place, "%s:/x", path);
    const int64_t before = peak_bytes();
    CHECK(t, ashi_store_open(place, &store, &info, &err) == ASHLAR_OK, "%s", err.text);
    if (!store)
        return;
    CHECK(t, ashi_store_packed(store).bytes == 0, "not packed");
    for (int64_t i = 0; i < SIDE; i += 100)
        CHECK(t, ashi_store_read(store, i, 1, 0, SIDE, line, SIDE, 1, &err) == ASHLAR_OK, "%s", err.text);
    ashi_store_close(&store, NULL);
    CHECK(t, peak_bytes() - before < CHUNK * CHUNK * 8, "%" PRId64 " bytes more", peak_bytes() - before);
}

/* The parts of a box are disjoint, fill it, and end at multiples of chunks or at its own end. */
static void cells_fill_a_box(ashi_test *t)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        uint64_t state = seed;
        const int64_t rows = ashi_random_in(&state, 1, 9), cols = ashi_random_in(&state, 1, 9);
        const ashi_file_box box = {ashi_random_in(&state, 0, 20), ashi_random_in(&state, 0, 20),
                                   ashi_random_in(&state, 0, 20), ashi_random_in(&state, 0, 20)};
        const int64_t room = ashi_random_in(&state, 1, 200);
        unsigned char seen[40][40] = {{0}};
        bool good = true;
        ashi_chunked cells = ashi_chunked_of(&box, rows, cols, room);
        for (ashi_file_box c; ashi_chunked_next(&cells, &c);) {
            good = good && c.rows > 0 && c.cols > 0 && (c.rows * c.cols <= room || (c.rows <= rows && c.cols <= cols));
            good = good && ((c.row + c.rows) % rows == 0 || c.row + c.rows == box.row + box.rows);
            good = good && ((c.col + c.cols) % cols == 0 || c.col + c.cols == box.col + box.cols);
            for (int64_t i = 0; i < c.rows; i++)
                for (int64_t j = 0; j < c.cols; j++)
                    seen[c.row + i][c.col + j]++;
        }
        for (int64_t i = 0; i < 40; i++)
            for (int64_t j = 0; j < 40; j++)
                good = good && seen[i][j] == (i >= box.row && i < box.row + box.rows && j >= box.col &&
                                              j < box.col + box.cols);
        CHECK(t, good, "seed %" PRIu64, seed);
    }
}

int main(void)
{
    static const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, FILTER, 1, 1, "count", NULL, NULL, count};
    ashi_test t = {0};
    char path[PATH_BYTES];
    const folder f = folder_make();
    folder_name(&f, "x.h5", path);
    cells_fill_a_box(&t);
    others_are_read_in_pieces(&t, path);
    CHECK(&t, H5Zregister(&filter) >= 0, "the filter");
    each_chunk_is_unpacked_once(&t, path);
    folder_remove(&f);
    return ashi_test_end(&t, "store_hdf5_chunks");
}

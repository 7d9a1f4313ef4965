/* What the tests of src/store share: a folder of their own, and properties that hold for every format. */
#ifndef ASHI_STORE_CHECK_H
#define ASHI_STORE_CHECK_H

#include "folder.h"
#include "store/store.h"
#include "test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static inline void write_bytes(const char *path, const void *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, n, file) != n || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

/* The element (row, col) of the test's matrix: the same in every type, up to rounding; never a NaN. */
static inline void element(ashlar_type type, int64_t row, int64_t col, void *out)
{
    uint64_t state = (uint64_t)(row * 1000003 + col);
    double d[2];
    float s[2];
    for (int part = 0; part < 2; part++) {
        d[part] = (double)(int64_t)ashi_random(&state) * 0x1p-80;
        s[part] = (float)d[part];
    }
    const bool single = type == ASHLAR_TYPE_S || type == ASHLAR_TYPE_C;
    memcpy(out, single ? (const void *)s : (const void *)d, ashlar_type_bytes(type));
}

static inline ashi_store_info matrix_info(ashlar_type type, int64_t rows, int64_t cols, ashlar_order order)
{
    return (ashi_store_info){.type = type, .rows = rows, .cols = cols, .order = order};
}

/* A box and the strides at which it lies in memory. */
typedef struct test_box {
    int64_t row, rows, col, cols, row_stride, col_stride, extent;
} test_box;

static inline void random_strides(test_box *b, uint64_t *state)
{
    const int64_t gap = ashi_random_in(state, 0, 2), step = ashi_random_in(state, 1, 2);
    if (ashi_random_in(state, 0, 1)) {
        b->row_stride = step;
        b->col_stride = b->rows * step + gap;
    } else {
        b->col_stride = step;
        b->row_stride = b->cols * step + gap;
    }
    b->extent = (b->rows + 1) * b->row_stride + (b->cols + 1) * b->col_stride + 1;
}

static inline test_box random_box(const ashi_store_info *info, uint64_t *state)
{
    test_box b;
    b.row = ashi_random_in(state, 0, info->rows);
    b.rows = ashi_random_in(state, 0, info->rows - b.row);
    b.col = ashi_random_in(state, 0, info->cols);
    b.cols = ashi_random_in(state, 0, info->cols - b.col);
    random_strides(&b, state);
    return b;
}

/* Memory for a box, every byte 0xA5, so that what should not be touched can be told. */
static inline char *box_memory(const test_box *b, ashlar_type type)
{
    const size_t bytes = (size_t)b->extent * ashlar_type_bytes(type);
    char *data = malloc(bytes);
    if (!data)
        exit(1);
    memset(data, 0xA5, bytes);
    return data;
}

static inline void write_box(ashi_test *t, ashi_store *store, ashlar_type type, const test_box *b)
{
    ashlar_error err = {0};
    const int64_t bytes = (int64_t)ashlar_type_bytes(type);
    char *data = box_memory(b, type);
    for (int64_t i = 0; i < b->rows; i++)
        for (int64_t j = 0; j < b->cols; j++)
            element(type, b->row + i, b->col + j, data + (i * b->row_stride + j * b->col_stride) * bytes);
    CHECK(t,
          ashi_store_write(store, b->row, b->rows, b->col, b->cols, data, b->row_stride, b->col_stride, &err) ==
              ASHLAR_OK,
          "%s", err.text);
    free(data);
}

/* Read a box; its elements are those of `wanted`, and memory between them is untouched. */
static inline void check_box_with(ashi_test *t, ashi_store *store, ashlar_type type, const test_box *b,
                                  void (*wanted)(ashlar_type, int64_t, int64_t, void *))
{
    ashlar_error err = {0};
    const size_t bytes = ashlar_type_bytes(type);
    char *data = box_memory(b, type), *right = box_memory(b, type);
    for (int64_t i = 0; i < b->rows; i++)
        for (int64_t j = 0; j < b->cols; j++)
            wanted(type, b->row + i, b->col + j, right + (size_t)(i * b->row_stride + j * b->col_stride) * bytes);
    const ashlar_status status =
        ashi_store_read(store, b->row, b->rows, b->col, b->cols, data, b->row_stride, b->col_stride, &err);
    CHECK(t, status == ASHLAR_OK, "%s", err.text);
    CHECK(t, memcmp(data, right, (size_t)b->extent * bytes) == 0,
          "box %" PRId64 "+%" PRId64 " x %" PRId64 "+%" PRId64 " strides %" PRId64 " %" PRId64, b->row, b->rows, b->col,
          b->cols, b->row_stride, b->col_stride);
    free(data);
    free(right);
}

/* The whole, and some boxes of it. Closes the store. */
static inline void check_contents(ashi_test *t, ashi_store *store, const ashi_store_info *info,
                                  const ashi_store_info *wanted, uint64_t seed)
{
    ashlar_error err = {0};
    uint64_t state = seed;
    CHECK(t, info->type == wanted->type && info->rows == wanted->rows && info->cols == wanted->cols, "seed %" PRIu64,
          seed);
    test_box whole = {.rows = info->rows, .cols = info->cols};
    random_strides(&whole, &state);
    check_box_with(t, store, info->type, &whole, element);
    for (int i = 0; i < 6; i++) {
        const test_box b = random_box(info, &state);
        check_box_with(t, store, info->type, &b, element);
    }
    CHECK(t, ashi_store_close(&store, &err) == ASHLAR_OK && !store, "%s", err.text);
}

static inline void check_matrix(ashi_test *t, const char *place, const ashi_store_info *wanted, uint64_t seed)
{
    ashi_store *store = NULL;
    ashi_store_info info;
    ashlar_error err = {0};
    CHECK(t, ashi_store_open(place, &store, &info, &err) == ASHLAR_OK, "seed %" PRIu64 " %s", seed, err.text);
    if (store)
        check_contents(t, store, &info, wanted, seed);
}

/* What is written can be read before it is published, and no longer be written to. */
static inline void check_unpublished(ashi_test *t, const char *place, ashi_store *store, ashi_store_info wanted,
                                     ashlar_type read_type, uint64_t seed)
{
    ashi_store *back = NULL;
    ashi_store_info info;
    ashlar_error err = {0};
    CHECK(t, ashi_store_finish(store, &err) == ASHLAR_OK, "seed %" PRIu64 " %s", seed, err.text);
    CHECK(t, ashi_store_write(store, 0, 0, 0, 0, NULL, 1, 1, NULL) == ASHLAR_ERR_ARG, "seed %" PRIu64, seed);
    CHECK(t, ashi_store_read_back(place, ashi_store_temporary(store), &back, &info, &err) == ASHLAR_OK,
          "seed %" PRIu64 " %s", seed, err.text);
    wanted.type = read_type;
    if (back)
        check_contents(t, back, &info, &wanted, seed);
    CHECK(t, ashi_store_finish(store, &err) == ASHLAR_OK, "twice is once, seed %" PRIu64 " %s", seed, err.text);
}

/* Write the test's matrix in panels: of whole columns from left to right, or cut both ways in any order. */
static inline void write_matrix(ashi_test *t, ashi_store *store, const ashi_store_info *info, bool columns,
                                uint64_t *state)
{
    const int64_t down = columns ? 1 : ashi_random_in(state, 1, 3), across = ashi_random_in(state, 1, 4);
    for (int64_t i = 0; i < down; i++)
        for (int64_t j = 0; j < across; j++) {
            const int64_t r = down - 1 - i; /* from the bottom up */
            test_box b = {.row = info->rows * r / down, .col = info->cols * j / across};
            b.rows = info->rows * (r + 1) / down - b.row;
            b.cols = info->cols * (j + 1) / across - b.col;
            random_strides(&b, state);
            write_box(t, store, info->type, &b);
        }
}

/* What is written and published is read again, in whatever boxes and strides. read_type is what reading finds. */
static inline void round_trip(ashi_test *t, const char *place, ashi_store_info info, ashlar_type read_type,
                              bool columns, uint64_t seed)
{
    ashi_store *store = NULL;
    ashlar_error err = {0};
    uint64_t state = seed;
    CHECK(t, ashi_store_create(place, &info, &store, &err) == ASHLAR_OK, "seed %" PRIu64 " %s", seed, err.text);
    if (!store)
        return;
    write_matrix(t, store, &info, columns, &state);
    if (seed % 2)
        check_unpublished(t, place, store, info, read_type, seed);
    CHECK(t, ashi_store_publish(store, &err) == ASHLAR_OK, "seed %" PRIu64 " %s", seed, err.text);
    CHECK(t, ashi_store_finish(store, NULL) == ASHLAR_ERR_ARG, "after publishing");
    CHECK(t, ashi_store_close(&store, &err) == ASHLAR_OK, "seed %" PRIu64 " %s", seed, err.text);
    info.type = read_type;
    check_matrix(t, place, &info, seed);
}

/* A matrix that two processes would write at once, one after the other here. */
static inline void joined_writers(ashi_test *t, const folder *f, const char *name, ashlar_type type)
{
    char place[PATH_BYTES];
    const ashi_store_info info = {.type = type, .rows = 9, .cols = 8, .order = ASHLAR_ROW_MAJOR};
    const ashi_store_info wrong = {.type = type, .rows = 8, .cols = 9, .order = ASHLAR_ROW_MAJOR};
    ashi_store *creator = NULL, *joined = NULL;
    ashlar_error err = {0};
    uint64_t state = 3;
    folder_name(f, name, place);
    CHECK(t, ashi_store_create_shared(place, &info, &creator, &err) == ASHLAR_OK, "%s", err.text);
    const char *temporary = ashi_store_temporary(creator);
    CHECK(t, ashi_store_join(place, temporary, &wrong, &joined, NULL) == ASHLAR_ERR_ARG && !joined, "another shape");
    CHECK(t, ashi_store_join(place, "/nowhere/x.npy", &info, &joined, NULL) == ASHLAR_ERR_IO, "no such file");
    CHECK(t, ashi_store_join(place, temporary, &info, &joined, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, !ashi_store_temporary(joined), "a joined store owns no file");
    for (int side = 1; side >= 0; side--) {
        test_box b = {.row = 0, .rows = 9, .col = side ? 5 : 0, .cols = side ? 3 : 5};
        random_strides(&b, &state);
        write_box(t, side ? joined : creator, info.type, &b);
    }
    CHECK(t, ashi_store_publish(joined, NULL) == ASHLAR_ERR_ARG, "only the creator publishes");
    CHECK(t, ashi_store_close(&joined, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, access(temporary, F_OK) == 0, "closing a joined store deletes nothing");
    CHECK(t, ashi_store_publish(creator, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, ashi_store_write(creator, 0, 1, 0, 1, &info, 1, 1, NULL) == ASHLAR_ERR_ARG, "after publishing");
    CHECK(t, !ashi_store_temporary(creator), "after publishing");
    ashi_store_close(&creator, NULL);
    check_matrix(t, place, &info, 5);
}

static inline ashi_store_info random_info(uint64_t *state)
{
    return (ashi_store_info){
        .type = (ashlar_type)ashi_random_in(state, 0, 3),
        .rows = ashi_random_in(state, 0, 30),
        .cols = ashi_random_in(state, 0, 30),
        .order = (ashlar_order)ashi_random_in(state, 0, 1),
    };
}

/* Opening, or reading the whole, fails with the status and one line that names the file and holds `says`. */
static inline void check_refused(ashi_test *t, const char *place, ashlar_status wanted, const char *says)
{
    ashi_store *store = NULL;
    ashi_store_info info;
    ashlar_error err = {0};
    ashlar_status status = ashi_store_open(place, &store, &info, &err);
    CHECK(t, (status == ASHLAR_OK) == (store != NULL), "%s", says);
    if (status == ASHLAR_OK) {
        test_box whole = {.rows = info.rows, .cols = info.cols, .row_stride = info.cols, .col_stride = 1};
        whole.extent = info.rows * info.cols + 1;
        char *data = box_memory(&whole, info.type);
        status = ashi_store_read(store, 0, info.rows, 0, info.cols, data, info.cols, 1, &err);
        free(data);
    }
    CHECK(t, status == wanted, "status %d, wanted %d (%s), says %s", (int)status, (int)wanted, says, err.text);
    CHECK(t, err.status == status && strstr(err.text, says) && !strchr(err.text, '\n'), "wanted '%s', says '%s'", says,
          err.text);
    ashi_store_close(&store, NULL);
}

/* An output that is not published leaves the old file as it was, and nothing beside it. */
static inline void unpublished_is_harmless(ashi_test *t, const folder *f, const char *name, bool columns)
{
    char place[PATH_BYTES];
    const ashi_store_info info = {.type = ASHLAR_TYPE_D, .rows = 5, .cols = 4, .order = ASHLAR_COL_MAJOR};
    const ashi_store_info other = {.type = ASHLAR_TYPE_Z, .rows = 3, .cols = 2, .order = ASHLAR_COL_MAJOR};
    ashi_store *store = NULL;
    ashlar_error err = {0};
    uint64_t state = 7;
    folder_name(f, name, place);
    round_trip(t, place, info, ASHLAR_TYPE_D, columns, 1);
    const int files = folder_files(f, false);
    CHECK(t, ashi_store_create(place, &other, &store, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, ashi_store_temporary(store) && access(ashi_store_temporary(store), F_OK) == 0, "the temporary file");
    write_matrix(t, store, &other, columns, &state);
    CHECK(t, ashi_store_close(&store, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, folder_files(f, false) == files, "a file was left behind");
    check_matrix(t, place, &info, 2);
    round_trip(t, place, other, ASHLAR_TYPE_Z, columns, 3);
    CHECK(t, folder_files(f, false) == files, "a file was left behind");
}

/* Boxes that reach outside, and calls that do not fit how the store was opened. */
static inline void wrong_calls_are_refused(ashi_test *t, const folder *f, const char *name)
{
    char place[PATH_BYTES];
    const ashi_store_info info = {.type = ASHLAR_TYPE_D, .rows = 3, .cols = 2, .order = ASHLAR_COL_MAJOR};
    ashi_store_info found;
    ashi_store *store = NULL;
    double data[6] = {0};
    folder_name(f, name, place);
    round_trip(t, place, info, ASHLAR_TYPE_D, true, 4);
    CHECK(t, ashi_store_open(place, &store, &found, NULL) == ASHLAR_OK, "open");
    CHECK(t, ashi_store_read(store, 0, 4, 0, 1, data, 1, 3, NULL) == ASHLAR_ERR_ARG, "too many rows");
    CHECK(t, ashi_store_read(store, -1, 1, 0, 1, data, 1, 3, NULL) == ASHLAR_ERR_ARG, "negative");
    CHECK(t, ashi_store_read(store, 1, INT64_MAX, 0, 1, data, 1, 3, NULL) == ASHLAR_ERR_ARG, "overflow");
    CHECK(t, ashi_store_read(store, 0, 1, 2, 1, data, 1, 3, NULL) == ASHLAR_ERR_ARG, "beyond the last column");
    CHECK(t, ashi_store_read(store, 0, 3, 0, 2, NULL, 1, 3, NULL) == ASHLAR_ERR_ARG, "NULL");
    CHECK(t, ashi_store_read(store, 3, 0, 2, 0, NULL, 1, 3, NULL) == ASHLAR_OK, "empty");
    CHECK(t, ashi_store_write(store, 0, 3, 0, 2, data, 1, 3, NULL) == ASHLAR_ERR_ARG, "opened for reading");
    CHECK(t, ashi_store_publish(store, NULL) == ASHLAR_ERR_ARG, "opened for reading");
    CHECK(t, ashi_store_close(&store, NULL) == ASHLAR_OK, "close");
    CHECK(t, ashi_store_create(place, &info, &store, NULL) == ASHLAR_OK, "create");
    CHECK(t, ashi_store_read(store, 0, 3, 0, 2, data, 1, 3, NULL) == ASHLAR_ERR_ARG, "opened for writing");
    CHECK(t, ashi_store_write(store, 0, 3, 1, 2, data, 1, 3, NULL) == ASHLAR_ERR_ARG, "outside");
    CHECK(t, ashi_store_close(&store, NULL) == ASHLAR_OK && ashi_store_close(&store, NULL) == ASHLAR_OK, "twice");
}

#endif

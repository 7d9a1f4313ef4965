/* store: 16-bit numbers in files are read as the floats that they are. */
#include "base/half.h"
#include "store_check.h"

#include <hdf5.h>
#include <math.h>

enum { ALL = 1 << 16, SIDE = 256 };

/* The value by arithmetic, from the definition of IEEE 754. */
static double value_of(int half)
{
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    const double sign = half & 0x8000 ? -1 : 1;
    if (exponent == 31)
        return fraction ? NAN : sign * INFINITY;
    return sign * (exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25));
}

/* The same value, sign of zero and of NaN included. */
static bool is_right(float found, int half)
{
    const double wanted = value_of(half);
    if (isnan(wanted))
        return isnan(found) && !!signbit(found) == (half >> 15);
    return (double)found == wanted && !!signbit(found) == (half >> 15);
}

static void every_number(ashi_test *t, const folder *f)
{
    (void)f;
    for (int half = 0; half < ALL; half++)
        CHECK(t, is_right(ashi_half_to_float((uint16_t)half), half), "%#x is %a, wanted %a", (unsigned)half,
              (double)ashi_half_to_float((uint16_t)half), value_of(half));
}

/* Halves that lie at the end of the floats' memory, as HDF5's do, in either order of bytes. */
static void in_place(ashi_test *t, const folder *f)
{
    static float both[ALL];
    (void)f;
    for (int swapped = 0; swapped < 2; swapped++) {
        char *halves = (char *)both + ASHI_HALF_BYTES * ALL;
        for (int half = 0; half < ALL; half++) {
            const uint16_t stored = (uint16_t)(swapped ? (half & 255) << 8 | half >> 8 : half);
            memcpy(halves + ASHI_HALF_BYTES * half, &stored, ASHI_HALF_BYTES);
        }
        ashi_half_to_floats(ALL, halves, swapped, both);
        for (int half = 0; half < ALL; half++)
            CHECK(t, is_right(both[half], half), "in place: %#x is %a", (unsigned)half, (double)both[half]);
    }
}

/* Element (i, j) of all files: each number is once among them. */
static int half_at(int64_t i, int64_t j)
{
    return (int)((i * SIDE + j) * 40503 % ALL);
}

/* Random boxes with random strides, and every element. */
static void check_file(ashi_test *t, const char *place)
{
    ashi_store *store = NULL;
    ashi_store_info info = {0};
    ashlar_error err = {0};
    uint64_t state = 7;
    CHECK(t, ashi_store_open(place, &store, &info, &err) == ASHLAR_OK, "%s", err.text);
    if (!store)
        return;
    CHECK(t, info.type == ASHLAR_TYPE_S && info.half && info.rows == SIDE && info.cols == SIDE, "%s: its shape", place);
    CHECK(t, ashi_store_plain_of(store).fd < 0, "%s: 16-bit elements are offered as plain ones", place);
    for (int trial = 0; trial < 40; trial++) {
        test_box b = random_box(&info, &state);
        if (trial == 0) {
            b = (test_box){.rows = SIDE, .cols = SIDE};
            random_strides(&b, &state);
        }
        char *data = box_memory(&b, info.type);
        CHECK(t, ashi_store_read(store, b.row, b.rows, b.col, b.cols, data, b.row_stride, b.col_stride, &err) ==
                     ASHLAR_OK, "%s", err.text);
        for (int64_t i = 0; i < b.rows; i++)
            for (int64_t j = 0; j < b.cols; j++) {
                float found;
                memcpy(&found, data + (i * b.row_stride + j * b.col_stride) * (int64_t)sizeof found, sizeof found);
                CHECK(t, is_right(found, half_at(b.row + i, b.col + j)), "%s: (%d, %d) is %a", place, (int)(b.row + i),
                      (int)(b.col + j), (double)found);
            }
        free(data);
    }
    ashi_store_close(&store, NULL);
}

static void make_npy(const char *path, bool big, bool by_columns)
{
    unsigned char bytes[128 + ASHI_HALF_BYTES * ALL];
    memset(bytes, ' ', 128);
    memcpy(bytes, "\x93NUMPY\x01\0\x76", 10);
    bytes[9] = 0;
    const int n = snprintf((char *)bytes + 10, 118, "{'descr': '%cf2', 'fortran_order': %s, 'shape': (%d, %d), }",
                           big ? '>' : '<', by_columns ? "True" : "False", SIDE, SIDE);
    bytes[10 + n] = ' ';
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            const int half = half_at(i, j), at = by_columns ? j * SIDE + i : i * SIDE + j;
            bytes[128 + 2 * at + (big ? 1 : 0)] = (unsigned char)(half & 255);
            bytes[128 + 2 * at + (big ? 0 : 1)] = (unsigned char)(half >> 8);
        }
    write_bytes(path, bytes, sizeof bytes);
}

static void npy_files(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES];
    folder_name(f, "half.npy", place);
    for (int form = 0; form < 4; form++) {
        make_npy(place, form & 1, form & 2);
        check_file(t, place);
    }
}

/* The type as h5py makes it. */
static hid_t half_type(bool big)
{
    const hid_t type = H5Tcopy(big ? H5T_IEEE_F32BE : H5T_IEEE_F32LE);
    H5Tset_fields(type, 15, 10, 5, 0, 10);
    H5Tset_size(type, ASHI_HALF_BYTES);
    H5Tset_ebias(type, 15);
    return type;
}

/* Contiguous, chunked or packed. HDF5 is given the numbers as they are in the file, and converts nothing. */
static void make_hdf5(ashi_test *t, const char *path, bool big, int layout)
{
    static unsigned char data[ASHI_HALF_BYTES * ALL];
    const hsize_t size[2] = {SIDE, SIDE}, chunk[2] = {100, 37};
    for (int i = 0; i < ALL; i++) {
        const int half = half_at(i / SIDE, i % SIDE);
        data[2 * i + (big ? 1 : 0)] = (unsigned char)(half & 255);
        data[2 * i + (big ? 0 : 1)] = (unsigned char)(half >> 8);
    }
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), type = half_type(big);
    const hid_t space = H5Screate_simple(2, size, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    if (layout > 0)
        H5Pset_chunk(list, 2, chunk);
    if (layout > 1) {
        H5Pset_shuffle(list);
        H5Pset_deflate(list, 1);
    }
    const hid_t set = H5Dcreate2(file, "x", type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    CHECK(t, H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0, "the file");
    H5Dclose(set);
    H5Pclose(list);
    H5Sclose(space);
    H5Tclose(type);
    H5Fclose(file);
}

static void hdf5_files(ashi_test *t, const folder *f)
{
    char path[PATH_BYTES], place[PATH_BYTES + 4];
    folder_name(f, "half.h5", path);
    snprintf(place, sizeof place, "%s:/x", path);
    for (int form = 0; form < 6; form++) {
        make_hdf5(t, path, form & 1, form / 2);
        check_file(t, place);
    }
}

/* What is created is never of 16 bits, whatever it was described like. */
static void nothing_is_written_so(ashi_test *t, const folder *f)
{
    char place[PATH_BYTES];
    const float x = 1;
    ashi_store_info info = {.type = ASHLAR_TYPE_S, .half = true, .rows = 1, .cols = 1};
    ashi_store *store = NULL;
    ashlar_error err = {0};
    struct stat st = {0};
    folder_name(f, "made.npy", place);
    CHECK(t, ashi_store_create(place, &info, &store, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, ashi_store_write(store, 0, 1, 0, 1, &x, 1, 1, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(t, ashi_store_publish(store, &err) == ASHLAR_OK, "%s", err.text);
    ashi_store_describe(store, &info);
    ashi_store_close(&store, NULL);
    CHECK(t, !info.half && stat(place, &st) == 0 && st.st_size % 64 == 4, "%d bytes", (int)st.st_size);
}

int main(void)
{
    ashi_test t = {0};
    folder f = folder_make();
    every_number(&t, &f);
    in_place(&t, &f);
    npy_files(&t, &f);
    hdf5_files(&t, &f);
    nothing_is_written_so(&t, &f);
    folder_remove(&f);
    return ashi_test_end(&t, "store_half");
}

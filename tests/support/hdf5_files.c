/* HDF5 files that the command does not make itself, for the tests of the command; made in the current folder.
 *
 * packed.h5: /x, 1500 x 1500 small integers in one packed chunk of 18 MB, and /plain, the same without chunks.
 * mine.h5: /g, an external link to the group /h of other.h5. other.h5: /h/m, 4 x 3.
 *
 * With FILE SHAPE CHUNK [LEVEL] it makes FILE with the data set /x of that shape, such as 40x30x20, in such chunks,
 * packed by gzip of that level if it is not 0. Elements are random multiples of 1/8 from -4 to 4. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 1500 };

static double data[SIDE * SIDE];

/* Returns 0, or 1 on failure. */
static int make(hid_t file, const char *name, hsize_t rows, hsize_t cols, int packed)
{
    const hsize_t size[2] = {rows, cols};
    const hid_t space = H5Screate_simple(2, size, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    int bad = packed && (H5Pset_chunk(list, 2, size) < 0 || H5Pset_shuffle(list) < 0 || H5Pset_fletcher32(list) < 0);
    const hid_t set = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    bad |= H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0;
    bad |= H5Dclose(set) < 0;
    bad |= H5Pclose(list) < 0;
    bad |= H5Sclose(space) < 0;
    return bad;
}

/* Read "40x30x20". Returns how many numbers there are, or 0. */
static int read_shape(const char *text, hsize_t shape[H5S_MAX_RANK])
{
    int order = 0;
    for (char *end = NULL; order < H5S_MAX_RANK; text = end + 1) {
        shape[order++] = strtoull(text, &end, 10);
        if (end == text || (*end != 'x' && *end != '\0'))
            return 0;
        if (*end == '\0')
            return order;
    }
    return 0;
}

static double *random_elements(hsize_t count)
{
    double *const a = malloc((size_t)count * sizeof *a);
    unsigned long long state = 1;
    for (hsize_t e = 0; a && e < count; e++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        a[e] = (double)(state >> 58) / 8 - 4;
    }
    return a;
}

static int make_chunked(const char *path, const char *shape_text, const char *chunk_text, unsigned level)
{
    hsize_t shape[H5S_MAX_RANK], chunk[H5S_MAX_RANK], count = 1;
    const int order = read_shape(shape_text, shape);
    if (order == 0 || read_shape(chunk_text, chunk) != order)
        return 1;
    for (int d = 0; d < order; d++)
        count *= shape[d];
    double *const elements = random_elements(count);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(order, shape, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    int bad = !elements || H5Pset_chunk(list, order, chunk) < 0 || (level > 0 && H5Pset_deflate(list, level) < 0);
    const hid_t set = H5Dcreate2(file, "/x", H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    bad = bad || H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, elements) < 0;
    bad |= H5Dclose(set) < 0;
    bad |= H5Pclose(list) < 0;
    bad |= H5Sclose(space) < 0;
    bad |= H5Fclose(file) < 0;
    free(elements);
    return bad;
}

int main(int argc, char **argv)
{
    if (argc == 4 || argc == 5)
        return make_chunked(argv[1], argv[2], argv[3], argc == 5 ? (unsigned)atoi(argv[4]) : 0) ? EXIT_FAILURE
                                                                                               : EXIT_SUCCESS;
    for (int e = 0; e < SIDE * SIDE; e++)
        data[e] = (double)(e % 7 - 3);
    hid_t file = H5Fcreate("packed.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    int bad = make(file, "/x", SIDE, SIDE, 1) || make(file, "/plain", SIDE, SIDE, 0) || H5Fclose(file) < 0;
    file = H5Fcreate("other.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    bad |= H5Gclose(H5Gcreate2(file, "/h", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)) < 0;
    bad |= make(file, "/h/m", 4, 3, 0) || H5Fclose(file) < 0;
    file = H5Fcreate("mine.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    bad |= H5Lcreate_external("other.h5", "/h", file, "/g", H5P_DEFAULT, H5P_DEFAULT) < 0 || H5Fclose(file) < 0;
    return bad ? EXIT_FAILURE : EXIT_SUCCESS;
}

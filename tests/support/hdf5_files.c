/* HDF5 files that the command does not make itself, for the tests of the command; made in the current folder.
 *
 * packed.h5: /x, 1500 x 1500 small integers in one packed chunk of 18 MB, and /plain, the same without chunks.
 * mine.h5: /g, an external link to the group /h of other.h5. other.h5: /h/m, 4 x 3. */
#include <hdf5.h>
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

int main(void)
{
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

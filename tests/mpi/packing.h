/* A matrix in an HDF5 file, packed in chunks as this library does not write it. */
#ifndef ASHI_PACKING_H
#define ASHI_PACKING_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdlib.h>

/* Replace a data set of two dimensions by one of the same elements, packed in chunks of at most 9 x 7. */
static inline bool pack_set(const char *path, const char *name)
{
    hsize_t size[2] = {0, 0}, chunk[2];
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), set = H5Dopen2(file, name, H5P_DEFAULT);
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set), list = H5Pcreate(H5P_DATASET_CREATE);
    bool good = H5Sget_simple_extent_dims(space, size, NULL) == 2;
    void *data = malloc((size_t)(size[0] * size[1]) * H5Tget_size(type) + 1);
    chunk[0] = size[0] < 9 ? size[0] : 9;
    chunk[1] = size[1] < 7 ? size[1] : 7;
    good = good && data && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0 && H5Dclose(set) >= 0 &&
           H5Ldelete(file, name, H5P_DEFAULT) >= 0 && H5Pset_chunk(list, 2, chunk) >= 0 && H5Pset_shuffle(list) >= 0 &&
           H5Pset_fletcher32(list) >= 0;
    const hid_t packed = good ? H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT) : H5I_INVALID_HID;
    good = good && packed >= 0 && H5Dwrite(packed, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0;
    good = good && H5Dclose(packed) >= 0 && H5Tclose(type) >= 0 && H5Sclose(space) >= 0 && H5Pclose(list) >= 0;
    good = good && H5Fclose(file) >= 0;
    free(data);
    return good;
}

#endif

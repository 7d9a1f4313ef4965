/* Numbers of a list of a matrix of tiles in an HDF5 file. */
#include "store/hdf5_error.h"
#include "store/hdf5_file.h"
#include "store/tile_lists.h"

static hid_t list_memory(ashi_tile_list list)
{
    return list == ASHI_TILE_NORMS ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
}

ashlar_status ashi_tile_list_numbers(const ashi_tile_file *file, ashi_tile_list list, int64_t first, int64_t count,
                                     void *data, ashlar_error *err)
{
    const hsize_t start = (hsize_t)first, number = (hsize_t)count;
    if (count == 0)
        return ASHLAR_OK;
    const hid_t outside = H5Dget_space(file->set[list]);
    const hid_t inside = outside < 0 ? H5I_INVALID_HID : H5Screate_simple(1, &number, NULL);
    const bool good = inside >= 0 &&
                      H5Sselect_hyperslab(outside, H5S_SELECT_SET, &start, NULL, &number, NULL) >= 0 &&
                      H5Dread(file->set[list], list_memory(list), inside, outside, H5P_DEFAULT, data) >= 0;
    const ashi_file_place place = ashi_tile_list_place(file, list);
    const ashlar_status status = good ? ASHLAR_OK : ashi_hdf5_fail(&place, "cannot read a list of tiles", err);
    ashi_hdf5_close(inside);
    ashi_hdf5_close(outside);
    return status;
}

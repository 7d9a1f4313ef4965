/* HDF5 files as a whole: opened to be read, and begun as an output. */
#ifndef ASHI_STORE_HDF5_FILE_H
#define ASHI_STORE_HDF5_FILE_H

#include "store/format.h"

#include <hdf5.h>

/* Open a file to be read; negative on failure. Locks that the file system cannot give are done without. Without `lock`
 * none is asked for: a temporary file is locked by its output, and if the two kinds of lock are one HDF5's would
 * fail. A file that the program has opened itself, by the same HDF5, is opened as it did that. */
hid_t ashi_hdf5_open_file(const char *path, bool lock);

/* How a data set with this list of properties is stored: its layout, and whether its data are in other files. False:
 * HDF5 fails. */
bool ashi_hdf5_storage(hid_t list, H5D_layout_t *layout, bool *elsewhere);

/* Open an output's temporary file to be written: empty, or with what the existing file holds. `bytes` of elements will
 * be added. The caller closes *file. ASHLAR_ERR_IO: the existing file is no HDF5, or the disk is too full;
 * ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_hdf5_begin_file(const ashi_file_place *place, ashi_output *out, int64_t bytes, hid_t *file,
                                   ashlar_error *err);

#endif

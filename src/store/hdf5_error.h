/* Entering HDF5, one thread at a time and with nothing printed, leaving it, and reporting its errors. */
#ifndef ASHI_STORE_HDF5_ERROR_H
#define ASHI_STORE_HDF5_ERROR_H

#include "base/error.h"
#include "store/format.h"

#include <hdf5.h>

/* The printing of errors as the program had set it. */
typedef struct ashi_hdf5_printing {
    H5E_auto2_t function;
    void *data;
} ashi_hdf5_printing;

/* Every entry of the table calls these two, first and last, and none calls another entry. Between them there is one
 * thread at a time: a thread may read beside the calling one, and few builds of HDF5 allow several. Nor does HDF5 do
 * anything as the process ends: a file that could not be flushed stays open in HDF5, which would flush it once more,
 * and crash on what is left of it. Stores close all they open. */
ashi_hdf5_printing ashi_hdf5_enter(void);
void ashi_hdf5_leave(ashi_hdf5_printing was);

/* Close a type, a space, a property list or an object; a negative one is none. Each call of HDF5 empties its list of
 * errors, but not this one, so that ashi_hdf5_fail still has the reason of the call that failed before. */
void ashi_hdf5_close(hid_t id);

/* ASHLAR_ERR_IO with "PATH: what (HDF5: reason)", for the last call of HDF5 but ashi_hdf5_close. */
ashlar_status ashi_hdf5_fail(const ashi_file_place *place, const char *what, ashlar_error *err);

/* ASHLAR_ERR_IO with "PATH: text" if a file is not as it should be; if the last call of HDF5 failed, so that this only
 * seems so, "PATH: text (HDF5: reason)". */
ashlar_status ashi_hdf5_refuse(const ashi_file_place *place, ashlar_error *err, const char *format, ...)
    ASHI_PRINTF(3, 4);

#endif

/* Boxes moved from an open HDF5 data set to memory, piece by piece, so that a packed chunk is unpacked once. */
#ifndef ASHI_STORE_HDF5_CHUNKS_H
#define ASHI_STORE_HDF5_CHUNKS_H

#include "store/format.h"
#include "store/half_file.h"

#include <hdf5.h>

/* The state of an HDF5 store. */
typedef struct ashi_hdf5 {
    hid_t file, set, memory;        /* memory: the type of an element there */
    int64_t chunk[ASHI_DIMENSIONS_MAX]; /* at whose multiples pieces end; 1 if chunks are large and not packed */
    int64_t chunk_bytes;            /* of a packed chunk once unpacked, 0 if chunks are not packed */
    char *buffer;                   /* that pieces pass through */
    ashi_half_file *halves;         /* of 16-bit numbers that lie in the file one by one; else NULL */
} ashi_hdf5;

/* Read how the data set is cut into chunks and whether they are packed, with `list`, its properties; set
 * store->chunks. ASHLAR_ERR_IO: nothing was ever written; packed chunks that are too large. */
ashlar_status ashi_hdf5_take_chunks(ashi_store *store, hid_t list, ashlar_error *err);

ashlar_status ashi_hdf5_make_buffer(ashi_hdf5 *f, ashlar_error *err);

/* Move a box to memory. */
ashlar_status ashi_hdf5_move(const ashi_store *store, const ashi_array_box *box, char *to, ashlar_error *err);

#endif

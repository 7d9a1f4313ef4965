/* Element types of HDF5 data sets: real IEEE numbers of 16, 32 and 64 bits, and complex ones as a compound of two. */
#ifndef ASHI_STORE_HDF5_TYPE_H
#define ASHI_STORE_HDF5_TYPE_H

#include <ashlar/base.h>
#include <hdf5.h>

/* Which of our types an HDF5 type is, and a new HDF5 type of such elements in this machine's memory, with the names of
 * the parts that the file has; the caller closes it. *half: elements have 16 bits in the file and in that memory, and
 * are to be converted to type s. False where it is none of them, *memory untouched. */
bool ashi_hdf5_type_of(hid_t type, ashlar_type *out, bool *half, hid_t *memory);

/* Whether elements of the type `stored` lie in the file as those of the type `memory` do in memory, or with the bytes
 * of real numbers in the other order, which is told. */
bool ashi_hdf5_type_is_plain(hid_t stored, hid_t memory, bool *swapped);

/* A new type of such elements in memory, the parts of a complex number named r and i as h5py does; negative on
 * failure. */
hid_t ashi_hdf5_type_make(ashlar_type type);

#endif

/* Names in an HDF5 file, followed inside that file only.
 *
 * An external link leads into another file, which would be read under this one's name, or, when a data set is created,
 * changed in place. It is refused wherever it stands: as the name itself, before it, or behind a soft link. */
#ifndef ASHI_STORE_HDF5_LINKS_H
#define ASHI_STORE_HDF5_LINKS_H

#include "store/format.h"

#include <hdf5.h>

/* Bytes of a data set's chunks that HDF5 keeps in memory, those that were read last. */
#define ASHI_HDF5_KEPT_BYTES (INT64_C(1) << 20)

/* Open the place's data set. HDF5 keeps chunks of `cache_bytes`, and at least of ASHI_HDF5_KEPT_BYTES. The caller
 * closes *set. ASHLAR_ERR_IO: there is none, or an external link leads to it. */
ashlar_status ashi_hdf5_open_set(const ashi_file_place *place, hid_t file, int64_t cache_bytes, hid_t *set,
                                 ashlar_error *err);

/* Open whatever the place's name stands for. The caller closes *object. ASHLAR_ERR_IO: there is nothing, or an external
 * link leads to it. */
ashlar_status ashi_hdf5_open_object(const ashi_file_place *place, hid_t file, hid_t *object, ashlar_error *err);

/* Free the place's name for a new data set: whatever other names the old one has, keep it. HDF5 uses its room again if
 * it has none. Only a data set is replaced, or a soft link to one or to nothing, or what `also` says may be (NULL:
 * nothing); never a group with all that is in it.
 * ASHLAR_ERR_IO: something else is there, or an external link leads to it. */
ashlar_status ashi_hdf5_free_name(const ashi_file_place *place, hid_t file, bool (*also)(hid_t object),
                                  ashlar_error *err);

#endif

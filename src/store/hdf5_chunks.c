/* Boxes moved from an open HDF5 data set to memory, piece by piece, so that a packed chunk is unpacked once. */
#include "store/hdf5_chunks.h"

#include "base/checked.h"
#include "store/cells.h"
#include "store/file.h"
#include "base/half.h"
#include "store/hdf5_error.h"
#include "store/hdf5_links.h"
#include "store/unfolding_move.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The buffer that boxes pass through. */
#define BUFFER_BYTES (INT64_C(1) << 20)

/* HDF5 holds a whole packed chunk in memory: one of more than this is taken for hostile. */
#define PACKED_BYTES_MAX (INT64_C(1) << 30)

/* Bytes of an element in the file, where a compound type may be wider than in memory; 0 if HDF5 fails. */
static int64_t stored_bytes(const ashi_hdf5 *f)
{
    const hid_t type = H5Dget_type(f->set);
    const int64_t bytes = type < 0 ? 0 : (int64_t)H5Tget_size(type);
    ashi_hdf5_close(type);
    return bytes;
}

/* Chunks of 64 KiB and more are asked for one by one: what the system would read ahead of them is mostly not wanted. */
static void expect_chunks(const ashi_hdf5 *f, int64_t bytes)
{
    void *handle = NULL;
    const hid_t access = H5Fget_access_plist(f->file);
    if (access >= 0 && bytes >= 65536 && H5Pget_driver(access) == H5FD_SEC2 &&
        H5Fget_vfd_handle(f->file, H5P_DEFAULT, &handle) >= 0 && handle)
        posix_fadvise(*(const int *)handle, 0, 0, POSIX_FADV_RANDOM);
    ashi_hdf5_close(access);
}

/* HDF5 reads a chunk whole if it is packed or has room in what it keeps, and keeps the last one. While it unpacks one,
 * the chunk before, the packed bytes and, for some filters, a second copy are there too: three times the chunk is what
 * was measured at most. */
static void take_whole(ashi_store *store, int64_t bytes, bool packed)
{
    ashi_hdf5 *f = store->state;
    double chunks = 1, words = 1;
    f->chunk_bytes = bytes;
    memcpy(store->chunk, f->chunk, sizeof store->chunk);
    store->chunks_kept = ashi_max(ASHI_HDF5_KEPT_BYTES / bytes, 1);
    for (int d = 0; d < store->info.dimensions; d++) {
        chunks *= (double)ashi_ceil_div(ashi_max(store->info.extent[d], 1), f->chunk[d]);
        words *= (double)ashi_max(store->info.extent[d], 1) / (double)f->chunk[d];
    }
    store->chunk_stored = (double)H5Dget_storage_size(f->set) / (packed ? words : chunks);
    store->chunks = (ashi_store_chunks){
        .rows = f->chunk[0], .cols = store->info.dimensions > 1 ? f->chunk[1] : 1, .bytes = 3 * bytes,
        .word_bytes = store->chunk_stored * (double)stored_bytes(f) / (double)bytes, .packed = packed};
}

ashlar_status ashi_hdf5_take_chunks(ashi_store *store, hid_t list, ashlar_error *err)
{
    ashi_hdf5 *f = store->state;
    const int dimensions = store->info.dimensions;
    hsize_t chunk[H5S_MAX_RANK] = {1};
    const int filters = H5Pget_nfilters(list);
    if (filters < 0 || H5Pget_chunk(list, dimensions, chunk) != dimensions)
        return ashi_hdf5_fail(&store->place, "the data set's chunks cannot be read", err);
    int64_t bytes = stored_bytes(f);
    if (bytes == 0)
        return ashi_hdf5_fail(&store->place, "the data set's element type cannot be read", err);
    bool counted = true;
    for (int d = 0; d < dimensions; d++)
        counted = counted && chunk[d] >= 1 && chunk[d] <= UINT32_MAX && ashi_mul(bytes, (int64_t)chunk[d], &bytes);
    if (!counted || (filters > 0 && bytes > PACKED_BYTES_MAX))
        return ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path,
                              "data set %.100s has %schunks of more than 1 GiB", store->place.data_set,
                              filters > 0 ? "packed " : "");
    for (int d = 0; d < dimensions && (filters > 0 || bytes <= BUFFER_BYTES); d++)
        f->chunk[d] = (int64_t)chunk[d];
    if (filters > 0 || bytes <= BUFFER_BYTES)
        take_whole(store, bytes, filters > 0);
    expect_chunks(f, bytes);
    if (store->info.rows > 0 && store->info.cols > 0 && H5Dget_storage_size(f->set) == 0)
        return ashi_hdf5_refuse(&store->place, err, "data set %.100s was never written", store->place.data_set);
    return ASHLAR_OK;
}

ashlar_status ashi_hdf5_make_buffer(ashi_hdf5 *f, ashlar_error *err)
{
    f->buffer = malloc((size_t)BUFFER_BYTES);
    return f->buffer ? ASHLAR_OK : ashi_fail_memory(err, "HDF5", BUFFER_BYTES);
}

/* The first filter of the data set that this HDF5 does not have, as "lzf (filter 32000)"; empty if it has all. */
static void name_missing_filter(const ashi_hdf5 *f, char *out, size_t room)
{
    const hid_t list = H5Dget_create_plist(f->set);
    const int filters = list < 0 ? 0 : H5Pget_nfilters(list);
    out[0] = '\0';
    for (int i = 0; i < filters && !out[0]; i++) {
        char name[64] = "";
        unsigned flags = 0, config = 0;
        size_t values = 0;
        const H5Z_filter_t filter =
            H5Pget_filter2(list, (unsigned)i, &flags, &values, NULL, sizeof name, name, &config);
        if (filter >= 0 && H5Zfilter_avail(filter) <= 0)
            snprintf(out, room, "%.*s (filter %d)", (int)sizeof name - 1, name[0] ? name : "a nameless one",
                     (int)filter);
    }
    ashi_hdf5_close(list);
}

static ashlar_status fail_reading(const ashi_store *store, ashlar_error *err)
{
    char filter[100];
    const ashlar_status status = ashi_hdf5_fail(&store->place, "cannot read", err);
    name_missing_filter(store->state, filter, sizeof filter);
    return filter[0] ? ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path,
                                      "data set %.60s is packed with %s, which this HDF5 does not have; no plugin was "
                                      "found", store->place.data_set, filter)
                     : status;
}

/* Whether halves become floats. */
static bool widens(const ashi_store *store)
{
    return store->info.half && store->info.type != ASHLAR_TYPE_H;
}

/* Where HDF5 puts the elements of a piece: at the end of their room in the buffer if they are halves, so that they can
 * be converted from there to its beginning. */
static char *landing_of(const ashi_store *store, const ashi_array_box *piece)
{
    const ashi_hdf5 *f = store->state;
    return widens(store) ? f->buffer + ashi_array_box_words(piece) * ASHI_HALF_BYTES : f->buffer;
}

/* Read one piece, at most a buffer full, to the buffer. */
static ashlar_status fill(const ashi_store *store, const ashi_array_box *piece, ashlar_error *err)
{
    const ashi_hdf5 *f = store->state;
    hsize_t start[H5S_MAX_RANK], count[H5S_MAX_RANK];
    for (int d = 0; d < piece->order; d++) {
        start[d] = (hsize_t)piece->from[d];
        count[d] = (hsize_t)piece->extent[d];
    }
    const bool scalar = piece->order == 0;
    const hid_t outside = H5Dget_space(f->set);
    const hid_t inside = outside < 0 ? H5I_INVALID_HID
                         : scalar    ? H5Screate(H5S_SCALAR)
                                     : H5Screate_simple(piece->order, count, NULL);
    bool good = inside >= 0 &&
                (scalar || H5Sselect_hyperslab(outside, H5S_SELECT_SET, start, NULL, count, NULL) >= 0);
    good = good && H5Dread(f->set, f->memory, inside, outside, H5P_DEFAULT, landing_of(store, piece)) >= 0;
    ashi_hdf5_close(inside);
    ashi_hdf5_close(outside);
    return good ? ASHLAR_OK : fail_reading(store, err);
}

static ashlar_status move_piece(const ashi_store *store, const ashi_array_box *piece, char *to, ashlar_error *err)
{
    const ashi_hdf5 *f = store->state;
    const ashlar_status status = fill(store, piece, err);
    if (status == ASHLAR_OK && widens(store))
        ashi_half_to_floats(ashi_array_box_words(piece), landing_of(store, piece), false, f->buffer);
    if (status == ASHLAR_OK)
        ashi_array_unpack(ashlar_type_bytes(store->info.type), piece, f->buffer, to);
    return status;
}

/* What lies in one cell, in pieces that fit in the buffer: one, unless the cell is a chunk that is larger. */
static ashlar_status move_cell(const ashi_store *store, const ashi_array_box *cell, char *to, ashlar_error *err)
{
    const int64_t bytes = (int64_t)ashlar_type_bytes(store->info.type);
    ashi_cells pieces = ashi_cells_within(cell, BUFFER_BYTES / bytes);
    ashlar_status status = ASHLAR_OK;
    int64_t at = 0;
    for (ashi_array_box piece; status == ASHLAR_OK && ashi_cells_next(&pieces, &piece, &at);)
        status = move_piece(store, &piece, to + at * bytes, err);
    return status;
}

ashlar_status ashi_hdf5_move(const ashi_store *store, const ashi_array_box *box, char *to, ashlar_error *err)
{
    const ashi_hdf5 *f = store->state;
    const int64_t bytes = (int64_t)ashlar_type_bytes(store->info.type);
    ashi_cells cells = ashi_cells_of(box, f->chunk, BUFFER_BYTES / bytes);
    ashlar_status status = ASHLAR_OK;
    int64_t at = 0;
    for (ashi_array_box cell; status == ASHLAR_OK && ashi_cells_next(&cells, &cell, &at);)
        status = move_cell(store, &cell, to + at * bytes, err);
    return status;
}

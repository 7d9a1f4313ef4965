/* Boxes moved from an open HDF5 data set to memory, piece by piece, so that a packed chunk is unpacked once. */
#include "store/hdf5_chunks.h"

#include "base/checked.h"
#include "store/chunked.h"
#include "store/file.h"
#include "store/hdf5_error.h"
#include "store/strided.h"

#include <stdio.h>
#include <stdlib.h>

/* The buffer that boxes pass through. */
#define BUFFER_BYTES (INT64_C(1) << 20)

/* HDF5 holds a whole packed chunk in memory: one of more than this is taken for hostile. */
#define PACKED_BYTES_MAX (INT64_C(1) << 30)

/* Bytes of an element in the file, where a compound type may be wider than in memory. */
static int64_t stored_bytes(const ashi_hdf5 *f)
{
    const hid_t type = H5Dget_type(f->set);
    const int64_t bytes = type < 0 ? 0 : (int64_t)H5Tget_size(type);
    ashi_hdf5_close(type);
    return bytes;
}

/* HDF5 keeps the chunk unpacked last. While it unpacks one, the chunk before, the packed bytes and, for some filters, a
 * second copy are there too: three times the chunk is what was measured at most. */
static void take_packed(ashi_store *store, int64_t bytes)
{
    ashi_hdf5 *f = store->state;
    f->chunk_bytes = bytes;
    store->chunks = (ashi_store_chunks){f->chunk_rows, f->chunk_cols, 3 * bytes};
}

ashlar_status ashi_hdf5_take_chunks(ashi_store *store, hid_t list, ashlar_error *err)
{
    ashi_hdf5 *f = store->state;
    hsize_t chunk[2] = {1, 1};
    const int filters = H5Pget_nfilters(list);
    if (filters < 0 || H5Pget_chunk(list, f->dimensions, chunk) != f->dimensions)
        return ashi_hdf5_fail(&store->place, "the data set's chunks cannot be read", err);
    int64_t bytes = 0;
    const bool counted = chunk[0] >= 1 && chunk[1] >= 1 && chunk[0] <= UINT32_MAX && chunk[1] <= UINT32_MAX &&
                         ashi_mul((int64_t)chunk[0], (int64_t)chunk[1], &bytes) &&
                         ashi_mul(bytes, stored_bytes(f), &bytes);
    if (!counted || (filters > 0 && bytes > PACKED_BYTES_MAX))
        return ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path,
                              "data set %.100s has %schunks of more than 1 GiB", store->place.data_set,
                              filters > 0 ? "packed " : "");
    if (filters > 0 || bytes <= BUFFER_BYTES) {
        f->chunk_rows = (int64_t)chunk[0];
        f->chunk_cols = (int64_t)chunk[1];
    }
    if (filters > 0)
        take_packed(store, bytes);
    if (store->info.rows > 0 && store->info.cols > 0 && H5Dget_storage_size(f->set) == 0)
        return ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path, "data set %.100s was never written",
                              store->place.data_set);
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

/* Read one piece, at most a buffer full, to the buffer. */
static ashlar_status pass(const ashi_store *store, const ashi_file_box *piece, ashlar_error *err)
{
    const ashi_hdf5 *f = store->state;
    const hsize_t start[2] = {(hsize_t)piece->row, (hsize_t)piece->col};
    const hsize_t count[2] = {(hsize_t)piece->rows, (hsize_t)piece->cols};
    const hid_t outside = H5Dget_space(f->set), inside = H5Screate_simple(f->dimensions, count, NULL);
    bool good = outside >= 0 && inside >= 0 &&
                H5Sselect_hyperslab(outside, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
    good = good && H5Dread(f->set, f->memory, inside, outside, H5P_DEFAULT, f->buffer) >= 0;
    ashi_hdf5_close(inside);
    ashi_hdf5_close(outside);
    return good ? ASHLAR_OK : fail_reading(store, err);
}

/* A box on its way, and the memory of its first element. */
typedef struct moving {
    const ashi_store *store;
    int64_t row, col; /* of the box */
    char *to;
    int64_t row_stride, col_stride;
} moving;

static ashlar_status move_piece(const moving *m, const ashi_file_box *p, ashlar_error *err)
{
    const ashi_hdf5 *f = m->store->state;
    const size_t bytes = ashlar_type_bytes(m->store->info.type);
    const int64_t at =
        ((p->row - m->row) * m->row_stride + (p->col - m->col) * m->col_stride) * (int64_t)bytes;
    const ashlar_status status = pass(m->store, p, err);
    if (status == ASHLAR_OK)
        ashi_copy_strided(bytes, p->rows, p->cols, f->buffer, p->cols, 1, m->to + at, m->row_stride, m->col_stride);
    return status;
}

/* What lies in one cell, in pieces that fit in the buffer: one, unless the cell is a chunk that is larger. */
static ashlar_status move_cell(const moving *m, const ashi_file_box *cell, ashlar_error *err)
{
    const int64_t room = BUFFER_BYTES / (int64_t)ashlar_type_bytes(m->store->info.type);
    const int64_t cols = ashi_min(cell->cols, room), rows = ashi_min(cell->rows, ashi_max(1, room / cols));
    const int64_t row_end = cell->row + cell->rows, col_end = cell->col + cell->cols;
    ashlar_status status = ASHLAR_OK;
    ashi_file_box p;
    for (p.row = cell->row; status == ASHLAR_OK && p.row < row_end; p.row += p.rows) {
        p.rows = ashi_min(rows, row_end - p.row);
        for (p.col = cell->col; status == ASHLAR_OK && p.col < col_end; p.col += p.cols) {
            p.cols = ashi_min(cols, col_end - p.col);
            status = move_piece(m, &p, err);
        }
    }
    return status;
}

ashlar_status ashi_hdf5_move(const ashi_store *store, const ashi_file_box *box, char *to, int64_t row_stride,
                             int64_t col_stride, ashlar_error *err)
{
    const ashi_hdf5 *f = store->state;
    const int64_t room = BUFFER_BYTES / (int64_t)ashlar_type_bytes(store->info.type);
    const moving m = {store, box->row, box->col, to, row_stride, col_stride};
    ashi_chunked cells = ashi_chunked_of(box, f->chunk_rows, f->chunk_cols, room);
    ashlar_status status = ASHLAR_OK;
    for (ashi_file_box cell; status == ASHLAR_OK && ashi_chunked_next(&cells, &cell);)
        status = move_cell(&m, &cell, err);
    return status;
}

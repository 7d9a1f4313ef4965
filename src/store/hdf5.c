/* HDF5 data sets of one or two dimensions.
 *
 * The HDF5 library prints its errors unless told otherwise; every entry of the table hushes it, and gives the printing
 * back as it was. */
#include "store/format.h"

#include "base/checked.h"
#include "base/type.h"
#include "store/file.h"
#include "store/hdf5_type.h"
#include "store/strided.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The buffer that boxes pass through; larger only for a data set of larger chunks, up to the second figure. */
#define BUFFER_BYTES (INT64_C(1) << 20)
#define BUFFER_BYTES_MAX (INT64_C(1) << 24)

/* HDF5 holds a whole chunk in memory: one of more than this is taken for hostile. */
#define CHUNK_BYTES_MAX (INT64_C(1) << 30)

typedef struct hdf5 {
    hid_t file, set, memory;         /* memory: the type of an element there */
    int dimensions;                  /* 1 or 2 */
    int64_t chunk_rows, chunk_cols;  /* 1 x 1 where the data set has no chunks, or none that fit in the buffer */
    int64_t buffer_bytes;
    char *buffer;
} hdf5;

typedef struct printing {
    H5E_auto2_t function;
    void *data;
} printing;

/* Every entry comes through here first. A file that could not be flushed stays open in HDF5, which would flush it once
 * more as the process ends, and fall over what is left of it: so HDF5 does nothing then. Stores close all they open. */
static printing hush(void)
{
    printing was = {NULL, NULL};
    H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &was.function, &was.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return was;
}

static void restore(printing was)
{
    H5Eset_auto2(H5E_DEFAULT, was.function, was.data);
}

/* The innermost reason comes first; the walk stops there. */
static herr_t first_reason(unsigned n, const H5E_error2_t *entry, void *out)
{
    (void)n;
    snprintf(out, 160, "%s", entry->desc ? entry->desc : "");
    return 1;
}

/* Fail with what HDF5 says of its last call. */
static ashlar_status fail_hdf5(const ashi_store *store, const char *what, ashlar_error *err)
{
    char reason[160] = "";
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_reason, reason);
    return ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path, "%s (HDF5: %s)", what,
                          reason[0] ? reason : "no reason given");
}

static ashlar_status make_state(ashi_store *store, ashlar_error *err)
{
    hdf5 *f = calloc(1, sizeof *f);
    if (!f)
        return ashi_fail_memory(err, "HDF5", (int64_t)sizeof *f);
    f->file = f->set = f->memory = H5I_INVALID_HID;
    f->chunk_rows = f->chunk_cols = 1;
    f->buffer_bytes = BUFFER_BYTES;
    store->state = f;
    return ASHLAR_OK;
}

static ashlar_status make_buffer(hdf5 *f, ashlar_error *err)
{
    f->buffer = malloc((size_t)f->buffer_bytes);
    return f->buffer ? ASHLAR_OK : ashi_fail_memory(err, "HDF5", f->buffer_bytes);
}

/* Open or create the file named. Locks that the file system cannot give are done without. */
static hid_t open_file(const char *path, unsigned flags, bool create)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = H5I_INVALID_HID;
    if (access < 0)
        return file;
    bool good = H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0;
#if H5_VERSION_GE(1, 10, 7)
    good = good && H5Pset_file_locking(access, true, true) >= 0;
#endif
    if (good)
        file = create ? H5Fcreate(path, flags, H5P_DEFAULT, access) : H5Fopen(path, flags, access);
    H5Pclose(access);
    return file;
}

static ashlar_status read_shape(ashi_store *store, ashlar_error *err)
{
    hdf5 *f = store->state;
    hsize_t size[2] = {0, 1};
    const hid_t space = H5Dget_space(f->set);
    const int dimensions = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    const bool simple = space >= 0 && H5Sget_simple_extent_type(space) == H5S_SIMPLE;
    bool good = dimensions >= 0;
    if (simple && (dimensions == 1 || dimensions == 2))
        good = H5Sget_simple_extent_dims(space, size, NULL) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (!good)
        return fail_hdf5(store, "the data set's shape cannot be read", err);
    if (!simple || dimensions < 1 || dimensions > 2)
        return ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path,
                              "data set %.100s has %d dimensions, wanted a matrix", store->place.data_set, dimensions);
    int64_t bytes;
    f->dimensions = dimensions;
    store->info.rows = (int64_t)size[0];
    store->info.cols = (int64_t)size[1];
    if (size[0] > INT64_MAX || size[1] > INT64_MAX || !ashi_mul(store->info.rows, store->info.cols, &bytes) ||
        !ashi_mul(bytes, (int64_t)ashlar_type_bytes(store->info.type), &bytes))
        return ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path, "data set %.100s has a shape that is too large",
                              store->place.data_set);
    return ASHLAR_OK;
}

static ashlar_status read_type(ashi_store *store, ashlar_error *err)
{
    hdf5 *f = store->state;
    const hid_t type = H5Dget_type(f->set);
    if (type < 0)
        return fail_hdf5(store, "the data set's element type cannot be read", err);
    const bool known = ashi_hdf5_type_of(type, &store->info.type, &f->memory);
    H5Tclose(type);
    return known ? ASHLAR_OK
                 : ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path,
                                  "data set %.100s has elements that are neither float, double, nor a compound {r, i} "
                                  "of two of either",
                                  store->place.data_set);
}

/* Data in one piece must lie in the file as a whole: a shape alone is easily claimed. */
static ashlar_status check_stored(const ashi_store *store, ashlar_error *err)
{
    const hdf5 *f = store->state;
    const ashi_store_info *info = &store->info;
    hsize_t file_bytes = 0;
    const hsize_t stored = H5Dget_storage_size(f->set);
    const int64_t wanted = info->rows * info->cols * (int64_t)ashlar_type_bytes(info->type);
    if (H5Fget_filesize(f->file, &file_bytes) < 0)
        return fail_hdf5(store, "the file's size cannot be read", err);
    if (stored < (hsize_t)wanted || stored > file_bytes)
        return ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path,
                              "data set %.100s needs %" PRId64 " bytes, %" PRIu64
                              " are stored of it in a file of %" PRIu64,
                              store->place.data_set, wanted, (uint64_t)stored, (uint64_t)file_bytes);
    return ASHLAR_OK;
}

static ashlar_status take_chunks(ashi_store *store, hid_t plist, ashlar_error *err)
{
    hdf5 *f = store->state;
    hsize_t chunk[2] = {1, 1};
    if (H5Pget_chunk(plist, f->dimensions, chunk) != f->dimensions)
        return fail_hdf5(store, "the data set's chunks cannot be read", err);
    int64_t bytes = 0;
    if (chunk[0] < 1 || chunk[1] < 1 || chunk[0] > UINT32_MAX || chunk[1] > UINT32_MAX ||
        !ashi_mul((int64_t)chunk[0], (int64_t)chunk[1], &bytes) ||
        !ashi_mul(bytes, (int64_t)ashlar_type_bytes(store->info.type), &bytes) || bytes > CHUNK_BYTES_MAX)
        return ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path, "data set %.100s has chunks of more than 1 GiB",
                              store->place.data_set);
    if (bytes <= BUFFER_BYTES_MAX) {
        f->chunk_rows = (int64_t)chunk[0];
        f->chunk_cols = (int64_t)chunk[1];
        f->buffer_bytes = ashi_max(bytes, BUFFER_BYTES);
    }
    if (store->info.rows > 0 && store->info.cols > 0 && H5Dget_storage_size(f->set) == 0)
        return ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path, "data set %.100s was never written",
                              store->place.data_set);
    return ASHLAR_OK;
}

static ashlar_status check_layout(ashi_store *store, ashlar_error *err)
{
    const hdf5 *f = store->state;
    const hid_t plist = H5Dget_create_plist(f->set);
    if (plist < 0)
        return fail_hdf5(store, "the data set's properties cannot be read", err);
    const H5D_layout_t layout = H5Pget_layout(plist);
    ashlar_status status;
    if (layout == H5D_VIRTUAL || H5Pget_external_count(plist) != 0)
        status = ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path, "data set %.100s has its data in other files",
                                store->place.data_set);
    else if (layout == H5D_CHUNKED)
        status = take_chunks(store, plist, err);
    else
        status = check_stored(store, err);
    H5Pclose(plist);
    return status;
}

static ashlar_status open_set(ashi_store *store, ashlar_error *err)
{
    hdf5 *f = store->state;
    int fd = -1;
    int64_t bytes = 0;
    /* A missing file and the like are told as for the other formats. */
    ashlar_status status = ashi_file_open(store->place.path, &fd, &bytes, err);
    if (status != ASHLAR_OK)
        return status;
    close(fd);
    f->file = open_file(store->place.path, H5F_ACC_RDONLY, false);
    if (f->file < 0)
        return fail_hdf5(store, "cannot be opened as HDF5", err);
    f->set = H5Dopen2(f->file, store->place.data_set, H5P_DEFAULT);
    if (f->set < 0) {
        char what[160];
        snprintf(what, sizeof what, "has no data set %.100s", store->place.data_set);
        return fail_hdf5(store, what, err);
    }
    store->info.order = ASHLAR_ROW_MAJOR;
    status = read_type(store, err);
    if (status == ASHLAR_OK)
        status = read_shape(store, err);
    if (status == ASHLAR_OK)
        status = check_layout(store, err);
    return status == ASHLAR_OK ? make_buffer(f, err) : status;
}

/* The new data set, contiguous, in groups that are made as needed. */
static hid_t make_set(const ashi_store *store)
{
    const hdf5 *f = store->state;
    const hsize_t size[2] = {(hsize_t)store->info.rows, (hsize_t)store->info.cols};
    const hid_t space = H5Screate_simple(2, size, NULL);
    const hid_t links = H5Pcreate(H5P_LINK_CREATE), plist = H5Pcreate(H5P_DATASET_CREATE);
    hid_t set = H5I_INVALID_HID;
    if (space >= 0 && links >= 0 && plist >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0 &&
        H5Pset_alloc_time(plist, H5D_ALLOC_TIME_EARLY) >= 0 && H5Pset_fill_time(plist, H5D_FILL_TIME_NEVER) >= 0)
        set = H5Dcreate2(f->file, store->place.data_set, f->memory, space, links, plist, H5P_DEFAULT);
    if (plist >= 0)
        H5Pclose(plist);
    if (links >= 0)
        H5Pclose(links);
    if (space >= 0)
        H5Sclose(space);
    return set;
}

/* Remove what the data set's name stands for in the copy; HDF5 uses its room again for the new one. Only a data set is
 * replaced, never a group with all that is in it. */
static ashlar_status remove_existing(const ashi_store *store, ashlar_error *err)
{
    const hdf5 *f = store->state;
    const hid_t object = H5Oopen(f->file, store->place.data_set, H5P_DEFAULT);
    if (object < 0) {
        H5Eclear2(H5E_DEFAULT);
        return ASHLAR_OK;
    }
    const bool data_set = H5Iget_type(object) == H5I_DATASET;
    H5Oclose(object);
    if (!data_set)
        return ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path, "%.100s exists and is not a data set",
                              store->place.data_set);
    return H5Ldelete(f->file, store->place.data_set, H5P_DEFAULT) < 0
               ? fail_hdf5(store, "the data set cannot be replaced", err)
               : ASHLAR_OK;
}

static ashlar_status create_set(ashi_store *store, ashlar_error *err)
{
    hdf5 *f = store->state;
    ashi_output *out = &store->output;
    store->info.order = ASHLAR_ROW_MAJOR;
    f->dimensions = 2;
    ashlar_status status = out->replaces ? ashi_output_copy_existing(out, err) : ASHLAR_OK;
    if (status != ASHLAR_OK)
        return status;
    f->file = open_file(out->temporary, out->replaces ? H5F_ACC_RDWR : H5F_ACC_TRUNC, !out->replaces);
    if (f->file < 0)
        return fail_hdf5(store, "cannot be written as HDF5", err);
    if (out->replaces)
        status = remove_existing(store, err);
    if (status != ASHLAR_OK)
        return status;
    f->memory = ashi_hdf5_type_make(store->info.type);
    f->set = f->memory < 0 ? H5I_INVALID_HID : make_set(store);
    if (f->set < 0)
        return fail_hdf5(store, "the data set cannot be created", err);
    return make_buffer(f, err);
}

/* Where pieces of a box end along one dimension: at the edges of `tile`, which are edges of chunks, so that a chunk is
 * read, and unpacked, once. */
static int64_t piece_of(int64_t at, int64_t end, int64_t tile)
{
    return ashi_min(end, at - at % tile + tile) - at;
}

/* Pass one piece, at most a buffer full, between the data set and the buffer. */
static ashlar_status pass(const ashi_store *store, const ashi_file_box *piece, bool reading, ashlar_error *err)
{
    const hdf5 *f = store->state;
    const hsize_t start[2] = {(hsize_t)piece->row, (hsize_t)piece->col};
    const hsize_t count[2] = {(hsize_t)piece->rows, (hsize_t)piece->cols};
    const hid_t outside = H5Dget_space(f->set), inside = H5Screate_simple(f->dimensions, count, NULL);
    bool good = outside >= 0 && inside >= 0 &&
                H5Sselect_hyperslab(outside, H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
    if (good && reading)
        good = H5Dread(f->set, f->memory, inside, outside, H5P_DEFAULT, f->buffer) >= 0;
    else if (good)
        good = H5Dwrite(f->set, f->memory, inside, outside, H5P_DEFAULT, f->buffer) >= 0;
    if (inside >= 0)
        H5Sclose(inside);
    if (outside >= 0)
        H5Sclose(outside);
    return good ? ASHLAR_OK : fail_hdf5(store, reading ? "cannot read" : "cannot write", err);
}

/* Rows and columns of the pieces that boxes are cut into: whole chunks, as many as fit in the buffer. */
static void choose_tile(const ashi_store *store, const ashi_file_box *box, int64_t *rows, int64_t *cols)
{
    const hdf5 *f = store->state;
    const int64_t room = f->buffer_bytes / (int64_t)ashlar_type_bytes(store->info.type);
    const int64_t across = ashi_max(1, room / (f->chunk_rows * f->chunk_cols));
    const int64_t used = (box->col + box->cols - 1) / f->chunk_cols - box->col / f->chunk_cols + 1;
    *cols = f->chunk_cols * ashi_min(across, used);
    *rows = f->chunk_rows * ashi_max(1, room / (f->chunk_rows * *cols));
}

/* Move a box piece by piece, to memory or (where `from` is given) from it. */
static ashlar_status move_box(const ashi_store *store, const ashi_file_box *box, char *to, const char *from,
                              int64_t row_stride, int64_t col_stride, ashlar_error *err)
{
    const hdf5 *f = store->state;
    const size_t bytes = ashlar_type_bytes(store->info.type);
    const int64_t row_end = box->row + box->rows, col_end = box->col + box->cols;
    int64_t tile_rows, tile_cols;
    ashi_file_box p;
    choose_tile(store, box, &tile_rows, &tile_cols);
    ashlar_status status = ASHLAR_OK;
    for (p.row = box->row; status == ASHLAR_OK && p.row < row_end; p.row += p.rows) {
        p.rows = piece_of(p.row, row_end, tile_rows);
        for (p.col = box->col; status == ASHLAR_OK && p.col < col_end; p.col += p.cols) {
            p.cols = piece_of(p.col, col_end, tile_cols);
            const int64_t at =
                ((p.row - box->row) * row_stride + (p.col - box->col) * col_stride) * (int64_t)bytes;
            if (from)
                ashi_copy_strided(bytes, p.rows, p.cols, from + at, row_stride, col_stride, f->buffer, p.cols, 1);
            status = pass(store, &p, !from, err);
            if (!from && status == ASHLAR_OK)
                ashi_copy_strided(bytes, p.rows, p.cols, f->buffer, p.cols, 1, to + at, row_stride, col_stride);
        }
    }
    return status;
}

static ashlar_status hdf5_open(ashi_store *store, ashlar_error *err)
{
    const printing was = hush();
    ashlar_status status = make_state(store, err);
    if (status == ASHLAR_OK)
        status = open_set(store, err);
    restore(was);
    return status;
}

static ashlar_status hdf5_create(ashi_store *store, ashlar_error *err)
{
    const printing was = hush();
    ashlar_status status = make_state(store, err);
    if (status == ASHLAR_OK)
        status = create_set(store, err);
    restore(was);
    return status;
}

static ashlar_status hdf5_read(ashi_store *store, const ashi_file_box *box, void *data, int64_t row_stride,
                               int64_t col_stride, ashlar_error *err)
{
    const printing was = hush();
    const ashlar_status status = move_box(store, box, data, NULL, row_stride, col_stride, err);
    restore(was);
    return status;
}

static ashlar_status hdf5_write(ashi_store *store, const ashi_file_box *box, const void *data, int64_t row_stride,
                                int64_t col_stride, ashlar_error *err)
{
    const printing was = hush();
    const ashlar_status status = move_box(store, box, NULL, data, row_stride, col_stride, err);
    restore(was);
    return status;
}

/* Closing the file is what writes the last of it, so it is done here, where it can still fail. */
static ashlar_status hdf5_finish(ashi_store *store, ashlar_error *err)
{
    const printing was = hush();
    hdf5 *f = store->state;
    ashlar_status status = ASHLAR_OK;
    if (H5Dclose(f->set) < 0)
        status = fail_hdf5(store, "cannot finish writing the data set", err);
    f->set = H5I_INVALID_HID;
    if (H5Fclose(f->file) < 0 && status == ASHLAR_OK)
        status = fail_hdf5(store, "cannot finish writing", err);
    f->file = H5I_INVALID_HID;
    restore(was);
    return status;
}

static void hdf5_close(ashi_store *store)
{
    hdf5 *f = store->state;
    if (!f)
        return;
    const printing was = hush();
    if (f->memory >= 0)
        H5Tclose(f->memory);
    if (f->set >= 0)
        H5Dclose(f->set);
    if (f->file >= 0)
        H5Fclose(f->file);
    restore(was);
    free(f->buffer);
    free(f);
    store->state = NULL;
}

const ashi_format ashi_format_hdf5 = {
    .name = "HDF5",
    .endings = {".h5", ".hdf5"},
    .named_data_sets = true,
    .open = hdf5_open,
    .create = hdf5_create,
    .read = hdf5_read,
    .write = hdf5_write,
    .finish = hdf5_finish,
    .close = hdf5_close,
};

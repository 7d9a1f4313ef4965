/* HDF5 data sets: opened, created, finished and closed. */
#include "store/format.h"

#include "base/checked.h"
#include "base/type.h"
#include "store/file.h"
#include "store/hdf5_chunks.h"
#include "store/hdf5_error.h"
#include "store/hdf5_file.h"
#include "store/hdf5_links.h"
#include "store/hdf5_type.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static ashlar_status make_state(ashi_store *store, ashlar_error *err)
{
    ashi_hdf5 *f = calloc(1, sizeof *f);
    if (!f)
        return ashi_fail_memory(err, "HDF5", (int64_t)sizeof *f);
    f->file = f->set = f->memory = H5I_INVALID_HID;
    for (int d = 0; d < ASHI_DIMENSIONS_MAX; d++)
        f->chunk[d] = 1;
    store->state = f;
    return ASHLAR_OK;
}

static ashlar_status read_shape(ashi_store *store, ashlar_error *err)
{
    const ashi_hdf5 *f = store->state;
    hsize_t size[H5S_MAX_RANK] = {0};
    int64_t extent[H5S_MAX_RANK], bytes;
    const int least = store->info.tensor ? 0 : 1, most = store->info.tensor ? H5S_MAX_RANK : 2;
    const hid_t space = H5Dget_space(f->set);
    const int dimensions = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    const H5S_class_t kind = dimensions < 0 ? H5S_NO_CLASS : H5Sget_simple_extent_type(space);
    const bool simple = kind == H5S_SIMPLE || (kind == H5S_SCALAR && store->info.tensor);
    bool good = dimensions >= 0 && kind != H5S_NO_CLASS;
    if (good && simple && dimensions >= 1 && dimensions <= most)
        good = H5Sget_simple_extent_dims(space, size, NULL) >= 0;
    ashi_hdf5_close(space);
    if (!good)
        return ashi_hdf5_fail(&store->place, "the data set's shape cannot be read", err);
    if (!simple || dimensions < least || dimensions > most)
        return ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path,
                              "data set %.100s has %d dimensions, wanted %s", store->place.data_set, dimensions,
                              store->info.tensor ? "numbers in an array" : "a matrix");
    for (int d = 0; d < dimensions; d++) {
        good = good && size[d] <= INT64_MAX;
        extent[d] = good ? (int64_t)size[d] : 0;
    }
    if (!good || !ashi_store_take_shape(&store->info, dimensions, extent) ||
        !ashi_mul(store->info.rows, store->info.cols, &bytes) ||
        !ashi_mul(bytes, (int64_t)ashlar_type_bytes(store->info.type), &bytes))
        return ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path, "data set %.100s has a shape that is too large",
                              store->place.data_set);
    return ASHLAR_OK;
}

static ashlar_status read_type(ashi_store *store, ashlar_error *err)
{
    ashi_hdf5 *f = store->state;
    const hid_t type = H5Dget_type(f->set);
    if (type < 0)
        return ashi_hdf5_fail(&store->place, "the data set's element type cannot be read", err);
    const bool known = ashi_hdf5_type_of(type, &store->info.type, &store->info.half, &f->memory);
    ashi_hdf5_close(type);
    return known ? ASHLAR_OK
                 : ashi_hdf5_refuse(&store->place, err,
                                    "data set %.100s has elements that are neither float, double, nor a compound "
                                    "{r, i} of two of either, nor float16",
                                    store->place.data_set);
}

/* Data in one piece must lie in the file as a whole: a shape alone is easily claimed. */
static ashlar_status check_stored(const ashi_store *store, ashlar_error *err)
{
    const ashi_hdf5 *f = store->state;
    const ashi_store_info *info = &store->info;
    hsize_t file_bytes = 0;
    const int64_t wanted = info->rows * info->cols * ashi_store_element_bytes(info);
    if (H5Fget_filesize(f->file, &file_bytes) < 0)
        return ashi_hdf5_fail(&store->place, "the file's size cannot be read", err);
    const hsize_t stored = H5Dget_storage_size(f->set);
    if (stored < (hsize_t)wanted || stored > file_bytes)
        return ashi_hdf5_refuse(&store->place, err,
                                "data set %.100s needs %" PRId64 " bytes, %" PRIu64
                                " are stored of it in a file of %" PRIu64,
                                store->place.data_set, wanted, (uint64_t)stored, (uint64_t)file_bytes);
    return ASHLAR_OK;
}

static ashlar_status check_layout(ashi_store *store, ashlar_error *err)
{
    const ashi_hdf5 *f = store->state;
    const hid_t plist = H5Dget_create_plist(f->set);
    H5D_layout_t layout;
    bool elsewhere;
    ashlar_status status;
    if (!ashi_hdf5_storage(plist, &layout, &elsewhere))
        status = ashi_hdf5_fail(&store->place, "the data set's properties cannot be read", err);
    else if (elsewhere)
        status = ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path, "data set %.100s has its data in other files",
                                store->place.data_set);
    else if (layout == H5D_CHUNKED)
        status = ashi_hdf5_take_chunks(store, plist, err);
    else
        status = check_stored(store, err);
    ashi_hdf5_close(plist);
    return status;
}

/* HDF5 unpacks a chunk once for all pieces of it only if there is room to keep it, which is settled as the data set is
 * opened. */
static ashlar_status make_room_for_chunk(const ashi_store *store, ashlar_error *err)
{
    ashi_hdf5 *f = store->state;
    ashi_hdf5_close(f->set);
    return ashi_hdf5_open_set(&store->place, f->file, f->chunk_bytes, &f->set, err);
}

/* Open the file and the data set, and read what they say of the matrix. */
static ashlar_status read_set(ashi_store *store, ashlar_error *err)
{
    ashi_hdf5 *f = store->state;
    f->file = ashi_hdf5_open_file(store->place.path, !store->unpublished);
    if (f->file < 0)
        return ashi_hdf5_fail(&store->place, "cannot be opened as HDF5", err);
    store->info.order = ASHLAR_ROW_MAJOR;
    ashlar_status status = ashi_hdf5_open_set(&store->place, f->file, 0, &f->set, err);
    if (status == ASHLAR_OK)
        status = read_type(store, err);
    if (status == ASHLAR_OK)
        status = read_shape(store, err);
    if (status == ASHLAR_OK)
        status = check_layout(store, err);
    if (status == ASHLAR_OK && f->chunk_bytes > 0)
        status = make_room_for_chunk(store, err);
    return status;
}

/* Whether the data set's elements lie one by one in a file of so many bytes, and from where on. */
static bool find_array(const ashi_store *store, int64_t file_bytes, int64_t *start, bool *swapped)
{
    const ashi_hdf5 *f = store->state;
    const int64_t bytes = store->info.rows * store->info.cols * ashi_store_element_bytes(&store->info);
    const hid_t list = H5Dget_create_plist(f->set);
    const hid_t stored = list < 0 ? H5I_INVALID_HID : H5Dget_type(f->set);
    bool plain = stored >= 0 && H5Pget_layout(list) == H5D_CONTIGUOUS &&
                 H5Pget_external_count(list) == 0 && ashi_hdf5_type_is_plain(stored, f->memory, swapped);
    const haddr_t at = plain ? H5Dget_offset(f->set) : HADDR_UNDEF;
    ashi_hdf5_close(stored);
    ashi_hdf5_close(list);
    plain = plain && at != HADDR_UNDEF && at <= INT64_MAX && (int64_t)at <= file_bytes &&
            bytes <= file_bytes - (int64_t)at;
    *start = plain ? (int64_t)at : 0;
    return plain;
}

/* A contiguous data set is read without HDF5; any other through its buffer. Takes fd over. */
static ashlar_status prepare_reading(ashi_store *store, int fd, int64_t bytes, ashlar_error *err)
{
    ashi_file_array *a = &store->array;
    if (!find_array(store, bytes, &a->start, &a->swapped)) {
        close(fd);
        return ashi_hdf5_make_buffer(store->state, err);
    }
    if (store->info.half)
        return ashi_half_file_make(fd, a->start, a->swapped, &((ashi_hdf5 *)store->state)->halves, err);
    a->fd = fd;
    a->own_fd = true;
    return ashi_file_array_make_buffer(a, err);
}

static ashlar_status open_set(ashi_store *store, ashlar_error *err)
{
    int fd = -1;
    int64_t bytes = 0;
    /* A missing file and the like are told as for the other formats. */
    ashlar_status status = ashi_file_open(store->place.path, &fd, &bytes, err);
    if (status != ASHLAR_OK)
        return status;
    status = read_set(store, err);
    if (status == ASHLAR_OK)
        return prepare_reading(store, fd, bytes, err);
    close(fd);
    return status;
}

/* The new data set, contiguous, in groups that are made as needed. It has no date: the same matrix gives the same
 * bytes. */
static hid_t make_set(const ashi_store *store)
{
    const ashi_hdf5 *f = store->state;
    const int dimensions = store->info.dimensions;
    hsize_t size[ASHI_DIMENSIONS_MAX];
    for (int d = 0; d < dimensions; d++)
        size[d] = (hsize_t)store->info.extent[d];
    const hid_t space = dimensions == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(dimensions, size, NULL);
    const hid_t links = space < 0 ? H5I_INVALID_HID : H5Pcreate(H5P_LINK_CREATE);
    const hid_t plist = links < 0 ? H5I_INVALID_HID : H5Pcreate(H5P_DATASET_CREATE);
    hid_t set = H5I_INVALID_HID;
    if (plist >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0 &&
        H5Pset_alloc_time(plist, H5D_ALLOC_TIME_EARLY) >= 0 && H5Pset_fill_time(plist, H5D_FILL_TIME_NEVER) >= 0 &&
        H5Pset_obj_track_times(plist, false) >= 0)
        set = H5Dcreate2(f->file, store->place.data_set, f->memory, space, links, plist, H5P_DEFAULT);
    ashi_hdf5_close(plist);
    ashi_hdf5_close(links);
    ashi_hdf5_close(space);
    return set;
}

/* Closing the file is what writes the last of it, so it is done where it can still fail. */
static ashlar_status close_all(ashi_store *store, ashlar_error *err)
{
    ashi_hdf5 *f = store->state;
    ashlar_status status = ASHLAR_OK;
    if (f->set >= 0 && H5Dclose(f->set) < 0)
        status = ashi_hdf5_fail(&store->place, "cannot finish writing the data set", err);
    f->set = H5I_INVALID_HID;
    if (f->file >= 0 && H5Fclose(f->file) < 0 && status == ASHLAR_OK)
        status = ashi_hdf5_fail(&store->place, "cannot finish writing", err);
    f->file = H5I_INVALID_HID;
    return status;
}

/* The elements of a created data set are written without HDF5, which is done with the file: so all ranks can. */
static ashlar_status begin_array(ashi_store *store, haddr_t at, ashlar_error *err)
{
    ashi_file_array *a = &store->array;
    const int64_t bytes = store->info.rows * store->info.cols * (int64_t)ashlar_type_bytes(store->info.type);
    if (at > (haddr_t)(INT64_MAX - bytes))
        return ashi_fail_file(err, ASHLAR_ERR_IO, store->place.path, "data set %.100s has no place in the file",
                              store->place.data_set);
    a->fd = store->output.fd;
    a->start = (int64_t)at;
    const ashlar_status status = ashi_file_array_make_buffer(a, err);
    return status == ASHLAR_OK ? ashi_file_array_reserve(a, store->place.path, a->start + bytes, err) : status;
}

static ashlar_status create_set(ashi_store *store, ashlar_error *err)
{
    ashi_hdf5 *f = store->state;
    ashi_output *out = &store->output;
    store->info.order = ASHLAR_ROW_MAJOR;
    const int64_t bytes = store->info.rows * store->info.cols * (int64_t)ashlar_type_bytes(store->info.type);
    if (store->info.dimensions > H5S_MAX_RANK)
        return ashi_fail_file(err, ASHLAR_ERR_ARG, store->place.path, "%d dimensions, HDF5 has at most %d",
                              store->info.dimensions, H5S_MAX_RANK);
    ashlar_status status = ashi_hdf5_begin_file(&store->place, out, bytes, &f->file, err);
    if (status == ASHLAR_OK && out->replaces)
        status = ashi_hdf5_free_name(&store->place, f->file, NULL, err);
    if (status != ASHLAR_OK)
        return status;
    f->memory = ashi_hdf5_type_make(store->info.type);
    f->set = f->memory < 0 ? H5I_INVALID_HID : make_set(store);
    if (f->set < 0)
        return ashi_hdf5_fail(&store->place, "the data set cannot be created", err);
    const haddr_t at = H5Dget_offset(f->set);
    if (at == HADDR_UNDEF && store->info.rows > 0 && store->info.cols > 0)
        return ashi_hdf5_refuse(&store->place, err, "data set %.100s has no place in the file", store->place.data_set);
    status = close_all(store, err);
    return status == ASHLAR_OK && store->info.rows > 0 && store->info.cols > 0 ? begin_array(store, at, err) : status;
}

static ashlar_status hdf5_open(ashi_store *store, ashlar_error *err)
{
    const ashi_hdf5_printing was = ashi_hdf5_enter();
    ashlar_status status = make_state(store, err);
    if (status == ASHLAR_OK)
        status = open_set(store, err);
    ashi_hdf5_leave(was);
    return status;
}

static ashlar_status hdf5_create(ashi_store *store, ashlar_error *err)
{
    const ashi_hdf5_printing was = ashi_hdf5_enter();
    ashlar_status status = make_state(store, err);
    if (status == ASHLAR_OK)
        status = create_set(store, err);
    ashi_hdf5_leave(was);
    return status;
}

static ashlar_status hdf5_read(ashi_store *store, const ashi_array_box *box, void *data, ashlar_error *err)
{
    ashi_hdf5 *f = store->state;
    if (f->halves)
        return ashi_half_file_read(f->halves, store, box, data, err);
    const ashi_hdf5_printing was = ashi_hdf5_enter();
    ashlar_status status = ASHLAR_OK;
    if (f->set < 0) /* it rested */
        status = ashi_hdf5_open_set(&store->place, f->file, f->chunk_bytes, &f->set, err);
    if (status == ASHLAR_OK)
        status = ashi_hdf5_move(store, box, data, err);
    ashi_hdf5_leave(was);
    return status;
}

/* The chunk unpacked last goes with the data set. */
static void hdf5_rest(ashi_store *store)
{
    const ashi_hdf5_printing was = ashi_hdf5_enter();
    ashi_hdf5 *f = store->state;
    if (f->chunk_bytes > 0) {
        ashi_hdf5_close(f->set);
        f->set = H5I_INVALID_HID;
    }
    ashi_hdf5_leave(was);
}

/* The data set is there, and nobody has the file open with HDF5: its place is looked up, and compared with info. */
static ashlar_status find_joined(ashi_store *store, const char *temporary, ashlar_error *err)
{
    ashi_hdf5 *f = store->state;
    const ashi_store_info wanted = store->info;
    f->file = ashi_hdf5_open_file(temporary, false);
    if (f->file < 0)
        return ashi_hdf5_fail(&store->place, "cannot be joined", err);
    ashlar_status status = ashi_hdf5_open_set(&store->place, f->file, 0, &f->set, err);
    if (status == ASHLAR_OK)
        status = read_type(store, err);
    if (status == ASHLAR_OK)
        status = read_shape(store, err);
    if (status != ASHLAR_OK)
        return status;
    bool same = store->info.type == wanted.type && !store->info.half && store->info.dimensions == wanted.dimensions;
    for (int d = 0; d < wanted.dimensions; d++)
        same = same && store->info.extent[d] == wanted.extent[d];
    if (!same)
        return ashi_fail_file(err, ASHLAR_ERR_ARG, temporary, "was created for another matrix");
    if (wanted.rows > 0 && wanted.cols > 0 &&
        !find_array(store, INT64_MAX, &store->array.start, &store->array.swapped))
        return ashi_hdf5_refuse(&store->place, err, "data set %.100s has no place in the file", store->place.data_set);
    return close_all(store, err);
}

static ashlar_status hdf5_join(ashi_store *store, const char *temporary, ashlar_error *err)
{
    const ashi_hdf5_printing was = ashi_hdf5_enter();
    ashlar_status status = make_state(store, err);
    if (status == ASHLAR_OK)
        status = find_joined(store, temporary, err);
    if (status == ASHLAR_OK)
        status = ashi_file_array_make_buffer(&store->array, err);
    if (status == ASHLAR_OK)
        status = ashi_file_array_join(&store->array, temporary, err);
    store->info.order = ASHLAR_ROW_MAJOR;
    ashi_hdf5_leave(was);
    return status;
}

static void hdf5_close(ashi_store *store)
{
    ashi_hdf5 *f = store->state;
    if (!f)
        return;
    const ashi_hdf5_printing was = ashi_hdf5_enter();
    if (f->memory >= 0)
        H5Tclose(f->memory);
    if (f->set >= 0)
        H5Dclose(f->set);
    if (f->file >= 0)
        H5Fclose(f->file);
    ashi_hdf5_leave(was);
    ashi_half_file_close(f->halves);
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
    .join = hdf5_join,
    .read = hdf5_read,
    .rest = hdf5_rest,
    .close = hdf5_close,
};

/* Matrices of tiles in HDF5 files: created, joined, written and published. */
#include "store/tile_lists.h"

#include "base/checked.h"
#include "base/error.h"
#include "store/array.h"
#include "store/file.h"
#include "store/hdf5_error.h"
#include "store/hdf5_file.h"
#include "store/hdf5_links.h"
#include "store/hdf5_type.h"

#include <stdlib.h>

/* ---- the lists ---- */

/* HDF5's type of a list's numbers; the caller closes it. */
static hid_t list_type(const ashi_tile_file *file, ashi_tile_list list)
{
    return list == ASHI_TILE_ELEMENTS ? ashi_hdf5_type_make(file->head.type)
                                      : H5Tcopy(list == ASHI_TILE_NORMS ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64);
}

/* In one piece, which has its place in the file as soon as it is made. There are no dates: the same matrix gives the
 * same bytes. */
static ashlar_status make_list(ashi_tile_file *file, hid_t group, ashi_tile_list list, ashlar_error *err)
{
    const hsize_t size = (hsize_t)file->length[list];
    const hid_t space = H5Screate_simple(1, &size, NULL);
    const hid_t plist = space < 0 ? H5I_INVALID_HID : H5Pcreate(H5P_DATASET_CREATE);
    const hid_t type = plist < 0 ? H5I_INVALID_HID : list_type(file, list);
    hid_t set = H5I_INVALID_HID;
    if (type >= 0 && H5Pset_alloc_time(plist, H5D_ALLOC_TIME_EARLY) >= 0 &&
        H5Pset_fill_time(plist, H5D_FILL_TIME_NEVER) >= 0 && H5Pset_obj_track_times(plist, false) >= 0)
        set = H5Dcreate2(group, ashi_tile_list_name(list), type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    const haddr_t at = set < 0 || size == 0 ? HADDR_UNDEF : H5Dget_offset(set);
    const ashlar_status status = set >= 0 && (size == 0 || (at != HADDR_UNDEF && at <= INT64_MAX))
                                     ? ASHLAR_OK
                                     : ashi_hdf5_fail(&file->place, "a list of tiles cannot be created", err);
    file->places.at[list] = size == 0 ? 0 : (int64_t)at;
    ashi_hdf5_close(set);
    ashi_hdf5_close(type);
    ashi_hdf5_close(plist);
    ashi_hdf5_close(space);
    return status;
}

static ashlar_status make_group(ashi_tile_file *file, ashlar_error *err)
{
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    const hid_t plist = links < 0 ? H5I_INVALID_HID : H5Pcreate(H5P_GROUP_CREATE);
    hid_t group = H5I_INVALID_HID;
    if (plist >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0 &&
        H5Pset_obj_track_times(plist, false) >= 0)
        group = H5Gcreate2(file->file, file->place.data_set, links, plist, H5P_DEFAULT);
    ashlar_status status = group >= 0 ? ashi_tile_marks_write(file, group, err)
                                      : ashi_hdf5_fail(&file->place, "the group cannot be created", err);
    for (ashi_tile_list l = 0; l < ASHI_TILE_LISTS && status == ASHLAR_OK; l++)
        if (ashi_tile_list_is_there(file, l))
            status = make_list(file, group, l, err);
    ashi_hdf5_close(group);
    ashi_hdf5_close(plist);
    ashi_hdf5_close(links);
    return status;
}

/* All that HDF5 does with the file. Closing it is what writes the last of that. */
static ashlar_status make_contents(ashi_tile_file *file, int64_t bytes, ashlar_error *err)
{
    ashlar_status status = ashi_hdf5_begin_file(&file->place, &file->output, bytes, &file->file, err);
    if (status == ASHLAR_OK && file->output.replaces)
        status = ashi_hdf5_free_name(&file->place, file->file, ashi_tile_marks_alone, err);
    if (status == ASHLAR_OK)
        status = make_group(file, err);
    const hid_t made = file->file;
    file->file = H5I_INVALID_HID;
    if (made >= 0 && H5Fclose(made) < 0 && status == ASHLAR_OK)
        status = ashi_hdf5_fail(&file->place, "cannot finish writing", err);
    return status;
}

/* ---- the file ---- */

/* All bytes of the lists, and of what HDF5 keeps about them. */
static ashlar_status count_bytes(const ashi_tile_file *file, int64_t *bytes, ashlar_error *err)
{
    *bytes = 1 << 16;
    for (ashi_tile_list l = 0; l < ASHI_TILE_LISTS; l++) {
        int64_t more;
        if (!ashi_mul(file->length[l], ashi_tile_list_bytes(file, l), &more) || !ashi_add(*bytes, more, bytes))
            return ashi_fail_file(err, ASHLAR_ERR_OVERFLOW, file->place.path, "too large for a file");
    }
    return ASHLAR_OK;
}

/* The disk promises what will be written, so that a full one is an error before anything is computed. */
static ashlar_status reserve(const ashi_tile_file *file, ashlar_error *err)
{
    const ashi_file_array array = {.fd = file->output.fd};
    int64_t end = 0;
    for (ashi_tile_list l = 0; l < ASHI_TILE_LISTS; l++)
        end = ashi_max(end, file->places.at[l] + file->length[l] * ashi_tile_list_bytes(file, l));
    return ashi_file_array_reserve(&array, file->place.path, end, err);
}

static ashlar_status write_sizes(ashi_tile_file *file, ashi_tile_list list, const ashi_cuts *cuts, ashlar_error *err)
{
    const int64_t bytes = (cuts->tiles + 1) * (int64_t)sizeof(int64_t);
    int64_t *size = malloc((size_t)bytes);
    if (!size)
        return ashi_fail_memory(err, "store", bytes);
    for (int64_t t = 0; t < cuts->tiles; t++)
        size[t] = ashi_cuts_size(cuts, t);
    const ashlar_status status = ashi_tile_file_write(file, list, 0, cuts->tiles, size, err);
    free(size);
    return status;
}

static ashlar_status create(ashi_tile_file *file, ashlar_error *err)
{
    int64_t bytes = 0;
    ashlar_status status = count_bytes(file, &bytes, err);
    if (status == ASHLAR_OK)
        status = ashi_output_create(file->place.path, &file->output, err);
    if (status == ASHLAR_OK) {
        const ashi_hdf5_printing was = ashi_hdf5_enter();
        status = make_contents(file, bytes, err);
        ashi_hdf5_leave(was);
    }
    if (status == ASHLAR_OK)
        status = reserve(file, err);
    file->fd = file->output.fd;
    if (status == ASHLAR_OK)
        status = write_sizes(file, ASHI_TILE_ROW_SIZES, &file->head.row, err);
    return status == ASHLAR_OK ? write_sizes(file, ASHI_TILE_COL_SIZES, &file->head.col, err) : status;
}

/* A matrix to be written, with its head. */
static ashlar_status make(const char *place, ashi_store_mode mode, const ashi_tile_head *head, ashi_tile_file **out,
                          ashlar_error *err)
{
    ashlar_status status = ashi_tile_file_make(place, mode, out, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_tile_file *file = *out;
    file->head = (ashi_tile_head){head->type, head->symmetry, {0, NULL}, {0, NULL}, head->tiles, head->words,
                                  head->low};
    status = ashi_cuts_copy(&head->row, &file->head.row, err);
    if (status == ASHLAR_OK)
        status = ashi_cuts_copy(&head->col, &file->head.col, err);
    if (status == ASHLAR_OK && !ashi_tile_file_measure(file))
        status = ashi_fail_file(err, ASHLAR_ERR_OVERFLOW, file->place.path, "too large for a file");
    return status;
}

ashlar_status ashi_tile_file_try(const char *place, ashlar_error *err)
{
    ashi_tile_file *file = NULL;
    ashlar_status status = ashi_tile_file_make(place, ASHI_STORE_CREATED, &file, err);
    if (status == ASHLAR_OK)
        status = ashi_output_create(file->place.path, &file->output, err);
    ashi_tile_file_close(&file, NULL);
    return status;
}

ashlar_status ashi_tile_file_create(const char *place, const ashi_tile_head *head, ashi_tile_file **out,
                                    ashlar_error *err)
{
    ashlar_status status = make(place, ASHI_STORE_CREATED, head, out, err);
    if (status == ASHLAR_OK)
        status = create(*out, err);
    if (status != ASHLAR_OK)
        ashi_tile_file_close(out, NULL);
    return status;
}

ashlar_status ashi_tile_file_join(const char *place, const char *temporary, const ashi_tile_places *places,
                                  const ashi_tile_head *head, ashi_tile_file **out, ashlar_error *err)
{
    ashi_file_array joined = ASHI_NO_ARRAY;
    ashlar_status status = make(place, ASHI_STORE_JOINED, head, out, err);
    if (status == ASHLAR_OK)
        status = ashi_file_array_join(&joined, temporary, err);
    if (status == ASHLAR_OK) {
        (*out)->fd = joined.fd;
        (*out)->places = *places;
    } else
        ashi_tile_file_close(out, NULL);
    return status;
}

ashlar_status ashi_tile_file_write(ashi_tile_file *file, ashi_tile_list list, int64_t first, int64_t count,
                                   const void *data, ashlar_error *err)
{
    const int64_t bytes = ashi_tile_list_bytes(file, list);
    ashlar_status status = ashi_tile_list_check(file, list, first, count, data, true, err);
    if (status == ASHLAR_OK && count > 0)
        status = ashi_file_write(file->fd, file->place.path, data, count * bytes,
                                 file->places.at[list] + first * bytes, err);
    file->failed = file->failed || status != ASHLAR_OK;
    return status;
}

ashlar_status ashi_tile_file_publish(ashi_tile_file *file, ashlar_error *err)
{
    if (file->mode != ASHI_STORE_CREATED || file->published)
        return ashi_fail_file(err, ASHLAR_ERR_ARG, file->place.path, "is not open for publishing");
    if (file->failed)
        return ashi_fail_file(err, ASHLAR_ERR_ARG, file->place.path, "is not complete, since writing it failed");
    const ashlar_status status = ashi_output_publish(&file->output, err);
    file->published = status == ASHLAR_OK;
    file->failed = !file->published;
    return status;
}

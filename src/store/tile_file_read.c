/* Matrices of tiles in HDF5 files: opened, what they claim of their lists checked, and read. */
#include "store/tile_lists.h"

#include "base/checked.h"
#include "base/error.h"
#include "store/file.h"
#include "store/hdf5_error.h"
#include "store/hdf5_file.h"
#include "store/hdf5_links.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A packed list may claim at most this times what is stored of it: no filter makes much less of numbers that serve. */
#define PACKED_AT_MOST (INT64_C(1) << 12)

/* ---- the lists ---- */

static ashlar_status check_type(const ashi_tile_file *file, ashi_tile_list list, int64_t *bytes, ashlar_error *err)
{
    const hid_t type = H5Dget_type(file->set[list]);
    const H5T_class_t wanted = list == ASHI_TILE_NORMS ? H5T_FLOAT : H5T_INTEGER;
    const bool good = type >= 0 && H5Tget_class(type) == wanted && H5Tget_size(type) <= sizeof(int64_t);
    *bytes = good ? (int64_t)H5Tget_size(type) : 0;
    ashi_hdf5_close(type);
    return good ? ASHLAR_OK : ashi_tile_file_fail(file, err, "%s has other numbers than %s of at most 64 bits",
                                                  ashi_tile_list_name(list),
                                                  list == ASHI_TILE_NORMS ? "real ones" : "integers");
}

static ashlar_status read_length(ashi_tile_file *file, ashi_tile_list list, ashlar_error *err)
{
    hsize_t size = 0;
    const hid_t space = H5Dget_space(file->set[list]);
    const bool good = space >= 0 && H5Sget_simple_extent_type(space) == H5S_SIMPLE &&
                      H5Sget_simple_extent_ndims(space) == 1 && H5Sget_simple_extent_dims(space, &size, NULL) == 1 &&
                      size <= INT64_MAX / 16;
    ashi_hdf5_close(space);
    file->length[list] = (int64_t)size;
    return good ? ASHLAR_OK : ashi_tile_file_fail(file, err, "%s is no list of one dimension",
                                                  ashi_tile_list_name(list));
}

/* A length is easily claimed: as much as that must be stored, in this file. */
static ashlar_status check_stored(const ashi_tile_file *file, ashi_tile_list list, int64_t bytes, ashlar_error *err)
{
    hsize_t file_bytes = 0;
    H5D_layout_t layout;
    bool elsewhere;
    const hid_t set = file->set[list], plist = H5Dget_create_plist(set);
    const int filters = ashi_hdf5_storage(plist, &layout, &elsewhere) ? H5Pget_nfilters(plist) : -1;
    ashi_hdf5_close(plist);
    if (filters < 0 || H5Fget_filesize(file->file, &file_bytes) < 0)
        return ashi_hdf5_fail(&file->place, "a data set's properties cannot be read", err);
    if (elsewhere)
        return ashi_tile_file_fail(file, err, "%s has its data in other files", ashi_tile_list_name(list));
    const int64_t stored = (int64_t)H5Dget_storage_size(set), most = filters > 0 ? PACKED_AT_MOST : 1;
    if (stored > (int64_t)file_bytes || bytes > ashi_mul_most(stored, most))
        return ashi_tile_file_fail(file, err,
                                   "%s needs %" PRId64 " bytes, %" PRId64 " are stored of it in a file of %" PRIu64,
                                   ashi_tile_list_name(list), bytes, stored, (uint64_t)file_bytes);
    return ASHLAR_OK;
}

static ashlar_status open_list(ashi_tile_file *file, ashi_tile_list list, ashlar_error *err)
{
    const ashi_file_place place = ashi_tile_list_place(file, list);
    int64_t bytes = 0;
    ashlar_status status = ashi_hdf5_open_set(&place, file->file, 0, &file->set[list], err);
    if (status == ASHLAR_OK)
        status = check_type(file, list, &bytes, err);
    if (status == ASHLAR_OK)
        status = read_length(file, list, err);
    return status == ASHLAR_OK ? check_stored(file, list, file->length[list] * bytes, err) : status;
}

/* A whole list; *out is to be freed. */
static ashlar_status read_all(const ashi_tile_file *file, ashi_tile_list list, int64_t **out, ashlar_error *err)
{
    const int64_t count = file->length[list], bytes = (count + 1) * (int64_t)sizeof **out;
    *out = malloc((size_t)bytes);
    return *out ? ashi_tile_list_numbers(file, list, 0, count, *out, err) : ashi_fail_memory(err, "store", bytes);
}

static ashlar_status read_cuts(const ashi_tile_file *file, ashi_tile_list list, const char *side, ashi_cuts *out,
                               ashlar_error *err)
{
    int64_t *size = NULL;
    ashlar_error why = {0};
    ashlar_status status = read_all(file, list, &size, err);
    if (status == ASHLAR_OK) {
        status = ashi_cuts_make(file->length[list], size, side, out, &why);
        if (status == ASHLAR_ERR_MEMORY)
            ashi_fail(err, status, "%s", why.text);
        else if (status != ASHLAR_OK)
            status = ashi_tile_file_fail(file, err, "%s", why.text);
    }
    free(size);
    return status;
}

static ashlar_status check_starts(const ashi_tile_file *file, ashlar_error *err)
{
    const int64_t rows = file->head.row.tiles, tiles = file->length[ASHI_TILE_COLUMNS];
    if (file->length[ASHI_TILE_STARTS] != rows + 1)
        return ashi_tile_file_fail(file, err, "row_starts has %" PRId64 " numbers, wanted %" PRId64,
                                   file->length[ASHI_TILE_STARTS], rows + 1);
    for (int64_t r = 0; r < rows; r++)
        if (file->starts[r] > file->starts[r + 1])
            return ashi_tile_file_fail(file, err, "row_starts descends from %" PRId64 " to %" PRId64 " at row %" PRId64,
                                       file->starts[r], file->starts[r + 1], r);
    if (file->starts[0] != 0 || file->starts[rows] != tiles)
        return ashi_tile_file_fail(file, err, "row_starts goes from %" PRId64 " to %" PRId64 ", wanted 0 to %" PRId64,
                                   file->starts[0], file->starts[rows], tiles);
    return ASHLAR_OK;
}

static ashlar_status check_symmetry(const ashi_tile_file *file, ashlar_error *err)
{
    const int64_t tile = file->head.symmetry == ASHLAR_GENERAL
                             ? -1 : ashi_cuts_differ(&file->head.row, &file->head.col);
    return tile < 0 ? ASHLAR_OK
                    : ashi_tile_file_fail(file, err, "it is %s, but its rows and columns are cut differently from tile "
                                                     "%" PRId64 " on",
                                          ashi_symmetry_name(file->head.symmetry), tile);
}

/* The lists that are held in memory. */
static ashlar_status read_held(ashi_tile_file *file, ashlar_error *err)
{
    ashlar_status status = read_cuts(file, ASHI_TILE_ROW_SIZES, "the rows", &file->head.row, err);
    if (status == ASHLAR_OK)
        status = read_cuts(file, ASHI_TILE_COL_SIZES, "the columns", &file->head.col, err);
    if (status == ASHLAR_OK)
        status = check_symmetry(file, err);
    if (status == ASHLAR_OK)
        status = read_all(file, ASHI_TILE_STARTS, &file->starts, err);
    return status == ASHLAR_OK ? check_starts(file, err) : status;
}

/* ---- the file ---- */

/* The group's attributes say that it is one of ours. */
static ashlar_status open_group(ashi_tile_file *file, ashlar_error *err)
{
    hid_t group = H5I_INVALID_HID;
    ashlar_status status = ashi_hdf5_open_object(&file->place, file->file, &group, err);
    if (status == ASHLAR_OK && H5Iget_type(group) != H5I_GROUP)
        status = ashi_hdf5_refuse(&file->place, err, "%.60s is no group with a matrix of tiles", file->place.data_set);
    if (status == ASHLAR_OK)
        status = ashi_tile_marks_read(file, group, err);
    const htri_t norms =
        status == ASHLAR_OK ? H5Lexists(group, ashi_tile_list_name(ASHI_TILE_NORMS), H5P_DEFAULT) : 0;
    file->norms = norms > 0;
    ashi_hdf5_close(group);
    return norms >= 0 ? status : ashi_hdf5_fail(&file->place, "the group cannot be read", err);
}

/* A list that a matrix may lack has a number for each tile. */
static ashlar_status check_length(const ashi_tile_file *file, ashi_tile_list list, ashlar_error *err)
{
    const int64_t tiles = file->length[ASHI_TILE_COLUMNS];
    if (!ashi_tile_list_is_there(file, list) || file->length[list] == tiles)
        return ASHLAR_OK;
    return ashi_tile_file_fail(file, err, "%s has %" PRId64 " numbers, wanted %" PRId64, ashi_tile_list_name(list),
                               file->length[list], tiles);
}

static ashlar_status open_lists(ashi_tile_file *file, ashlar_error *err)
{
    file->file = ashi_hdf5_open_file(file->place.path, true);
    if (file->file < 0)
        return ashi_hdf5_fail(&file->place, "cannot be opened as HDF5", err);
    ashlar_status status = open_group(file, err);
    for (ashi_tile_list l = 0; l < ASHI_TILE_ELEMENTS && status == ASHLAR_OK; l++)
        if (ashi_tile_list_is_there(file, l))
            status = open_list(file, l, err);
    if (status == ASHLAR_OK && file->length[ASHI_TILE_OFFSETS] != file->length[ASHI_TILE_COLUMNS] + 1)
        status = ashi_tile_file_fail(file, err, "offsets has %" PRId64 " numbers, wanted %" PRId64,
                                     file->length[ASHI_TILE_OFFSETS], file->length[ASHI_TILE_COLUMNS] + 1);
    if (status == ASHLAR_OK)
        status = check_length(file, ASHI_TILE_NORMS, err);
    if (status == ASHLAR_OK)
        status = check_length(file, ASHI_TILE_RANKS, err);
    return status == ASHLAR_OK ? read_held(file, err) : status;
}

/* The elements are a data set as any other. */
static ashlar_status open_elements(ashi_tile_file *file, const char *place, ashlar_error *err)
{
    const size_t room = strlen(place) + sizeof "/elements";
    char *name = malloc(room);
    ashi_store_info info = {0};
    if (!name)
        return ashi_fail_memory(err, "store", (int64_t)room);
    snprintf(name, room, "%s/%s", place, ashi_tile_list_name(ASHI_TILE_ELEMENTS));
    ashlar_status status = ashi_store_open(name, &file->elements, &info, err);
    free(name);
    if (status == ASHLAR_OK && info.cols != 1)
        status = ashi_fail_file(err, ASHLAR_ERR_IO, file->place.path,
                                "matrix of tiles %.60s: elements is no list of one dimension", file->place.data_set);
    file->head.type = info.type;
    file->head.words = info.rows;
    file->head.tiles = file->length[ASHI_TILE_COLUMNS];
    return status;
}

/* ---- the calls ---- */

static ashlar_status open_all(ashi_tile_file *file, const char *place, ashlar_error *err)
{
    int fd = -1;
    int64_t bytes = 0;
    ashlar_status status = ashi_file_open(file->place.path, &fd, &bytes, err); /* a missing file and the like */
    if (status != ASHLAR_OK)
        return status;
    close(fd);
    ashi_hdf5_printing was = ashi_hdf5_enter();
    status = open_lists(file, err);
    ashi_hdf5_leave(was);
    if (status == ASHLAR_OK)
        status = open_elements(file, place, err);
    if (status != ASHLAR_OK)
        return status;
    was = ashi_hdf5_enter();
    status = ashi_tile_file_check(file, err);
    ashi_hdf5_leave(was);
    file->length[ASHI_TILE_ELEMENTS] = file->head.words;
    return status;
}

bool ashi_tile_file_is_meant(const char *place)
{
    ashi_tile_file *file = NULL;
    ashlar_error ignored = {0};
    H5I_type_t kind = H5I_DATASET;
    if (ashi_tile_file_make(place, ASHI_STORE_READING, &file, &ignored) == ASHLAR_OK) {
        const ashi_hdf5_printing was = ashi_hdf5_enter();
        hid_t object = H5I_INVALID_HID;
        file->file = ashi_hdf5_open_file(file->place.path, true);
        if (file->file >= 0 && ashi_hdf5_open_object(&file->place, file->file, &object, &ignored) == ASHLAR_OK)
            kind = H5Iget_type(object);
        ashi_hdf5_close(object);
        ashi_hdf5_leave(was);
    }
    ashi_tile_file_close(&file, NULL);
    return kind == H5I_GROUP || kind == H5I_BADID;
}

ashlar_status ashi_tile_file_open(const char *place, ashi_tile_file **out, ashlar_error *err)
{
    ashi_tile_file *file = NULL;
    *out = NULL;
    ashlar_status status = ashi_tile_file_make(place, ASHI_STORE_READING, &file, err);
    if (status == ASHLAR_OK)
        status = open_all(file, place, err);
    if (status == ASHLAR_OK)
        *out = file;
    else
        ashi_tile_file_close(&file, NULL);
    return status;
}

ashlar_status ashi_tile_file_read(ashi_tile_file *file, ashi_tile_list list, int64_t first, int64_t count, void *data,
                                  ashlar_error *err)
{
    ashlar_status status = ashi_tile_list_check(file, list, first, count, data, false, err);
    if (status != ASHLAR_OK || count == 0)
        return status;
    if (list == ASHI_TILE_ELEMENTS)
        return ashi_store_read(file->elements, first, count, 0, 1, data, 1, count, err);
    const ashi_hdf5_printing was = ashi_hdf5_enter();
    status = ashi_tile_list_numbers(file, list, first, count, data, err);
    ashi_hdf5_leave(was);
    return status;
}

/* A matrix of tiles in an HDF5 file as its lists: made, with names and lengths, and closed. */
#include "store/tile_lists.h"

#include "base/checked.h"
#include "base/error.h"
#include "store/file.h"
#include "store/hdf5_error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const list_names[ASHI_TILE_LISTS] = {"row_sizes", "column_sizes", "row_starts", "columns",
                                                        "offsets",   "norms",        "ranks",      "elements"};

const char *ashi_tile_list_name(ashi_tile_list list)
{
    return list_names[list];
}

static ashlar_status name_lists(ashi_tile_file *file, ashlar_error *err)
{
    for (int l = 0; l < ASHI_TILE_LISTS; l++) {
        const size_t room = strlen(file->place.data_set) + strlen(list_names[l]) + 2;
        file->name[l] = malloc(room);
        if (!file->name[l])
            return ashi_fail_memory(err, "store", (int64_t)room);
        snprintf(file->name[l], room, "%s/%s", file->place.data_set, list_names[l]);
    }
    return ASHLAR_OK;
}

ashlar_status ashi_tile_file_make(const char *place, ashi_store_mode mode, ashi_tile_file **out, ashlar_error *err)
{
    ashi_tile_file *file = calloc(1, sizeof *file);
    *out = file;
    if (!file)
        return ashi_fail_memory(err, "store", (int64_t)sizeof *file);
    file->mode = mode;
    file->fd = file->output.fd = -1;
    file->file = H5I_INVALID_HID;
    for (int l = 0; l < ASHI_TILE_LISTS; l++)
        file->set[l] = H5I_INVALID_HID;
    const ashlar_status status = ashi_file_place_parse(place, &file->place, err);
    if (status != ASHLAR_OK)
        return status;
    if (file->place.format != &ashi_format_hdf5)
        return ashi_fail_file(err, ASHLAR_ERR_ARG, place,
                              "matrices of tiles are kept in HDF5, wanted FILE.h5:/GROUP or FILE.hdf5:/GROUP");
    return name_lists(file, err);
}

ashi_file_place ashi_tile_list_place(const ashi_tile_file *file, ashi_tile_list list)
{
    return (ashi_file_place){file->place.format, file->place.path, file->name[list]};
}

int64_t ashi_tile_list_bytes(const ashi_tile_file *file, ashi_tile_list list)
{
    return list == ASHI_TILE_ELEMENTS ? (int64_t)ashlar_type_bytes(file->head.type)
           : list == ASHI_TILE_NORMS  ? (int64_t)sizeof(double)
                                      : (int64_t)sizeof(int64_t);
}

bool ashi_tile_file_measure(ashi_tile_file *file)
{
    const ashi_tile_head *h = &file->head;
    const int64_t length[ASHI_TILE_LISTS] = {
        [ASHI_TILE_ROW_SIZES] = h->row.tiles, [ASHI_TILE_COL_SIZES] = h->col.tiles, [ASHI_TILE_COLUMNS] = h->tiles,
        [ASHI_TILE_NORMS] = h->tiles, [ASHI_TILE_RANKS] = h->low ? h->tiles : 0, [ASHI_TILE_ELEMENTS] = h->words,
    };
    memcpy(file->length, length, sizeof length);
    return ashi_add(h->row.tiles, 1, &file->length[ASHI_TILE_STARTS]) &&
           ashi_add(h->tiles, 1, &file->length[ASHI_TILE_OFFSETS]);
}

ashlar_status ashi_tile_file_fail(const ashi_tile_file *file, ashlar_error *err, const char *format, ...)
{
    char reason[ASHLAR_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return ashi_hdf5_refuse(&file->place, err, "matrix of tiles %.60s: %s", file->place.data_set, reason);
}

ashlar_status ashi_tile_list_check(const ashi_tile_file *file, ashi_tile_list list, int64_t first, int64_t count,
                                   const void *data, bool writes, ashlar_error *err)
{
    int64_t end;
    const char *path = file->place.path;
    if (writes != (file->mode != ASHI_STORE_READING) || file->published)
        return ashi_fail_file(err, ASHLAR_ERR_ARG, path, "is not open for %s", writes ? "writing" : "reading");
    if (!ashi_tile_list_is_there(file, list))
        return ashi_fail_file(err, ASHLAR_ERR_ARG, path, "has no %s of tiles", list_names[list]);
    if (first < 0 || count < 0 || !ashi_add(first, count, &end) || end > file->length[list])
        return ashi_fail_file(err, ASHLAR_ERR_ARG, path,
                              "%s %" PRId64 " + %" PRId64 ", wanted a range inside %" PRId64, list_names[list], first,
                              count, file->length[list]);
    return count == 0 || data ? ASHLAR_OK
                              : ashi_fail_file(err, ASHLAR_ERR_ARG, path, "no memory given for %s", list_names[list]);
}

const ashi_tile_head *ashi_tile_file_head(const ashi_tile_file *file)
{
    return &file->head;
}

const int64_t *ashi_tile_file_starts(const ashi_tile_file *file)
{
    return file->starts;
}

bool ashi_tile_file_has_norms(const ashi_tile_file *file)
{
    return file->norms;
}

ashi_tile_places ashi_tile_file_places(const ashi_tile_file *file)
{
    return file->places;
}

const char *ashi_tile_file_temporary(const ashi_tile_file *file)
{
    return file->output.temporary;
}

/* ---- the end ---- */

static void close_lists(ashi_tile_file *file)
{
    const ashi_hdf5_printing was = ashi_hdf5_enter();
    for (int l = 0; l < ASHI_TILE_LISTS; l++)
        ashi_hdf5_close(file->set[l]);
    if (file->file >= 0)
        H5Fclose(file->file);
    ashi_hdf5_leave(was);
}

ashlar_status ashi_tile_file_close(ashi_tile_file **closed, ashlar_error *err)
{
    ashi_tile_file *file = *closed;
    ashlar_status status = ASHLAR_OK;
    *closed = NULL;
    if (!file)
        return ASHLAR_OK;
    close_lists(file);
    if (file->mode == ASHI_STORE_JOINED && file->fd >= 0) {
        status = ashi_file_sync(file->fd, file->place.path, err);
        close(file->fd);
    }
    ashi_store_close(&file->elements, NULL);
    ashi_output_discard(&file->output);
    for (int l = 0; l < ASHI_TILE_LISTS; l++)
        free(file->name[l]);
    ashi_file_place_free(&file->place);
    ashi_cuts_free(&file->head.row);
    ashi_cuts_free(&file->head.col);
    free(file->starts);
    free(file);
    return status;
}

/* Names in an HDF5 file, followed inside that file only. */
#include "store/hdf5_links.h"

#include "base/checked.h"
#include "store/by_chunk.h"
#include "store/file.h"
#include "store/hdf5_error.h"
#include "store/tile_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The external link that was met. */
typedef struct outside {
    bool met;
    char file[100], object[60];
} outside;

/* HDF5 calls this before it opens the other file; a negative value ends the search. */
static herr_t refuse_outside(const char *file, const char *group, const char *other, const char *object,
                             unsigned *flags, hid_t access, void *out)
{
    outside *o = out;
    (void)file, (void)group, (void)flags, (void)access;
    o->met = true;
    snprintf(o->file, sizeof o->file, "%s", other);
    snprintf(o->object, sizeof o->object, "%s", object);
    return -1;
}

/* A property list for following names; negative on failure. The caller closes it. */
static hid_t make_access(hid_t kind, outside *o)
{
    const hid_t access = H5Pcreate(kind);
    if (access < 0 || H5Pset_elink_cb(access, refuse_outside, o) >= 0)
        return access;
    ashi_hdf5_close(access);
    return H5I_INVALID_HID;
}

/* Fail with the external link that was met, else with HDF5's reason. */
static ashlar_status fail(const ashi_file_place *place, const outside *o, const char *what, ashlar_error *err)
{
    return o->met ? ashi_fail_file(err, ASHLAR_ERR_IO, place->path,
                                   "data set %.60s is behind an external link to %s:%s; name that file itself",
                                   place->data_set, o->file, o->object)
                  : ashi_hdf5_fail(place, what, err);
}

ashlar_status ashi_hdf5_open_set(const ashi_file_place *place, hid_t file, int64_t cache_bytes, hid_t *set,
                                 ashlar_error *err)
{
    outside o = {.met = false};
    char what[160];
    const hid_t access = make_access(H5P_DATASET_ACCESS, &o);
    *set = H5I_INVALID_HID;
    if (access >= 0 && H5Pset_chunk_cache(access, cache_bytes > 0 ? ASHI_CHUNKS_PLACES : H5D_CHUNK_CACHE_NSLOTS_DEFAULT,
                                          (size_t)ashi_max(cache_bytes, ASHI_HDF5_KEPT_BYTES), 0) >= 0)
        *set = H5Dopen2(file, place->data_set, access);
    ashi_hdf5_close(access);
    snprintf(what, sizeof what, "has no data set %.100s", place->data_set);
    return *set >= 0 ? ASHLAR_OK : fail(place, &o, what, err);
}

ashlar_status ashi_hdf5_open_object(const ashi_file_place *place, hid_t file, hid_t *object, ashlar_error *err)
{
    outside o = {.met = false};
    char what[160];
    const hid_t access = make_access(H5P_LINK_ACCESS, &o);
    *object = access < 0 ? H5I_INVALID_HID : H5Oopen(file, place->data_set, access);
    ashi_hdf5_close(access);
    snprintf(what, sizeof what, "has no %.100s", place->data_set);
    return *object >= 0 ? ASHLAR_OK : fail(place, &o, what, err);
}

/* Look at what the name stands for; *replaced tells whether it may go. */
static ashlar_status look(const ashi_file_place *place, hid_t file, hid_t access, const outside *o,
                          bool (*also)(hid_t object), bool *replaced, ashlar_error *err)
{
    const char *name = place->data_set;
    H5L_info_t link;
    *replaced = false;
    if (H5Lget_info(file, name, &link, access) < 0) /* nothing has this name, or a link before it leads outside */
        return o->met ? fail(place, o, NULL, err) : ASHLAR_OK;
    const hid_t object = H5Oopen(file, name, access);
    if (object < 0 && (o->met || link.type != H5L_TYPE_SOFT))
        return fail(place, o, "the data set cannot be replaced", err);
    *replaced = object < 0 || H5Iget_type(object) == H5I_DATASET || (also && also(object));
    ashi_hdf5_close(object);
    return *replaced ? ASHLAR_OK
                     : ashi_hdf5_refuse(place, err, "%.100s exists and is %s", name,
                                        also ? "neither a data set nor a matrix of tiles with nothing beside it"
                                             : "not a data set");
}

/* A matrix of tiles would be damaged by what is written into its group. */
static ashlar_status spare_tiles(const ashi_file_place *place, hid_t file, hid_t access, ashlar_error *err)
{
    const char *const name = place->data_set;
    ashlar_status status = ASHLAR_OK;
    for (const char *end = strchr(name + 1, '/'); end && status == ASHLAR_OK; end = strchr(end + 1, '/')) {
        char *group = strndup(name, (size_t)(end - name));
        if (!group)
            return ashi_fail_memory(err, "a name", end - name + 1);
        const hid_t object = H5Lexists(file, group, access) > 0 ? H5Oopen(file, group, access) : H5I_INVALID_HID;
        if (object >= 0 && ashi_tile_format_found(object))
            status = ashi_hdf5_refuse(place, err, "%.100s is in the matrix of tiles %.100s, wanted another name", name,
                                      group);
        else if (object < 0)
            end = name + strlen(name) - 1; /* nothing is there, or a link that leads outside */
        ashi_hdf5_close(object);
        free(group);
    }
    return status;
}

ashlar_status ashi_hdf5_free_name(const ashi_file_place *place, hid_t file, bool (*also)(hid_t object),
                                  ashlar_error *err)
{
    outside o = {.met = false};
    bool replaced = false;
    const hid_t access = make_access(H5P_LINK_ACCESS, &o);
    if (access < 0)
        return ashi_hdf5_fail(place, "the data set cannot be looked for", err);
    ashlar_status status = spare_tiles(place, file, access, err);
    if (status == ASHLAR_OK)
        status = look(place, file, access, &o, also, &replaced, err);
    if (status == ASHLAR_OK && replaced && H5Ldelete(file, place->data_set, access) < 0)
        status = fail(place, &o, "the data set cannot be replaced", err);
    ashi_hdf5_close(access);
    return status;
}

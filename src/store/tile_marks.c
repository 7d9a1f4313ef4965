/* What the attributes of a matrix of tiles in an HDF5 file say: the format, its version, the symmetry. A matrix of
 * dense tiles has version 1, so that readers of that version take it. */
#include "store/tile_lists.h"

#include "store/hdf5_error.h"
#include "store/tile_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const symmetry_names[] = {"general", "symmetric", "antisymmetric", "hermitian", "antihermitian"};
enum { SYMMETRIES = sizeof symmetry_names / sizeof symmetry_names[0] };

const char *ashi_symmetry_name(ashlar_symmetry symmetry)
{
    return symmetry_names[symmetry];
}

static ashlar_status add_attribute(const ashi_tile_file *file, hid_t group, const char *name, hid_t type,
                                   const void *value, ashlar_error *err)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t made = space < 0 ? H5I_INVALID_HID : H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool good = made >= 0 && H5Awrite(made, type, value) >= 0;
    ashi_hdf5_close(made);
    ashi_hdf5_close(space);
    return good ? ASHLAR_OK : ashi_hdf5_fail(&file->place, "an attribute cannot be written", err);
}

/* A type of text of any length; negative on failure. */
static hid_t text_type(void)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0)
        return type;
    ashi_hdf5_close(type);
    return H5I_INVALID_HID;
}

ashlar_status ashi_tile_marks_write(const ashi_tile_file *file, hid_t group, ashlar_error *err)
{
    static const char format[] = ASHI_TILE_FORMAT;
    const char *const format_text = format, *const symmetry = symmetry_names[file->head.symmetry];
    const int64_t version = file->head.low ? ASHI_TILE_VERSION : 1;
    const hid_t text = text_type();
    if (text < 0)
        return ashi_hdf5_fail(&file->place, "an attribute cannot be written", err);
    ashlar_status status = add_attribute(file, group, "format", text, &format_text, err);
    if (status == ASHLAR_OK)
        status = add_attribute(file, group, "symmetry", text, &symmetry, err);
    if (status == ASHLAR_OK)
        status = add_attribute(file, group, "version", H5T_NATIVE_INT64, &version, err);
    ashi_hdf5_close(text);
    return status;
}

static bool read_number(hid_t group, const char *name, int64_t *out)
{
    if (H5Aexists(group, name) <= 0)
        return false;
    const hid_t attribute = H5Aopen(group, name, H5P_DEFAULT);
    const hid_t type = attribute < 0 ? H5I_INVALID_HID : H5Aget_type(attribute);
    const hid_t space = type < 0 ? H5I_INVALID_HID : H5Aget_space(attribute);
    const bool good = space >= 0 && H5Tget_class(type) == H5T_INTEGER &&
                      H5Sget_simple_extent_npoints(space) == 1 && H5Aread(attribute, H5T_NATIVE_INT64, out) >= 0;
    ashi_hdf5_close(space);
    ashi_hdf5_close(type);
    ashi_hdf5_close(attribute);
    return good;
}

ashlar_status ashi_tile_marks_read(ashi_tile_file *file, hid_t group, ashlar_error *err)
{
    char word[ASHI_TILE_WORD];
    int64_t version = 0;
    if (!ashi_tile_word(group, "format", word) || strcmp(word, ASHI_TILE_FORMAT) != 0)
        return ashi_tile_file_fail(file, err, "its format is '%.40s', wanted the attribute format = " ASHI_TILE_FORMAT,
                                   word);
    if (!read_number(group, "version", &version) || version < 1 || version > ASHI_TILE_VERSION)
        return ashi_tile_file_fail(file, err, "its version is %" PRId64 ", this Ashlar reads up to %d", version,
                                   ASHI_TILE_VERSION);
    int s = 0;
    if (ashi_tile_word(group, "symmetry", word))
        while (s < SYMMETRIES && strcmp(word, symmetry_names[s]) != 0)
            s++;
    else
        s = SYMMETRIES;
    if (s == SYMMETRIES)
        return ashi_tile_file_fail(file, err, "its symmetry is '%.40s', wanted general, symmetric, antisymmetric, "
                                              "hermitian or antihermitian", word);
    file->head.symmetry = (ashlar_symmetry)s;
    file->head.low = version > 1;
    return ASHLAR_OK;
}

/* A name in the group that is none of a matrix's ends the search. */
static herr_t refuse_others(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    (void)group, (void)info, (void)context;
    for (int l = 0; l < ASHI_TILE_LISTS; l++)
        if (strcmp(name, ashi_tile_list_name((ashi_tile_list)l)) == 0)
            return 0;
    return 1;
}

bool ashi_tile_marks_alone(hid_t object)
{
    return ashi_tile_format_found(object) &&
           H5Literate(object, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, refuse_others, NULL) == 0;
}

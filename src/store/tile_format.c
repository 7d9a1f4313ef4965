/* The words in attributes of HDF5, and whether they say that a group is a matrix of tiles. */
#include "store/tile_format.h"

#include "store/hdf5_error.h"

#include <stdio.h>
#include <string.h>

/* Text of any length, of which what fits is taken. */
static bool read_long_text(hid_t attribute, hid_t type, char out[ASHI_TILE_WORD])
{
    char *text = NULL;
    const bool good = H5Aread(attribute, type, &text) >= 0 && text;
    if (good)
        snprintf(out, ASHI_TILE_WORD, "%s", text);
    H5free_memory(text);
    return good;
}

bool ashi_tile_word(hid_t group, const char *name, char out[ASHI_TILE_WORD])
{
    out[0] = '\0';
    if (H5Aexists(group, name) <= 0)
        return false;
    const hid_t attribute = H5Aopen(group, name, H5P_DEFAULT);
    const hid_t type = attribute < 0 ? H5I_INVALID_HID : H5Aget_type(attribute);
    const hid_t space = type < 0 ? H5I_INVALID_HID : H5Aget_space(attribute);
    bool good = space >= 0 && H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1;
    const htri_t any_length = good ? H5Tis_variable_str(type) : -1;
    if (any_length > 0)
        good = read_long_text(attribute, type, out);
    else if (any_length == 0 && H5Tget_size(type) < ASHI_TILE_WORD) {
        good = H5Aread(attribute, type, out) >= 0;
        out[ASHI_TILE_WORD - 1] = '\0';
        out[good ? H5Tget_size(type) : 0] = '\0';
    } else
        good = false;
    ashi_hdf5_close(space);
    ashi_hdf5_close(type);
    ashi_hdf5_close(attribute);
    return good;
}

bool ashi_tile_format_found(hid_t object)
{
    char word[ASHI_TILE_WORD];
    return H5Iget_type(object) == H5I_GROUP && ashi_tile_word(object, "format", word) &&
           strcmp(word, ASHI_TILE_FORMAT) == 0;
}

/* A matrix of tiles in an HDF5 file as its lists: names, lengths, and where they lie. */
#ifndef ASHI_STORE_TILE_LISTS_H
#define ASHI_STORE_TILE_LISTS_H

#include "base/error.h"
#include "store/format.h"
#include "store/tile_file.h"

#include <hdf5.h>

struct ashi_tile_file {
    ashi_file_place place;         /* of the group */
    char *name[ASHI_TILE_LISTS];   /* of the data sets: "/A/columns" */
    ashi_tile_head head;
    ashi_store_mode mode;
    int64_t length[ASHI_TILE_LISTS];
    hid_t file, set[ASHI_TILE_LISTS]; /* of an opened matrix; none for its elements */
    bool norms;
    ashi_store *elements;          /* of an opened matrix */
    int64_t *starts;               /* of an opened matrix */
    ashi_output output;            /* of a created one */
    ashi_tile_places places;       /* of one to be written */
    int fd;                        /* of one to be written; a joined one's own */
    bool failed, published;
};

/* A matrix of a place, nothing opened yet; freed by ashi_tile_file_close. ASHLAR_ERR_ARG: the place is not in HDF5. */
ashlar_status ashi_tile_file_make(const char *place, ashi_store_mode mode, ashi_tile_file **out, ashlar_error *err);

/* What a data set is called in its group: "columns". */
const char *ashi_tile_list_name(ashi_tile_list list);

/* A list as a place: nothing in it is to be freed. */
ashi_file_place ashi_tile_list_place(const ashi_tile_file *file, ashi_tile_list list);

/* Bytes of a number of the list in memory. */
int64_t ashi_tile_list_bytes(const ashi_tile_file *file, ashi_tile_list list);

/* Whether the matrix has such a list. */
static inline bool ashi_tile_list_is_there(const ashi_tile_file *file, ashi_tile_list list)
{
    return list == ASHI_TILE_RANKS   ? file->head.low
           : list == ASHI_TILE_NORMS ? file->norms || file->mode != ASHI_STORE_READING
                                     : true;
}

/* Numbers of a list of an opened matrix, other than its elements. Within ashi_hdf5_enter. */
ashlar_status ashi_tile_list_numbers(const ashi_tile_file *file, ashi_tile_list list, int64_t first, int64_t count,
                                     void *data, ashlar_error *err);

/* Check what an opened matrix says of each of its tiles. Within ashi_hdf5_enter. */
ashlar_status ashi_tile_file_check(const ashi_tile_file *file, ashlar_error *err);

/* The lengths that follow from the head; false if one is more than 2^63 - 1. */
bool ashi_tile_file_measure(ashi_tile_file *file);

/* ashi_hdf5_refuse with "matrix of tiles GROUP: text". Within ashi_hdf5_enter. */
ashlar_status ashi_tile_file_fail(const ashi_tile_file *file, ashlar_error *err, const char *format, ...)
    ASHI_PRINTF(3, 4);

/* Arguments of reading and writing. */
ashlar_status ashi_tile_list_check(const ashi_tile_file *file, ashi_tile_list list, int64_t first, int64_t count,
                                   const void *data, bool writes, ashlar_error *err);

/* Whether an open object is a group with a matrix of tiles and nothing else in it. Within ashi_hdf5_enter. */
bool ashi_tile_marks_alone(hid_t object);

/* The attributes of a matrix's group, which is open: written; or read, and the symmetry and whether there are ranks
 * taken from them. Within ashi_hdf5_enter. ASHLAR_ERR_IO: it is no matrix of tiles that this version reads. */
ashlar_status ashi_tile_marks_write(const ashi_tile_file *file, hid_t group, ashlar_error *err);
ashlar_status ashi_tile_marks_read(ashi_tile_file *file, hid_t group, ashlar_error *err);

#endif

/* How a matrix of tiles is known in an HDF5 file: by the attributes of its group. Within ashi_hdf5_enter. */
#ifndef ASHI_STORE_TILE_FORMAT_H
#define ASHI_STORE_TILE_FORMAT_H

#include <hdf5.h>
#include <stdbool.h>

#define ASHI_TILE_FORMAT "ashlar-tiles"
#define ASHI_TILE_VERSION 2 /* 1: all tiles are dense */

/* Room for the words that attributes have. */
enum { ASHI_TILE_WORD = 64 };

/* The text of an attribute, whose length may be fixed or not; false if there is no such attribute. */
bool ashi_tile_word(hid_t group, const char *name, char out[ASHI_TILE_WORD]);

/* Whether an open object is a group with a matrix of tiles. */
bool ashi_tile_format_found(hid_t object);

#endif

/* What ashlar show says of a matrix of tiles. */
#ifndef ASHI_SHOW_H
#define ASHI_SHOW_H

#include "draw/tiles_svg.h"

/* The most processes of a grid over which tiles are dealt out. */
enum { ASHI_SHOW_PROCESSES = 1 << 20 };

/* On standard output: sizes, present tiles, norms, and with a grid the imbalance. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_show_print(const ashi_tile_picture *picture, bool json, ashlar_error *err);

#endif

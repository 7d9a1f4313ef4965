/* What a player has to be given to run a program of tiles: the rank's own tiles. */
#ifndef ASHI_TILE_RUN_H
#define ASHI_TILE_RUN_H

#include "exec/tile_rows.h"

/* The tiles of A, B and C that the rank has, as they are stored, and the operations of A and B. Where the data begin is
 * said for each run (ashi_player_work.part). It outlives the player. */
typedef struct ashi_tile_run {
    ashlar_op op[2];
    ashi_tile_set own[3];
} ashi_tile_run;

#endif

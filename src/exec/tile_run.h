/* What a player has to be given to run a program of tiles: the rank's own tiles. */
#ifndef ASHI_TILE_RUN_H
#define ASHI_TILE_RUN_H

#include "exec/tile_rows.h"

/* What a stored tile of A or B is to the tile of op(A) or op(B) that it stands for. */
typedef struct ashi_tile_use {
    ashlar_op op;
    bool negated;
    bool conjugated; /* when it is packed */
} ashi_tile_use;

/* The tiles of A, B and C that the rank has, as they are stored. Where the data begin is said for each run
 * (ashi_player_work.part). It outlives the player. */
typedef struct ashi_tile_run {
    ashi_tile_use use[2][2]; /* of A and of B: tiles that are not mirrored (ashi_tile_source), and such that are */
    ashi_tile_set own[3];
} ashi_tile_run;

#endif

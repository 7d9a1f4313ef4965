/* What a player has to be given to run a program of tiles: the rank's own tiles. */
#ifndef ASHI_TILE_RUN_H
#define ASHI_TILE_RUN_H

#include "kernel/tile_rows.h"

/* What a stored tile of A or B is to the tile of op(A) or op(B) that it stands for. */
typedef struct ashi_tile_use {
    ashlar_op op;
    bool negated;
    bool conjugated; /* when it is packed */
} ashi_tile_use;

/* The tiles of A, B and C that the rank has, as they are stored. Where the data begin is said for each run
 * (ashi_player_work.part, or .terms). If several products are added up there is one for each of these, with the same
 * C. They outlive the player. */
typedef struct ashi_tile_run {
    ashi_tile_use use[2][2]; /* of A and of B: tiles that are not mirrored (ashi_tile_source), and such that are */
    ashi_tile_set own[3];
} ashi_tile_run;

/* What a run works on for one of several products that are added up. */
typedef struct ashi_term_work {
    const void *alpha; /* one element; 0: nothing is added, and A's and B's elements do not matter */
    const void *data[2]; /* where the rank's own tiles of A and B begin, aligned to their elements */
} ashi_term_work;

#endif

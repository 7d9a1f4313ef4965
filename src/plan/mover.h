/* What a prepared movement is inside. */
#ifndef ASHI_MOVER_H
#define ASHI_MOVER_H

#include "exec/move.h"

#include <ashlar/move.h>

struct ashlar_mover {
    ashlar_context *context; /* not owned */
    ashlar_type type;
    bool trusted;
    bool apart[2]; /* the tiles of this rank's part of S, of T, have no place in one array */
    ashi_move *move;
    ashlar_movement figures;
    void *memory; /* its own workspace, or NULL */
    void *workspace;
};

#endif

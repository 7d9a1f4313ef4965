/* What a prepared movement is inside. */
#ifndef ASHI_MOVER_H
#define ASHI_MOVER_H

#include "exec/move.h"

#include <ashlar/move.h>

struct ashlar_mover {
    ashlar_context *context; /* not owned */
    ashlar_type type;
    bool trusted, reads, writes; /* reads, writes: this rank owns elements of S, of T */
    ashi_move *move;
    ashlar_movement figures;
    void *memory; /* its own workspace, or NULL */
    void *workspace;
};

#endif

/* Moving boxes of plain files with care for the system's memory: if that is short, it lets go of what has served. */
#ifndef ASHI_CAREFUL_H
#define ASHI_CAREFUL_H

#include "exec/file_box.h"

#include <pthread.h>

/* PIECES: of one box that are read at the same time, at most. WRITES: what is written goes to the disk from the end of
 * its writing on, and is likely to be there this many writes later. */
enum { ASHI_CAREFUL_PIECES = 16, ASHI_CAREFUL_WRITES = 4 };

/* The box that was moved last in its place. */
typedef struct ashi_moved_box {
    bool any;
    ashi_box_move move;
    unsigned turn;  /* the care's when boxes were last read here, */
    int64_t reads;  /* and how many were, in this turn */
    bool fresh;     /* it was written and is not on its way to the disk yet */
    unsigned number; /* of what was written */
} ashi_moved_box;

/* A slab that is read in short runs leaves pages of which the next slab needs the rest. The system lets go of what was
 * touched long ago, and keeps for long what was read once: with little memory it loses the former for the latter, and
 * reads it again. Whether it does is looked at before the next slab is read. From then on, pages that nothing needs any
 * more, read or written, are let go after the next box has been moved, which leaves room for the others. Until
 * then nothing is let go: files that fit in the system's memory stay there for the next tile.
 *
 * Parts of lines are fetched ahead for several slabs at once, in windows, because each request to the disk takes a
 * core's time. If pages are lost although pages are let go and all windows were fetched since, windows are halved.
 *
 * Long runs need no pages. If memory is short they are read past it, which costs the cores less and leaves it to the
 * short runs. What the system has of them anyway is not let go: it serves again. They are written past it as long as
 * the disk takes them more quickly than memory would. */
typedef struct ashi_care {
    pthread_mutex_t mutex; /* of what follows */
    ashi_moved_box moved[ASHI_FILES][ASHI_CAREFUL_PIECES]; /* read */
    ashi_moved_box written[ASHI_FILES][ASHI_CAREFUL_WRITES];
    unsigned writes; /* so far */
    bool is_short;
    int64_t window; /* bytes */
    unsigned turn;  /* how often pages were lost so that something was changed */
    ashi_direct_pace pace; /* of what is written: needs no mutex */
} ashi_care;

/* `memory_is_short`: it is known from the beginning that what is read and written is more than the system's memory, so
 * that nothing would still be there when it is read again, and memory is short at once. ASHLAR_ERR_MEMORY. Then there
 * is nothing to end. */
ashlar_status ashi_care_begin(ashi_care *care, bool memory_is_short, ashlar_error *err);
void ashi_care_end(ashi_care *care);

/* ashi_move_box of piece `piece` of a box of this file. On any thread. */
ashlar_status ashi_move_with_care(ashi_care *care, const ashi_box_move *move, ashi_file_role role, int piece,
                                  void *between, ashlar_error *err);

#endif

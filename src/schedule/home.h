/* Where a rank sums up its box of C: in its own part of the matrix, in a buffer, or both. */
#ifndef ASHI_HOME_H
#define ASHI_HOME_H

#include "layout/view.h"

typedef enum ashi_home_kind {
    ASHI_HOME_BUFFER, /* all of the box in the buffer */
    ASHI_HOME_COLS,   /* major positions lo .. hi-1 in the rank's own C, the others side by side in the buffer */
    ASHI_HOME_ROWS    /* minor positions lo .. hi-1 likewise */
} ashi_home_kind;

typedef struct ashi_home {
    ashi_home_kind kind;
    int64_t lo, hi;
} ashi_home;

/* The best home for a rank's box of C: what the rank owns of it stays in place if BLAS can write it there. `tiled`:
 * also if it is whole columns, or rows, in up to ASHI_HOME_TILES_MOST blocks, each of which is a product of its own. */
ashi_home ashi_home_find(const ashi_view *view, int64_t rank, const ashi_box *box, bool tiled);

enum { ASHI_HOME_TILES_MOST = 16 };

/* The boxes of the blocks in which a rank's own part of a box lies, at most ASHI_HOME_TILES_MOST; how many. */
int ashi_home_tiles(const ashi_view *view, int64_t rank, const ashi_box *box, ashi_box out[ASHI_HOME_TILES_MOST]);

/* Words of the buffer, its leading dimension, and the place in it of a position that is not in the rank's own C. */
int64_t ashi_home_buffer_words(const ashi_home *home, const ashi_box *box);
int64_t ashi_home_ld(const ashi_home *home, const ashi_box *box);
int64_t ashi_home_offset(const ashi_home *home, const ashi_box *box, int64_t minor, int64_t major);

/* True where an owner's chunk of the box lies in the buffer just as it is sent; then *offset says where. */
bool ashi_home_is_packed(const ashi_home *home, const ashi_view *view, int64_t owner, const ashi_box *box,
                         ashi_chunk chunk, int64_t *offset);

/* The rectangles that a box is multiplied in: one call of BLAS each. */
typedef struct ashi_home_part {
    ashi_box box;
    bool own; /* in the rank's own C */
} ashi_home_part;

int ashi_home_parts(const ashi_home *home, const ashi_box *box, ashi_home_part out[3]);

#endif

/* How thick the slabs of a box can be in a rank's memory, and what thin ones cost. */
#ifndef ASHI_UNEVEN_ROOM_H
#define ASHI_UNEVEN_ROOM_H

#include <stdbool.h>
#include <stdint.h>

/* The memory of a rank. */
typedef struct ashi_uneven_room {
    int64_t words; /* 0: no limit; ASHI_UNEVEN_LEAST: as few as will do, however many words move */
    int window;    /* slabs that have memory at once */
    bool once;     /* what a rank owns of the matrix that stays can be used where it lies if boxes are layered, which
                      is if they are layers along a side of that matrix: then its strips are layers */
} ashi_uneven_room;

enum { ASHI_UNEVEN_LEAST = -1 };

/* About the least memory for a box of such sides of m, n and k: shares, the sums of C, and a column of others' sums or
 * the thinnest slab. */
double ashi_uneven_need(const ashi_uneven_room *room, bool layered, const double size[3], double ranks,
                        const double side[3]);

/* How many times its words a box is worth whose slabs are as thick as there is room: 1 where that is thick enough,
 * INFINITY where none fits. */
double ashi_uneven_thinness(const ashi_uneven_room *room, bool layered, const double size[3], double ranks,
                            const double side[3]);

/* The same for slabs so thick of a side so long. */
double ashi_uneven_thin(double slab, double side);

#endif

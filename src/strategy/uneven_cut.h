/* Boxes of nearly equal volume, one for each rank whatever their number.
 *
 * The space is cut in layers as thick as they have ranks, each layer in columns as wide as they have ranks, each column
 * evenly in boxes. Of p ranks in L layers each layer has p/L or one more, and likewise the columns of a layer. Which of
 * m, n and k are cut in layers, columns and boxes, and in how many, is searched. A grid of p cells is one of these. */
#ifndef ASHI_UNEVEN_CUT_H
#define ASHI_UNEVEN_CUT_H

#include "engine/grid_schedule.h"
#include "strategy/uneven_room.h"

/* Layers with equally many ranks. */
typedef struct ashi_uneven_kind {
    int64_t layers;    /* how many there are */
    int64_t ranks;     /* in each of them */
    int64_t columns;   /* in each of them: the first ranks mod columns have one rank more than the others */
    int64_t thickness; /* of all of them together; they share it evenly */
    int64_t width;     /* of all columns with one rank more together; they share it evenly, the others the rest */
} ashi_uneven_kind;

typedef struct ashi_uneven_cut {
    int axis[3];              /* what is cut in layers, columns, boxes: 0, 1, 2 for m, n, k */
    int64_t size[3];          /* of those */
    int64_t ranks;            /* boxes: as many as asked for, where the space has so many elements */
    ashi_uneven_kind kind[2]; /* the layers with one rank more come first */
    double volume;            /* of the largest box */
    double words, mean;       /* most words of a box's three faces, and those of all boxes over their number */
    ashi_uneven_room room;    /* of each rank */
    double thinness, need;    /* most of a box: see ashi_uneven_thinness, ashi_uneven_need */
} ashi_uneven_cut;

/* The best cut of a space of size[0] x size[1] x size[2] elements, all at least 1, for so many ranks, at least 1: of
 * those whose largest box is within 1 % of the mean the one with the smallest faces, if there are any; of two with
 * nearly the same faces the one that leaves room for thicker slabs. One that hardly fits is better than none. With the
 * least room the one that needs the least memory. */
void ashi_uneven_search(const int64_t size[3], int64_t ranks, const ashi_uneven_room *room, ashi_uneven_cut *out);

/* Its boxes, cut->ranks of them: layer after layer, column after column. */
void ashi_uneven_boxes(const ashi_uneven_cut *cut, ashi_cuboid *box);

#endif

/* Which blocks, boxes and pieces of a nest's loops are a rank's. */
#ifndef ASHI_NEST_ITEMS_H
#define ASHI_NEST_ITEMS_H

#include "engine/nest.h"

/* A rank's team, and its place in it. */
typedef struct ashi_nest_place {
    bool idle;
    int64_t first;                        /* the team's first rank */
    int64_t at[2];                        /* the rank's place in the grid of its team */
    int64_t base[3], length[3], count[3]; /* the team's part of m, n and k, and its number of blocks of each */
    int64_t items;
} ashi_nest_place;

/* One turn of the innermost loop. */
typedef struct ashi_nest_item {
    int64_t block[3];     /* which blocks of m, n and k */
    int64_t lo[3], hi[3]; /* the rank's boxes are made of these ranges; empty if the rank has nothing to do */
    int64_t live[2];      /* how many of the team, down and across, have boxes that are not empty */
    bool idle;
    bool first, last;     /* of the slabs that go past one tile */
} ashi_nest_item;

/* The loops, outermost first, as indices 0 to 2 of m, n and k. */
const int *ashi_nest_loops(const ashi_nest *nest);

ashi_nest_place ashi_nest_place_of(const ashi_nest *nest, int64_t rank);
ashi_nest_item ashi_nest_item_of(const ashi_nest *nest, const ashi_nest_place *place, int64_t number);

/* The rank's box of an operand in an item. */
ashi_box ashi_nest_box(const ashi_nest_item *item, ashlar_operand x);

/* How many ranks need the same box of A or B, this one included, and which of them this one is. */
int64_t ashi_nest_sharers(const ashi_nest_item *item, ashlar_operand x);
int64_t ashi_nest_sharer(const ashi_nest_place *place, ashlar_operand x);

/* The part of a box that sharer `q` of `sharers` reads: cut along the side that is not contiguous in the pool, so that
 * it lies there as it is sent. It may be empty. Its edges are multiples of the unit; the strips of a C that is only
 * written are cut anywhere. */
int64_t ashi_nest_piece_unit(const ashi_nest *nest, ashlar_operand x);
ashi_box ashi_nest_piece(const ashi_nest *nest, ashlar_operand x, const ashi_box *box, int64_t sharers, int64_t q);

#endif

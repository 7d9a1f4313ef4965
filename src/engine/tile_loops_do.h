/* The operations of the loops over tiles. */
#ifndef ASHI_TILE_LOOPS_DO_H
#define ASHI_TILE_LOOPS_DO_H

#include "engine/tile_loops_parts.h"

/* A new panel in the pool, to be made by the next operation. `idle`: nothing reads it. */
int64_t ashi_loops_panel(ashi_loops *l, int x, const ashi_box *box, bool idle);

/* Move a panel, which nothing reads later if it is `last`. */
void ashi_loops_move(ashi_loops *l, int64_t from, bool last, int64_t to);

/* Read a box from a file: what the rank wrote there, or what the file had before. Sums that were written are read
 * back once. */
void ashi_loops_load(ashi_loops *l, int x, const ashi_box *box, int64_t filed, int64_t to);

/* Write a panel, for the last time that it is read, to the rank's file. Returns the panel there. */
int64_t ashi_loops_store(ashi_loops *l, int x, const ashi_box *box, int64_t from);

/* A message. `owner` is who adds up what is sent of C, or has added it up; -1 for A and B. Returns the panel that
 * arrives, or none if the box is empty. */
void ashi_loops_send(ashi_loops *l, int x, const ashi_box *box, int64_t peer, int64_t panel, bool last, int64_t owner);
int64_t ashi_loops_receive(ashi_loops *l, int x, const ashi_box *box, int64_t peer, bool idle, int64_t owner);

/* ---- blocks of A and B (tile_loops_blocks.c) ---- */

/* Read what an item needs of A or B. */
void ashi_loops_read(ashi_loops *l, const ashi_loop_item *item, int x);

/* All products of an item, in step `turn` of the rotation. */
void ashi_loops_multiply(ashi_loops *l, const ashi_loop_item *item, int64_t turn);

/* Inside the loops: blocks move on; what is replicated goes to all. */
void ashi_loops_shift(ashi_loops *l, const ashi_loop_item *item, int64_t turn);
void ashi_loops_spread(ashi_loops *l, const ashi_loop_item *item);

/* Outside: the steps 0 to 2 by which a tile of A or B goes from file to file. */
void ashi_loops_shift_filed(ashi_loops *l, int x, int64_t number, int64_t step);
void ashi_loops_spread_filed(ashi_loops *l, int64_t number, int64_t step);

/* ---- sums (tile_loops_sums.c) ---- */

/* Open what an item needs of C. */
void ashi_loops_open(ashi_loops *l, const ashi_loop_item *item);

/* Write an item's sums if it is the last of them. */
void ashi_loops_close(ashi_loops *l, const ashi_loop_item *item);

/* Write all sums that stayed in memory. */
void ashi_loops_close_all(ashi_loops *l);

/* The steps by which all ranks add up an item's tiles of C, if it is their last one, or a tile by its number. */
int64_t ashi_loops_join_steps(const ashi_loops *l);
void ashi_loops_join(ashi_loops *l, const ashi_loop_item *item, int64_t step);
void ashi_loops_join_filed(ashi_loops *l, int64_t number, int64_t step);

#endif

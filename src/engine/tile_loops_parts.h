/* Which tiles of the loops over tiles are a rank's, and the state of the program that is made. */
#ifndef ASHI_TILE_LOOPS_PARTS_H
#define ASHI_TILE_LOOPS_PARTS_H

#include "engine/builder.h"
#include "engine/tile_loops.h"

/* One turn of the innermost loop. */
typedef struct ashi_loop_item {
    int64_t p, q, inner, r; /* numbers of tiles */
} ashi_loop_item;

/* A tile of a matrix: numbers of tiles of m, n and k. An index that is cut by two loops is counted through. */
typedef struct ashi_loop_tile {
    int64_t of[3];
} ashi_loop_tile;

/* Panels of a matrix on one rank: for each slot, tile and part of the rows. */
typedef struct ashi_loop_store {
    int64_t *held;  /* in the pool */
    int64_t *filed; /* in a file of the rank's own */
    int64_t slots;  /* pieces of k that the rank has at once */
    int64_t room;
} ashi_loop_store;

typedef struct ashi_loops {
    ashi_builder builder;
    ashi_tile_loops q;
    int index[3];       /* p, q and r, as m, n and k */
    int64_t tiles[3];   /* of m, n and k, by both loops */
    int64_t items;      /* turns of the innermost loop */
    int64_t pieces;     /* of k, that one rank has in its products at some time */
    int64_t rows;       /* parts of m of which the rank has sums: 1, or one for each rank */
    bool moves[2];      /* A, B: blocks rotate */
    ashi_loop_store of[3];
    int64_t at[2], base; /* rotation: the rank's place in the grid; its first piece of k */
    int64_t round;       /* outside/rotation: the step of the rotation; else 0 */
    int64_t passing;     /* a panel between two steps of a transfer */
} ashi_loops;

/* The rank of the builder begins. */
void ashi_loops_begin_rank(ashi_loops *l);

/* Which index (m, n or k) side 0 or 1 of a matrix has, and which it has not. */
int ashi_loops_side(int x, int side);
int ashi_loops_other(int x);

/* Where matrix x is in the order of reads. */
int ashi_loops_position(const ashi_loops *l, int x);

ashi_loop_item ashi_loops_item(const ashi_loops *l, int64_t number);

/* The tiles of a matrix that an item has: as many as are read at once. The first matrix has all inner tiles. */
int64_t ashi_loops_tiles(const ashi_loops *l, int x);
ashi_loop_tile ashi_loops_tile(const ashi_loops *l, const ashi_loop_item *item, int x, int64_t number);
/* The one that is multiplied. */
ashi_loop_tile ashi_loops_inner(const ashi_loops *l, const ashi_loop_item *item);

/* Whether the item is the first to read its tiles of x; the last to use its tiles of x, a matrix that is not resident.
 */
bool ashi_loops_reads(const ashi_loops *l, const ashi_loop_item *item, int x);
bool ashi_loops_ends(const ashi_loops *l, const ashi_loop_item *item, int x);

/* Whether a later item uses the inner tile of A or B: in the loops, or in products of this rank. */
bool ashi_loops_comes_again(const ashi_loops *l, const ashi_loop_item *item, int x);
bool ashi_loops_serves_again(const ashi_loops *l, const ashi_loop_item *item, int x);

/* Whether no product of this rank uses the tiles of x that the item reads: its tiles of another index are empty. */
bool ashi_loops_is_idle(const ashi_loops *l, const ashi_loop_item *item, int x);

/* The box of a tile of x: of piece `piece` of k, and part `row` of the rows. It may be empty. */
ashi_box ashi_loops_box(const ashi_loops *l, int x, const ashi_loop_tile *tile, int64_t piece, int64_t row);

/* The piece of k that is in a slot of A or B in step `turn` of the rotation; else the slot is the piece. */
int64_t ashi_loops_piece(const ashi_loops *l, int x, int64_t slot, int64_t turn);

/* How many parts of the rows a matrix has. */
int64_t ashi_loops_rows(const ashi_loops *l, int x);

int64_t *ashi_loops_held(const ashi_loops *l, int x, int64_t slot, const ashi_loop_tile *tile, int64_t row);
int64_t *ashi_loops_filed(const ashi_loops *l, int x, int64_t slot, const ashi_loop_tile *tile, int64_t row);

/* Tiles of a matrix, all of them, and one by its number. */
int64_t ashi_loops_all(const ashi_loops *l, int x);
ashi_loop_tile ashi_loops_nth(const ashi_loops *l, int x, int64_t number);

bool ashi_loops_accumulates(const ashi_loops *l);

/* The matrix that is replicated; -1 none. */
int ashi_loops_replicated(const ashi_loops *l);

#endif

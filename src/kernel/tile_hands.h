/* What the threads that form products of tiles have of their own: made once, for all products of a player. */
#ifndef ASHI_TILE_HANDS_H
#define ASHI_TILE_HANDS_H

#include "kernel/small.h"

#include <stddef.h>

/* STACK: products that are collected before they are formed. PACK: words of A's tiles that are turned or scaled for
 * them. */
enum { TILE_STACK = 256, TILE_PACK = 1 << 15 };

/* The products of one size that wait. */
typedef struct ashi_tile_stack {
    ashi_small kernel;
    int count;
    ashi_small_at at[TILE_STACK];
} ashi_tile_stack;

/* What a product needs of each thread: how many of each. */
typedef struct ashi_tile_need {
    int64_t columns;  /* of tiles of C */
    int64_t stacks;
    int64_t pack;     /* words */
    int64_t block[3]; /* words of merged tiles of A, of B, and of the sum */
    int64_t edges[5]; /* numbers of each `edge` */
} ashi_tile_need;

/* What a thread has. What no product needs is NULL. */
typedef struct ashi_tile_hand {
    int64_t flops;          /* done, in multiply-adds */
    int64_t *place;         /* for each column of tiles of C: where the tile of the row in hand begins, -1: none */
    ashi_tile_stack *stack; /* one for each known size of n */
    int64_t packed;         /* words of `pack` in use */
    void *pack;             /* tiles of A, turned or times alpha */
    void *block[3];         /* merged tiles of A, of B, and the sum */
    int64_t *edge[5];       /* the lists of a box of merged tiles (kernel/tile_boxes.h) */
    ashi_tile_need has;
} ashi_tile_hand;

typedef struct ashi_tile_hands {
    ashi_tile_need need; /* of any of the products */
    int threads;
    size_t element;
    ashi_tile_hand *hand;
    int64_t bytes;       /* allocated */
} ashi_tile_hands;

/* For the products of `threads` threads, none of which has anything yet. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tile_hands_create(int threads, size_t element, ashi_tile_hands **out, ashlar_error *err);

/* A product will need this. */
void ashi_tile_hands_need(ashi_tile_hands *hands, const ashi_tile_need *need);

/* Make what the products need and the hands lack. No product runs. ASHLAR_ERR_MEMORY: it can be tried again. */
ashlar_status ashi_tile_hands_make(ashi_tile_hands *hands, ashlar_error *err);

/* Bytes of all that, once it is made. */
int64_t ashi_tile_hands_wanted(const ashi_tile_hands *hands);

/* NULL does nothing. */
void ashi_tile_hands_free(ashi_tile_hands **hands);

#endif

/* Products of a program of tiles, made ready to be run: which tiles of A and B each reads, and which it leaves out. */
#ifndef ASHI_PLAY_TILES_READY_H
#define ASHI_PLAY_TILES_READY_H

#include "exec/onto_tiles.h"
#include "exec/ready_operand.h"
#include "kernel/tile_product.h"
#include "layout/left_out.h"

/* The products of some tiles of A with some of B. */
typedef struct ashi_ready_part {
    const ashi_ready_operand *a, *b;
    ashi_left_out left;        /* if any of all products are left out */
    ashi_tile_product *product; /* NULL: there are none */
} ashi_ready_part;

/* A MULTIPLY made ready: what is mirrored is multiplied apart from what is not. */
typedef struct ashi_ready_product {
    ashi_ready_operand operand[2][2];
    ashi_ready_part part[2][2];
    int64_t term; /* of several products that are added up */
} ashi_ready_product;

struct ashi_play_tiles {
    const ashi_tile_line *line;
    ashi_ready_lists lists; /* for making products ready, one after the other */
    ashi_tile_hands *hands; /* of all products */
    ashi_ready_product **kept; /* by the numbers of tasks */
    int64_t count, capacity;
    ashi_onto_tiles *onto;  /* NULL: the rank has no device for them */
    bool on_device;         /* products are made by it */
};

/* Make a product ready; *out is freed by ashi_ready_free and NULL after a failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_ready_make(const ashi_play *play, const ashi_node *node, ashi_ready_product **out,
                              ashlar_error *err);
void ashi_ready_free(ashi_ready_product *ready);

#endif

/* Tasks of the cores in a program of tiles: tiles packed, multiplied and scaled. */
#ifndef ASHI_PLAY_TILES_H
#define ASHI_PLAY_TILES_H

#include "exec/onto_tiles.h"
#include "exec/play.h"

typedef struct ashi_play_tiles ashi_play_tiles;

/* For the programs of a player whose request has `tiles`. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_tiles_create(ashi_play *play, ashi_play_tiles **out, ashlar_error *err);

/* Make a product ready. If the window keeps its tasks that serves every run; else it is made again for each, and only
 * if the player's request says `later` is it found here what buffers it needs. */
ashlar_status ashi_tiles_reserve(const ashi_play *play, const ashi_node *node, ashlar_error *err);

/* All products were reserved: make the buffers that they share. If the window does not keep its tasks they are made, or
 * made larger, when a product needs them. */
ashlar_status ashi_tiles_start(const ashi_play *play, ashlar_error *err);

/* Of these buffers now, and once all that were reserved are made. */
int64_t ashi_tiles_hand_bytes(const ashi_play *play);
int64_t ashi_tiles_hand_bytes_wanted(const ashi_play *play);

/* Forget what was made ready: the window does not keep its tasks after all. */
void ashi_tiles_forget(const ashi_play *play);

/* What is kept ready: tiles of A and B in all products, and bytes, those of the buffers among them. */
int64_t ashi_tiles_kept_tiles(const ashi_play *play);
int64_t ashi_tiles_kept_bytes(const ashi_play *play);

/* heard: the lanes are heard between the parts of the product; NULL: they are not. */
ashlar_status ashi_tiles_multiply(const ashi_play *play, ashi_play *heard, const ashi_node *node, ashlar_error *err);
ashlar_status ashi_tiles_move(const ashi_play *play, const ashi_node *node, ashi_stripe stripe, ashlar_error *err);
ashlar_status ashi_tiles_scale(const ashi_play *play, const ashi_node *node, ashi_stripe stripe);

/* A run begins, and ends: C is then where it belongs, unless the run has failed. Errors of the device. */
void ashi_tiles_open(const ashi_play *play);
ashlar_status ashi_tiles_close(ashi_play *play, ashlar_error *err);

/* The device for the products, or NULL; whether they are made by it. */
const ashi_onto_tiles *ashi_tiles_device(const ashi_play *play);
void ashi_tiles_use_device(const ashi_play *play, bool used);
bool ashi_tiles_on_device(const ashi_play *play);

/* NULL does nothing. */
void ashi_tiles_free(ashi_play_tiles **tiles);

#endif

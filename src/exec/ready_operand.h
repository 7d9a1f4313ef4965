/* The tiles of A or B that a product of a program of tiles reads. */
#ifndef ASHI_READY_OPERAND_H
#define ASHI_READY_OPERAND_H

#include "exec/play.h"

/* Tiles as they are stored: those that are mirrored, or those that are not. */
typedef struct ashi_ready_operand {
    ashi_pattern pattern;
    int64_t *at;    /* the word at which each begins, counted from the pool's beginning */
    bool *own;      /* whether it is in the rank's own memory, not in the pool */
    int64_t *rank;  /* -1: it is dense; NULL: all tiles of the matrix are */
    int64_t apart;  /* the word at which the rank's own memory is taken to begin, counted likewise */
} ashi_ready_operand;

/* A stored tile that is read, and its word of the pool; -1: it is the rank's own. */
typedef struct ashi_read_tile {
    int64_t row, col, word;
} ashi_read_tile;

/* Room for lists of tiles, which one product after the other may use. All 0 to begin with. */
typedef struct ashi_ready_lists {
    ashi_read_tile *tile[2];
    int64_t room[2];
} ashi_ready_lists;

void ashi_ready_lists_free(ashi_ready_lists *lists);

/* Of which product: tiles of A (x = 0) or B of a term. */
typedef struct ashi_ready_request_of {
    const ashi_play *play;
    const ashi_node *node;
    int64_t term;
    int x;
    bool mirrored;
} ashi_ready_request_of;

/* The rank's own memory is taken to begin with the pool. `out` is all 0 before, and freed by ashi_ready_operand_free,
 * also after a failure. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_ready_operand_make(const ashi_ready_request_of *request, ashi_ready_lists *lists,
                                      ashi_ready_operand *out, ashlar_error *err);
void ashi_ready_operand_free(ashi_ready_operand *operand);

/* The rank's own memory begins `apart` words behind the pool's beginning. */
void ashi_ready_operand_set_apart(ashi_ready_operand *operand, int64_t apart);

/* Which tiles of op(A) or op(B) they stand for: as many as the operand's pattern has. */
void ashi_ready_operand_of_op(const ashi_ready_request_of *request, const ashi_ready_operand *operand,
                              ashi_tile_at *of_op);

int64_t ashi_ready_operand_bytes(const ashi_ready_operand *operand);

/* The tiles of a panel along its line: the first, and the one behind the last. */
void ashi_play_tiles_of(const ashi_play *play, const ashi_panel *panel, int64_t *first, int64_t *end);

/* Which stored tile tile t of a line is that has tiles of its own. */
ashi_tile_source ashi_play_source_of(const ashi_play *play, int x, int64_t t);

#endif

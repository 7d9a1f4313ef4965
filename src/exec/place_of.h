/* From a panel to addresses: where the blocks of a panel, or the words of a message, lie in memory. */
#ifndef ASHI_PLACE_OF_H
#define ASHI_PLACE_OF_H

#include "exec/play.h"

/* A rectangle in memory: element (x, y), counted from its first, at data + x * minor_stride + y * major_stride. */
typedef struct ashi_spot {
    char *data;
    int64_t minor_stride, major_stride;
} ashi_spot;

/* The distances between neighbours along each index of a panel in the pool that lies as its box does. */
void ashi_pool_strides(const ashi_placed *placed, int64_t *stride);

/* Where the first word of a panel in the pool is. */
char *ashi_pool_address(const ashi_play *play, const ashi_placed *placed);

/* The address of a position of a panel in the pool that lies as its box does. */
ashi_spot ashi_pool_spot(const ashi_play *play, const ashi_placed *placed, int64_t minor, int64_t major);

/* A panel and where its words are, for blocks that `ashi_visit_blocks` visits. */
ashi_spot ashi_block_spot(const ashi_play *play, const ashi_placed *placed, const ashi_block *block);

/* Visit the blocks that panel `to` and panel `from` have in common, cut to the box of both. Panels that have a share,
 * or lie in the caller's array, give the blocks of a rank's piece; if neither does it is one block, their box. */
void ashi_visit_blocks(const ashi_play *play, const ashi_placed *to, const ashi_placed *from, ashi_block_visit visit,
                       void *context);

/* The same for a stripe of the box of `to`: each element of `to` is in one stripe, whatever is moved or added to it. */
void ashi_visit_stripe(const ashi_play *play, const ashi_placed *to, const ashi_placed *from, ashi_stripe stripe,
                       ashi_block_visit visit, void *context);

/* The words [offset, offset + words) of a panel in the order in which they lie packed, of running sums as they lie:
 * *address. ASHLAR_ERR_INTERNAL if they do not lie one after the other. */
ashlar_status ashi_message_address(const ashi_play *play, const ashi_placed *placed, int64_t offset, int64_t words,
                                   char **address, ashlar_error *err);

#endif

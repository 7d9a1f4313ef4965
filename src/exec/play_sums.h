/* The running sums of a program that stay on a device while MULTIPLYs add to them.
 *
 * If the device fails, what it has of a sum is lost, and so are the MULTIPLYs that were added to it there: the panels
 * that they read may be gone. The sum begins again on the host, without them, and the run goes on. Once it has ended
 * all ranks run the program again, with beta = 1, and of all MULTIPLYs only those that are missing are made. C is then
 * whole. */
#ifndef ASHI_PLAY_SUMS_H
#define ASHI_PLAY_SUMS_H

#include "exec/onto_stay.h"
#include "exec/play.h"

typedef struct ashi_play_sums ashi_play_sums;

/* For the sums that the player's request names. ASHLAR_ERR_MEMORY */
ashlar_status ashi_play_sums_create(const ashi_play *play, ashi_play_sums **out, ashlar_error *err);

/* A run begins, and ends. One that mends makes what the last one has lost. */
void ashi_play_sums_open(ashi_play_sums *sums, bool mends);
void ashi_play_sums_close(ashi_play_sums *sums);

/* The next MULTIPLY, or none, of a sum that stays: its number among them; -1: it goes there and back, or the host makes
 * it. */
int64_t ashi_play_sums_next(const ashi_play *play, const ashi_node *node);

/* Add a product to it: that of an interval of k, the first one or a later one. If the device fails the sum is lost. */
void ashi_play_sums_add(const ashi_play *play, int64_t sum, const ashi_node *node, const ashi_onto_product *product,
                        bool first);

/* All intervals were added: what was copied is not read any more, and if the stretch ends the sum is back. */
void ashi_play_sums_added(const ashi_play *play, int64_t sum, const ashi_onto_product *product);

/* Whether some MULTIPLY was lost in the last run. */
bool ashi_play_sums_lost(const ashi_play_sums *sums);

/* The boxes, counted from the sum's first position, that lack a MULTIPLY: at most two, 0 for most. */
int ashi_play_sums_missing(const ashi_play_sums *sums, const ashi_node *node, ashi_box out[2]);

/* NULL does nothing. */
void ashi_play_sums_free(ashi_play_sums **sums);

#endif

/* Finding the stretches of a program in which a running sum stays on the device, and places for them in its memory. */
#ifndef ASHI_DEVICE_SUMS_H
#define ASHI_DEVICE_SUMS_H

#include "choose/device_walk.h"
#include "search/onto_sums.h"

typedef struct ashi_device_stretches ashi_device_stretches;

/* NULL if there is no memory. */
ashi_device_stretches *ashi_device_stretches_create(void);

/* The program's next MULTIPLY, whose products take `words` in and out if the sum does not stay; and its next operation
 * of another kind that reads or makes a panel of C. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_device_stretches_multiply(ashi_device_stretches *stretches, const ashi_device_multiply *multiply,
                                             int64_t words, ashlar_error *err);
void ashi_device_stretches_touch(ashi_device_stretches *stretches, const ashi_panel *c);

/* Which sums stay in `memory` words: in program order those for which that takes fewer words, as long as they fit
 * beside slabs of the products that are added to them. Tasks run up to `look_ahead` steps ahead. If none stays the area
 * is 0. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_device_stretches_choose(const ashi_device_stretches *stretches, int64_t memory, int64_t look_ahead,
                                           ashi_onto_sums *out, ashlar_error *err);

/* NULL does nothing. */
void ashi_device_stretches_free(ashi_device_stretches **stretches);

#endif

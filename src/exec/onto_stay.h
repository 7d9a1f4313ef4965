/* Sums that stay on a device while products are added to them.
 *
 * While they do, an area at the end of the device's memory has them, and slabs of A and B go past them through the rest
 * of it, which has two halves: one is filled while the other is multiplied. The products of one call go on while the
 * caller does something else: only the copies of A and B have ended when it returns. A sum comes back by way of the
 * stages, whole lines after the other, so if the device fails it is known how much of C is there. */
#ifndef ASHI_ONTO_STAY_H
#define ASHI_ONTO_STAY_H

#include "exec/onto_device.h"

typedef struct ashi_onto_stay ashi_onto_stay;

/* A sum that may be on the device. Until it is back the host's C is as it was. */
typedef struct ashi_onto_sum {
    int64_t at;            /* its place: words from the beginning of the area */
    int64_t size[2];       /* m, n */
    void *c;               /* where the host has it */
    int64_t stride[2];
    int64_t lines, within; /* what has come back: whole lines along its contiguous side, and words of the next one */
} ashi_onto_sum;

/* Set `area` words of the device's memory aside, for sums of one run at a time.
 * ASHLAR_ERR_MEMORY; ASHLAR_ERR_DEVICE. */
ashlar_status ashi_onto_stay_begin(ashi_onto *onto, int64_t area, ashi_onto_stay **out, ashlar_error *err);

/* What goes before a product. */
typedef enum ashi_onto_before {
    ASHI_ONTO_NOTHING,
    ASHI_ONTO_FETCH, /* the sum is brought to the device */
    ASHI_ONTO_CLEAR  /* it is made zero there */
} ashi_onto_before;

/* C, at row `at[0]` and column `at[1]` of the sum, gets a product: product->c is where the host has that. beta is for
 * the first slab of k. ASHLAR_ERR_DEVICE, after which the sum is lost. */
ashlar_status ashi_onto_stay_add(ashi_onto_stay *stay, const ashi_onto_sum *sum, const int64_t at[2],
                                 const ashi_onto_product *product, ashi_onto_before before, ashlar_error *err);

/* Wait until what was copied to the device is not read any more; until a sum is back. Both listen as the product says.
 * ASHLAR_ERR_DEVICE */
ashlar_status ashi_onto_stay_copied(ashi_onto_stay *stay, const ashi_onto_product *product, ashlar_error *err);
ashlar_status ashi_onto_stay_return(ashi_onto_stay *stay, ashi_onto_sum *sum, const ashi_onto_product *product,
                                    ashlar_error *err);

/* Let another product use the device: wait until nothing is under way. */
void ashi_onto_stay_rest(ashi_onto_stay *stay);

/* The device is lost, for this reason: from now on the host makes all products. */
void ashi_onto_stay_lose(ashi_onto_stay *stay, const ashlar_error *why);

/* The run has ended: all memory is for products again. NULL does nothing. */
void ashi_onto_stay_end(ashi_onto_stay **stay);

#endif

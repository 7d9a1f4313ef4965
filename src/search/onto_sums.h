/* Which running sums of a rank's program stay in a device's memory, and for how long.
 *
 * A stretch is of one running sum: MULTIPLYs that add to it, one after the other, and nothing else in between that
 * reads or changes it. A sum that stays goes to the device once, with its first MULTIPLY of the stretch, and
 * comes back with the last. */
#ifndef ASHI_ONTO_SUMS_H
#define ASHI_ONTO_SUMS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ashi_onto_stretch {
    int64_t panel;      /* the running sum, by its number in the program */
    int64_t multiplies; /* in the stretch, at least 1 */
    int64_t at;         /* words from the beginning of the area; -1: it goes there and back with each product */
    bool zero;          /* the sum is zero before, and is made so on the device */
} ashi_onto_stretch;

typedef struct ashi_onto_sums {
    ashi_onto_stretch *stretch; /* by panel, those of one panel in program order. Of a panel of which none stays there
                                   are none */
    int64_t stretches;
    int64_t area;               /* words of the device's memory; 0: no sum stays */
} ashi_onto_sums;

/* The first stretch of a panel, or where it would be. */
int64_t ashi_onto_sums_first(const ashi_onto_sums *sums, int64_t panel);

void ashi_onto_sums_free(ashi_onto_sums *sums);

/* How thick the slabs of k are by which A and B of a product are copied while C stays: `room` is the memory for them,
 * which has two halves. The least thickness with which a sum is made to stay is that of a room of
 * ashi_onto_slab_least. */
int64_t ashi_onto_slab(int64_t m, int64_t n, int64_t k, int64_t room);
int64_t ashi_onto_slab_least(int64_t m, int64_t n, int64_t k);

#endif

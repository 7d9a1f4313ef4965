/* What a rank's program takes of a device: the words that go in and out, and the seconds of its products. */
#ifndef ASHI_DEVICE_NEED_H
#define ASHI_DEVICE_NEED_H

#include "schedule/program.h"
#include "search/onto_seconds.h"
#include "search/onto_sums.h"

/* A device as a prediction sees it. */
typedef struct ashi_device_terms {
    ashlar_type type;
    int64_t memory_words;   /* that one product may hold of the device's memory */
    ashi_onto_rates stated; /* by the device, by which products are cut: 0 if it does not know one */
    ashi_onto_rates rates;  /* by which seconds are predicted */
    bool c_is_new;          /* the caller's C is not read: beta is 0. Else it is counted as if beta were not 0 */
} ashi_device_terms;

typedef struct ashi_device_need {
    int64_t in, out;  /* words that are copied to the device and from it */
    int64_t held;     /* the most words of the device that are held at once */
    int64_t calls;    /* products that are made one after the other */
    int64_t products; /* multiply-adds */
    double seconds;   /* of the products and their copies */
} ashi_device_need;

/* Find what a run of the program takes, in the intervals of k in which the player multiplies, and which sums stay on
 * the device: those for which that takes fewer words, unless C is in a file. Words and memory are exact. The caller
 * frees `sums`. ASHLAR_ERR_LIMIT, with the least that would do, if memory_words are too few; ASHLAR_ERR_OVERFLOW;
 * ASHLAR_ERR_MEMORY; errors of emitting. */
ashlar_status ashi_device_need_choose(ashi_program *program, int64_t rank, const ashi_device_terms *terms,
                                      ashi_device_need *out, ashi_onto_sums *sums, ashlar_error *err);

/* The same without saying which sums stay; and for sums that were chosen before. */
ashlar_status ashi_device_need_of(ashi_program *program, int64_t rank, const ashi_device_terms *terms,
                                  ashi_device_need *out, ashlar_error *err);
ashlar_status ashi_device_need_with(ashi_program *program, int64_t rank, const ashi_device_terms *terms,
                                    const ashi_onto_sums *sums, ashi_device_need *out, ashlar_error *err);

#endif

/* How a product of matrices of the host is cut for a device: what stays in its memory, which tile, which slab. */
#ifndef ASHI_SEARCH_ONTO_DEVICE_H
#define ASHI_SEARCH_ONTO_DEVICE_H

#include "engine/nest.h"

#include <ashlar/machine.h>

typedef struct ashi_onto_problem {
    int64_t size[3];      /* m, n, k, each at least 1 */
    ashlar_type type;
    bool adds;            /* C is read: beta is not 0 */
    bool minor[3];        /* A (m x k), B (n x k) and C (m x n) have their first side contiguous; else the second */
    int64_t memory_words; /* of the device, which the product may hold */
    double rate;          /* bytes a second from the host to the device; 0: not known */
    double out;           /* and back; 0: as from the host */
    double flops;         /* operations a second of the device; 0: not known */
    double delay;         /* seconds that each copy and each call of products takes beside that */
} ashi_onto_problem;

/* Choose a nest on one rank whose files are the host's arrays and whose pool is the device's memory: within 5 % of the
 * fewest words between the two that any integer tiling takes, the one that is predicted to be fastest. If C stays its
 * strips are staggered (engine/nest_stagger.h) where that is predicted to be faster and stays within the 5 %.
 * ashi_nest_of_rank has its words. ASHLAR_ERR_LIMIT, with the least that would do, if memory_words are too few;
 * ASHLAR_ERR_OVERFLOW. */
ashlar_status ashi_onto_choose(const ashi_onto_problem *problem, ashi_nest *out, ashlar_error *err);

/* The least memory_words of any product. */
int64_t ashi_onto_least(void);

#endif

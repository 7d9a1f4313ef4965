/* In which way a contraction is made on a device, and what that takes: as products of matrices that lie as the BLAS
 * takes them, or box by box with permutations on the device (exec/onto_cut.h). Nothing here needs a device. */
#ifndef ASHI_ONTO_WAY_H
#define ASHI_ONTO_WAY_H

#include "choose/device_need.h"
#include "exec/onto_cut.h"

typedef struct ashi_onto_way {
    bool by_matrices;      /* each value of the batch is a product as of exec/onto_device.h, cut as `nest` */
    ashi_contraction product; /* if so: with at most one index of rows, columns and the sum, and C's rows contiguous */
    bool turned;           /* A and B have changed places in it */
    ashi_nest nest;
    ashi_onto_cut cut;     /* else */
    ashi_device_need need; /* words and memory are exact */
} ashi_onto_way;

/* Choose: products of matrices that lie so, unless there are several and the device has room for all matrices of one,
 * which boxes then have many of. adds: C is read. False in *able, and ASHLAR_OK: it is no product of matrices.
 * ASHLAR_ERR_LIMIT, with the least that would do, if the device's memory is too little; ASHLAR_ERR_OVERFLOW. Extents
 * are at least 1. */
ashlar_status ashi_onto_way_choose(const ashi_contraction *product, const ashi_device_terms *terms, bool adds,
                                   ashi_onto_way *out, bool *able, ashlar_error *err);

#endif

/* Contractions of arrays of the host on a device: C <- alpha A B + beta C, whose rows, columns and sums run over
 * several indices of any strides.
 *
 * If the matrices lie as the BLAS takes them, the contraction is products as of exec/onto_device.h, one for each value
 * of the batch. Else boxes of A and B are copied to the device as they lie, permuted there into matrices if they are
 * none, and multiplied, all values of the batch in a box by one call; C's box is permuted back and copied out once its
 * sum is complete.
 *
 * C is whole or untouched, as with exec/onto_device.h: results come back by way of its stages, and the host contracts
 * what is missing if the device fails. */
#ifndef ASHI_ONTO_CONTRACT_H
#define ASHI_ONTO_CONTRACT_H

#include "exec/onto_device.h"
#include "exec/onto_way.h"

typedef struct ashi_onto_arguments {
    const void *alpha, *a, *b, *beta;
    void *c;
    void *workspace; /* of the host, ashi_onto_contract_bytes, for a device that fails; on a cache line */
    ashi_trace *trace; /* NULL, or where copies and products of the device are noted, */
    int64_t trace_step; /* with this step */
} ashi_onto_arguments;

/* Bytes of the host that a way needs if the device fails. */
int64_t ashi_onto_contract_bytes(const ashi_onto *onto, const ashi_onto_way *way);

/* Contract, in a way that was chosen for this device's memory, and for C that is read unless beta is 0.
 * ASHLAR_ERR_MEMORY, ASHLAR_ERR_OVERFLOW: C is untouched. ASHLAR_ERR_INTERRUPTED: it is unspecified. */
ashlar_status ashi_onto_contract(ashi_onto *onto, const ashi_onto_way *way, const ashi_onto_arguments *with,
                                 ashlar_error *err);

#endif

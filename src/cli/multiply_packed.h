/* The packed inputs of `ashlar multiply`: what their chunks take beside the matrices. */
#ifndef ASHI_MULTIPLY_PACKED_H
#define ASHI_MULTIPLY_PACKED_H

#include "cli/multiply.h"

/* The most bytes that unpacking a chunk of an input takes on a rank, and *file, which input that is. Inputs are read
 * one after the other; A and B only if anything is multiplied. 0 if that is part of what is always held beside the
 * memory limit. */
int64_t ashi_multiply_unpacking(const ashi_multiply_job *job, const char **file);

/* Fail because the matrices cannot be streamed: a chunk would be unpacked again for each slab that it is part of. */
ashlar_status ashi_multiply_fail_packed(const ashi_multiply_job *job, ashlar_error *err);

#endif

/* A rank's part of a matrix times a number. */
#ifndef ASHI_SCALE_H
#define ASHI_SCALE_H

#include "kernel/kernels.h"
#include "kernel/part.h"

/* X <- beta X of a rank's part; beta = 0 does not read it. */
void ashi_scale_view(const ashi_view *view, int rank, const ashi_kernels *kernels, size_t bytes, const void *beta,
                     const ashi_part *part);

#endif

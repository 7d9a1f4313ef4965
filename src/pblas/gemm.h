/* p?gemm: the way of a call, from its arguments to its end. */
#ifndef ASHI_GEMM_H
#define ASHI_GEMM_H

#include "pblas/gemm_call.h"

/* one_context: a matrix in another context than A's is refused, as the PBLAS do; else the contexts must have the same
 * processes. */
void ashi_gemm(ashlar_type type, bool one_context, const ashi_gemm_arguments *given);

#endif

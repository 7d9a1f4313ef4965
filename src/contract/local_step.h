/* A sum of one operand, or a product of two, that the threads of a rank do together. */
#ifndef ASHI_CONTRACT_LOCAL_STEP_H
#define ASHI_CONTRACT_LOCAL_STEP_H

#include "kernel/contraction_slabs.h"
#include "plan/context.h"

typedef struct ashi_local_step {
    bool used;
    ashi_contraction_plan plan;
    int parts;                     /* as many threads do them */
    ashi_contraction_slabs *slabs; /* the parts are slabs of the sum; or NULL: they are parts of C */
} ashi_local_step;

/* What a step is given: see ashi_contraction_run. */
typedef struct ashi_local_arguments {
    const void *alpha, *a, *b, *beta;
    void *c;
} ashi_local_arguments;

/* A step by up to `threads` threads. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_local_step_make(const ashi_contraction *product, int threads, ashi_local_step *out,
                                   ashlar_error *err);

/* Makes it unused. */
void ashi_local_step_clear(ashi_local_step *step);

double ashi_local_step_multiply_adds(const ashi_local_step *step);

/* Bytes of its workspace. */
int64_t ashi_local_step_bytes(const ashi_local_step *step);

/* Take less workspace, if that is possible: without slabs, without copies, or with blocks of which the longest side is
 * halved. */
bool ashi_local_step_shrink(ashi_local_step *step);

/* Do it. `number`: of the step, in the trace. */
void ashi_local_step_run(const ashlar_context *context, const ashi_local_step *step, int number,
                         const ashi_local_arguments *with, char *workspace);

#endif

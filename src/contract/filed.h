/* Contractions of tensors in files: what the command wants beside the public calls. */
#ifndef ASHI_CONTRACT_FILED_H
#define ASHI_CONTRACT_FILED_H

#include "exec/trace.h"

#include <ashlar/contract.h>
#include <ashlar/verify.h>

/* How many products of matrices a contraction of tensors in files is, all steps together. */
int64_t ashi_contract_filed_products(const ashlar_contraction_plan *plan);

/* Let executions note what all products do, one after the other; NULL: no longer. The trace is not owned. Local. */
void ashi_contract_filed_trace(ashlar_contraction_plan *plan, ashi_trace *trace);

/* Check each product of the next execution as ashlar_verify_end does; NULL: no longer. The verdict is the worst of
 * all, and is set by the execution. Afterwards C can be published, and no more is written to it. Local. */
void ashi_contract_filed_check(ashlar_contraction_plan *plan, ashlar_verdict *out);

#endif

/* Contractions that add to a tensor in place and may be gone on with: each adds once (plan/added.h). */
#ifndef ASHI_CONTRACT_FILED_ADDED_H
#define ASHI_CONTRACT_FILED_ADDED_H

#include "contract/plan.h"
#include "contract/tensor_file.h"
#include "plan/added.h"

/* The rest of a tensor's line: where its ranges begin, and whether it is conjugated. */
void ashi_lines_add_ranges(ashi_lines *lines, const ashlar_tensor_file *file, bool conjugate);

/* Whether an earlier run has added what this execution is to add, so that there is nothing to do; the plan that the
 * caller made is asked, and not those of its steps. Errors as of ashi_added_look. Collective if the output is in a
 * file, the same on all ranks. */
ashlar_status ashi_filed_added(const ashlar_contraction_plan *plan, const ashi_contract_arguments *with, bool *added,
                               ashlar_error *err);

#endif

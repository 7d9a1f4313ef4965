/* Whether a tensor in a file is what a contraction takes it for. */
#ifndef ASHI_CONTRACT_FILED_CHECK_H
#define ASHI_CONTRACT_FILED_CHECK_H

#include "contract/plan.h"
#include "contract/tensor_file.h"

/* x: below the number of operands one of them, then the output, then output0. Its context, its state, its type and
 * extents, and that it has no layout beside the file. Local. @return ASHLAR_OK; ASHLAR_ERR_ARG */
ashlar_status ashi_filed_tensor_check(const ashlar_contraction_plan *plan, const ashlar_tensor_file *file, int x,
                                      ashlar_error *err);

#endif

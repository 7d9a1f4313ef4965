/* An operand on several ranks that is summed, before it is multiplied, over the indices that are nowhere else. */
#ifndef ASHI_CONTRACT_SUMMED_H
#define ASHI_CONTRACT_SUMMED_H

#include "contract/plan.h"

typedef struct ashi_contract_summed {
    ashlar_contraction_plan *plan; /* NULL: the operand is used as it is */
    ashi_index_list list;          /* what is left of its indices, each once */
    ashlar_tensor_layout *layout;  /* of what is left; belongs to the plan */
    char *data;                    /* this rank's part of it */
    int64_t words;                 /* that this rank holds for it: elements and workspace */
} ashi_contract_summed;

/* If operand x of a pair has such indices: plan the sum. What is left stays where it is, on those ranks that have the
 * first values of what is summed. Collective; the same on all ranks. */
ashlar_status ashi_contract_summed_make(const ashlar_contraction_plan *plan, int x, const ashlar_options *options,
                                        ashi_contract_summed *out, ashlar_error *err);

/* Sum this rank's part of the operand. Collective; the status is this rank's own. */
ashlar_status ashi_contract_summed_run(ashi_contract_summed *summed, const void *operand, ashlar_error *err);

/* Collective. */
void ashi_contract_summed_free(ashi_contract_summed *summed);

/* Whether operand x has an index twice. */
bool ashi_contract_has_diagonal(const ashlar_contraction_plan *plan, int x);

/* Whether index i is in operand x of a pair and nowhere else. */
bool ashi_contract_is_alone(const ashi_expression *e, int x, int i);

#endif

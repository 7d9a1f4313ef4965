/* A tensor on several ranks in another form, which is easier to multiply: an operand summed over the indices that are
 * nowhere else; an operand or a result whose elements lie in the order of the product's groups of indices. */
#ifndef ASHI_CONTRACT_PREPARED_H
#define ASHI_CONTRACT_PREPARED_H

#include "contract/plan.h"

/* Elements change ranks only in sums, and if it is dealt out anew. */
typedef struct ashi_contract_prepared {
    ashlar_contraction_plan *plan; /* between the caller's array and the other form; NULL: the caller's is used */
    bool sums;                     /* some of its indices are gone */
    bool even;                     /* it is dealt out anew */
    ashi_index_list list;          /* what is left of them, each once */
    ashlar_tensor_layout *layout;  /* of what is left; belongs to the plan */
    char *data;                    /* this rank's part of it */
    int64_t words;                 /* that this rank holds for it: elements and workspace */
} ashi_contract_prepared;

/* If operand x of a pair has indices that are nowhere else: plan the sum. What is left stays where it is, on those
 * ranks that have the first values of what is summed.
 * @param order  the indices that are left in the order in which they are to lie, the slowest first; x may be the result
 *               then, which is made in this form and brought into the caller's. NULL: sums only, in C order
 * @param cut    for each index of the expression, whether what is left is to be dealt out anew by it, in few large
 *               blocks; NULL: what is left stays where it is
 * @param options  of the plans of sums
 * Collective; the same on all ranks. */
ashlar_status ashi_contract_prepared_make(const ashlar_contraction_plan *plan, int x, const ashi_index_list *order,
                                          const bool *cut, const ashlar_options *options, ashi_contract_prepared *out,
                                          ashlar_error *err);

/* Bring this rank's part of an operand into the other form. Collective; the status is this rank's own. */
ashlar_status ashi_contract_prepared_take(ashi_contract_prepared *prepared, const void *operand, ashlar_error *err);

/* output <- the result in the other form + beta output. Collective; the status is this rank's own. */
ashlar_status ashi_contract_prepared_give(ashi_contract_prepared *prepared, const void *beta, void *output,
                                          ashlar_error *err);

/* Collective. */
void ashi_contract_prepared_free(ashi_contract_prepared *prepared);

/* Whether operand x has an index twice. */
bool ashi_contract_has_diagonal(const ashlar_contraction_plan *plan, int x);

/* Whether index i is in operand x of a pair and nowhere else. */
bool ashi_contract_is_alone(const ashi_expression *e, int x, int i);

#endif

/* What a plan of several operands is inside: a sequence of pairs, each with a plan of its own. */
#ifndef ASHI_CONTRACT_STEPS_H
#define ASHI_CONTRACT_STEPS_H

#include "contract/plan.h"
#include "tensor/sequence.h"

typedef struct ashi_contract_step {
    ashlar_contraction_plan *plan;
    ashlar_tensor_layout *layout; /* of the result; NULL of the last step, and until it is known */
    int64_t room;                 /* elements of this rank's part of the result, rounded to whole cache lines */
    int64_t offset;               /* where it begins in the memory for intermediates */
    int64_t least;                /* words with which its plan can do, those of its operands and result included */
    ashlar_contraction_plan *rest; /* of a shorter last slice; else NULL */
} ashi_contract_step;

/* A step and the next, done for a part of one index's values at a time: what is between them is no larger than such a
 * slice. Only on one rank. */
typedef struct ashi_contract_slices {
    int first;          /* of the two steps; -1: none are done so */
    int index;
    int64_t length, count;
} ashi_contract_slices;

typedef struct ashi_contract_steps {
    ashi_sequence sequence;
    ashi_contract_slices slices;
    ashi_contract_step step[ASHI_SEQUENCE_STEPS];
    int64_t share;        /* this rank's elements of the operands and the output */
    int64_t intermediates; /* words of memory for all intermediates */
    int64_t workspace;    /* words of what the steps work in, one after the other */
    char *memory;         /* the intermediates, then the workspace */
} ashi_contract_steps;

/* Whether a step is done slice by slice; and whether its result is then the sum of what slices give. */
static inline bool ashi_contract_is_sliced(const ashi_contract_steps *q, int s)
{
    return q->slices.first >= 0 && (s == q->slices.first || s == q->slices.first + 1);
}

static inline bool ashi_contract_adds_slices(const ashi_contract_steps *q, int s)
{
    return ashi_contract_is_sliced(q, s) && s > q->slices.first &&
           ashi_index_find(&q->sequence.step[s].result, q->slices.index) < 0;
}

/* Give every intermediate a place: two that exist at the same time have no element in common. Fills `offset` and
 * `intermediates`. */
void ashi_contract_steps_place(ashi_contract_steps *steps);

/* The slices that move fewest words, if two steps have a large intermediate between them and slices move fewer words
 * than it does. With `smallest`: slices of one value, of the steps that hold most, whatever they move. Fills
 * `slices`. */
void ashi_contract_steps_slice(const ashlar_contraction_plan *plan, ashi_contract_steps *steps, bool smallest);

/* Execute the two steps that are done in slices; of these, if alpha is 0, only the second. For one rank. */
ashlar_status ashi_contract_slices_run(ashlar_contraction_plan *plan, ashi_contract_steps *steps,
                                       const ashi_contract_arguments *with, ashlar_error *err);

/* Where an array is: the caller's, or an intermediate. */
void *ashi_contract_array(const ashlar_contraction_plan *plan, const ashi_contract_steps *steps, int array,
                          const ashi_contract_arguments *with);

/* The layout of an array, where it is kept: of one of the caller's tensors, or of an intermediate. */
ashlar_tensor_layout **ashi_contract_array_layout(ashlar_contraction_plan *plan, ashi_contract_steps *steps, int array);

/* Plan step s within `memory_words` words, 0 for no limit. Operands and a result without a layout are dealt out evenly.
 * Collective. */
ashlar_status ashi_contract_step_plan(ashlar_contraction_plan *plan, ashi_contract_steps *steps, int s,
                                      const ashlar_options *options, int64_t memory_words, ashlar_error *err);

/* Plan all steps of the sequence.
 * @param least  if memory_words of the plan are too few, what would do for this sequence
 * @return the same on all ranks: that of a step's plan. Collective */
ashlar_status ashi_contract_steps_fit(ashlar_contraction_plan *plan, ashi_contract_steps *steps,
                                      const ashlar_options *options, int64_t *least, ashlar_error *err);

/* Choose the layouts of intermediates and of the caller's tensors that have none, all together: so that an estimate of
 * the time of all steps is least, over a few layouts of each. Fills step[].layout and the plan's own. Local; the same
 * on all ranks. ASHLAR_ERR_MEMORY. */
ashlar_status ashi_contract_steps_layouts(ashlar_contraction_plan *plan, ashi_contract_steps *steps,
                                          const ashlar_machine *machine, ashlar_error *err);

/* Seconds that a step takes about, if its arrays (A, B if there is one, the result) are dealt out so: the least of
 * those by which an array stays where it is and ranks do what belongs to their parts of it. */
double ashi_contract_steps_estimate(const ashi_expression *step, const ashlar_tensor_layout *const *layout, int ranks,
                                    ashlar_type type, const ashlar_machine *machine);

/* What plans that are done in steps share: the steps' figures and texts as if of one plan; memory for intermediates and
 * for what the steps work in; and the calls of their kinds, for which plan->made are the steps. The first is
 * collective. */
ashlar_status ashi_contract_steps_report(ashlar_contraction_plan *plan, const ashi_contract_steps *steps,
                                         ashlar_error *err);
ashlar_status ashi_contract_steps_say_order(ashlar_contraction_plan *plan, const ashi_contract_steps *steps,
                                            ashlar_error *err);
ashlar_status ashi_contract_steps_allocate(ashlar_contraction_plan *plan, ashi_contract_steps *steps,
                                           ashlar_error *err);
ashlar_status ashi_contract_steps_run(ashlar_contraction_plan *plan, const ashi_contract_arguments *with,
                                      ashlar_error *err);
ashlar_status ashi_contract_steps_measured(ashlar_contraction_plan *plan, ashlar_figures *out, ashlar_error *err);
void ashi_contract_steps_free(ashlar_contraction_plan *plan);
ashi_on_device ashi_contract_steps_on_device(const ashlar_contraction_plan *plan);

/* Free the plans of the steps, and with `layouts` also the layouts of intermediates. */
void ashi_contract_steps_clear(ashi_contract_steps *steps, bool layouts);

#endif

/* What a contraction in several steps is inside of which some tensors are in files. */
#ifndef ASHI_CONTRACT_FILED_STEPS_H
#define ASHI_CONTRACT_FILED_STEPS_H

#include "contract/plan.h"
#include "contract/scratch.h"
#include "tensor/sequence.h"

/* The result of a step that is not the last: in memory if `kept`, else in a scratch file, while it is needed. */
typedef struct ashi_between {
    bool kept;
    ashlar_tensor_layout *layout; /* in memory */
    void *data;
    ashi_scratch scratch;
    bool done;  /* an earlier run has finished it */
} ashi_between;

typedef struct ashi_filed_steps {
    ashi_sequence sequence;
    ashi_options_taken how; /* of every step */
    char *strategy, *folder; /* the caller's, copied */
    char *prefix;           /* of scratch files; NULL until one is made */
    ashi_between between[ASHI_SEQUENCE_STEPS];
    int64_t least;          /* words that the steps which could not be planned would do with */
    int64_t scratch_words;  /* in scratch files at most */
    ashlar_figures measured; /* of the last execution */
    ashi_on_device on_device; /* of all steps, as planned */
    double before, own, all; /* multiply-adds of the steps done, of the one under way, and of all */
    double resumed;         /* of those an earlier run has finished */
    char *origin;           /* lines for records: what the operands are */
    const ashi_contract_watch *watch;
} ashi_filed_steps;

/* ---- filed_between.c ---- */

/* Which results stay in memory: those that fit into half of the limit together, of steps that read a file. None if the
 * run may be gone on with, or if one of the 48 schedules is asked for, which are for files. Local; the same on all
 * ranks. */
ashlar_status ashi_between_choose(const ashlar_contraction_plan *plan, ashi_filed_steps *q, ashlar_error *err);

/* All go to scratch files. Local. */
void ashi_between_spill(ashi_filed_steps *q);

/* The most words in scratch files at once, and those in memory beside the arrays of step s, on any rank: arrays of the
 * caller's and results of steps. Collective. */
int64_t ashi_between_scratch_words(const ashi_filed_steps *q);
int64_t ashi_between_others(const ashlar_contraction_plan *plan, const ashi_filed_steps *q, int s);

/* Describe array x of step s as a tensor; one that is not made yet is begun. Collective. */
ashlar_status ashi_between_tensor(const ashlar_contraction_plan *plan, ashi_filed_steps *q, int s, int x,
                                  int64_t extent[ASHI_ORDER_MOST], ashlar_tensor *out, ashlar_error *err);

/* Where this rank's part of array x of step s is; NULL if it is in a file. */
void *ashi_between_part(const ashlar_contraction_plan *plan, const ashi_filed_steps *q, int s, int x,
                        const ashi_contract_arguments *with);

/* Memory for the result of step s, if that stays there. Collective. */
ashlar_status ashi_between_allocate(const ashlar_contraction_plan *plan, ashi_filed_steps *q, int s,
                                    ashlar_error *err);

/* Step s is over: its operands are needed no more, and its result can be read. PLANNED: what an earlier run has left of
 * them stays. FORMED: a later run can go on from here. SKIPPED: nothing was formed. Collective. */
typedef enum ashi_step_over { ASHI_STEP_PLANNED, ASHI_STEP_FORMED, ASHI_STEP_SKIPPED } ashi_step_over;
ashlar_status ashi_between_turn(const ashlar_contraction_plan *plan, ashi_filed_steps *q, int s, ashi_step_over how,
                                ashlar_error *err);

/* Free all that is still there. Scratch files that a later run can go on with stay. Local. */
void ashi_between_close(ashi_filed_steps *q);

/* ---- filed_resume.c ---- */

/* Lines that say what the operands of an execution are. Collective. */
ashlar_status ashi_filed_steps_describe(const ashlar_contraction_plan *plan, ashi_filed_steps *q,
                                        const ashi_contract_arguments *with, ashlar_error *err);

/* The record of a scratch file that is complete: what step s makes, of what. Freed by the caller; NULL if memory is
 * short. */
char *ashi_filed_steps_record(const ashlar_contraction_plan *plan, const ashi_filed_steps *q, int s);

/* Find the results that an earlier run has finished; needed[s]: step s is to be done. Collective. */
ashlar_status ashi_filed_steps_look(const ashlar_contraction_plan *plan, ashi_filed_steps *q,
                                    bool needed[ASHI_SEQUENCE_STEPS], ashlar_error *err);

#endif

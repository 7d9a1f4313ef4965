/* What a plan of a contraction is inside, and the kinds of them. */
#ifndef ASHI_CONTRACT_PLAN_H
#define ASHI_CONTRACT_PLAN_H

#include "exec/player.h"
#include "layout/tensor_layout.h"
#include "plan/context.h"
#include "plan/on_device.h"
#include "plan/options.h"
#include "tensor/expression.h"

#include <ashlar/contract.h>
#include <ashlar/verify.h>

/* An operand, or the result. */
typedef struct ashi_contract_tensor {
    int order;
    int64_t extent[ASHLAR_TENSOR_ORDER_MOST];
    ashlar_tensor_layout *layout; /* a copy of the caller's, or the plan's own, which its kind makes; NULL in a file */
    bool own;                     /* the plan's own */
    bool conjugate;
    ashlar_tensor_file *file;     /* or NULL */
} ashi_contract_tensor;

/* What a plan is executed with. */
typedef struct ashi_contract_arguments {
    const void *alpha, *beta;
    const void *const *operand;
    void *output;
} ashi_contract_arguments;

/* What the command asks of the next execution of a plan of tensors in files: see contract/filed.h. */
typedef struct ashi_contract_watch {
    void (*progress)(void *user, int64_t done, int64_t all); /* or NULL */
    void *user;
    ashlar_verdict *verdict; /* or NULL */
    ashi_trace *trace;       /* takes the events of all products; or NULL */
    const char *origin;      /* lines for the record of what is finished: what the operands were made of; or NULL */
} ashi_contract_watch;

/* A way in which contractions are planned and executed. What a call returns is this rank's own: the ranks agree
 * afterwards. */
typedef struct ashi_contract_kind {
    const char *name;
    bool (*serves)(const ashlar_contraction_plan *plan);
    /* Prepare everything: plan->made, the plan's own layouts, plan->report and plan->predicted. What was made before a
     * failure is freed by `free`. Collective. */
    ashlar_status (*make)(ashlar_contraction_plan *plan, const ashi_options_taken *how, ashlar_error *err);
    /* The arguments were checked. Collective. */
    ashlar_status (*run)(ashlar_contraction_plan *plan, const ashi_contract_arguments *with, ashlar_error *err);
    /* The last execution's figures. Collective. */
    ashlar_status (*measured)(ashlar_contraction_plan *plan, ashlar_figures *out, ashlar_error *err);
    void (*free)(ashlar_contraction_plan *plan); /* plan->made, which may be NULL. Collective. */
    /* From now on work in this memory, of report.workspace_words words from a cache line on, instead of the plan's own,
     * which is freed. NULL: it comes later. A kind without it keeps its own. Local. */
    void (*borrow)(ashlar_contraction_plan *plan, void *workspace);
    /* Kinds that may do what this one serves better, NULL at the end; or NULL. See ashi_contract_make. */
    const struct ashi_contract_kind *const *others;
    /* What this rank's products take of its device in one execution. Local. NULL: it multiplies on none. */
    ashi_on_device (*on_device)(const ashlar_contraction_plan *plan);
} ashi_contract_kind;

/* The public calls, for plans that are made of plans. */
typedef struct ashi_contract_calls {
    ashlar_status (*create)(ashlar_context *context, const ashlar_contraction *contraction,
                            const ashlar_options *options, ashlar_contraction_plan **out, ashlar_error *err);
    ashlar_status (*execute)(ashlar_contraction_plan *plan, const void *alpha, const void *const *operand,
                             const void *beta, void *output, ashlar_error *err);
    void (*free)(ashlar_contraction_plan **plan);
} ashi_contract_calls;

struct ashlar_contraction_plan {
    ashlar_context *context; /* not owned */
    const ashi_contract_calls *calls;
    ashlar_type type;
    bool trusted;
    bool c_is_new;           /* beta is 0 in all executions */
    int64_t memory_words;    /* 0: no limit */
    ashi_expression expression;
    char *words;             /* the expression as it was given */
    ashi_contract_tensor *tensor; /* the operands, then the result */
    ashlar_tensor_file *output0;
    const ashi_contract_kind *kind;
    void *made;              /* the kind's own */
    bool added;              /* an earlier run has added what the last execution was to add: it did nothing */
    int64_t products;        /* of tensors in files: how many products of matrices it is, */
    double page_bytes;       /* and bytes of whole pages and chunks that all ranks move if they are streamed */
    ashi_contract_watch watch;
    char *text;              /* of the explanation */
    ashlar_contraction_explanation report;
    ashlar_figures predicted;
    double seconds;          /* of the last execution */
    ashi_player_tally planned, done; /* what this rank sends and receives: as planned, and in the last execution */
    ashi_onto_tally on_device; /* of the last execution, on this rank; its failure is that of any before */
};

/* The result of a plan. */
static inline ashi_contract_tensor *ashi_contract_output(const ashlar_contraction_plan *plan)
{
    return &plan->tensor[plan->expression.operands];
}

static inline ashi_on_device ashi_contract_on_device(const ashlar_contraction_plan *plan)
{
    return plan->kind->on_device ? plan->kind->on_device(plan) : (ashi_on_device){0};
}

/* Plans that are made from now on are executed with beta = 0 only, if `is_new`. Returns what c_is_new of the context
 * becomes again once they are made. */
static inline bool ashi_contract_begin_new(ashlar_context *context, bool is_new)
{
    const bool before = context->c_is_new;
    context->c_is_new = before || is_new;
    return before;
}

/* Take what the caller gave: the plan's tensors and expression. Local. */
ashlar_status ashi_contract_take(ashlar_contraction_plan *plan, const ashlar_contraction *contraction,
                                 ashlar_error *err);

/* The kind that serves a plan whose tensors are there; NULL if none does: `err` says what is wrong. Local; the same on
 * all ranks. */
const ashi_contract_kind *ashi_contract_kind_of(const ashlar_contraction_plan *plan, ashlar_error *err);

/* Prepare a plan by its kind and by the others that this names and that serve it, and keep the best: that with the
 * least predicted time, or if so asked the fewest words of the busiest rank. If none does, *err is of the first unless
 * another would do with less memory. Collective; the same on all ranks. */
ashlar_status ashi_contract_make(ashlar_contraction_plan *plan, const ashi_options_taken *how, ashlar_error *err);

/* The figures of all ranks from what this one sends and receives, holds and takes. Collective; a failure of MPI is
 * noted. */
ashlar_figures ashi_contract_join(const ashlar_contraction_plan *plan, const ashi_player_tally *mine, int64_t memory,
                                  double seconds);

/* Add what one of several plans takes that are executed one after the other. Local. */
void ashi_contract_add_figures(ashlar_figures *sum, const ashlar_figures *one);

/* Add to the plan's explanation. Local. */
ashlar_status ashi_contract_say(ashlar_contraction_plan *plan, ashlar_error *err, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* One or two operands of which each rank contracts its own parts, as on one rank; one whose elements change ranks; one
 * or two with messages. */
extern const ashi_contract_kind ashi_contract_local, ashi_contract_moved, ashi_contract_over_ranks;

/* One operand whose elements change ranks, and that lies in very many runs: what moved.c hands on. */
extern const ashi_contract_kind ashi_contract_by_element;

/* Two with messages that first move the tensors so that each rank has some values of the batch. */
extern const ashi_contract_kind ashi_contract_by_batch;

/* Two of which teams of ranks form values of the batch side by side: teams of neighbours, and what moves to them goes
 * to the layout that their plan likes best; or of ranks far apart, and it goes to one like the caller's. */
extern const ashi_contract_kind ashi_contract_by_teams, ashi_contract_by_spread_teams;

/* Three operands and more, in memory; and on several ranks with layouts of intermediates that are chosen jointly, or on
 * a grid of ranks each of which contracts boxes of all operands. */
extern const ashi_contract_kind ashi_contract_in_steps, ashi_contract_jointly, ashi_contract_by_grid;

/* One or two operands and the result, all in files: products one after the other, or a batch dealt out over ranks. */
extern const ashi_contract_kind ashi_contract_filed, ashi_contract_filed_batch;

/* Three operands and more and the result, all in files. */
extern const ashi_contract_kind ashi_contract_filed_steps;

#endif

/* Preparing a plan in the best of several ways: each is made and put aside to be compared with the others. */
#include "base/error.h"
#include "contract/plan.h"

#include <stdlib.h>

/* What one way has made of a plan. */
typedef struct attempt {
    const ashi_contract_kind *kind;
    ashlar_status status;
    int64_t least; /* refused for lack of memory: words that would do */
    ashlar_error err;
    void *made;
    char *text;
    ashlar_contraction_explanation report;
    ashlar_figures predicted;
    ashi_player_tally planned;
    ashlar_tensor_layout *own[ASHI_OPERANDS_MOST + 1];
} attempt;

/* Of a plan of which nothing is made. */
static void forget(ashlar_contraction_plan *plan)
{
    plan->made = NULL;
    plan->text = NULL;
    plan->report = (ashlar_contraction_explanation){0};
    plan->predicted = (ashlar_figures){0};
    plan->planned = (ashi_player_tally){0};
}

/* Move what was made from the plan to the attempt. */
static void take(ashlar_contraction_plan *plan, attempt *a)
{
    a->kind = plan->kind; /* which may have handed the plan on */
    a->made = plan->made;
    a->text = plan->text;
    a->report = plan->report;
    a->predicted = plan->predicted;
    a->planned = plan->planned;
    forget(plan);
    for (int x = 0; x <= plan->expression.operands; x++)
        if (plan->tensor[x].own) {
            a->own[x] = plan->tensor[x].layout;
            plan->tensor[x].layout = NULL;
        }
}

/* And back. */
static void give(const attempt *a, ashlar_contraction_plan *plan)
{
    plan->kind = a->kind;
    plan->made = a->made;
    plan->text = a->text;
    plan->report = a->report;
    plan->predicted = a->predicted;
    plan->planned = a->planned;
    for (int x = 0; x <= plan->expression.operands; x++)
        if (plan->tensor[x].own)
            plan->tensor[x].layout = a->own[x];
}

static void make(ashlar_contraction_plan *plan, const ashi_contract_kind *kind, const ashi_options_taken *how,
                 attempt *out)
{
    *out = (attempt){0};
    plan->kind = kind;
    ashi_refuse(plan->context, 0);
    out->status = kind->make(plan, how, &out->err);
    out->status = ashi_agree(plan->context, out->status, &out->err);
    out->least = out->status == ASHLAR_ERR_LIMIT ? ashlar_context_memory_words(plan->context) : 0;
    take(plan, out);
}

static void drop(ashlar_contraction_plan *plan, attempt *a)
{
    give(a, plan);
    a->kind->free(plan);
    free(plan->text);
    forget(plan);
    for (int x = 0; x <= plan->expression.operands; x++)
        if (plan->tensor[x].own)
            ashlar_tensor_layout_free(&plan->tensor[x].layout);
}

static bool is_better(const attempt *a, const attempt *b, ashlar_objective objective)
{
    const ashlar_figures *const x = &a->predicted, *const y = &b->predicted;
    if (a->status != ASHLAR_OK || b->status != ASHLAR_OK)
        return a->status == ASHLAR_OK ? b->status != ASHLAR_OK
                                      : a->status == ASHLAR_ERR_LIMIT &&
                                            (b->status == ASHLAR_ERR_UNSUPPORTED ||
                                             (b->status == ASHLAR_ERR_LIMIT && a->least < b->least));
    if (objective == ASHLAR_LEAST_WORDS && x->words_max != y->words_max)
        return x->words_max < y->words_max;
    return x->seconds < y->seconds || (x->seconds == y->seconds && x->words_max < y->words_max);
}

/* Whether another way is worth a try after one with this outcome: a failure of memory or of MPI is final. */
static bool may_go_on(ashlar_status status)
{
    return status == ASHLAR_OK || status == ASHLAR_ERR_LIMIT || status == ASHLAR_ERR_UNSUPPORTED;
}

ashlar_status ashi_contract_make(ashlar_contraction_plan *plan, const ashi_options_taken *how, ashlar_error *err)
{
    const ashi_contract_kind *const *other = plan->kind->others;
    attempt best, next;
    make(plan, plan->kind, how, &best);
    for (; other && *other && may_go_on(best.status); other++) {
        if (!(*other)->serves(plan))
            continue;
        make(plan, *other, how, &next);
        const bool better = !may_go_on(next.status) || is_better(&next, &best, how->options.objective);
        drop(plan, better ? &best : &next);
        best = better ? next : best;
    }
    give(&best, plan);
    ashi_refuse(plan->context, best.least);
    if (best.status != ASHLAR_OK)
        *err = best.err;
    return best.status;
}

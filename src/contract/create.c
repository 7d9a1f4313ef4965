/* Creating a plan of a contraction from what the caller asks for, and freeing it. */
#include "base/error.h"
#include "contract/plan.h"
#include "plan/check.h"

#include <stdlib.h>

static const char who[] = "ashlar_contraction_plan_create";

/* ---- which kind ---- */

/* The first that serves a contraction does it. */
static const ashi_contract_kind *const kinds[] = {
    &ashi_contract_filed_steps, &ashi_contract_filed_batch, &ashi_contract_filed,    &ashi_contract_local,
    &ashi_contract_moved,       &ashi_contract_over_ranks,  &ashi_contract_in_steps,
};

const ashi_contract_kind *ashi_contract_kind_of(const ashlar_contraction_plan *plan, ashlar_error *err)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i]->serves(plan))
            return kinds[i];
    bool files = plan->output0 != NULL;
    for (int x = 0; x <= plan->expression.operands; x++)
        files = files || plan->tensor[x].file;
    const char *const blocks = "layouts of other plans that are not of blocks are not supported";
    (void)ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "%s: %s", who,
                    files ? "some tensors are in files and others in memory" : blocks);
    return NULL;
}

/* ---- what ranks must agree about ---- */

static uint64_t join(uint64_t digest, uint64_t number)
{
    return digest * 0x100000001B3u ^ number;
}

static uint64_t tensor_digest(const ashi_contract_tensor *t)
{
    uint64_t digest = join(0xCBF29CE484222325u, (uint64_t)t->order);
    for (int d = 0; d < t->order; d++)
        digest = join(digest, (uint64_t)t->extent[d]);
    digest = join(digest, (uint64_t)t->conjugate * 2 + (t->file != NULL));
    return t->layout ? join(digest, ashi_tensor_layout_digest(t->layout)) : digest;
}

static ashlar_status agree(const ashlar_context *context, ashlar_status mine, const ashlar_contraction_plan *plan,
                           ashlar_error *err)
{
    uint64_t words = 0, operands = 0, output = 0;
    for (const char *c = mine == ASHLAR_OK ? plan->words : ""; *c; c++)
        words = *c == ' ' || *c == '\t' ? words : join(words, (unsigned char)*c);
    for (int x = 0; mine == ASHLAR_OK && x < plan->expression.operands; x++)
        operands = join(operands, tensor_digest(&plan->tensor[x]));
    if (mine == ASHLAR_OK)
        output = tensor_digest(ashi_contract_output(plan));
    const ashi_shared values[] = {
        {"the type", mine == ASHLAR_OK ? (int64_t)plan->type : 0}, {"the expression", (int64_t)(words >> 1)},
        {"the operands", (int64_t)(operands >> 1)}, {"the output", (int64_t)(output >> 1)},
        {"memory_words", mine == ASHLAR_OK ? plan->memory_words : 0},
        {"trusted", mine == ASHLAR_OK ? plan->trusted : 0},
        {"whether output0 is there", mine == ASHLAR_OK ? plan->output0 != NULL : 0}};
    return ashi_agree_same(context, mine, who, values, (int)(sizeof values / sizeof values[0]), err);
}

/* ---- the calls ---- */

static const ashi_contract_calls calls = {ashlar_contraction_plan_create, ashlar_contraction_execute,
                                          ashlar_contraction_plan_free};

/* What a rank can see for itself. Local. */
static ashlar_status take(ashlar_contraction_plan *plan, const ashlar_contraction *contraction,
                          const ashlar_options *options, ashi_options_taken *how, ashlar_error *err)
{
    ashlar_status status = ashi_options_take(plan->context, who, options, how, err);
    if (status == ASHLAR_OK)
        status = ashi_contract_take(plan, contraction, err);
    if (status != ASHLAR_OK)
        return status;
    if (how->options.caller_workspace)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "%s: contractions have a workspace of their own", who);
    plan->memory_words = how->options.memory_words;
    plan->trusted = how->options.trusted;
    plan->kind = ashi_contract_kind_of(plan, err);
    return plan->kind ? ASHLAR_OK : ASHLAR_ERR_UNSUPPORTED;
}

ashlar_status ashlar_contraction_plan_create(ashlar_context *context, const ashlar_contraction *contraction,
                                             const ashlar_options *options, ashlar_contraction_plan **out,
                                             ashlar_error *err)
{
    if (!context)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: context is NULL", who);
    if (out)
        *out = NULL;
    ashlar_error own = {0};
    err = err ? err : &own;
    ashi_refuse(context, 0);
    ashi_options_taken how;
    ashlar_contraction_plan *plan = calloc(1, sizeof *plan);
    ashlar_status status = plan ? ASHLAR_OK : ashi_fail_memory(err, who, (int64_t)sizeof *plan);
    if (status == ASHLAR_OK && !out)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "%s: out is NULL", who);
    if (plan) {
        plan->context = context;
        plan->calls = &calls;
        plan->c_is_new = context->c_is_new;
    }
    if (status == ASHLAR_OK)
        status = take(plan, contraction, options, &how, err);
    status = agree(context, status, plan, err);
    if (status != ASHLAR_OK && plan)
        plan->kind = NULL; /* nothing was made: freeing it is local */
    if (status == ASHLAR_OK) {
        status = ashi_contract_make(plan, &how, err);
    }
    if (status != ASHLAR_ERR_LIMIT)
        ashi_refuse(context, 0);
    if (status == ASHLAR_OK)
        *out = plan;
    else
        ashlar_contraction_plan_free(&plan);
    return status;
}

void ashlar_contraction_plan_free(ashlar_contraction_plan **plan)
{
    if (!plan || !*plan)
        return;
    ashlar_contraction_plan *p = *plan;
    if (p->kind)
        p->kind->free(p);
    for (int x = 0; p->tensor && x <= p->expression.operands; x++)
        ashlar_tensor_layout_free(&p->tensor[x].layout);
    free(p->tensor);
    free(p->words);
    free(p->text);
    free(p);
    *plan = NULL;
}

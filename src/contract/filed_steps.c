/* Contractions in files that take several steps: three and more operands, a pair of which one is summed first. What is
 * between steps is in scratch files. */
#include "base/checked.h"
#include "base/error.h"
#include "contract/filed_check.h"
#include "contract/prepared.h"
#include "contract/scratch.h"
#include "exec/kernels.h"
#include "tensor/sequence.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char who[] = "ashlar_contraction_plan_create";

typedef struct filed_steps {
    ashi_sequence sequence;
    ashi_options_taken how; /* of every step */
    char *strategy;         /* the caller's, copied */
    char *prefix;           /* of scratch files */
    ashi_scratch scratch[ASHI_SEQUENCE_STEPS]; /* between steps, while all steps are planned or executed */
    int64_t least;          /* words that the steps which could not be planned would do with */
    ashlar_figures measured; /* of the last execution */
    double before, own, all; /* multiply-adds of the steps done, of the one under way, and of all */
    const ashi_contract_watch *watch;
} filed_steps;

/* Whether a pair has an operand that is better summed before it is multiplied. Not if a function takes the output, as
 * there is no place for a scratch file then, nor if the run may be gone on with, which is one product. */
static bool sums_first(const ashlar_contraction_plan *plan)
{
    const ashi_expression *const e = &plan->expression;
    const ashlar_file *const output = ashi_contract_output(plan)->file->file;
    bool any = false;
    for (int i = 0; e->operands == 2 && i < e->indices; i++)
        any = any || (e->extent[i] > 1 && (ashi_contract_is_alone(e, 0, i) || ashi_contract_is_alone(e, 1, i)));
    return any && output->temporary && !output->resumes;
}

static bool serves(const ashlar_contraction_plan *plan)
{
    bool all = true;
    for (int x = 0; x <= plan->expression.operands; x++)
        all = all && plan->tensor[x].file;
    return all && (plan->expression.operands > 2 || sums_first(plan));
}

/* ---- a step ---- */

/* The plan of step s, whose operands are there; the file of its result is made, or is the output. */
static ashlar_status plan_step(ashlar_contraction_plan *plan, filed_steps *q, int s, ashlar_contraction_plan **out,
                               ashlar_error *err)
{
    const ashi_sequence_step *step = &q->sequence.step[s];
    const bool last = s == q->sequence.steps - 1;
    char text[ASHI_STEP_TEXT];
    ashi_expression e;
    int64_t extent[ASHI_ORDER_MOST];
    ashlar_tensor operand[2] = {{.size = sizeof operand[0]}, {.size = sizeof operand[0]}};
    ashlar_tensor output = {.size = sizeof output};
    ashi_sequence_expression(&plan->expression, &q->sequence, s, &e);
    ashi_sequence_text(&plan->expression, &q->sequence, s, text);
    for (int x = 0; x < e.operands; x++) {
        const int array = step->operand[x];
        const bool given = array < q->sequence.operands;
        operand[x].file = given ? plan->tensor[array].file : q->scratch[array - q->sequence.operands].read;
        operand[x].conjugate = given && plan->tensor[array].conjugate;
    }
    for (int d = 0; d < e.output.order; d++)
        extent[d] = e.extent[e.output.index[d]];
    ashlar_status status = ASHLAR_OK;
    if (!last)
        status = ashi_scratch_create(plan, q->prefix, s, e.output.order, extent, &q->scratch[s], err);
    output.file = last ? ashi_contract_output(plan)->file : q->scratch[s].written;
    const ashlar_contraction what = {.size = sizeof what, .type = plan->type, .expression = text,
                                     .operands = e.operands, .operand = operand, .output = &output,
                                     .output0 = last ? plan->output0 : NULL};
    return status == ASHLAR_OK ? plan->calls->create(plan->context, &what, &q->how.options, out, err) : status;
}

/* Step s is done: its operands are needed no more, and its result can be read. */
static ashlar_status turn(filed_steps *q, int s, ashlar_error *err)
{
    for (int x = 0; x < 2; x++) {
        const int array = q->sequence.step[s].operand[x];
        if (array >= q->sequence.operands)
            ashi_scratch_close(&q->scratch[array - q->sequence.operands]);
    }
    return s < q->sequence.steps - 1 ? ashi_scratch_turn(&q->scratch[s], err) : ASHLAR_OK;
}

static void close_all(filed_steps *q)
{
    for (int s = 0; s < q->sequence.steps; s++)
        ashi_scratch_close(&q->scratch[s]);
}

/* ---- planning ---- */

static ashlar_status report_step(ashlar_contraction_plan *plan, const filed_steps *q, int s,
                                 const ashlar_contraction_plan *step, ashlar_error *err)
{
    const char *text = strstr(step->text, ". ");
    ashlar_status status = ashi_contract_say(plan, err, "%d%s", s + 1, text ? text : ". ");
    ashi_contract_add_figures(&plan->predicted, &step->predicted);
    plan->products = ashi_add_most(plan->products, step->products);
    plan->report.multiply_adds += step->report.multiply_adds;
    plan->report.workspace_words = ashi_max(plan->report.workspace_words, step->report.workspace_words);
    if (status == ASHLAR_OK && s < q->sequence.steps - 1)
        status = ashi_contract_say(plan, err, "   %" PRId64 " words to the scratch file %s-step%02d.npy\n",
                                   q->sequence.step[s].result_words, q->prefix, s + 1);
    return status;
}

/* Plan step s for what it will do, and forget the plan: no two steps hold memory at the same time. */
static ashlar_status foresee(ashlar_contraction_plan *plan, filed_steps *q, int s, ashlar_error *err)
{
    ashlar_contraction_plan *step = NULL;
    ashlar_status status = plan_step(plan, q, s, &step, err);
    if (status == ASHLAR_ERR_LIMIT) { /* how much the other steps want is of interest, too */
        q->least = ashi_max(q->least, ashlar_context_memory_words(plan->context));
        status = ASHLAR_OK;
    } else if (status == ASHLAR_OK) {
        status = ashi_agree(plan->context, report_step(plan, q, s, step, err), err);
    }
    plan->calls->free(&step);
    return status == ASHLAR_OK ? turn(q, s, err) : status;
}

static ashlar_status foresee_all(ashlar_contraction_plan *plan, filed_steps *q, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    plan->report = (ashlar_contraction_explanation){.steps = q->sequence.steps};
    plan->predicted = (ashlar_figures){0};
    for (int s = 0; s < q->sequence.steps && status == ASHLAR_OK; s++)
        status = foresee(plan, q, s, err);
    close_all(q);
    if (status == ASHLAR_OK && q->least > 0) {
        ashi_refuse(plan->context, q->least);
        return ashi_fail(err, ASHLAR_ERR_LIMIT, "memory_words = %" PRId64 ": %" PRId64 " would do", plan->memory_words,
                         q->least);
    }
    if (status == ASHLAR_OK)
        status = ashi_contract_say(
            plan, err, "%s: %s; %.4g multiply-adds, %" PRId64 " words in scratch files at most\n", plan->words,
            q->sequence.exact ? "the cheapest order of pairs" : "an order of pairs chosen greedily",
            plan->report.multiply_adds, q->sequence.held);
    q->all = plan->report.multiply_adds;
    return status;
}

/* What a rank can see for itself. Local. */
static ashlar_status prepare(ashlar_contraction_plan *plan, filed_steps *q, const ashi_options_taken *how,
                             ashlar_error *err)
{
    const int operands = plan->expression.operands;
    ashlar_status status = ASHLAR_OK;
    int64_t least;
    for (int x = 0; x <= operands + (plan->output0 != NULL) && status == ASHLAR_OK; x++)
        status = ashi_filed_tensor_check(plan, x <= operands ? plan->tensor[x].file : plan->output0, x, err);
    if (status == ASHLAR_OK && ashi_contract_output(plan)->file->file->resumes)
        status = ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "%s: a contraction of %d operands cannot be gone on with", who,
                           operands);
    if (status == ASHLAR_OK)
        status = ashi_scratch_prefix(ashi_contract_output(plan)->file, &q->prefix, err);
    if (status == ASHLAR_OK)
        status = ashi_sequence_choose(&plan->expression, INT64_MAX, &q->sequence, &least, err);
    q->watch = &plan->watch;
    q->how = *how;
    q->how.options.machine = &q->how.machine;
    q->how.options.trusted = false; /* ranks must agree whether a step could be done */
    if (how->options.strategy) {
        q->strategy = strdup(how->options.strategy);
        if (!q->strategy && status == ASHLAR_OK)
            status = ashi_fail_memory(err, who, (int64_t)strlen(how->options.strategy) + 1);
        q->how.options.strategy = q->strategy;
    }
    return status;
}

static ashlar_status make(ashlar_contraction_plan *plan, const ashi_options_taken *how, ashlar_error *err)
{
    filed_steps *q = calloc(1, sizeof *q);
    ashlar_status status = q ? ASHLAR_OK : ashi_fail_memory(err, who, (int64_t)sizeof *q);
    plan->made = q;
    if (q)
        status = prepare(plan, q, how, err);
    status = ashi_agree_named(plan->context, status, err);
    return status == ASHLAR_OK ? foresee_all(plan, q, err) : status;
}

static void free_made(ashlar_contraction_plan *plan)
{
    filed_steps *q = plan->made;
    if (!q)
        return;
    close_all(q);
    free(q->strategy);
    free(q->prefix);
    free(q);
    plan->made = NULL;
}

/* ---- executing ---- */

static void tell(void *user, int64_t done, int64_t all)
{
    enum { PARTS = 1000000 };
    const filed_steps *q = user;
    const double part = all > 0 ? (double)done / (double)all : 1;
    const double whole = q->all > 0 ? (q->before + part * q->own) / q->all : 1;
    q->watch->progress(q->watch->user, (int64_t)(whole * PARTS), PARTS);
}

static void keep_worst(ashlar_verdict *kept, const ashlar_verdict *one, bool first)
{
    if (first || (kept->passed && (!one->passed || one->worst > kept->worst)))
        *kept = *one;
}

static ashlar_status run_step(ashlar_contraction_plan *plan, filed_steps *q, int s, ashlar_contraction_plan *step,
                              const ashi_contract_arguments *with, ashlar_error *err)
{
    const ashi_kernels *kernels = ashi_kernels_of(plan->type);
    const void *const nothing[2] = {NULL, NULL};
    const bool last = s == q->sequence.steps - 1;
    ashlar_verdict verdict = {.passed = true};
    ashlar_figures figures = {0};
    q->own = (double)q->sequence.step[s].multiply_adds;
    step->watch = (ashi_contract_watch){q->watch->progress ? tell : NULL, q, q->watch->verdict ? &verdict : NULL};
    ashlar_status status = plan->calls->execute(step, last ? with->alpha : kernels->one, nothing,
                                                last ? with->beta : kernels->zero, NULL, err);
    if (status == ASHLAR_OK)
        status = step->kind->measured(step, &figures, err);
    ashi_contract_add_figures(&q->measured, &figures);
    q->before += q->own;
    if (q->watch->verdict)
        keep_worst(q->watch->verdict, &verdict, s == 0);
    return status;
}

static ashlar_status run(ashlar_contraction_plan *plan, const ashi_contract_arguments *with, ashlar_error *err)
{
    filed_steps *q = plan->made;
    const ashi_kernels *kernels = ashi_kernels_of(plan->type);
    const bool nothing = kernels->is_zero(with->alpha); /* then the last step scales the output, and reads no operand */
    const int last = q->sequence.steps - 1;
    ashlar_status status = ASHLAR_OK;
    bool passed = true;
    if (!plan->output0 && !kernels->is_zero(with->beta))
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_contraction_execute: beta is not 0 and there is no output0");
    q->measured = (ashlar_figures){0};
    q->before = 0;
    if (q->watch->verdict)
        *q->watch->verdict = (ashlar_verdict){.passed = true};
    for (int s = 0; s <= last && status == ASHLAR_OK && passed; s++) {
        ashlar_contraction_plan *step = NULL;
        status = plan_step(plan, q, s, &step, err);
        if (status == ASHLAR_OK && (s == last || !nothing))
            status = run_step(plan, q, s, step, with, err);
        plan->calls->free(&step);
        if (status == ASHLAR_OK)
            status = turn(q, s, err);
        passed = !q->watch->verdict || q->watch->verdict->passed;
    }
    close_all(q);
    if (status != ASHLAR_OK) /* also if the last step has not begun: it must not be published */
        ashi_contract_output(plan)->file->file->failed = true;
    return status;
}

static ashlar_status measured(ashlar_contraction_plan *plan, ashlar_figures *out, ashlar_error *err)
{
    const filed_steps *q = plan->made;
    (void)err;
    *out = q->measured;
    return ASHLAR_OK;
}

const ashi_contract_kind ashi_contract_filed_steps = {"filed steps", serves,    make, run,
                                                      measured,      free_made, NULL, NULL};

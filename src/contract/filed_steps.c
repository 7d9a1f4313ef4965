/* Contractions with tensors in files that take several steps: three and more operands, a pair of which one is summed
 * first. */
#include "contract/filed_steps.h"

#include "base/checked.h"
#include "base/error.h"
#include "contract/filed_check.h"
#include "contract/prepared.h"
#include "kernel/kernels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char who[] = "ashlar_contraction_plan_create";

/* ---- which contractions ---- */

/* Whether a pair has an operand in a file that is better summed before it is multiplied. Not if a function takes the
 * output, as there may be no place for a scratch file then. */
static bool sums_first(const ashlar_contraction_plan *plan)
{
    const ashi_expression *const e = &plan->expression;
    const ashlar_tensor_file *const output = ashi_contract_output(plan)->file;
    bool any = false, mixed = false;
    for (int x = 0; x <= e->operands; x++)
        mixed = mixed || !plan->tensor[x].file;
    for (int x = 0; e->operands == 2 && x < 2; x++)
        for (int i = 0; i < e->indices && plan->tensor[x].file; i++)
            any = any || (e->extent[i] > 1 && ashi_contract_is_alone(e, x, i));
    return any && (mixed || (output && output->file->temporary));
}

static bool serves(const ashlar_contraction_plan *plan)
{
    bool files = false, blocks = true;
    for (int x = 0; x <= plan->expression.operands; x++) {
        const ashi_contract_tensor *const t = &plan->tensor[x];
        files = files || t->file;
        blocks = blocks && (t->own || !t->layout->groups);
    }
    return files && blocks && (plan->expression.operands > 2 || sums_first(plan));
}

/* ---- a step ---- */

/* The plan of step s, whose operands are there; its result is begun. *others: words that a rank holds beside it. */
static ashlar_status plan_step(ashlar_contraction_plan *plan, ashi_filed_steps *q, int s, int64_t *others,
                               ashlar_contraction_plan **out, ashlar_error *err)
{
    const bool last = s == q->sequence.steps - 1;
    const int operands = q->sequence.step[s].operand[1] < 0 ? 1 : 2;
    char text[ASHI_STEP_TEXT];
    int64_t extent[3][ASHI_ORDER_MOST];
    ashlar_tensor tensor[3] = {{0}};
    ashlar_options options = q->how.options;
    ashlar_status status = ASHLAR_OK;
    ashi_sequence_text(&plan->expression, &q->sequence, s, text);
    for (int x = 0; x <= operands && status == ASHLAR_OK; x++)
        status = ashi_between_tensor(plan, q, s, x, extent[x], &tensor[x], err);
    const ashlar_contraction what = {.size = sizeof what, .type = plan->type, .expression = text,
                                     .operands = operands, .operand = tensor, .output = &tensor[operands],
                                     .output0 = last ? plan->output0 : NULL};
    if (status != ASHLAR_OK)
        return status;
    *others = ashi_between_others(plan, q, s);
    if (options.memory_words > 0)
        options.memory_words = ashi_max(options.memory_words - *others, 1);
    const bool before = ashi_contract_begin_new(plan->context, !last);
    status = plan->calls->create(plan->context, &what, &options, out, err);
    plan->context->c_is_new = before;
    return status;
}

/* ---- planning ---- */

static ashlar_status report_step(ashlar_contraction_plan *plan, ashi_filed_steps *q, int s, int64_t others,
                                 const ashlar_contraction_plan *step, ashlar_error *err)
{
    const char *text = strstr(step->text, ". ");
    const int64_t words = q->sequence.step[s].result_words;
    ashlar_status status = ashi_contract_say(plan, err, "%d%s", s + 1, text ? text : ". ");
    ashlar_figures figures = step->predicted;
    figures.memory_words = ashi_add_most(figures.memory_words, others);
    ashi_contract_add_figures(&plan->predicted, &figures);
    plan->products = ashi_add_most(plan->products, ashi_max(step->products, 1));
    plan->report.multiply_adds += step->report.multiply_adds;
    const ashi_on_device device = ashi_contract_on_device(step);
    ashi_on_device_add(&q->on_device, &device, 1);
    plan->report.workspace_words = ashi_max(plan->report.workspace_words, step->report.workspace_words);
    if (status != ASHLAR_OK || s == q->sequence.steps - 1)
        return status;
    if (q->between[s].kept)
        return ashi_contract_say(plan, err, "   %" PRId64 " words stay in memory\n", words);
    return ashi_contract_say(plan, err, "   %" PRId64 " words to the scratch file %s-step%02d.npy\n", words, q->prefix,
                             s + 1);
}

/* Plan step s for what it will do, and forget the plan: no two steps hold memory at the same time. */
static ashlar_status foresee(ashlar_contraction_plan *plan, ashi_filed_steps *q, int s, ashlar_error *err)
{
    ashlar_contraction_plan *step = NULL;
    int64_t others = 0;
    ashlar_status status = plan_step(plan, q, s, &others, &step, err);
    if (status == ASHLAR_OK && plan->memory_words > 0 && others >= plan->memory_words)
        status = ASHLAR_ERR_LIMIT; /* it was planned for one word */
    if (status == ASHLAR_ERR_LIMIT) { /* how much the other steps want is of interest, too */
        const int64_t own = ashi_max(ashlar_context_memory_words(plan->context), 1);
        q->least = ashi_max(q->least, ashi_add_most(own, others));
        status = ASHLAR_OK;
    } else if (status == ASHLAR_OK) {
        status = ashi_agree(plan->context, report_step(plan, q, s, others, step, err), err);
    }
    plan->calls->free(&step);
    return status == ASHLAR_OK ? ashi_between_turn(plan, q, s, ASHI_STEP_PLANNED, err) : status;
}

static ashlar_status foresee_all(ashlar_contraction_plan *plan, ashi_filed_steps *q, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    plan->report = (ashlar_contraction_explanation){.steps = q->sequence.steps};
    plan->predicted = (ashlar_figures){0};
    plan->products = 0;
    q->on_device = (ashi_on_device){0};
    q->least = 0;
    free(plan->text);
    plan->text = NULL;
    for (int s = 0; s < q->sequence.steps && status == ASHLAR_OK; s++)
        status = foresee(plan, q, s, err);
    ashi_between_close(q);
    q->all = plan->report.multiply_adds;
    return status == ASHLAR_OK && q->least > 0 ? ASHLAR_ERR_LIMIT : status;
}

/* With what fits kept in memory; if that leaves too little for a step, with all of it in scratch files. */
static ashlar_status foresee_both(ashlar_contraction_plan *plan, ashi_filed_steps *q, ashlar_error *err)
{
    ashlar_status status = foresee_all(plan, q, err);
    bool kept = false;
    for (int s = 0; s < q->sequence.steps; s++)
        kept = kept || q->between[s].kept;
    if (status == ASHLAR_ERR_LIMIT && kept) {
        ashi_between_spill(q);
        status = foresee_all(plan, q, err);
    }
    if (status == ASHLAR_ERR_LIMIT) {
        ashi_refuse(plan->context, q->least);
        return ashi_fail(err, ASHLAR_ERR_LIMIT, "memory_words = %" PRId64 ": %" PRId64 " would do", plan->memory_words,
                         q->least);
    }
    if (status != ASHLAR_OK)
        return status;
    return ashi_contract_say(
        plan, err, "%s: %s; %.4g multiply-adds, %" PRId64 " words in scratch files at most\n", plan->words,
        q->sequence.exact ? "the cheapest order of pairs" : "an order of pairs chosen greedily",
        plan->report.multiply_adds, ashi_between_scratch_words(q));
}

/* The caller's tensors: files are what they are taken for, and what is in memory has a layout. */
static ashlar_status take_tensors(ashlar_contraction_plan *plan, ashlar_error *err)
{
    const int operands = plan->expression.operands;
    const ashlar_tensor_file *const output = plan->tensor[operands].file;
    ashlar_status status = ASHLAR_OK;
    bool any[ASHLAR_TENSOR_ORDER_MOST];
    for (int d = 0; d < ASHLAR_TENSOR_ORDER_MOST; d++)
        any[d] = true;
    for (int x = 0; x <= operands && status == ASHLAR_OK; x++) {
        ashi_contract_tensor *const t = &plan->tensor[x];
        if (t->file)
            status = ashi_filed_tensor_check(plan, t->file, x, err);
        else if (!t->layout)
            status = ashi_tensor_layout_even(t->order, t->extent, any, plan->context->ranks, &t->layout, err);
    }
    if (status == ASHLAR_OK && plan->output0)
        status = output ? ashi_filed_tensor_check(plan, plan->output0, operands + 1, err)
                        : ashi_fail(err, ASHLAR_ERR_ARG, "%s: output0 is a file and the output is in memory", who);
    return status;
}

/* A copy; NULL of NULL. */
static ashlar_status copy(const char *text, char **out, ashlar_error *err)
{
    *out = text ? strdup(text) : NULL;
    return text && !*out ? ashi_fail_memory(err, who, (int64_t)strlen(text) + 1) : ASHLAR_OK;
}

/* What a rank can see for itself. Local. */
static ashlar_status prepare(ashlar_contraction_plan *plan, ashi_filed_steps *q, const ashi_options_taken *how,
                             ashlar_error *err)
{
    int64_t least;
    ashlar_status status = take_tensors(plan, err);
    if (status == ASHLAR_OK)
        status = copy(how->options.strategy, &q->strategy, err);
    if (status == ASHLAR_OK)
        status = copy(how->options.scratch, &q->folder, err);
    if (status == ASHLAR_OK)
        status = ashi_sequence_choose(&plan->expression, INT64_MAX, &q->sequence, &least, err);
    if (status == ASHLAR_OK)
        status = ashi_between_choose(plan, q, err);
    q->watch = &plan->watch;
    q->how = *how;
    q->how.options.machine = &q->how.machine;
    q->how.options.trusted = false; /* ranks must agree whether a step could be done */
    q->how.options.strategy = q->strategy;
    q->how.options.scratch = q->folder;
    return status;
}

static ashlar_status make(ashlar_contraction_plan *plan, const ashi_options_taken *how, ashlar_error *err)
{
    ashi_filed_steps *q = calloc(1, sizeof *q);
    ashlar_status status = q ? ASHLAR_OK : ashi_fail_memory(err, who, (int64_t)sizeof *q);
    plan->made = q;
    if (q)
        status = prepare(plan, q, how, err);
    status = ashi_agree_named(plan->context, status, err);
    return status == ASHLAR_OK ? foresee_both(plan, q, err) : status;
}

static void free_made(ashlar_contraction_plan *plan)
{
    ashi_filed_steps *q = plan->made;
    if (!q)
        return;
    ashi_between_close(q);
    ashi_between_spill(q);
    free(q->strategy);
    free(q->folder);
    free(q->prefix);
    free(q->origin);
    free(q);
    plan->made = NULL;
}

/* ---- executing ---- */

static void tell(void *user, int64_t done, int64_t all)
{
    enum { PARTS = 1000000 };
    const ashi_filed_steps *q = user;
    const double part = all > 0 ? (double)done / (double)all : 1;
    const double whole = q->all > 0 ? (q->before + part * q->own) / q->all : 1;
    q->watch->progress(q->watch->user, (int64_t)(whole * PARTS), PARTS);
}

static void keep_worst(ashlar_verdict *kept, const ashlar_verdict *one, bool first)
{
    if (first || (kept->passed && (!one->passed || one->worst > kept->worst)))
        *kept = *one;
}

static ashlar_status run_step(ashlar_contraction_plan *plan, ashi_filed_steps *q, int s, int64_t others,
                              ashlar_contraction_plan *step, const ashi_contract_arguments *with, ashlar_error *err)
{
    const ashi_kernels *kernels = ashi_kernels_of(plan->type);
    const int operands = q->sequence.step[s].operand[1] < 0 ? 1 : 2;
    const bool last = s == q->sequence.steps - 1;
    ashlar_verdict verdict = {.passed = true};
    ashlar_figures figures = {0};
    ashlar_status status = ashi_between_allocate(plan, q, s, err);
    if (status != ASHLAR_OK)
        return status;
    const void *const operand[2] = {ashi_between_part(plan, q, s, 0, with),
                                    operands == 2 ? ashi_between_part(plan, q, s, 1, with) : NULL};
    step->watch = (ashi_contract_watch){q->watch->progress ? tell : NULL, q, q->watch->verdict ? &verdict : NULL,
                                        q->watch->trace, q->origin};
    status = plan->calls->execute(step, last ? with->alpha : kernels->one, operand, last ? with->beta : kernels->zero,
                                  ashi_between_part(plan, q, s, operands, with), err);
    if (status == ASHLAR_OK)
        status = ashi_agree(plan->context, step->kind->measured(step, &figures, err), err);
    figures.memory_words = ashi_add_most(figures.memory_words, others);
    q->resumed += q->all > 0 ? figures.resumed * q->own / q->all : 0;
    ashi_contract_add_figures(&q->measured, &figures);
    if (q->watch->verdict)
        keep_worst(q->watch->verdict, &verdict, q->before == 0);
    return status;
}

/* Step s, unless alpha is 0 and it is not the last one. */
static ashlar_status pass(ashlar_contraction_plan *plan, ashi_filed_steps *q, int s, bool nothing,
                          const ashi_contract_arguments *with, ashlar_error *err)
{
    const bool forms = s == q->sequence.steps - 1 || !nothing;
    ashlar_contraction_plan *step = NULL;
    int64_t others = 0;
    ashlar_status status = plan_step(plan, q, s, &others, &step, err);
    if (status == ASHLAR_OK && forms)
        status = run_step(plan, q, s, others, step, with, err);
    plan->calls->free(&step);
    if (status != ASHLAR_OK || (q->watch->verdict && !q->watch->verdict->passed))
        return status;
    return ashi_between_turn(plan, q, s, forms ? ASHI_STEP_FORMED : ASHI_STEP_SKIPPED, err);
}

static ashlar_status run(ashlar_contraction_plan *plan, const ashi_contract_arguments *with, ashlar_error *err)
{
    ashi_filed_steps *q = plan->made;
    const ashi_kernels *kernels = ashi_kernels_of(plan->type);
    const bool nothing = kernels->is_zero(with->alpha); /* then the last step scales the output, and reads no operand */
    const ashlar_tensor_file *const output = ashi_contract_output(plan)->file;
    bool needed[ASHI_SEQUENCE_STEPS], passed = true;
    if (output && !plan->output0 && !kernels->is_zero(with->beta))
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_contraction_execute: beta is not 0 and there is no output0");
    q->measured = (ashlar_figures){0};
    q->before = 0;
    if (q->watch->verdict)
        *q->watch->verdict = (ashlar_verdict){.passed = true};
    ashlar_status status = ashi_filed_steps_describe(plan, q, with, err);
    if (status == ASHLAR_OK)
        status = ashi_filed_steps_look(plan, q, needed, err);
    for (int s = 0; s < q->sequence.steps && status == ASHLAR_OK && passed; s++) {
        q->own = (double)q->sequence.step[s].multiply_adds;
        if (needed[s])
            status = pass(plan, q, s, nothing, with, err);
        q->before += q->own;
        passed = !q->watch->verdict || q->watch->verdict->passed;
    }
    ashi_between_close(q);
    q->measured.resumed = q->resumed;
    if (status != ASHLAR_OK && output) /* also if the last step has not begun: it must not be published */
        output->file->failed = true;
    return status;
}

static ashlar_status measured(ashlar_contraction_plan *plan, ashlar_figures *out, ashlar_error *err)
{
    const ashi_filed_steps *q = plan->made;
    (void)err;
    *out = q->measured;
    return ASHLAR_OK;
}

static ashi_on_device on_device(const ashlar_contraction_plan *plan)
{
    const ashi_filed_steps *q = plan->made;
    return q->on_device;
}

const ashi_contract_kind ashi_contract_filed_steps = {"filed steps", serves,    make, run,
                                                      measured,      free_made, NULL, NULL, on_device};

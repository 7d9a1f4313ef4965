/* Plans whose matrices are in files: what is asked for, and whether the product is formed in memory or streamed. */
#include "plan/filed.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "plan/choosing.h"
#include "plan/looped.h"
#include "plan/plan.h"
#include "strategy/strategy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[4] = {"A", "B", "C", "C0"};

/* ---- checking ---- */

/* Rows and columns of a matrix as stored. */
static void shape_of(const ashlar_problem *p, int x, int64_t *rows, int64_t *cols)
{
    const int64_t size[4][2] = {{p->m, p->k}, {p->k, p->n}, {p->m, p->n}, {p->m, p->n}};
    const bool turned = (x == ASHLAR_A && p->op_a != ASHLAR_OP_N) || (x == ASHLAR_B && p->op_b != ASHLAR_OP_N);
    *rows = size[x][turned];
    *cols = size[x][!turned];
}

static ashlar_status check_file(const ashlar_context *context, const ashlar_problem *p, const ashlar_file *file, int x,
                                ashlar_error *err)
{
    static const char who[] = "ashlar_plan_create";
    int64_t rows, cols;
    shape_of(p, x, &rows, &cols);
    if (file->context != context)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: the file of %s is of another context", who, names[x]);
    if (file->created != (x == ASHLAR_C))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: the file of %s was %s, wanted one that was %s", who, names[x],
                         file->created ? "created" : "opened", file->created ? "opened" : "created");
    if (file->ended)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: the file of %s is no longer open for writing", who, names[x]);
    const bool fits = file->info.half && !file->whole && x < 2 && p->type == ASHLAR_TYPE_H;
    const ashlar_type wanted = ashi_type_of_operand(p->type, x < 2 ? (ashlar_operand)x : ASHLAR_C);
    if (!fits && file->info.type != wanted)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s is of type %c (%s) in its file, wanted %c (%s)", who, names[x],
                         ashi_type_of(file->info.type)->letter, ashi_type_of(file->info.type)->name,
                         ashi_type_of(wanted)->letter, ashi_type_of(wanted)->name);
    if (file->info.rows != rows || file->info.cols != cols)
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "%s: %s is %" PRId64 " x %" PRId64 " in its file, wanted %" PRId64 " x %" PRId64, who,
                         names[x], file->info.rows, file->info.cols, rows, cols);
    return ASHLAR_OK;
}

ashlar_status ashi_filed_check(const ashlar_context *context, const ashlar_problem *p, const ashlar_options *o,
                               ashlar_error *err)
{
    static const char who[] = "ashlar_plan_create";
    const ashi_filed f = ashi_filed_of(p);
    const ashlar_layout *const layout[3] = {p->a, p->b, p->c};
    ashlar_status status = ASHLAR_OK;
    if (f.any && !ashi_type_is_alike(p->type) && o->strategy &&
        (strcmp(o->strategy, ashi_strategy_sequential.name) == 0 || ashi_looped_named(o->strategy)))
        return ashi_type_refuse(p->type, who, "matrices that are streamed", err);
    for (int x = 0; x < 4 && status == ASHLAR_OK; x++)
        if (f.file[x])
            status = check_file(context, p, f.file[x], x, err);
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++)
        if (f.file[x] && layout[x])
            status = ashi_fail(err, ASHLAR_ERR_ARG, "%s: %s has a layout and a file, wanted one of them", who,
                               names[x]);
    if (status == ASHLAR_OK && f.file[ASHI_FILED_C0] && !f.file[ASHLAR_C])
        status = ashi_fail(err, ASHLAR_ERR_ARG, "%s: c0_file is given and c_file is NULL, wanted both or none", who);
    if (status == ASHLAR_OK && f.any && o->caller_workspace)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "%s: caller_workspace is for matrices in memory", who);
    return status;
}

/* ---- choosing ---- */

/* The input whose chunks take most memory to unpack; A and B are read only if anything is multiplied. */
static const ashlar_file *most_packed(const ashlar_plan *plan)
{
    const ashlar_file *most = NULL;
    for (int x = 0; x < 4; x++) {
        const ashlar_file *file = plan->filed.file[x];
        if (!file || (plan->empty && x < 2) || ashi_file_unpacking(file) == 0)
            continue;
        if (!most || ashi_file_unpacking(file) > ashi_file_unpacking(most))
            most = file;
    }
    return most;
}

static ashlar_status fail_packed(const ashlar_file *file, ashlar_error *err)
{
    return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                     "%.200s: its packed chunks, of which one takes %" PRId64 " bytes to unpack, are too large for "
                     "matrices to be streamed; chunks of 5 MiB are not", file->place, ashi_file_unpacking(file));
}

/* Complete the planner's refusal of a limit, which counts in words and only what it plans; `aside`: words that were
 * taken off the limit before. */
static ashlar_status refuse_limit(const ashlar_plan *plan, const ashlar_file *packed, int64_t aside, ashlar_error *err)
{
    const int bytes = (int)ashi_type_word(plan->problem.type);
    const int64_t planned = ashlar_context_memory_words(plan->context);
    int64_t all = 0;
    char text[ASHLAR_MESSAGE_MAX];
    ashi_refuse(plan->context, planned > 0 && ashi_add(planned, aside, &all) ? all : 0);
    memcpy(text, err->text, sizeof text);
    if (!packed)
        return ashi_fail(err, ASHLAR_ERR_LIMIT, "%.*s (a word is %d bytes)", (int)sizeof text - 40, text, bytes);
    return ashi_fail(err, ASHLAR_ERR_LIMIT, "%.*s (a word is %d bytes), and beside them %" PRId64
                     " bytes to unpack a chunk of %.100s", (int)sizeof text - 200, text, bytes,
                     ashi_file_unpacking(packed), packed->place);
}

/* Memory for this rank's parts of what is in files. */
static ashlar_status allocate(ashlar_plan *plan, ashlar_error *err)
{
    for (int x = 0; x < 3; x++) {
        int64_t bytes = 0;
        if (!plan->filed.file[x] || (plan->empty && x < 2))
            continue;
        if (!ashi_mul(ashlar_layout_extent(plan->layout[x], plan->context->rank),
                      (int64_t)ashi_type_bytes(plan->problem.type, (ashlar_operand)x), &bytes))
            return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "this rank's part of %s is too large", names[x]);
        plan->filed.part[x] = bytes > 0 ? malloc((size_t)bytes) : NULL;
        if (bytes > 0 && !plan->filed.part[x])
            return ashi_fail_memory(err, names[x], bytes);
    }
    return ASHLAR_OK;
}

static ashlar_status make_in_memory(ashlar_plan *plan, const ashlar_options *o, ashlar_error *err)
{
    const ashlar_status status = ashi_plan_make(plan, o, err);
    return status == ASHLAR_OK ? ashi_agree_named(plan->context, allocate(plan, err), err) : status;
}

/* Whether matrices that are all in files are streamed: because that is asked for, because nothing is multiplied, or
 * because nothing else fits. `planned` is what the planner said. */
static bool streams(const ashlar_plan *plan, const ashlar_options *o, ashlar_status planned)
{
    if (plan->empty)
        return true;
    if (o->strategy)
        return strcmp(o->strategy, ashi_strategy_sequential.name) == 0 || ashi_looped_named(o->strategy);
    return planned == ASHLAR_ERR_LIMIT && o->grid[0] == 0;
}

/* An empty product streams C from file to file, but an A or a B in memory whose layout is free has one, too. */
static ashlar_status lay_out_nothing(ashlar_plan *plan, const ashlar_options *o, ashlar_error *err)
{
    const ashlar_layout *const given[2] = {plan->problem.a, plan->problem.b};
    bool agreed = false;
    const ashlar_status status = ashi_agree(plan->context, ashi_plan_choose(plan, o, &agreed, err), err);
    for (int x = 0; x < 2 && status == ASHLAR_OK; x++)
        if (!plan->filed.file[x] && !given[x])
            plan->layout[x] = plan->choice.proposal.own[x];
    return status;
}

static ashlar_status make_streamed(ashlar_plan *plan, const ashlar_options *o, ashlar_error *err)
{
    ashi_plan_clear(plan);
    if (ashi_looped_named(o->strategy) && !plan->empty)
        return ashi_looped_make(plan, o, o->memory_words, err);
    const ashlar_status status = plan->empty ? lay_out_nothing(plan, o, err) : ASHLAR_OK;
    return status == ASHLAR_OK ? ashi_streamed_make(plan, o, o->memory_words, err) : status;
}

ashlar_status ashi_filed_make(ashlar_plan *plan, const ashlar_options *options, ashlar_error *err)
{
    const ashlar_file *packed = most_packed(plan);
    const int64_t bytes = (int64_t)ashi_type_word(plan->problem.type);
    const int64_t aside = packed ? ashi_ceil_div(ashi_file_unpacking(packed), bytes) : 0;
    const bool alike = ashi_type_is_alike(plan->problem.type); /* others do not go through memory in pieces */
    const bool all = alike && ashi_filed_all(&plan->filed, &plan->problem);
    ashlar_options o = *options;
    ashlar_status status = ASHLAR_OK;
    if (o.memory_words > 0)
        o.memory_words = ashi_max(1, o.memory_words - aside); /* 0 is no limit */
    const bool at_once = all && streams(plan, &o, ASHLAR_OK);
    if (at_once && packed)
        return fail_packed(packed, err);
    if (!at_once)
        status = make_in_memory(plan, &o, err);
    if (at_once || (all && !packed && status != ASHLAR_OK && streams(plan, &o, status))) {
        status = make_streamed(plan, &o, err);
    } else if (alike && !all && !plan->empty && status == ASHLAR_ERR_LIMIT) {
        ashi_plan_clear(plan);
        status = ashi_mixed_make(plan, &o, err);
    }
    return status == ASHLAR_ERR_LIMIT ? refuse_limit(plan, packed, aside, err) : status;
}

void ashi_filed_free(ashi_filed *f)
{
    for (int x = 0; x < 3; x++) {
        free(f->part[x]);
        f->part[x] = NULL;
    }
    ashi_streamed_free(&f->streamed);
    ashi_mixed_free(&f->mixed);
}

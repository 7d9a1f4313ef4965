/* Executing plans whose matrices are in files: parts read, multiplied in memory and written, or all of it streamed. */
#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "kernel/kernels.h"
#include "plan/added.h"
#include "plan/plan.h"

#include <stdio.h>

/* How far a rank is: words that it reads, as many again for the product, and words that it writes. */
typedef struct telling {
    const ashi_filed *filed;
    int64_t before, done, share, all; /* before: this stage */
} telling;

static void tell(const telling *t, int64_t done)
{
    if (t->filed->progress)
        t->filed->progress(t->filed->user, ashi_min(done, t->all), t->all);
}

static void moved(void *context, int64_t words)
{
    telling *t = context;
    t->done += words;
    tell(t, t->done);
}

static void stepped(void *context, int64_t done, int64_t all)
{
    telling *t = context;
    t->done = t->before + (int64_t)((double)t->share * (double)done / (double)ashi_max(all, 1));
    tell(t, t->done);
}

/* Which matrices are read in an execution, and where C0 comes from: `from` is the file of each. */
typedef struct inputs {
    ashlar_file *from[3];
    int64_t words[3]; /* of this rank */
} inputs;

static inputs inputs_of(const ashlar_plan *plan, const void *alpha, const void *beta)
{
    const ashi_kernels *k = ashi_kernels_of(plan->problem.type);
    const ashi_filed *f = &plan->filed;
    const bool reads = !plan->empty && !k->is_zero(alpha);
    inputs in = {{reads ? f->file[ASHLAR_A] : NULL, reads ? f->file[ASHLAR_B] : NULL,
                  k->is_zero(beta) ? NULL : f->file[ASHI_FILED_C0]}, {0}};
    for (int x = 0; x < 3; x++)
        in.words[x] = in.from[x] ? ashlar_layout_words(plan->layout[x], plan->context->rank) : 0;
    return in;
}

static ashlar_status read_parts(ashlar_plan *plan, const inputs *in, telling *t, ashlar_error *err)
{
    const ashi_file_watch watch = {moved, t};
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++) {
        if (!in->from[x])
            continue;
        const double begin = ashi_trace_begin(ashi_plan_trace(plan));
        status = ashi_file_read_part(in->from[x], ashi_type_of_operand(plan->problem.type, (ashlar_operand)x),
                                     plan->layout[x], ashi_file_begin, plan->filed.part[x], &watch, err);
        ashi_trace_note_disk(ashi_plan_trace(plan), "read", begin, 0, in->words[x]);
        plan->filed.tally.read += in->words[x];
    }
    return ashi_agree_named(plan->context, status, err);
}

static ashlar_status write_part(ashlar_plan *plan, telling *t, ashlar_error *err)
{
    const ashi_file_watch watch = {moved, t};
    ashlar_file *c = plan->filed.file[ASHLAR_C];
    if (!c)
        return ASHLAR_OK;
    const double begin = ashi_trace_begin(ashi_plan_trace(plan));
    const ashlar_status status =
        ashi_file_write_part(c, plan->layout[ASHLAR_C], ashi_file_begin, plan->filed.part[ASHLAR_C], &watch, err);
    plan->filed.tally.written = ashlar_layout_words(plan->layout[ASHLAR_C], plan->context->rank);
    ashi_trace_note_disk(ashi_plan_trace(plan), "write", begin, 0, plan->filed.tally.written);
    return ashi_agree_named(plan->context, status, err);
}

static void on_progress(ashlar_plan *plan, void (*progress)(void *user, int64_t done, int64_t all), void *user)
{
    if (plan->runner)
        ashi_runner_on_progress(plan->runner, progress, user);
}

static ashlar_status form_in_memory(ashlar_plan *plan, const void *alpha, const ashi_part part[3], const void *beta,
                                    ashlar_error *err)
{
    ashi_filed *f = &plan->filed;
    const inputs in = inputs_of(plan, alpha, beta);
    const int64_t written = f->file[ASHLAR_C] ? ashlar_layout_words(plan->layout[ASHLAR_C], plan->context->rank) : 0;
    const int64_t read = in.words[0] + in.words[1] + in.words[2];
    telling t = {f, read, 0, read + written, 2 * (read + written)};
    ashi_part own[3] = {part[0], part[1], part[2]};
    const double start = MPI_Wtime();
    for (int x = 0; x < 3; x++)
        if (f->file[x])
            own[x] = (ashi_part){f->part[x], NULL};
    ashlar_status status = read_parts(plan, &in, &t, err);
    if (status != ASHLAR_OK)
        return status;
    f->tally.read_seconds = MPI_Wtime() - start;
    on_progress(plan, f->progress ? stepped : NULL, &t);
    status = ashi_plan_run(plan, alpha, own, beta, err);
    on_progress(plan, NULL, NULL);
    plan->tally.seconds = MPI_Wtime() - start - f->tally.read_seconds;
    status = ashi_agree(plan->context, status, err);
    if (status != ASHLAR_OK)
        return status;
    t.done = t.before + t.share;
    status = write_part(plan, &t, err);
    f->tally.write_seconds = MPI_Wtime() - start - f->tally.read_seconds - plan->tally.seconds;
    return status;
}

/* One of a batch of products, which is recorded as a whole. */
static ashlar_status run_recorded(ashlar_plan *plan, const void *alpha, const ashi_part part[3], const void *beta,
                                  ashlar_error *err)
{
    const inputs in = inputs_of(plan, alpha, beta);
    const ashi_nest_turns one = {1, 1, ashi_max(plan->filed.series.longest, 1)};
    ashi_resume resume;
    ashi_resume_request q = {.alpha = alpha, .beta = beta, .multiplies = in.from[0] != NULL,
                             .adds = in.from[ASHLAR_C] != NULL, .own = one, .most = one,
                             .kind = "products are formed in memory one after the other"};
    snprintf(q.how, sizeof q.how, "%s\n", plan->choice.reason);
    ashlar_status status = ashi_resume_begin(plan, &q, &resume, err);
    plan->filed.resumed = resume.from > 0;
    if (status == ASHLAR_OK && resume.from == 0) {
        status = form_in_memory(plan, alpha, part, beta, err);
        if (status == ASHLAR_OK)
            ashi_resume_offer(&resume, 1);
    }
    const ashlar_status synced = ashi_resume_end(&resume, status == ASHLAR_OK ? err : NULL);
    return ashi_agree_named(plan->context, status == ASHLAR_OK ? synced : status, err);
}

static ashlar_status run_in_memory(ashlar_plan *plan, const void *alpha, const ashi_part part[3], const void *beta,
                                   ashlar_error *err)
{
    ashlar_file *const c = plan->filed.file[ASHLAR_C];
    plan->filed.tally = (ashi_filed_tally){0};
    if (c && plan->filed.series.count > 1)
        return run_recorded(plan, alpha, part, beta, err);
    const ashlar_status status = c ? ashi_resume_none(c, err) : ASHLAR_OK;
    return status == ASHLAR_OK ? form_in_memory(plan, alpha, part, beta, err) : status;
}

ashlar_status ashi_filed_run(ashlar_plan *plan, const void *alpha, const ashi_part part[3], const void *beta,
                             ashlar_error *err)
{
    const double start = MPI_Wtime();
    ashlar_file *const c = plan->filed.file[ASHLAR_C];
    ashlar_status status = ashi_added_product(plan, alpha, beta, err);
    if (status != ASHLAR_OK || (c && c->added)) {
        plan->filed.tally = (ashi_filed_tally){0};
        plan->filed.resumed = c && c->added;
        return status;
    }
    if (plan->filed.streamed.on) {
        status = ashi_agree_named(plan->context, ashi_streamed_run(plan, alpha, beta, err), err);
        plan->tally.seconds = MPI_Wtime() - start;
    } else if (plan->filed.mixed.on) {
        status = ashi_mixed_run(plan, alpha, part, beta, err);
        plan->tally.seconds = MPI_Wtime() - start;
    } else {
        status = run_in_memory(plan, alpha, part, beta, err);
    }
    if (c) {
        c->failed = c->failed || status != ASHLAR_OK;
        c->complete = status == ASHLAR_OK;
    }
    return status;
}

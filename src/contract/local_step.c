/* Steps of a rank in its memory. */
#include "contract/local_step.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "kernel/micro.h"
#include "kernel/share.h"
#include "kernel/threads.h"

#include <stdlib.h>

/* ALIGNMENT: of what a thread has of the workspace. MULTIPLY_ADDS_LEAST: what is worth a second thread, which takes
 * some microseconds to wake. */
enum { ALIGNMENT = 64, MULTIPLY_ADDS_LEAST = 1 << 17 };

static int64_t rounded(int64_t bytes)
{
    return ashi_mul_most(ashi_ceil_div(bytes, ALIGNMENT), ALIGNMENT);
}

ashlar_status ashi_local_step_make(const ashi_contraction *product, int threads, ashi_local_step *out,
                                   ashlar_error *err)
{
    ashi_local_step_clear(out);
    out->used = true;
    ashi_contraction_make(product, &out->plan);
    out->parts = ashi_local_step_multiply_adds(out) < MULTIPLY_ADDS_LEAST ? 1 : threads;
    if (!ashi_contraction_slabs_pay(&out->plan, out->parts))
        return ASHLAR_OK;
    out->slabs = calloc(1, sizeof *out->slabs);
    if (!out->slabs)
        return ashi_fail_memory(err, "contraction", (int64_t)sizeof *out->slabs);
    if (!ashi_contraction_slabs_make(product, out->parts, out->slabs)) {
        free(out->slabs);
        out->slabs = NULL;
    } else
        out->parts = out->slabs->count;
    return ASHLAR_OK;
}

void ashi_local_step_clear(ashi_local_step *step)
{
    free(step->slabs);
    *step = (ashi_local_step){0};
}

double ashi_local_step_multiply_adds(const ashi_local_step *step)
{
    const ashi_contraction_plan *const p = &step->plan;
    return (double)p->m * (double)p->n * (double)p->k * (double)p->batches;
}

int64_t ashi_local_step_bytes(const ashi_local_step *step)
{
    return step->slabs ? ashi_contraction_slabs_bytes(step->slabs) :
                         ashi_mul_most(step->parts, rounded(step->plan.bytes));
}

bool ashi_local_step_shrink(ashi_local_step *step)
{
    const ashi_micro *const micro = ashi_micro_of(step->plan.product.type);
    const int64_t unit[3] = {micro->rows, micro->cols, 1};
    int64_t side[3] = {step->plan.mc, step->plan.nc, step->plan.kc};
    int longest = 0;
    if (step->slabs) {
        free(step->slabs);
        step->slabs = NULL;
        return true;
    }
    if (ashi_contraction_unstage(&step->plan))
        return true;
    for (int d = 1; d < 3; d++)
        if (side[d] / unit[d] > side[longest] / unit[longest])
            longest = d;
    if (side[longest] <= unit[longest])
        return false;
    side[longest] = unit[longest] * ashi_ceil_div(ashi_ceil_div(side[longest], unit[longest]), 2);
    ashi_contraction_blocks(&step->plan, side[0], side[1], side[2]);
    return true;
}

/* A step with its arguments, which threads take parts of. */
typedef struct task {
    ashi_trace *trace; /* or NULL */
    int number;
    const ashi_local_step *step;
    const ashi_local_arguments *with;
    char *workspace;
} task;

static bool do_part(void *context, const ashi_job *job, int hand)
{
    const task *const t = context;
    const ashi_local_arguments *const x = t->with;
    const int part = (int)job->number;
    const double begin = ashi_trace_begin(t->trace);
    (void)hand;
    if (t->step->slabs)
        ashi_contraction_slabs_run(t->step->slabs, x->alpha, x->a, x->b, part, t->workspace);
    else
        ashi_contraction_run(&t->step->plan, x->alpha, x->a, x->b, x->beta, x->c, part, t->step->parts,
                             t->workspace + part * rounded(t->step->plan.bytes));
    ashi_trace_note(t->trace, ASHI_LANE_CORES, "multiply", begin, ashi_trace_begin(t->trace), t->number,
                    (int64_t)(ashi_local_step_multiply_adds(t->step) / t->step->parts), -1);
    return true;
}

/* Each part by one thread: it may be the BLAS's, on one thread then. */
void ashi_local_step_run(const ashlar_context *context, const ashi_local_step *step, int number,
                         const ashi_local_arguments *with, char *workspace)
{
    task t = {context->trace, number, step, with, workspace};
    ashi_blas_begin(1);
    ashi_share(context->workers, step->parts, step->parts, do_part, &t, NULL);
    ashi_blas_end();
    if (step->slabs)
        ashi_contraction_slabs_end(step->slabs, with->beta, with->c, workspace);
}

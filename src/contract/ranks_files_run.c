/* Executing contractions of tensors in files beside others in memory: product after product. */
#include "base/checked.h"
#include "base/error.h"
#include "base/hash.h"
#include "contract/filed_origin.h"
#include "contract/ranks.h"
#include "contract/tensor_file.h"
#include "kernel/kernels.h"
#include "plan/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { A, B, C };

/* An execution in progress. */
typedef struct running {
    ashlar_contraction_plan *plan;
    ashi_over_ranks *o;
    const ashi_contract_arguments *with;
    const void *beta;
    int64_t product; /* that is under way */
    ashi_series series; /* of all plans */
    char *origin;    /* of the record */
} running;

static void tell(void *user, int64_t done, int64_t all)
{
    const running *const r = user;
    r->plan->watch.progress(r->plan->watch.user, r->product * all + done, r->o->batches * all);
}

static void find_parts(const running *r, const void *part[ASHI_MATRICES])
{
    for (int x = 0; x < ASHI_MATRICES; x++)
        part[x] = ashi_over_ranks_part(r->plan, r->o, x, r->product, r->with);
}

static ashlar_plan *go_to(running *r, int64_t product)
{
    r->product = product;
    ashi_over_ranks_go_to(r->o, product);
    return r->o->piece[r->o->piece_of[product]].plan;
}

/* C is written over by beta = 0 if it is in memory: what it was need not be kept. */
static ashlar_status verify(const running *r, ashlar_plan *p, ashlar_error *err)
{
    ashlar_verdict *const kept = r->plan->watch.verdict, verdict;
    ashlar_verification *check = NULL;
    const void *part[ASHI_MATRICES];
    find_parts(r, part);
    ashlar_status status = ashlar_verify_begin(p, r->beta, part[C], &check, err);
    if (status == ASHLAR_OK)
        status = ashlar_verify_end(check, r->with->alpha, part[A], part[B], part[C], &verdict, err);
    ashlar_verify_free(&check);
    if (status == ASHLAR_OK && (!verdict.passed || verdict.vectors > kept->vectors || verdict.worst > kept->worst))
        *kept = verdict;
    return status;
}

/* Whether C must be read back to be checked, after which no more is written to it. */
static bool is_read_back(const running *r, const ashlar_plan *p)
{
    return r->o->view[C] && ashi_filed_passes(&p->filed);
}

/* A product that an earlier run has finished is not formed again. */
static ashlar_status form(running *r, int64_t product, ashlar_error *err)
{
    ashlar_plan *const p = go_to(r, product);
    const ashi_contract_watch *const watch = &r->plan->watch;
    const void *part[ASHI_MATRICES];
    ashlar_figures one = {0};
    find_parts(r, part);
    ashlar_plan_on_progress(p, watch->progress ? tell : NULL, r);
    ashi_plan_record(p, watch->trace);
    r->series.index = product;
    p->filed.series = r->series;
    p->filed.origin = r->origin;
    ashlar_status status = ashlar_plan_execute(p, r->with->alpha, part[A], part[B], r->beta,
                                               (void *)(uintptr_t)part[C], err);
    r->series = p->filed.series;
    ashi_plan_record(p, NULL);
    ashlar_plan_on_progress(p, NULL, NULL);
    if (status != ASHLAR_OK || product < r->series.from)
        return status;
    status = ashlar_plan_measured(p, &one, err);
    ashi_contract_add_figures(&r->o->measured, &one);
    return status == ASHLAR_OK && watch->verdict && !is_read_back(r, p) ? verify(r, p, err) : status;
}

/* ---- what is recorded of a batch ---- */

static int64_t memory_of(const void *context)
{
    const running *const r = context;
    running each = *r;
    uint64_t sum = 0;
    for (each.product = 0; each.product < r->o->batches; each.product++) {
        const void *at[ASHI_MATRICES];
        find_parts(&each, at);
        const ashi_part part[ASHI_MATRICES] = {{at[A], NULL}, {at[B], NULL}, {at[C], NULL}};
        sum = ashi_hash(sum, ashi_mixed_memory(r->o->piece[r->o->piece_of[each.product]].plan, part));
    }
    return (int64_t)(sum >> 1);
}

/* All products are one series if they are written to a file, whichever their plans are. */
static ashlar_status describe(running *r, ashlar_error *err)
{
    const ashi_over_ranks *const o = r->o;
    char how[80] = "";
    uint64_t digest = 0;
    int64_t longest = 1;
    for (int i = 0; i < o->pieces; i++) {
        const ashi_mixed *const m = &o->piece[i].plan->filed.mixed;
        digest = ashi_hash(digest, (int64_t)(m->digest >> 1));
        longest = ashi_max(longest, m->on ? m->slabs : 1);
    }
    if (o->view[C] && o->batches > 1) {
        snprintf(how, sizeof how, "%d plans %016" PRIx64 "\n", o->pieces, digest);
        r->series = (ashi_series){.count = o->batches, .longest = longest, .summed = -1, .context = r};
        r->series.memory = ashi_kernels_of(r->plan->type)->is_zero(r->with->alpha) ? NULL : memory_of;
    }
    return ashi_filed_origin(o->batches, o->view, how, r->plan->watch.origin, &r->origin, err);
}

/* ---- all products ---- */

static ashlar_status form_all(running *r, ashlar_error *err)
{
    ashlar_verdict *const verdict = r->plan->watch.verdict;
    ashlar_status status = ASHLAR_OK;
    for (int64_t z = 0; z < r->o->batches && status == ASHLAR_OK && (!verdict || verdict->passed);
         z = ashi_max(z + 1, r->series.from))
        status = form(r, z, err);
    for (int64_t z = 0; verdict && z < r->o->batches && status == ASHLAR_OK && verdict->passed; z++) {
        ashlar_plan *const p = go_to(r, z);
        if (is_read_back(r, p))
            status = verify(r, p, err);
    }
    return status;
}

ashlar_status ashi_over_ranks_run_files(ashlar_contraction_plan *plan, ashi_over_ranks *o,
                                        const ashi_contract_arguments *with, const void *beta, ashlar_error *err)
{
    running r = {.plan = plan, .o = o, .with = with, .beta = beta};
    o->measured = (ashlar_figures){0};
    if (plan->watch.verdict)
        *plan->watch.verdict = (ashlar_verdict){.passed = true};
    ashlar_status status = ashi_agree_named(plan->context, describe(&r, err), err);
    if (status == ASHLAR_OK)
        status = form_all(&r, err);
    for (int i = 0; i < o->pieces; i++)
        o->piece[i].plan->filed.origin = NULL;
    free(r.origin);
    if (!o->view[C])
        return status;
    if (o->batches > 1)
        o->measured.resumed = r.series.part;
    ashi_file_view_ends(o->view[C]);
    ashlar_file *const file = ashi_contract_output(plan)->file->file;
    file->failed = file->failed || status != ASHLAR_OK;
    return status;
}

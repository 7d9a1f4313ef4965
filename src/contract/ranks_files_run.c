/* Executing contractions of tensors in files beside others in memory: product after product. */
#include "base/error.h"
#include "contract/ranks.h"
#include "contract/tensor_file.h"
#include "plan/plan.h"

enum { A, B, C };

/* An execution in progress. */
typedef struct running {
    ashlar_contraction_plan *plan;
    ashi_over_ranks *o;
    const ashi_contract_arguments *with;
    const void *beta;
    int64_t product; /* that is under way */
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

static ashlar_status form(running *r, int64_t product, ashlar_error *err)
{
    ashlar_plan *const p = go_to(r, product);
    const ashi_contract_watch *const watch = &r->plan->watch;
    const void *part[ASHI_MATRICES];
    ashlar_figures one = {0};
    find_parts(r, part);
    ashlar_plan_on_progress(p, watch->progress ? tell : NULL, r);
    ashi_plan_record(p, watch->trace);
    p->filed.origin = watch->origin;
    ashlar_status status = ashlar_plan_execute(p, r->with->alpha, part[A], part[B], r->beta,
                                               (void *)(uintptr_t)part[C], err);
    ashi_plan_record(p, NULL);
    ashlar_plan_on_progress(p, NULL, NULL);
    if (status == ASHLAR_OK)
        status = ashlar_plan_measured(p, &one, err);
    ashi_contract_add_figures(&r->o->measured, &one);
    return status == ASHLAR_OK && watch->verdict && !is_read_back(r, p) ? verify(r, p, err) : status;
}

ashlar_status ashi_over_ranks_run_files(ashlar_contraction_plan *plan, ashi_over_ranks *o,
                                        const ashi_contract_arguments *with, const void *beta, ashlar_error *err)
{
    running r = {plan, o, with, beta, 0};
    ashlar_verdict *const verdict = plan->watch.verdict;
    ashlar_status status = ASHLAR_OK;
    o->measured = (ashlar_figures){0};
    if (verdict)
        *verdict = (ashlar_verdict){.passed = true};
    for (int64_t z = 0; z < o->batches && status == ASHLAR_OK && (!verdict || verdict->passed); z++)
        status = form(&r, z, err);
    for (int64_t z = 0; verdict && z < o->batches && status == ASHLAR_OK && verdict->passed; z++) {
        ashlar_plan *const p = go_to(&r, z);
        if (is_read_back(&r, p))
            status = verify(&r, p, err);
    }
    if (!o->view[C])
        return status;
    ashi_file_view_ends(o->view[C]);
    ashlar_file *const file = ashi_contract_output(plan)->file->file;
    file->failed = file->failed || status != ASHLAR_OK;
    return status;
}

/* Contractions of tensors in files beside others in memory: files seen as matrices, and what plans with them take. */
#include "contract/ranks.h"

#include "base/checked.h"
#include "base/error.h"
#include "contract/filed_check.h"
#include "contract/tensor_file.h"
#include "plan/plan.h"

static const char who[] = "ashlar_contraction_plan_create";

enum { A, B, C, C0 };

/* ---- checking ---- */

ashlar_status ashi_over_ranks_check_files(const ashlar_contraction_plan *plan, ashlar_error *err)
{
    const int output = plan->expression.operands;
    const ashlar_tensor_file *const c = plan->tensor[output].file;
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x <= output && status == ASHLAR_OK; x++)
        if (plan->tensor[x].file)
            status = ashi_filed_tensor_check(plan, plan->tensor[x].file, x, err);
    if (status == ASHLAR_OK && plan->output0)
        status = c ? ashi_filed_tensor_check(plan, plan->output0, output + 1, err)
                   : ashi_fail(err, ASHLAR_ERR_ARG, "%s: output0 is a file and the output is in memory", who);
    return status;
}

/* ---- files as matrices ---- */

static ashlar_tensor_file *file_of(const ashlar_contraction_plan *plan, const ashi_over_ranks *o, int x)
{
    if (x == C0)
        return plan->output0;
    return o->tensor[x] < 0 ? NULL : plan->tensor[o->tensor[x]].file;
}

ashlar_status ashi_over_ranks_see(ashlar_contraction_plan *plan, ashi_over_ranks *o, ashlar_error *err)
{
    ashi_unfolded *const u = &o->unfolded;
    ashlar_status status = ASHLAR_OK;
    for (int g = 0; g < ASHI_INDEX_GROUPS && o->files; g++) {
        u->group[g] = (ashi_unfolded_group){.count = o->group[g].count,
                                            .extent = ashi_order_extent(&plan->expression, &o->group[g])};
        for (int i = 0; i < o->group[g].count; i++)
            u->group[g].index[i] = o->group[g].index[o->group[g].count - 1 - i];
    }
    for (int x = 0; x < ASHI_VIEWS && status == ASHLAR_OK; x++) {
        const ashlar_tensor_file *const file = file_of(plan, o, x);
        const int matrix = x == C0 ? C : x;
        if (!file)
            continue;
        o->at[x] = (ashi_unfolded_tensor){file->file->info.dimensions, file->dimension, file->from, NULL};
        ashi_unfolded_see(&plan->expression, &o->at[x], matrix, o->turned[matrix], u);
        status = ashi_file_view(file->file, &u->view[matrix], &o->view[x], err);
    }
    return status;
}

void ashi_over_ranks_go_to(ashi_over_ranks *o, int64_t product)
{
    int64_t from[ASHI_DIMENSIONS_MAX];
    for (int x = 0; x < ASHI_VIEWS; x++) {
        if (!o->view[x] || !o->view[x]->store)
            continue;
        ashi_unfolded_batch(&o->unfolded, o->dealt[A].expression, &o->at[x], x == C0 ? C : x, product, from);
        ashi_store_view_move(o->view[x]->store, from);
    }
}

const void *ashi_over_ranks_part(const ashlar_contraction_plan *plan, const ashi_over_ranks *o, int x, int64_t z,
                                 const ashi_contract_arguments *with)
{
    const size_t bytes = ashlar_type_bytes(plan->type);
    if (o->tensor[x] < 0)
        return o->workspace + (size_t)o->workspace_words * bytes;
    if (o->view[x])
        return NULL;
    const char *const given = x == C ? with->output : with->operand ? with->operand[o->tensor[x]] : NULL;
    const char *const from = o->prepared[x].plan ? o->prepared[x].data : given;
    return from ? from + (size_t)o->base[x][z] * bytes : NULL;
}

/* ---- figures ---- */

int64_t ashi_over_ranks_beside(const ashlar_plan *p, int64_t works)
{
    int64_t words = p->need.share + works;
    for (int x = 0; x < ASHI_MATRICES && !p->filed.streamed.on; x++)
        if (!p->filed.file[x] && p->layout[x])
            words -= ashlar_layout_words(p->layout[x], p->context->rank);
    return words;
}

int64_t ashi_over_ranks_own_words(const ashlar_plan *p)
{
    if (p->filed.streamed.on)
        return p->filed.streamed.workspace_words;
    return p->filed.mixed.on ? p->filed.mixed.own_words : ashi_over_ranks_beside(p, p->need.workspace);
}

/* The most words that any rank holds of so many. */
static int64_t most_of(const ashlar_contraction_plan *plan, int64_t words)
{
    int64_t most = words;
    ashi_note(plan->context, MPI_Allreduce(&words, &most, 1, MPI_INT64_T, MPI_MAX, plan->context->comm),
              "MPI_Allreduce");
    return most;
}

/* The plans of sums and copies, which have no files. */
static void add_prepared(ashlar_figures *sum, const ashi_over_ranks *o, bool done)
{
    for (int x = 0; x < ASHI_MATRICES; x++)
        if (o->prepared[x].plan) {
            ashlar_contraction_plan *const p = o->prepared[x].plan;
            ashlar_figures one = p->predicted;
            if (done)
                (void)p->kind->measured(p, &one, NULL);
            ashi_contract_add_figures(sum, &one);
        }
}

ashlar_figures ashi_over_ranks_predict_files(const ashlar_contraction_plan *plan, const ashi_over_ranks *o)
{
    ashlar_figures sum = {0};
    add_prepared(&sum, o, false);
    for (int i = 0; i < o->pieces; i++) {
        ashlar_figures one;
        (void)ashlar_plan_predicted(o->piece[i].plan, &one, NULL);
        for (int64_t z = 0; z < o->piece[i].count; z++)
            ashi_contract_add_figures(&sum, &one);
    }
    sum.memory_words = most_of(plan, o->held + o->windows + o->ones_words);
    return sum;
}

ashlar_figures ashi_over_ranks_measure_files(const ashlar_contraction_plan *plan, const ashi_over_ranks *o)
{
    ashlar_figures sum = o->measured;
    int64_t words = o->held + o->ones_words;
    add_prepared(&sum, o, true);
    for (int i = 0; i < o->pieces; i++)
        words += ashi_over_ranks_beside(o->piece[i].plan, o->piece[i].plan->tally.workspace);
    sum.memory_words = most_of(plan, words);
    return sum;
}

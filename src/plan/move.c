/* Movement of a matrix between two layouts, as prepared or in one call. */
#include "base/error.h"
#include "exec/kernels.h"
#include "plan/check.h"
#include "plan/mover.h"

#include <inttypes.h>
#include <stdlib.h>

ashlar_status ashlar_mover_explain(const ashlar_mover *mover, ashlar_movement *out, ashlar_error *err)
{
    if (!mover || !out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_mover_explain: %s is NULL", mover ? "out" : "mover");
    *out = mover->figures;
    return ASHLAR_OK;
}

int64_t ashlar_mover_workspace(const ashlar_mover *mover)
{
    return mover ? mover->figures.workspace_words : 0;
}

ashlar_status ashlar_mover_use_workspace(ashlar_mover *mover, void *workspace, ashlar_error *err)
{
    if (!mover)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_mover_use_workspace: mover is NULL");
    ashlar_error own = {0};
    err = err ? err : &own;
    const int64_t need = mover->figures.workspace_words;
    ashlar_status status = ASHLAR_OK;
    if (!mover->trusted) {
        if (!workspace && need > 0)
            status = ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: ashlar_mover_use_workspace: NULL, wanted %" PRId64
                               " elements", mover->context->rank, need);
        status = ashi_agree(mover->context, status, err);
    }
    if (status != ASHLAR_OK)
        return status;
    free(mover->memory);
    mover->memory = NULL;
    mover->workspace = workspace;
    return ASHLAR_OK;
}

/* Whether a layout could have that leading dimension. It is as before afterwards. */
static ashlar_status check_ld(const ashlar_mover *m, ashlar_layout *layout, int64_t ld, const char *name,
                              ashlar_error *err)
{
    if (ld == -1)
        return ASHLAR_OK;
    if (ld < 0 || !layout)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_mover_set_ld: %s: %s", name,
                         layout ? "a leading dimension below 0" : "wanted a block-cyclic layout");
    const int64_t before = layout->ld;
    layout->ld = ld;
    const ashlar_status status = ashi_check_layout(m->context, layout, name, err);
    layout->ld = before;
    return status;
}

ashlar_status ashlar_mover_set_ld(ashlar_mover *mover, int64_t from_ld, int64_t to_ld, ashlar_error *err)
{
    if (!mover)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_mover_set_ld: mover is NULL");
    const ashi_exchange *e = ashi_move_exchange(mover->move);
    ashlar_status status = check_ld(mover, e->from, from_ld, "S", err);
    if (status == ASHLAR_OK)
        status = check_ld(mover, e->to, to_ld, "T", err);
    if (status != ASHLAR_OK)
        return status;
    if (from_ld >= 0)
        ashi_move_set_ld(mover->move, false, from_ld);
    if (to_ld >= 0)
        ashi_move_set_ld(mover->move, true, to_ld);
    return ASHLAR_OK;
}

static ashlar_status check_execution(const ashlar_mover *m, const void *alpha, const void *source, const void *beta,
                                     const void *target, ashlar_error *err)
{
    const int rank = m->context->rank;
    if (!alpha || !beta)
        return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: ashlar_mover_execute: %s is NULL", rank,
                         alpha ? "beta" : "alpha");
    const bool moves = !ashi_kernels_of(m->type)->is_zero(alpha);
    if ((moves && m->reads && !source) || (m->writes && !target))
        return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: ashlar_mover_execute: source or target is NULL", rank);
    if (moves && !m->workspace && m->figures.workspace_words > 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: ashlar_mover_execute: no workspace was given", rank);
    return ASHLAR_OK;
}

static ashlar_status check_on_all(const ashlar_mover *m, const void *alpha, const void *source, const void *beta,
                                  const void *target, ashlar_error *err)
{
    const ashlar_status status = check_execution(m, alpha, source, beta, target, err);
    return ashi_agree_scalars(m->context, status, "ashlar_mover_execute", m->type, alpha, beta, err);
}

ashlar_status ashlar_mover_execute(ashlar_mover *mover, const void *alpha, const void *source, const void *beta,
                                   void *target, ashlar_error *err)
{
    if (!mover)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_mover_execute: mover is NULL");
    ashlar_error own = {0};
    err = err ? err : &own;
    const ashlar_status status =
        mover->trusted ? ASHLAR_OK : check_on_all(mover, alpha, source, beta, target, err);
    if (status != ASHLAR_OK)
        return status;
    if (!ashi_kernels_of(mover->type)->is_zero(alpha))
        return ashi_move_run(mover->move, mover->workspace, alpha, source, beta, target, err);
    ashi_move_scale(mover->move, beta, target);
    return ASHLAR_OK;
}

ashlar_status ashlar_move(ashlar_context *context, ashlar_type type, ashlar_op op, const void *alpha,
                          const ashlar_layout *from, const void *source, const void *beta, const ashlar_layout *to,
                          void *target, int64_t memory_words, int64_t *words, ashlar_error *err)
{
    ashlar_mover_options options = ashlar_mover_options_default();
    ashlar_mover *mover = NULL;
    options.memory_words = memory_words;
    ashlar_status status = ashlar_mover_create(context, type, op, from, to, &options, &mover, err);
    if (status == ASHLAR_OK)
        status = ashlar_mover_execute(mover, alpha, source, beta, target, err);
    if (words)
        *words = status == ASHLAR_OK && !ashi_kernels_of(type)->is_zero(alpha) ? mover->figures.words : 0;
    ashlar_mover_free(&mover);
    return status;
}

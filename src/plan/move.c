/* Movement of a matrix between two layouts, as prepared or in one call. */
#include "base/error.h"
#include "base/structure.h"
#include "kernel/kernels.h"
#include "plan/check.h"
#include "plan/mover.h"

#include <inttypes.h>
#include <stdlib.h>

ashlar_status ashlar_mover_explain_sized(const ashlar_mover *mover, ashlar_movement *out, size_t size,
                                         ashlar_error *err)
{
    if (!mover || !out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_mover_explain: %s is NULL", mover ? "out" : "mover");
    ashi_structure_give(&mover->figures, sizeof mover->figures, out, size);
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
        status = ashi_conclude(mover->context, status, err);
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

/* What an execution was given. */
typedef struct given {
    const char *who; /* the call */
    const void *alpha, *beta;
    ashi_part part[2]; /* of S and T */
} given;

static ashlar_status check_part(const ashlar_mover *m, const given *g, bool target, ashlar_error *err)
{
    const char name = "ST"[target];
    const ashi_part *part = &g->part[target];
    if (!ashi_move_has(m->move, target, part))
        return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: %s: %s%s is NULL", m->context->rank, g->who,
                         part->tile ? "a tile of the " : "", target ? "target" : "source");
    if (!part->tile && m->apart[target])
        return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: %s: the layout of %c has no offsets: use "
                         "ashlar_mover_execute_tiles", m->context->rank, g->who, name);
    return ASHLAR_OK;
}

static ashlar_status check_execution(const ashlar_mover *m, const given *g, ashlar_error *err)
{
    const int rank = m->context->rank;
    if (!g->alpha || !g->beta)
        return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: %s: %s is NULL", rank, g->who, g->alpha ? "beta" : "alpha");
    const bool moves = !ashi_kernels_of(m->type)->is_zero(g->alpha);
    ashlar_status status = check_part(m, g, true, err);
    if (status == ASHLAR_OK && moves)
        status = check_part(m, g, false, err);
    if (status == ASHLAR_OK && moves && !m->workspace && m->figures.workspace_words > 0)
        status = ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: %s: no workspace was given", rank, g->who);
    return status;
}

static ashlar_status check_on_all(const ashlar_mover *m, const given *g, ashlar_error *err)
{
    const ashlar_status status = check_execution(m, g, err);
    return ashi_agree_scalars(m->context, status, g->who, m->type, g->alpha, g->beta, err);
}

static ashlar_status execute(ashlar_mover *mover, const given *g, ashlar_error *err)
{
    if (!mover)
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: mover is NULL", g->who);
    ashlar_error own = {0};
    err = err ? err : &own;
    const ashlar_status status = mover->trusted ? ASHLAR_OK : check_on_all(mover, g, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_trace *const trace = mover->context->trace;
    const double begin = ashi_trace_begin(trace);
    ashlar_status moved = ASHLAR_OK;
    if (ashi_kernels_of(mover->type)->is_zero(g->alpha))
        ashi_move_scale(mover->move, g->beta, &g->part[1]);
    else
        moved = ashi_move_run(mover->move, mover->workspace, g->alpha, &g->part[0], g->beta, &g->part[1], err);
    ashi_trace_note(trace, ASHI_LANE_CORES, "move", begin, ashi_trace_begin(trace), 0, mover->figures.words, -1);
    return mover->trusted ? moved : ashi_conclude(mover->context, moved, err);
}

ashlar_status ashlar_mover_execute(ashlar_mover *mover, const void *alpha, const void *source, const void *beta,
                                   void *target, ashlar_error *err)
{
    const given g = {"ashlar_mover_execute", alpha, beta, {{source, NULL}, {target, NULL}}};
    return execute(mover, &g, err);
}

ashlar_status ashlar_mover_execute_tiles(ashlar_mover *mover, const void *alpha, const void *const *source,
                                         const void *beta, void *const *target, ashlar_error *err)
{
    const given g = {"ashlar_mover_execute_tiles", alpha, beta, {{NULL, source}, {NULL, (const void *const *)target}}};
    return execute(mover, &g, err);
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

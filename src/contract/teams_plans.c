/* The plans of teams of ranks that form a batch of products side by side, and what moves matrices to and from them. */
#include "contract/teams.h"

#include "base/checked.h"
#include "layout/layout.h"
#include "plan/plan.h"

enum { A, B, C };

/* ---- plans ---- */

/* Whether the plans of all teams have the same layouts: else nobody knows those of another team. */
static ashlar_status compare(const ashlar_contraction_plan *plan, const ashi_team_level *l, ashlar_error *err)
{
    ashi_shared values[ASHI_MATRICES];
    for (int x = 0; x < ASHI_MATRICES; x++) {
        const uint64_t digest = ashi_layout_digest(ashlar_plan_layout(l->plan, (ashlar_operand)x));
        values[x] = (ashi_shared){"the layouts of teams of ranks", (int64_t)(digest >> 1)};
    }
    const ashlar_status status = ashi_same(plan->context, "contraction", values, ASHI_MATRICES, err);
    return status == ASHLAR_ERR_ARG ? ASHLAR_ERR_UNSUPPORTED : status;
}

/* The layout that matrix x has in its team, if all values of the level have it so; else NULL. Storage is this rank's,
 * of its own team's pieces; if that has none, its plan is not executed. Local; the same on all ranks. */
static ashlar_status find_given(const ashlar_contraction_plan *plan, const ashi_teams *t, const ashi_team_level *l,
                                const ashi_matricised *matrix, int x, ashlar_layout **out, ashlar_error *err)
{
    const ashi_over_ranks *const o = &t->over;
    const int team = ashi_teams_of(t, l, plan->context->ranks, plan->context->rank);
    const ashi_some_ranks mine = ashi_teams_ranks(t, l, plan->context->ranks, team);
    const int place = (plan->context->rank - mine.first) / mine.step;
    ashlar_status status = ASHLAR_OK;
    bool same = true;
    for (int i = 0; i < o->pieces && status == ASHLAR_OK && same; i++) {
        ashlar_layout *given = NULL, *own = NULL;
        const ashi_some_ranks *const some = &o->piece[i].some;
        if (ashi_teams_level(plan, t, i) != l)
            continue;
        status = ashi_matricised_layout(matrix, o->piece[i].process[x], some->first + place * some->step, o->turned[x],
                                        &given, err);
        if (status == ASHLAR_OK)
            status = ashi_layout_within(given, some, &own, err);
        same = own && (!*out || ashi_layout_digest(*out) == ashi_layout_digest(own));
        if (same && (!*out || some->first == mine.first)) {
            ashlar_layout_free(out);
            *out = own;
            own = NULL;
        }
        ashlar_layout_free(&given);
        ashlar_layout_free(&own);
    }
    if (!same)
        ashlar_layout_free(out);
    return status;
}

/* A layout of matrix x in teams of ranks far apart, in which what a rank has of it stays there if it is in the team.
 * Local; the same on all ranks. */
static ashlar_status follow(const ashlar_contraction_plan *plan, const ashi_teams *t, const ashi_team_level *l,
                            const ashi_matricised *matrix, int x, ashlar_layout **out, ashlar_error *err)
{
    ashlar_layout *given = NULL;
    int piece = 0;
    while (ashi_teams_level(plan, t, piece) != l)
        piece++;
    ashlar_status status = ashi_matricised_layout(matrix, t->over.piece[piece].process[x], plan->context->rank,
                                                  t->over.turned[x], &given, err);
    if (status == ASHLAR_OK)
        status = ashi_layout_fold(given, plan->context->ranks / l->size, ASHI_MULTIPLIED_TILES_MOST, out, err);
    ashlar_layout_free(&given);
    return status;
}

static ashlar_status make_level(ashlar_contraction_plan *plan, const ashi_teams *t, const ashi_matricised *matrix,
                                ashi_team_level *l, const ashlar_options *options, ashlar_error *err)
{
    const ashi_over_ranks *const o = &t->over;
    ashlar_layout *layout[ASHI_MATRICES] = {NULL};
    const int team = ashi_teams_of(t, l, plan->context->ranks, plan->context->rank);
    ashlar_status status = ashi_context_team(plan->context, team, &l->context, err);
    if (status != ASHLAR_OK)
        return status;
    l->context->ranks_per_core *= (double)l->teams * l->size / plan->context->ranks; /* other teams leave them free */
    for (int x = 0; x < ASHI_MATRICES && status == ASHLAR_OK; x++)
        if (o->dealt[x].layout) {
            status = find_given(plan, t, l, &matrix[x], x, &layout[x], err);
            l->moves[x] = !layout[x];
            if (status == ASHLAR_OK && l->moves[x] && t->spread)
                status = follow(plan, t, l, &matrix[x], x, &layout[x], err);
        }
    status = ashi_agree(plan->context, status, err);
    const ashlar_problem problem = ashi_over_ranks_problem(plan, o, layout);
    (void)ashi_contract_begin_new(l->context, l->moves[C] || o->prepared[C].plan);
    if (status == ASHLAR_OK)
        status = ashi_agree(plan->context, ashlar_plan_create(l->context, &problem, options, &l->plan, err), err);
    if (status == ASHLAR_OK)
        status = compare(plan, l, err);
    for (int x = 0; x < ASHI_MATRICES; x++) {
        if (status == ASHLAR_OK)
            l->part[x] = ashlar_layout_extent(ashlar_plan_layout(l->plan, (ashlar_operand)x), l->context->rank);
        ashlar_layout_free(&layout[x]);
    }
    return status;
}

/* ---- movers ---- */

/* Between the layout that matrix x of a piece has and that of its team's plan. */
static ashlar_status make_mover(ashlar_contraction_plan *plan, const ashi_over_ranks *o, const ashi_matricised *matrix,
                                const ashi_contract_piece *piece, int x, ashlar_mover **out, ashlar_error *err)
{
    ashlar_mover_options options = ashlar_mover_options_default();
    ashlar_layout *given = NULL, *team = NULL;
    options.caller_workspace = true;
    options.trusted = true;
    ashlar_status status =
        ashi_matricised_layout(matrix, piece->process[x], plan->context->rank, o->turned[x], &given, err);
    if (status == ASHLAR_OK)
        status = ashi_layout_spread(ashlar_plan_layout(piece->plan, (ashlar_operand)x), &piece->some, &team, err);
    status = ashi_agree(plan->context, status, err);
    if (status == ASHLAR_OK)
        status = ashlar_mover_create(plan->context, plan->type, ASHLAR_OP_N, x == C ? team : given,
                                     x == C ? given : team, &options, out, err);
    ashlar_layout_free(&given);
    ashlar_layout_free(&team);
    return status;
}

static ashlar_status make_movers(ashlar_contraction_plan *plan, ashi_teams *t, const ashi_matricised *matrix, int x,
                                 ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < t->over.pieces && status == ASHLAR_OK; i++) {
        if (!ashi_teams_level(plan, t, i)->moves[x])
            continue;
        status = make_mover(plan, &t->over, &matrix[x], &t->over.piece[i], x, &t->mover[i][x], err);
        t->moving_words = ashi_max(t->moving_words, ashlar_mover_workspace(t->mover[i][x]));
    }
    return status;
}

/* ---- all of them ---- */

/* Plans of all levels, then what moves matrices to and from their layouts, then the tensors' own layouts. */
static ashlar_status make_plans(ashlar_contraction_plan *plan, ashi_teams *t, const ashi_matricised *matrix,
                                const ashi_options_taken *how, ashlar_error *err)
{
    ashi_over_ranks *const o = &t->over;
    ashlar_options options = how->options;
    ashlar_status status = ASHLAR_OK;
    options.memory_words = 0;
    options.trusted = true;
    options.caller_workspace = options.transport == ASHLAR_TWO_SIDED;
    for (int i = 0; i < o->pieces; i++)
        o->piece[i].some = ashi_teams_ranks(t, ashi_teams_level(plan, t, i), plan->context->ranks,
                                            (o->piece[i].team - 1) % plan->context->ranks);
    for (int i = 0; i < t->levels && status == ASHLAR_OK; i++)
        status = make_level(plan, t, matrix, &t->level[i], &options, err);
    for (int i = 0; i < o->pieces; i++)
        o->piece[i].plan = ashi_teams_level(plan, t, i)->plan;
    for (int x = 0; x < ASHI_MATRICES && status == ASHLAR_OK; x++)
        if (o->dealt[x].layout)
            status = make_movers(plan, t, matrix, x, err);
    for (int x = 0; x < ASHI_MATRICES && status == ASHLAR_OK; x++)
        if (!o->dealt[x].layout)
            status = ashi_over_ranks_own(plan, o, x, err);
    return ashi_agree(plan->context, status, err);
}

ashlar_status ashi_teams_plans(ashlar_contraction_plan *plan, ashi_teams *t, const ashi_options_taken *how,
                               ashlar_error *err)
{
    const ashi_over_ranks *const o = &t->over;
    ashi_matricised matrix[ASHI_MATRICES] = {{0}};
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < ASHI_MATRICES && status == ASHLAR_OK; x++) {
        const int *const side = ashi_matrix_sides[x];
        if (o->dealt[x].layout)
            status = ashi_matricised_make(&o->dealt[x], &o->group[side[0]], &o->group[side[1]],
                                          ASHI_MULTIPLIED_TILES_MOST, &matrix[x], err);
    }
    status = ashi_agree(plan->context, status, err);
    if (status == ASHLAR_OK)
        status = make_plans(plan, t, matrix, how, err);
    for (int x = 0; x < ASHI_MATRICES; x++)
        ashi_matricised_free(&matrix[x]);
    return status;
}

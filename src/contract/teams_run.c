/* Executing a batch of products that teams of ranks form side by side. */
#include "contract/teams.h"

#include "contract/failing.h"
#include "kernel/kernels.h"
#include "plan/mover.h"
#include "plan/plan.h"

enum { A, B, C };

typedef struct running {
    ashlar_contraction_plan *plan;
    ashi_teams *t;
    const ashi_contract_arguments *with;
    const void *beta; /* of the result in the form in which it is made */
    bool reads;       /* alpha is not 0 */
    ashi_failing first;
} running;

/* This rank's part of matrix x of value z: the caller's. */
static char *given_part(const running *r, int x, int64_t z)
{
    return (char *)(uintptr_t)ashi_over_ranks_part(r->plan, &r->t->over, x, z, r->with);
}

/* And that which its team multiplies. */
static char *team_part(const running *r, const ashi_team_level *l, int x, int64_t z)
{
    const ashi_over_ranks *const o = &r->t->over;
    return l->moves[x] ? o->workspace + r->t->at[x] * (int64_t)ashlar_type_bytes(r->plan->type)
                       : given_part(r, x, z);
}

/* Move matrix x of the values of a turn to their teams, or of the result from them. */
static void move(running *r, const ashi_team_level *l, int64_t turn, int x)
{
    const ashi_kernels *const kernels = ashi_kernels_of(r->plan->type);
    for (int team = 0; team < l->teams; team++) {
        const int64_t z = ashi_teams_value(l, team, turn);
        ashlar_mover *const mover = r->t->mover[r->t->over.piece_of[z]][x];
        char *const given = given_part(r, x, z), *const own = team_part(r, l, x, z);
        ashi_failing_note(&r->first, ashlar_mover_execute(mover, r->reads ? kernels->one : kernels->zero,
                                                          x == C ? own : given, x == C ? r->beta : kernels->zero,
                                                          x == C ? given : own, ashi_failing_err(&r->first)));
        if (!r->reads)
            continue;
        const ashi_move_tally done = ashi_move_done(mover->move);
        const ashi_player_tally more = {.received = done.received, .received_messages = done.received_messages,
                                        .sent_messages = done.sent_messages};
        ashi_tally_add(&r->plan->done, &more);
    }
}

/* The product of this rank's team, if it has one in this turn. */
static void multiply(running *r, const ashi_team_level *l, int64_t turn)
{
    const int team = ashi_teams_of(r->t, l, r->plan->context->ranks, r->plan->context->rank);
    const bool moved = l->moves[C];
    if (team >= l->teams || (moved && !r->reads))
        return;
    const int64_t z = ashi_teams_value(l, team, turn);
    l->context->trace = r->plan->context->trace;
    ashi_failing_note(&r->first, ashlar_plan_execute(l->plan, r->with->alpha, team_part(r, l, A, z),
                                                     team_part(r, l, B, z),
                                                     moved ? ashi_kernels_of(r->plan->type)->zero : r->beta,
                                                     team_part(r, l, C, z), ashi_failing_err(&r->first)));
    l->context->trace = NULL;
    ashi_tally_add(&r->plan->done, &l->plan->tally);
    if (l->plan->caller_workspace && l->plan->tally.workspace > r->plan->done.workspace)
        r->plan->done.workspace = l->plan->tally.workspace;
}

ashlar_status ashi_teams_run(ashlar_contraction_plan *plan, const ashi_contract_arguments *with, ashlar_error *err)
{
    ashi_teams *const t = plan->made;
    const ashi_kernels *const kernels = ashi_kernels_of(plan->type);
    running r = {plan, t, with, t->over.prepared[C].plan ? kernels->zero : with->beta,
                 !kernels->is_zero(with->alpha), {ASHLAR_OK, err}};
    plan->done = (ashi_player_tally){0};
    if (r.reads)
        r.first.status = ashi_over_ranks_prepare(plan, &t->over, with, err);
    for (const ashi_team_level *l = t->level; l < t->level + t->levels; l++)
        for (int64_t turn = 0; turn < l->turns; turn++) {
            for (int x = A; x <= B; x++)
                if (l->moves[x] && r.reads)
                    move(&r, l, turn, x);
            multiply(&r, l, turn);
            if (l->moves[C])
                move(&r, l, turn, C);
        }
    return ashi_over_ranks_give(plan, &t->over, with, r.first.status, err);
}

/* Contractions of two operands with a batch that teams of ranks form side by side: each product on one team, whose
 * plan's layouts are the tensors', or are what their matrices are moved to and from. */
#include "contract/teams.h"

#include "base/checked.h"
#include "base/error.h"
#include "model/bounds.h"
#include "plan/mover.h"
#include "plan/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { A, B, C };

/* Where fewer values than ranks are left to the last turn counts little if there are many turns; and each mover has
 * lists of its own. */
enum { TURNS_MOST = 8, MOVED_MOST = 1 << 10 };

/* Of plans over ranks of tensors in memory; these kinds name this one as another. */
static bool serves(const ashlar_contraction_plan *plan)
{
    const ashi_expression *const e = &plan->expression;
    const int ranks = plan->context->ranks;
    int64_t batches = 1;
    bool memory = e->operands == 2 && ranks > 1;
    for (int x = 0; x <= e->operands && memory; x++)
        memory = !plan->tensor[x].file && (plan->tensor[x].own || !plan->tensor[x].layout->groups);
    for (int i = 0; memory && i < e->indices; i++)
        if (ashi_index_find(&e->operand[0], i) >= 0 && ashi_index_find(&e->operand[1], i) >= 0 &&
            ashi_index_find(&e->output, i) >= 0)
            batches = ashi_mul_most(batches, e->extent[i]);
    return memory && batches > 1 && batches % ranks != 0 && batches / ranks < TURNS_MOST;
}

/* ---- which teams ---- */

static ashlar_status choose(const ashlar_contraction_plan *plan, ashi_teams *t, const ashi_options_taken *how,
                            ashlar_error *err)
{
    const ashi_over_ranks *const o = &t->over;
    const ashi_expression *const e = &plan->expression;
    const ashi_teams_request request = {
        .m = ashi_order_extent(e, &o->group[ASHI_OF_ROWS]), .n = ashi_order_extent(e, &o->group[ASHI_OF_COLS]),
        .k = ashi_order_extent(e, &o->group[ASHI_OF_SUM]), .batches = o->batches, .ranks = plan->context->ranks,
        .type = plan->type, .machine = &how->machine, .objective = how->options.objective};
    const ashlar_status status = ashi_teams_choose(&request, t, err);
    if (status == ASHLAR_OK && t->levels == 0)
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "teams of ranks would take longer than all ranks together");
    return status;
}

/* The team of each value, and the pieces: values of a team whose matrices have the same owners. */
static ashlar_status divide(const ashlar_contraction_plan *plan, ashi_teams *t, ashlar_error *err)
{
    ashi_over_ranks *const o = &t->over;
    const int ranks = plan->context->ranks;
    t->team_of = malloc((size_t)ashi_max(o->batches, 1) * sizeof *t->team_of);
    if (!t->team_of)
        return ashi_fail_memory(err, "batch", o->batches * (int64_t)sizeof *t->team_of);
    for (const ashi_team_level *l = t->level; l < t->level + t->levels; l++)
        for (int team = 0; team < l->teams; team++)
            for (int64_t turn = 0; turn < l->turns; turn++)
                t->team_of[ashi_teams_value(l, team, turn)] = ashi_teams_number(l, t->level, ranks, team);
    ashlar_status status = ashi_over_ranks_divide(o, t->team_of, err);
    if (status == ASHLAR_OK && o->pieces > MOVED_MOST)
        status = ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "the batch has too many sets of owners");
    if (status == ASHLAR_OK && !(t->mover = calloc((size_t)ashi_max(o->pieces, 1), sizeof *t->mover)))
        status = ashi_fail_memory(err, "batch", o->pieces * (int64_t)sizeof *t->mover);
    return status;
}

/* ---- memory ---- */

/* What plans and movers work in, and behind it room for matrices that move; refused if that is more than the limit. */
static ashlar_status make_workspace(ashlar_contraction_plan *plan, ashi_teams *t, ashlar_error *err)
{
    ashi_over_ranks *const o = &t->over;
    const int64_t bytes = (int64_t)ashlar_type_bytes(plan->type), line = ashi_max(1, 64 / bytes);
    o->workspace_words = t->moving_words;
    for (const ashi_team_level *l = t->level; l < t->level + t->levels; l++) {
        const int64_t words = ashlar_plan_workspace(l->plan);
        o->windows += l->plan->caller_workspace ? 0 : words;
        o->workspace_words = ashi_max(o->workspace_words, l->plan->caller_workspace ? words : 0);
    }
    int64_t words = ashi_ceil_div(o->workspace_words, line) * line;
    for (int x = 0; x < ASHI_MATRICES; x++) {
        int64_t part = 0;
        for (int i = 0; i < t->levels; i++)
            part = ashi_max(part, t->level[i].moves[x] ? t->level[i].part[x] : 0);
        t->at[x] = words;
        t->buffer_words += ashi_ceil_div(part, line) * line;
        words += ashi_ceil_div(part, line) * line;
    }
    ashi_over_ranks_hold(plan, o);
    const int64_t own = o->held + o->windows + o->workspace_words + t->buffer_words;
    int64_t most = own;
    void *memory = NULL;
    ashi_note(plan->context, MPI_Allreduce(&own, &most, 1, MPI_INT64_T, MPI_MAX, plan->context->comm),
              "MPI_Allreduce");
    if (plan->memory_words > 0 && most > plan->memory_words) {
        ashi_refuse(plan->context, most);
        return ashi_fail(err, ASHLAR_ERR_LIMIT, "memory_words = %" PRId64 ": %" PRId64 " would do", plan->memory_words,
                         most);
    }
    if (posix_memalign(&memory, 64, (size_t)(ashi_max(words, 1) * bytes)) != 0)
        return ashi_fail_memory(err, "contraction", words * bytes);
    o->workspace = memory;
    return ASHLAR_OK;
}

static ashlar_status use_workspace(ashi_teams *t, ashlar_error *err)
{
    ashi_over_ranks *const o = &t->over;
    ashlar_status status = ASHLAR_OK;
    for (int i = 0; i < t->levels && status == ASHLAR_OK; i++)
        if (t->level[i].plan->caller_workspace)
            status = ashlar_plan_use_workspace(t->level[i].plan, o->workspace, err);
    for (int i = 0; i < o->pieces && status == ASHLAR_OK; i++)
        for (int x = 0; x < ASHI_MATRICES && status == ASHLAR_OK; x++)
            if (t->mover[i][x])
                status = ashlar_mover_use_workspace(t->mover[i][x], o->workspace, err);
    return status;
}

/* ---- figures ---- */

/* What this rank takes for a value's matrix that moves: its messages, and copies of what it packs and unpacks. */
static double predict_move(ashlar_contraction_plan *plan, const ashlar_mover *mover, int64_t part,
                           const ashlar_machine *machine)
{
    const ashi_move_tally tally = ashi_move_planned(mover->move);
    const double bytes = (double)ashlar_type_bytes(plan->type);
    const ashi_player_tally more = {.received = tally.received, .received_messages = tally.received_messages,
                                    .sent_messages = tally.sent_messages};
    ashi_tally_add(&plan->planned, &more);
    return (double)ashi_max(tally.received_messages, tally.sent_messages) * machine->latency +
           (double)tally.received * bytes / machine->bandwidth + (double)part * bytes / machine->copy_bandwidth;
}

static void predict(ashlar_contraction_plan *plan, const ashi_teams *t, const ashlar_machine *machine)
{
    const ashi_over_ranks *const o = &t->over;
    double seconds = ashi_over_ranks_predict_prepared(plan, o);
    for (int i = 0; i < o->pieces; i++) {
        const ashi_contract_piece *const p = &o->piece[i];
        const ashi_team_level *const l = ashi_teams_level(plan, t, i);
        const int team = ashi_teams_of(t, l, plan->context->ranks, plan->context->rank);
        const bool member = p->team == ashi_teams_number(l, t->level, plan->context->ranks, team);
        for (int64_t z = 0; z < p->count; z++) {
            for (int x = 0; x < ASHI_MATRICES; x++)
                if (t->mover[i][x])
                    seconds += predict_move(plan, t->mover[i][x], member ? l->part[x] : 0, machine);
            if (!member)
                continue;
            plan->planned.received += p->plan->need.received;
            plan->planned.received_messages += p->plan->need.received_messages;
            plan->planned.sent_messages += p->plan->need.sent_messages;
            seconds += p->plan->choice.seconds;
        }
    }
    plan->predicted = ashi_contract_join(
        plan, &plan->planned, o->held + o->windows + o->workspace_words + t->buffer_words, seconds);
}

static bool moves(const ashi_teams *t, int x)
{
    bool any = false;
    for (int i = 0; i < t->levels; i++)
        any = any || t->level[i].moves[x];
    return any;
}

static ashlar_status report(ashlar_contraction_plan *plan, const ashi_teams *t, ashlar_error *err)
{
    const ashi_over_ranks *const o = &t->over;
    const ashlar_problem *const p = &t->level[0].plan->problem;
    const ashi_bound bound = ashi_bound_batch(o->batches, p->m, p->n, p->k, plan->context->ranks, plan->memory_words);
    plan->report = (ashlar_contraction_explanation){
        .steps = 1, .multiply_adds = (double)p->m * (double)p->n * (double)p->k * (double)o->batches,
        .workspace_words = o->windows + o->workspace_words + t->buffer_words, .bound_words = bound.words,
        .bound_case = bound.which};
    ashlar_status status = ashi_over_ranks_say_prepared(plan, o, err);
    if (status == ASHLAR_OK)
        status = ashi_contract_say(plan, err, "%" PRId64 " products of %" PRId64 " x %" PRId64 " x %" PRId64
                                   " by teams of the %d ranks", o->batches, p->m, p->n, p->k, plan->context->ranks);
    for (int i = 0; i < t->levels && status == ASHLAR_OK; i++) {
        const ashi_team_level *const l = &t->level[i];
        ashlar_explanation why = {0};
        status = ashlar_plan_explain(l->plan, &why, err);
        if (status == ASHLAR_OK)
            status = ashi_contract_say(plan, err, "%s %d team%s of %d rank%s form%s %" PRId64 "%s (%s)",
                                       i == 0 ? ":" : "; then", l->teams, l->teams == 1 ? "" : "s", l->size,
                                       l->size == 1 ? "" : "s", l->teams == 1 ? "s" : "", l->turns,
                                       l->teams == 1 ? "" : " each", why.strategy ? why.strategy : "nothing to do");
    }
    for (int x = 0; x < ASHI_MATRICES && status == ASHLAR_OK; x++)
        if (moves(t, x))
            status = ashi_contract_say(plan, err, x == C ? "; the result moves from its team"
                                                         : "; operand %d moves to its team", x + 1);
    return status == ASHLAR_OK ? ashi_contract_say(plan, err, "\n") : status;
}

/* ---- the kind ---- */

static ashlar_status make_either(ashlar_contraction_plan *plan, bool spread, const ashi_options_taken *how,
                                 ashlar_error *err)
{
    ashi_teams *const t = calloc(1, sizeof *t);
    plan->made = t;
    ashlar_status status = t ? ASHLAR_OK : ashi_fail_memory(err, "contraction", (int64_t)sizeof *t);
    if (t)
        t->spread = spread;
    if (status == ASHLAR_OK && ashi_options_prescribe(&how->options))
        status = ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "a strategy or a grid is asked for");
    status = ashi_agree(plan->context, status, err);
    if (status == ASHLAR_OK)
        status = ashi_over_ranks_begin(plan, &t->over, &how->options, false, err);
    if (status != ASHLAR_OK)
        return status;
    status = choose(plan, t, how, err);
    if (status == ASHLAR_OK)
        status = divide(plan, t, err);
    status = ashi_agree(plan->context, status, err);
    if (status == ASHLAR_OK)
        status = ashi_teams_plans(plan, t, how, err);
    if (status == ASHLAR_OK)
        status = ashi_agree(plan->context, make_workspace(plan, t, err), err);
    if (status == ASHLAR_OK)
        status = use_workspace(t, err);
    if (status != ASHLAR_OK)
        return status;
    predict(plan, t, &how->machine);
    return report(plan, t, err);
}

static ashlar_status make(ashlar_contraction_plan *plan, const ashi_options_taken *how, ashlar_error *err)
{
    return make_either(plan, false, how, err);
}

static bool serves_spread(const ashlar_contraction_plan *plan)
{
    bool given = false;
    for (int x = 0; x <= plan->expression.operands; x++)
        given = given || !plan->tensor[x].own;
    return given && serves(plan);
}

static ashlar_status make_spread(ashlar_contraction_plan *plan, const ashi_options_taken *how, ashlar_error *err)
{
    return make_either(plan, true, how, err);
}

static ashlar_status measured(ashlar_contraction_plan *plan, ashlar_figures *out, ashlar_error *err)
{
    const ashi_teams *const t = plan->made;
    const int64_t works = ashi_max(plan->done.workspace, t->moving_words);
    *out = ashi_contract_join(plan, &plan->done, t->over.held + t->over.windows + works + t->buffer_words,
                              plan->seconds);
    return ashi_conclude(plan->context, ASHLAR_OK, err);
}

static void free_made(ashlar_contraction_plan *plan)
{
    ashi_teams *const t = plan->made;
    if (!t)
        return;
    for (int i = 0; i < t->over.pieces && t->mover; i++)
        for (int x = 0; x < ASHI_MATRICES; x++)
            ashlar_mover_free(&t->mover[i][x]);
    for (int i = 0; i < t->levels; i++) {
        ashlar_plan_free(&t->level[i].plan);
        ashi_context_team_free(&t->level[i].context);
    }
    ashi_over_ranks_clear(&t->over);
    free(t->mover);
    free(t->team_of);
    free(t);
    plan->made = NULL;
}

static ashi_on_device on_device(const ashlar_contraction_plan *plan)
{
    const ashi_teams *const t = plan->made;
    ashi_on_device sum = ashi_over_ranks_prepare_on_device(&t->over);
    for (const ashi_team_level *l = t->level; l < t->level + t->levels; l++) {
        const ashi_on_device one = ashi_plan_on_device(l->plan);
        if (ashi_teams_of(t, l, plan->context->ranks, plan->context->rank) < l->teams)
            ashi_on_device_add(&sum, &one, l->turns);
    }
    return sum;
}

const ashi_contract_kind ashi_contract_by_teams = {"by teams", serves,    make, ashi_teams_run,
                                                   measured,   free_made, NULL, NULL, on_device};
const ashi_contract_kind ashi_contract_by_spread_teams = {
    "by teams, spread", serves_spread, make_spread, ashi_teams_run, measured, free_made, NULL, NULL, on_device};

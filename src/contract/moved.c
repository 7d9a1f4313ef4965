/* One operand on several ranks whose elements change places and are not summed: a movement between two layouts of a
 * matrix, whose sides are chosen so that runs in the memory of operand and result are long. */
#include "base/checked.h"
#include "base/error.h"
#include "contract/matricised.h"
#include "contract/plan.h"
#include "kernel/kernels.h"
#include "plan/mover.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FROM, TO, TENSORS };

/* A tile takes some 50 microseconds to plan, and an element some nanoseconds to move by itself. */
enum { TILES_FEW = 1 << 10, ELEMENTS_OF_TILE = 1 << 10 };

typedef struct moved {
    ashi_dealt dealt[TENSORS];
    ashi_order rows, cols;
    int64_t tiles; /* of both matrices */
    ashlar_mover *mover;
    int64_t held; /* words of tensors on this rank */
    int64_t workspace_words;
} moved;

static bool serves(const ashlar_contraction_plan *plan)
{
    const ashi_expression *const e = &plan->expression;
    bool moves = e->operands == 1 && !plan->output0;
    for (int x = 0; x <= e->operands && x < TENSORS; x++) {
        const ashi_contract_tensor *const t = &plan->tensor[x];
        moves = moves && !t->file && (t->own || !t->layout->groups);
    }
    for (int i = 0; i < e->indices; i++)
        moves = moves && ashi_index_find(&e->output, i) >= 0;
    return moves;
}

/* ---- which matrix ---- */

/* The indices of more values than one that are marked, by their places in a tensor. */
static ashi_order order_of(const moved *m, const bool *member, int by)
{
    const ashi_dealt *const t = &m->dealt[by];
    ashi_order order = {0};
    for (int i = 0; i < t->expression->indices; i++) {
        if (!member[i] || t->expression->extent[i] == 1)
            continue;
        int at = order.count++;
        for (; at > 0 && t->place[order.index[at - 1]] > t->place[i]; at--)
            order.index[at] = order.index[at - 1];
        order.index[at] = i;
    }
    return order;
}

/* Mark the indices that are one in a tensor's memory with its fastest. */
static void mark_run(const ashi_dealt *t, bool *member)
{
    for (int i = t->fast; i >= 0; i = t->before[i])
        member[i] = true;
}

/* Keep the sides if they make fewer tiles than those before. */
static void try_sides(moved *m, const bool *cols, int rows_by, int64_t *fewest)
{
    bool rest[ASHI_INDICES_MOST];
    for (int i = 0; i < ASHI_INDICES_MOST; i++)
        rest[i] = i < m->dealt[FROM].expression->indices && !cols[i];
    const ashi_order of_cols = order_of(m, cols, FROM), of_rows = order_of(m, rest, rows_by);
    int64_t tiles = 0;
    for (int x = 0; x < TENSORS; x++)
        tiles = ashi_add_most(tiles, ashi_matricised_tiles(&m->dealt[x], &of_rows, &of_cols));
    if (*fewest >= 0 && tiles >= *fewest)
        return;
    *fewest = tiles;
    m->tiles = tiles;
    m->rows = of_rows;
    m->cols = of_cols;
}

/* Columns are what lies in one piece in the operand: all of that, without what does so in the result, or the fastest
 * index alone. */
static void find_sides(moved *m)
{
    bool run[ASHI_INDICES_MOST] = {false}, other[ASHI_INDICES_MOST] = {false}, less[ASHI_INDICES_MOST] = {false};
    bool fast[ASHI_INDICES_MOST] = {false};
    int64_t fewest = -1;
    mark_run(&m->dealt[FROM], run);
    mark_run(&m->dealt[TO], other);
    for (int i = 0; i < ASHI_INDICES_MOST; i++) {
        less[i] = run[i] && !other[i];
        fast[i] = i == m->dealt[FROM].fast;
    }
    const bool *const cols[] = {run, less, fast};
    for (int way = 0; way < 3; way++)
        for (int by = FROM; by <= TO; by++)
            try_sides(m, cols[way], by, &fewest);
}

/* ---- making ---- */

static ashlar_status find_tensors(ashlar_contraction_plan *plan, moved *m, ashlar_error *err)
{
    const ashi_expression *const e = &plan->expression;
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < TENSORS && status == ASHLAR_OK; x++) {
        ashi_contract_tensor *const t = &plan->tensor[x];
        bool may_cut[ASHLAR_TENSOR_ORDER_MOST];
        memset(may_cut, true, sizeof may_cut);
        if (t->own)
            status = ashi_tensor_layout_even(t->order, t->extent, may_cut, plan->context->ranks, &t->layout, err);
        m->dealt[x] = (ashi_dealt){.expression = e, .list = x == FROM ? &e->operand[0] : &e->output,
                                   .layout = t->layout};
        m->held += ashlar_tensor_layout_words(t->layout, plan->context->rank);
    }
    return status;
}

static ashlar_status make_layouts(const ashlar_contraction_plan *plan, const moved *m, ashlar_layout **layout,
                                  ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < TENSORS && status == ASHLAR_OK; x++) {
        ashi_matricised matrix = {0};
        status = ashi_matricised_make(&m->dealt[x], &m->rows, &m->cols, ASHI_MOVED_TILES_MOST, &matrix, err);
        if (status == ASHLAR_OK)
            status = ashi_matricised_layout(&matrix, 0, plan->context->rank, plan->tensor[x].conjugate, &layout[x],
                                            err);
        ashi_matricised_free(&matrix);
    }
    return status;
}

/* What the limit leaves for the workspace, beside *most words of tensors. Collective. */
static int64_t limit_of(const ashlar_contraction_plan *plan, const moved *m, int64_t *most)
{
    *most = m->held;
    ashi_note(plan->context, MPI_Allreduce(&m->held, most, 1, MPI_INT64_T, MPI_MAX, plan->context->comm),
              "MPI_Allreduce");
    return plan->memory_words - *most;
}

static ashlar_status make_mover(ashlar_contraction_plan *plan, moved *m, ashlar_error *err)
{
    ashlar_layout *layout[TENSORS] = {NULL};
    ashlar_mover_options options = ashlar_mover_options_default();
    const ashlar_op op = plan->tensor[FROM].conjugate ? ASHLAR_OP_C : ASHLAR_OP_N;
    int64_t most = 0, limit = 1;
    ashlar_status status = ashi_agree(plan->context, make_layouts(plan, m, layout, err), err);
    options.trusted = true;
    if (status == ASHLAR_OK && plan->memory_words > 0) {
        limit = limit_of(plan, m, &most);
        options.memory_words = ashi_max(limit, 1);
    }
    if (status == ASHLAR_OK)
        status = ashlar_mover_create(plan->context, plan->type, op, layout[FROM], layout[TO], &options, &m->mover, err);
    ashlar_layout_free(&layout[FROM]);
    ashlar_layout_free(&layout[TO]);
    if (status != ASHLAR_ERR_LIMIT && (status != ASHLAR_OK || limit > 0))
        return status;
    const int64_t enough = most + ashi_max(ashlar_context_memory_words(plan->context), 1);
    ashi_refuse(plan->context, enough);
    return ashi_fail(err, ASHLAR_ERR_LIMIT, "memory_words = %" PRId64 ": %" PRId64 " would do", plan->memory_words,
                     enough);
}

static ashi_player_tally tally_of(ashi_move_tally t)
{
    return (ashi_player_tally){.received = t.received, .received_messages = t.received_messages,
                               .sent_messages = t.sent_messages};
}

/* Messages, and a copy of all that this rank has: what moves is packed and unpacked. */
static double seconds_of(const ashlar_contraction_plan *plan, const moved *m, const ashlar_movement *move,
                         const ashlar_machine *machine)
{
    const double bytes = (double)ashlar_type_bytes(plan->type);
    return (double)move->messages_max * machine->latency + (double)move->words_max * bytes / machine->bandwidth +
           (double)m->held * bytes / machine->copy_bandwidth;
}

/* The same on all ranks. */
static bool is_by_element(const ashlar_contraction_plan *plan, const moved *m)
{
    const int64_t words = ashi_expression_words(&plan->expression, &plan->expression.output);
    return m->tiles > TILES_FEW && words / ELEMENTS_OF_TILE < m->tiles;
}

static ashlar_status make_by_element(ashlar_contraction_plan *plan, const ashi_options_taken *how, ashlar_error *err)
{
    plan->kind->free(plan);
    plan->kind = &ashi_contract_by_element;
    return plan->kind->make(plan, how, err);
}

static ashlar_status make(ashlar_contraction_plan *plan, const ashi_options_taken *how, ashlar_error *err)
{
    moved *const m = calloc(1, sizeof *m);
    plan->made = m;
    ashlar_status status = m ? find_tensors(plan, m, err) : ashi_fail_memory(err, "contraction", (int64_t)sizeof *m);
    status = ashi_agree(plan->context, status, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_dealt_agree(plan->context, m->dealt, TENSORS);
    find_sides(m);
    if (is_by_element(plan, m))
        return make_by_element(plan, how, err);
    status = make_mover(plan, m, err);
    ashlar_movement move = {0};
    if (status == ASHLAR_OK)
        status = ashlar_mover_explain(m->mover, &move, err);
    if (status != ASHLAR_OK)
        return status;
    m->workspace_words = move.workspace_words;
    plan->planned = tally_of(ashi_move_planned(m->mover->move));
    plan->report = (ashlar_contraction_explanation){.steps = 1, .workspace_words = move.workspace_words};
    plan->predicted = ashi_contract_join(plan, &plan->planned, m->held + move.workspace_words,
                                         seconds_of(plan, m, &move, &how->machine));
    return ashi_contract_say(plan, err, "1. %s: %" PRId64 " words move between %d ranks, in %" PRId64 " round%s\n",
                             plan->words, move.words_total, plan->context->ranks, move.rounds,
                             move.rounds == 1 ? "" : "s");
}

static void free_made(ashlar_contraction_plan *plan)
{
    moved *const m = plan->made;
    if (m)
        ashlar_mover_free(&m->mover);
    free(m);
    plan->made = NULL;
}

/* ---- executing ---- */

static ashlar_status run(ashlar_contraction_plan *plan, const ashi_contract_arguments *with, ashlar_error *err)
{
    moved *const m = plan->made;
    const bool reads = !ashi_kernels_of(plan->type)->is_zero(with->alpha);
    const ashlar_status status = ashlar_mover_execute(
        m->mover, with->alpha, with->operand ? with->operand[0] : NULL, with->beta, with->output, err);
    plan->done = reads ? tally_of(ashi_move_done(m->mover->move)) : (ashi_player_tally){0};
    return status;
}

static ashlar_status measured(ashlar_contraction_plan *plan, ashlar_figures *out, ashlar_error *err)
{
    const moved *const m = plan->made;
    *out = ashi_contract_join(plan, &plan->done, m->held + m->workspace_words, plan->seconds);
    return ashi_conclude(plan->context, ASHLAR_OK, err);
}

const ashi_contract_kind ashi_contract_moved = {"moved", serves, make, run, measured, free_made, NULL, NULL, NULL};

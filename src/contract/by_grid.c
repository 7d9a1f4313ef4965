/* Planning contractions of several operands on a grid of ranks over all indices. */
#include "contract/by_grid.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "contract/ranks.h"
#include "exec/mpi.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

/* Of plans that are done in steps, which name this kind as another. */
static bool serves(const ashlar_contraction_plan *plan)
{
    const ashi_expression *const e = &plan->expression;
    bool can = plan->context->ranks > 1;
    for (int x = 0; x <= e->operands; x++) {
        const ashi_index_list *const list = x < e->operands ? &e->operand[x] : &e->output;
        can = can && (plan->tensor[x].own || !plan->tensor[x].layout->groups);
        for (int d = 0; d < list->order; d++)
            can = can && (plan->tensor[x].own || ashi_index_find(list, list->index[d]) == d);
    }
    for (int i = 0; i < e->indices; i++)
        can = can && e->extent[i] > 0 && e->extent[i] <= INT_MAX;
    return can;
}

static const ashi_index_list *list_of(const ashlar_contraction_plan *plan, int x)
{
    return x < plan->expression.operands ? &plan->expression.operand[x] : &plan->expression.output;
}

/* ---- the grid ---- */

static ashlar_status choose(ashlar_contraction_plan *plan, ashi_by_grid *g, const ashi_options_taken *how,
                            ashi_sequence *sequence, ashlar_error *err)
{
    const ashlar_tensor_layout *given[ASHI_OPERANDS_MOST + 1];
    int64_t least = 0;
    ashlar_status status = ashi_sequence_choose(&plan->expression, INT64_MAX, sequence, &least, err);
    for (int x = 0; x <= plan->expression.operands; x++)
        given[x] = plan->tensor[x].own ? NULL : plan->tensor[x].layout;
    const ashi_index_grid_request request = {
        .expression = &plan->expression, .sequence = sequence, .ranks = plan->context->ranks, .given = given,
        .least_words = how->options.objective == ASHLAR_LEAST_WORDS,
        .work_seconds = ashi_type_of(plan->type)->flops / how->machine.flops_per_second,
        .word_seconds = (double)ashlar_type_bytes(plan->type) / how->machine.bandwidth,
        .message_seconds = how->machine.latency};
    if (status == ASHLAR_OK)
        (void)ashi_index_grid_choose(&request, &g->grid);
    return status;
}

/* ---- tensors ---- */

/* Elements of a box of `extent` that begin at `from`. */
static void make_type(const ashlar_contraction_plan *plan, int order, const int64_t *box, const int64_t *from,
                      const int64_t *extent, MPI_Datatype *out)
{
    int sizes[ASHI_ORDER_MOST], starts[ASHI_ORDER_MOST], parts[ASHI_ORDER_MOST];
    for (int d = 0; d < order; d++) {
        sizes[d] = (int)box[d];
        starts[d] = (int)from[d];
        parts[d] = (int)extent[d];
    }
    const MPI_Datatype element = ashi_mpi_type(plan->type);
    if (order == 0)
        ashi_note(plan->context, MPI_Type_contiguous(1, element, out), "MPI_Type_contiguous");
    else
        ashi_note(plan->context, MPI_Type_create_subarray(order, sizes, parts, starts, MPI_ORDER_C, element, out),
                  "MPI_Type_create_subarray");
    if (*out != MPI_DATATYPE_NULL)
        ashi_note(plan->context, MPI_Type_commit(out), "MPI_Type_commit");
}

/* Who has which part of this rank's box. */
static ashlar_status find_parts(const ashlar_contraction_plan *plan, const ashi_by_grid *g, int x,
                                ashi_by_grid_tensor *t, ashlar_error *err)
{
    const ashi_index_list *const list = list_of(plan, x);
    const ashi_expression *const e = &plan->expression;
    const size_t sharers = (size_t)t->share.sharers;
    const int64_t zero[ASHI_ORDER_MOST] = {0};
    t->rank = malloc(sharers * sizeof *t->rank);
    t->words = malloc(sharers * sizeof *t->words);
    t->part = malloc(sharers * sizeof(MPI_Datatype));
    if (!t->rank || !t->words || !t->part) {
        free(t->part);
        t->part = NULL;
        return ashi_fail_memory(err, "contraction", (int64_t)(sharers * sizeof *t->words));
    }
    t->me = ashi_index_grid_number(e, &g->grid, list, g->coordinate);
    t->box_words = ashi_index_grid_box(e, &g->grid, list, g->coordinate, t->extent);
    for (int n = 0; n < t->share.sharers; n++) {
        int64_t from[ASHI_ORDER_MOST], extent[ASHI_ORDER_MOST];
        t->part[n] = MPI_DATATYPE_NULL;
        t->rank[n] = ashi_index_grid_sharer(e, &g->grid, list, g->coordinate, n);
        t->words[n] = ashi_index_grid_part(list, &t->share, t->extent, n, from, extent);
        if (t->words[n] > 0)
            make_type(plan, list->order, t->extent, from, extent, &t->part[n]);
        if (t->words[n] > 0 && n == t->me)
            make_type(plan, list->order, extent, zero, extent, &t->own);
    }
    t->boxed = t->share.sharers > 1 && (x == e->operands || t->words[t->me] < t->box_words);
    return ASHLAR_OK;
}

/* The plan that brings an operand from the caller's layout into that of the grid, or the result back. Collective. */
static ashlar_status make_mover(ashlar_contraction_plan *plan, int x, const ashlar_options *options,
                                ashi_by_grid_tensor *t, ashlar_error *err)
{
    const ashi_expression *const e = &plan->expression;
    const ashi_index_list *const list = list_of(plan, x);
    const ashi_contract_tensor *const given = &plan->tensor[x];
    const ashlar_tensor of[2] = {{.order = list->order, .extent = given->extent, .layout = given->layout},
                                 {.order = list->order, .extent = given->extent, .layout = t->layout}};
    const bool result = x == e->operands;
    char text[2 * ASHI_ORDER_MOST + 3], *end = text;
    for (int side = 0; side < 2; side++) {
        for (int d = 0; d < list->order; d++)
            *end++ = e->name[list->index[d]];
        *end++ = side == 0 ? '-' : '\0';
        if (side == 0)
            *end++ = '>';
    }
    const ashlar_contraction what = {.type = plan->type, .expression = text, .operands = 1, .operand = &of[result],
                                     .output = &of[!result]};
    ashlar_options own = *options;
    own.memory_words = 0;
    own.trusted = true;
    return plan->calls->create(plan->context, &what, &own, &t->mover, err);
}

/* Whether a rank's part lies in the caller's array as in the grid's layout. The same on all ranks. Collective. */
static bool is_there(const ashlar_contraction_plan *plan, const ashlar_tensor_layout *given,
                     const ashlar_tensor_layout *grid)
{
    int64_t strides[2][ASHLAR_TENSOR_ORDER_MOST], extent[ASHLAR_TENSOR_ORDER_MOST];
    const int rank = plan->context->rank;
    int same = ashi_tensor_layout_same_deal(given, grid), all = 0;
    if (same && ashi_tensor_layout_part(given, rank, extent)) {
        ashi_tensor_layout_strides(given, rank, strides[0]);
        ashi_tensor_layout_strides(grid, rank, strides[1]);
        for (int d = 0; d < grid->order; d++)
            same = same && (extent[d] == 1 || strides[0][d] == strides[1][d]);
    }
    ashi_note(plan->context, MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_MIN, plan->context->comm), "MPI_Allreduce");
    return all;
}

/* Collective. */
static ashlar_status make_tensor(ashlar_contraction_plan *plan, ashi_by_grid *g, int x, const ashlar_options *options,
                                 ashlar_error *err)
{
    ashi_by_grid_tensor *const t = &g->tensor[x];
    ashi_contract_tensor *const of = &plan->tensor[x];
    ashlar_tensor_layout *layout = NULL;
    ashlar_status status = ASHLAR_OK;
    ashi_index_grid_share_of(&plan->expression, &g->grid, list_of(plan, x), &t->share);
    if (!g->idle)
        status = find_parts(plan, g, x, t, err);
    if (status == ASHLAR_OK)
        status = ashi_index_grid_layout(&plan->expression, &g->grid, list_of(plan, x), &layout, err);
    status = ashi_agree(plan->context, status, err);
    if (of->own) {
        of->layout = layout;
        return status;
    }
    if (status != ASHLAR_OK || is_there(plan, of->layout, layout)) {
        ashlar_tensor_layout_free(&layout);
        return status;
    }
    t->layout = layout;
    return make_mover(plan, x, options, t, err);
}

/* ---- the contraction of the boxes ---- */

/* `rest`: words that this rank holds beside the boxes and what `local` works in. */
static ashlar_status make_local(ashlar_contraction_plan *plan, ashi_by_grid *g, const ashlar_options *options,
                                int64_t rest, ashlar_error *err)
{
    const int operands = plan->expression.operands;
    ashlar_tensor box[ASHI_OPERANDS_MOST + 1];
    ashlar_tensor_layout *layout[ASHI_OPERANDS_MOST + 1] = {NULL};
    ashlar_options own = *options;
    ashlar_status status = ASHLAR_OK;
    own.trusted = true;
    own.memory_words = plan->memory_words == 0 ? 0 : ashi_max(1, plan->memory_words - rest);
    for (int x = 0; x <= operands && status == ASHLAR_OK; x++) {
        const int order = list_of(plan, x)->order;
        status = ashlar_tensor_layout_blocks(order, g->tensor[x].extent, NULL, NULL, NULL, NULL, &layout[x], err);
        box[x] = (ashlar_tensor){.size = sizeof box[x], .order = order, .extent = g->tensor[x].extent,
                                 .layout = layout[x], .conjugate = plan->tensor[x].conjugate};
    }
    const ashlar_contraction what = {.size = sizeof what, .type = plan->type, .expression = plan->words,
                                     .operands = operands, .operand = box, .output = &box[operands]};
    (void)ashi_contract_begin_new(g->alone, g->tensor[operands].boxed || g->tensor[operands].mover);
    if (status == ASHLAR_OK)
        status = plan->calls->create(g->alone, &what, &own, &g->local, err);
    for (int x = 0; x <= operands; x++)
        ashlar_tensor_layout_free(&layout[x]);
    return status;
}

static int64_t in_lines(const ashlar_contraction_plan *plan, int64_t words)
{
    const int64_t line = ashi_max(1, LINE / (int64_t)ashlar_type_bytes(plan->type));
    return ashi_mul_most(ashi_ceil_div(words, line), line);
}

/* Places in the workspace; and the words that this rank holds beside what `local` works in. */
static void place(const ashlar_contraction_plan *plan, ashi_by_grid *g)
{
    const int rank = plan->context->rank, operands = plan->expression.operands;
    int64_t at = 0;
    g->held = 0;
    for (int x = 0; x <= operands; x++) {
        ashi_by_grid_tensor *const t = &g->tensor[x];
        const ashlar_tensor_layout *const given = plan->tensor[x].layout;
        const int64_t part = ashlar_tensor_layout_words(t->layout ? t->layout : given, rank);
        t->box_at = at;
        at = ashi_add_most(at, t->boxed ? in_lines(plan, t->box_words) : 0);
        t->own_at = at;
        at = ashi_add_most(at, t->mover ? in_lines(plan, part) : 0);
        t->sums_at = at;
        if (x == operands && t->boxed)
            at = ashi_add_most(at, in_lines(plan, ashi_mul_most(part, t->share.sharers)));
        g->held = ashi_add_most(g->held, ashlar_tensor_layout_words(given, rank));
        g->held = ashi_add_most(g->held, t->mover ? t->mover->report.workspace_words : 0);
    }
    g->workspace_words = at;
    g->held = ashi_add_most(g->held, at);
}

/* Plan the contraction of the boxes within what the limit leaves; refused with the least that would do. Collective. */
static ashlar_status fit(ashlar_contraction_plan *plan, ashi_by_grid *g, const ashlar_options *options,
                         ashlar_error *err)
{
    int64_t boxes = 0;
    for (int x = 0; x <= plan->expression.operands; x++)
        boxes = ashi_add_most(boxes, g->tensor[x].box_words);
    ashlar_status status = g->idle ? ASHLAR_OK : make_local(plan, g, options, g->held - boxes, err);
    int64_t mine = g->held, most = 0;
    if (status == ASHLAR_ERR_LIMIT)
        mine = ashi_add_most(mine - boxes, ashlar_context_memory_words(g->alone));
    else if (g->local)
        mine = ashi_add_most(mine, g->local->report.workspace_words);
    g->held = mine;
    ashi_note(plan->context, MPI_Allreduce(&mine, &most, 1, MPI_INT64_T, MPI_MAX, plan->context->comm),
              "MPI_Allreduce");
    if (plan->memory_words > 0 && most > plan->memory_words) {
        ashi_refuse(plan->context, most);
        const ashlar_status refused = ashi_fail(err, ASHLAR_ERR_LIMIT, "memory_words = %" PRId64 ": %" PRId64
                                                " would do", plan->memory_words, most);
        status = status == ASHLAR_OK || status == ASHLAR_ERR_LIMIT ? refused : status;
    }
    return ashi_agree(plan->context, status, err);
}

static ashlar_status allocate(const ashlar_contraction_plan *plan, ashi_by_grid *g, ashlar_error *err)
{
    void *memory = NULL;
    int64_t bytes;
    for (int x = 0; x <= plan->expression.operands; x++)
        g->requests += 2 * g->tensor[x].share.sharers;
    g->request = malloc((size_t)(g->requests + 1) * sizeof(MPI_Request));
    g->message = malloc((size_t)(g->requests + 1) * sizeof *g->message);
    if (!ashi_mul(ashi_max(g->workspace_words, 1), (int64_t)ashlar_type_bytes(plan->type), &bytes))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "boxes do not fit in 64 bits");
    if (!g->request || !g->message || posix_memalign(&memory, LINE, (size_t)bytes) != 0)
        return ashi_fail_memory(err, "boxes of a contraction", bytes);
    g->workspace = memory;
    return ASHLAR_OK;
}

/* ---- figures ---- */

/* What this rank sends and receives of tensor x. */
static void foresee(const ashi_by_grid_tensor *t, bool result, ashi_player_tally *tally)
{
    for (int n = 0; n < t->share.sharers; n++) {
        if (n == t->me)
            continue;
        const int64_t to_me = result ? t->words[t->me] : t->words[n], from_me = result ? t->words[n] : t->words[t->me];
        tally->received += to_me;
        tally->received_messages += to_me > 0;
        tally->sent_messages += from_me > 0;
    }
}

static void predict(ashlar_contraction_plan *plan, const ashi_by_grid *g, const ashlar_machine *machine)
{
    const double bytes = (double)ashlar_type_bytes(plan->type);
    double seconds = g->local ? g->local->predicted.seconds : 0;
    ashi_player_tally own = {0};
    for (int x = 0; x <= plan->expression.operands; x++) {
        const ashi_by_grid_tensor *const t = &g->tensor[x];
        if (!g->idle)
            foresee(t, x == plan->expression.operands, &own);
        if (!t->mover)
            continue;
        ashi_tally_add(&plan->planned, &t->mover->planned);
        seconds += t->mover->predicted.seconds;
    }
    seconds += (double)ashi_max(own.received_messages, own.sent_messages) * machine->latency +
               (double)own.received * bytes / machine->bandwidth +
               (double)g->workspace_words * bytes / machine->copy_bandwidth;
    ashi_tally_add(&plan->planned, &own);
    plan->predicted = ashi_contract_join(plan, &plan->planned, g->held, seconds);
}

static ashlar_status report(ashlar_contraction_plan *plan, const ashi_by_grid *g, const ashi_sequence *sequence,
                            ashlar_error *err)
{
    const ashi_expression *const e = &plan->expression;
    int64_t workspace = g->workspace_words + (g->local ? g->local->report.workspace_words : 0);
    double mine = g->local ? g->local->report.multiply_adds : 0, all = mine;
    for (int x = 0; x <= e->operands; x++)
        workspace += g->tensor[x].mover ? g->tensor[x].mover->report.workspace_words : 0;
    ashi_note(plan->context, MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, plan->context->comm), "MPI_Allreduce");
    plan->report = (ashlar_contraction_explanation){.steps = sequence->steps, .multiply_adds = all,
                                                    .workspace_words = workspace};
    ashlar_status status = ashi_contract_say(plan, err, "1. %s: each of %d ranks contracts boxes of the operands",
                                             plan->words, g->grid.ranks);
    const char *before = "; parts of";
    for (int i = 0; i < e->indices && status == ASHLAR_OK; i++) {
        if (g->grid.parts[i] == 1)
            continue;
        status = ashi_contract_say(plan, err, "%s '%c': %d", before, e->name[i], g->grid.parts[i]);
        before = ",";
    }
    for (int x = 0; x <= e->operands && status == ASHLAR_OK; x++)
        if (g->tensor[x].mover)
            status = ashi_contract_say(plan, err, x < e->operands ? "; operand %d is dealt out anew first"
                                                                  : "; the result is dealt out anew at the end", x + 1);
    if (status == ASHLAR_OK)
        status = ashi_contract_say(plan, err, "\n");
    const char *line = g->local ? g->local->text : "";
    for (size_t length; status == ASHLAR_OK && *line; line += length + 1) { /* the lines of the boxes' own plan */
        length = strcspn(line, "\n");
        status = ashi_contract_say(plan, err, "   %.*s\n", (int)length, line);
        length -= line[length] == '\0';
    }
    return status;
}

/* ---- the kind ---- */

/* Collective. */
static ashlar_status make_parts(ashlar_contraction_plan *plan, ashi_by_grid *g, const ashi_options_taken *how,
                                ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    g->idle = plan->context->rank >= g->grid.ranks;
    if (!g->idle)
        ashi_index_grid_coordinates(&plan->expression, &g->grid, plan->context->rank, g->coordinate);
    for (int x = 0; x <= plan->expression.operands && status == ASHLAR_OK; x++)
        status = make_tensor(plan, g, x, &how->options, err);
    if (status == ASHLAR_OK)
        status = ashi_context_team(plan->context, plan->context->rank, &g->alone, err);
    if (status != ASHLAR_OK)
        return status;
    g->alone->refused = &g->alone->enough; /* plans of steps ask their context for it */
    place(plan, g);
    status = fit(plan, g, &how->options, err);
    return status == ASHLAR_OK ? ashi_agree(plan->context, allocate(plan, g, err), err) : status;
}

static ashlar_status make(ashlar_contraction_plan *plan, const ashi_options_taken *how, ashlar_error *err)
{
    ashi_by_grid *const g = calloc(1, sizeof *g);
    ashi_sequence *const sequence = calloc(1, sizeof *sequence);
    plan->made = g;
    if (g)
        g->tensor = calloc((size_t)plan->expression.operands + 1, sizeof *g->tensor);
    ashlar_status status =
        g && g->tensor && sequence ? ASHLAR_OK : ashi_fail_memory(err, "contraction", (int64_t)sizeof *g);
    for (int x = 0; status == ASHLAR_OK && x <= plan->expression.operands; x++)
        g->tensor[x].own = MPI_DATATYPE_NULL;
    if (status == ASHLAR_OK && ashi_options_prescribe(&how->options))
        status = ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "a strategy or a grid is asked for");
    if (status == ASHLAR_OK)
        status = choose(plan, g, how, sequence, err);
    status = ashi_agree(plan->context, status, err);
    if (status == ASHLAR_OK)
        status = make_parts(plan, g, how, err);
    if (status == ASHLAR_OK) {
        predict(plan, g, &how->machine);
        status = report(plan, g, sequence, err);
    }
    free(sequence);
    return status;
}

static ashlar_status measured(ashlar_contraction_plan *plan, ashlar_figures *out, ashlar_error *err)
{
    const ashi_by_grid *const g = plan->made;
    *out = ashi_contract_join(plan, &plan->done, g->held, plan->seconds);
    return ashi_conclude(plan->context, ASHLAR_OK, err);
}

static void free_type(const ashlar_contraction_plan *plan, MPI_Datatype *type)
{
    if (*type != MPI_DATATYPE_NULL)
        ashi_note(plan->context, MPI_Type_free(type), "MPI_Type_free");
}

static void free_made(ashlar_contraction_plan *plan)
{
    ashi_by_grid *const g = plan->made;
    for (int x = 0; g && g->tensor && x <= plan->expression.operands; x++) {
        ashi_by_grid_tensor *const t = &g->tensor[x];
        for (int n = 0; t->part && n < t->share.sharers; n++)
            free_type(plan, &t->part[n]);
        free_type(plan, &t->own);
        if (t->mover)
            plan->calls->free(&t->mover);
        ashlar_tensor_layout_free(&t->layout);
        free(t->rank);
        free(t->words);
        free(t->part);
    }
    if (!g)
        return;
    if (g->local)
        plan->calls->free(&g->local);
    ashi_context_team_free(&g->alone);
    free(g->tensor);
    free(g->request);
    free(g->message);
    free(g->workspace);
    free(g);
    plan->made = NULL;
}

static ashi_on_device on_device(const ashlar_contraction_plan *plan)
{
    const ashi_by_grid *const g = plan->made;
    return g->local ? ashi_contract_on_device(g->local) : (ashi_on_device){0};
}

const ashi_contract_kind ashi_contract_by_grid = {"by grid", serves, make, ashi_by_grid_run,
                                                  measured, free_made, NULL, NULL, on_device};

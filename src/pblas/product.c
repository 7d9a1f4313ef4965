/* A product prepared for a shape of p?gemm call, or the reason why there is none. */
#include "pblas/product.h"

#include "pblas/place.h"
#include "pblas/replicate.h"
#include "pblas/workspace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In A's communicator, the rank of each place of another grid over the same processes. */
static int *ranks_seen_from(const ashi_grid *grid, const ashi_grid *from)
{
    const int count = grid->at.rows * grid->at.cols;
    int *ranks = malloc((size_t)count * sizeof *ranks);
    MPI_Group own = MPI_GROUP_NULL, other = MPI_GROUP_NULL;
    bool known = ranks && MPI_Comm_group(grid->comm, &own) == MPI_SUCCESS &&
                 MPI_Comm_group(from->comm, &other) == MPI_SUCCESS &&
                 MPI_Group_translate_ranks(own, count, grid->ranks, other, ranks) == MPI_SUCCESS;
    if (own != MPI_GROUP_NULL)
        MPI_Group_free(&own);
    if (other != MPI_GROUP_NULL)
        MPI_Group_free(&other);
    if (!known) {
        free(ranks);
        ranks = NULL;
    }
    return ranks;
}

static ashlar_status place(const ashi_submatrix *sub, const ashi_grid *grid, const ashi_grid *from,
                           ashlar_layout **out, ashlar_error *err)
{
    if (grid == from)
        return ashi_place(sub, &grid->at, grid->ranks, out, err);
    int *ranks = ranks_seen_from(grid, from);
    const ashlar_status status = ranks ? ashi_place(sub, &grid->at, ranks, out, err) : ASHLAR_ERR_MEMORY;
    free(ranks);
    return status;
}

static ashlar_options options_of(const ashi_gemm_call *call, const ashi_settings *s)
{
    ashlar_options o = ashlar_options_default();
    o.strategy = s->strategy[0] ? s->strategy : NULL;
    o.transport = s->transport;
    o.memory_words = s->memory_bytes / (int64_t)ashlar_type_bytes(call->type);
    o.caller_workspace = s->transport == ASHLAR_TWO_SIDED;
    o.trusted = true;
    if (s->machine_is_given)
        o.machine = s->machine;
    return o;
}

static ashlar_status plan(ashi_product *p, const ashi_gemm_call *call, ashi_grid *const grid[3], ashlar_error *err)
{
    ashlar_layout *layout[3] = {NULL, NULL, NULL};
    ashlar_status status = ASHLAR_OK;
    for (int x = call->nothing ? 2 : 0; x < 3 && status == ASHLAR_OK; x++)
        status = place(&call->sub[x], grid[x], grid[0], &layout[x], err);
    if (ashi_grid_all(grid[0], status == ASHLAR_OK)) {
        const ashlar_problem problem = {call->type, call->op[0], call->op[1], call->m,   call->n,
                                        call->nothing ? 0 : call->k,   layout[0],   layout[1], layout[2]};
        const ashlar_options o = options_of(call, &grid[0]->settings);
        status = ashlar_plan_create(grid[0]->context, &problem, &o, &p->plan, err);
    } else {
        status = ASHLAR_ERR_MEMORY;
    }
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&layout[x]);
    return status;
}

/* Bytes that this process must lend the plan. */
static int64_t bytes_of(const ashi_product *p, const ashi_gemm_call *call, const ashi_grid *grid)
{
    const bool lends = grid->settings.transport == ASHLAR_TWO_SIDED;
    return lends ? ashlar_plan_workspace(p->plan) * (int64_t)ashlar_type_bytes(call->type) : 0;
}

static void refuse(ashi_product *p, ashlar_status status, const char *text)
{
    ashlar_plan_free(&p->plan);
    snprintf(p->reason, sizeof p->reason, "%s", text[0] ? text : ashlar_status_text(status));
}

/* The line that calls of this shape are counted in. */
static void open_line(ashi_product *p, const ashi_gemm_call *call, const ashi_grid *grid)
{
    char shape[160], line[ASHLAR_MESSAGE_MAX + 320];
    ashlar_explanation e;
    ashi_gemm_describe(call, grid, shape, sizeof shape);
    if (!p->plan) {
        snprintf(line, sizeof line, "%s: to ScaLAPACK: %s", shape, p->reason);
    } else if (ashlar_plan_explain(p->plan, &e, NULL) == ASHLAR_OK) {
        const int64_t word = (int64_t)ashlar_type_bytes(call->type);
        const int64_t copies = p->replicated ? ashi_replicate_words(grid, &call->sub[2]) : 0;
        snprintf(line, sizeof line,
                 "%s: %s %" PRId64 "x%" PRId64 "x%" PRId64 ", words %" PRId64 " busiest %" PRId64
                 " total, workspace %" PRId64 " bytes", shape, e.strategy, e.grid[0], e.grid[1], e.grid[2],
                 e.predicted.words_max + copies, e.predicted.words_total + copies * grid->at.rows * grid->at.cols,
                 e.workspace_words * word);
    }
    p->line = ashi_log_open(line);
}

ashi_product *ashi_product_make(const ashi_gemm_call *call, ashi_grid *const grid[3])
{
    ashlar_error err = {0};
    ashi_product *p = calloc(1, sizeof *p);
    if (!ashi_grid_all(grid[0], p != NULL)) {
        free(p);
        return NULL;
    }
    p->replicated = ashi_place_is_replicated(&call->sub[2], &grid[2]->at);
    p->fixed = grid[0]->settings.transport == ASHLAR_ONE_SIDED;
    for (int x = 0; x < 3; x++) {
        p->ld[x] = call->sub[x].of.ld;
        p->fixed = p->fixed || ashi_place_is_replicated(&call->sub[x], &grid[x]->at);
    }
    const ashlar_status status = plan(p, call, grid, &err);
    if (status != ASHLAR_OK)
        refuse(p, status, err.text);
    else if (!ashi_grid_all(grid[0], ashi_workspace_reserve(bytes_of(p, call, grid[0]))))
        refuse(p, ASHLAR_ERR_MEMORY, "a process has no memory for the workspace");
    p->logs = grid[0]->settings.log && grid[0]->at.row == 0 && grid[0]->at.col == 0;
    if (p->logs)
        open_line(p, call, grid[0]);
    return p;
}

void ashi_product_free(void *product)
{
    ashi_product *p = product;
    if (p)
        ashlar_plan_free(&p->plan);
    free(p);
}

bool ashi_product_serves(const ashi_product *p, const ashi_gemm_call *call, const ashi_grid *grid)
{
    bool same = true;
    for (int x = call->nothing ? 2 : 0; x < 3; x++)
        same = same && p->ld[x] == call->sub[x].of.ld;
    return !p->plan || !p->fixed || ashi_grid_all(grid, same);
}

/* A plan keeps for itself how this process's parts lie; the others need not know of a change. */
static ashlar_status adapt(ashi_product *p, const ashi_gemm_call *call, const ashi_grid *grid, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = call->nothing ? 2 : 0; x < 3 && status == ASHLAR_OK; x++) {
        if (p->ld[x] == call->sub[x].of.ld)
            continue;
        status = ashlar_plan_set_ld(p->plan, (ashlar_operand)x, call->sub[x].of.ld, err);
        if (status == ASHLAR_OK)
            p->ld[x] = call->sub[x].of.ld;
    }
    if (status == ASHLAR_OK && !ashi_workspace_reserve(bytes_of(p, call, grid)))
        status = ASHLAR_ERR_MEMORY;
    return status;
}

ashlar_status ashi_product_run(ashi_product *p, const ashi_gemm_call *call, ashi_grid *const grid[3], ashlar_error *err)
{
    const ashi_gemm_arguments *g = &call->given;
    ashlar_status status = p->fixed ? ASHLAR_OK : adapt(p, call, grid[0], err);
    if (status == ASHLAR_OK && grid[0]->settings.transport == ASHLAR_TWO_SIDED)
        status = ashlar_plan_use_workspace(p->plan, ashi_workspace(), err);
    if (status == ASHLAR_OK)
        status = ashlar_plan_execute(p->plan, g->alpha, g->a, g->b, g->beta, g->c, err);
    if (status == ASHLAR_OK && p->replicated)
        status = ashi_replicate(grid[2], &call->sub[2], call->type, g->c);
    return status;
}

/* A product prepared for a shape of p?gemm call, or the reason why there is none. */
#include "pblas/product.h"

#include "pblas/place.h"
#include "pblas/planning.h"
#include "pblas/replicate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* What the plan's explanation does not have, of the process that has most of it, and of all. */
typedef struct figures {
    int64_t workspace, copies, all_copies;
    ashlar_device_figures device;
} figures;

static figures figures_of(const ashi_product *p, const ashi_gemm_call *call, ashi_grid *const grid[3])
{
    const int64_t own[2] = {p->plan ? ashlar_plan_workspace(p->plan) * (int64_t)ashlar_type_bytes(call->type) : 0,
                            p->replicated ? ashi_replicate_words(grid[2], &call->sub[2]) : 0};
    int64_t most[2] = {own[0], own[1]}, all = own[1];
    /* For the log alone: where they fail it has this process's figures. */
    (void)MPI_Allreduce(own, most, 2, MPI_INT64_T, MPI_MAX, grid[0]->comm);
    (void)MPI_Allreduce(&own[1], &all, 1, MPI_INT64_T, MPI_SUM, grid[0]->comm);
    figures f = {.workspace = most[0], .copies = most[1], .all_copies = all};
    if (p->plan && strcmp(grid[0]->settings.device, "none") != 0)
        (void)ashlar_plan_device(p->plan, &f.device, NULL);
    return f;
}

/* The line that calls of this shape are counted in. */
static ashi_log_line open_line(const ashi_product *p, const ashi_gemm_call *call, const ashi_grid *grid,
                               const figures *f)
{
    char shape[160], parts[72] = "", device[120] = "", line[ASHLAR_MESSAGE_MAX + 320] = "";
    ashlar_explanation e;
    ashlar_figures words;
    ashi_gemm_describe(call, grid, shape, sizeof shape);
    if (!p->plan) {
        snprintf(line, sizeof line, "%s: to ScaLAPACK: %s", shape, p->reason);
    } else if (ashlar_plan_explain(p->plan, &e, NULL) == ASHLAR_OK &&
               ashlar_plan_predicted(p->plan, &words, NULL) == ASHLAR_OK) {
        if (e.grid[0] > 0) /* not where the boxes are not those of a grid */
            snprintf(parts, sizeof parts, " %" PRId64 "x%" PRId64 "x%" PRId64, e.grid[0], e.grid[1], e.grid[2]);
        if (f->device.ranks > 0)
            snprintf(device, sizeof device, ", devices of %" PRId64 " processes: words %" PRId64 " in %" PRId64 " out",
                     f->device.ranks, f->device.words_in_total, f->device.words_out_total);
        snprintf(line, sizeof line,
                 "%s: %s%s, words %" PRId64 " busiest %" PRId64 " total, workspace %" PRId64 " bytes%s", shape,
                 e.strategy, parts, words.words_max + f->copies, words.words_total + f->all_copies,
                 f->workspace, device);
    }
    return ashi_log_open(line);
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
    for (int x = call->nothing ? 2 : 0; x < 3; x++) {
        p->ld[x] = call->sub[x].of.ld;
        p->fixed = p->fixed || ashi_place_is_replicated(&call->sub[x], &grid[x]->at);
    }
    const ashlar_status status = ashi_planning(call, grid, &p->plan, &err);
    if (status != ASHLAR_OK)
        refuse(p, status, err.text);
    else if (!ashi_grid_all(grid[0], ashi_workspace_reserve(&grid[0]->workspace, bytes_of(p, call, grid[0]))))
        refuse(p, ASHLAR_ERR_MEMORY, "a process has no memory for the workspace");
    if (grid[0]->settings.log) {
        const figures f = figures_of(p, call, grid);
        p->logs = ashi_grid_logs(grid[0]);
        if (p->logs)
            p->line = open_line(p, call, grid[0], &f);
    }
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
static ashlar_status adapt(ashi_product *p, const ashi_gemm_call *call, ashi_grid *grid, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = call->nothing ? 2 : 0; x < 3 && status == ASHLAR_OK; x++) {
        if (p->ld[x] == call->sub[x].of.ld)
            continue;
        status = ashlar_plan_set_ld(p->plan, (ashlar_operand)x, call->sub[x].of.ld, err);
        if (status == ASHLAR_OK)
            p->ld[x] = call->sub[x].of.ld;
        p->lent = NULL;
    }
    if (status == ASHLAR_OK && !ashi_workspace_reserve(&grid->workspace, bytes_of(p, call, grid)))
        status = ASHLAR_ERR_MEMORY;
    return status;
}

/* All plans of a grid work in its memory, which moves if one needs more. */
static ashlar_status lend(ashi_product *p, const ashi_grid *grid, ashlar_error *err)
{
    void *memory = grid->workspace.memory;
    if (grid->settings.transport != ASHLAR_TWO_SIDED || (memory && memory == p->lent))
        return ASHLAR_OK;
    p->lent = memory;
    return ashlar_plan_use_workspace(p->plan, memory, err);
}

ashlar_status ashi_product_run(ashi_product *p, const ashi_gemm_call *call, ashi_grid *const grid[3], ashlar_error *err)
{
    const ashi_gemm_arguments *g = &call->given;
    ashlar_status status = p->fixed ? ASHLAR_OK : adapt(p, call, grid[0], err);
    if (status == ASHLAR_OK)
        status = lend(p, grid[0], err);
    if (status == ASHLAR_OK)
        status = ashlar_plan_execute(p->plan, g->alpha, g->a, g->b, g->beta, g->c, err);
    if (status == ASHLAR_OK && p->replicated)
        status = ashi_replicate(grid[2], &call->sub[2], call->type, g->c);
    return status;
}

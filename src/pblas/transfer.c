/* A movement prepared for a shape of p?tran or p?gemr2d call, or the reason why there is none. */
#include "pblas/transfer.h"

#include "pblas/limit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t bytes_of(const ashi_transfer *t, ashlar_type type)
{
    return ashlar_mover_workspace(t->mover) * (int64_t)ashlar_type_bytes(type);
}

static void refuse(ashi_transfer *t, ashlar_status status, const char *text)
{
    ashlar_mover_free(&t->mover);
    snprintf(t->reason, sizeof t->reason, "%s", text[0] ? text : ashlar_status_text(status));
}

/* ASHLAR_MEMORY, of which the shares of both matrices are a part; bytes are 0 if there is none. */
static ashi_limit limit_of(const ashi_transfer_request *q)
{
    const ashi_grid *g = q->grid;
    const int rank = g->ranks[g->at.row * g->at.cols + g->at.col];
    const int64_t own = ashlar_layout_words(q->from, rank) + ashlar_layout_words(q->to, rank);
    ashi_limit limit = {.word = (int64_t)ashlar_type_bytes(q->type), .share = own, .beside = true};
    if (g->settings.memory_bytes > 0 &&
        MPI_Allreduce(&own, &limit.share, 1, MPI_INT64_T, MPI_MAX, g->comm) == MPI_SUCCESS)
        limit.bytes = g->settings.memory_bytes;
    return limit;
}

/* What the limit leaves for the workspace; 0 for the mover's own choice. */
static int64_t words_left(const ashi_limit *limit)
{
    const int64_t left = limit->bytes / limit->word - limit->share;
    return limit->bytes == 0 ? 0 : left > 1 ? left : 1;
}

/* The line that calls of this shape are counted in. Collective. */
static ashi_log_line open_line(const ashi_transfer *t, const ashi_transfer_request *q)
{
    char line[ASHLAR_MESSAGE_MAX + 320];
    ashlar_movement f = {0};
    if (t->mover)
        ashlar_mover_explain(t->mover, &f, NULL);
    const int64_t own[2] = {t->mover ? bytes_of(t, q->type) : 0, q->copies};
    int64_t most[2] = {own[0], own[1]}, all = own[1];
    /* For the log alone: where they fail it has this process's figures. */
    (void)MPI_Allreduce(own, most, 2, MPI_INT64_T, MPI_MAX, q->grid->comm);
    (void)MPI_Allreduce(&own[1], &all, 1, MPI_INT64_T, MPI_SUM, q->grid->comm);
    if (!t->mover)
        snprintf(line, sizeof line, "%s: to ScaLAPACK: %s", q->text, t->reason);
    else
        snprintf(line, sizeof line, "%s: rounds %" PRId64 ", words %" PRId64 " busiest %" PRId64
                 " total, workspace %" PRId64 " bytes", q->text, f.rounds, f.words_max + most[1], f.words_total + all,
                 most[0]);
    return ashi_grid_logs(q->grid) ? ashi_log_open(line) : -1;
}

ashi_transfer *ashi_transfer_make(const ashi_transfer_request *q)
{
    ashlar_mover_options options = {.caller_workspace = true, .trusted = true};
    ashlar_error err = {0};
    ashi_transfer *t = calloc(1, sizeof *t);
    if (!ashi_grid_all(q->grid, t && q->from && q->to)) {
        free(t);
        return NULL;
    }
    *t = (ashi_transfer){.ld = {q->ld[0], q->ld[1]}, .fixed = q->fixed, .logs = ashi_grid_logs(q->grid)};
    const ashi_limit limit = limit_of(q);
    options.memory_words = words_left(&limit);
    const ashlar_status status =
        ashlar_mover_create(q->grid->context, q->type, q->op, q->from, q->to, &options, &t->mover, &err);
    if (status == ASHLAR_ERR_LIMIT)
        ashi_limit_explain(&limit, ashlar_context_memory_words(q->grid->context), &err);
    if (status != ASHLAR_OK)
        refuse(t, status, err.text);
    else if (!ashi_grid_all(q->grid, ashi_workspace_reserve(&q->grid->workspace, bytes_of(t, q->type))))
        refuse(t, ASHLAR_ERR_MEMORY, "a process has no memory for the workspace");
    if (q->grid->settings.log)
        t->line = open_line(t, q);
    return t;
}

void ashi_transfer_free(void *transfer)
{
    ashi_transfer *t = transfer;
    if (t)
        ashlar_mover_free(&t->mover);
    free(t);
}

static bool has_lead(const ashi_transfer *t, const int64_t ld[2])
{
    return t->ld[0] == ld[0] && t->ld[1] == ld[1];
}

bool ashi_transfer_serves(const ashi_transfer *t, const ashi_grid *grid, const int64_t ld[2])
{
    return !t->mover || !t->fixed || ashi_grid_all(grid, has_lead(t, ld));
}

ashlar_status ashi_transfer_run(ashi_transfer *t, ashi_grid *grid, ashlar_type type, const int64_t ld[2],
                                const void *alpha, const void *source, const void *beta, void *target,
                                ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    if (!has_lead(t, ld))
        status = ashlar_mover_set_ld(t->mover, ld[0], ld[1], err);
    if (status == ASHLAR_OK) {
        t->ld[0] = ld[0];
        t->ld[1] = ld[1];
        if (!ashi_workspace_reserve(&grid->workspace, bytes_of(t, type)))
            return ASHLAR_ERR_MEMORY;
        status = ashlar_mover_use_workspace(t->mover, grid->workspace.memory, err);
    }
    return status == ASHLAR_OK ? ashlar_mover_execute(t->mover, alpha, source, beta, target, err) : status;
}

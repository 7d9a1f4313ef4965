/* What runs a plan whose matrices are in memory: a player of the schedule's program, or today's executor if the
 * transport is one-sided. */
#include "plan/runner.h"

#include "base/error.h"
#include "exec/transport.h"

#include <stdlib.h>

struct ashi_runner {
    ashi_program program; /* of the player */
    ashi_player *player;
    ashi_executor *executor; /* one-sided; then there is no player */
    int64_t workspace;
    void (*progress)(void *user, int64_t done, int64_t all);
    void *user;
};

static ashlar_status make_executor(ashi_runner *r, const ashi_runner_request *q, ashlar_error *err)
{
    const ashlar_context *c = q->context;
    const ashi_executor_request request = {
        .schedule = q->schedule, .need = q->need, .comm = c->comm, .rank = c->rank, .ranks = c->ranks,
        .tag_most = c->tag_most, .type = q->type, .one_sided = true, .no_workspace = q->no_workspace,
        .message_most = ASHI_MESSAGE_MOST, .one_node = c->node_ranks == c->ranks};
    r->workspace = q->need->workspace;
    return ashi_executor_create(&request, &r->executor, err);
}

static ashlar_status make_player(ashi_runner *r, const ashi_runner_request *q, ashlar_error *err)
{
    const ashlar_context *c = q->context;
    ashlar_status status = ashi_program_of(q->schedule, &r->program, err);
    if (status != ASHLAR_OK)
        return status;
    const ashi_player_request request = {
        .program = &r->program, .rank = c->rank, .look_ahead = r->program.look_ahead, .type = q->type,
        .comm = c->comm, .tag_most = c->tag_most, .message_most = ASHI_MESSAGE_MOST, .keeps = ASHI_PLAYER_KEEPS,
        .no_workspace = q->no_workspace};
    status = ashi_player_create(&request, &r->player, err);
    if (status == ASHLAR_OK)
        r->workspace = ashi_player_workspace(r->player);
    return status;
}

ashlar_status ashi_runner_create(const ashi_runner_request *q, ashi_runner **out, ashlar_error *err)
{
    ashi_runner *r = calloc(1, sizeof *r);
    *out = NULL;
    if (!r)
        return ashi_fail_memory(err, "runner", (int64_t)sizeof *r);
    const ashlar_status status = q->one_sided ? make_executor(r, q, err) : make_player(r, q, err);
    if (status != ASHLAR_OK)
        ashi_runner_free(&r);
    *out = r;
    return status;
}

ashlar_status ashi_runner_open(ashi_runner *r, ashlar_error *err)
{
    return r->executor ? ashi_executor_open(r->executor, err) : ASHLAR_OK;
}

int64_t ashi_runner_workspace(const ashi_runner *r)
{
    return r->workspace;
}

void ashi_runner_use_workspace(ashi_runner *r, void *workspace)
{
    ashi_player_use_workspace(r->player, workspace);
}

bool ashi_runner_is_ready(const ashi_runner *r)
{
    return r->executor ? ashi_executor_is_ready(r->executor) : ashi_player_is_ready(r->player);
}

void ashi_runner_on_progress(ashi_runner *r, void (*progress)(void *user, int64_t done, int64_t all), void *user)
{
    r->progress = progress;
    r->user = user;
    if (r->executor)
        ashi_executor_on_progress(r->executor, progress, user);
}

ashlar_status ashi_runner_record(ashi_runner *r, ashi_trace *trace, ashlar_error *err)
{
    if (r->executor)
        return ashi_executor_record(r->executor, trace, err);
    ashi_player_record(r->player, trace);
    return ASHLAR_OK;
}

static ashlar_status execute(ashi_runner *r, const void *alpha, const ashi_part part[3], const void *beta,
                             ashi_player_tally *tally, ashlar_error *err)
{
    ashi_tally t = {0};
    const ashlar_status status = ashi_executor_run(r->executor, alpha, part, beta, &t, err);
    *tally = (ashi_player_tally){.received = t.received, .received_messages = t.received_messages,
                                 .sent_messages = t.sent_messages, .workspace = t.workspace};
    return status;
}

ashlar_status ashi_runner_run(ashi_runner *r, const void *alpha, const ashi_part part[3], const void *beta,
                              ashi_player_tally *tally, ashlar_error *err)
{
    const ashi_player_work work = {.alpha = alpha, .beta = beta, .part = {part[0], part[1], part[2]},
                                   .progress = r->progress, .user = r->user};
    return r->executor ? execute(r, alpha, part, beta, tally, err) : ashi_player_run(r->player, &work, tally, err);
}

void ashi_runner_free(ashi_runner **runner)
{
    ashi_runner *r = *runner;
    if (!r)
        return;
    ashi_player_free(&r->player);
    ashi_executor_free(&r->executor);
    ashi_program_free(&r->program);
    free(r);
    *runner = NULL;
}

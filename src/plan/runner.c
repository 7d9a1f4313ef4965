/* What runs a plan whose matrices are in memory: a player, and the schedule's program that it plays. */
#include "plan/runner.h"

#include "base/error.h"
#include "exec/mpi.h"

#include <stdlib.h>

struct ashi_runner {
    ashi_program program;
    ashi_player *player;
    const ashlar_context *context;
    ashi_on_device on_device, anew;
    bool stays;          /* sums may stay on the device of some rank, */
    ashi_onto_sums sums; /* those of this rank */
    void (*progress)(void *user, int64_t done, int64_t all);
    void *user;
};

static ashlar_status make_player(ashi_runner *r, const ashi_runner_request *q, ashlar_error *err)
{
    const ashlar_context *c = q->context;
    const ashi_on_device_request device = {c, q->type, &r->program, q->machine, q->c_is_new, q->stays};
    const ashi_on_device_request anew = {c, q->type, &r->program, q->machine, true, q->stays};
    ashi_onto *onto = NULL;
    ashlar_status status = ashi_program_of(q->schedule, &r->program, err);
    if (status == ASHLAR_OK)
        status = ashi_on_device_settle(&device, &r->on_device, &onto, &r->sums, err);
    r->anew = r->on_device;
    if (status == ASHLAR_OK && q->c_begins_new)
        status = ashi_on_device_again(&anew, &r->sums, &r->anew, err);
    if (status != ASHLAR_OK)
        return status;
    const ashi_player_request request = {
        .program = &r->program, .rank = c->rank, .look_ahead = r->program.look_ahead, .type = q->type,
        .comm = c->comm, .tag_most = c->tag_most, .message_most = ASHI_MESSAGE_MOST, .keeps = ASHI_PLAYER_KEEPS,
        .onto = onto, .sums = &r->sums, .threads = onto ? 1 : ashi_context_threads(c),
        .workers = onto ? NULL : c->workers, .blas_threads = ashi_context_blas_threads(c), .others = &c->trace,
        .one_sided = q->one_sided, .one_node = c->node_ranks == c->ranks, .no_workspace = q->no_workspace};
    return ashi_player_create(&request, &r->player, err);
}

ashlar_status ashi_runner_create(const ashi_runner_request *q, ashi_runner **out, ashlar_error *err)
{
    ashi_runner *r = calloc(1, sizeof *r);
    *out = NULL;
    if (!r)
        return ashi_fail_memory(err, "runner", (int64_t)sizeof *r);
    r->context = q->context;
    r->stays = q->stays;
    const ashlar_status status = make_player(r, q, err);
    if (status != ASHLAR_OK)
        ashi_runner_free(&r);
    *out = r;
    return status;
}

ashlar_status ashi_runner_open(ashi_runner *r, ashlar_error *err)
{
    return ashi_player_open(r->player, err);
}

int64_t ashi_runner_workspace(const ashi_runner *r)
{
    return ashi_player_workspace(r->player);
}

void ashi_runner_use_workspace(ashi_runner *r, void *workspace)
{
    ashi_player_use_workspace(r->player, workspace);
}

const ashi_on_device *ashi_runner_on_device(const ashi_runner *r)
{
    return &r->on_device;
}

const ashi_on_device *ashi_runner_on_device_anew(const ashi_runner *r)
{
    return &r->anew;
}

bool ashi_runner_is_ready(const ashi_runner *r)
{
    return ashi_player_is_ready(r->player);
}

void ashi_runner_on_progress(ashi_runner *r, void (*progress)(void *user, int64_t done, int64_t all), void *user)
{
    r->progress = progress;
    r->user = user;
}

void ashi_runner_record(ashi_runner *r, ashi_trace *trace)
{
    ashi_player_record(r->player, trace);
}

/* Whether a rank has lost sums with its device, and no rank has failed otherwise. Then all run once more. */
static ashlar_status mend(ashi_runner *r, const ashi_player_work *work, ashlar_status status, ashi_player_tally *tally,
                          ashlar_error *err)
{
    const ashlar_context *c = r->context;
    const int own[2] = {status != ASHLAR_OK || tally->drained, ashi_player_lost(r->player)};
    int any[2] = {1, 0};
    ashi_player_tally again;
    ashi_note(c, MPI_Allreduce(own, any, 2, MPI_INT, MPI_MAX, c->comm), "MPI_Allreduce");
    if (any[0] || !any[1])
        return status;
    const ashlar_status mended = ashi_player_mend(r->player, work, &again, err);
    tally->received += again.received;
    tally->received_messages += again.received_messages;
    tally->sent_messages += again.sent_messages;
    tally->received_bytes += again.received_bytes;
    tally->letters += again.letters;
    tally->seconds += again.seconds;
    tally->drained = again.drained;
    return mended;
}

ashlar_status ashi_runner_run(ashi_runner *r, const void *alpha, const ashi_part part[3], const void *beta,
                              ashi_player_tally *tally, ashlar_error *err)
{
    const ashi_player_work work = {.alpha = alpha, .beta = beta, .part = {part[0], part[1], part[2]},
                                   .progress = r->progress, .user = r->user};
    const ashlar_status status = ashi_player_run(r->player, &work, tally, err);
    return r->stays ? mend(r, &work, status, tally, err) : status;
}

bool ashi_runner_lost(const ashi_runner *r)
{
    return ashi_player_lost(r->player);
}

void ashi_runner_free(ashi_runner **runner)
{
    ashi_runner *r = *runner;
    if (!r)
        return;
    ashi_player_free(&r->player);
    ashi_onto_sums_free(&r->sums);
    ashi_program_free(&r->program);
    free(r);
    *runner = NULL;
}

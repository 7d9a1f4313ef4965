/* Runs a schedule: the rank's operations in their order, on MPI and BLAS. */
#include "base/checked.h"
#include "base/error.h"
#include "exec/run.h"
#include "exec/scale.h"

#include <stdlib.h>
#include <string.h>

/* Workspace begins on a cache line. */
enum { ALIGNMENT = 64 };

static ashlar_status acquire(ashi_executor *x, const ashi_op *op, ashlar_error *err)
{
    const ashi_need *need = &x->need;
    int64_t allowed = need->c_words;
    if (op->slot != ASHI_NO_SLOT)
        allowed = op->operand == ASHLAR_A   ? need->a_words
                  : op->operand == ASHLAR_B ? need->panel_words - need->a_words
                                            : need->sum_words;
    const int64_t end = ashi_need_end(need, op->slot, op->operand, op->words);
    x->tally->workspace = ashi_max(x->tally->workspace, end);
    if (op->words > allowed || end > need->workspace)
        return ashi_fail(err, ASHLAR_ERR_INTERNAL,
                         "a buffer of %lld words where %lld were planned, to word %lld of %lld", (long long)op->words,
                         (long long)allowed, (long long)end, (long long)need->workspace);
    return ASHLAR_OK;
}

static ashlar_status release(ashi_executor *x, int slot, ashlar_error *err)
{
    ashi_slot *s = &x->slot[slot];
    s->pendings = s->members = 0;
    s->joined[ASHLAR_A] = s->joined[ASHLAR_B] = false;
    return x->transport->release(x->transport, slot, err);
}

/* Sums may have had no k. */
static void begin_rest(ashi_executor *x)
{
    for (int64_t i = 0; i < x->sums_count; i++)
        if (!x->sums[i].begun)
            ashi_run_begin_sums(x, &x->sums[i]);
}

static ashlar_status phase(ashi_executor *x, ashlar_error *err)
{
    if (x->multiplying)
        begin_rest(x);
    x->multiplying = true;
    return x->transport->phase(x->transport, err);
}

static ashlar_status perform(void *context, const ashi_op *op, ashlar_error *err)
{
    ashi_executor *x = context;
    switch (op->kind) {
    case ASHI_ACQUIRE:
        return acquire(x, op, err);
    case ASHI_MULTICAST:
    case ASHI_REDUCE:
        return ashi_run_begin(x, op, err);
    case ASHI_ARRIVE:
        return ashi_run_arrive(x, op->slot, err);
    case ASHI_SENT:
        return x->transport->sent(x->transport, op->slot, err);
    case ASHI_COPY:
        ashi_run_copy(x, op);
        return ASHLAR_OK;
    case ASHI_SEND:
        return ashi_run_send(x, op, err);
    case ASHI_RECEIVE:
        return ashi_run_receive(x, op, err);
    case ASHI_MULTIPLY:
        return ashi_run_multiply(x, op, err);
    case ASHI_ADD:
        ashi_run_add(x, op);
        return ASHLAR_OK;
    case ASHI_SCALE:
        ashi_executor_scale(x, x->beta, &x->part[ASHLAR_C]);
        return ASHLAR_OK;
    case ASHI_RELEASE:
        return release(x, op->slot, err);
    case ASHI_PHASE:
        return phase(x, err);
    default:
        break;
    }
    return ashi_fail(err, ASHLAR_ERR_INTERNAL, "an unknown operation");
}

static ashlar_status play(ashi_executor *x, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t i = 0; i < x->tape.ops && status == ASHLAR_OK; i++) {
        x->step = x->tape.step[i];
        status = perform(x, &x->tape.op[i], err);
    }
    return status;
}

static ashlar_status walk(ashi_executor *x, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int64_t step = 0; step < x->schedule->steps && status == ASHLAR_OK; step++) {
        x->step = step;
        status = x->schedule->emit(x->schedule, x->rank, step, perform, x, err);
        if (x->progress)
            x->progress(x->user, step + 1, x->schedule->steps);
    }
    return status;
}

ashlar_status ashi_executor_run(ashi_executor *x, const void *alpha, const ashi_part part[3], const void *beta,
                                ashi_tally *tally, ashlar_error *err)
{
    *tally = (ashi_tally){0};
    memcpy(x->part, part, sizeof x->part);
    x->alpha = alpha;
    x->beta = beta;
    x->multiplying = false;
    x->tally = tally;
    for (int64_t i = 0; i < x->sums_count; i++)
        x->sums[i].begun = false;
    const ashlar_status status = x->tape.op && !x->progress ? play(x, err) : walk(x, err);
    if (status == ASHLAR_OK)
        begin_rest(x);
    return ashi_transport_outcome(x->transport, status, err);
}

void ashi_executor_scale(ashi_executor *x, const void *beta, const ashi_part *c)
{
    const double begin = ashi_trace_begin(x->trace);
    ashi_scale_view(&x->schedule->view[ASHLAR_C], x->rank, x->kernels, x->bytes, beta, c);
    ashi_run_note(x, "scale", begin, ashlar_layout_words(x->schedule->view[ASHLAR_C].layout, x->rank));
}

/* What a dry walk finds out: the room that lists need, the largest message. */
typedef struct survey {
    ashi_executor *x;
    int64_t largest;
} survey;

static ashlar_status survey_op(void *context, const ashi_op *op, ashlar_error *err)
{
    survey *s = context;
    switch (op->kind) {
    case ASHI_MULTICAST:
    case ASHI_REDUCE:
        s->largest = ashi_max(s->largest, op->words);
        return ashi_run_keep(s->x, op, err);
    case ASHI_SEND:
    case ASHI_RECEIVE:
        s->largest = ashi_max(s->largest, op->words);
        return ASHLAR_OK;
    case ASHI_MULTIPLY:
        return ashi_run_reserve(s->x, op, err);
    case ASHI_ARRIVE:
    case ASHI_RELEASE:
        if (op->kind == ASHI_RELEASE || s->x->schedule->pooled)
            s->x->slot[op->slot].pendings = s->x->slot[op->slot].members = 0;
        return ASHLAR_OK;
    default:
        return ASHLAR_OK;
    }
}

/* own: the caller will not give it. */
static ashlar_status allocate_workspace(ashi_executor *x, bool own, ashlar_error *err)
{
    int64_t bytes = 0;
    if (!ashi_mul(x->need.workspace, (int64_t)x->bytes, &bytes) || !ashi_add(bytes, ALIGNMENT, &bytes))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "a workspace of %lld words", (long long)x->need.workspace);
    if (own && x->need.workspace > 0 && posix_memalign(&x->allocated, ALIGNMENT, (size_t)bytes) != 0) {
        x->allocated = NULL;
        return ashi_fail_memory(err, "workspace", bytes);
    }
    x->workspace = x->allocated;
    return ASHLAR_OK;
}

static ashlar_status allocate(ashi_executor *x, const ashi_executor_request *q, int64_t largest, ashlar_error *err)
{
    const ashi_transport_request t = {.comm = q->comm, .ranks = q->ranks, .type = q->type,
                                      .window = x->schedule->window,
                                      .messages_in_flight = x->need.messages_in_flight,
                                      .message_most = q->message_most, .largest = largest, .c_words = x->need.c_words,
                                      .a_words = x->need.a_words, .slot_words = x->need.slot_words,
                                      .workspace = x->need.workspace, .one_node = q->one_node};
    if (q->one_sided)
        return ashi_one_sided(&t, &x->transport, err);
    const ashlar_status status = allocate_workspace(x, !q->no_workspace, err);
    return status == ASHLAR_OK ? ashi_two_sided(&t, &x->transport, err) : status;
}

ashlar_status ashi_executor_create(const ashi_executor_request *q, ashi_executor **out, ashlar_error *err)
{
    *out = NULL;
    ashi_executor *x = calloc(1, sizeof *x);
    if (!x)
        return ashi_fail_memory(err, "executor", (int64_t)sizeof *x);
    survey s = {x, 0};
    *x = (ashi_executor){.schedule = q->schedule, .need = *q->need, .comm = q->comm, .rank = q->rank,
                         .tag_most = q->tag_most, .bytes = ashlar_type_bytes(q->type),
                         .kernels = ashi_kernels_of(q->type), .one_sided = q->one_sided};
    ashlar_status status = ashi_run_place_sums(x, err);
    if (status == ASHLAR_OK)
        status = ashi_schedule_walk(q->schedule, q->rank, survey_op, &s, err);
    if (status == ASHLAR_OK)
        status = ashi_tape_record(q->schedule, q->rank, &x->tape, err);
    if (status == ASHLAR_OK)
        status = allocate(x, q, s.largest, err);
    if (status != ASHLAR_OK)
        ashi_executor_free(&x);
    *out = x;
    return status;
}

ashlar_status ashi_executor_open(ashi_executor *x, ashlar_error *err)
{
    void *workspace = NULL;
    if (!x->one_sided)
        return ASHLAR_OK;
    const ashlar_status status = ashi_one_sided_open(x->transport, &workspace, err);
    x->workspace = workspace;
    return status;
}

void ashi_executor_on_progress(ashi_executor *x, void (*progress)(void *user, int64_t done, int64_t all), void *user)
{
    x->progress = progress;
    x->user = user;
}

ashlar_status ashi_executor_record(ashi_executor *x, ashi_trace *trace, ashlar_error *err)
{
    const ashlar_status status = x->transport->record(x->transport, trace, err);
    x->trace = status == ASHLAR_OK ? trace : NULL;
    return status;
}

bool ashi_executor_is_ready(const ashi_executor *x)
{
    return x->workspace || x->need.workspace == 0;
}

void ashi_executor_use_workspace(ashi_executor *x, void *workspace)
{
    free(x->allocated);
    x->allocated = NULL;
    x->workspace = workspace;
}

void ashi_executor_free(ashi_executor **executor)
{
    ashi_executor *x = *executor;
    if (!x)
        return;
    if (x->transport)
        x->transport->free(x->transport);
    for (int i = 0; i < ASHI_WINDOW_MAX; i++) {
        free(x->slot[i].pending);
        free(x->slot[i].member);
    }
    ashi_tape_free(&x->tape);
    free(x->stretches[0].at);
    free(x->stretches[1].at);
    free(x->sums);
    free(x->allocated);
    free(x);
    *executor = NULL;
}

/* Executing contractions of several operands on a grid of ranks. */
#include "contract/by_grid.h"

#include "contract/failing.h"
#include "contract/ranks.h"
#include "exec/mpi.h"
#include "exec/trace.h"
#include "kernel/kernels.h"
#include "schedule/window.h"

#include <string.h>

/* An execution. */
typedef struct running {
    ashlar_contraction_plan *plan;
    ashi_by_grid *g;
    const ashi_kernels *kernels;
    const ashi_contract_arguments *with;
    size_t bytes;
    bool reads; /* alpha is not 0 */
    int under_way;
    ashi_failing first;
} running;

static char *at(const running *r, int64_t words)
{
    return r->g->workspace + (size_t)words * r->bytes;
}

/* This rank's part of tensor x in the layout of the grid. */
static char *part_of(const running *r, int x)
{
    const ashi_by_grid_tensor *const t = &r->g->tensor[x];
    if (t->mover)
        return at(r, t->own_at);
    return x == r->plan->expression.operands ? r->with->output
                                             : (char *)(uintptr_t)(r->reads ? r->with->operand[x] : NULL);
}

static char *box_of(const running *r, int x)
{
    return r->g->tensor[x].boxed ? at(r, r->g->tensor[x].box_at) : part_of(r, x);
}

/* ---- messages ---- */

static ashi_trace *trace_of(const running *r)
{
    return r->plan->context->trace;
}

/* One is under way, unless it failed. */
static void started(running *r, int code, bool received, int peer, int64_t words)
{
    ashi_note(r->plan->context, code, received ? "MPI_Irecv" : "MPI_Isend");
    r->g->message[r->under_way] = (ashi_by_grid_message){received, peer, words, ashi_trace_begin(trace_of(r))};
    r->under_way += code == MPI_SUCCESS;
}

static void receive(running *r, void *to, MPI_Datatype type, int from, int tag, int64_t words)
{
    const int code = MPI_Irecv(to, 1, type, from, tag, r->plan->context->comm, &r->g->request[r->under_way]);
    started(r, code, true, from, words);
    r->plan->done.received += words;
    r->plan->done.received_messages++;
}

static void send(running *r, const void *from, MPI_Datatype type, int to, int tag, int64_t words)
{
    const int code = MPI_Isend(from, 1, type, to, tag, r->plan->context->comm, &r->g->request[r->under_way]);
    started(r, code, false, to, words);
    r->plan->done.sent_messages++;
}

static void copy(const running *r, const void *from, MPI_Datatype type, void *to, MPI_Datatype as)
{
    const ashlar_context *const c = r->plan->context;
    const int tag = r->plan->expression.operands + 1;
    ashi_note(c, MPI_Sendrecv(from, 1, type, c->rank, tag, to, 1, as, c->rank, tag, c->comm, MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
}

/* Wait for all of them, for one after the other if they are traced. */
static void await(running *r)
{
    const ashlar_context *const c = r->plan->context;
    ashi_trace *const trace = trace_of(r);
    for (int left = trace ? r->under_way : 0, i = 0; left > 0; left--) {
        const int code = MPI_Waitany(r->under_way, r->g->request, &i, MPI_STATUS_IGNORE);
        ashi_note(c, code, "MPI_Waitany");
        if (code != MPI_SUCCESS)
            break;
        const ashi_by_grid_message *const m = &r->g->message[i];
        ashi_trace_note(trace, ASHI_LANE_NETWORK, ashi_task_name(m->received ? ASHI_DO_RECEIVE : ASHI_DO_SEND),
                        m->begin, ashi_trace_begin(trace), 0, m->words, m->peer);
    }
    ashi_note(c, MPI_Waitall(r->under_way, r->g->request, MPI_STATUSES_IGNORE), "MPI_Waitall");
    r->under_way = 0;
}

/* ---- operands ---- */

/* Begin to bring the parts of this rank's box of an operand together. */
static void gather(running *r, int x)
{
    const ashi_by_grid_tensor *const t = &r->g->tensor[x];
    char *const box = box_of(r, x), *const own = part_of(r, x);
    for (int n = 0; n < t->share.sharers; n++)
        if (n != t->me && t->words[n] > 0)
            receive(r, box, t->part[n], t->rank[n], x, t->words[n]);
    for (int n = 0; n < t->share.sharers && t->words[t->me] > 0; n++)
        if (n != t->me)
            send(r, own, t->own, t->rank[n], x, t->words[t->me]);
    if (t->boxed && t->words[t->me] > 0)
        copy(r, own, t->own, box, t->part[t->me]);
}

static void bring_operands(running *r)
{
    const int operands = r->plan->expression.operands;
    for (int x = 0; x < operands; x++) {
        ashlar_contraction_plan *const mover = r->g->tensor[x].mover;
        if (!mover)
            continue;
        ashi_failing_note(&r->first, r->plan->calls->execute(mover, r->kernels->one, &r->with->operand[x],
                                                             r->kernels->zero, part_of(r, x),
                                                             ashi_failing_err(&r->first)));
        ashi_tally_add(&r->plan->done, &mover->done);
    }
    for (int x = 0; x < operands && !r->g->idle; x++)
        gather(r, x);
    await(r);
}

/* ---- the result ---- */

/* C <- beta C + what all ranks with this box have made of this rank's part, in their order. */
static void add_up(const running *r, char *c, const void *beta)
{
    const ashi_by_grid_tensor *const t = &r->g->tensor[r->plan->expression.operands];
    const int64_t words = t->words[t->me];
    for (int n = 0; n < t->share.sharers; n++) {
        const ashi_matrix one = {at(r, t->sums_at + n * words), 1, words};
        r->kernels->axpby(words, 1, r->kernels->one, &one, false, n == 0 ? beta : r->kernels->one, c, 1, words);
    }
}

/* Send the parts of the box to their owners, and take those of this rank's part. */
static void reduce(running *r, char *c, const void *beta)
{
    const int x = r->plan->expression.operands;
    const ashi_by_grid_tensor *const t = &r->g->tensor[x];
    const int64_t mine = t->words[t->me];
    for (int n = 0; n < t->share.sharers && mine > 0; n++)
        if (n != t->me)
            receive(r, at(r, t->sums_at + n * mine), t->own, t->rank[n], x, mine);
    for (int n = 0; n < t->share.sharers; n++)
        if (n != t->me && t->words[n] > 0)
            send(r, box_of(r, x), t->part[n], t->rank[n], x, t->words[n]);
    if (mine > 0)
        copy(r, box_of(r, x), t->part[t->me], at(r, t->sums_at + t->me * mine), t->own);
    await(r);
    if (mine > 0)
        add_up(r, c, beta);
}

/* C <- beta C: nothing else if alpha is 0. */
static void scale(const running *r, char *c, int64_t words)
{
    const ashi_matrix same = {c, 1, words};
    if (r->kernels->is_zero(r->with->beta))
        memset(c, 0, (size_t)words * r->bytes);
    else
        r->kernels->axpby(words, 1, r->with->beta, &same, false, r->kernels->zero, c, 1, words);
}

static void contract_boxes(running *r, const void *beta)
{
    const int x = r->plan->expression.operands;
    const ashi_by_grid_tensor *const t = &r->g->tensor[x];
    const void *operand[ASHI_OPERANDS_MOST];
    for (int i = 0; i < x; i++)
        operand[i] = box_of(r, i);
    if (!r->reads && t->words[t->me] > 0)
        scale(r, part_of(r, x), t->words[t->me]);
    if (!r->reads)
        return;
    r->g->alone->trace = trace_of(r);
    ashi_failing_note(&r->first, r->plan->calls->execute(r->g->local, r->with->alpha, operand,
                                                         t->boxed ? r->kernels->zero : beta, box_of(r, x),
                                                         ashi_failing_err(&r->first)));
    r->g->alone->trace = NULL;
    if (t->boxed)
        reduce(r, part_of(r, x), beta);
}

ashlar_status ashi_by_grid_run(ashlar_contraction_plan *plan, const ashi_contract_arguments *with, ashlar_error *err)
{
    ashi_by_grid *const g = plan->made;
    ashlar_contraction_plan *const mover = g->tensor[plan->expression.operands].mover;
    running r = {.plan = plan, .g = g, .kernels = ashi_kernels_of(plan->type), .with = with,
                 .bytes = ashlar_type_bytes(plan->type), .first.err = err};
    r.reads = !r.kernels->is_zero(with->alpha);
    plan->done = (ashi_player_tally){0};
    if (r.reads)
        bring_operands(&r);
    if (!g->idle && (r.reads || !mover))
        contract_boxes(&r, mover ? r.kernels->zero : with->beta);
    if (mover) {
        const void *const made[1] = {part_of(&r, plan->expression.operands)};
        ashi_failing_note(&r.first, plan->calls->execute(mover, r.reads ? r.kernels->one : r.kernels->zero, made,
                                                         with->beta, with->output, ashi_failing_err(&r.first)));
        ashi_tally_add(&plan->done, &mover->done);
    }
    return r.first.status;
}

/* Checking what a plan is asked for. */
#include "plan/check.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "kernel/kernels.h"
#include "layout/layout.h"
#include "model/forms.h"
#include "model/rates.h"
#include "schedule/schedule.h"
#include "plan/looped.h"
#include "search/paper.h"
#include "strategy/strategy.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool is_op(ashlar_op op)
{
    return op == ASHLAR_OP_N || op == ASHLAR_OP_T || op == ASHLAR_OP_C;
}

static ashlar_status check_sizes(const ashlar_problem *p, ashlar_error *err)
{
    const int64_t size[3] = {p->m, p->n, p->k};
    int64_t words[3], sum = 0;
    for (int d = 0; d < 3; d++)
        if (size[d] < 0)
            return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_create: %c = %" PRId64 ", wanted at least 0", "mnk"[d],
                             size[d]);
    if (!ashi_mul(p->m, p->n, &words[0]) || !ashi_mul(p->m, p->k, &words[1]) || !ashi_mul(p->n, p->k, &words[2]) ||
        !ashi_add(words[0], words[1], &sum) || !ashi_add(sum, words[2], &sum) || sum > INT64_MAX / 32)
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW,
                         "ashlar_plan_create: m, n, k = %" PRId64 ", %" PRId64 ", %" PRId64 " are too large", p->m,
                         p->n, p->k);
    return ASHLAR_OK;
}

ashlar_status ashi_check_layout(const ashlar_context *context, const ashlar_layout *layout, const char *name,
                                ashlar_error *err)
{
    if (ashi_layout_ranks(layout) > context->ranks)
        return ashi_fail(err, ASHLAR_ERR_ARG, "layout of %s names rank %" PRId64 ", there are %d ranks", name,
                         ashi_layout_ranks(layout) - 1, context->ranks);
    if (layout->storage_rank >= 0 && layout->storage_rank != context->rank)
        return ashi_fail(err, ASHLAR_ERR_ARG, "layout of %s: storage was set for rank %d on rank %d", name,
                         layout->storage_rank, context->rank);
    return ashi_layout_check(layout, context->rank, name, err);
}

static ashlar_status check_shape(const ashlar_context *context, const ashlar_layout *layout, const char *name,
                                 ashlar_op op, int64_t rows, int64_t cols, ashlar_error *err)
{
    if (!layout)
        return ASHLAR_OK;
    const bool turned = op != ASHLAR_OP_N;
    const int64_t has_rows = turned ? layout->col.size : layout->row.size;
    const int64_t has_cols = turned ? layout->row.size : layout->col.size;
    if (has_rows != rows || has_cols != cols)
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "ashlar_plan_create: op(%s) is %" PRId64 " x %" PRId64 ", wanted %" PRId64 " x %" PRId64, name,
                         has_rows, has_cols, rows, cols);
    return ashi_check_layout(context, layout, name, err);
}

static ashlar_status check_looped(const ashlar_problem *p, const ashlar_options *o, ashlar_error *err)
{
    const ashi_filed f = ashi_filed_of(p);
    if (!ashi_filed_all(&f, p))
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "ashlar_plan_create: the schedule \"%s\" is for matrices in files", o->strategy);
    if (f.file[ASHLAR_C] && f.file[ASHLAR_C]->store && ashi_store_is_made(f.file[ASHLAR_C]->store))
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED,
                         "ashlar_plan_create: the schedule \"%s\" reads back what it writes of C, which a function "
                         "takes", o->strategy);
    return ASHLAR_OK;
}

/* What was meant by a name with a slash. */
static const char schedules[] = ": schedules are inside/ or outside/, then rotation, replication-a, replication-b or "
                                "accumulation, then the order of the reads, as in outside/rotation/ABC";

ashlar_status ashi_check_machine(const char *who, const ashlar_machine *m, ashlar_error *err)
{
    if (!(m->flops_per_second > 0 && m->latency > 0 && m->bandwidth > 0 && m->copy_bandwidth > 0 &&
          isfinite(m->flops_per_second) && isfinite(m->latency) && isfinite(m->bandwidth) &&
          isfinite(m->copy_bandwidth)))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: the machine's figures must be above 0", who);
    if (!ashi_forms_are_valid(m))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: the machine's forms must be above 0, or all 0", who);
    if (!ashi_rates_are_valid(m))
        return ashi_fail(err, ASHLAR_ERR_ARG, "%s: the machine's optional figures must be at least 0, and message_work "
                                              "at most 1", who);
    return ASHLAR_OK;
}

static ashlar_status check_options(const ashlar_context *context, const ashlar_problem *p, const ashlar_options *o,
                                   ashlar_error *err)
{
    const ashlar_machine *m = o->machine;
    const int64_t size[3] = {p->m, p->n, p->k};
    if ((o->objective != ASHLAR_LEAST_TIME && o->objective != ASHLAR_LEAST_WORDS) ||
        (o->transport != ASHLAR_TWO_SIDED && o->transport != ASHLAR_ONE_SIDED) ||
        (o->route != ASHLAR_ROUTE_DIRECT && o->route != ASHLAR_ROUTE_TREE && o->route != ASHLAR_ROUTE_AUTO &&
         o->route != ASHLAR_ROUTE_RECTANGULAR))
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_create: an objective, transport or route that is none");
    if (o->caller_workspace && o->transport == ASHLAR_ONE_SIDED)
        return ashi_fail(
            err, ASHLAR_ERR_ARG,
            "ashlar_plan_create: with one-sided transport the workspace is MPI's window, not the caller's");
    if (o->memory_words < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_create: memory_words = %" PRId64 ", wanted at least 0",
                         o->memory_words);
    if (!(o->idle >= 0 && o->idle <= 1))
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_create: idle = %g, wanted 0 to 1", o->idle);
    if (o->window < 0 || o->window > ASHI_WINDOW_MAX)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_create: window = %d, wanted 0 to %d", o->window,
                         (int)ASHI_WINDOW_MAX);
    if (!(o->checkpoint_seconds >= 0 && isfinite(o->checkpoint_seconds)))
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_create: checkpoint_seconds = %g, wanted at least 0",
                         o->checkpoint_seconds);
    if (o->local_disks != 0 && o->local_disks != 1)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_create: local_disks = %" PRId64 ", wanted 0 or 1",
                         o->local_disks);
    if (o->node_ranks < 0)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_create: node_ranks = %" PRId64 ", wanted at least 0",
                         o->node_ranks);
    const ashi_torus torus = ashi_torus_of(m);
    ashlar_status status = ashi_check_machine("ashlar_plan_create", m, err);
    if (status == ASHLAR_OK)
        status = ashi_torus_check(&torus, context->ranks, "ashlar_plan_create", err);
    if (status != ASHLAR_OK)
        return status;
    if (ashi_looped_named(o->strategy))
        return check_looped(p, o, err);
    if (o->strategy && !ashi_strategy_named(o->strategy))
        return ashi_fail(err, ASHLAR_ERR_UNSUPPORTED, "ashlar_plan_create: there is no strategy \"%.100s\"%s",
                         o->strategy, strchr(o->strategy, '/') ? schedules : "");
    if (o->grid[0] == 0 && o->grid[1] == 0 && o->grid[2] == 0)
        return ASHLAR_OK;
    int64_t cells = 1;
    for (int d = 0; d < 3; d++)
        if (o->grid[d] < 1 || o->grid[d] > ashi_max(size[d], 1) || !ashi_mul(cells, o->grid[d], &cells) ||
            cells > context->ranks)
            return ashi_fail(err, ASHLAR_ERR_ARG,
                             "ashlar_plan_create: grid %" PRId64 " x %" PRId64 " x %" PRId64
                             ", wanted sides from 1 to m, n, k and at most %d cells",
                             o->grid[0], o->grid[1], o->grid[2], context->ranks);
    return ASHLAR_OK;
}

ashlar_status ashi_check_problem(const ashlar_context *context, const ashlar_problem *p, const ashlar_options *o,
                                 ashlar_error *err)
{
    if (!ashi_type_of(p->type))
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_create: type = %d is none", (int)p->type);
    if (!is_op(p->op_a) || !is_op(p->op_b))
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_plan_create: op_a = %d, op_b = %d, wanted N, T or C",
                         (int)p->op_a, (int)p->op_b);
    ashlar_status status = check_sizes(p, err);
    if (status == ASHLAR_OK)
        status = check_shape(context, p->a, "A", p->op_a, p->m, p->k, err);
    if (status == ASHLAR_OK)
        status = check_shape(context, p->b, "B", p->op_b, p->k, p->n, err);
    if (status == ASHLAR_OK)
        status = check_shape(context, p->c, "C", ASHLAR_OP_N, p->m, p->n, err);
    return status == ASHLAR_OK ? check_options(context, p, o, err) : status;
}

static int64_t digest(const ashlar_layout *layout)
{
    return layout ? (int64_t)(ashi_layout_digest(layout) >> 1) : -1;
}

static int64_t bits(double x)
{
    int64_t v;
    memcpy(&v, &x, sizeof v);
    return v;
}

/* FNV-1a over its dimensions and lengths. */
static int64_t torus_digest(const ashlar_machine *machine)
{
    const ashi_torus t = ashi_torus_of(machine);
    uint64_t digest = 0xCBF29CE484222325u ^ (uint64_t)t.dims;
    for (int d = 0; d < t.dims; d++)
        digest = digest * 0x100000001B3u ^ (uint64_t)t.length[d];
    return (int64_t)(digest >> 1);
}

/* FNV-1a over the figures that need not be given, except the torus. */
static int64_t optional_digest(const ashlar_machine *machine)
{
    const double others[] = {machine->disk_read_bandwidth, machine->disk_write_bandwidth, machine->task_seconds,
                             machine->message_work, machine->product_bandwidth, machine->device_in_bandwidth,
                             machine->device_out_bandwidth, machine->device_delay, machine->device_flops[0],
                             machine->device_flops[1], machine->device_flops[2], machine->device_flops[3],
                             machine->device_memory};
    uint64_t digest = 0xCBF29CE484222325u;
    for (int f = 0; f < ASHI_FORMS; f++)
        digest = digest * 0x100000001B3u ^ (uint64_t)bits(machine->forms[f]);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        digest = digest * 0x100000001B3u ^ (uint64_t)bits(others[i]);
    return (int64_t)(digest >> 1);
}

static int64_t number_of(const char *strategy)
{
    const ashi_strategy *s = strategy ? ashi_strategy_named(strategy) : NULL;
    if (ashi_looped_named(strategy))
        return -2 - ashi_paper_named(strategy);
    for (int i = 0; s && ashi_strategy_at(i); i++)
        if (ashi_strategy_at(i) == s)
            return i;
    return -1;
}

/* A bit for each matrix in a file. */
static int64_t files_given(const ashlar_problem *p)
{
    return (p->a_file ? 1 : 0) | (p->b_file ? 2 : 0) | (p->c_file ? 4 : 0) | (p->c0_file ? 8 : 0);
}

ashlar_status ashi_check_same(const ashlar_context *context, ashlar_status mine, const ashlar_problem *p,
                              const ashlar_options *o, ashlar_error *err)
{
    const char *const who = "ashlar_plan_create";
    static const char *const names[] = {
        "m", "n", "k", "the type", "op_a", "op_b", "the layout of A", "the layout of B", "the layout of C",
        "the strategy", "the objective", "the transport", "the route", "caller_workspace", "trusted", "memory_words",
        "idle", "the window", "the grid", "the grid", "the grid", "node_ranks", "the machine", "the machine",
        "the machine", "the machine", "the machine", "the torus", "which matrices are in files", "checkpoint_seconds",
        "local_disks"};
    enum { COUNT = sizeof names / sizeof names[0] };
    ashi_shared values[COUNT];
    int64_t value[COUNT] = {0};
    if (mine == ASHLAR_OK) {
        const int64_t own[COUNT] = {
            p->m, p->n, p->k, p->type, p->op_a, p->op_b, digest(p->a), digest(p->b), digest(p->c),
            number_of(o->strategy), o->objective, o->transport, o->route, o->caller_workspace, o->trusted,
            o->memory_words, bits(o->idle), o->window, o->grid[0], o->grid[1], o->grid[2], o->node_ranks,
            bits(o->machine->flops_per_second), bits(o->machine->latency), bits(o->machine->bandwidth),
            bits(o->machine->copy_bandwidth), optional_digest(o->machine), torus_digest(o->machine), files_given(p),
            bits(o->checkpoint_seconds), o->local_disks};
        memcpy(value, own, sizeof value);
    }
    for (int i = 0; i < COUNT; i++)
        values[i] = (ashi_shared){names[i], value[i]};
    return ashi_agree_same(context, mine, who, values, COUNT, err);
}

ashlar_status ashi_agree_scalars(const ashlar_context *context, ashlar_status mine, const char *who, ashlar_type type,
                                 const void *alpha, const void *beta, ashlar_error *err)
{
    const ashi_kernels *kernels = ashi_kernels_of(type);
    int64_t a[2] = {0, 0}, b[2] = {0, 0};
    if (mine == ASHLAR_OK) {
        kernels->key(alpha, a);
        kernels->key(beta, b);
    }
    const ashi_shared values[] = {{"alpha", a[0]}, {"alpha", a[1]}, {"beta", b[0]}, {"beta", b[1]}};
    return ashi_agree_same(context, mine, who, values, (int)(sizeof values / sizeof values[0]), err);
}

void ashi_scalars_pack(ashlar_type type, const void *alpha, const void *beta, int64_t numbers[ASHI_SCALAR_NUMBERS])
{
    const ashi_kernels *kernels = ashi_kernels_of(type);
    kernels->key(alpha, numbers);
    kernels->key(beta, numbers + 2);
    for (int i = 0; i < 4; i++)
        numbers[4 + i] = ~numbers[i]; /* its greatest is the complement of the least */
}

ashlar_status ashi_scalars_check(const int64_t greatest[ASHI_SCALAR_NUMBERS], const char *who, ashlar_error *err)
{
    for (int i = 0; i < 4; i++)
        if (greatest[i] != ~greatest[4 + i])
            return ashi_fail(err, ASHLAR_ERR_ARG, "%s: ranks disagree about %s", who, i < 2 ? "alpha" : "beta");
    return ASHLAR_OK;
}

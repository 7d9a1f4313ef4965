/* Operands in the memory of the context's device: found, brought to the host, multiplied where they are, returned. */
#include "plan/device_parts.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "exec/mpi.h"
#include "kernel/kernels.h"
#include "plan/device.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const names[3] = {"a", "b", "c"};

/* ---- the rectangles of a part ---- */

/* What this rank has of a pair of parts of a layout: lines of neighbours. `at` counts elements from the pointer. */
typedef struct rectangle {
    int64_t pointer, at, line, lines, stride;
} rectangle;

/* Whether pair i of a layout is this rank's and has elements. */
static bool rectangle_of(const ashlar_layout *l, int rank, int64_t i, bool tiles, rectangle *out)
{
    if (l->owner[i] != rank)
        return false;
    const int64_t r = i / l->col.parts, c = i % l->col.parts;
    const ashi_storage s = ashi_layout_storage(l, r, c);
    const int64_t rows = ashi_dim_count(&l->row, r), cols = ashi_dim_count(&l->col, c);
    const bool by_cols = l->order == ASHLAR_COL_MAJOR;
    *out = (rectangle){.pointer = tiles ? s.tile : 0, .at = tiles ? s.offset : s.start + s.offset,
                       .line = by_cols ? rows : cols, .lines = by_cols ? cols : rows,
                       .stride = by_cols ? s.col_stride : s.row_stride};
    return rows > 0 && cols > 0;
}

/* What an operand's rectangles cover from a pointer on; `end` is 0 if there are none. */
typedef struct span {
    int64_t begin, end;
} span;

static void widen(span *s, const rectangle *r)
{
    const int64_t end = r->at + (r->lines - 1) * r->stride + r->line;
    s->begin = s->end == 0 ? r->at : ashi_min(s->begin, r->at);
    s->end = ashi_max(s->end, end);
}

static int64_t pairs_of(const ashlar_layout *l)
{
    return l->row.parts * l->col.parts;
}

static const void *pointer_of(const ashi_part *part, int64_t i)
{
    return part->tile ? part->tile[i] : part->base;
}

/* ---- finding ---- */

/* Whose memory the rectangles are in; `spans` is what is used from each pointer of the device. */
static ashlar_status find(const ashlar_plan *plan, const ashi_part *part, int x, span *spans, ashi_device_parts *p,
                          ashlar_error *err)
{
    const ashlar_layout *l = plan->layout[x];
    ashi_device *device = plan->context->device->device;
    const int rank = plan->context->rank;
    const int64_t bytes = (int64_t)ashi_type_bytes(plan->problem.type, (ashlar_operand)x);
    rectangle r;
    for (int64_t i = 0; i < pairs_of(l); i++) {
        int64_t left = 0;
        if (!rectangle_of(l, rank, i, part->tile != NULL, &r))
            continue;
        const void *address = pointer_of(part, r.pointer);
        const ashi_device_owner owner = device->kind->owner(device, address, &left);
        if (owner == ASHI_OWNER_OTHER)
            return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: ashlar_plan_execute: %s is in the memory of another device "
                             "than %s", rank, names[x], device->kind->facts(device).name);
        if (owner == ASHI_OWNER_HOST)
            continue;
        span own = {0, 0};
        widen(&own, &r);
        if (ashi_mul_most(own.end, bytes) > left)
            return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: ashlar_plan_execute: %s needs %" PRId64
                             " bytes, its allocation on %s has %" PRId64, rank, names[x], own.end * bytes,
                             device->kind->facts(device).name, left);
        widen(&spans[r.pointer], &r);
        p->on_device[x] = true;
    }
    return ASHLAR_OK;
}

/* ---- between the device and the host ---- */

/* Copy the rectangles that are on the device: to the host, or from there. */
static ashlar_status copy(const ashlar_plan *plan, const ashi_part *given, const ashi_device_parts *p, int x, bool back,
                          ashlar_error *err)
{
    const ashlar_layout *l = plan->layout[x];
    ashi_device *device = plan->context->device->device;
    const int64_t bytes = (int64_t)ashi_type_bytes(plan->problem.type, (ashlar_operand)x);
    ashlar_status status = ASHLAR_OK;
    rectangle r;
    for (int64_t i = 0; i < pairs_of(l) && status == ASHLAR_OK; i++) {
        if (!rectangle_of(l, plan->context->rank, i, given->tile != NULL, &r) || !p->memory[x][r.pointer])
            continue;
        char *there = (char *)(uintptr_t)pointer_of(given, r.pointer) + r.at * bytes;
        char *here = (char *)p->memory[x][r.pointer] + r.at * bytes;
        const ashi_device_copy c = {back ? here : there, r.stride * bytes, back ? there : here, r.stride * bytes,
                                    r.line * bytes, r.lines};
        status = back ? device->kind->copy_in(device, &c, err) : device->kind->copy_out(device, &c, err);
    }
    ashlar_error end;
    const ashlar_status ended = device->kind->finish(device, &end);
    return status != ASHLAR_OK || ended == ASHLAR_OK ? status : ashi_fail(err, ended, "%s", end.text);
}

/* Words that the copies take, and how many more than the shares, which they are in place of. */
static void count_staged(const ashlar_plan *plan, span *const spans[3], ashi_device_parts *p)
{
    for (int x = 0; x < 3; x++) {
        const int64_t bytes = (int64_t)ashi_type_bytes(plan->problem.type, (ashlar_operand)x);
        if (!p->on_device[x])
            continue;
        for (int64_t i = 0; i < p->pointers[x]; i++) {
            const int64_t words = spans[x][i].end - spans[x][i].begin;
            p->staged += words;
            p->beside += words;
            p->bytes += words * bytes;
        }
        p->beside -= ashlar_layout_words(plan->layout[x], plan->context->rank);
    }
}

static int64_t held_by(const ashlar_plan *plan, const ashi_device_parts *p)
{
    return plan->need.share + plan->need.workspace + p->beside + plan->aside;
}

static ashlar_status fail_limit(const ashlar_plan *plan, int64_t enough, ashlar_error *err)
{
    return ashi_fail(err, ASHLAR_ERR_LIMIT, "ashlar_plan_execute: %" PRId64 " words are too few with copies of "
                     "operands that are on the device: %" PRId64 " would do", plan->memory_words, enough);
}

/* The copies and what the plan holds are within its limit. */
static ashlar_status check_limit(const ashlar_plan *plan, const ashi_device_parts *p, ashlar_error *err)
{
    const int64_t held = held_by(plan, p);
    return plan->memory_words == 0 || held <= plan->memory_words ? ASHLAR_OK : fail_limit(plan, held, err);
}

ashlar_status ashi_device_parts_refuse(const ashlar_plan *plan, const ashi_device_parts *p, ashlar_error *err)
{
    const ashlar_context *c = plan->context;
    const int64_t own = held_by(plan, p);
    int64_t most = own;
    ashi_note(c, MPI_Allreduce(&own, &most, 1, MPI_INT64_T, MPI_MAX, c->comm), "MPI_Allreduce");
    const ashlar_status status = ashi_conclude(c, ASHLAR_OK, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_refuse(c, most);
    return fail_limit(plan, most, err);
}

/* A place in `memory` for the copy of each pointer that is the device's; *memory is then behind them. */
static ashlar_status reserve(const ashlar_plan *plan, const ashi_part *given, ashi_device_parts *p, int x,
                             const span *spans, char **memory, ashlar_error *err)
{
    const int64_t bytes = (int64_t)ashi_type_bytes(plan->problem.type, (ashlar_operand)x), all = p->pointers[x];
    p->memory[x] = calloc((size_t)all, sizeof *p->memory[x]);
    p->tile[x] = calloc((size_t)all, sizeof *p->tile[x]);
    if (!p->memory[x] || !p->tile[x])
        return ashi_fail_memory(err, "ashlar_plan_execute", all * (int64_t)sizeof *p->tile[x]);
    for (int64_t i = 0; i < all; i++) {
        if (spans[i].end > 0) { /* the pointer is as far before the copy as the operand's is before what is used */
            p->memory[x][i] = (void *)((uintptr_t)*memory - (uintptr_t)(spans[i].begin * bytes));
            *memory += (spans[i].end - spans[i].begin) * bytes;
        }
        p->tile[x][i] = spans[i].end > 0 ? p->memory[x][i] : (void *)(uintptr_t)pointer_of(given, i);
    }
    p->part[x] = given->tile ? (ashi_part){NULL, (const void *const *)p->tile[x]} : (ashi_part){p->tile[x][0], NULL};
    return ASHLAR_OK;
}

/* ---- where the operands are ---- */

/* The operation on an operand's memory as BLAS sees it, by columns. False: a conjugate that is not transposed. */
static bool op_on_memory(ashlar_op op, bool by_rows, bool turned, bool complex, ashlar_op *out)
{
    const bool transposed = (op != ASHLAR_OP_N) != (by_rows != turned), conjugate = op == ASHLAR_OP_C && complex;
    *out = !transposed ? ASHLAR_OP_N : conjugate ? ASHLAR_OP_C : ASHLAR_OP_T;
    return transposed || !conjugate;
}

static bool is_direct(const ashlar_plan *plan, ashi_device_parts *p)
{
    const bool complex = ashi_type_of(plan->problem.type)->complex;
    const ashlar_op op[2] = {plan->problem.op_a, plan->problem.op_b};
    for (int x = 0; x < 3; x++)
        if (!p->on_device[x] || pairs_of(plan->layout[x]) != 1 || plan->filed.file[x])
            return false;
    p->turned = plan->layout[ASHLAR_C]->order != ASHLAR_COL_MAJOR;
    for (int i = 0; i < 2; i++) {
        const int x = p->turned ? 1 - i : i;
        if (!op_on_memory(op[x], plan->layout[x]->order != ASHLAR_COL_MAJOR, p->turned, complex, &p->op[i]))
            return false;
    }
    return plan->context->ranks == 1;
}

ashlar_status ashi_device_parts_multiply(const ashlar_plan *plan, const ashi_arguments *with,
                                         const ashi_device_parts *p, ashlar_error *err)
{
    ashi_device *device = plan->context->device->device;
    const ashlar_problem *q = &plan->problem;
    const int first = p->turned ? ASHLAR_B : ASHLAR_A, second = 1 - first;
    char *at[3];
    int64_t ld[3];
    for (int x = 0; x < 3; x++) {
        const int64_t bytes = (int64_t)ashi_type_bytes(q->type, (ashlar_operand)x);
        rectangle r = {0};
        rectangle_of(plan->layout[x], 0, 0, with->part[x].tile != NULL, &r);
        at[x] = (char *)(uintptr_t)pointer_of(&with->part[x], r.pointer) + r.at * bytes;
        ld[x] = r.stride;
    }
    const ashi_device_gemm g = {.type = q->type, .op_a = p->op[0], .op_b = p->op[1], .m = p->turned ? q->n : q->m,
                                .n = p->turned ? q->m : q->n, .k = q->k, .alpha = with->alpha, .beta = with->beta,
                                .a = at[first], .b = at[second], .c = at[ASHLAR_C], .lda = ld[first],
                                .ldb = ld[second], .ldc = ld[ASHLAR_C]};
    const ashlar_status status = device->kind->gemm(device, &g, err);
    return status == ASHLAR_OK ? device->kind->finish(device, err) : status;
}

/* ---- for an execution ---- */

static ashlar_status find_all(const ashlar_plan *plan, const ashi_arguments *with, span *spans[3],
                              ashi_device_parts *p, ashlar_error *err)
{
    const bool reads = !plan->empty && !ashi_kernels_of(plan->problem.type)->is_zero(with->alpha);
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++) {
        const ashi_part *given = &with->part[x];
        const int64_t tiles = ashlar_layout_tile_count(plan->layout[x], plan->context->rank);
        p->pointers[x] = given->tile ? tiles : 1;
        if (plan->filed.file[x] || tiles == 0 || (x != ASHLAR_C && !reads))
            continue;
        spans[x] = calloc((size_t)p->pointers[x], sizeof *spans[x]);
        status = spans[x] ? find(plan, given, x, spans[x], p, err)
                          : ashi_fail_memory(err, "ashlar_plan_execute", p->pointers[x] * (int64_t)sizeof *spans[x]);
    }
    return status;
}

/* Copies of all operands that are on the device. C comes first, since its elements are the longest. */
static ashlar_status bring_copies(const ashlar_plan *plan, const ashi_arguments *with, span *const spans[3],
                                  ashi_device_parts *p, ashlar_error *err)
{
    static const int order[3] = {ASHLAR_C, ASHLAR_A, ASHLAR_B};
    const bool writes_only = ashi_kernels_of(plan->problem.type)->is_zero(with->beta);
    void *staging = NULL;
    ashlar_status status = check_limit(plan, p, err);
    if (status == ASHLAR_OK)
        status = ashi_context_staging(plan->context, p->bytes, &staging, err);
    char *memory = staging;
    for (int i = 0; i < 3 && status == ASHLAR_OK; i++) {
        const int x = order[i];
        if (!p->on_device[x])
            continue;
        status = reserve(plan, &with->part[x], p, x, spans[x], &memory, err);
        if (status == ASHLAR_OK && !(x == ASHLAR_C && writes_only))
            status = copy(plan, &with->part[x], p, x, false, err);
    }
    return status;
}

int64_t ashi_device_parts_most(const ashlar_plan *plan)
{
    const ashi_context_device *d = plan->context->device;
    int64_t all = 0;
    rectangle r;
    for (int x = 0; x < 3 && d && d->device; x++) {
        const ashlar_layout *l = plan->layout[x];
        span most = {0, 0};
        for (int64_t i = 0; !plan->filed.file[x] && i < pairs_of(l); i++)
            if (rectangle_of(l, plan->context->rank, i, false, &r))
                widen(&most, &r);
        all += most.end - most.begin;
    }
    return all;
}

ashlar_status ashi_device_parts_bring(const ashlar_plan *plan, const ashi_arguments *with, ashi_device_parts *p,
                                      ashlar_error *err)
{
    span *spans[3] = {NULL, NULL, NULL};
    *p = (ashi_device_parts){.part = {with->part[0], with->part[1], with->part[2]}};
    if (!plan->context->device || !plan->context->device->device)
        return ASHLAR_OK;
    ashlar_status status = find_all(plan, with, spans, p, err);
    p->direct = status == ASHLAR_OK && is_direct(plan, p);
    if (status == ASHLAR_OK && !p->direct)
        count_staged(plan, spans, p);
    if (status == ASHLAR_OK && p->staged > 0)
        status = bring_copies(plan, with, spans, p, err);
    for (int x = 0; x < 3; x++)
        free(spans[x]);
    return status;
}

ashlar_status ashi_device_parts_return(const ashlar_plan *plan, const ashi_arguments *with, const ashi_device_parts *p,
                                       ashlar_error *err)
{
    if (p->direct || !p->on_device[ASHLAR_C])
        return ASHLAR_OK;
    return copy(plan, &with->part[ASHLAR_C], p, ASHLAR_C, true, err);
}

void ashi_device_parts_free(ashi_device_parts *p)
{
    for (int x = 0; x < 3; x++) {
        free(p->memory[x]);
        free(p->tile[x]);
        p->memory[x] = p->tile[x] = NULL;
    }
}

/* The public movement of a matrix between two layouts. */
#include "exec/move.h"

#include "base/error.h"
#include "base/type.h"
#include "plan/check.h"

#include <inttypes.h>
#include <stdlib.h>

/* What ashlar_move was asked for. */
typedef struct request {
    const ashlar_context *context;
    ashlar_type type;
    ashlar_op op;
    const void *alpha, *source, *beta;
    const ashlar_layout *from, *to;
    void *target;
    int64_t memory_words;
} request;

static ashlar_status check(const request *q, ashlar_error *err)
{
    if (!ashi_type_of(q->type) || !q->alpha || !q->beta || !q->from || !q->to || q->memory_words < 0 ||
        (q->op != ASHLAR_OP_N && q->op != ASHLAR_OP_T && q->op != ASHLAR_OP_C))
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_move: a NULL pointer, no type, no op, or memory below 0");
    const bool turned = q->op != ASHLAR_OP_N;
    const int64_t rows = turned ? q->from->col.size : q->from->row.size;
    const int64_t cols = turned ? q->from->row.size : q->from->col.size;
    if (rows != q->to->row.size || cols != q->to->col.size)
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "ashlar_move: op(S) is %" PRId64 " x %" PRId64 ", T is %" PRId64 " x %" PRId64, rows, cols,
                         q->to->row.size, q->to->col.size);
    ashlar_status status = ashi_check_layout(q->context, q->from, "S", err);
    if (status == ASHLAR_OK)
        status = ashi_check_layout(q->context, q->to, "T", err);
    if (status != ASHLAR_OK)
        return status;
    const int rank = q->context->rank;
    const bool reads = !ashi_kernels_of(q->type)->is_zero(q->alpha);
    if ((reads && !q->source && ashlar_layout_words(q->from, rank) > 0) ||
        (!q->target && ashlar_layout_words(q->to, rank) > 0))
        return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: ashlar_move: source or target is NULL", rank);
    if (ashi_layout_needs_pointers(q->from, rank) || ashi_layout_needs_pointers(q->to, rank))
        return ashi_fail(err, ASHLAR_ERR_ARG, "rank %d: ashlar_move: a layout's tiles have no offsets", rank);
    return ASHLAR_OK;
}

static ashlar_status check_same(const request *q, ashlar_error *err)
{
    const ashi_shared values[] = {{"the type", q->type},
                                  {"op", q->op},
                                  {"the layout of S", (int64_t)(ashi_layout_digest(q->from) >> 1)},
                                  {"the layout of T", (int64_t)(ashi_layout_digest(q->to) >> 1)},
                                  {"whether alpha is 0", ashi_kernels_of(q->type)->is_zero(q->alpha)},
                                  {"memory_words", q->memory_words}};
    return ashi_same(q->context, "ashlar_move", values, (int)(sizeof values / sizeof values[0]), err);
}

/* As many rounds as the rank needs that needs most; where even those need too much memory none has been moved. */
static ashlar_status agree_on_rounds(const request *q, const ashi_move *move, int64_t *rounds, ashlar_error *err)
{
    const int64_t memory = q->memory_words, own = memory > 0 ? ashi_move_rounds(move, memory) : 1;
    int64_t most = 0;
    ashlar_status status =
        ashi_mpi(MPI_Allreduce(&own, rounds, 1, MPI_INT64_T, MPI_MAX, q->context->comm), "MPI_Allreduce", err);
    if (status != ASHLAR_OK || memory == 0)
        return status;
    const int64_t need = ashi_move_workspace(move, *rounds);
    status = ashi_mpi(MPI_Allreduce(&need, &most, 1, MPI_INT64_T, MPI_MAX, q->context->comm), "MPI_Allreduce", err);
    if (status == ASHLAR_OK && most > memory)
        return ashi_fail(err, ASHLAR_ERR_LIMIT,
                         "ashlar_move: %" PRId64 " words of workspace a rank are too few for these layouts: %" PRId64
                         " would do", memory, most);
    return status;
}

static ashlar_status run(const request *q, ashi_move *move, ashlar_error *err)
{
    int64_t rounds = 1;
    ashi_transport *wire = NULL;
    char *buffer = NULL;
    ashlar_status status = agree_on_rounds(q, move, &rounds, err);
    if (status == ASHLAR_OK)
        status = ashi_agree(q->context, ashi_move_prepare(move, rounds, &wire, &buffer, err), err);
    if (status == ASHLAR_OK)
        status = ashi_move_run(move, rounds, wire, buffer, q->alpha, q->source, q->beta, q->target, err);
    if (wire)
        wire->free(wire);
    free(buffer);
    return status;
}

ashlar_status ashlar_move(ashlar_context *context, ashlar_type type, ashlar_op op, const void *alpha,
                          const ashlar_layout *from, const void *source, const void *beta, const ashlar_layout *to,
                          void *target, int64_t memory_words, int64_t *words, ashlar_error *err)
{
    if (!context)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_move: context is NULL");
    ashlar_error own = {0};
    err = err ? err : &own;
    const request q = {context, type, op, alpha, source, beta, from, to, target, memory_words};
    ashi_move *move = NULL;
    int64_t sent = 0, received = 0;
    ashlar_status status = ashi_agree(context, check(&q, err), err);
    if (status == ASHLAR_OK)
        status = check_same(&q, err);
    if (status != ASHLAR_OK)
        return status;
    status = ashi_move_create(from, op, to, type, context->comm, context->rank, context->ranks, &move, err);
    status = ashi_agree(context, status, err);
    if (status == ASHLAR_OK && ashi_kernels_of(type)->is_zero(alpha)) {
        ashi_move_scale(move, beta, target);
    } else if (status == ASHLAR_OK) {
        ashi_move_words(move, &sent, &received);
        status = run(&q, move, err);
    }
    if (words)
        *words = received;
    ashi_move_free(&move);
    return status;
}

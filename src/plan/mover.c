/* Preparing the movement of a matrix between two layouts. */
#include "plan/mover.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/structure.h"
#include "base/type.h"
#include "kernel/kernels.h"
#include "plan/check.h"

#include <inttypes.h>
#include <stdlib.h>

/* What ashlar_mover_create was asked for. */
typedef struct request {
    ashlar_context *context;
    ashlar_type type;
    ashlar_op op;
    const ashlar_layout *from, *to;
    ashlar_mover_options options;
} request;

void ashlar_mover_options_default_sized(ashlar_mover_options *out, size_t size)
{
    const ashlar_mover_options options = {.size = size};
    ashi_structure_give(&options, sizeof options, out, size);
}

/* The caller's options, complete. */
static ashlar_status take(const ashlar_mover_options *options, ashlar_mover_options *out, ashlar_error *err)
{
    const ashi_filled given = {"ashlar_mover_create", "options", options,
                               ASHI_FIRST_VERSION(ashlar_mover_options, memory_words)};
    *out = ashlar_mover_options_default();
    return options ? ashi_structure_take(&given, out, sizeof *out, err) : ASHLAR_OK;
}

static ashlar_status check(const request *q, const void *out, ashlar_error *err)
{
    if (!ashi_type_of(q->type) || !q->from || !q->to || !out || q->options.memory_words < 0 ||
        (q->op != ASHLAR_OP_N && q->op != ASHLAR_OP_T && q->op != ASHLAR_OP_C))
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_mover_create: a NULL pointer, no type, no op, or memory below 0");
    if (!ashi_type_is_alike(q->type))
        return ashi_type_refuse(q->type, "ashlar_mover_create", "matrices that are moved", err);
    const bool turned = q->op != ASHLAR_OP_N;
    const int64_t rows = turned ? q->from->col.size : q->from->row.size;
    const int64_t cols = turned ? q->from->row.size : q->from->col.size;
    if (rows != q->to->row.size || cols != q->to->col.size)
        return ashi_fail(err, ASHLAR_ERR_ARG,
                         "ashlar_mover_create: op(S) is %" PRId64 " x %" PRId64 ", T is %" PRId64 " x %" PRId64, rows,
                         cols, q->to->row.size, q->to->col.size);
    const ashlar_status status = ashi_check_layout(q->context, q->from, "S", err);
    return status == ASHLAR_OK ? ashi_check_layout(q->context, q->to, "T", err) : status;
}

static ashlar_status check_same(const request *q, ashlar_error *err)
{
    const ashi_shared values[] = {{"the type", q->type},
                                  {"op", q->op},
                                  {"the layout of S", (int64_t)(ashi_layout_digest(q->from) >> 1)},
                                  {"the layout of T", (int64_t)(ashi_layout_digest(q->to) >> 1)},
                                  {"memory_words", q->options.memory_words},
                                  {"caller_workspace", q->options.caller_workspace},
                                  {"trusted", q->options.trusted}};
    return ashi_same(q->context, "ashlar_mover_create", values, (int)(sizeof values / sizeof values[0]), err);
}

/* Messages have rows contiguous where no rank has T by columns. */
static bool agree_on_order(const request *q)
{
    const int own = q->to->order == ASHLAR_ROW_MAJOR || ashlar_layout_words(q->to, q->context->rank) == 0;
    int all = 0;
    ashi_note(q->context, MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, q->context->comm), "MPI_Allreduce");
    return all != 0;
}

/* How a movement keeps within its memory. */
typedef struct pace {
    int64_t rounds, words; /* words: of the workspace of the rank that needs most */
    int window;            /* rounds under way at once */
    bool fits;             /* no rank needs more than it may */
} pace;

/* Without a limit: an eighth of what the rank holds of S and T, or what is little anyway. */
static int64_t memory_of(const request *q)
{
    enum { LITTLE = 1 << 16 };
    const int rank = q->context->rank;
    if (q->options.memory_words > 0)
        return q->options.memory_words;
    return ashi_max(LITTLE, (ashlar_layout_words(q->from, rank) + ashlar_layout_words(q->to, rank)) / 8);
}

/* As many rounds as the rank needs that needs most, with `window` under way. */
static pace agree_on_pace(const request *q, const ashi_move *move, int window)
{
    const int64_t memory = memory_of(q), own = ashi_move_rounds(move, memory / window);
    pace at = {.window = window, .rounds = own};
    ashi_note(q->context, MPI_Allreduce(&own, &at.rounds, 1, MPI_INT64_T, MPI_MAX, q->context->comm),
              "MPI_Allreduce");
    const int64_t words = window * ashi_move_workspace(move, at.rounds), need[2] = {words, words > memory};
    int64_t most[2] = {need[0], need[1]};
    ashi_note(q->context, MPI_Allreduce(need, most, 2, MPI_INT64_T, MPI_MAX, q->context->comm), "MPI_Allreduce");
    at.words = most[0];
    at.fits = most[1] == 0;
    return at;
}

/* Two rounds under way where several are needed, unless there is room for one only. All ranks agree on the first pace
 * before they go by it. */
static ashlar_status choose_pace(const request *q, const ashi_move *move, pace *out, ashlar_error *err)
{
    const int64_t given = q->options.memory_words;
    *out = agree_on_pace(q, move, 1);
    const ashlar_status status = ashi_agree(q->context, ASHLAR_OK, err);
    if (status != ASHLAR_OK)
        return status;
    if (given > 0 && !out->fits) {
        ashi_refuse(q->context, out->words);
        return ashi_fail(err, ASHLAR_ERR_LIMIT,
                         "ashlar_mover_create: %" PRId64 " words of workspace a rank are too few for these layouts: %"
                         PRId64 " would do", given, out->words);
    }
    if (out->rounds > 1) {
        const pace two = agree_on_pace(q, move, 2);
        *out = two.fits ? two : *out;
    }
    return ASHLAR_OK;
}

/* This rank's own figures, and its memory. */
static ashlar_status settle(ashlar_mover *m, bool caller_workspace, const pace *at, ashlar_error *err)
{
    const ashi_exchange *e = ashi_move_exchange(m->move);
    const int64_t bytes = (int64_t)ashlar_type_bytes(m->type);
    int64_t all = 0;
    m->figures = (ashlar_movement){.words = e->in.words, .messages = ashi_move_messages(m->move, at->rounds),
                                   .rounds = at->rounds};
    m->figures.workspace_words = at->window * ashi_move_workspace(m->move, at->rounds);
    ashlar_status status = ashi_move_prepare(m->move, at->rounds, at->window, err);
    if (status != ASHLAR_OK || caller_workspace)
        return status;
    if (!ashi_mul(m->figures.workspace_words, bytes, &all))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "ashlar_mover_create: too many words at once");
    m->memory = m->workspace = malloc((size_t)ashi_max(all, 1));
    return m->memory ? ASHLAR_OK : ashi_fail_memory(err, "ashlar_mover_create", all);
}

static void join_figures(ashlar_mover *m)
{
    ashlar_movement *f = &m->figures;
    const int64_t own[2] = {f->words, f->messages};
    int64_t most[2] = {0, 0};
    ashi_note(m->context, MPI_Allreduce(own, most, 2, MPI_INT64_T, MPI_MAX, m->context->comm), "MPI_Allreduce");
    ashi_note(m->context, MPI_Allreduce(&f->words, &f->words_total, 1, MPI_INT64_T, MPI_SUM, m->context->comm),
              "MPI_Allreduce");
    f->words_max = most[0];
    f->messages_max = most[1];
}

/* Without memory for the mover itself a rank still takes part: all then learn of it. */
static ashlar_status make(ashlar_mover *m, const request *q, ashlar_error *err)
{
    const ashlar_context *c = q->context;
    ashi_exchange_request exchange = {.from = q->from, .to = q->to, .op = q->op, .rank = c->rank, .ranks = c->ranks};
    pace at = {0};
    exchange.by_rows = agree_on_order(q);
    ashlar_status status = m ? ashi_move_create(&exchange, q->type, c->comm, &m->move, err)
                             : ashi_fail_memory(err, "ashlar_mover_create", (int64_t)sizeof *m);
    status = ashi_agree(c, status, err);
    if (status != ASHLAR_OK || !m)
        return status;
    *m = (ashlar_mover){.context = q->context, .type = q->type, .trusted = q->options.trusted, .move = m->move,
                        .apart = {ashi_layout_needs_pointers(q->from, c->rank),
                                  ashi_layout_needs_pointers(q->to, c->rank)}};
    status = choose_pace(q, m->move, &at, err);
    if (status == ASHLAR_OK)
        status = ashi_agree(c, settle(m, q->options.caller_workspace, &at, err), err);
    if (status != ASHLAR_OK)
        return status;
    join_figures(m);
    return ashi_agree(c, status, err);
}

ashlar_status ashlar_mover_create(ashlar_context *context, ashlar_type type, ashlar_op op, const ashlar_layout *from,
                                  const ashlar_layout *to, const ashlar_mover_options *options, ashlar_mover **out,
                                  ashlar_error *err)
{
    ashlar_error own = {0};
    err = err ? err : &own;
    if (out)
        *out = NULL;
    if (!context)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_mover_create: context is NULL");
    request q = {context, type, op, from, to, {0}};
    ashi_refuse(context, 0);
    ashlar_status status = take(options, &q.options, err);
    status = ashi_agree(context, status == ASHLAR_OK ? check(&q, out, err) : status, err);
    if (status == ASHLAR_OK)
        status = check_same(&q, err);
    if (status != ASHLAR_OK)
        return status;
    ashlar_mover *m = calloc(1, sizeof *m);
    status = make(m, &q, err);
    if (status == ASHLAR_OK)
        *out = m;
    else
        ashlar_mover_free(&m);
    return status;
}

void ashlar_mover_free(ashlar_mover **mover)
{
    if (!mover || !*mover)
        return;
    ashi_move_free(&(*mover)->move);
    free((*mover)->memory);
    free(*mover);
    *mover = NULL;
}

/* Moving a tensor between two layouts element by element: all ranks walk through a slab in one order, and what one
 * sends is what the other waits for. */
#include "base/checked.h"
#include "contract/by_element.h"
#include "exec/mpi.h"
#include "kernel/kernels.h"

#include <string.h>

enum { FROM = ASHI_BY_ELEMENT_FROM, TO = ASHI_BY_ELEMENT_TO };

/* An execution. */
typedef struct moving {
    const ashi_by_element *q;
    const ashi_kernels *kernels;
    const ashi_contract_arguments *with;
    size_t bytes;
    bool conjugate, reads;
    int64_t from, to; /* the slab */
} moving;

/* Elements of this rank that lie `stride` apart, and all have the same owner in the other tensor. */
static void move_run(const moving *m, int side, int64_t place, int64_t stride, int64_t count, int rank)
{
    const ashi_by_element_side *const s = &m->q->side[side];
    char *const buffer = s->buffer + (size_t)s->at[rank] * m->bytes;
    s->at[rank] += (int)count;
    if (side == FROM) {
        const ashi_matrix x = {(const char *)m->with->operand[0] + (size_t)place * m->bytes, stride, 1};
        m->kernels->axpby(count, 1, m->kernels->one, &x, false, m->kernels->zero, buffer, 1, 1);
        return;
    }
    const ashi_matrix x = {buffer, 1, 1};
    m->kernels->axpby(count, 1, m->with->alpha, &x, m->conjugate, m->with->beta,
                      (char *)m->with->output + (size_t)place * m->bytes, stride, 1);
}

/* output <- beta output */
static void scale_run(const moving *m, int64_t place, int64_t stride, int64_t count)
{
    char *const c = (char *)m->with->output + (size_t)place * m->bytes;
    const ashi_matrix x = {c, stride, 1};
    for (int64_t i = 0; i < count && m->kernels->is_zero(m->with->beta); i++)
        memcpy(c + (size_t)(i * stride) * m->bytes, m->kernels->zero, m->bytes);
    if (!m->kernels->is_zero(m->with->beta))
        m->kernels->axpby(count, 1, m->with->beta, &x, false, m->kernels->zero, c, stride, 1);
}

static int rank_of(const ashi_by_element_side *s, int64_t process)
{
    return s->dealt.layout->ranks ? s->dealt.layout->ranks[process] : (int)process;
}

/* The values begin .. end - 1 that this rank has of the last index, beside `place` and `process` of the others. */
static void walk_line(const moving *m, int side, int64_t begin, int64_t end, int64_t place, int64_t process)
{
    const ashi_by_element_side *const s = &m->q->side[side], *const other = &m->q->side[!side];
    const int last = m->q->indices - 1;
    for (int64_t k = begin, next; k < end; k = next) {
        const int64_t v = s->own[last][k], at = s->offset[last][v];
        const int64_t stride = k + 1 < end ? s->offset[last][s->own[last][k + 1]] - at : 1;
        for (next = k + 1; next < end; next++) {
            const int64_t w = s->own[last][next];
            if (other->process[last][w] != other->process[last][v] || s->offset[last][w] != at + (next - k) * stride)
                break;
        }
        if (!m->reads)
            scale_run(m, place + at, stride, next - k);
        else
            move_run(m, side, place + at, stride, next - k, rank_of(other, process + other->process[last][v]));
    }
}

/* All elements that this rank has of the slab. */
static void walk(const moving *m, int side)
{
    const ashi_by_element_side *const s = &m->q->side[side], *const other = &m->q->side[!side];
    const int last = m->q->indices - 1;
    int64_t begin[ASHI_INDICES_MOST] = {0}, end[ASHI_INDICES_MOST], at[ASHI_INDICES_MOST];
    memcpy(end, s->owned, sizeof end);
    while (begin[0] < end[0] && s->own[0][begin[0]] < m->from)
        begin[0]++;
    while (begin[0] < end[0] && s->own[0][end[0] - 1] >= m->to)
        end[0]--;
    for (int i = 0; i <= last; i++)
        if (begin[i] >= end[i])
            return;
    memcpy(at, begin, sizeof at);
    for (;;) {
        int64_t place = 0, process = 0;
        for (int i = 0; i < last; i++) {
            place += s->offset[i][s->own[i][at[i]]];
            process += other->process[i][s->own[i][at[i]]];
        }
        walk_line(m, side, begin[last], end[last], place, process);
        int i = last - 1;
        for (; i >= 0 && ++at[i] == end[i]; i--)
            at[i] = begin[i];
        if (i < 0)
            return;
    }
}

static void count_messages(const ashlar_context *c, const ashi_by_element *q, ashi_player_tally *done)
{
    for (int rank = 0; rank < c->ranks; rank++) {
        if (rank == c->rank)
            continue;
        done->received += q->side[TO].count[rank];
        done->received_messages += q->side[TO].count[rank] > 0;
        done->sent_messages += q->side[FROM].count[rank] > 0;
    }
}

static void move_slab(const ashlar_contraction_plan *plan, const moving *m, ashi_player_tally *done)
{
    const ashlar_context *const c = plan->context;
    const ashi_by_element_side *const side = m->q->side;
    const MPI_Datatype type = ashi_mpi_type(plan->type);
    for (int x = 0; x < ASHI_BY_ELEMENT_TENSORS; x++)
        (void)ashi_by_element_count(m->q, x, c->ranks, m->from, m->to);
    count_messages(c, m->q, done);
    walk(m, FROM);
    for (int rank = 0; rank < c->ranks; rank++)
        side[FROM].at[rank] -= side[FROM].count[rank];
    ashi_note(c, MPI_Alltoallv(side[FROM].buffer, side[FROM].count, side[FROM].at, type, side[TO].buffer,
                               side[TO].count, side[TO].at, type, c->comm), "MPI_Alltoallv");
    walk(m, TO);
}

ashlar_status ashi_by_element_run(ashlar_contraction_plan *plan, const ashi_contract_arguments *with,
                                  ashlar_error *err)
{
    const ashi_by_element *const q = plan->made;
    moving m = {.q = q, .kernels = ashi_kernels_of(plan->type), .with = with, .bytes = ashlar_type_bytes(plan->type),
                .conjugate = plan->tensor[FROM].conjugate, .to = q->first};
    ashi_trace *const trace = plan->context->trace;
    const double begin = ashi_trace_begin(trace);
    m.reads = !m.kernels->is_zero(with->alpha);
    (void)err;
    plan->done = (ashi_player_tally){0};
    if (!m.reads)
        walk(&m, TO);
    for (int64_t from = 0; from < q->first && m.reads; from += q->thickness) {
        m.from = from;
        m.to = ashi_min(from + q->thickness, q->first);
        move_slab(plan, &m, &plan->done);
    }
    ashi_trace_note(trace, ASHI_LANE_CORES, "move", begin, ashi_trace_begin(trace), 0, plan->done.received, -1);
    return ASHLAR_OK;
}

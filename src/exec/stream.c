/* Runs one rank's stream of a schedule on files. */
#include "exec/stream.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/type.h"
#include "exec/kernels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A box in a buffer: dense, one side contiguous. */
typedef struct held_box {
    char *at;
    int64_t minor_stride, major_stride;
} held_box;

typedef struct stream {
    const ashi_stream_job *job;
    const ashi_kernels *kernels;
    size_t bytes;
    ashi_need need;
    ashi_stream_tally *tally;
    char *workspace;
    int64_t step;
    held_box box[3];
    int64_t held[3]; /* words of each buffer */
    bool started;    /* the tile in C's buffer has C0 or products in it */
    bool multiplied; /* it has products */
} stream;

/* Record what the cores did from `begin` until now. */
static void note_cores(const stream *s, const char *name, double begin, int64_t words)
{
    if (s->job->trace)
        ashi_trace_note(s->job->trace, ASHI_LANE_CORES, name, begin, ashi_trace_clock(), s->step, words, -1);
}

static bool conjugates(const stream *s, int x)
{
    return x < 2 && s->job->op[x] == ASHLAR_OP_C && ashi_type_of(s->job->type)->complex;
}

/* Whether a box's minor positions run along the rows of the matrix as stored. */
static bool minor_is_row(const stream *s, int x)
{
    if (x == ASHLAR_C)
        return true;
    return (s->job->op[x] == ASHLAR_OP_N) == (x == ASHLAR_A);
}

/* Boxes lie in memory as in their files, so that long runs are copied; but where BLAS is to conjugate, as it can. */
static bool minor_is_contiguous(const stream *s, int x, const ashi_store *file)
{
    if (conjugates(s, x))
        return x == ASHLAR_B;
    if (x == ASHLAR_C && (conjugates(s, ASHLAR_A) || conjugates(s, ASHLAR_B)))
        return true;
    return minor_is_row(s, x) == (ashi_store_order(file) == ASHLAR_COL_MAJOR);
}

/* The box takes the beginning of its operand's buffer. */
static held_box place(const stream *s, int x, const ashi_store *file, const ashi_box *box)
{
    const int64_t offset[3] = {s->need.c_words, s->need.c_words + s->need.a_words, 0};
    held_box h = {s->workspace + offset[x] * (int64_t)s->bytes, 1, 1};
    if (minor_is_contiguous(s, x, file))
        h.major_stride = box->minor_hi - box->minor_lo;
    else
        h.minor_stride = box->major_hi - box->major_lo;
    return h;
}

static ashlar_status acquire(stream *s, const ashi_op *op, ashlar_error *err)
{
    s->held[op->operand] = op->words;
    const int64_t held = s->held[0] + s->held[1] + s->held[2];
    s->tally->workspace = ashi_max(s->tally->workspace, held);
    if (s->held[ASHLAR_C] > s->need.c_words || s->held[ASHLAR_A] > s->need.a_words || held > s->need.workspace)
        return ashi_fail(err, ASHLAR_ERR_INTERNAL, "stream: %" PRId64 " words are wanted, %" PRId64 " were promised",
                         held, s->need.workspace);
    return ASHLAR_OK;
}

static ashlar_status read_box(stream *s, const ashi_op *op, ashlar_error *err)
{
    ashi_store *const file[3] = {s->job->a, s->job->b, s->job->c0};
    const ashi_box *b = &op->box;
    const int x = (int)op->operand;
    const int64_t minor = b->minor_hi - b->minor_lo, major = b->major_hi - b->major_lo;
    /* C's buffer lies as the output wants it. */
    const held_box h = s->box[x] = place(s, x, x == ASHLAR_C ? s->job->c : file[x], b);
    const double begin = ashi_trace_begin(s->job->trace);
    const ashlar_status status =
        minor_is_row(s, x) ? ashi_store_read(file[x], b->minor_lo, minor, b->major_lo, major, h.at, h.minor_stride,
                                             h.major_stride, err)
                           : ashi_store_read(file[x], b->major_lo, major, b->minor_lo, minor, h.at, h.major_stride,
                                             h.minor_stride, err);
    if (status != ASHLAR_OK)
        return status;
    ashi_trace_note_disk(s->job->trace, "read", begin, s->step, minor * major);
    s->tally->read += minor * major;
    s->started = s->started || x == ASHLAR_C;
    return ASHLAR_OK;
}

static void multiply(stream *s, const ashi_op *op)
{
    const ashi_matrix a = {s->box[0].at, s->box[0].minor_stride, s->box[0].major_stride};
    const ashi_matrix b = {s->box[1].at, s->box[1].minor_stride, s->box[1].major_stride};
    if (!s->started)
        s->box[ASHLAR_C] = place(s, ASHLAR_C, s->job->c, &op->box);
    const held_box *c = &s->box[ASHLAR_C];
    const void *beta = s->multiplied ? s->kernels->one : s->started ? s->job->beta : s->kernels->zero;
    const double begin = ashi_trace_begin(s->job->trace);
    s->kernels->gemm(op->box.minor_hi - op->box.minor_lo, op->box.major_hi - op->box.major_lo, op->k_hi - op->k_lo,
                     s->job->alpha, &a, conjugates(s, 0), &b, conjugates(s, 1), beta, c->at, c->minor_stride,
                     c->major_stride);
    note_cores(s, "multiply", begin, ashi_box_words(&op->box) * (op->k_hi - op->k_lo));
    s->started = s->multiplied = true;
}

/* A tile without products is beta C0, or zero. */
static void finish_tile(stream *s, const ashi_box *box)
{
    const ashi_kernels *k = s->kernels;
    if (s->multiplied || (s->started && memcmp(s->job->beta, k->one, s->bytes) == 0))
        return;
    if (!s->started)
        s->box[ASHLAR_C] = place(s, ASHLAR_C, s->job->c, box);
    const held_box *c = &s->box[ASHLAR_C];
    const ashi_matrix zero = {k->zero, 0, 0}, own = {c->at, c->minor_stride, c->major_stride};
    const double begin = ashi_trace_begin(s->job->trace);
    k->axpby(box->minor_hi - box->minor_lo, box->major_hi - box->major_lo, s->started ? s->job->beta : k->one,
             s->started ? &own : &zero, false, k->zero, c->at, c->minor_stride, c->major_stride);
    note_cores(s, "scale", begin, ashi_box_words(box));
}

static ashlar_status write_box(stream *s, const ashi_op *op, ashlar_error *err)
{
    const ashi_box *b = &op->box;
    finish_tile(s, b);
    const held_box *c = &s->box[ASHLAR_C];
    const double begin = ashi_trace_begin(s->job->trace);
    const ashlar_status status =
        ashi_store_write(s->job->c, b->minor_lo, b->minor_hi - b->minor_lo, b->major_lo, b->major_hi - b->major_lo,
                         c->at, c->minor_stride, c->major_stride, err);
    s->started = s->multiplied = false;
    if (status != ASHLAR_OK)
        return status;
    ashi_trace_note_disk(s->job->trace, "write", begin, s->step, ashi_box_words(b));
    s->tally->written += ashi_box_words(b);
    return ASHLAR_OK;
}

static ashlar_status perform(void *context, const ashi_op *op, ashlar_error *err)
{
    stream *s = context;
    ashlar_status status = ASHLAR_OK;
    switch (op->kind) {
    case ASHI_ACQUIRE:
        return acquire(s, op, err);
    case ASHI_READ:
        status = read_box(s, op, err);
        break;
    case ASHI_WRITE:
        status = write_box(s, op, err);
        break;
    case ASHI_MULTIPLY:
        multiply(s, op);
        return ASHLAR_OK;
    case ASHI_RELEASE:
        s->held[ASHLAR_A] = s->held[ASHLAR_B] = 0;
        return ASHLAR_OK;
    default:
        return ashi_fail(err, ASHLAR_ERR_INTERNAL, "stream: an operation that has no place on files");
    }
    if (status == ASHLAR_OK && s->job->progress)
        s->job->progress(s->job->context, op->words);
    return status;
}

ashlar_status ashi_stream_multiply(const ashi_stream_job *job, ashi_stream_tally *tally, ashlar_error *err)
{
    stream s = {.job = job, .kernels = ashi_kernels_of(job->type), .bytes = ashlar_type_bytes(job->type),
                .tally = tally};
    *tally = (ashi_stream_tally){0};
    ashlar_status status = ashi_schedule_need(job->schedule, job->rank, &s.need, err);
    if (status != ASHLAR_OK)
        return status;
    if (s.need.workspace > job->workspace_words)
        return ashi_fail(err, ASHLAR_ERR_INTERNAL, "stream: %" PRId64 " words are needed, %" PRId64 " are there",
                         s.need.workspace, job->workspace_words);
    s.workspace = job->workspace;
    for (; status == ASHLAR_OK && s.step < job->schedule->steps; s.step++)
        status = job->schedule->emit(job->schedule, job->rank, s.step, perform, &s, err);
    return status;
}

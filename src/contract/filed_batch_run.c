/* Contracting slabs of a batch: the next one is read, and the last one written, beside. */
#include "base/checked.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/quiet_thread.h"
#include "contract/filed_batch.h"
#include "kernel/kernels.h"
#include "plan/resume.h"

/* An execution on this rank. */
typedef struct passing {
    ashlar_contraction_plan *plan;
    ashi_filed_batch *b;
    bool reads, adds;        /* A and B are read; C0 is */
    int64_t in, out;         /* the slab to be read, and the one to be written, by the thread; -1: none */
    ashlar_status status;
    ashlar_error err;
    pthread_t thread;
    bool started;
} passing;

static char *buffer_of(const passing *p, int x, int64_t slab)
{
    return p->b->buffer[slab % ASHI_BATCH_BUFFERS][x < ASHI_BATCH_C0 ? x : ASHLAR_C];
}

/* What the disk does is noted in the command's trace, or in that of all over the context; or NULL. */
static ashi_trace *trace_of(const passing *p)
{
    return p->plan->watch.trace ? p->plan->watch.trace : p->plan->context->trace;
}

/* Let the view of tensor x be of a slab; its size. */
static int go_to(const passing *p, int x, int64_t slab)
{
    const ashi_index_list *const list = ashi_batch_list(p->plan, x);
    const ashlar_tensor_file *const file = p->b->file[x];
    int64_t value[ASHI_INDICES_MOST], from[ASHI_DIMENSIONS_MAX];
    const int size = ashi_batch_slab(p->plan, p->b, slab, value);
    for (int d = 0; d < file->file->info.dimensions; d++)
        from[d] = file->from[d];
    for (int i = 0; i < p->b->count; i++)
        from[file->dimension[ashi_index_find(list, p->b->index[i])]] += value[i];
    ashi_store_view_move(p->b->view[x][size], from);
    return size;
}

static ashlar_status read_slab(passing *p, int64_t slab, ashlar_error *err)
{
    const bool wanted[ASHI_BATCH_TENSORS] = {p->reads, p->reads, false, p->adds};
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < ASHI_BATCH_TENSORS && status == ASHLAR_OK; x++) {
        if (!wanted[x])
            continue;
        const double begin = ashi_trace_begin(trace_of(p));
        const int size = go_to(p, x, slab);
        const int64_t words = p->b->words[x][size];
        status = ashi_store_read(p->b->view[x][size], 0, 1, 0, words, buffer_of(p, x, slab), words, 1, err);
        ashi_trace_note(trace_of(p), ASHI_LANE_DISK, "read", begin,
                        ashi_trace_begin(trace_of(p)), slab, words, -1);
        p->b->read += words;
    }
    return status;
}

static ashlar_status write_slab(passing *p, int64_t slab, ashlar_error *err)
{
    const double begin = ashi_trace_begin(trace_of(p));
    const int size = go_to(p, ASHLAR_C, slab);
    const int64_t words = p->b->words[ASHLAR_C][size];
    const ashlar_status status = ashi_store_write(p->b->view[ASHLAR_C][size], 0, 1, 0, words,
                                                  buffer_of(p, ASHLAR_C, slab), words, 1, err);
    ashi_trace_note(trace_of(p), ASHI_LANE_DISK, "write", begin, ashi_trace_begin(trace_of(p)), slab,
                    words, -1);
    p->b->written += words;
    return status;
}

/* The slab that is read takes the buffer of the one that is written. */
static void *work(void *context)
{
    passing *const p = context;
    p->status = p->out >= 0 ? write_slab(p, p->out, &p->err) : ASHLAR_OK;
    if (p->status == ASHLAR_OK && p->in >= 0)
        p->status = read_slab(p, p->in, &p->err);
    return NULL;
}

/* If there is no thread to be had, finish() does the work. */
static void start(passing *p)
{
    p->started = p->b->beside && (p->in >= 0 || p->out >= 0) && ashi_quiet_thread_start(&p->thread, work, p);
}

static ashlar_status finish(passing *p, ashlar_error *err)
{
    if (p->started)
        pthread_join(p->thread, NULL);
    else
        work(p);
    p->started = false;
    if (p->status != ASHLAR_OK)
        *err = p->err;
    return p->status;
}

static ashlar_status contract(passing *p, const ashi_contract_arguments *with, int64_t slab, ashlar_error *err)
{
    int64_t value[ASHI_INDICES_MOST];
    const int size = ashi_batch_slab(p->plan, p->b, slab, value);
    const void *const operand[2] = {buffer_of(p, ASHLAR_A, slab), buffer_of(p, ASHLAR_B, slab)};
    ashlar_contraction_plan *const plan = p->b->plan[size];
    ashi_trace *const others = plan->context->trace, *const trace = p->plan->watch.trace;
    const bool on_device = ashi_contract_on_device(plan).used;
    const double begin = ashi_trace_begin(trace);
    if (on_device && trace)
        plan->context->trace = trace; /* the device has lanes of its own in it */
    const ashlar_status status = p->plan->calls->execute(plan, with->alpha, operand, with->beta,
                                                         buffer_of(p, ASHLAR_C, slab), err);
    plan->context->trace = others;
    if (!on_device)
        ashi_trace_note(trace, ASHI_LANE_CORES, "multiply", begin, ashi_trace_begin(trace), slab,
                        (int64_t)plan->report.multiply_adds, -1);
    return status;
}

static void tell(const passing *p, int64_t done)
{
    const ashi_contract_watch *const w = &p->plan->watch;
    if (w->progress)
        w->progress(w->user, done, p->b->last - p->b->first);
}

static ashlar_status pass(passing *p, const ashi_contract_arguments *with, ashlar_error *err)
{
    const int64_t first = p->b->first, last = p->b->last;
    p->in = first;
    p->out = -1;
    ashlar_status status = first < last ? finish(p, err) : ASHLAR_OK;
    for (int64_t i = first; i < last && status == ASHLAR_OK; i++) {
        ashlar_error moving = {0};
        p->in = i + 1 < last ? i + 1 : -1;
        p->out = i > first ? i - 1 : -1;
        start(p);
        status = ashi_interrupt_check(err);
        if (status == ASHLAR_OK)
            status = contract(p, with, i, err);
        const ashlar_status moved = finish(p, &moving);
        if (status == ASHLAR_OK && moved != ASHLAR_OK)
            status = ashi_fail(err, moved, "%s", moving.text);
        tell(p, i + 1 - first);
    }
    p->in = -1;
    p->out = last - 1;
    return status == ASHLAR_OK && first < last ? finish(p, err) : status;
}

ashlar_status ashi_batch_run(ashlar_contraction_plan *plan, const ashi_contract_arguments *with, ashlar_error *err)
{
    ashi_filed_batch *const b = plan->made;
    const ashi_kernels *const kernels = ashi_kernels_of(plan->type);
    ashlar_file *const c = b->file[ASHLAR_C]->file;
    passing p = {.plan = plan, .b = b, .reads = !kernels->is_zero(with->alpha), .adds = !kernels->is_zero(with->beta)};
    if (p.adds && !b->file[ASHI_BATCH_C0])
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_contraction_execute: beta is not 0 and there is no output0");
    const double began = MPI_Wtime();
    b->read = b->written = 0;
    ashlar_status status = c->temporary ? ashi_resume_none(c, err) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = ashi_agree_named(plan->context, pass(&p, with, err), err);
    b->seconds = MPI_Wtime() - began;
    c->failed = c->failed || status != ASHLAR_OK;
    c->complete = status == ASHLAR_OK;
    return status;
}

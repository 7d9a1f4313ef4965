/* Executing plans of matrices in files and in memory together: slab after slab, the next one read beside. */
#include "base/checked.h"
#include "base/error.h"
#include "base/quiet_thread.h"
#include "kernel/kernels.h"
#include "plan/plan.h"
#include "plan/resume.h"

/* An execution in progress. */
typedef struct passing {
    ashlar_plan *plan;
    const void *alpha, *beta;
    const ashi_part *part;   /* the caller's */
    ashlar_file *from[3];    /* what is read, C0 in the place of C; NULL: nothing */
    ashlar_file *to;         /* what is written */
    bool multiplies;         /* alpha is not 0 */
    int64_t slabs;           /* of those that are planned, the first */
    ashi_resume resume;      /* of C, if that is written */
    int64_t done, all;       /* words read, as many again for the product, and words written */

    /* What is done beside a product, by a thread if `started`. */
    int64_t reads, writes;   /* the slabs; -1: none */
    ashi_filed_tally tally;
    ashlar_status status;
    ashlar_error err;
    pthread_t thread;
    bool started;
} passing;

static ashlar_plan *plan_of(const passing *p, int64_t slab)
{
    const ashi_mixed *m = &p->plan->filed.mixed;
    return m->kind[m->kind_of[slab]].plan;
}

static ashi_trace *trace_of(const passing *p)
{
    return ashi_plan_trace(p->plan);
}

/* Positions of the index. */
static void range_of(const passing *p, int64_t slab, int64_t *lo, int64_t *hi)
{
    const ashlar_problem *q = &p->plan->problem;
    const ashi_mixed_cut *cut = &p->plan->filed.mixed.cut;
    const int64_t size[3] = {q->m, q->n, q->k};
    *lo = slab * cut->thickness;
    *hi = ashi_min(*lo + cut->thickness, size[cut->index]);
}

/* Where a slab of matrix x begins in its file. */
static ashi_file_at place_of(const passing *p, int x, int64_t slab)
{
    int64_t lo, hi;
    range_of(p, slab, &lo, &hi);
    const ashi_layout_slab at = ashi_mixed_slab(p->plan, p->plan->filed.mixed.cut.index, x, lo, hi);
    return (ashi_file_at){at.rows ? lo : 0, at.rows ? 0 : lo};
}

static void *buffer_of(const passing *p, int x, int64_t slab)
{
    const ashi_mixed *m = &p->plan->filed.mixed;
    return m->buffer[slab % m->cut.buffers][x];
}

static int64_t own_words(const passing *p, int x, int64_t slab)
{
    return ashlar_layout_words(plan_of(p, slab)->layout[x], p->plan->context->rank);
}

/* ---- between files and buffers ---- */

static ashlar_status read_slab(passing *p, int64_t slab, ashlar_error *err)
{
    ashlar_status status = ASHLAR_OK;
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++) {
        if (!p->from[x])
            continue;
        const double begin = ashi_trace_begin(trace_of(p));
        const int64_t words = own_words(p, x, slab);
        status = ashi_file_read_part(p->from[x], p->from[x]->info.type, plan_of(p, slab)->layout[x],
                                     place_of(p, x, slab), buffer_of(p, x, slab), NULL, err);
        ashi_trace_note(trace_of(p), ASHI_LANE_DISK, "read", begin, ashi_trace_begin(trace_of(p)), slab, words,
                        -1);
        p->tally.read += words;
    }
    return status;
}

static ashlar_status write_slab(passing *p, int64_t slab, ashlar_error *err)
{
    if (!p->to)
        return ASHLAR_OK;
    const double begin = ashi_trace_begin(trace_of(p));
    const int64_t words = own_words(p, ASHLAR_C, slab);
    const ashlar_status status =
        ashi_file_write_part(p->to, plan_of(p, slab)->layout[ASHLAR_C], place_of(p, ASHLAR_C, slab),
                             buffer_of(p, ASHLAR_C, slab), NULL, err);
    ashi_trace_note(trace_of(p), ASHI_LANE_DISK, "write", begin, ashi_trace_begin(trace_of(p)), slab, words, -1);
    p->tally.written += words;
    return status;
}

/* The slab that is read takes the buffer of the one that is written. */
static void *work(void *context)
{
    passing *p = context;
    p->status = p->writes >= 0 ? write_slab(p, p->writes, &p->err) : ASHLAR_OK;
    if (p->status == ASHLAR_OK && p->reads >= 0)
        p->status = read_slab(p, p->reads, &p->err);
    return NULL;
}

/* If there is no thread to be had, finish() does the work. */
static void start(passing *p)
{
    const bool alone = p->plan->filed.mixed.cut.buffers == 1 || ashi_filed_calls(&p->plan->filed);
    p->started = !alone && (p->reads >= 0 || p->writes >= 0) && ashi_quiet_thread_start(&p->thread, work, p);
}

static ashlar_status finish(passing *p, int64_t slab, ashlar_error *err)
{
    const double begin = ashi_trace_begin(trace_of(p));
    if (p->started)
        pthread_join(p->thread, NULL);
    else
        work(p);
    p->started = false;
    ashi_trace_note(trace_of(p), ASHI_LANE_CORES, ASHI_WAIT_DISK, begin, ashi_trace_begin(trace_of(p)), slab, 0,
                    -1);
    if (p->status != ASHLAR_OK)
        *err = p->err;
    return p->status;
}

/* ---- the product of a slab ---- */

typedef struct stepping {
    const passing *passing;
    int64_t share; /* of all words */
} stepping;

static void tell(const passing *p, int64_t done)
{
    const ashi_filed *f = &p->plan->filed;
    if (f->progress)
        f->progress(f->user, ashi_min(done, p->all), p->all);
}

static void stepped(void *context, int64_t done, int64_t all)
{
    const stepping *s = context;
    tell(s->passing, s->passing->done + (int64_t)((double)s->share * (double)done / (double)ashi_max(all, 1)));
}

static void find_parts(const passing *p, int64_t slab, ashi_part out[3])
{
    const ashlar_plan *plan = p->plan;
    const ashi_mixed *m = &plan->filed.mixed;
    int64_t lo, hi;
    range_of(p, slab, &lo, &hi);
    for (int x = 0; x < 3; x++) {
        out[x] = p->part[x];
        if (plan->filed.file[x]) {
            out[x] = (ashi_part){buffer_of(p, x, slab), NULL};
        } else if (ashi_mixed_has(x, m->cut.index)) {
            const ashi_layout_slab at = ashi_mixed_slab(plan, m->cut.index, x, lo, hi);
            ashi_layout_slab_tiles(plan->layout[x], &at, plan->context->rank, ashlar_type_bytes(plan->problem.type),
                                   p->part[x].base, p->part[x].tile, m->tile[x]);
            out[x] = (ashi_part){NULL, m->tile[x]};
        }
    }
}

static ashlar_status multiply_slab(passing *p, int64_t slab, int64_t share, ashlar_error *err)
{
    ashlar_plan *sub = plan_of(p, slab);
    ashi_player_tally *sum = &p->plan->tally;
    const bool goes_on = slab > 0 && p->plan->filed.mixed.cut.index == 2; /* with the sums of the slabs before */
    stepping steps = {p, share};
    ashi_part part[3];
    find_parts(p, slab, part);
    ashi_runner_record(sub->runner, p->plan->trace);
    ashi_runner_on_progress(sub->runner, p->plan->filed.progress ? stepped : NULL, &steps);
    const ashlar_status status = ashi_plan_run(
        sub, p->alpha, part, goes_on ? ashi_kernels_of(p->plan->problem.type)->one : p->beta, err);
    ashi_runner_on_progress(sub->runner, NULL, NULL);
    ashi_runner_record(sub->runner, NULL);
    sum->received += sub->tally.received;
    sum->received_messages += sub->tally.received_messages;
    sum->sent_messages += sub->tally.sent_messages;
    sum->workspace = ashi_max(sum->workspace, sub->tally.workspace);
    return status;
}

/* ---- all slabs ---- */

/* Words of a slab that this rank moves between memory and files. */
static int64_t moved_words(const passing *p, int64_t slab)
{
    int64_t words = p->to ? own_words(p, ASHLAR_C, slab) : 0;
    for (int x = 0; x < 3; x++)
        words += p->from[x] ? own_words(p, x, slab) : 0;
    return words;
}

/* Of which files slabs have parts of the lines. */
static void advise(const passing *p)
{
    for (int x = 0; x < 3; x++) {
        const bool rows = ashi_mixed_slab(p->plan, p->plan->filed.mixed.cut.index, x, 0, 1).rows;
        if (p->from[x] && rows != (p->from[x]->info.order == ASHLAR_ROW_MAJOR))
            ashi_store_expect_parts(p->from[x]->store);
    }
}

static passing begin(ashlar_plan *plan, const void *alpha, const ashi_part part[3], const void *beta)
{
    const ashi_kernels *k = ashi_kernels_of(plan->problem.type);
    const ashi_filed *f = &plan->filed;
    const bool multiplies = !k->is_zero(alpha);
    passing p = {.plan = plan, .alpha = alpha, .beta = beta, .part = part, .to = f->file[ASHLAR_C],
                 .multiplies = multiplies, .slabs = f->mixed.slabs};
    for (int x = 0; x < 2; x++)
        p.from[x] = multiplies ? f->file[x] : NULL;
    p.from[ASHLAR_C] = k->is_zero(beta) ? NULL : f->file[ASHI_FILED_C0];
    if (!multiplies && f->mixed.cut.index == 2)
        p.slabs = 1; /* which has all of C */
    for (int64_t i = 0; i < p.slabs; i++)
        p.all += 2 * moved_words(&p, i);
    return p;
}

/* The next slab to be read, and the last one to be written, if there are such. */
static void choose_moves(passing *p, int64_t reads, int64_t writes)
{
    p->reads = reads < p->slabs ? reads : -1;
    p->writes = writes >= p->resume.from ? writes : -1;
}

/* What is written is finished. */
static void record(passing *p)
{
    if (p->to && p->writes >= 0)
        ashi_resume_offer(&p->resume, p->writes + 1);
}

/* With one buffer a slab is written before the next is read. */
static ashlar_status pass(passing *p, ashlar_error *err)
{
    const ashlar_context *context = p->plan->context;
    const int behind = p->plan->filed.mixed.cut.buffers - 1;
    const int64_t from = p->resume.from;
    choose_moves(p, from, -1);
    ashlar_status status = ashi_agree_named(context, finish(p, from, err), err);
    for (int64_t i = from; i < p->slabs && status == ASHLAR_OK; i++) {
        const int64_t share = 2 * moved_words(p, i);
        choose_moves(p, i + 1, i - behind);
        start(p);
        status = multiply_slab(p, i, share, err);
        ashlar_error moving = {0};
        const ashlar_status moved = finish(p, i, &moving);
        if (status == ASHLAR_OK && moved != ASHLAR_OK)
            status = ashi_fail(err, moved, "%s", moving.text);
        status = ashi_agree_named(context, status, err);
        if (status == ASHLAR_OK)
            record(p);
        p->done += share;
        tell(p, p->done);
    }
    if (status != ASHLAR_OK || behind == 0 || from == p->slabs)
        return status;
    choose_moves(p, p->slabs, p->slabs - 1);
    status = ashi_agree_named(context, finish(p, p->slabs - 1, err), err);
    if (status == ASHLAR_OK)
        record(p);
    return status;
}

static int64_t memory_of(const void *context)
{
    const passing *p = context;
    return ashi_mixed_memory(p->plan, p->part);
}

/* See what is finished of C. Collective. */
static ashlar_status go_on(passing *p, ashlar_error *err)
{
    const ashi_nest_turns turns = {1, 1, ashi_max(p->plan->filed.series.longest, p->slabs)};
    ashi_resume_request q = {.alpha = p->alpha, .beta = p->beta, .multiplies = p->multiplies,
                             .adds = p->from[ASHLAR_C] != NULL, .own = turns, .most = turns,
                             .kind = "matrices in files go through memory slab by slab",
                             .memory = p->multiplies ? memory_of : NULL, .context = p};
    ashi_mixed_describe(p->plan, q.how, sizeof q.how);
    const ashlar_status status = ashi_resume_begin(p->plan, &q, &p->resume, err);
    p->resume.from = ashi_min(p->resume.from, p->slabs);
    for (int64_t i = 0; i < p->resume.from; i++)
        p->done += 2 * moved_words(p, i);
    p->plan->filed.resumed = (double)p->resume.from / (double)p->slabs;
    return status;
}

ashlar_status ashi_mixed_run(ashlar_plan *plan, const void *alpha, const ashi_part part[3], const void *beta,
                             ashlar_error *err)
{
    passing p = begin(plan, alpha, part, beta);
    advise(&p);
    plan->tally = (ashi_player_tally){0};
    plan->filed.resumed = 0;
    ashlar_status status = p.to ? go_on(&p, err) : ASHLAR_OK;
    if (status == ASHLAR_OK)
        status = pass(&p, err);
    plan->filed.tally = p.tally;
    if (!p.to)
        return status;
    ashlar_error syncing = {0};
    const ashlar_status synced = ashi_resume_end(&p.resume, &syncing);
    if (status == ASHLAR_OK && synced != ASHLAR_OK)
        status = ashi_fail(err, synced, "%s", syncing.text);
    return ashi_agree_named(plan->context, status, err);
}

/* The disk lane: panels read from files and written to them, by threads beside the calling one.
 *
 * If a file is plain they do nothing but read and write at places that the calling thread has found, several at once.
 * Else they call the file's functions, one call at a time for all files. */
#include "base/checked.h"
#include "base/error.h"
#include "base/quiet_thread.h"
#include "base/type.h"
#include "exec/careful.h"
#include "exec/place_of.h"
#include "kernel/wait.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A task of the lane, or a piece of one. */
typedef struct job {
    struct job *next, *first; /* of a list; the task's first piece */
    ashi_box_move move;
    const ashi_file_source *source; /* that is called for `panel`, with what `move` says of memory; NULL: plain */
    ashi_panel panel;
    int64_t number, step, words;
    ashi_file_role role;
    int piece; /* of the task */
    ashlar_status status;
    ashlar_error err;
    int pieces; /* that have not ended. This and the next two are the first piece's, and the calling thread's */
    ashlar_status worst;
    ashlar_error why;
} job;

/* A task is cut into at most PIECES_MOST pieces, none of them below PIECE_BYTES bytes. */
enum { PIECES_MOST = ASHI_CAREFUL_PIECES, PIECE_BYTES = 1 << 18 };

/* First in, first out. */
typedef struct jobs {
    job *first, **last;
} jobs;

typedef struct disk {
    ashi_beside base;
    ashi_play *play;
    char *between; /* of the calling thread */
    ashi_care care;
    job *unused;
    int threads;
    pthread_t *thread;
    pthread_mutex_t mutex; /* of what follows */
    pthread_cond_t come, gone;
    jobs waiting, done;
    jobs calls;   /* those of files that are not plain, */
    bool calling; /* of which one is under way */
    bool ends;
} disk;

static void append(jobs *list, job *j)
{
    j->next = NULL;
    *list->last = j;
    list->last = &j->next;
}

static job *take(jobs *list)
{
    job *j = list->first;
    if (j && !(list->first = j->next))
        list->last = &list->first;
    return j;
}

static ashlar_status call(const job *j, ashlar_error *err)
{
    const ashi_file_source *s = j->source;
    return j->move.write ? s->write(s->file, &j->panel, j->move.data, j->move.stride, err)
                         : s->read(s->file, &j->panel, j->move.data, j->move.stride, err);
}

/* Read or write, and tell the trace. */
static ashlar_status do_move(disk *d, const job *j, char *between, ashi_direct_batch *batch, ashlar_error *err)
{
    ashi_trace *trace = d->play->request.trace;
    const double began = ashi_trace_begin(trace);
    ashi_box_move move = j->move;
    move.batch = batch;
    const ashlar_status status =
        j->source ? call(j, err) : ashi_move_with_care(&d->care, &move, j->role, j->piece, between, err);
    ashi_trace_note(trace, ASHI_LANE_DISK, j->move.write ? ASHI_WRITE_FILE : ASHI_READ_FILE, began,
                    ashi_trace_begin(trace), j->step, j->words, -1);
    return status;
}

/* What a thread can begin now. The mutex is held. */
static job *next_job(disk *d)
{
    if (d->calling || !d->calls.first)
        return take(&d->waiting);
    d->calling = true;
    return take(&d->calls);
}

static void *work(void *context)
{
    disk *d = context;
    char *between = ashi_direct_buffer(ASHI_BOX_MOVE_BYTES);
    ashi_direct_batch *batch = ashi_direct_batch_create();
    pthread_mutex_lock(&d->mutex);
    while (!d->ends) {
        job *j = next_job(d);
        if (!j) {
            pthread_cond_wait(&d->come, &d->mutex);
            continue;
        }
        pthread_mutex_unlock(&d->mutex);
        j->status = between ? do_move(d, j, between, batch, &j->err)
                            : ashi_fail_memory(&j->err, "player", ASHI_BOX_MOVE_BYTES);
        pthread_mutex_lock(&d->mutex);
        d->calling = d->calling && !j->source; /* this thread looks for the next call itself */
        append(&d->done, j);
        pthread_cond_signal(&d->gone);
        if (d->play->request.workers) {
            pthread_mutex_unlock(&d->mutex);
            ashi_workers_call(d->play->request.workers);
            pthread_mutex_lock(&d->mutex);
        }
    }
    pthread_mutex_unlock(&d->mutex);
    ashi_direct_batch_free(batch);
    free(between);
    return NULL;
}

/* ---- what a task moves ---- */

/* A MOVE between a panel in a file and one in the pool. */
typedef struct filing {
    const ashi_placed *file, *pool;
    const ashi_file_source *source;
    ashi_file_role role;
    bool write;
    int64_t stride[ASHI_INDICES_MAX]; /* of the pool */
    char *data;                       /* where the file's panel begins in the pool */
} filing;

static ashi_file_role role_of(const ashi_panel *p, bool write)
{
    if (p->operand != ASHLAR_C && !p->given)
        return p->operand == ASHLAR_A ? ASHI_FILE_OWN_A : ASHI_FILE_OWN_B;
    if (p->operand != ASHLAR_C)
        return p->operand == ASHLAR_A ? ASHI_FILE_A : ASHI_FILE_B;
    return p->given && !write ? ASHI_FILE_C0 : ASHI_FILE_C;
}

static ashlar_status find(const disk *d, const ashi_node *n, filing *f, ashlar_error *err)
{
    const ashi_play *play = d->play;
    const ashi_placed *from = ashi_window_placed(&play->window, n->read[0]);
    const ashi_placed *to = ashi_window_placed(&play->window, n->makes);
    *f = (filing){.file = to, .pool = from, .write = true};
    if (from->panel.memory == ASHI_MEMORY_FILE)
        *f = (filing){.file = from, .pool = to};
    if (f->pool->panel.memory != ASHI_MEMORY_POOL)
        return ashi_fail(err, ASHLAR_ERR_INTERNAL, "panel %" PRId64 " goes from a file past the pool",
                         f->pool->panel.id);
    f->role = role_of(&f->file->panel, f->write);
    f->source = play->work.file[f->role];
    if (!f->source)
        return ashi_fail(err, ASHLAR_ERR_INTERNAL, "panel %" PRId64 " is in a file that is not there",
                         f->file->panel.id);
    ashi_pool_strides(f->pool, f->stride);
    f->data = ashi_pool_address(play, f->pool);
    for (int i = 0; i < f->file->panel.indices; i++)
        f->data += (f->file->panel.lo[i] - f->pool->panel.lo[i]) * f->stride[i] * (int64_t)play->bytes;
    return ASHLAR_OK;
}

static void describe(const disk *d, const filing *f, ashi_box_move *out)
{
    const ashi_panel *p = &f->file->panel;
    const ashi_type *type = ashi_type_of(d->play->request.type);
    *out = (ashi_box_move){.file = f->source->plain, .indices = p->indices, .bytes = d->play->bytes,
                           .number_bytes = type->complex ? type->bytes / 2 : type->bytes, .data = f->data,
                           .write = f->write};
    for (int i = 0; i < p->indices; i++) {
        out->lo[i] = p->lo[i];
        out->extent[i] = p->hi[i] - p->lo[i];
        out->stride[i] = f->stride[i];
    }
}

/* BLAS is not left to conjugate: it can for some ways to lie only. */
static void conjugate(const disk *d, const ashi_node *n)
{
    const ashi_kernels *k = d->play->kernels;
    filing f;
    ashlar_error err;
    if (find(d, n, &f, &err) != ASHLAR_OK || f.write || !f.source->conjugate)
        return;
    const ashi_panel *p = &f.file->panel;
    const ashi_matrix x = {f.data, f.stride[0], f.stride[1]};
    k->axpby(p->hi[0] - p->lo[0], p->hi[1] - p->lo[1], k->one, &x, true, k->zero, f.data, f.stride[0], f.stride[1]);
}

static void ended(disk *d, int64_t number, ashlar_status status, const ashlar_error *err)
{
    ashi_play *play = d->play;
    const ashi_node *n = ashi_window_node(&play->window, number);
    const ashi_placed *to = ashi_window_placed(&play->window, n->makes);
    d->base.under_way--;
    if (status != ASHLAR_OK) {
        ashi_play_fail(play, err);
    } else if (!play->draining) {
        int64_t *words = to->panel.memory == ASHI_MEMORY_FILE ? &play->tally->written : &play->tally->read;
        *words += ashi_window_placed(&play->window, to->panel.memory == ASHI_MEMORY_FILE ? n->makes : n->read[0])
                      ->panel.words;
        conjugate(d, n);
    }
    ashi_play_ended(play, number);
}

/* ---- the lane ---- */

static job *new_job(disk *d)
{
    job *j = d->unused;
    if (j)
        d->unused = j->next;
    else
        j = malloc(sizeof *j);
    return j;
}

static void put_back(disk *d, job *j)
{
    j->next = d->unused;
    d->unused = j;
}

/* Several reads under way keep a disk busy that takes its time for each, above all if runs are short: a box is cut
 * along the index that is slowest in the file. Returns how many pieces it is worth. Writes are one piece: they only go
 * to the system's memory, and those to one file wait for each other there. */
static int64_t pieces_of(const disk *d, const job *j, int *along)
{
    const ashi_box_move *m = &j->move;
    const int64_t bytes = d->play->request.disk_piece > 0 ? d->play->request.disk_piece : PIECE_BYTES;
    *along = 0;
    for (int i = 1; i < m->indices; i++)
        if (m->extent[*along] == 1 || (m->extent[i] > 1 && m->file.stride[i] > m->file.stride[*along]))
            *along = i;
    const int64_t worth = ashi_min(j->words * (int64_t)m->bytes / bytes, m->extent[*along]);
    return m->write || j->source ? 1 : ashi_max(ashi_min(worth, ashi_min(d->threads, PIECES_MOST)), 1);
}

static void cut_piece(const job *whole, int along, int64_t pieces, int64_t i, job *out)
{
    ashi_box_move *m = &out->move;
    const int64_t all = whole->move.extent[along], lo = ashi_cut(all, pieces, i);
    *out = *whole;
    m->extent[along] = ashi_cut(all, pieces, i + 1) - lo;
    m->lo[along] += lo;
    m->data += lo * m->stride[along] * (int64_t)m->bytes;
    out->words = whole->words / ashi_max(all, 1) * m->extent[along];
}

/* Hand a task to the threads, in fewer pieces if memory is short. False if there is none for a single one. */
static bool hand_over(disk *d, const job *task)
{
    int along;
    const int64_t wanted = pieces_of(d, task, &along);
    job *pieces[PIECES_MOST];
    int count = 0;
    while (count < wanted && (pieces[count] = new_job(d)) != NULL)
        count++;
    for (int i = 0; i < count; i++) {
        cut_piece(task, along, count, i, pieces[i]);
        pieces[i]->first = pieces[0];
        pieces[i]->piece = i;
        pieces[i]->pieces = count;
        pieces[i]->worst = ASHLAR_OK;
    }
    pthread_mutex_lock(&d->mutex);
    for (int i = 0; i < count; i++)
        append(task->source ? &d->calls : &d->waiting, pieces[i]);
    pthread_cond_broadcast(&d->come);
    pthread_mutex_unlock(&d->mutex);
    return count > 0;
}

static void begin(ashi_beside *base, int64_t number)
{
    disk *d = (disk *)base;
    const ashi_node *n = ashi_window_node(&d->play->window, number);
    filing f;
    ashlar_error err;
    ashlar_status status = ASHLAR_OK;
    base->under_way++;
    if (!d->play->draining)
        status = find(d, n, &f, &err);
    if (status != ASHLAR_OK || d->play->draining) {
        ended(d, number, status, &err);
        return;
    }
    job now = {.number = number, .step = n->task.step, .words = f.file->panel.words, .role = f.role};
    describe(d, &f, &now.move);
    if (f.source->plain.fd < 0) {
        now.source = f.source;
        now.panel = f.file->panel;
    }
    if (d->threads > 0 && hand_over(d, &now))
        return;
    status = do_move(d, &now, d->between, NULL, &err);
    ended(d, number, status, &err);
}

/* The task ends with the last of its pieces, and fails with the first that failed. */
static void piece_ended(disk *d, job *j)
{
    job *first = j->first;
    if (j->status != ASHLAR_OK && first->worst == ASHLAR_OK) {
        first->worst = j->status;
        first->why = j->err;
    }
    if (j != first)
        put_back(d, j);
    if (--first->pieces > 0)
        return;
    ended(d, first->number, first->worst, &first->why);
    put_back(d, first);
}

static void wait_disk(ashi_beside *base, double seconds)
{
    disk *d = (disk *)base;
    if (base->under_way == 0)
        return;
    const struct timespec end = ashi_wait_end(seconds);
    pthread_mutex_lock(&d->mutex);
    for (bool more = seconds != 0; more && !d->done.first;)
        more = ashi_wait_once(&d->gone, &d->mutex, seconds < 0 ? NULL : &end);
    job *done = d->done.first;
    d->done = (jobs){NULL, &d->done.first};
    pthread_mutex_unlock(&d->mutex);
    while (done) {
        job *j = done;
        done = j->next;
        piece_ended(d, j);
    }
}

static void free_disk(ashi_beside *base)
{
    disk *d = (disk *)base;
    pthread_mutex_lock(&d->mutex);
    d->ends = true;
    pthread_cond_broadcast(&d->come);
    pthread_mutex_unlock(&d->mutex);
    for (int i = 0; i < d->threads; i++)
        pthread_join(d->thread[i], NULL);
    pthread_cond_destroy(&d->come);
    pthread_cond_destroy(&d->gone);
    pthread_mutex_destroy(&d->mutex);
    ashi_care_end(&d->care);
    for (job *j = d->unused, *next; j; j = next) {
        next = j->next;
        free(j);
    }
    free(d->thread);
    free(d->between);
    free(d);
}

/* As many threads as can be started will do: with none the calling thread reads and writes. */
static void start_threads(disk *d, int threads)
{
    while (d->threads < threads && ashi_quiet_thread_start(&d->thread[d->threads], work, d))
        d->threads++;
}

ashlar_status ashi_disk_create(ashi_play *play, ashi_beside **out, ashlar_error *err)
{
    const bool files = ashi_program_has_files(play->program);
    const int threads = files ? play->request.disk_threads : 0;
    disk *d = calloc(1, sizeof *d);
    *out = NULL;
    if (!d)
        return ashi_fail_memory(err, "player", (int64_t)sizeof *d);
    d->base = (ashi_beside){.begin = begin, .wait = wait_disk, .free = free_disk};
    d->play = play;
    d->waiting.last = &d->waiting.first;
    d->calls.last = &d->calls.first;
    d->done.last = &d->done.first;
    d->between = files ? ashi_direct_buffer(ASHI_BOX_MOVE_BYTES) : NULL;
    d->thread = calloc((size_t)(threads > 0 ? threads : 1), sizeof *d->thread);
    if ((files && !d->between) || !d->thread || pthread_mutex_init(&d->mutex, NULL) != 0 ||
        pthread_cond_init(&d->come, NULL) != 0 || pthread_cond_init(&d->gone, NULL) != 0 ||
        ashi_care_begin(&d->care, play->request.memory_is_short, err) != ASHLAR_OK) {
        free(d->between);
        free(d->thread);
        free(d);
        return ashi_fail_memory(err, "player", ASHI_BOX_MOVE_BYTES);
    }
    start_threads(d, threads);
    *out = &d->base;
    return ASHLAR_OK;
}

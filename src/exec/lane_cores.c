/* The cores lane: tasks of the calling thread, and beside it of the workers.
 *
 * A product that runs on one thread, and parts of what is moved, added up, scaled or, beside a disk, multiplied, are
 * given to the workers. While any are under way the BLAS is at one thread. Another product waits until they have ended,
 * and has all threads of the BLAS. The calling thread helps whenever it has nothing else to do. Beside a disk there is
 * one worker more, so that the calling thread begins what the disk can do as soon as that is ready. */
#include "base/checked.h"
#include "base/error.h"
#include "exec/play_tiles.h"
#include "kernel/narrow.h"
#include "kernel/threads.h"
#include "kernel/workers.h"

#include <stdlib.h>

/* Tasks that become ready later may be earlier in the program. So no more is given to the workers than some
 * milliseconds of work, if that is enough for all of them. */
enum { AHEAD = 100000000, AHEAD_JOBS = 2 };

/* Products of tiles are the calling thread's, which shares them with the workers. */
static ashlar_status do_tiles(const ashi_play *play, ashi_hand *hand, const ashi_node *n, ashi_stripe stripe,
                              ashlar_error *err)
{
    switch (n->task.kind) {
    case ASHI_DO_MULTIPLY:
        return ashi_tiles_multiply(play, hand->heard, n, err);
    case ASHI_DO_MOVE:
        return ashi_tiles_move(play, n, stripe, err);
    case ASHI_DO_SCALE:
        return ashi_tiles_scale(play, n, stripe);
    default:
        return ashi_fail(err, ASHLAR_ERR_INTERNAL, "tiles have no %s", ashi_operation_name(n->task.kind));
    }
}

static ashlar_status do_part(const ashi_play *play, ashi_hand *hand, const ashi_node *n, ashi_stripe stripe,
                             ashlar_error *err)
{
    if (play->tiles)
        return do_tiles(play, hand, n, stripe, err);
    switch (n->task.kind) {
    case ASHI_DO_MULTIPLY:
        return ashi_play_multiply(play, hand, n, stripe, err);
    case ASHI_DO_MOVE:
        return ashi_play_move(play, n, stripe, err);
    case ASHI_DO_ADD:
        return ashi_play_add(play, n, stripe, err);
    case ASHI_DO_SCALE:
        return ashi_play_scale(play, n, stripe, err);
    default:
        return ashi_fail(err, ASHLAR_ERR_INTERNAL, "the cores have no %s", ashi_operation_name(n->task.kind));
    }
}

/* While a device multiplies the thread waits, unless it has to multiply itself since the device has failed. */
static const char *name_of(const ashi_play *play, const ashi_node *n)
{
    const ashi_onto *onto = play->request.onto;
    const bool on_device = play->tiles ? ashi_tiles_on_device(play)
                                       : onto && !play->mends && ashi_onto_total(onto)->failure.status == ASHLAR_OK;
    return on_device && n->task.kind == ASHI_DO_MULTIPLY ? ASHI_WAIT_DEVICE : ashi_task_name(n->task.kind);
}

/* Tell the trace too. The first failure of a thread is kept. */
static bool do_and_note(const ashi_play *play, ashi_hand *hand, const ashi_node *n, ashi_stripe stripe)
{
    const double began = ashi_trace_begin(play->request.trace);
    ashlar_error err;
    const bool ok = do_part(play, hand, n, stripe, &err) == ASHLAR_OK;
    if (!ok && hand->failure.status == ASHLAR_OK)
        hand->failure = err;
    if (play->request.trace) {
        const int64_t words = ashi_cut_size(ashi_window_words(&play->window, n), stripe.parts, stripe.part);
        ashi_trace_note(play->request.trace, ASHI_LANE_CORES, name_of(play, n), began, ashi_trace_clock(),
                        n->task.step, words, -1);
    }
    return ok;
}

/* Of any thread. */
static bool do_job(void *context, const ashi_job *job, int hand)
{
    const ashi_play *play = context;
    return do_and_note(play, &play->hand[hand], ashi_window_node(&play->window, job->number),
                       (ashi_stripe){job->part, job->parts});
}

/* The first failure of any thread that is not noted yet. */
static void note_failures(ashi_play *play)
{
    for (int i = 0; i < play->hands; i++)
        if (play->hand[i].failure.status != ASHLAR_OK)
            ashi_play_fail(play, &play->hand[i].failure);
}

/* Into how many parts a product for all threads is cut; 1: the BLAS shares it out. */
static int shares_of(const ashi_play *play, const ashi_node *n)
{
    const ashi_task *t = &n->task;
    if (!play->shares || t->kind != ASHI_DO_MULTIPLY || n->one_thread)
        return 1;
    return ashi_ways_shares(ashi_max(t->hi[0] - t->lo[0], t->hi[1] - t->lo[1]), play->request.threads,
                            &play->request.sizes);
}

/* ---- the calling thread alone ---- */

/* The number of threads of the BLAS is part of the product: its bits may depend on it. A product of tiles takes the
 * BLAS, and the workers, by itself. */
static void do_now(ashi_play *play, int64_t number)
{
    const ashi_node *n = ashi_window_node(&play->window, number);
    const int blas = play->request.blas_threads;
    const bool product = n->task.kind == ASHI_DO_MULTIPLY && (play->request.threads > 1 || blas > 0);
    const int parts = shares_of(play, n);
    /* Else the BLAS is at one thread, and so is the product. */
    const bool enters = product && play->handed == 0 && !play->tiles, alone = n->one_thread || parts > 1;
    if (enters)
        ashi_blas_begin(alone ? 1 : blas);
    for (int i = 0; i < parts && !play->draining; i++)
        if (!do_and_note(play, &play->hand[0], n, (ashi_stripe){i, parts}))
            note_failures(play);
    if (enters)
        ashi_blas_end();
    if (product && play->tiles && play->workers > 0)
        ashi_workers_serve(play->request.workers, play->request.threads - 1, do_job, play);
    ashi_play_ended(play, number);
}

/* ---- with workers ---- */

static void give(ashi_play *play, int64_t number, int parts)
{
    if (play->handed == 0)
        ashi_blas_begin(1);
    ashi_node *n = ashi_window_node(&play->window, number);
    n->parts = parts;
    play->handed += parts;
    play->handed_work += ashi_window_words(&play->window, n);
    for (int i = 0; i < parts; i++) {
        const ashi_job job = {.number = number, .part = i, .parts = parts};
        ashi_workers_give(play->request.workers, &job);
    }
}

static void job_ended(ashi_play *play, const ashi_job *job)
{
    if (job->failed)
        note_failures(play);
    if (--play->handed == 0)
        ashi_blas_end();
    ashi_node *n = ashi_window_node(&play->window, job->number);
    if (--n->parts > 0)
        return;
    play->handed_work -= ashi_window_words(&play->window, n);
    ashi_play_ended(play, job->number);
}

static bool hear(ashi_play *play, double seconds)
{
    ashi_job ended[ASHI_WORKERS_ROOM];
    if (play->handed == 0)
        return false;
    const int count = ashi_workers_ended(play->request.workers, seconds, ended);
    for (int i = 0; i < count; i++)
        job_ended(play, &ended[i]);
    return count > 0;
}

static bool help(ashi_play *play)
{
    ashi_job job;
    if (play->handed == 0 || ashi_play_is_late(play) || !ashi_workers_help(play->request.workers, &job))
        return false;
    job_ended(play, &job);
    return true;
}

/* Until nothing is under way. The lanes are heard meanwhile. */
static void finish(ashi_play *play)
{
    while (play->handed > 0) {
        if (!help(play))
            hear(play, -1);
        ashi_play_listen(play);
    }
}

/* Into how many parts a task is cut for the workers; 0: the calling thread does it. */
static int parts_of(const ashi_play *play, const ashi_node *n)
{
    const ashi_placed *to = ashi_window_placed(&play->window, n->makes);
    const int shares = shares_of(play, n);
    if (n->task.kind == ASHI_DO_MULTIPLY && shares > 1)
        return shares;
    if (n->task.kind == ASHI_DO_MULTIPLY)
        return n->one_thread && ashi_window_words(&play->window, n) >= play->request.sizes.handed_least;
    return to ? ashi_ways_parts(to->panel.words, play->request.threads, &play->request.sizes) : 0;
}

/* Begin a task: give it to the workers, or do it now. Whether more can be given before it has ended. */
static bool begin(ashi_play *play, int64_t number)
{
    const ashi_node *n = ashi_window_node(&play->window, number);
    const int parts = play->draining ? 0 : parts_of(play, n);
    const bool others = play->handed > 0 || ashi_window_ready(&play->window, ASHI_QUEUE_CORES) > 0;
    if (parts > 1 || (parts == 1 && others)) {
        give(play, number, parts);
        return true;
    }
    if (n->task.kind == ASHI_DO_MULTIPLY && !n->one_thread)
        finish(play);
    do_now(play, number);
    return false;
}

static bool has_room(const ashi_play *play)
{
    const int threads = play->request.threads;
    return play->handed + 2 * threads <= ASHI_WORKERS_ROOM &&
           (play->handed < AHEAD_JOBS * threads || play->handed_work < AHEAD);
}

static bool turn_with_workers(ashi_play *play)
{
    bool some = false;
    for (bool more = true; more && has_room(play);) {
        const int64_t number = ashi_play_take(play, ASHI_QUEUE_CORES);
        more = number >= 0 && begin(play, number);
        some = some || number >= 0;
    }
    const bool helped = play->workers < play->request.threads && help(play), heard = hear(play, 0);
    return some || helped || heard;
}

bool ashi_cores_turn(ashi_play *play)
{
    if (play->workers > 0)
        return turn_with_workers(play);
    const int64_t number = ashi_play_take(play, ASHI_QUEUE_CORES);
    if (number >= 0)
        do_now(play, number);
    return number >= 0;
}

void ashi_cores_wait(ashi_play *play, double seconds)
{
    hear(play, seconds);
}

/* ---- before and after ---- */

static void rest(void *context)
{
    const ashi_play *play = context;
    if (play->handed > 0)
        ashi_workers_rest(play->request.workers);
}

void ashi_cores_open(ashi_play *play)
{
    for (int i = 0; i < play->hands; i++)
        play->hand[i].failure = (ashlar_error){0};
    play->workers = 0;
    if (play->request.workers && play->side_by_side)
        play->workers = ashi_workers_serve(play->request.workers, play->hands - 1, do_job, play);
}

static ashlar_status make_floats(ashi_play *play, ashlar_error *err)
{
    const size_t bytes = ASHI_NARROW_FLOATS * sizeof *play->hand->floats;
    for (int i = 0; i < play->hands; i++) {
        play->hand[i].floats = malloc(bytes);
        if (!play->hand[i].floats)
            return ashi_fail_memory(err, "player", (int64_t)bytes);
    }
    return ASHLAR_OK;
}

ashlar_status ashi_cores_create(ashi_play *play, ashlar_error *err)
{
    play->hands = play->request.threads + (play->shares ? 1 : 0);
    play->hand = calloc((size_t)play->hands, sizeof *play->hand);
    if (!play->hand)
        return ashi_fail_memory(err, "player", play->hands * (int64_t)sizeof *play->hand);
    play->hand[0].heard = play;
    play->window.rest = rest;
    play->window.rest_context = play;
    if (ashi_is_narrow(play->request.type))
        return make_floats(play, err);
    return play->request.tiles ? ashi_tiles_create(play, &play->tiles, err) : ASHLAR_OK;
}

ashlar_status ashi_cores_reserve(ashi_play *play, const ashi_node *n, ashlar_error *err)
{
    return play->tiles ? ashi_tiles_reserve(play, n, err) : ashi_play_reserve(play, &play->hand[0], n, err);
}

void ashi_cores_forget(ashi_play *play)
{
    ashi_play_forget(play);
    if (play->tiles)
        ashi_tiles_forget(play);
}

ashlar_status ashi_cores_start(ashi_play *play, ashlar_error *err)
{
    const ashlar_status status = play->tiles ? ashi_tiles_start(play, err) : ASHLAR_OK;
    if (status != ASHLAR_OK || !play->side_by_side || !play->request.workers)
        return status;
    for (int i = 1; i < play->hands; i++)
        for (int x = 0; x < 2; x++) {
            ashi_k_runs *own = &play->hand[i].k_run[x];
            const int64_t capacity = ashi_max(1, play->hand[0].k_run[x].capacity);
            own->at = malloc((size_t)capacity * sizeof *own->at);
            if (!own->at)
                return ashi_fail_memory(err, "player", capacity * (int64_t)sizeof *own->at);
            own->capacity = capacity;
        }
    ashi_workers_start(play->request.workers, play->hands - 1);
    return ASHLAR_OK;
}

void ashi_cores_free(ashi_play *play)
{
    for (int i = 0; i < play->hands && play->hand; i++) {
        for (int x = 0; x < 2; x++)
            free(play->hand[i].k_run[x].at);
        free(play->hand[i].floats);
    }
    free(play->hand);
    ashi_cores_forget(play);
    ashi_tiles_free(&play->tiles);
}

void ashi_cores_look(ashi_play *play, int64_t first)
{
    const ashi_window *w = &play->window;
    const int threads = play->request.threads;
    if (threads == 1)
        return;
    play->side_by_side = play->side_by_side || play->tiles;
    if (play->tiles)
        return;
    bool several = ashi_ways_find(&play->window, first, threads, &play->request.sizes);
    for (int64_t i = first; i < w->end && !play->side_by_side && !several; i++) {
        const ashi_node *n = ashi_window_node(w, i);
        several = ashi_window_queue(w, n) == ASHI_QUEUE_CORES && parts_of(play, n) > 1;
    }
    play->side_by_side = play->side_by_side || several;
}

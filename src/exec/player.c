/* Runs a program: each task as soon as those before it have ended, on a network, a disk and the cores at once. */
#include "exec/player.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/type.h"
#include "exec/nap.h"
#include "exec/play.h"
#include "exec/play_sums.h"
#include "exec/play_tiles.h"
#include "kernel/narrow.h"

#include <stdlib.h>
#include <time.h>

/* The workspace begins on a cache line. */
enum { ALIGNMENT = 64 };

/* How long the disk is waited for, or left the core, before the network is asked again. */
static const double turn_seconds = 2e-4;

/* How long messages are waited for before interrupts are looked for again, where ranks share cores. */
static const double look_seconds = 0.1;

struct ashi_player {
    ashi_play play;
    void *allocated;
    int64_t steps, passed; /* steps; those of the run in progress that were passed */
    int64_t words;         /* of the pool */
    ashi_passes *passes;   /* of the run in progress, if the window does not keep its tasks */
};

/* ---- one run ---- */

/* Workers have all that they may be given, and the network or the disk may have something under way too. */
static void wait_for_workers(ashi_play *play)
{
    const int64_t before = play->network->under_way + play->disk->under_way;
    const int64_t ready = ashi_window_ready(&play->window, ASHI_QUEUE_CORES);
    ashi_play_listen(play);
    const int64_t now = play->network->under_way + play->disk->under_way;
    if (now >= before && ashi_window_ready(&play->window, ASHI_QUEUE_CORES) == ready)
        ashi_cores_wait(play, play->network->under_way == 0 ? -1 : turn_seconds); /* the disk calls the workers */
}

/* A core that several ranks use: until a message has ended or, so that an interrupt is seen, for some time. */
static void wait_for_turns(ashi_beside *network)
{
    const int64_t before = network->under_way;
    const double since = MPI_Wtime();
    network->wait(network, 0);
    for (int looks = 1; network->under_way == before && MPI_Wtime() - since < look_seconds; looks++) {
        ashi_nap(since, looks);
        network->wait(network, 0);
    }
}

/* Only messages are under way. MPI keeps a core busy while it waits. If ranks read files, their disk lanes have work
 * for that core, so it is left to them between two looks. */
static void wait_for_messages(ashi_play *play)
{
    ashi_beside *network = play->network;
    const struct timespec turn = {0, (long)(turn_seconds * 1e9)};
    if (!ashi_program_has_files(play->program)) {
        if (play->request.crowded)
            wait_for_turns(network);
        else
            network->wait(network, -1);
        return;
    }
    const int64_t before = network->under_way;
    network->wait(network, 0);
    if (network->under_way == before)
        nanosleep(&turn, NULL);
}

/* Something is under way: wait until some of it has ended. If ready tasks are late, other ranks may wait for them. */
static void wait_beside(ashi_play *play)
{
    ashi_beside *network = play->network, *disk = play->disk;
    const double began = ashi_trace_begin(play->request.trace);
    const int64_t files = disk->under_way, messages = network->under_way, step = ashi_window_step(&play->window);
    if (play->disorder && play->window.ready[ASHI_QUEUE_BESIDE].count > 0) {
        ashi_play_listen(play);
    } else if (disk->under_way == 0) {
        wait_for_messages(play);
    } else if (network->under_way == 0) {
        disk->wait(disk, -1);
    } else {
        const int64_t before = network->under_way;
        network->wait(network, 0);
        disk->wait(disk, network->under_way < before ? 0 : turn_seconds);
    }
    const char *name = disk->under_way < files || messages == 0 ? ASHI_WAIT_DISK : ASHI_WAIT_NETWORK;
    ashi_trace_note(play->request.trace, ASHI_LANE_CORES, name, began, ashi_trace_begin(play->request.trace), step, 0,
                    -1);
}

static ashlar_status passes_of(const ashi_player *p, ashi_passes **out, ashlar_error *err)
{
    const ashi_player_request *q = &p->play.request;
    const ashi_passes_request request = {.program = q->program, .rank = q->rank, .look_ahead = q->look_ahead,
                                         .tags = ashi_player_tags(q)};
    return ashi_passes_create(&request, out, err);
}

static ashlar_status pass_step(ashi_player *p, const ashi_task_visitor *visitor, ashlar_error *err)
{
    const ashlar_status status = p->passes ? ASHLAR_OK : passes_of(p, &p->passes, err);
    return status == ASHLAR_OK ? ashi_passes_step(p->passes, visitor, err) : status;
}

/* A step could not be passed, for lack of memory: the run has failed, but other ranks wait for the messages that are
 * left. So the passes begin anew, now that the window holds less. */
static ashlar_status pass_again(ashi_player *p, const ashi_task_visitor *visitor, ashlar_error *err)
{
    ashi_play_fail(&p->play, err);
    ashi_passes_free(&p->passes);
    ashlar_status status = passes_of(p, &p->passes, err);
    for (int64_t step = 0; step <= p->passed && status == ASHLAR_OK; step++)
        status = ashi_passes_step(p->passes, step < p->passed ? &ashi_tasks_ignored : visitor, err);
    return status;
}

/* Pass the steps that may begin. Nothing more is passed once that failed twice. */
static void pass(ashi_player *p)
{
    const ashi_task_visitor visitor = ashi_window_visitor(&p->play.window);
    ashlar_error err;
    while (p->passed < p->steps && p->passed <= ashi_play_last_step(&p->play)) {
        const int64_t first = p->play.window.end;
        ashlar_status status = pass_step(p, &visitor, &err);
        if (status != ASHLAR_OK)
            status = pass_again(p, &visitor, &err);
        ashi_cores_look(&p->play, first);
        p->passed = status == ASHLAR_OK ? p->passed + 1 : p->steps;
    }
}

static void tell_progress(const ashi_player *p, int64_t *told)
{
    const ashi_play *play = &p->play;
    const int64_t done = ashi_window_is_empty(&play->window) ? p->passed : ashi_window_step(&play->window);
    if (!play->work.progress || play->draining || done <= *told)
        return;
    *told = done;
    play->work.progress(play->work.user, done, p->steps);
}

/* Tasks that wait for nothing that is under way: the program is at fault. The first begins nevertheless, so that the
 * messages of all are played and no other rank waits for them. */
static void unstick(ashi_play *play)
{
    const ashi_task *t = &ashi_window_node(&play->window, play->window.first)->task;
    ashlar_error err = {0};
    ashi_fail(&err, ASHLAR_ERR_INTERNAL, "step %lld: task %lld, %s, never becomes ready", (long long)t->step,
              (long long)t->number, ashi_operation_name(t->kind));
    ashi_play_fail(play, &err);
    ashi_window_force(&play->window);
}

static void look_for_an_interrupt(ashi_play *play)
{
    ashlar_error err = {0};
    if (!play->draining && ashi_interrupt_check(&err) != ASHLAR_OK)
        ashi_play_fail(play, &err);
}

static void play_all(ashi_player *p)
{
    ashi_play *play = &p->play;
    for (int64_t told = 0;;) {
        pass(p);
        tell_progress(p, &told);
        look_for_an_interrupt(play);
        if (ashi_window_is_empty(&play->window))
            return;
        ashi_play_begin_beside(play);
        if (ashi_cores_turn(play))
            ashi_play_listen(play);
        else if (play->handed > 0)
            wait_for_workers(play);
        else if (play->network->under_way > 0 || play->disk->under_way > 0)
            wait_beside(play);
        else if (play->window.ready[ASHI_QUEUE_BESIDE].count == 0 && !ashi_window_is_empty(&play->window))
            unstick(play);
    }
}

static void begin_run(ashi_player *p)
{
    ashi_window *w = &p->play.window;
    p->passed = w->keeps ? p->steps : 0;
    if (w->keeps)
        ashi_window_rewind(w);
    else
        ashi_window_clear(w);
}

/* What a device has of C. */
static void bring_home(ashi_play *play)
{
    ashlar_error err;
    if (play->tiles && ashi_tiles_close(play, &err) != ASHLAR_OK)
        ashi_play_fail(play, &err);
    if (play->sums)
        ashi_play_sums_close(play->sums);
}

ashlar_status ashi_player_run(ashi_player *p, const ashi_player_work *work, ashi_player_tally *tally, ashlar_error *err)
{
    ashi_play *play = &p->play;
    ashi_trace *const own = play->request.trace;
    const double start = MPI_Wtime();
    if (!own && play->request.others)
        play->request.trace = *play->request.others;
    *tally = (ashi_player_tally){.workspace = p->words};
    play->work = *work;
    play->tally = tally;
    play->failure = (ashlar_error){0};
    play->draining = false;
    ashi_cores_open(play);
    begin_run(p);
    if (play->tiles)
        ashi_tiles_open(play);
    if (play->sums)
        ashi_play_sums_open(play->sums, play->mends);
    play_all(p);
    ashi_passes_free(&p->passes);
    bring_home(play);
    tally->seconds = MPI_Wtime() - start;
    if (play->tiles)
        tally->buffers = ashi_ceil_div(ashi_tiles_hand_bytes(play), (int64_t)play->bytes);
    tally->drained = play->draining;
    play->request.trace = own;
    return play->failure.status == ASHLAR_OK ? ASHLAR_OK
                                             : ashi_fail(err, play->failure.status, "%s", play->failure.text);
}

bool ashi_player_lost(const ashi_player *p)
{
    return p->play.sums && ashi_play_sums_lost(p->play.sums);
}

ashlar_status ashi_player_mend(ashi_player *p, const ashi_player_work *work, ashi_player_tally *tally,
                               ashlar_error *err)
{
    ashi_player_work own = *work;
    own.beta = p->play.kernels->one;
    own.progress = NULL;
    p->play.mends = true;
    const ashlar_status status = ashi_player_run(p, &own, tally, err);
    p->play.mends = false;
    return status;
}

/* ---- before and after ---- */

/* Requests of a message under way: one for each part of it, and two for the letters of one that is put. */
static int64_t requests_of(const ashi_player_request *q, const ashi_task *t)
{
    if (t->kind != ASHI_DO_SEND && t->kind != ASHI_DO_RECEIVE)
        return 0;
    return ashi_max(1, ashi_ceil_div(t->words, q->message_most)) + (q->one_sided ? 2 : 0);
}

/* Make room for what a run does with the tasks of a step, from task `first` on. The network has the messages of no more
 * steps under way than the look-ahead and one. */
static ashlar_status reserve_step(ashi_player *p, int64_t first, int64_t *all, ashlar_error *err)
{
    const ashi_player_request *q = &p->play.request;
    ashlar_status status = ASHLAR_OK;
    int64_t requests = 0;
    for (int64_t i = first; i < p->play.window.end && status == ASHLAR_OK; i++) {
        const ashi_node *n = ashi_window_node(&p->play.window, i);
        requests += requests_of(q, &n->task);
        if (n->task.kind == ASHI_DO_MULTIPLY)
            status = ashi_cores_reserve(&p->play, n, err);
    }
    ashi_cores_look(&p->play, first);
    *all += requests;
    p->play.requests = ashi_max(p->play.requests, ashi_mul_most(requests, q->look_ahead + 1));
    return status;
}

/* What will be needed is found by passing through the program, with tasks that end as soon as they may. */
static ashlar_status pass_dry(ashi_player *p, ashlar_error *err)
{
    ashi_window *w = &p->play.window;
    const ashi_task_visitor visitor = ashi_window_visitor(w);
    ashlar_status status = passes_of(p, &p->passes, err);
    int64_t requests = 0;
    ashi_window_clear(w);
    w->keeps = true;
    for (int64_t step = 0; step < p->steps && status == ASHLAR_OK; step++) {
        const int64_t before = w->end;
        status = ashi_passes_step(p->passes, &visitor, err);
        if (status == ASHLAR_OK)
            status = reserve_step(p, before, &requests, err);
        w->keeps = w->keeps && w->end - w->base <= p->play.request.keeps;
        for (int queue = 0; queue < ASHI_QUEUES && !w->keeps; queue++) {
            const int64_t number = ashi_window_take(w, (ashi_queue)queue, step - p->play.request.look_ahead);
            if (number < 0)
                continue;
            ashi_window_ended(w, number);
            queue = -1;
        }
    }
    if (!w->keeps)
        ashi_cores_forget(&p->play);
    if (status == ASHLAR_OK)
        p->words = ashi_passes_peak(p->passes);
    p->play.requests = ashi_min(p->play.requests, requests);
    ashi_passes_free(&p->passes);
    return status;
}

/* Aligned here: what posix_memalign gives back is too small for the next call of the same size, so that plans made one
 * after the other would take new pages from the system each time. */
static ashlar_status allocate(ashi_player *p, ashlar_error *err)
{
    int64_t bytes = 0;
    if (!ashi_mul(p->words, (int64_t)p->play.bytes, &bytes) || !ashi_add(bytes, 2 * ALIGNMENT, &bytes))
        return ashi_fail(err, ASHLAR_ERR_OVERFLOW, "a workspace of %lld words", (long long)p->words);
    if (p->play.request.no_workspace || p->play.request.one_sided || p->words == 0)
        return ASHLAR_OK;
    p->allocated = malloc((size_t)bytes);
    if (!p->allocated)
        return ashi_fail_memory(err, "workspace", bytes);
    p->play.workspace = (char *)p->allocated + (ALIGNMENT - (uintptr_t)p->allocated % ALIGNMENT) % ALIGNMENT;
    return ASHLAR_OK;
}

ashlar_status ashi_player_create(const ashi_player_request *q, ashi_player **out, ashlar_error *err)
{
    ashi_player *p = calloc(1, sizeof *p);
    *out = NULL;
    if (!p)
        return ashi_fail_memory(err, "player", (int64_t)sizeof *p);
    p->steps = q->program->steps;
    p->play.request = *q;
    if (q->cut == 0 || q->cut_depth == 0 || q->cut_columns == 0) {
        p->play.request.cut = q->one_node ? ASHI_PLAYER_CUT_SHARED : ASHI_PLAYER_CUT;
        p->play.request.cut_depth = ASHI_PLAYER_CUT_DEPTH;
        p->play.request.cut_columns = ASHI_PLAYER_CUT_COLUMNS;
    }
    p->play.program = q->program;
    p->play.bytes = ashi_type_word(q->type);
    for (int x = 0; x < 3; x++)
        p->play.element[x] = ashi_type_bytes(q->type, (ashlar_operand)x);
    p->play.kernels = ashi_kernels_of(q->type);
    p->play.cuts = q->program->ranks > 1 || ashi_program_has_files(q->program);
    p->play.shares = q->threads > 1 && ashi_program_has_files(q->program);
    p->play.disorder = q->disorder;
    p->play.request.threads = q->threads > 1 ? q->threads : 1;
    if (q->sizes.one_thread == 0 && q->sizes.side_by_side == 0 && q->sizes.part_words == 0 &&
        q->sizes.part_side == 0)
        p->play.request.sizes = ashi_way_sizes_usual();
    ashlar_status status = ashi_cores_create(&p->play, err);
    if (status == ASHLAR_OK && q->onto && q->sums && q->sums->area > 0)
        status = ashi_play_sums_create(&p->play, &p->play.sums, err);
    if (status == ASHLAR_OK)
        status = pass_dry(p, err);
    if (status == ASHLAR_OK && !q->later)
        status = ashi_cores_start(&p->play, err);
    if (status == ASHLAR_OK)
        status = q->one_sided ? ashi_puts_create(&p->play, &p->play.network, err)
                              : ashi_network_create(&p->play, &p->play.network, err);
    if (status == ASHLAR_OK)
        status = ashi_disk_create(&p->play, &p->play.disk, err);
    if (status == ASHLAR_OK && !q->later)
        status = allocate(p, err);
    if (status != ASHLAR_OK)
        ashi_player_free(&p);
    *out = p;
    return status;
}

int64_t ashi_player_buffers(const ashi_player *p)
{
    return p->play.tiles ? ashi_ceil_div(ashi_tiles_hand_bytes_wanted(&p->play), (int64_t)p->play.bytes) : 0;
}

ashlar_status ashi_player_provide(ashi_player *p, ashlar_error *err)
{
    const ashlar_status status = ashi_cores_start(&p->play, err);
    return status == ASHLAR_OK ? allocate(p, err) : status;
}

ashlar_status ashi_player_open(ashi_player *p, ashlar_error *err)
{
    return p->play.request.one_sided ? ashi_puts_open(p->play.network, p->words, err) : ASHLAR_OK;
}

const ashi_onto_tiles *ashi_player_tiles_device(const ashi_player *p)
{
    return p->play.tiles ? ashi_tiles_device(&p->play) : NULL;
}

void ashi_player_use_tiles_device(ashi_player *p, bool used)
{
    if (p->play.tiles)
        ashi_tiles_use_device(&p->play, used);
}

int64_t ashi_player_workspace(const ashi_player *p)
{
    return p->words;
}

int64_t ashi_player_bytes(const ashi_player *p)
{
    const ashi_play *play = &p->play;
    const int64_t pool = p->allocated ? p->words * (int64_t)play->bytes + 2 * ALIGNMENT : 0;
    return pool + (int64_t)sizeof *p + ashi_window_bytes(&play->window) +
           play->sited_capacity * (int64_t)sizeof *play->sited + (play->tiles ? ashi_tiles_kept_bytes(play) : 0) +
           (play->hand[0].floats ? play->hands * ASHI_NARROW_FLOATS * (int64_t)sizeof(float) : 0);
}

int64_t ashi_player_ready_tiles(const ashi_player *p)
{
    return p->play.tiles ? ashi_tiles_kept_tiles(&p->play) : 0;
}

bool ashi_player_is_ready(const ashi_player *p)
{
    return p->play.workspace || p->words == 0;
}

void ashi_player_record(ashi_player *p, ashi_trace *trace)
{
    p->play.request.trace = trace;
}

void ashi_player_use_workspace(ashi_player *p, void *workspace)
{
    free(p->allocated);
    p->allocated = NULL;
    p->play.workspace = workspace;
}

void ashi_player_free(ashi_player **player)
{
    ashi_player *p = *player;
    if (!p)
        return;
    if (p->play.network)
        p->play.network->free(p->play.network);
    if (p->play.disk)
        p->play.disk->free(p->play.disk);
    ashi_window_free(&p->play.window);
    ashi_cores_free(&p->play);
    ashi_play_sums_free(&p->play.sums);
    ashi_passes_free(&p->passes);
    free(p->allocated);
    free(p);
    *player = NULL;
}

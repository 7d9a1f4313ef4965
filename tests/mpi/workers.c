/* Threads beside the calling one: jobs run side by side, each once; what becomes of those that cannot be started; where
 * they run; which tasks are theirs; the BLAS is in one of its two ways at a time. */
#define _GNU_SOURCE /* CPU_SET */
#define PROGRAM "workers"

#include "base/checked.h"
#include "base/error.h"
#include "kernel/elsewhere.h"
#include "kernel/threads.h"
#include "kernel/workers.h"
#include "mpi/ranks.h"
#include "schedule/ways.h"
#include "schedule/window.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

enum { JOBS = 2000, PARTS = 3 };

/* ---- threads that cannot be started ---- */

static int starts_left = -1; /* below 0: all can */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *context);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *context);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *context)
{
    if (starts_left == 0)
        return EAGAIN;
    starts_left -= starts_left > 0;
    return __real_pthread_create(thread, attr, start, context);
}

/* ---- jobs ---- */

/* How often each was done, and by whom; how many run now. */
typedef struct tallied {
    _Atomic int done[JOBS][PARTS], by[8], running, most;
    int together; /* each job waits, some seconds at most, until so many run */
} tallied;

static void raise_to(_Atomic int *most, int value)
{
    for (int seen = *most; seen < value && !atomic_compare_exchange_weak(most, &seen, value);)
        continue;
}

static bool do_job(void *context, const ashi_job *job, int hand)
{
    tallied *t = context;
    raise_to(&t->most, ++t->running);
    for (int i = 0; i < 50000 && t->most < t->together; i++)
        nanosleep(&(struct timespec){0, 100000}, NULL);
    t->done[job->number][job->part]++;
    t->by[hand]++;
    t->running--;
    return job->number % 7 != 3;
}

static void note_ended(const ashi_job *job, int count[JOBS], rig *r)
{
    count[job->number]++;
    CHECK(&r->test, job->failed == (job->number % 7 == 3), "job %" PRId64 " failed: %d", job->number, job->failed);
}

static void hear(ashi_workers *w, double seconds, int64_t *under_way, int count[JOBS], rig *r)
{
    ashi_job ended[ASHI_WORKERS_ROOM];
    const int heard = ashi_workers_ended(w, seconds, ended);
    for (int i = 0; i < heard; i++)
        note_ended(&ended[i], count, r);
    *under_way -= heard;
}

/* Give all jobs, help at times, rest at times, and hear of all. */
static void do_all(ashi_workers *w, tallied *t, int count[JOBS], rig *r)
{
    int64_t under_way = 0;
    ashi_job job;
    for (int64_t i = 0; i < JOBS; i++) {
        for (int part = 0; part < PARTS; part++, under_way++)
            ashi_workers_give(w, &(ashi_job){.number = i, .part = part, .parts = PARTS});
        if (i % 3 == 0 && ashi_workers_help(w, &job)) {
            note_ended(&job, count, r);
            under_way--;
        }
        if (i % 500 == 499) {
            ashi_workers_rest(w);
            CHECK(&r->test, t->running == 0, "%d jobs run while all rest", t->running);
        }
        while (under_way + PARTS > ASHI_WORKERS_ROOM)
            hear(w, i % 2 ? -1 : 1e-4, &under_way, count, r);
    }
    while (under_way > 0)
        hear(w, -1, &under_way, count, r);
    hear(w, 0, &under_way, count, r);
    CHECK(&r->test, under_way == 0, "%" PRId64 " ended that were not given", -under_way);
}

/* `threads` of `asked` can be started, of which `serving` may work. */
static void jobs(rig *r, int asked, int threads, int serving)
{
    ashi_workers *w = NULL;
    ashlar_error err = {0};
    static tallied t;
    static int count[JOBS];
    memset(&t, 0, sizeof t);
    memset(count, 0, sizeof count);
    CHECK(&r->test, ashi_workers_create(asked, &w, &err) == ASHLAR_OK, "%s", err.text);
    if (!w)
        return;
    starts_left = threads < asked ? threads : -1;
    ashi_workers_start(w, asked);
    starts_left = -1;
    const int there = ashi_workers_serve(w, serving, do_job, &t), wanted = (int)ashi_min(threads, serving);
    CHECK(&r->test, there == wanted, "%d threads of %d serve", there, wanted);
    t.together = wanted;
    if (there > 0)
        do_all(w, &t, count, r);
    CHECK(&r->test, there == 0 || (t.most >= wanted && t.most <= wanted + 1), "%d jobs side by side on %d threads",
          t.most, wanted);
    for (int64_t i = 0; i < JOBS && there > 0; i++) {
        CHECK(&r->test, count[i] == PARTS, "%d parts of job %" PRId64 " were heard of", count[i], i);
        for (int part = 0; part < PARTS; part++)
            CHECK(&r->test, t.done[i][part] == 1, "part %d of job %" PRId64 " was done %d times", part, i,
                  t.done[i][part]);
    }
    for (int i = wanted + 1; i < 8; i++)
        CHECK(&r->test, t.by[i] == 0, "thread %d of %d did a job", i, wanted);
    ashi_workers_free(&w);
    CHECK(&r->test, !w, "not freed");
}

/* ---- where threads run ---- */

enum { SLEEPERS = 3 };

typedef struct sleeper {
    pthread_t thread;
    pthread_mutex_t *until; /* it is free */
} sleeper;

static void *sleep_until(void *context)
{
    const sleeper *const s = context;
    pthread_mutex_lock(s->until);
    pthread_mutex_unlock(s->until);
    return NULL;
}

/* Threads may run on all processors of `allowed` except `left`; on all of them if `left` is -1. */
static void expect_masks(rig *r, const sleeper *s, int count, const cpu_set_t *allowed, int left)
{
    cpu_set_t wanted = *allowed;
    if (left >= 0)
        CPU_CLR((size_t)left, &wanted);
    for (int i = 0; i < count; i++) {
        cpu_set_t found;
        CHECK(&r->test, pthread_getaffinity_np(s[i].thread, sizeof found, &found) == 0 && CPU_EQUAL(&found, &wanted),
              "thread %d of %d may run on %d processors and not on %d without %d", i, count, CPU_COUNT(&found),
              CPU_COUNT(allowed), left);
    }
}

static void elsewhere(rig *r)
{
    pthread_mutex_t until = PTHREAD_MUTEX_INITIALIZER;
    sleeper s[SLEEPERS];
    cpu_set_t allowed, one;
    pthread_mutex_lock(&until);
    CHECK(&r->test, sched_getaffinity(0, sizeof allowed, &allowed) == 0, "no mask");
    for (int i = 0; i < SLEEPERS; i++) {
        s[i].until = &until;
        CHECK(&r->test, pthread_create(&s[i].thread, NULL, sleep_until, &s[i]) == 0, "no thread");
    }
    const int all = CPU_COUNT(&allowed);
    for (int count = 1; count <= SLEEPERS; count++) {
        int left = -1;
        ashi_elsewhere(&s[0].thread, sizeof *s, count, &left);
        CHECK(&r->test, CPU_ISSET((size_t)left, &allowed), "%d is left", left);
        expect_masks(r, s, count, &allowed, all > count ? left : -1);
        CPU_ZERO(&one);
        for (int here = 0; here < CPU_SETSIZE; here++) /* the calling thread moves about */
            if (here != left && CPU_ISSET((size_t)here, &allowed)) {
                CPU_SET((size_t)here, &one);
                break;
            }
        if (CPU_COUNT(&one) == 0)
            continue;
        CHECK(&r->test, sched_setaffinity(0, sizeof one, &one) == 0, "it does not");
        ashi_elsewhere(&s[0].thread, sizeof *s, count, &left); /* and has a single processor */
        CHECK(&r->test, CPU_ISSET((size_t)left, &one), "%d is left", left);
        expect_masks(r, s, count, &one, -1);
        CHECK(&r->test, sched_setaffinity(0, sizeof allowed, &allowed) == 0, "it does not");
        left = -1;
        ashi_elsewhere(&s[0].thread, sizeof *s, count, &left);
        expect_masks(r, s, count, &allowed, all > count ? left : -1);
    }
    pthread_mutex_unlock(&until);
    for (int i = 0; i < SLEEPERS; i++)
        pthread_join(s[i].thread, NULL);
    pthread_mutex_destroy(&until);
}

/* ---- which tasks ---- */

/* A step: `sums` sums, to each of which `each` products of so many multiply-adds are added. */
static void pass_step(ashi_window *w, int64_t sums, int64_t each, int64_t multiplies)
{
    const ashi_task_visitor v = ashi_window_visitor(w);
    const int64_t first = w->end;
    ashlar_error err;
    for (int64_t i = 0; i < sums; i++) {
        const ashi_placed placed = {.panel = {.id = first + i, .indices = 2}};
        v.panel(v.context, &placed, &err);
        for (int64_t j = 0; j < each; j++) {
            const ashi_task task = {.kind = ASHI_DO_MULTIPLY, .number = w->end, .read = {-1, -1, -1, -1},
                                    .makes = first + i, .hi = {multiplies, 1, 1, 1}};
            v.task(v.context, &task, &err);
        }
    }
}

static void expect(rig *r, int threads, int64_t sums, int64_t each, int64_t multiplies, bool one_thread, bool several)
{
    static const ashi_way_sizes sizes = {.handed_least = 20, .one_thread = 100, .side_by_side = 1000, .part_words = 10};
    ashi_window w = {.keeps = true, .free_link = -1, .free_panel = -1};
    pass_step(&w, 1, 1, 5000); /* of another step */
    const int64_t first = w.end;
    pass_step(&w, sums, each, multiplies);
    for (int time = 0; time < 2; time++) { /* what was added up does not stay */
        const bool found = ashi_ways_find(&w, first, threads, &sizes);
        CHECK(&r->test, found == several, "%d threads, %" PRId64 " sums of %" PRId64 " products of %" PRId64 ": %d",
              threads, sums, each, multiplies, found);
    }
    CHECK(&r->test, w.end == first + sums * each, "%" PRId64 " tasks", w.end);
    for (int64_t i = first; i < w.end; i++)
        CHECK(&r->test, ashi_window_node(&w, i)->one_thread == one_thread,
              "%d threads, %" PRId64 " sums of %" PRId64 " products of %" PRId64 ": %d", threads, sums, each,
              multiplies, ashi_window_node(&w, i)->one_thread);
    CHECK(&r->test, !ashi_window_node(&w, 0)->one_thread, "a task of another step was changed");
    ashi_window_free(&w);
}

static void ways(rig *r)
{
    static const ashi_way_sizes sizes = {.handed_least = 20, .one_thread = 100, .side_by_side = 1000, .part_words = 10};
    expect(r, 2, 1, 1, 100, true, false);   /* small: one thread, always */
    expect(r, 2, 3, 5, 100, true, true);
    expect(r, 2, 3, 5, 20, true, true);
    expect(r, 2, 3, 5, 19, true, false);    /* so small that the calling thread does it */
    expect(r, 2, 1, 4, 101, false, false);  /* larger, one after the other */
    expect(r, 2, 7, 4, 101, false, false);  /* not enough sums for two threads */
    expect(r, 2, 8, 4, 101, true, true);
    expect(r, 4, 15, 1, 1000, false, false);
    expect(r, 4, 16, 1, 1000, true, true);
    expect(r, 4, 99, 1, 1001, false, false); /* large: all threads of the BLAS, always */
    for (int64_t words = 0; words < 60; words++)
        CHECK(&r->test, ashi_ways_parts(words, 4, &sizes) == ashi_min(words / 10, 4), "%" PRId64 " words", words);
}

/* A product for all threads, by the longer side of its sums. */
static void shares(rig *r)
{
    static const ashi_way_sizes sizes = {.part_side = 10};
    static const struct { int64_t side; int threads, parts; } wanted[] = {
        {1000, 1, 1}, {19, 2, 1}, {20, 2, 2}, {39, 2, 2}, {40, 2, 4}, {1000, 2, 4}, {59, 6, 1}, {60, 6, 6},
        {120, 6, 12}};
    for (int i = 0; i < (int)(sizeof wanted / sizeof *wanted); i++) {
        const int parts = ashi_ways_shares(wanted[i].side, wanted[i].threads, &sizes);
        CHECK(&r->test, parts == wanted[i].parts, "%" PRId64 " columns on %d threads: %d parts", wanted[i].side,
              wanted[i].threads, parts);
    }
}

/* Memory of nodes and panels moves only after the others were asked to rest. */
static void count_rests(void *context)
{
    ++*(int *)context;
}

static void rests(rig *r)
{
    int asked = 0;
    ashi_window w = {.keeps = true, .free_link = -1, .free_panel = -1, .rest = count_rests, .rest_context = &asked};
    for (int64_t i = 0; i < 1000; i++) {
        const int before = asked;
        const ashi_node *const node = w.node;
        const ashi_window_panel *const panel = w.panel;
        pass_step(&w, 1, 1, 1);
        CHECK(&r->test, asked == before + (node != w.node) + (panel != w.panel) || asked > before,
              "memory moved unasked at task %" PRId64, i);
        CHECK(&r->test, asked > before || (node == w.node && panel == w.panel), "task %" PRId64, i);
    }
    CHECK(&r->test, asked > 2 && asked < 50, "asked %d times", asked);
    ashi_window_free(&w);
}

/* ---- the BLAS ---- */

enum { THREADS = 4, TURNS = 300, NUMBERS = 3 };

typedef struct shared_blas {
    _Atomic int inside[NUMBERS], wrong, turns;
    bool can_set;
} shared_blas;

static void *take_turns(void *context)
{
    shared_blas *s = context;
    for (int i = 0; i < TURNS; i++) {
        const int threads = (i + s->turns) % 7 % NUMBERS;
        ashi_blas_begin(threads);
        s->inside[threads]++;
        for (int other = 0; other < NUMBERS; other++)
            s->wrong += other != threads && s->inside[other] > 0;
        s->wrong += s->can_set && ashi_blas_threads() != (threads > 0 ? threads : 3);
        nanosleep(&(struct timespec){0, 1000}, NULL);
        s->inside[threads]--;
        ashi_blas_end();
        s->turns++;
    }
    return NULL;
}

static void blas(rig *r)
{
    static shared_blas s;
    pthread_t thread[THREADS];
    const int before = ashi_blas_threads();
    s.can_set = ashi_set_blas_threads(3) && ashi_blas_threads() == 3;
    for (int i = 0; i < THREADS; i++)
        CHECK(&r->test, pthread_create(&thread[i], NULL, take_turns, &s) == 0, "no thread");
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    CHECK(&r->test, s.wrong == 0 && s.turns == THREADS * TURNS, "%d wrong in %d turns", s.wrong, s.turns);
    CHECK(&r->test, !s.can_set || ashi_blas_threads() == 3, "%d threads are left", ashi_blas_threads());
    ashi_set_blas_threads(before);
}

int main(int argc, char **argv)
{
    rig r;
    if (!ranks_begin(&r, &argc, &argv, 1))
        return 1;
    jobs(&r, 1, 1, 1);
    jobs(&r, 3, 3, 3);
    jobs(&r, 3, 3, 2);
    jobs(&r, 3, 1, 3);
    jobs(&r, 3, 0, 3);
    elsewhere(&r);
    ways(&r);
    shares(&r);
    rests(&r);
    blas(&r);
    return ranks_end(&r, PROGRAM);
}

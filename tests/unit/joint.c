/* Joint play: seconds that can be worked out by hand, to the last digit; none below what a lane alone takes, or above
 * what all would take one after the other; the same in every run. */
#include "base/checked.h"
#include "choosing.h"
#include "engine/chains.h"
#include "engine/nest_play.h"
#include "random_nest.h"
#include "random_problem.h"
#include "schedule/ways.h"
#include "simulate/jobs.h"
#include "simulate/links.h"

#include <math.h>
#include <string.h>

/* Rates that are easy to count with: a word has 8 bytes, a multiply-add two flops. */
enum { BYTES = 8, FLOPS = 2 };

static ashlar_machine machine_of(double products, double latency, double words, double copied, double read,
                                 double written)
{
    return (ashlar_machine){.size = sizeof(ashlar_machine), .flops_per_second = FLOPS * products, .latency = latency,
                            .bandwidth = BYTES * words, .copy_bandwidth = BYTES * copied,
                            .disk_bandwidth = BYTES * (read + written) / 2, .disk_read_bandwidth = BYTES * read,
                            .disk_write_bandwidth = BYTES * written};
}

static bool near(double x, double y)
{
    return fabs(x - y) <= 1e-9 * fmax(fabs(x), fabs(y));
}

/* ---- jobs ---- */

/* Begin a job that is known by a number. */
static int64_t begin(ashi_test *t, ashi_jobs *s, double work, int64_t port, int64_t other, int64_t number)
{
    int64_t job = -1;
    CHECK(t, ashi_jobs_begin(s, work, (const int64_t[]){port, other}, 2, (const int64_t[]){number, 0, 0}, &job, NULL) ==
          ASHLAR_OK, "job %" PRId64, number);
    return job;
}

static void ends(ashi_test *t, ashi_jobs *s, int64_t number, double at)
{
    ashi_port_job job = {0};
    bool any = false;
    CHECK(t, ashi_jobs_next(s, &job, &any, NULL) == ASHLAR_OK && any && job.of[0] == number && near(s->now, at),
          "job %" PRId64 " ends at %g, wanted %" PRId64 " at %g", job.of[0], s->now, number, at);
}

/* Jobs on one port have equal parts of it; one on two ports has the smaller part; a delay has no port. */
static void ports_are_shared(ashi_test *t)
{
    ashi_jobs s;
    bool any = true;
    ashi_port_job job;
    CHECK(t, ashi_jobs_create(4, &s, NULL) == ASHLAR_OK, "create");
    for (int i = 0; i < 4; i++)
        ashi_jobs_set_capacity(&s, i, 1, 1);
    ashi_jobs_set_capacity(&s, 2, 3, 2);
    begin(t, &s, 1, 0, -1, 1);
    begin(t, &s, 2, 0, 1, 2);
    begin(t, &s, 0.5, -1, -1, 3);
    ends(t, &s, 3, 0.5);
    ends(t, &s, 1, 2);
    const int64_t last = begin(t, &s, 3, 1, -1, 4); /* job 2 has 1 left, and half of port 1 */
    ends(t, &s, 2, 4);
    CHECK(t, ashi_jobs_extend(&s, last, 1, NULL) == ASHLAR_OK, "extend");
    ends(t, &s, 4, 7); /* 1 of 4 done at 4 */
    for (int64_t i = 5; i <= 7; i++)
        begin(t, &s, (double)(i - 4), 2, -1, i);
    ends(t, &s, 5, 8);    /* three at 1 each */
    ends(t, &s, 6, 8 + 1 / 1.5);
    ends(t, &s, 7, 8 + 1 / 1.5 + 0.5); /* alone at 2 */
    const double from = s.now;
    int64_t job_number = -1;
    CHECK(t, ashi_jobs_begin(&s, 2, (const int64_t[]){0, 1, 3}, 3, (const int64_t[]){8, 0, 0}, &job_number, NULL) ==
          ASHLAR_OK, "a job on three ports");
    begin(t, &s, 1, 3, -1, 9);
    begin(t, &s, 1, 3, -1, 10);
    begin(t, &s, 1, 0, -1, 11);
    ends(t, &s, 11, from + 2);
    ends(t, &s, 10, from + 3);
    ends(t, &s, 9, from + 3);
    ends(t, &s, 8, from + 4); /* 1 of 2 done after 3 */
    CHECK(t, ashi_jobs_next(&s, &job, &any, NULL) == ASHLAR_OK && !any, "there is no other job");
    ashi_jobs_free(&s);
}

/* ---- by hand ---- */

static double play_nest(ashi_test *t, const ashi_nest *nest, const ashi_joint_request *how)
{
    ashi_joint_play play;
    ashlar_error err = {0};
    CHECK(t, ashi_nest_play(nest, how, &play, &err) == ASHLAR_OK && play.played, "%s", err.text);
    return play.seconds;
}

/* C stays; the next slabs are read while the last ones are multiplied, or after that. */
static void reading_ahead_overlaps(ashi_test *t)
{
    const int64_t m = 30, n = 20, k = 12, items = 4;
    ashi_nest nest = {.size = {m, n, k}, .ranks = 1, .stays = ASHLAR_C, .parts = {1, 1}, .team = {1, 1},
                      .cut = {1, 1, items}, .strips = 1};
    for (int slow = 0; slow < 2; slow++) { /* the disk, or the cores */
        const ashlar_machine machine = machine_of(slow ? 100 : 7000, 1, 1, 1, 50, 25);
        const ashi_joint_request how = {.machine = &machine, .bytes = BYTES, .flops = FLOPS};
        const double read = (double)((m + n) * k / items) / 50;
        const double product = (double)(m * n * k / items) / (slow ? 100 : 7000);
        const double written = (double)(m * n) / 25;
        nest.ahead = 0;
        const double apart = play_nest(t, &nest, &how);
        CHECK(t, near(apart, (double)items * (read + product) + written), "%.15g", apart);
        nest.ahead = 1;
        const double ahead = play_nest(t, &nest, &how);
        CHECK(t, near(ahead, read + (double)(items - 1) * fmax(read, product) + product + written), "%.15g", ahead);
    }
}

/* A core that works for the disk does not multiply: products take longer, unless the disk takes longer still. Text of A
 * is parsed by the thread that reads it. */
static void reading_takes_cores(ashi_test *t)
{
    const int64_t m = 30, n = 20, k = 12, items = 4;
    const double copied = 3000, parsed = 0.01;
    const ashi_nest nest = {.size = {m, n, k}, .ranks = 1, .stays = ASHLAR_C, .parts = {1, 1}, .team = {1, 1},
                            .cut = {1, 1, items}, .ahead = 1, .strips = 1};
    for (int which = 0; which < 4; which++) {
        const bool slow = which % 2 == 0, text = which / 2 == 1; /* slow: the cores; else the disk */
        const double rate = slow ? 100 : 7000, share = 0.5;
        const ashlar_machine machine = machine_of(rate, 1, 1, copied, 50, 25);
        const ashi_joint_request how = {.machine = &machine, .bytes = BYTES, .flops = FLOPS, .disk_share = share,
                                        .word_seconds = {text ? parsed : 0}};
        const double parsing = text ? parsed * (double)(m * k / items) : 0;
        const double words = (double)((m + n) * k / items), read = words / 50 + parsing;
        const double product = (double)(m * n * k / items) / rate, work = share * (6 * words / copied + parsing);
        const double wanted = read + (double)(items - 1) * fmax(read, product + work) + product + (double)(m * n) / 25;
        const double played = play_nest(t, &nest, &how);
        CHECK(t, near(played, wanted), "case %d: %.15g, wanted %.15g", which, played, wanted);
    }
}

/* Two ranks read half of A's slab each, send it to each other, and read their own B. */
static void messages_take_both_ends(ashi_test *t)
{
    const int64_t m = 40, n = 40, k = 10;
    const ashlar_machine machine = machine_of(1000, 3, 20, 1, 100, 10);
    const ashi_nest nest = {.size = {m, n, k}, .ranks = 2, .stays = ASHLAR_C, .parts = {1, 1}, .team = {1, 2},
                            .cut = {1, 1, 1}, .strips = 1};
    ashi_joint_request how = {.machine = &machine, .bytes = BYTES, .flops = FLOPS, .local_disks = true};
    const double half = (double)(m * k) / 2, product = (double)(m * n / 2 * k) / 1000;
    const double written = (double)(m * n / 2) / 10;
    /* The two panels are read at once, so that both end when all is read. */
    const double alone = 2 * half / 100 + 3 + half / 20 + product + written;
    CHECK(t, near(play_nest(t, &nest, &how), alone), "%.15g, wanted %.15g", play_nest(t, &nest, &how), alone);
    how.local_disks = false; /* one disk that is as fast as both */
    CHECK(t, near(play_nest(t, &nest, &how), alone), "%.15g, wanted %.15g", play_nest(t, &nest, &how), alone);
    how.ranks_per_core = 2; /* products take turns */
    CHECK(t, near(play_nest(t, &nest, &how), alone + product), "%.15g", play_nest(t, &nest, &how));
    how.rates_are_shared = true; /* they did when they were measured */
    CHECK(t, near(play_nest(t, &nest, &how), alone), "%.15g", play_nest(t, &nest, &how));
}

/* Four ranks in a row have three messages each way at once. */
static void links_are_shared(ashi_test *t)
{
    const ashlar_machine machine = machine_of(1e9, 0.5, 20, 1, 1e9, 1e9);
    const ashi_nest nest = {.size = {40, 40, 10}, .ranks = 4, .stays = ASHLAR_C, .parts = {1, 1}, .team = {1, 4},
                            .cut = {1, 1, 1}, .strips = 1};
    const ashi_joint_request how = {.machine = &machine, .bytes = BYTES, .flops = FLOPS};
    const double seconds = play_nest(t, &nest, &how), links = 0.5 + 3 * 100.0 / 20;
    CHECK(t, seconds > links && seconds < links + 1e-3, "%.15g, wanted a little more than %g", seconds, links);
}

/* On a ring each rank has a message for every other one. Links that go up carry those of one link, those of two links
 * come to them a latency later, and each way each link always has something to carry. */
static void torus_links_are_shared(ashi_test *t)
{
    const ashlar_machine machine = machine_of(1e12, 0.5, 20, 1, 1e12, 1e12);
    const int64_t m = 40, k = 10;
    const struct {
        ashi_torus torus;
        int64_t loads; /* messages that pass the busiest link */
    } ring[] = {{{1, {2}}, 1}, {{1, {4}}, 2}, {{1, {5}}, 3}, {{2, {1, 5}}, 3}, {{2, {2, 2}}, 2}};
    for (size_t i = 0; i < sizeof ring / sizeof ring[0]; i++) {
        const int64_t ranks = ashi_torus_nodes(&ring[i].torus);
        const ashi_nest nest = {.size = {m, m, k}, .ranks = ranks, .stays = ASHLAR_C, .parts = {1, 1},
                                .team = {1, ranks}, .cut = {1, 1, 1}, .strips = 1};
        const ashi_joint_request how = {.machine = &machine, .bytes = BYTES, .flops = FLOPS, .torus = ring[i].torus,
                                        .local_disks = true};
        const double message = (double)(m * k / ranks) / 20;
        const double seconds = play_nest(t, &nest, &how), wanted = 0.5 + (double)ring[i].loads * message;
        CHECK(t, fabs(seconds - wanted) < 1e-6, "%d dimensions, %" PRId64 " ranks: %.15g, wanted %g",
              ring[i].torus.dims, ranks, seconds, wanted);
    }
}

/* A message of two links waits for the latency of both, and passes them at once. Four ranks on a ring: B's halves go to
 * the opposite rank, each over links of its own; A's few words are there before. */
static void routes_are_passed_at_once(ashi_test *t)
{
    const ashlar_machine machine = machine_of(1e12, 0.5, 20, 1, 1e12, 1e12);
    const ashi_nest nest = {.size = {2, 400, 10}, .ranks = 4, .stays = ASHLAR_C, .parts = {1, 1}, .team = {2, 2},
                            .cut = {1, 1, 1}, .strips = 1};
    const ashi_joint_request how = {.machine = &machine, .bytes = BYTES, .flops = FLOPS, .torus = {1, {4}},
                                    .local_disks = true};
    const double seconds = play_nest(t, &nest, &how), wanted = 2 * 0.5 + 400 * 10 / 4 / 20.0;
    CHECK(t, fabs(seconds - wanted) < 1e-6, "%.15g, wanted %g", seconds, wanted);
}

/* ---- threads ---- */

/* The seconds of a tile of C in strips, one product each of `work` multiply-adds, whose slabs take no time to read. */
static double strips_take(ashi_test *t, int64_t strips, int64_t work, int threads)
{
    const ashlar_machine machine = machine_of((double)work, 1, 1, 1e30, 1e30, 1e30);
    const ashi_nest nest = {.size = {10 * strips, 10, work / 100}, .ranks = 1, .stays = ASHLAR_C, .parts = {1, 1},
                            .team = {1, 1}, .cut = {1, 1, 1}, .strips = strips};
    const ashi_joint_request how = {.machine = &machine, .bytes = BYTES, .flops = FLOPS, .threads = threads};
    return play_nest(t, &nest, &how);
}

/* Products of one second for all threads of a rank. Those that workers do have one thread each, for as many seconds as
 * there are threads; the calling thread makes smaller ones, and larger ones with all threads. */
static void products_take_threads(ashi_test *t)
{
    const int64_t tiny = ASHI_HANDED_LEAST - 100, small = ASHI_ONE_THREAD, medium = ASHI_SIDE_BY_SIDE;
    const struct {
        int64_t strips, work;
        int threads;
        double wanted;
    } by_hand[] = {
        {4, small, 0, 4},       {4, small, 1, 4},        {4, small, 2, 4},
        {4, small, 3, 6}, /* three side by side, then one */
        {3, small, 4, 4}, /* one thread has none */
        {12, medium, 3, 12},    {13, medium, 3, 15}, /* five turns of three */
        {11, medium, 3, 11}, /* not enough of them: all threads make one after the other */
        {13, medium + 100, 3, 13}, {4, tiny, 3, 12}, {1, tiny, 1, 1},
    };
    for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; i++) {
        const double seconds = strips_take(t, by_hand[i].strips, by_hand[i].work, by_hand[i].threads);
        CHECK(t, near(seconds, by_hand[i].wanted), "%" PRId64 " products of %" PRId64 ", %d threads: %.15g, wanted %g",
              by_hand[i].strips, by_hand[i].work, by_hand[i].threads, seconds, by_hand[i].wanted);
    }
}

/* C is scaled where no product is made: a part of it by each thread, as the machine's copies go. */
static void copies_take_threads(ashi_test *t)
{
    const int64_t words = 3 * ASHI_PART_WORDS;
    const ashlar_machine machine = machine_of(1, 1, 1, (double)words, 1e30, 1e30);
    const ashi_nest nest = {.size = {1, words, 0}, .ranks = 1, .stays = ASHLAR_C, .parts = {1, 1}, .team = {1, 1},
                            .cut = {1, 1, 0}, .strips = 1};
    for (int threads = 1; threads <= 4; threads++) { /* into three parts at most */
        const ashi_joint_request how = {.machine = &machine, .bytes = BYTES, .flops = FLOPS, .threads = threads};
        const double seconds = play_nest(t, &nest, &how), wanted = 1 / fmin(threads, 3);
        CHECK(t, near(seconds, wanted), "%d threads: %.15g, wanted %g", threads, seconds, wanted);
    }
}

/* What a task costs the calling thread: two reads are begun one after the other, then a product and a write. */
static void tasks_cost(ashi_test *t)
{
    ashlar_machine machine = machine_of(1000, 1, 1, 1, 100, 10);
    const ashi_nest nest = {.size = {10, 10, 100}, .ranks = 1, .stays = ASHLAR_C, .parts = {1, 1}, .team = {1, 1},
                            .cut = {1, 1, 1}, .strips = 1};
    const ashi_joint_request how = {.machine = &machine, .bytes = BYTES, .flops = FLOPS};
    const double free_of_cost = play_nest(t, &nest, &how);
    machine.task_seconds = 0.25;
    CHECK(t, near(play_nest(t, &nest, &how), free_of_cost + 3 * 0.25), "%.15g, %.15g without",
          play_nest(t, &nest, &how), free_of_cost);
}

/* A message that takes twice as long as the product beside it loses a part of its rate as long as that is made; so
 * does one that has a link of a torus to itself. */
static void messages_lose_the_thread(ashi_test *t)
{
    ashlar_machine machine = machine_of(8000, 0, 100, 1, 1e9, 1e9);
    const ashi_nest nest = {.size = {40, 40, 10}, .ranks = 2, .stays = ASHLAR_C, .parts = {1, 1}, .team = {1, 2},
                            .cut = {1, 1, 2}, .ahead = 1, .strips = 1};
    ashi_joint_request how = {.machine = &machine, .bytes = BYTES, .flops = FLOPS, .local_disks = true};
    const double product = 40 * 20 * 5 / 8000.0, message = 40 * 5 / 2 / 100.0;
    for (int i = 0; i < 10; i++) { /* two messages and two products, of which one of each are side by side */
        machine.message_work = i / 2 / 4.0;
        how.torus = i % 2 == 0 ? (ashi_torus){0} : (ashi_torus){1, {2}};
        const double seconds = play_nest(t, &nest, &how);
        const double wanted = 2 * message + machine.message_work * product + product;
        CHECK(t, fabs(seconds - wanted) < 1e-5, "%g: %.15g, wanted %.15g", machine.message_work, seconds, wanted);
    }
}

/* Words that are moved from place to place: nothing is read or multiplied. */
static ashlar_status chains_of(void *context, ashi_program *out, ashlar_error *err)
{
    (void)context;
    return ashi_chains_program(10, 7, out, err);
}

static void empty_tasks_cost(ashi_test *t)
{
    ashlar_machine machine = machine_of(1, 1, 1, 1e12, 1, 1);
    machine.task_seconds = 0.5;
    const ashi_joint_request how = {.program = chains_of, .machine = &machine, .bytes = BYTES, .flops = FLOPS};
    ashi_joint_play play;
    ashlar_error err = {0};
    CHECK(t, ashi_joint_run(&how, 1, &play, &err) == ASHLAR_OK && play.played && play.tasks == 70 &&
          fabs(play.seconds - 70 * 0.5) < 1e-6, "%" PRId64 " tasks, %.15g s %s", play.tasks, play.seconds, err.text);
    const ashi_joint_request few = {.program = chains_of, .machine = &machine, .bytes = BYTES, .flops = FLOPS,
                                    .tasks = 69};
    CHECK(t, ashi_joint_run(&few, 1, &play, &err) == ASHLAR_OK && !play.played && play.seconds == 0 && play.tasks == 0,
          "more tasks than may be: %.15g s", play.seconds);
}

/* ---- at random ---- */

/* What the lanes of a rank do, as events tell. */
typedef struct heard {
    double lane[RANKS_MOST * 8][ASHI_LANES], until[RANKS_MOST * 8]; /* until: of the cores' last event */
    uint64_t digest;
    bool in_order;
} heard;

static void hear(void *context, const ashi_joint_event *e)
{
    heard *h = context;
    uint64_t bits[2];
    memcpy(bits, (const double[]){e->begin, e->end}, sizeof bits);
    h->digest = (h->digest * 0x100000001B3u ^ bits[0]) * 0x100000001B3u ^ bits[1] ^ (uint64_t)(e->rank + 8 * e->words);
    h->in_order = h->in_order && e->begin <= e->end;
    if (strncmp(e->name, "wait", 4) != 0)
        h->lane[e->rank][e->lane] += e->end - e->begin;
    if (e->lane != ASHI_LANE_CORES)
        return;
    h->in_order = h->in_order && e->begin >= h->until[e->rank];
    h->until[e->rank] = e->end;
}

/* Rates at random, so that now one lane and now another takes longest. */
static ashlar_machine random_machine(uint64_t *state)
{
    double r[6];
    for (int i = 0; i < 6; i++)
        r[i] = (double)ashi_random_in(state, 1, 1000);
    ashlar_machine machine = machine_of(100 * r[0], r[1] / 1e5, r[2], r[3], r[4], r[5]);
    machine.message_work = (double)ashi_random_in(state, 0, 4) / 4;
    return machine;
}

/* All alike in two runs, events too; the cores do one thing at a time, as long as is said. */
static ashi_joint_play play_twice(ashi_test *t, uint64_t seed, const ashi_joint_request *how, int64_t ranks)
{
    static heard h[2];
    ashi_joint_play play[2];
    ashi_joint_request own = *how;
    ashlar_error err = {0};
    for (int i = 0; i < 2; i++) {
        memset(&h[i], 0, sizeof h[i]);
        h[i].in_order = true;
        own.event = hear;
        own.event_context = &h[i];
        CHECK(t, ashi_joint_run(&own, ranks, &play[i], &err) == ASHLAR_OK && play[i].played, "seed %" PRIu64 ": %s",
              seed, err.text);
    }
    CHECK(t, play[0].seconds == play[1].seconds && h[0].digest == h[1].digest && play[0].tasks == play[1].tasks,
          "seed %" PRIu64 ": two runs differ", seed);
    CHECK(t, h[0].in_order, "seed %" PRIu64 ": the cores do two things at once", seed);
    double cores = 0;
    for (int64_t r = 0; r < ranks; r++)
        cores = fmax(cores, h[0].lane[r][ASHI_LANE_CORES]);
    CHECK(t, near(cores, play[0].busy[ASHI_LANE_CORES]), "seed %" PRIu64 ": the cores are busy for %g, events say %g",
          seed, play[0].busy[ASHI_LANE_CORES], cores);
    return play[0];
}

static ashlar_status nest_program(void *context, ashi_program *out, ashlar_error *err)
{
    return ashi_nest_program(context, out, err);
}

static double seconds_of_disk(const ashlar_machine *m, const ashi_nest_figures *f)
{
    return (double)(f->a + f->b + f->c0 + f->back) * BYTES / m->disk_read_bandwidth +
           (double)f->c * BYTES / m->disk_write_bandwidth;
}

/* No less than any lane of any rank alone, no more than all lanes one after the other; and if nothing can overlap, the
 * closed form. */
static void nests_are_bounded(ashi_test *t, uint64_t seed)
{
    uint64_t state = ~seed;
    ashi_nest nest = random_nest(seed);
    const ashlar_machine machine = random_machine(&state);
    const ashi_joint_request how = {.program = nest_program, .context = &nest, .machine = &machine, .bytes = BYTES,
                                    .flops = FLOPS, .local_disks = ashi_random_in(&state, 0, 1)};
    if (nest.ranks == 1 && nest.ahead == 0)
        nest.strips = 1; /* else the first is written while the next is multiplied */
    if (nest.ranks > RANKS_MOST * 8)
        return;
    const ashi_joint_play play = play_twice(t, seed, &how, nest.ranks);
    double least = 0, all = 0, disk = 0;
    for (int64_t r = 0; r < nest.ranks; r++) {
        const ashi_nest_figures f = ashi_nest_of_rank(&nest, r);
        const double files = seconds_of_disk(&machine, &f);
        const double cores = (double)f.products * FLOPS / machine.flops_per_second;
        const double words = (double)ashi_max(f.received, f.sent) * BYTES / machine.bandwidth;
        const double scaled = nest.size[2] == 0 ? (double)f.c * BYTES / machine.copy_bandwidth : 0;
        disk += files;
        least = fmax(least, fmax(words, fmax(cores, how.local_disks ? files : 0)));
        all += files + cores + scaled + (double)f.received * BYTES / machine.bandwidth +
               (double)f.received_messages * machine.latency;
    }
    /* One disk reads and writes as fast as all ranks' rates together. */
    least = fmax(least, how.local_disks ? 0 : disk / (double)nest.ranks);
    CHECK(t, play.seconds >= least * (1 - 1e-9) && play.seconds <= all * (1 + 1e-9),
          "seed %" PRIu64 ": %.15g s, lanes alone take %.15g, one after the other %.15g", seed, play.seconds, least,
          all);
    if (nest.ranks == 1 && nest.ahead == 0 && nest.size[2] > 0)
        CHECK(t, near(play.seconds, all), "seed %" PRIu64 ": %.15g s, wanted %.15g", seed, play.seconds, all);
}

static ashlar_status schedule_program(void *context, ashi_program *out, ashlar_error *err)
{
    return ashi_program_of(context, out, err);
}

/* On a ring, and with several threads: no less than the busiest link takes. */
static void play_on_ring(ashi_test *t, uint64_t seed, const ashi_joint_request *how, ashi_schedule *schedule)
{
    ashi_joint_request own = *how;
    ashi_joint_play play;
    ashi_links links;
    ashlar_error err = {0};
    own.torus = (ashi_torus){1, {schedule->ranks}};
    own.threads = 1 + (int)(seed % 4);
    CHECK(t, ashi_links_count(schedule, &own.torus, &links, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    CHECK(t, ashi_joint_run(&own, schedule->ranks, &play, &err) == ASHLAR_OK && play.played, "seed %" PRIu64 ": %s",
          seed, err.text);
    const double least = (double)links.words_max * BYTES / how->machine->bandwidth;
    CHECK(t, play.seconds >= least * (1 - 1e-9), "seed %" PRIu64 ": %.15g s, the busiest link takes %.15g", seed,
          play.seconds, least);
    ashi_links_free(&links);
}

/* The same of what strategies choose for matrices in memory. */
static void schedules_are_bounded(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    problem p;
    ashi_choice choice;
    ashlar_error err = {0};
    const ashlar_machine machine = random_machine(&state);
    if (!random_problem(seed, &p, &err))
        abort();
    p.q.torus = (ashi_torus){0};
    const ashlar_status status = ashi_choose(&p.q, NULL, walk_all, NULL, &choice, &err);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    if (status == ASHLAR_OK) {
        const ashi_joint_request how = {.program = schedule_program, .context = &choice.schedule, .machine = &machine,
                                        .bytes = BYTES, .flops = FLOPS};
        const ashi_joint_play play = play_twice(t, seed, &how, p.q.ranks);
        const ashi_totals *f = &choice.totals;
        const double words = (double)ashi_max(f->words_max, f->sent_max) * BYTES / machine.bandwidth;
        const double cores = (double)f->products_max * FLOPS / machine.flops_per_second;
        CHECK(t, play.seconds >= fmax(words, cores) * (1 - 1e-9), "seed %" PRIu64 ": %.15g s, lanes alone take %.15g",
              seed, play.seconds, fmax(words, cores));
        play_on_ring(t, seed, &how, &choice.schedule);
    }
    ashi_choice_free(&choice);
    free_random_problem(&p);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 300);
    ports_are_shared(&t);
    reading_ahead_overlaps(&t);
    reading_takes_cores(&t);
    messages_take_both_ends(&t);
    links_are_shared(&t);
    torus_links_are_shared(&t);
    routes_are_passed_at_once(&t);
    products_take_threads(&t);
    copies_take_threads(&t);
    tasks_cost(&t);
    messages_lose_the_thread(&t);
    empty_tasks_cost(&t);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        nests_are_bounded(&t, seed);
        schedules_are_bounded(&t, seed);
    }
    return ashi_test_end(&t, "joint");
}

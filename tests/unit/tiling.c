/* The tiling for files: within 5 % of the best integer tiling, in the memory that it says, and what decides. */
#include "base/checked.h"
#include "engine/grid_schedule.h"
#include "model/bounds.h"
#include "search/onto_device.h"
#include "search/tiling.h"
#include "test.h"

#include <math.h>
#include <string.h>

/* Its disk was not measured: it has the rate that is assumed. */
static const ashlar_machine machine = {.flops_per_second = 4e10, .latency = 2e-6, .bandwidth = 1e9,
                                       .copy_bandwidth = 5e9, .disk_bandwidth = 0.5e9};

static ashi_tiling_request request_of(int64_t m, int64_t n, int64_t k, int64_t ranks, int64_t memory)
{
    return (ashi_tiling_request){.size = {m, n, k}, .ranks = ranks, .memory_words = memory, .bytes = 8, .flops = 2,
                                 .machine = &machine};
}

static ashi_tiling_request random_request(uint64_t seed)
{
    uint64_t state = seed;
    const int64_t most[] = {10, 60, 600, 3000};
    ashi_tiling_request q = request_of(0, 0, 0, ashi_random_in(&state, 1, 7), 0);
    for (int d = 0; d < 3; d++) {
        q.size[d] = ashi_random_in(&state, 1, 40);
        q.minor[d] = q.file_minor[d] = ashi_random_in(&state, 0, 1);
    }
    q.memory_words = ashi_random_in(&state, 3, most[ashi_random_in(&state, 0, 3)]);
    q.adds = seed & 1;
    q.apart = seed % 3 == 0;
    return q;
}

/* ---- the best of all tilings, found by trying them ---- */

static int64_t ceiling(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* The fewest words of a part of these sizes, one of whose boxes is x by y, for each matrix that may stay; the team is
 * grid[0] x grid[1] ranks. */
static int64_t fewest_of_part(const ashi_tiling_request *q, const int64_t n[3], const int64_t grid[2])
{
    int64_t best = INT64_MAX;
    for (int stays = 0; stays < 3; stays++) {
        const int u = stays == ASHLAR_B ? 1 : 0, v = stays == ASHLAR_C ? 1 : 2;
        const int64_t team[3] = {grid[0], grid[1], 1};
        if (stays != ASHLAR_C && grid[1 - u] > 1)
            continue;
        for (int64_t x = 1; x <= n[u]; x++)
            for (int64_t y = 1; y <= n[v] && x * y + x + y <= q->memory_words; y++) {
                const int64_t tu = ceiling(n[u], x * team[u]), tv = ceiling(n[v], y * team[v]);
                const int64_t c = n[0] * n[1], a = n[0] * n[2], b = n[1] * n[2], c0 = q->adds ? c : 0;
                const int64_t words = stays == ASHLAR_C   ? a * tv + b * tu + c + c0
                                      : stays == ASHLAR_A ? a + b * tu + c * (2 * tv - 1) + c0
                                                          : b + a * tu + c * (2 * tv - 1) + c0;
                best = ashi_min(best, words);
            }
    }
    return best;
}

/* Of the largest part if each rank reads for itself, of all ranks together if they are one team. */
static int64_t fewest(const ashi_tiling_request *q, bool joint)
{
    const int64_t ranks = q->ranks, one[2] = {1, 1};
    int64_t best = INT64_MAX;
    for (int64_t pm = 1; pm <= ashi_min(ranks, q->size[0]); pm++)
        for (int64_t pn = 1; pn <= ashi_min(ranks / pm, q->size[1]); pn++) {
            const int64_t grid[2] = {pm, pn};
            const int64_t part[3] = {ceiling(q->size[0], pm), ceiling(q->size[1], pn), q->size[2]};
            best = ashi_min(best, joint ? fewest_of_part(q, q->size, grid) : fewest_of_part(q, part, one));
        }
    return best;
}

static bool is_joint(const ashi_nest *nest)
{
    return nest->team[0] * nest->team[1] > 1;
}

/* The chosen tiling, and what it takes. */
static bool choose(ashi_test *t, const ashi_tiling_request *q, uint64_t seed, ashi_nest *nest, ashi_nest_figures *total,
                   ashi_nest_figures *most)
{
    ashlar_error err = {0};
    ashlar_status status = ashi_tiling_choose(q, nest, &err);
    if (status == ASHLAR_OK)
        status = ashi_nest_total(nest, total, most, &err);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    return status == ASHLAR_OK;
}

/* More than 5 % above the fewest words are read only for half of time x words of what is chosen if only words count. If
 * teams are chosen too, the other may be of another kind. */
static void more_words_are_for_time(ashi_test *t, uint64_t seed, const ashi_nest *nest, int64_t words, int64_t least)
{
    ashi_tiling_request q = random_request(seed);
    ashi_nest other;
    ashi_nest_figures total, most;
    const double seconds = ashi_tiling_expect(&q, nest).all;
    q.fewest_words = true;
    if (!choose(t, &q, seed, &other, &total, &most))
        return;
    const bool one_kind = q.apart || q.ranks == 1;
    const double beside = ashi_tiling_expect(&q, &other).all;
    CHECK(t, !one_kind || seconds * (double)words <= 0.5 * beside * (double)most.disk,
          "seed %" PRIu64 ": %" PRId64 " words and %g s, beside %" PRId64 " and %g s", seed, words, seconds, most.disk,
          beside);
    CHECK(t, 4 * words <= 5 * least + 4, "seed %" PRIu64 ": %" PRId64 " words of %" PRId64, seed, words, least);
}

static void choice_is_near_the_best(ashi_test *t, uint64_t seed)
{
    const ashi_tiling_request q = random_request(seed);
    ashi_nest nest;
    ashi_nest_figures total, most;
    if (!choose(t, &q, seed, &nest, &total, &most))
        return;
    /* One rank that does all is the smallest team, unless ranks are not to be one. */
    const bool alone = nest.parts[0] * nest.parts[1] == 1 && !q.apart;
    const bool joint = is_joint(&nest) || alone;
    const int64_t words = joint ? total.disk : most.disk, least = fewest(&q, joint);
    if (20 * words > 21 * least)
        more_words_are_for_time(t, seed, &nest, words, least);
    const ashi_bound bound = ashi_bound_files(q.size[0], q.size[1], q.size[2], q.ranks * q.memory_words);
    CHECK(t, bound.words <= (double)total.disk, "seed %" PRIu64 ": %" PRId64 " words, below the bound %g", seed,
          total.disk, bound.words);
    CHECK(t, ashi_nest_memory(&nest) <= q.memory_words, "seed %" PRIu64 ": %" PRId64 " words are held", seed,
          ashi_nest_memory(&nest));
    CHECK(t, !q.apart || !is_joint(&nest), "seed %" PRIu64, seed);
    CHECK(t, total.products == q.size[0] * q.size[1] * q.size[2], "seed %" PRIu64, seed);
}

/* For a device only words count: within 5 % of the best of all tilings for one rank, in the memory given. */
static void onto_a_device_is_near_the_best(ashi_test *t, uint64_t seed)
{
    ashi_tiling_request q = random_request(seed);
    ashi_nest nest;
    ashlar_error err = {0};
    q.ranks = 1;
    ashi_onto_problem p = {.type = ASHLAR_TYPE_D, .adds = q.adds, .memory_words = q.memory_words,
                           .rate = seed % 2 ? 1e10 : 0, .flops = seed % 3 ? 1e12 : 0};
    memcpy(p.size, q.size, sizeof p.size);
    memcpy(p.minor, q.minor, sizeof p.minor);
    CHECK(t, ashi_onto_choose(&p, &nest, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    const int64_t words = ashi_nest_of_rank(&nest, 0).disk, least = fewest(&q, false);
    CHECK(t, 20 * words <= 21 * least, "seed %" PRIu64 ": %" PRId64 " words of %" PRId64, seed, words, least);
    CHECK(t, ashi_nest_memory(&nest) <= q.memory_words, "seed %" PRIu64, seed);
}

/* Nothing of the host counts for a device whose copies are faster than the host's memory: one that is a thousand times
 * as fast in all is given the same tiling. */
static void only_rates_of_the_device_count(ashi_test *t, uint64_t seed)
{
    const ashi_tiling_request q = random_request(seed);
    ashi_nest nest[2];
    ashlar_error err = {0};
    for (int i = 0; i < 2; i++) {
        const double faster = i == 0 ? 1 : 1024; /* exact */
        ashi_onto_problem p = {.type = ASHLAR_TYPE_D, .adds = q.adds, .memory_words = q.memory_words,
                               .rate = faster * (seed % 2 ? 1e11 : 1e12), .out = faster * 1e11,
                               .flops = faster * (seed % 3 ? 1e12 : 1e13), .delay = (seed % 5 ? 0.01 : 0.1) / faster};
        memcpy(p.size, q.size, sizeof p.size);
        memcpy(p.minor, q.minor, sizeof p.minor);
        p.size[seed % 3] *= 20;
        CHECK(t, ashi_onto_choose(&p, &nest[i], &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    }
    CHECK(t, memcmp(nest[0].cut, nest[1].cut, sizeof nest[0].cut) == 0 && nest[0].stays == nest[1].stays &&
             nest[0].ahead == nest[1].ahead && nest[0].stagger == nest[1].stagger,
          "seed %" PRIu64 ": %" PRId64 "x%" PRId64 "x%" PRId64 " and %" PRId64 "x%" PRId64 "x%" PRId64, seed,
          nest[0].cut[0], nest[0].cut[1], nest[0].cut[2], nest[1].cut[0], nest[1].cut[1], nest[1].cut[2]);
}

/* Each copy and each product waits for the device: the longer that is, the fewer and thicker are the slabs. */
static void delays_make_slabs_thick(ashi_test *t)
{
    int64_t slabs[2];
    for (int i = 0; i < 2; i++) {
        const ashi_onto_problem p = {.size = {300, 300, 20000}, .type = ASHLAR_TYPE_D, .memory_words = 100000,
                                     .minor = {true, true, true}, .rate = 1e9, .flops = 1e10, .delay = i ? 1e-3 : 0};
        ashi_nest nest;
        ashlar_error err = {0};
        CHECK(t, ashi_onto_choose(&p, &nest, &err) == ASHLAR_OK, "%s", err.text);
        slabs[i] = nest.cut[0] * nest.cut[1] * nest.cut[2];
    }
    CHECK(t, slabs[1] < slabs[0], "%" PRId64 " slabs with a delay, %" PRId64 " without", slabs[1], slabs[0]);
}

/* Where nothing but words counts the fewest are taken, of whatever team: within 5 % of all tilings. */
static void least_is_least(ashi_test *t, uint64_t seed)
{
    ashi_tiling_request q = random_request(seed);
    ashi_nest nest;
    ashi_nest_figures total, most;
    q.apart = false;
    q.least = true;
    if (!choose(t, &q, seed, &nest, &total, &most))
        return;
    const int64_t least = fewest(&q, true);
    CHECK(t, 20 * total.disk <= 21 * least, "seed %" PRIu64 ": %" PRId64 " words, all others at least %" PRId64, seed,
          total.disk, least);
    CHECK(t, ashi_nest_memory(&nest) <= q.memory_words, "seed %" PRIu64, seed);
}

/* If the disk was measured, more words than 5 % above the fewest are read for a tenth of the time only, and never if
 * words decide. */
static void more_words_are_worth_it(ashi_test *t, uint64_t seed)
{
    ashi_tiling_request q = random_request(seed);
    ashlar_machine measured = machine;
    ashi_nest nest[2];
    ashi_nest_figures total, most[2];
    ashlar_error err = {0};
    double seconds[2];
    measured.disk_bandwidth = seed % 2 ? 4.9e8 : 2e9;
    q.memory_words = ashi_max(q.memory_words, 200);
    q.size[seed % 3] *= 20;
    q.machine = &measured;
    for (int i = 0; i < 2; i++) {
        q.fewest_words = i == 1;
        q.apart = true;
        const ashlar_status status = ashi_tiling_choose(&q, &nest[i], &err);
        CHECK(t, status == ASHLAR_OK && ashi_nest_total(&nest[i], &total, &most[i], &err) == ASHLAR_OK,
              "seed %" PRIu64 ": %s", seed, err.text);
        seconds[i] = ashi_tiling_expect(&q, &nest[i]).all;
    }
    const int64_t least = fewest(&q, false);
    CHECK(t, 20 * most[1].disk <= 21 * least, "seed %" PRIu64 ": %" PRId64 " words, all others at least %" PRId64, seed,
          most[1].disk, least);
    CHECK(t, 20 * most[0].disk <= 21 * least || seconds[0] <= 0.9 * seconds[1],
          "seed %" PRIu64 ": %" PRId64 " words and %g s where %" PRId64 " take %g s", seed, most[0].disk, seconds[0],
          most[1].disk, seconds[1]);
    CHECK(t, 2 * most[0].disk <= 3 * least + 1, "seed %" PRIu64 ": %" PRId64 " words of %" PRId64, seed, most[0].disk,
          least);
}

/* ---- named cases ---- */

typedef struct outcome {
    ashi_nest nest;
    ashi_nest_figures total, most;
} outcome;

static outcome chosen(ashi_test *t, const ashi_tiling_request *q)
{
    outcome o = {0};
    ashlar_error err = {0};
    ashlar_status status = ashi_tiling_choose(q, &o.nest, &err);
    if (status == ASHLAR_OK)
        status = ashi_nest_total(&o.nest, &o.total, &o.most, &err);
    CHECK(t, status == ASHLAR_OK, "%s", err.text);
    return o;
}

/* Two ranks of 256 MiB: 864 M words if each reads for itself, 720 M together, which the network has to be worth. */
static void ranks_read_together(ashi_test *t)
{
    ashi_tiling_request q = request_of(12000, 12000, 12000, 2, 256 << 17);
    ashlar_machine slow = machine;
    const outcome joint = chosen(t, &q);
    CHECK(t, is_joint(&joint.nest) && joint.total.disk == 720000000, "%" PRId64 " words", joint.total.disk);
    CHECK(t, joint.nest.ahead == 1, "nothing is read ahead");
    CHECK(t, joint.most.disk == 360000000, "%" PRId64 " words on one rank", joint.most.disk);
    q.apart = true;
    const outcome apart = chosen(t, &q);
    CHECK(t, !is_joint(&apart.nest) && apart.total.disk <= 864000000 && apart.total.received == 0,
          "%" PRId64 " words", apart.total.disk);
    q.apart = false;
    q.machine = &slow;
    slow.bandwidth = slow.disk_bandwidth / 20;
    slow.flops_per_second = 1e13;
    const outcome by_disk = chosen(t, &q);
    CHECK(t, !is_joint(&by_disk.nest), "ranks send over a network that is slower than the disk");
}

/* Rows of 4000 elements, 2 ranks of 32 MiB. Slabs of the fewest words are 38 thick, which BLAS multiplies slowly; a
 * disk of 1 GB/s is worth thicker ones. One of 50 MB/s is not, nor is one not measured, nor if words decide. */
static void quick_disks_are_worth_thick_slabs(ashi_test *t)
{
    ashi_tiling_request q = request_of(4000, 4000, 4000, 2, 32 << 17);
    ashlar_machine own = machine;
    int64_t shape[3];
    q.machine = &own;
    own.disk_bandwidth = 1e9;
    const outcome quick = chosen(t, &q);
    ashi_nest_shape(&quick.nest, shape);
    CHECK(t, quick.total.disk <= 96000000 && shape[2] >= 200, "%" PRId64 " words, slabs %" PRId64 " thick",
          quick.total.disk, shape[2]);
    q.fewest_words = true;
    const outcome fewest_of = chosen(t, &q);
    q.fewest_words = false;
    own.disk_bandwidth = 5e7;
    const outcome slow = chosen(t, &q);
    own.disk_bandwidth = machine.disk_bandwidth;
    const outcome assumed = chosen(t, &q);
    CHECK(t, fewest_of.total.disk <= 67200000 && slow.total.disk <= 67200000 && assumed.total.disk <= 67200000,
          "%" PRId64 ", %" PRId64 " and %" PRId64 " words", fewest_of.total.disk, slow.total.disk, assumed.total.disk);
}

/* 2500 x 2500 x 2500 in 1 to 16 MiB. Slabs of the fewest words are 2 or 4 thick, a call for each run of
 * so many words; thicker ones take a quarter more words at most. Slabs that are thick already stay as they are. */
static void thin_slabs_are_not_read(ashi_test *t)
{
    static const struct {
        int64_t ranks, mib, words, least_words, thick;
    } cases[] = {{1, 1, 112500000, 93750000, 68}, {1, 4, 62500000, 50000000, 139}, {2, 4, 43750000, 37500000, 139},
                 {1, 16, 31250000, 31250000, 209}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ashi_tiling_request q = request_of(2500, 2500, 2500, cases[i].ranks, cases[i].mib << 17);
        int64_t shape[3];
        q.minor[ASHLAR_B] = q.file_minor[ASHLAR_B] = true; /* all files in the order of rows */
        const outcome o = chosen(t, &q);
        q.fewest_words = true;
        const outcome fewest_of = chosen(t, &q);
        ashi_nest_shape(&o.nest, shape);
        CHECK(t, o.total.disk == cases[i].words && fewest_of.total.disk == cases[i].least_words,
              "%" PRId64 " ranks, %" PRId64 " MiB: %" PRId64 " words, fewest %" PRId64, cases[i].ranks, cases[i].mib,
              o.total.disk, fewest_of.total.disk);
        const int64_t thick = shape[ashi_dims_of[o.nest.stays][2]];
        CHECK(t, thick == cases[i].thick, "%" PRId64 " ranks, %" PRId64 " MiB: %" PRId64 " thick", cases[i].ranks,
              cases[i].mib, thick);
    }
}

/* Where every run of a file is waited for, tiles are chosen whose slabs are whole rows. */
static void long_runs_are_wanted(ashi_test *t)
{
    ashi_tiling_request q = request_of(6000, 6000, 6000, 2, 54 << 17);
    const outcome rows = chosen(t, &q);
    int64_t shape[3];
    ashi_nest_shape(&rows.nest, shape);
    CHECK(t, rows.nest.stays == ASHLAR_B && shape[2] == 6000, "%d stays, runs of %" PRId64, (int)rows.nest.stays,
          shape[2]);
    for (int x = 0; x < 3; x++)
        q.minor[x] = q.file_minor[x] = x != ASHLAR_B; /* files in the order of columns: the mirror image */
    q.minor[ASHLAR_B] = q.file_minor[ASHLAR_B] = false;
    const outcome columns = chosen(t, &q);
    ashi_nest_shape(&columns.nest, shape);
    CHECK(t, columns.nest.stays == ASHLAR_A && shape[2] == 6000, "%d stays, runs of %" PRId64, (int)columns.nest.stays,
          shape[2]);
}

/* Of tilings of 720 M words the one is chosen whose slabs of B are whole rows of a file in the order of rows: each
 * request to the disk takes a core's time. In files in the order of columns its mirror image is. */
static void few_requests_are_wanted(ashi_test *t)
{
    ashi_tiling_request q = request_of(12000, 12000, 12000, 2, 256 << 17);
    q.minor[ASHLAR_B] = q.file_minor[ASHLAR_B] = true;
    const outcome rows = chosen(t, &q);
    for (int x = 0; x < 3; x++)
        q.minor[x] = q.file_minor[x] = !q.minor[x];
    const outcome columns = chosen(t, &q);
    const ashi_nest *r = &rows.nest, *c = &columns.nest;
    CHECK(t, rows.total.disk == 720000000 && columns.total.disk == 720000000, "%" PRId64 " and %" PRId64 " words",
          rows.total.disk, columns.total.disk);
    CHECK(t, r->cut[0] == 3 && r->cut[1] == 1 && r->team[0] == 2 && r->team[1] == 1,
          "%" PRId64 " x %" PRId64 " tiles of %" PRId64 " x %" PRId64 " ranks", r->cut[0], r->cut[1], r->team[0],
          r->team[1]);
    CHECK(t, c->cut[0] == 1 && c->cut[1] == 3 && c->team[0] == 1 && c->team[1] == 2,
          "%" PRId64 " x %" PRId64 " tiles of %" PRId64 " x %" PRId64 " ranks, mirrored", c->cut[0], c->cut[1],
          c->team[0], c->team[1]);
}

/* A stays if it fits and the others are long: every word is read once. Its mirror image has B staying. */
static void any_matrix_may_stay(ashi_test *t)
{
    for (int64_t ranks = 1; ranks <= 4; ranks += 3) {
        const ashi_tiling_request q = request_of(2000, 1000000, 2000, ranks, 5000000 / ranks);
        const ashi_tiling_request mirror = request_of(1000000, 2000, 2000, ranks, 5000000 / ranks);
        const outcome a = chosen(t, &q), b = chosen(t, &mirror);
        CHECK(t, a.nest.stays == ASHLAR_A && b.nest.stays == ASHLAR_B, "%d and %d stay", (int)a.nest.stays,
              (int)b.nest.stays);
        CHECK(t, a.total.disk == 4004000000 && b.total.disk == 4004000000, "%" PRId64 " and %" PRId64 " words",
              a.total.disk, b.total.disk);
    }
}

/* Theorem 1 for the joint memory is approached as that grows, and never passed. */
static void near_the_bound(ashi_test *t)
{
    ashlar_machine slow = machine; /* its disk */
    slow.disk_bandwidth = 1e6;
    for (int64_t ranks = 1; ranks <= 64; ranks *= 4)
        for (int64_t memory = 100000; memory <= 10000000; memory *= 10) {
            const int64_t n = 200000;
            ashi_tiling_request q = request_of(n, n, n, ranks, memory);
            q.machine = &slow;
            q.fewest_words = true;
            const outcome o = chosen(t, &q);
            const double ratio = (double)o.total.disk / ashi_bound_sequential(n, n, n, ranks * memory);
            CHECK(t, ratio >= 1 && ratio <= 1.1, "%" PRId64 " ranks of %" PRId64 " words: %.4f of the bound", ranks,
                  memory, ratio);
        }
}

/* ---- chunks ---- */

/* Words that are unpacked for what a program reads of A and of B, and words that it reads. */
typedef struct unpacking {
    const ashi_tiling_request *q;
    int64_t unpacked[2], read[2];
} unpacking;

static ashlar_status unpack_panel(void *context, const ashi_panel *p, ashlar_error *err)
{
    unpacking *u = context;
    const int size[2][2] = {{0, 2}, {1, 2}}; /* of the sides of A and of B */
    int64_t words = 1;
    (void)err;
    if (p->memory != ASHI_MEMORY_FILE || p->operand == ASHLAR_C)
        return ASHLAR_OK;
    for (int s = 0; s < 2; s++) {
        const int64_t chunk = u->q->chunks[p->operand].side[s], end = u->q->size[size[p->operand][s]];
        words *= ashi_min(ceiling(p->hi[s], chunk) * chunk, end) - p->lo[s] / chunk * chunk;
    }
    u->unpacked[p->operand] += words;
    u->read[p->operand] += p->words;
    return ASHLAR_OK;
}

static ashlar_status unpack_nothing(void *context, const ashi_operation *o, ashlar_error *err)
{
    (void)context, (void)o, (void)err;
    return ASHLAR_OK;
}

/* Of all ranks' programs. */
static unpacking unpacked_by(ashi_test *t, const ashi_tiling_request *q, const ashi_nest *nest)
{
    unpacking u = {.q = q};
    const ashi_program_visitor visitor = {unpack_panel, unpack_nothing, &u};
    ashi_program program;
    ashlar_error err = {0};
    CHECK(t, ashi_nest_program(nest, &program, &err) == ASHLAR_OK, "%s", err.text);
    for (int64_t rank = 0; rank < nest->ranks; rank++)
        ashi_program_walk(&program, rank, &visitor, &err);
    ashi_program_free(&program);
    return u;
}

/* Chunks are seen in what a choice is predicted to take. It takes no longer than what is chosen if they are not seen,
 * keeps to the memory, and reads at most half as many words again; if it says that no chunk is unpacked for two boxes
 * of one slab or tile, that is so. */
static void chunks_are_seen(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    ashi_tiling_request q = random_request(seed), blind = q;
    q.memory_words = blind.memory_words = ashi_max(q.memory_words, 50);
    for (int x = 0; x < 3; x++)
        q.chunks[x] = (ashi_tiling_chunks){{ashi_random_in(&state, 1, 12), ashi_random_in(&state, 1, 12)}, 1e-7, 0};
    const outcome seeing = chosen(t, &q), other = chosen(t, &blind);
    CHECK(t, ashi_nest_memory(&seeing.nest) <= q.memory_words, "seed %" PRIu64 ": %" PRId64 " words are held", seed,
          ashi_nest_memory(&seeing.nest));
    const double seconds = ashi_tiling_expect(&q, &seeing.nest).all, before = ashi_tiling_expect(&q, &other.nest).all;
    CHECK(t, seconds <= before / 0.9, "seed %" PRIu64 ": %g s, where %g s are possible", seed, seconds, before);
    const unpacking u = unpacked_by(t, &q, &seeing.nest);
    for (int x = 0; x < 2; x++) {
        const int sides[2][2] = {{0, 2}, {1, 2}};
        bool whole = true;
        for (int s = 0; s < 2; s++) {
            const int d = sides[x][s];
            whole = whole && ashi_nest_unit(&seeing.nest, d) % ashi_min(q.chunks[x].side[s], q.size[d]) == 0;
        }
        CHECK(t, !whole || u.unpacked[x] == u.read[x], "seed %" PRIu64 ": %" PRId64 " words of %c are unpacked for %"
              PRId64, seed, u.unpacked[x], "AB"[x], u.read[x]);
    }
}

/* Two ranks of 4 MiB, whose slabs are 37 to 62 thick if chunks are not seen: chunks of 100 x 100 are unpacked once for
 * each time that they are read, in tiles of few more words; the others, which have other lengths along k in A and in B,
 * less than half as often as without. */
static void chunks_are_unpacked_once(ashi_test *t)
{
    static const int64_t side[][2][2] = {{{100, 100}, {100, 100}}, {{138, 275}, {138, 275}}, {{220, 220}, {50, 400}}};
    for (size_t i = 0; i < sizeof side / sizeof *side; i++) {
        ashi_tiling_request q = request_of(2200, 2200, 2200, 2, 4 << 17);
        q.minor[ASHLAR_B] = q.file_minor[ASHLAR_B] = true;
        const outcome blind = chosen(t, &q);
        for (int x = 0; x < 2; x++)
            q.chunks[x] = (ashi_tiling_chunks){{side[i][x][x], side[i][x][1 - x]}, 1 / 15e6, 0};
        const outcome seeing = chosen(t, &q);
        const unpacking before = unpacked_by(t, &q, &blind.nest), now = unpacked_by(t, &q, &seeing.nest);
        const int64_t unpacked = now.unpacked[0] + now.unpacked[1], read = now.read[0] + now.read[1];
        CHECK(t, i > 0 || unpacked == read, "%" PRId64 " words are unpacked for %" PRId64, unpacked, read);
        CHECK(t, 2 * unpacked < before.unpacked[0] + before.unpacked[1], "chunks %zu: %" PRId64 " words are unpacked, %"
              PRId64 " if chunks are not seen", i, unpacked, before.unpacked[0] + before.unpacked[1]);
        CHECK(t, 2 * seeing.total.disk <= 3 * blind.total.disk, "chunks %zu: %" PRId64 " words of files", i,
              seeing.total.disk);
    }
}

static void limits(ashi_test *t)
{
    ashi_tiling_request q = request_of(10, 10, 10, 1, 2);
    ashi_nest nest;
    ashlar_error err = {0};
    CHECK(t, ashi_tiling_choose(&q, &nest, &err) == ASHLAR_ERR_LIMIT && strstr(err.text, ": 3 would do"), "%s",
          err.text);
    q.memory_words = 3;
    const outcome o = chosen(t, &q);
    CHECK(t, o.total.disk == 2100 && ashi_nest_memory(&o.nest) == 3, "%" PRId64 " words", o.total.disk);
    q = request_of(INT64_MAX, 1, 1, 1, 9);
    CHECK(t, ashi_tiling_choose(&q, &nest, &err) == ASHLAR_ERR_OVERFLOW, "%s", err.text);
    q = request_of(1 << 30, 1 << 30, 1 << 30, 1, 9);
    CHECK(t, ashi_tiling_choose(&q, &nest, &err) == ASHLAR_ERR_OVERFLOW, "%s", err.text);
}

/* If nothing is multiplied each rank writes whole lines of the file, or parts of one that does not fit. */
static void lines(ashi_test *t, uint64_t seed)
{
    ashi_tiling_request q = random_request(seed);
    const bool by_rows = seed % 3 > 0;
    ashi_nest_figures total, most;
    int64_t shape[3];
    ashlar_error err = {0};
    q.size[2] = 0;
    q.size[seed % 2] = seed % 11 == 0 ? 0 : q.size[seed % 2];
    q.memory_words = q.memory_words % 61 + 1;
    const ashi_nest nest = ashi_tiling_lines(&q, by_rows);
    ashi_nest_shape(&nest, shape);
    const int64_t line = shape[by_rows ? 1 : 0], count = shape[by_rows ? 0 : 1], parts = nest.parts[by_rows ? 1 : 0];
    const int64_t whole = parts > 0 ? ceiling(q.size[by_rows ? 1 : 0], parts) : 0;
    CHECK(t, line == whole || count == 1, "seed %" PRIu64 ": %" PRId64 " x %" PRId64, seed, shape[0], shape[1]);
    CHECK(t, ashi_nest_memory(&nest) <= q.memory_words, "seed %" PRIu64 ": %" PRId64, seed, ashi_nest_memory(&nest));
    CHECK(t, ashi_nest_total(&nest, &total, &most, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    CHECK(t, total.c == q.size[0] * q.size[1] && total.disk == total.c * (1 + q.adds), "seed %" PRIu64, seed);
}

/* ---- seconds ---- */

/* One rank's program played step by step: what each lane has to do, and a step ends with the last of them. */
typedef struct play {
    const ashlar_machine *machine;
    ashlar_operand stays;
    ashi_panel *panel;
    int64_t capacity;
    double disk, last[2], cores, tile; /* of the step */
    double all, lane[3];
} play;

static ashlar_status play_panel(void *context, const ashi_panel *panel, ashlar_error *err)
{
    play *p = context;
    (void)err;
    if (panel->id >= p->capacity) {
        p->capacity = 2 * p->capacity + 64;
        p->panel = realloc(p->panel, (size_t)p->capacity * sizeof *p->panel);
        if (!p->panel)
            abort();
    }
    p->panel[panel->id] = *panel;
    return ASHLAR_OK;
}

static ashlar_status play_operation(void *context, const ashi_operation *o, ashlar_error *err)
{
    play *p = context;
    (void)err;
    if (o->kind == ASHI_DO_MOVE) /* from a file or to one */
        *(p->panel[o->makes].operand == p->stays ? &p->tile : &p->disk) += (double)p->panel[o->makes].words * 8 /
                                                                           p->machine->disk_bandwidth;
    if (o->kind == ASHI_DO_RECEIVE)
        p->last[o->operand] += (double)o->words * 8 / p->machine->bandwidth + p->machine->latency;
    if (o->kind == ASHI_DO_MULTIPLY)
        p->cores += 2.0 * (double)((o->hi[0] - o->lo[0]) * (o->hi[1] - o->lo[1]) * (o->hi[2] - o->lo[2])) /
                    p->machine->flops_per_second;
    return ASHLAR_OK;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static void play_step(play *p, ashi_program *program, int64_t step, const ashi_nest *nest)
{
    const ashi_program_visitor visitor = {play_panel, play_operation, p};
    p->disk = p->tile = p->cores = p->last[0] = p->last[1] = 0;
    program->emit(program, 0, step, &visitor, NULL);
    const double network = p->last[0] + p->last[1];
    const double wait = nest->stays == ASHLAR_C ? p->tile / (double)nest->strips : p->tile;
    const double last = nest->stays == ASHLAR_B ? p->last[0] : p->last[1];
    p->all += nest->ahead == 0 ? p->disk + p->tile + network + p->cores
                               : larger(larger(p->disk + p->tile + last, network), wait + p->cores);
    p->lane[0] += p->disk + p->tile;
    p->lane[1] += network;
    p->lane[2] += p->cores;
}

static bool close_to(double a, double b, double part)
{
    return a >= b * (1 - part) && a <= b * (1 + part);
}

/* The closed form of the seconds is what playing the program gives: the lanes' work exactly if all cuts are even, the
 * whole within what the beginning and the end leave open. */
static void seconds_are_played(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    ashlar_machine m = machine;
    ashi_tiling_request q = request_of(0, 0, 0, 0, 0);
    ashi_nest nest = {.stays = (ashlar_operand)(seed % 3), .parts = {1, 1}, .team = {1, 1}, .strips = 1,
                      .ahead = (int)ashi_random_in(&state, 0, 1)};
    for (int d = 0; d < 3; d++) {
        nest.cut[d] = ashi_random_in(&state, 4, 6);
        nest.size[d] = 36 * nest.cut[d] * ashi_random_in(&state, 1, 4); /* boxes and pieces are even */
    }
    nest.team[0] = nest.stays == ASHLAR_B ? 1 : ashi_random_in(&state, 1, 3);
    nest.team[1] = nest.stays == ASHLAR_A ? 1 : ashi_random_in(&state, 1, 3);
    nest.ranks = nest.team[0] * nest.team[1];
    m.flops_per_second = 1e9 * (double)ashi_random_in(&state, 1, 40);
    m.bandwidth = 1e8 * (double)ashi_random_in(&state, 1, 40);
    q.machine = &m;
    play p = {.machine = &m, .stays = nest.stays};
    ashi_program program;
    CHECK(t, ashi_nest_program(&nest, &program, NULL) == ASHLAR_OK, "seed %" PRIu64, seed);
    for (int64_t step = 0; step < program.steps; step++)
        play_step(&p, &program, step, &nest);
    ashi_program_free(&program);
    free(p.panel);
    const ashi_tiling_seconds s = ashi_tiling_predict(&q, &nest);
    CHECK(t, close_to(s.disk, p.lane[0], 1e-9) && close_to(s.cores, p.lane[2], 1e-9),
          "seed %" PRIu64 ": disk %g, played %g; cores %g, played %g", seed, s.disk, p.lane[0], s.cores, p.lane[2]);
    CHECK(t, close_to(s.all, p.all, 0.02), "seed %" PRIu64 ": %g s, played %g", seed, s.all, p.all);
}

/* A disk that reads, or writes, slower than it does both at once takes as long as the words read, or written, do. */
static void one_way_may_be_slower(ashi_test *t)
{
    for (int x = 0; x < 3; x++) {
        ashlar_machine m = machine;
        m.disk_bandwidth = 1e8;
        m.disk_read_bandwidth = 5e7;
        m.disk_write_bandwidth = x == ASHLAR_B ? 2e7 : 4e7;
        m.flops_per_second = 1e15;
        ashi_tiling_request q = request_of(0, 0, 0, 0, 0);
        q.machine = &m;
        const ashi_nest nest = {.stays = (ashlar_operand)x, .size = {720, 720, 720}, .parts = {1, 1}, .team = {1, 1},
                                .cut = {4, 3, 6}, .ranks = 1, .strips = 1, .ahead = 1};
        const ashi_nest_figures f = ashi_nest_of_rank(&nest, 0);
        const double bytes = (double)q.bytes, reading = (double)(f.a + f.b + f.c0 + f.back) * bytes;
        const double wanted = fmax(reading / m.disk_read_bandwidth, (double)f.c * bytes / m.disk_write_bandwidth);
        const ashi_tiling_seconds s = ashi_tiling_predict(&q, &nest);
        CHECK(t, wanted > (double)f.disk * bytes / m.disk_bandwidth, "stays %d: the case shows nothing", x);
        CHECK(t, close_to(s.disk, wanted, 1e-9) && s.all >= s.disk, "stays %d: disk %g s of %g, wanted %g", x, s.disk,
              s.all, wanted);
    }
}

/* A of m x k, B of n x k and C of m x n. In the files the second index is the fastest, and a line has `line` words. */
static ashi_tiling_request seen_request(int64_t line)
{
    ashi_tiling_request q = request_of(64, 64, 64, 1, 4096);
    for (int x = 0; x < 3; x++) {
        q.seen[x] = true;
        ashi_file_levels_add(&q.levels[x], 0, 64, line);
        ashi_file_levels_add(&q.levels[x], 1, 64, 1);
    }
    return q;
}

/* Four tiles of 32 x 32 of C, and four slabs of 16 for each. */
static void pages_are_counted(ashi_test *t)
{
    const ashi_nest nest = {.stays = ASHLAR_C, .size = {64, 64, 64}, .parts = {1, 1}, .team = {1, 1},
                            .cut = {2, 2, 4}, .ranks = 1, .strips = 1, .ahead = 1};
    const ashi_tiling_request near = seen_request(64), far = seen_request(4096);
    ashi_tiling_bytes p = ashi_tiling_pages(&near, &nest);
    const double slab = 31 * 512 + 128, tile = 31 * 512 + 256; /* with the gaps, which are smaller than a page */
    CHECK(t, p.read == 2 * 16 * slab + 4 * (tile - 8192) && p.written == 4 * tile, "%g read, %g written", p.read,
          p.written);
    p = ashi_tiling_pages(&far, &nest); /* C ends at sides of tiles; pages of A and B at ends of slabs are too many */
    CHECK(t, p.read == 2 * 16 * (4096 + 32 * 4096) + 4 * 32 * 4096 && p.written == 4 * (8192 + 32 * 4096),
          "%g read, %g written", p.read, p.written);
    ashi_tiling_request room = far;
    room.memory_words = 32 * 4096 * 16 / 8 + 1; /* now they stay until the next slab */
    p = ashi_tiling_pages(&room, &nest);
    CHECK(t, p.read == 2 * 16 * 4096 + 4 * 32 * 4096, "%g read", p.read);
}

/* Matrices of 5120 x 5120 whose rows are whole pages. B stays in four tiles of 1280 columns or of three and two pages,
 * and of two blocks of k; C is written twice and read once. */
static void whole_pages_are_exact(ashi_test *t)
{
    const int64_t side = 5120, words = side * side, page = 512;
    ashi_tiling_request q = request_of(side, side, side, 1, 4718592);
    ashi_nest nest = {.stays = ASHLAR_B, .size = {side, side, side}, .parts = {1, 1}, .team = {1, 1}, .cut = {64, 4, 2},
                      .ranks = 1, .strips = 1, .ahead = 1, .unit = {1, 1, page}};
    for (int x = 0; x < 3; x++) {
        q.seen[x] = q.at_page[x] = true;
        q.levels[x] = (ashi_file_levels){{1, 1}, {{{side, side}}, {{side, 1}}}};
    }
    const double runs = 64 * 2 * 4 * 80; /* of C, 10 KB each */
    ashi_tiling_bytes p = ashi_tiling_pages(&q, &nest);
    CHECK(t, p.read == (double)(8 * 6 * words) + runs / 2 * 4096 + runs / 2 * 4096 &&
          p.written == (double)(8 * 2 * words) + runs * 4096, "%.0f read, %.0f written", p.read, p.written);
    nest.unit[1] = page;
    p = ashi_tiling_pages(&q, &nest);
    CHECK(t, p.read == (double)(8 * 6 * words) && p.written == (double)(8 * 2 * words), "%.0f read, %.0f written",
          p.read, p.written);
    q.at_page[ASHLAR_A] = false;
    CHECK(t, ashi_tiling_pages(&q, &nest).read == p.read + 64 * 2 * 4 * 80 * 4096.0, "%.0f read beside %.0f",
          ashi_tiling_pages(&q, &nest).read, p.read);
    q.pages[1] = page; /* thicker slabs of pages that are no more, if the disk is as quick as the cores */
    q.at_page[ASHLAR_A] = true;
    ashlar_machine quick = machine;
    quick.flops_per_second = 1.9e11;
    quick.copy_bandwidth = 2e10;
    quick.disk_bandwidth = 6.9e8;
    quick.disk_read_bandwidth = 3.5e8;
    quick.disk_write_bandwidth = 3.8e8;
    q.machine = &quick;
    q.threads = 2;
    for (int x = 0; x < 2; x++)
        q.chunks[x].side[1] = page;
    ashi_nest_figures total, most;
    if (choose(t, &q, 0, &nest, &total, &most))
        CHECK(t, nest.stays == ASHLAR_B && nest.cut[1] == 4 && nest.cut[2] == 2 && nest.unit[1] == page,
              "%c stays, %" PRId64 " and %" PRId64 " tiles in units of %" PRId64, "ABC"[nest.stays], nest.cut[1],
              nest.cut[2], nest.unit[1]);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 1500);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        choice_is_near_the_best(&t, seed);
        least_is_least(&t, seed);
        onto_a_device_is_near_the_best(&t, seed);
        only_rates_of_the_device_count(&t, seed);
        more_words_are_worth_it(&t, seed);
        lines(&t, seed);
        chunks_are_seen(&t, seed);
    }
    for (uint64_t seed = seeds.first; seed <= (seeds.told ? seeds.last : 6000); seed++)
        seconds_are_played(&t, seed);
    ranks_read_together(&t);
    quick_disks_are_worth_thick_slabs(&t);
    long_runs_are_wanted(&t);
    thin_slabs_are_not_read(&t);
    few_requests_are_wanted(&t);
    any_matrix_may_stay(&t);
    one_way_may_be_slower(&t);
    delays_make_slabs_thick(&t);
    near_the_bound(&t);
    chunks_are_unpacked_once(&t);
    limits(&t);
    pages_are_counted(&t);
    whole_pages_are_exact(&t);
    return ashi_test_end(&t, "tiling");
}

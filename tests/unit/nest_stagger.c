/* Staggered programs pass the checker, their words, memory and steps are those of the closed forms, and no more strips
 * come back in a step than must. */
#include "check/program.h"
#include "check/ready.h"
#include "engine/nest_stagger.h"
#include "program_mutants.h"
#include "random_nest.h"
#include "schedule/ready.h"
#include "search/onto_stagger.h"

static ashi_nest random_staggered(uint64_t seed)
{
    uint64_t state = seed;
    ashi_nest q = {.adds = seed & 1, .stays = ASHLAR_C, .ranks = 1, .parts = {1, 1}, .team = {1, 1}, .ahead = 1,
                   .strips = ashi_random_in(&state, 1, 6), .stagger = ashi_random_in(&state, 1, 8)};
    for (int d = 0; d < 3; d++) {
        q.size[d] = ashi_random_in(&state, 1, 24);
        q.cut[d] = ashi_random_in(&state, 1, 6);
        q.minor[d] = ashi_random_in(&state, 0, 1);
    }
    return q;
}

/* Each strip meets each slab once, from the item with which it begins to that which completes it, and no item completes
 * more strips than an even spread. Returns whether several strips were complete one after the other. */
static bool items_are_staggered(ashi_test *t, uint64_t seed, const ashi_nest *nest)
{
    const ashi_stagger s = ashi_stagger_of(nest);
    const int64_t most = ashi_ceil_div(s.strips, s.spread), all = s.tiles * s.strips;
    int64_t met = 0, begun = 0, complete = 0;
    for (int64_t i = 0; i < s.items; i++) {
        const ashi_stagger_item item = ashi_stagger_item_of(&s, i);
        met += (item.strip_hi - item.strip_lo) * (item.hi[2] - item.lo[2]);
        begun += item.strip_hi - item.begun;
        complete += item.complete - item.strip_lo;
        CHECK(t, item.strip_lo < item.strip_hi && item.strip_hi - item.strip_lo <= s.strips, "seed %" PRIu64, seed);
        CHECK(t, item.complete - item.strip_lo <= most, "seed %" PRIu64 ": %" PRId64 " strips of %" PRId64
              " are complete at once", seed, item.complete - item.strip_lo, s.strips);
    }
    CHECK(t, met == s.rows * all * s.size[2] && begun == s.rows * all && complete == begun, "seed %" PRIu64, seed);
    return s.strips > 1 && most < s.strips;
}

static void program_is_right(ashi_test *t, uint64_t seed, const ashi_nest *nest, program_mutants *mutants)
{
    ashi_program program;
    ashi_check_report report = {0};
    ashlar_error err = {0};
    const ashi_nest_figures f = ashi_nest_of_rank(nest, 0);
    const int64_t promised = ashi_nest_memory(nest);
    int64_t peak = 0, steps = 0;
    CHECK(t, ashi_nest_program(nest, &program, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    CHECK(t, ashi_check_program(&program, &report, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    CHECK(t, report.products == f.products && report.read == f.a + f.b + f.c0 && report.written == f.c,
          "seed %" PRIu64 ": %" PRId64 " words read, predicted %" PRId64, seed, report.read, f.a + f.b + f.c0);
    CHECK(t, ashi_nest_steps(nest, &steps, &err) == ASHLAR_OK && steps == program.steps, "seed %" PRIu64, seed);
    const ashi_passes_request passes = {.program = &program, .look_ahead = 0, .tags = 32768};
    CHECK(t, ashi_passes_peak_of(&passes, &peak, &err) == ASHLAR_OK && peak <= promised, "seed %" PRIu64 ": %" PRId64
          " words are used, promised %" PRId64 " %s", seed, peak, promised, err.text);
    ashi_ready_request ready = {.program = &program, .look_ahead = (int64_t)(seed % 2), .tags = 32768,
                                .walk = ashi_ready_walk};
    ready.context = &ready;
    CHECK(t, ashi_check_ready(&ready, &report, &err) == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    mutants_of_program_are_found(t, seed, &program, 6, mutants);
    ashi_program_free(&program);
}

/* What cannot be staggered is refused. */
static void others_are_refused(ashi_test *t)
{
    ashi_program program;
    ashlar_error err = {0};
    for (int i = 0; i < 5; i++) {
        ashi_nest nest = random_staggered(7);
        nest.ahead = i != 0;
        nest.stays = i == 1 ? ASHLAR_A : ASHLAR_C;
        nest.ranks = i == 2 ? 2 : 1;
        nest.unit[2] = i == 3 ? 2 : 0;
        nest.from = i == 4;
        CHECK(t, ashi_nest_program(&nest, &program, &err) == ASHLAR_ERR_INTERNAL, "%d", i);
    }
}

/* 768 x 768 x 768 doubles in a quarter of C, with copies that take half of, as long as, and twice as long as the
 * products: predicted within 1.15 of the longest of copies in, copies out and products, and within 5 % of the fewest
 * words. */
static void prediction_is_near_the_longest(ashi_test *t, int64_t memory, double ratio)
{
    const double flops = 4e8, products = 2.0 * 768 * 768 * 768 / flops;
    ashi_onto_problem p = {.size = {768, 768, 768}, .type = ASHLAR_TYPE_D, .minor = {true, true, true},
                           .memory_words = memory, .flops = flops, .rate = 1e9};
    ashi_nest nest;
    ashlar_error err = {0};
    CHECK(t, ashi_onto_choose(&p, &nest, &err) == ASHLAR_OK, "%s", err.text);
    p.rate = (double)(ashi_nest_of_rank(&nest, 0).disk - 768 * 768) * 8 / (products * ratio);
    CHECK(t, ashi_onto_choose(&p, &nest, &err) == ASHLAR_OK, "%s", err.text);
    const ashi_nest_figures f = ashi_nest_of_rank(&nest, 0);
    ashlar_machine machine = ashlar_machine_default();
    machine.disk_bandwidth = p.rate;
    machine.flops_per_second = flops;
    const ashi_tiling_request q = {.size = {768, 768, 768}, .ranks = 1, .memory_words = memory, .bytes = 8, .flops = 2,
                                   .apart = true, .fewest_words = true, .minor = {true, true, true},
                                   .machine = &machine};
    const double copies = (double)(f.disk - f.c) * 8 / p.rate, longest = copies > products ? copies : products;
    const double seconds = ashi_onto_seconds(&p, &q, &nest);
    CHECK(t, nest.stagger > 0 && seconds <= 1.15 * longest, "%" PRId64 " words, %g: stagger %" PRId64 ", %g s for %g s",
          memory, ratio, nest.stagger, seconds, longest);
    CHECK(t, f.disk * 20 <= ashi_tiling_fewest(&q) * 21 && ashi_nest_memory(&nest) <= memory, "%" PRId64 " words",
          f.disk);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    program_mutants mutants = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 300);
    int staggered = 0;
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++) {
        const ashi_nest nest = random_staggered(seed);
        staggered += items_are_staggered(&t, seed, &nest);
        program_is_right(&t, seed, &nest, &mutants);
    }
    CHECK(&t, seeds.told || staggered > 60, "%d", staggered);
    others_are_refused(&t);
    for (double ratio = 0.5; ratio <= 2; ratio *= 2)
        for (int64_t parts = 4; parts <= 16; parts *= 4)
            prediction_is_near_the_longest(&t, 768 * 768 / parts, ratio);
    return ashi_test_end(&t, "nest_stagger");
}

/* A rank of a grid multiplies its box of C once a round, unless memory is limited or its own part of C is large. */
#include "choosing.h"
#include "base/checked.h"
#include "schedule/program.h"
#include "test.h"

static ashlar_status count_products(void *context, const ashi_operation *o, ashlar_error *err)
{
    int64_t *products = context;
    (void)err;
    *products += o->kind == ASHI_DO_MULTIPLY;
    return ASHLAR_OK;
}

/* The most products of a rank, divided by the rounds; 0 if there is no plan. Memory is what was foreseen. */
static int64_t products_a_round(ashi_test *t, uint64_t seed, const ashi_problem *q, int64_t *memory)
{
    ashi_choice c = {0};
    ashi_program program = {0};
    ashi_totals found;
    ashlar_error err = {0};
    int64_t most = 0, rounds = 1;
    ashlar_status status = ashi_choose(q, "cosma", walk_all, NULL, &c, &err);
    if (status == ASHLAR_OK)
        status = ashi_simulate(&c.schedule, NULL, NULL, &found, &err);
    if (status == ASHLAR_OK)
        status = ashi_program_of(&c.schedule, &program, &err);
    for (int64_t rank = 0; rank < q->ranks && status == ASHLAR_OK; rank++) {
        int64_t products = 0;
        const ashi_program_visitor visitor = {ashi_program_ignored.panel, count_products, &products};
        status = ashi_program_walk(&program, rank, &visitor, &err);
        most = ashi_max(most, products);
    }
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    if (status == ASHLAR_OK) {
        rounds = c.schedule.rounds;
        *memory = found.memory_max;
        CHECK(t, c.totals.memory_max == found.memory_max, "seed %" PRIu64 ": memory %" PRId64 ", foreseen %" PRId64,
              seed, found.memory_max, c.totals.memory_max);
    }
    ashi_program_free(&program);
    ashi_choice_free(&c);
    return ashi_ceil_div(most, rounds);
}

/* Any of them, and in its own layouts with just too little memory for that. */
static void check_grid(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    int64_t memory = 0, most_memory = 0;
    ashi_problem q = problem_of(ashi_random_in(&state, 20, 60), ashi_random_in(&state, 20, 60), 0, 1);
    q.size[2] = ashi_random_in(&state, 40, 400);
    for (int d = 0; d < 3; d++)
        q.ranks *= q.grid[d] = ashi_random_in(&state, d == 2 ? 2 : 1, d == 2 ? 7 : 3);
    q.least_words = ashi_random_in(&state, 0, 1);
    const int64_t freely = products_a_round(t, seed, &q, &most_memory);
    CHECK(t, freely == 1, "seed %" PRIu64 ": %" PRId64 " products a round", seed, freely);
    q.memory_words = most_memory - 1;
    products_a_round(t, seed, &q, &memory);
    CHECK(t, memory < most_memory, "seed %" PRIu64 ": %" PRId64 " words of %" PRId64, seed, memory, q.memory_words);
}

/* On two ranks, each of which owns half the columns of C: m n / 2 words. */
static void check_half(ashi_test *t, int64_t m, int64_t n, int64_t k, int64_t limit, int64_t wanted)
{
    int64_t memory = 0;
    ashi_problem q = problem_of(m, n, k, 2);
    q.grid[0] = q.grid[1] = 1;
    q.grid[2] = 2;
    q.memory_words = limit;
    const int64_t products = products_a_round(t, 0, &q, &memory);
    CHECK(t, products == wanted, "%" PRId64 " x %" PRId64 " x %" PRId64 ", at most %" PRId64 " words: %" PRId64
          " products a round, wanted %" PRId64, m, n, k, limit, products, wanted);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 60);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        check_grid(&t, seed);
    check_half(&t, 1024, 1024, 64, 0, 1);     /* 524288 words of its own, as many as buffers may take */
    check_half(&t, 1024, 1026, 64, 0, 2);     /* more */
    check_half(&t, 1024, 1026, 8192, 0, 1);   /* less than a seventh of its shares */
    check_half(&t, 100, 100, 1000, 110100, 2); /* 105000 of its shares, 5000 to be sent, 100 that arrive */
    return ashi_test_end(&t, "one_sum");
}

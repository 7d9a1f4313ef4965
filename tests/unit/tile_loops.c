/* The paper's 48 schedules are programs that pass the checker and move the words that its model says. */
#include "base/checked.h"
#include "check/program.h"
#include "check/ready.h"
#include "program_mutants.h"
#include "search/paper.h"
#include "simulate/count.h"
#include "test.h"

#include <math.h>

typedef struct counted {
    ashi_need total, most;
} counted;

static void count(ashi_test *t, const char *what, ashi_program *program, counted *c)
{
    *c = (counted){{0}, {0}};
    for (int64_t rank = 0; rank < program->ranks; rank++) {
        ashi_need n;
        ashlar_error err = {0};
        CHECK(t, ashi_count_in_full(program, rank, &n, &err) == ASHLAR_OK, "%s: %s", what, err.text);
        c->total.read += n.read;
        c->total.written += n.written;
        c->total.received += n.received;
        c->most.read = ashi_max(c->most.read, n.read);
        c->most.written = ashi_max(c->most.written, n.written);
        c->most.received = ashi_max(c->most.received, n.received);
    }
}

/* The model divides by the ranks first: its totals are whole numbers up to rounding. */
static bool is_whole(int64_t words, double model)
{
    return fabs((double)words - model) < 1e-6;
}

/* A square number of ranks: words of the busiest rank are the model's, too. */
static void words_are_the_models(ashi_test *t, const char *what, const ashi_paper_problem *q,
                                 const ashi_paper_schedule *s, ashi_program *program)
{
    const double ranks = (double)q->ranks;
    counted c;
    count(t, what, program, &c);
    CHECK(t, is_whole(c.total.read + c.total.written, s->total_disk), "%s: all ranks move %" PRId64 " + %" PRId64
          " words of disk, the model says %.17g", what, c.total.read, c.total.written, s->total_disk);
    CHECK(t, is_whole(c.total.written, s->rank.writes * ranks), "%s: all ranks write %" PRId64 " words, not %.17g",
          what, c.total.written, s->rank.writes * ranks);
    CHECK(t, is_whole(c.total.received, s->total_network), "%s: all ranks receive %" PRId64 " words, not %.17g", what,
          c.total.received, s->total_network);
    if (s->method == ASHI_PAPER_ROTATION && s->grid[0] != s->grid[1])
        return;
    CHECK(t, (double)c.most.read == s->busiest.reads, "%s: a rank reads %" PRId64 " words, not %.17g", what,
          c.most.read, s->busiest.reads);
    CHECK(t, (double)c.most.written == s->busiest.writes, "%s: a rank writes %" PRId64 " words, not %.17g", what,
          c.most.written, s->busiest.writes);
    CHECK(t, (double)c.most.received == s->busiest.network, "%s: a rank receives %" PRId64 " words, not %.17g", what,
          c.most.received, s->busiest.network);
}

static void program_is_right(ashi_test *t, const char *what, ashi_program *program)
{
    ashi_ready_request request = {.program = program, .look_ahead = 0, .tags = 32768, .walk = ashi_ready_walk};
    ashi_check_report report;
    ashlar_error err = {0};
    request.context = &request;
    CHECK(t, ashi_check_program(program, &report, &err) == ASHLAR_OK, "%s: %s", what, err.text);
    CHECK(t, ashi_check_ready(&request, &report, &err) == ASHLAR_OK, "%s: %s", what, err.text);
}

static void run_one(ashi_test *t, uint64_t seed, const ashi_paper_problem *q, const ashi_paper_schedule *s,
                    program_mutants *mutants)
{
    const ashi_tile_loops loops = ashi_paper_loops_to_run(q, s);
    ashi_program program;
    ashlar_error err = {0};
    char what[200];
    snprintf(what, sizeof what, "%s/%s of %" PRId64 " x %" PRId64 " x %" PRId64 " on %" PRId64 " ranks, M = %" PRId64
             "%s", ashi_paper_name(s->inside, s->method), ashi_paper_order_name(s->order), q->extent[0], q->extent[1],
             q->extent[2], q->ranks, q->tile_words, q->sets ? ", C is set" : "");
    const ashlar_status status = ashi_tile_loops_program(&loops, &program, &err);
    CHECK(t, status == ASHLAR_OK, "%s: %s", what, err.text);
    if (status != ASHLAR_OK)
        return;
    program_is_right(t, what, &program);
    words_are_the_models(t, what, q, s, &program);
    mutants_of_program_are_found(t, seed, &program, 2, mutants);
    ashi_program_free(&program);
}

static void random_problems(ashi_test *t, program_mutants *mutants)
{
    static const int64_t ranks[] = {1, 4, 9, 16, 2, 3, 6};
    for (uint64_t seed = 1; seed <= 14; seed++) {
        uint64_t state = seed;
        ashi_paper_problem q = {.batch = 1, .ranks = ranks[seed % 7], .disk = 1, .network = 25, .runs = true,
                                .sets = seed % 5 == 0};
        const int64_t least = q.ranks;
        for (int d = 0; d < 3; d++)
            q.extent[d] = ashi_random_in(&state, least, least + 12);
        q.tile_words = ashi_random_in(&state, 2, q.extent[0] * q.extent[1] / ashi_random_in(&state, 1, 12) + 2);
        ashi_paper_schedule plan[ASHI_PAPER_SCHEDULES];
        CHECK(t, ashi_paper_plan(&q, plan) >= 0, "seed %" PRIu64 ": nothing is applicable", seed);
        for (int i = (int)(seed % 3); i < ASHI_PAPER_SCHEDULES; i += 3)
            if (plan[i].applicable)
                run_one(t, seed, &q, &plan[i], mutants);
    }
}

int main(void)
{
    ashi_test t = {0};
    program_mutants mutants = {0};
    random_problems(&t, &mutants);
    return ashi_test_end(&t, "tile_loops");
}

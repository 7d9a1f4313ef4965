/* Random grid schedules on MPI: any boxes, rounds and windows, and messages cut into small ones. */
#include "exec/executor.h"
#include "mpi/multiplying.h"
#include "mpi/ranks.h"
#include "strategy/grid_schedule.h"

#define PROGRAM "executor"

typedef struct problem {
    product product;
    ashlar_layout *layout[3];
    ashi_bricks bricks;
    ashi_schedule schedule;
    int64_t message_most;
} problem;

static void random_grid(uint64_t *state, int64_t cells, int64_t grid[3])
{
    const int first = (int)ashi_random_in(state, 0, 2);
    for (int i = 0; i < 3; i++) {
        grid[(first + i) % 3] = ashi_random_in(state, 1, cells);
        cells /= grid[(first + i) % 3];
    }
}

/* Even boxes, or any: some may be empty. */
static bool random_bricks(uint64_t *state, problem *p, int ranks, ashlar_error *err)
{
    int64_t grid[3];
    int rank_of[RANDOM_RANKS_MAX];
    random_grid(state, ranks, grid);
    random_permutation(state, ranks, rank_of);
    if (ashi_bricks_even(grid, p->product.size, &p->bricks, err) != ASHLAR_OK)
        return false;
    for (int d = 0; d < 3; d++)
        if (ashi_random_in(state, 0, 1))
            random_cuts(state, grid[d], p->product.size[d], p->bricks.cut[d]);
    memcpy(p->bricks.rank_of, rank_of, (size_t)(grid[0] * grid[1] * grid[2]) * sizeof *rank_of);
    return true;
}

static bool random_problem(problem *p, const rig *r, ashlar_error *err)
{
    static const int64_t most[4] = {1, 3, 17, ASHI_MESSAGE_MOST};
    uint64_t state = r->seed * 0xD1B54A32D192ED03u;
    *p = (problem){.message_most = most[ashi_random_in(&state, 0, 3)]};
    product *q = &p->product;
    for (int d = 0; d < 3; d++)
        q->size[d] = ashi_random_in(&state, 1, 30);
    random_product(&state, q);
    if (number_abs(q->alpha) == 0)
        q->alpha = (number){1, 0}; /* the plan sees to it that nothing else comes here */
    ashi_grid_request g = {.strategy = "test", .size = {q->size[0], q->size[1], q->size[2]}, .ranks = r->ranks,
                           .op = {q->op[0], q->op[1]}, .bricks = &p->bricks,
                           .rounds = ashi_random_in(&state, 1, 9), .reduce_rounds = ashi_random_in(&state, 1, 5),
                           .window = (int)ashi_random_in(&state, 1, 4), .one_sided = ashi_random_in(&state, 0, 1)};
    g.tree = !g.one_sided && ashi_random_in(&state, 0, 1);
    for (int x = 0; x < 3; x++) {
        int64_t shape[2];
        product_shape(q, x, shape);
        p->layout[x] = random_part_layout(&state, shape[0], shape[1], r->ranks, r->rank, err);
        g.layout[x] = p->layout[x];
        if (!p->layout[x])
            return false;
    }
    return random_bricks(&state, p, r->ranks, err) && ashi_grid_schedule(&g, &p->schedule, err) == ASHLAR_OK;
}

static void free_problem(problem *p)
{
    ashi_schedule_free(&p->schedule);
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&p->layout[x]);
    ashi_bricks_free(&p->bricks);
}

static void run(problem *p, ashi_executor *executor, const ashi_need *need, part part_of[3], rig *r)
{
    ashi_test *t = &r->test;
    ashlar_error err = {0};
    ashi_tally tally;
    unsigned char alpha[16], beta[16];
    const ashi_part all[3] = {{part_of[0].base, NULL}, {part_of[1].base, NULL}, {part_of[2].base, NULL}};
    number_store(p->product.type, p->product.alpha, alpha);
    number_store(p->product.type, p->product.beta, beta);
    for (int time = 0; time < 2; time++) {
        part_refill(&part_of[2]);
        const ashlar_status status = ashi_executor_run(executor, alpha, all, beta, &tally, &err);
        CHECK(t, status == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    }
    CHECK(t, tally.received == need->received && tally.received_messages == need->received_messages &&
                 tally.sent_messages == need->sent_messages,
          CASE "received %" PRId64 " words, predicted %" PRId64, CASE_OF(r), tally.received, need->received);
    CHECK(t, tally.workspace <= need->workspace, CASE "%" PRId64 " words of workspace, promised %" PRId64, CASE_OF(r),
          tally.workspace, need->workspace);
    const double off = product_error(&p->product, &part_of[2]);
    CHECK(t, off <= 1, CASE "%g times what rounding allows", CASE_OF(r), off);
    for (int x = 0; x < 2; x++)
        CHECK(t, memcmp(part_of[x].memory, part_of[x].before, part_of[x].bytes) == 0, CASE "%c was written to",
              CASE_OF(r), "AB"[x]);
    CHECK(t, part_only_elements_changed(&part_of[2]), CASE "memory around C was written to", CASE_OF(r));
}

static void try_case(rig *r)
{
    problem p;
    part part_of[3];
    ashi_need need;
    ashi_executor *executor = NULL;
    ashlar_error err = {0};
    bool ready = random_problem(&p, r, &err) &&
                 ashi_schedule_need(&p.schedule, r->rank, &need, &err) == ASHLAR_OK;
    memset(part_of, 0, sizeof part_of);
    for (int x = 0; x < 3 && ready; x++)
        ready = part_make(&part_of[x], &p.product.content[x], p.layout[x], r->rank,
                          x == 2 && number_abs(p.product.beta) == 0);
    CHECK(&r->test, ready, CASE "%s", CASE_OF(r), err.text);
    if (ready) {
        const ashi_executor_request q = {.schedule = &p.schedule, .need = &need, .comm = MPI_COMM_WORLD,
                                         .rank = r->rank, .type = p.product.type, .one_sided = p.schedule.one_sided,
                                         .message_most = p.message_most};
        CHECK(&r->test, ashi_executor_create(&q, &executor, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    }
    if (executor)
        run(&p, executor, &need, part_of, r);
    ashi_executor_free(&executor);
    for (int x = 0; x < 3; x++)
        part_free(&part_of[x]);
    free_problem(&p);
}

int main(int argc, char **argv)
{
    rig r;
    if (!ranks_begin(&r, &argc, &argv, 80))
        return 1;
    for (uint64_t i = 0; i < r.cases; i++) {
        r.seed = r.first + i;
        try_case(&r);
    }
    return ranks_end(&r, PROGRAM);
}

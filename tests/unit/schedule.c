/* Programs of random boxes pass the checkers, take no more memory than a window of their rounds, and the checkers find
 * what is altered in them. */
#include "base/checked.h"
#include "program_mutants.h"
#include "random_request.h"
#include "same_steps.h"

/* What was tried: brief programs with several messages in one operation, ranks that a longer look-ahead refuses,
 * matrices that are sent with k contiguous. */
typedef struct seen {
    int64_t together, refused, turned;
    program_mutants mutants;
} seen;

static ashlar_status note_together(void *context, const ashi_operation *o, ashlar_error *err)
{
    int64_t *together = context;
    (void)err;
    *together += o->kind == ASHI_DO_REDUCE && o->owner < 0 && o->members > 1;
    return ASHLAR_OK;
}

/* No rank's pool is longer than its sums and as many rounds as are in flight, each as large as the largest. */
static void within_window(ashi_test *t, uint64_t seed, ashi_schedule *s, seen *n)
{
    ashi_program program = {0};
    ashlar_error err = {0};
    const ashi_program_visitor visitor = {ashi_program_ignored.panel, note_together, &n->together};
    ashlar_status status = ashi_program_of(s, &program, &err);
    for (int64_t rank = 0; rank < s->ranks && status == ASHLAR_OK; rank++) {
        ashi_need need;
        status = ashi_count_program(&program, rank, &need, &err);
        const int64_t most = need.c_words + s->window * ashi_max(need.panel_words, need.sum_words);
        CHECK(t, status != ASHLAR_OK || need.workspace <= most, "seed %" PRIu64 ", rank %" PRId64 ": a pool of %"
              PRId64 " words, %" PRId64 " would do", seed, rank, need.workspace, most);
        program.brief = true;
        if (status == ASHLAR_OK)
            status = ashi_program_walk(&program, rank, &visitor, &err);
        program.brief = false;
        n->refused += seed % 8 == 0 && longer_is_refused(&program, rank);
    }
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    ashi_program_free(&program);
}

static void one_problem(ashi_test *t, uint64_t seed, int64_t longest, int tries, seen *n)
{
    grid_problem p;
    ashi_schedule s = {0};
    ashi_check_report report;
    ashlar_error err = {0};
    const bool made = random_grid_problem(seed, longest, &p, &err);
    CHECK(t, made, "seed %" PRIu64 ": %s", seed, err.text);
    const ashlar_status status = made ? ashi_grid_schedule(&p.request, &s, &err) : ASHLAR_ERR_ARG;
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    s.torus = p.torus;
    n->turned += s.view[ASHLAR_A].turned + s.view[ASHLAR_B].turned;
    if (status == ASHLAR_OK && schedule_is_sound(t, seed, &s, &report)) {
        steps_can_be_repeated(t, seed, &s);
        within_window(t, seed, &s, n);
        program_mutants_are_found(t, seed, &s, seed % 3 ? 0 : tries, &n->mutants);
    }
    ashi_schedule_free(&s);
    free_grid_problem(&p);
}

/* The proof goes by boxes, not by elements: a size that no array could have takes no longer. */
static void large_sizes(ashi_test *t, bool tree, bool one_sided)
{
    enum { SIZE = 100000 };
    const int64_t grid[3] = {4, 4, 4}, size[3] = {SIZE, SIZE, SIZE};
    grid_problem p = {.request = {.strategy = "test", .ranks = 65, .size = {SIZE, SIZE, SIZE}, .rounds = 7,
                             .reduce_rounds = 3, .window = 2, .tree = tree, .one_sided = one_sided}};
    ashi_schedule s = {0};
    ashi_check_report report = {0};
    ashlar_error err = {0};
    p.request.bricks = &p.bricks;
    ashlar_status status = ashi_bricks_even(grid, size, &p.bricks, &err);
    for (int x = 0; x < 3 && status == ASHLAR_OK; x++) {
        status = ashlar_layout_block_cyclic(SIZE, SIZE, 1000, 1500, 8, 8, x, 7 - x, NULL, ASHLAR_COL_MAJOR, 0,
                                            &p.layout[x], &err);
        p.request.layout[x] = p.layout[x];
    }
    if (status == ASHLAR_OK)
        status = ashi_grid_schedule(&p.request, &s, &err);
    CHECK(t, status == ASHLAR_OK, "%s", err.text);
    if (status == ASHLAR_OK)
        schedule_is_sound(t, 1, &s, &report);
    CHECK(t, report.products == (int64_t)SIZE * SIZE * SIZE, "%" PRId64, report.products);
    ashi_schedule_free(&s);
    free_grid_problem(&p);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    seen n = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 3600);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        one_problem(&t, seed, 60, 3, &n);
    for (uint64_t seed = 1; !seeds.told && seed <= 20; seed++)
        one_problem(&t, seed, 3000, 2, &n);
    for (int i = 0; !seeds.told && i < 4; i++)
        large_sizes(&t, i & 1, i & 2);
    if (!seeds.told)
        program_mutants_were_many(&t, &n.mutants, "peer, swap", 25);
    CHECK(&t, seeds.told || n.refused > 100, "a longer look-ahead was refused only %" PRId64 " times", n.refused);
    CHECK(&t, seeds.told || n.turned > 500, "only %" PRId64 " matrices were sent with k contiguous", n.turned);
    CHECK(&t, seeds.told || n.together > 1000, "only %" PRId64 " operations of several messages", n.together);
    return ashi_test_end(&t, "schedule");
}

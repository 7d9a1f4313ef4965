/* Cannon's algorithm with any parts on any ranks, in any cuts: the shift engine's programs pass the checkers, take the
 * memory that they should, and the checkers find what is altered in them. */
#include "cannon_rule.h"
#include "program_mutants.h"
#include "same_steps.h"

typedef struct problem {
    ashlar_layout *layout[3];
    ashi_shift_request request;
    ashi_schedule schedule;
} problem;

/* What was tried: more parts than ranks, layers, rounds that move sums. */
typedef struct seen {
    int64_t folded, layers, moving, refused;
    program_mutants mutants;
} seen;

static void free_problem(problem *p)
{
    ashi_schedule_free(&p->schedule);
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&p->layout[x]);
}

/* The layout in which every block is where it is multiplied first. */
static ashlar_layout *own_layout(const cannon *c, int x, ashlar_error *err)
{
    static int owner[CANNON_PARTS_MAX];
    ashlar_layout *out = NULL;
    for (int64_t i = 0; i < c->q; i++)
        for (int64_t j = 0; j < c->q; j++) {
            const int64_t at[3] = {i * c->q + (j - i + c->q) % c->q, (i - j + c->q) % c->q * c->q + j, i * c->q + j};
            owner[i * c->q + j] = c->rank_of[at[x] * c->layers];
        }
    const int64_t *rows = c->cut[x == ASHLAR_B ? 2 : 0], *cols = c->cut[x == ASHLAR_A ? 2 : 1];
    ashlar_layout_tiles(c->q, c->q, rows, cols, owner, x == ASHLAR_B ? ASHLAR_ROW_MAJOR : ASHLAR_COL_MAJOR, &out, err);
    return out;
}

/* Layouts of its own or any others. */
static bool lay_out(uint64_t *state, const cannon *c, bool own, problem *p, ashlar_error *err)
{
    ashi_shift_request *q = &p->request;
    for (int x = 0; x < 2 && !own; x++)
        q->op[x] = (ashlar_op)ashi_random_in(state, 0, 2);
    for (int x = 0; x < 3; x++) {
        p->layout[x] = own ? own_layout(c, x, err) : random_operand(state, x, q->size, q->op, q->ranks, err);
        q->layout[x] = p->layout[x];
        if (!p->layout[x])
            return false;
    }
    return true;
}

static bool random_problem(uint64_t seed, problem *p, seen *n, ashlar_error *err)
{
    uint64_t state = seed;
    ashi_shift_request *q = &p->request;
    *p = (problem){.request = {.ranks = ashi_random_in(&state, 1, RANDOM_RANKS_MAX),
                               .lead = {.operand = (ashlar_operand)ashi_random_in(&state, 0, 2)}}};
    const int64_t side = ashi_random_in(&state, 1, 5);
    for (int d = 0; d < 3; d++)
        q->size[d] = ashi_random_in(&state, 0, 20) ? ashi_random_in(&state, 1, 50) : 0;
    cannon *c = random_cannon(&state, side, q->size, q->ranks);
    if (!c || !lay_out(&state, c, seed & 4, p, err)) {
        free(c);
        return false;
    }
    n->folded += side * side * c->layers > q->ranks;
    n->layers += c->layers > 1;
    const bool made = cannon_schedule(&state, c, q, &p->schedule, err) == ASHLAR_OK;
    n->moving += made && p->schedule.reduce_rounds > 0;
    return made;
}

/* Ranks whose places are of no use with a longer look-ahead. */
static int64_t refusals(ashi_schedule *s)
{
    ashi_program program = {0};
    int64_t refused = 0;
    if (ashi_program_of(s, &program, NULL) == ASHLAR_OK)
        for (int64_t rank = 0; rank < s->ranks; rank++)
            refused += longer_is_refused(&program, rank);
    ashi_program_free(&program);
    return refused;
}

static void one_problem(ashi_test *t, uint64_t seed, int tries, seen *n)
{
    problem p;
    ashi_check_report report;
    ashlar_error err = {0};
    const bool made = random_problem(seed, &p, n, &err);
    CHECK(t, made, "seed %" PRIu64 ": %s", seed, err.text);
    if (made && schedule_is_sound(t, seed, &p.schedule, &report)) {
        steps_can_be_repeated(t, seed, &p.schedule);
        n->refused += seed % 8 == 0 ? refusals(&p.schedule) : 0;
        program_mutants_are_found(t, seed, &p.schedule, tries, &n->mutants);
    }
    free_problem(&p);
}

/* 32 x 32 parts, on as many ranks or fewer, each block where it begins. If each rank has one part, its pool has two
 * blocks of A and two of B: one that is multiplied, and one that arrives. */
static void large(ashi_test *t, int64_t ranks, bool one_sided)
{
    enum { SIDE = 32, BLOCK = 100, SIZE = BLOCK * SIDE };
    problem p = {.request = {.strategy = "test", .size = {SIZE, SIZE, SIZE}, .ranks = ranks, .ranks_used = ranks,
                             .slabs = 1, .reduce_rounds = 1, .window = 2, .one_sided = one_sided}};
    ashi_check_report report = {0};
    ashi_program program = {0};
    ashlar_error err = {0};
    uint64_t state = 1;
    int64_t words = 0;
    cannon *c = calloc(1, sizeof *c);
    if (!c)
        abort();
    c->q = SIDE;
    c->layers = 1;
    for (int d = 0; d < 3; d++)
        for (int64_t i = 0; i <= SIDE; i++)
            c->cut[d][i] = ashi_cut(SIZE, SIDE, i);
    for (int64_t v = 0; v < CANNON_PARTS_MAX; v++)
        c->rank_of[v] = (int)(v * ranks / CANNON_PARTS_MAX);
    ashlar_status status = lay_out(&state, c, true, &p, &err) ? ASHLAR_OK : ASHLAR_ERR_MEMORY;
    p.request.rule = cannon_rule(c);
    if (status == ASHLAR_OK)
        status = ashi_shift_schedule(&p.request, &p.schedule, &err);
    else
        free(c);
    if (status == ASHLAR_OK)
        status = ashi_program_of(&p.schedule, &program, &err);
    if (status == ASHLAR_OK)
        status = ashi_check_program(&program, &report, &err);
    if (status == ASHLAR_OK)
        status = program.pool(&program, 5, &words, &err);
    CHECK(t, status == ASHLAR_OK, "%s", err.text);
    CHECK(t, report.products == (int64_t)SIZE * SIZE * SIZE, "%" PRId64, report.products);
    CHECK(t, ranks < CANNON_PARTS_MAX || words == 4 * BLOCK * BLOCK, "a pool of %" PRId64 " words", words);
    ashi_program_free(&program);
    free_problem(&p);
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    seen n = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 1000);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        one_problem(&t, seed, seed % 2 ? 6 : 0, &n);
    if (!seeds.told) {
        large(&t, CANNON_PARTS_MAX, false);
        large(&t, CANNON_PARTS_MAX, true);
        large(&t, 8, true);
        CHECK(&t, n.folded > 100 && n.layers > 100 && n.moving > 100 && n.refused > 30, "only %" PRId64 " folds, %"
              PRId64 " with layers, %" PRId64 " with moving sums, a longer look-ahead refused %" PRId64 " times",
              n.folded, n.layers, n.moving, n.refused);
        program_mutants_were_many(&t, &n.mutants, "peer, swap", 20);
    }
    return ashi_test_end(&t, "shift_rules");
}

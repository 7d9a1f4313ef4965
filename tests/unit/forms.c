/* A grid's own layouts are stored for the form of product that BLAS does fastest, as far as what is sent allows. */
#include "base/checked.h"
#include "choosing.h"
#include "layout/layout.h"
#include "model/forms.h"
#include "strategy/own_layout.h"
#include "test.h"

#include <string.h>

typedef struct way {
    bool a_inside, b_inside, c_by_rows; /* k is contiguous in A, in B; n is in C */
} way;

/* The form of column-major matrices: a C by rows is the column-major C' = B' A'. A matrix with its own first side
 * contiguous is not transposed. */
static const char *form_of(const way *w)
{
    const bool first = w->c_by_rows ? w->b_inside : w->a_inside, second = w->c_by_rows ? !w->a_inside : !w->b_inside;
    return first ? (second ? "TT" : "TN") : (second ? "NT" : "NN");
}

/* Of a way to store the matrices of a grid's boxes. */
static double rate_of(const ashi_problem *q, const way *w)
{
    const int64_t m = ashi_ceil_div(q->size[0], q->grid[0]), n = ashi_ceil_div(q->size[1], q->grid[1]);
    double rate = 0;
    for (int f = 0; f < ASHI_FORMS; f++)
        if (strcmp(form_of(w), ashi_form_name(f)) == 0)
            rate = ashi_form_rate_of_shape(&q->machine, f, w->c_by_rows ? n : m, w->c_by_rows ? m : n);
    return rate;
}

/* What the layouts of a choice say. */
static way way_of(const ashi_problem *q, ashlar_layout *const own[3])
{
    const bool a_cols = q->op[0] == ASHLAR_OP_N, b_cols = q->op[1] != ASHLAR_OP_N; /* k runs along columns */
    return (way){(own[0]->order == ASHLAR_ROW_MAJOR) == a_cols, (own[1]->order == ASHLAR_ROW_MAJOR) == b_cols,
                 own[2]->order == ASHLAR_ROW_MAJOR};
}

/* Whether a matrix may lie so: k is outside in what is sent, sums are by columns, and BLAS conjugates what it
 * transposes. */
static bool is_possible(const ashi_problem *q, const way *w)
{
    const bool conjugates = q->op[0] == ASHLAR_OP_C || q->op[1] == ASHLAR_OP_C;
    if ((q->grid[1] > 1 && w->a_inside) || (q->grid[0] > 1 && w->b_inside))
        return false;
    if ((q->grid[2] > 1 || conjugates) && w->c_by_rows)
        return false;
    return (q->op[0] != ASHLAR_OP_C || q->grid[1] > 1 || w->a_inside) && (q->op[1] != ASHLAR_OP_C || !w->b_inside);
}

static double best_rate(const ashi_problem *q)
{
    double best = 0;
    for (int i = 0; i < 8; i++) {
        const way w = {i & 1, i & 2, i & 4};
        const double rate = is_possible(q, &w) ? rate_of(q, &w) : 0;
        best = rate > best ? rate : best;
    }
    return best;
}

static void check_problem(ashi_test *t, uint64_t seed)
{
    uint64_t state = seed;
    ashi_problem q = problem_of(ashi_random_in(&state, 5, 200), ashi_random_in(&state, 5, 200), 50, 1);
    ashi_choice c = {0};
    ashlar_error err = {0};
    for (int d = 0; d < 3; d++) {
        q.grid[d] = ashi_random_in(&state, 1, 3);
        q.ranks *= q.grid[d];
    }
    for (int x = 0; x < 2; x++)
        q.op[x] = (ashlar_op)ashi_random_in(&state, 0, 2);
    q.type = ASHLAR_TYPE_Z;
    q.least_words = ashi_random_in(&state, 0, 1);
    for (int f = 0; f < ASHI_FORMS; f++)
        q.machine.forms[f] = 1e9 * (double)ashi_random_in(&state, 1, 9);
    const ashlar_status status = ashi_choose(&q, "cosma", walk_all, NULL, &c, &err);
    CHECK(t, status == ASHLAR_OK, "seed %" PRIu64 ": %s", seed, err.text);
    if (status == ASHLAR_OK) {
        const way w = way_of(&q, c.proposal.own);
        CHECK(t, is_possible(&q, &w) && rate_of(&q, &w) >= best_rate(&q),
              "seed %" PRIu64 ", grid %d x %d x %d: %s, %s and C by %s, where %g times its rate is possible", seed,
              (int)q.grid[0], (int)q.grid[1], (int)q.grid[2], form_of(&w), is_possible(&q, &w) ? "possible" : "not",
              w.c_by_rows ? "rows" : "columns", best_rate(&q) / rate_of(&q, &w));
    }
    ashi_choice_free(&c);
}

/* Where the forms are alike, or nearly, nothing changes: k is outside. */
static void check_alike(ashi_test *t, double more)
{
    ashi_problem q = problem_of(30, 40, 50, 4);
    ashi_choice c = {0};
    ashlar_error err = {0};
    for (int f = 0; f < ASHI_FORMS; f++)
        q.machine.forms[f] = 1e9 * (f == ashi_form_of(false, true) ? 1 : more);
    const ashlar_status status = ashi_choose(&q, "cosma", walk_all, NULL, &c, &err);
    CHECK(t, status == ASHLAR_OK, "%s", err.text);
    if (status == ASHLAR_OK) {
        const way w = way_of(&q, c.proposal.own);
        CHECK(t, strcmp(form_of(&w), "NT") == 0 && !w.c_by_rows, "%s", form_of(&w));
    }
    ashi_choice_free(&c);
}

/* The long side of C is contiguous, with the usual figures, in which NN is a little faster than NT, and with any grid
 * that does not cut k. */
static void check_long(ashi_test *t)
{
    static const struct {
        int64_t m, n, ranks, grid[3];
        bool by_rows;
    } by_hand[] = {
        {24576, 256, 4, {4, 1, 1}, false}, {256, 24576, 4, {1, 4, 1}, true}, {2000, 2000, 7, {1, 7, 1}, false},
        {2000, 2000, 7, {7, 1, 1}, true},  {300, 100, 1, {1, 1, 1}, false},  {100, 300, 1, {1, 1, 1}, true},
        {1200, 400, 6, {2, 3, 1}, false},
    };
    for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; i++) {
        ashi_problem q = problem_of(by_hand[i].m, by_hand[i].n, 256, by_hand[i].ranks);
        memcpy(q.grid, by_hand[i].grid, sizeof q.grid);
        const ashi_own_orders orders = ashi_own_orders_of(&q, q.grid);
        CHECK(t, orders.c_by_rows == by_hand[i].by_rows, "%d x %d on %d x %d x 1: by %s", (int)q.size[0],
              (int)q.size[1], (int)q.grid[0], (int)q.grid[1], orders.c_by_rows ? "rows" : "columns");
    }
}

int main(int argc, char **argv)
{
    ashi_test t = {0};
    const ashi_seeds seeds = ashi_seeds_of(argc, argv, 400);
    for (uint64_t seed = seeds.first; seed <= seeds.last; seed++)
        check_problem(&t, seed);
    check_long(&t);
    check_alike(&t, 1);
    check_alike(&t, 1.005);
    return ashi_test_end(&t, "forms");
}

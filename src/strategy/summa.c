/* SUMMA: a two-dimensional grid of processes, past whose blocks of one matrix panels of the other two stream.
 *
 * Source: van de Geijn and Watts, "SUMMA: Scalable Universal Matrix Multiplication Algorithm", Concurrency 9(4), 1997,
 * which is what ScaLAPACK's p?gemm does; the stationary matrix is C, A or B, whichever moves least. Rounds in flight:
 * Calvin, Lewis and Valeev, "Scalable Task-Based Algorithm for Multiplication of Block-Rank-Sparse Matrices", 2015,
 * eq. 1, clamped. Wins where there is no memory for replicas, one dimension is short, or the caller's matrices lie on
 * such a grid: then every word of the stationary matrix stays where it is. */
#include "base/checked.h"
#include "model/bounds.h"
#include "strategy/cosma_query.h"
#include "strategy/grids.h"

/* A full pipeline may make the predicted time this much longer: what it hides is not predicted. */
static const double FILLING = 1.05;

static bool is_kind(const ashi_problem *q, const int64_t grid[3])
{
    (void)q;
    return grid[0] == 1 || grid[1] == 1 || grid[2] == 1;
}

/* As many iterations as the shorter side of the process grid has processes, and at least two. */
static int window(const ashi_problem *q, const int64_t grid[3])
{
    if (q->window_given)
        return q->window;
    const int64_t longest = ashi_max(grid[0], ashi_max(grid[1], grid[2]));
    const int64_t shorter = ashi_grid_cells(grid) / longest; /* the third side is 1 */
    return (int)ashi_min(ashi_max(shorter, 2), ASHI_WINDOW_MAX);
}

static ashlar_status foresee(const ashi_problem *q, int most, ashi_grid_choice *out, int *count, ashlar_error *err);

static const ashi_grids grids = {.name = "summa", .kind = "grids of which a side is 1", .origin = "the best 2D grid",
                                 .is_kind = is_kind, .foresee = foresee, .window = window};

/* The cost of a grid with that many rounds in flight. Where memory does not ask for so many rounds they are made so
 * that the pipeline fills, if their messages do not take much longer. */
static ashlar_status pipeline(const ashi_problem *q, ashi_cosma_query *query, ashi_grid_choice *choice,
                              ashlar_error *err)
{
    const int64_t grid[3] = {choice->grid[0], choice->grid[1], choice->grid[2]};
    ashi_grid_choice filled;
    query->window = window(q, grid);
    query->least_rounds = 0;
    ashlar_status status = ashi_cosma_cost(query, grid, choice, err);
    query->least_rounds = query->window;
    if (status == ASHLAR_OK)
        status = ashi_cosma_cost(query, grid, &filled, err);
    if (status == ASHLAR_OK && filled.seconds <= FILLING * choice->seconds)
        *choice = filled;
    return status;
}

/* The best grids as they are without a pipeline, then in the order that they take with one. */
static ashlar_status foresee(const ashi_problem *q, int most, ashi_grid_choice *out, int *count, ashlar_error *err)
{
    ashi_cosma_query query = ashi_cosma_grids_query(q);
    ashi_grid_choice found[ASHI_GRIDS_MOST];
    int n = 0;
    query.strategy = grids.name;
    query.flat = true;
    *count = 0;
    ashlar_status status = ashi_grids_check(&grids, q, err);
    if (status == ASHLAR_OK)
        status = ashi_cosma_search_many(&query, (int)ashi_min(most, ASHI_GRIDS_MOST), found, &n, err);
    if (status == ASHLAR_ERR_LIMIT)
        out[0] = found[0];
    for (int i = 0; i < n && status == ASHLAR_OK; i++) {
        status = pipeline(q, &query, &found[i], err);
        if (status == ASHLAR_OK)
            ashi_cosma_keep(&query, &found[i], most, out, count);
    }
    return status;
}

static ashlar_status propose(const ashi_problem *q, ashi_proposals *out, ashlar_error *err)
{
    return ashi_grids_propose(&grids, q, out, err);
}

static ashi_formula formula(const ashi_problem *q, const ashi_proposal *p)
{
    static const char *const text[3] = {"k(m + n)/sqrt p + mn/p - share", "m(n + k)/sqrt p + nk/p - share",
                                        "n(m + k)/sqrt p + mk/p - share"}; /* stationary C, B, A */
    const int64_t *grid = p->bricks.grid, used = ashi_grid_cells(grid);
    const int64_t m = q->size[0], n = q->size[1], k = q->size[2];
    const int which = grid[2] == 1 ? 0 : grid[0] == 1 ? 1 : 2;
    const double touched = which == 0   ? ashi_table3_replicas(m, n, k, used, 1)
                           : which == 1 ? ashi_table3_replicas(n, k, m, used, 1)
                                        : ashi_table3_replicas(m, k, n, used, 1);
    return ashi_grids_formula(q, used, touched, text[which],
                              "Kwasniewski et al., SC 2019 (COSMA), Table 3, 2D on a square grid");
}

const ashi_strategy ashi_strategy_summa = {
    .name = "summa",
    .summary = "2D: blocks of C, A or B stay on a process grid, panels of the others stream past, several in flight",
    .propose = propose, .schedule = ashi_grids_schedule, .formula = formula, .foresee = foresee};

/* Without ASHLAR_MEMORY a product takes more than is due to it only where that saves words, or nothing less will do. */
#include "mpi/pblas_matrix.h"
#include "mpi/ranks.h"
#include "pblas/memory.h"
#include "pblas/place.h"
#include "pblas/planning.h"

#include <stdio.h>

#define PROGRAM "pblas_memory"

/* A call on square blocks of A, B and C with nothing around them. */
static ashi_gemm_call call_of(const process_grid *g, int m, int n, int k, int desc[3][9])
{
    static const double one = 1;
    static const int first = 1;
    const int rows[3] = {m, k, m}, cols[3] = {k, n, n};
    ashi_gemm_arguments given = {.transa = "N", .transb = "N", .m = &m, .n = &n, .k = &k, .alpha = &one, .beta = &one};
    for (int x = 0; x < 3; x++) {
        const int whole[9] = {1, g->context, rows[x], cols[x], 8, 8, 0, 0, rows[x]};
        memcpy(desc[x], whole, sizeof whole);
        given.i[x] = given.j[x] = &first;
        given.desc[x] = desc[x];
    }
    return ashi_gemm_read(ASHLAR_TYPE_D, &given);
}

/* The plan that the limit alone would give: the words of its busiest process, or -1 where there is none. */
static int64_t words_within(const ashi_gemm_call *call, const ashi_grid *grid, int64_t limit, int64_t *share)
{
    ashlar_layout *layout[3] = {NULL, NULL, NULL};
    ashlar_plan *plan = NULL;
    ashlar_figures f = {0};
    ashlar_options o = ashlar_options_default();
    int64_t own = 0;
    for (int x = 0; x < 3; x++) {
        ashi_place_layout(&call->sub[x], &grid->at, grid->ranks, &layout[x], NULL);
        own += ashlar_layout_words(layout[x], grid->at.row * grid->at.cols + grid->at.col);
    }
    MPI_Allreduce(&own, share, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    const ashlar_problem p = {.type = call->type, .m = call->m, .n = call->n, .k = call->k, .a = layout[0],
                              .b = layout[1], .c = layout[2]};
    o.memory_words = limit;
    o.trusted = o.caller_workspace = true;
    const ashlar_status status = ashlar_plan_create(grid->context, &p, &o, &plan, NULL);
    if (status == ASHLAR_OK)
        ashlar_plan_predicted(plan, &f, NULL);
    ashlar_plan_free(&plan);
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&layout[x]);
    return status == ASHLAR_OK ? f.words_max : -1;
}

/* Counts in `kept` the products that stay within what is due. */
static void one_case(rig *r, const process_grid *g, ashi_grid *grid, int64_t *kept)
{
    uint64_t random = r->seed;
    const int m = (int)ashi_random_in(&random, 1, 300), n = (int)ashi_random_in(&random, 1, 300);
    const int k = (int)ashi_random_in(&random, 1, 300);
    int desc[3][9];
    ashi_grid *const grids[3] = {grid, grid, grid};
    const ashi_gemm_call call = call_of(g, m, n, k, desc);
    ashlar_plan *plan = NULL;
    ashlar_figures f = {0};
    ashlar_error err = {0};
    int64_t share = 0;
    CHECK(&r->test, ashi_planning(&call, grids, &plan, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    ashlar_plan_predicted(plan, &f, NULL);
    words_within(&call, grid, 0, &share);
    const int64_t due = ashi_memory_allowed(&call, &grid->at, share);
    CHECK(&r->test, due > share + share / 3, CASE "%" PRId64 " words are due", CASE_OF(r), due);
    if (f.memory_words > due) {
        const int64_t words = words_within(&call, grid, due, &share);
        CHECK(&r->test, words < 0 || words > f.words_max,
              CASE "%dx%dx%d takes %" PRId64 " words where %" PRId64 " are due and enough", CASE_OF(r), m, n, k,
              f.memory_words, due);
    } else {
        ++*kept;
    }
    ashlar_plan_free(&plan);
}

int main(int argc, char **argv)
{
    rig r;
    int64_t kept = 0;
    ashi_grid *grid = NULL;
    if (!ranks_begin(&r, &argc, &argv, 60))
        return 1;
    unsetenv("ASHLAR_MEMORY");
    const int handle = Csys2blacs_handle(MPI_COMM_WORLD), rows = r.ranks % 2 ? 1 : 2;
    const process_grid g = grid_make(handle, rows, r.ranks / rows);
    CHECK(&r.test, ashi_grid_of(g.context, &grid, NULL) == ASHLAR_OK && ashi_memory_free(grid) > 0, "no grid");
    for (r.seed = r.first; grid && r.seed < r.first + r.cases; r.seed++)
        one_case(&r, &g, grid, &kept);
    CHECK(&r.test, kept > 0, "no product kept to what is due");
    Cblacs_gridexit(g.context);
    Cfree_blacs_system_handle(handle);
    return ranks_end(&r, PROGRAM);
}

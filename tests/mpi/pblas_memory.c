/* Without ASHLAR_MEMORY a product takes more than is due to it only if that saves words and the node is large enough,
 * or if nothing less will do; what is free at the moment changes nothing. */
#define _GNU_SOURCE /* _SC_AVPHYS_PAGES */
#include "mpi/pblas_matrix.h"
#include "mpi/ranks.h"
#include "pblas/memory.h"
#include "pblas/place.h"
#include "pblas/planning.h"

#include <stdio.h>
#include <unistd.h>

#define PROGRAM "pblas_memory"

/* What the machine says of its memory, in pages; 0: the truth. */
static struct {
    long pages, free;
} machine;

long __real_sysconf(int name);
long __wrap_sysconf(int name);

long __wrap_sysconf(int name)
{
    if (name == _SC_PHYS_PAGES && machine.pages > 0)
        return machine.pages;
    if (name == _SC_AVPHYS_PAGES && machine.free > 0)
        return machine.free;
    return __real_sysconf(name);
}

/* A call on square blocks of A, B and C with nothing around them. */
static ashi_gemm_call call_of(const process_grid *g, int m, int n, int k, int desc[3][9])
{
    static const double one = 1;
    static const int first = 1;
    const int rows[3] = {m, k, m}, cols[3] = {k, n, n};
    ashi_gemm_arguments given = {.transa = "N", .transb = "N", .m = &m, .n = &n, .k = &k, .alpha = &one, .beta = &one};
    for (int x = 0; x < 3; x++) {
        const int whole[9] = {1, g->context, rows[x], cols[x], 64, 64, 0, 0, rows[x]};
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

/* The case's call. */
static ashi_gemm_call random_call(const rig *r, const process_grid *g, int desc[3][9])
{
    uint64_t random = r->seed;
    const int m = (int)ashi_random_in(&random, 1, 2000), n = (int)ashi_random_in(&random, 1, 2000);
    return call_of(g, m, n, (int)ashi_random_in(&random, 1, 2000), desc);
}

/* Its plan, made while so many pages are free; no words if there is none. */
static ashlar_figures planned(const rig *r, const process_grid *g, ashi_grid *grid, long free_pages)
{
    int desc[3][9];
    ashi_grid *const grids[3] = {grid, grid, grid};
    const ashi_gemm_call call = random_call(r, g, desc);
    ashlar_plan *plan = NULL;
    ashlar_figures f = {0};
    machine.free = free_pages;
    if (ashi_planning(&call, grids, &plan, NULL) == ASHLAR_OK)
        ashlar_plan_predicted(plan, &f, NULL);
    machine.free = 0;
    ashlar_plan_free(&plan);
    return f;
}

/* What is free at the moment makes no difference. */
static void with_more_or_less_free(rig *r, const process_grid *g, ashi_grid *grid, const ashlar_figures *usual)
{
    static const long pages[] = {1, 1L << 30};
    for (int i = 0; i < 2; i++) {
        const ashlar_figures f = planned(r, g, grid, pages[i]);
        CHECK(&r->test, f.words_max == usual->words_max && f.words_total == usual->words_total &&
                            f.messages_max == usual->messages_max && f.memory_words == usual->memory_words,
              CASE "%" PRId64 " words with %ld pages free, %" PRId64 " else", CASE_OF(r), f.words_max, pages[i],
              usual->words_max);
    }
}

/* On a large node and on one with a page of memory. Counts the products that stay within what is due, and those that
 * are planned with less on the small node. */
static void one_case(rig *r, const process_grid g[2], ashi_grid *const node[2], int64_t *kept, int64_t *smaller)
{
    int desc[3][9];
    int64_t share = 0;
    const ashi_gemm_call call = random_call(r, &g[0], desc);
    const ashlar_figures large = planned(r, &g[0], node[0], 0), small = planned(r, &g[1], node[1], 0);
    words_within(&call, node[0], 0, &share);
    const int64_t due = ashi_memory_allowed(&call, &node[0]->at, share);
    const int64_t words = words_within(&call, node[0], due, &share); /* -1: too little */
    CHECK(&r->test, large.memory_words > 0 && due >= share + (2 << 20) / 8, CASE "no plan", CASE_OF(r));
    if (large.memory_words > due)
        CHECK(&r->test, words < 0 || words > large.words_max,
              CASE "takes %" PRId64 " words if %" PRId64 " are due and enough", CASE_OF(r), large.memory_words, due);
    else
        ++*kept;
    with_more_or_less_free(r, &g[0], node[0], &large);
    CHECK(&r->test, small.memory_words <= due || words < 0,
          CASE "a small node takes %" PRId64 " words of %" PRId64 " due", CASE_OF(r), small.memory_words, due);
    *smaller += small.memory_words < large.memory_words;
}

/* A grid on a machine of so many pages. */
static ashi_grid *grid_on(rig *r, int handle, long pages, process_grid *g)
{
    const int rows = r->ranks % 2 ? 1 : 2;
    ashi_grid *grid = NULL;
    machine.pages = pages;
    *g = grid_make(handle, rows, r->ranks / rows);
    CHECK(&r->test, ashi_grid_of(g->context, &grid, NULL) == ASHLAR_OK && grid->memory_bytes > 0, "no grid");
    machine.pages = 0;
    return grid;
}

int main(int argc, char **argv)
{
    rig r;
    int64_t kept = 0, smaller = 0;
    process_grid g[2];
    if (!ranks_begin(&r, &argc, &argv, 10))
        return 1;
    unsetenv("ASHLAR_MEMORY");
    const int handle = Csys2blacs_handle(MPI_COMM_WORLD);
    ashi_grid *const node[2] = {grid_on(&r, handle, 0, &g[0]), grid_on(&r, handle, 1, &g[1])};
    for (r.seed = r.first; node[0] && node[1] && r.seed < r.first + r.cases; r.seed++)
        one_case(&r, g, node, &kept, &smaller);
    CHECK(&r.test, kept > 0, "no product kept to what is due");
    CHECK(&r.test, r.ranks != 6 || smaller > 0, "no product is smaller on a small node"); /* a fourth of them are */
    Cblacs_gridexit(g[1].context);
    Cblacs_gridexit(g[0].context);
    Cfree_blacs_system_handle(handle);
    return ranks_end(&r, PROGRAM);
}

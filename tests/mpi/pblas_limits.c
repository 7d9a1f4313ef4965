/* If ASHLAR_MEMORY is too little for a call, the reason says so in bytes, and names the least that would do: that does,
 * and one byte less does not. */
#define PROGRAM "pblas_limits"

#include "mpi/pblas_matrix.h"
#include "mpi/ranks.h"
#include "pblas/place.h"
#include "pblas/planning.h"
#include "pblas/transfer.h"

#include <stdio.h>

/* Square blocks of a matrix with nothing around it. */
static ashi_submatrix matrix_of(const process_grid *g, int rows, int cols, int block)
{
    const ashi_descriptor d = {ASHI_DESCRIPTOR_LONG, g->context, rows, cols, block, block, block, block, 0, 0, rows};
    return (ashi_submatrix){.of = d, .rows = rows, .cols = cols};
}

/* The reason why a product, or a transposition, is not done within a limit in bytes; "" if it is done. */
typedef void (*attempt)(uint64_t random, const process_grid *g, ashi_grid *grid, char *said, size_t room);

static void product(uint64_t random, const process_grid *g, ashi_grid *grid, char *said, size_t room)
{
    static const double one = 1;
    const int m = (int)ashi_random_in(&random, 1, 60), n = (int)ashi_random_in(&random, 1, 60);
    const int k = (int)ashi_random_in(&random, 1, 60), block = (int)ashi_random_in(&random, 1, 20);
    ashi_grid *const grids[3] = {grid, grid, grid};
    ashi_gemm_call call = {.type = (ashlar_type)ashi_random_in(&random, 0, 3), .m = m, .n = n, .k = k};
    ashlar_plan *plan = NULL;
    ashlar_error err = {0};
    call.given.alpha = call.given.beta = &one;
    call.sub[0] = matrix_of(g, m, k, block);
    call.sub[1] = matrix_of(g, k, n, block);
    call.sub[2] = matrix_of(g, m, n, block);
    ashi_planning(&call, grids, &plan, &err);
    ashlar_plan_free(&plan);
    snprintf(said, room, "%s", err.text);
}

static void transposition(uint64_t random, const process_grid *g, ashi_grid *grid, char *said, size_t room)
{
    const int m = (int)ashi_random_in(&random, 1, 60), n = (int)ashi_random_in(&random, 1, 60);
    const ashi_submatrix from = matrix_of(g, n, m, (int)ashi_random_in(&random, 1, 20));
    const ashi_submatrix to = matrix_of(g, m, n, (int)ashi_random_in(&random, 1, 20));
    ashlar_layout *layout[2] = {NULL, NULL};
    ashi_place_layout(&from, &grid->at, grid->ranks, &layout[0], NULL);
    ashi_place_layout(&to, &grid->at, grid->ranks, &layout[1], NULL);
    const ashi_transfer_request q = {.type = (ashlar_type)ashi_random_in(&random, 0, 3), .op = ASHLAR_OP_T,
                                     .grid = grid, .from = layout[0], .to = layout[1], .ld = {n, m}, .text = ""};
    ashi_transfer *transfer = ashi_transfer_make(&q);
    snprintf(said, room, "%s", transfer ? transfer->reason : "nothing was made");
    ashi_transfer_free(transfer);
    ashlar_layout_free(&layout[0]);
    ashlar_layout_free(&layout[1]);
}

/* Within a limit; false if it is too little. */
static bool does(const rig *r, const process_grid *g, ashi_grid *grid, attempt try, int64_t bytes, char *said,
                 size_t room)
{
    grid->settings.memory_bytes = bytes;
    try(r->seed, g, grid, said, room);
    return said[0] == '\0';
}

/* The number before " would do"; 0 if the text does not begin as it has to. */
static int64_t least_of(const char *said, int64_t given)
{
    char want[80];
    const int length =
        snprintf(want, sizeof want, "ASHLAR_MEMORY is %" PRId64 " bytes, too little for this call: ", given);
    return strncmp(said, want, (size_t)length) == 0 ? strtoll(said + length, NULL, 10) : 0;
}

static void one_case(rig *r, const process_grid *g, ashi_grid *grid, attempt try, const char *what)
{
    char said[ASHLAR_MESSAGE_MAX];
    const int64_t given = 100;
    if (does(r, g, grid, try, given, said, sizeof said))
        return;
    const int64_t least = least_of(said, given);
    CHECK(&r->test, least > given, CASE "%s: %s", CASE_OF(r), what, said);
    CHECK(&r->test, does(r, g, grid, try, least, said, sizeof said), CASE "%s: %" PRId64 " bytes do not do: %s",
          CASE_OF(r), what, least, said);
    CHECK(&r->test, !does(r, g, grid, try, least - 1, said, sizeof said) && least_of(said, least - 1) == least,
          CASE "%s: %" PRId64 " bytes do, or are refused by '%s'", CASE_OF(r), what, least - 1, said);
}

int main(int argc, char **argv)
{
    rig r;
    ashi_grid *grid = NULL;
    if (!ranks_begin(&r, &argc, &argv, 12))
        return 1;
    unsetenv("ASHLAR_MEMORY");
    const int handle = Csys2blacs_handle(MPI_COMM_WORLD), rows = r.ranks % 2 ? 1 : 2;
    const process_grid g = grid_make(handle, rows, r.ranks / rows);
    CHECK(&r.test, ashi_grid_of(g.context, &grid, NULL) == ASHLAR_OK, "no grid");
    for (r.seed = r.first; grid && r.seed < r.first + r.cases; r.seed++) {
        one_case(&r, &g, grid, product, "product");
        one_case(&r, &g, grid, transposition, "transposition");
    }
    Cblacs_gridexit(g.context);
    Cfree_blacs_system_handle(handle);
    return ranks_end(&r, PROGRAM);
}

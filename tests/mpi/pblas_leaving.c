/* With one-sided transport processes leave grids when and in what order they like, and windows are freed in the end. */
#include "mpi/pblas_matrix.h"
#include "mpi/ranks.h"

#include <ashlar/pblas.h>

#define PROGRAM "pblas_leaving"

enum { SIZE = 30, BLOCK = 4, ROOM = (SIZE + 8) * (SIZE + 8), CYCLES = 12, SHAPES = 2 };

/* Windows that there are, and that there were. */
static struct {
    int64_t live, made;
} windows;

int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *out)
{
    windows.live++;
    windows.made++;
    return PMPI_Win_allocate(bytes, unit, info, comm, base, out);
}

int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *out)
{
    windows.live++;
    windows.made++;
    return PMPI_Win_allocate_shared(bytes, unit, info, comm, base, out);
}

int MPI_Win_free(MPI_Win *window)
{
    windows.live--;
    return PMPI_Win_free(window);
}

/* Ones times ones: every element of C is `size`. */
static void multiply_inside(rig *r, const process_grid *g, int size)
{
    static double a[ROOM], b[ROOM], c[ROOM];
    const matrix x = {.on = g, .whole = {size, size}, .first = {BLOCK, BLOCK}, .block = {BLOCK, BLOCK}};
    const int rows = matrix_count(&x, 0), lead = rows > 1 ? rows : 1, one = 1;
    const int desc[9] = {1, g->context, size, size, BLOCK, BLOCK, 0, 0, lead};
    const double alpha = 1, beta = 0;
    bool right = true;
    for (int i = 0; i < ROOM; i++) {
        a[i] = b[i] = 1;
        c[i] = (double)NAN;
    }
    ashlar_pdgemm_("N", "N", &size, &size, &size, &alpha, a, &one, &one, desc, b, &one, &one, desc, &beta, c, &one,
                   &one, desc);
    for (int j = 0; j < matrix_count(&x, 1); j++)
        for (int i = 0; i < rows; i++)
            right = right && c[i + j * lead] == size;
    CHECK(&r->test, right, CASE "a wrong product", CASE_OF(r));
}

static void multiply(rig *r, const process_grid *g, int size)
{
    if (g->row >= 0)
        multiply_inside(r, g, size);
}

static void leave(const process_grid *g)
{
    if (g->row >= 0)
        Cblacs_gridexit(g->context);
}

/* Two grids, left in one order by some processes and in the other by the rest. */
static void other_orders(rig *r, int handle)
{
    const process_grid g[2] = {grid_make(handle, 1, r->ranks), grid_make(handle, r->ranks, 1)};
    for (int i = 0; i < 2; i++)
        for (int shape = 0; shape < SHAPES; shape++)
            multiply(r, &g[i], SIZE - shape);
    leave(&g[r->rank % 2]);
    leave(&g[1 - r->rank % 2]);
}

/* Process after process leaves, the next one not before the last one is out. */
static void other_times(rig *r, int handle)
{
    const process_grid g = grid_make(handle, 1, r->ranks);
    int token = 0;
    multiply(r, &g, SIZE);
    if (r->rank > 0)
        MPI_Recv(&token, 1, MPI_INT, r->rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    leave(&g);
    if (r->rank < r->ranks - 1)
        MPI_Send(&token, 1, MPI_INT, r->rank + 1, 0, MPI_COMM_WORLD);
}

/* One process is still in the first grid while all use the second. */
static void one_stays(rig *r, int handle)
{
    const process_grid first = grid_make(handle, 1, r->ranks);
    multiply(r, &first, SIZE);
    if (r->rank > 0)
        leave(&first);
    const process_grid second = grid_make(handle, 1, r->ranks);
    multiply(r, &second, SIZE);
    if (r->rank == 0)
        leave(&first);
    leave(&second);
}

/* However often grids of the same processes come and go, there are not more windows than those of a few grids. */
static void come_and_go(rig *r, int handle)
{
    int64_t most = 0;
    for (int i = 0; i < CYCLES; i++) {
        other_orders(r, handle);
        one_stays(r, handle);
        most = windows.live > most ? windows.live : most;
    }
    CHECK(&r->test, most <= 4 * SHAPES, CASE "%" PRId64 " windows at once", CASE_OF(r), most);
    CHECK(&r->test, windows.made >= CYCLES, CASE "only %" PRId64 " windows ever", CASE_OF(r), windows.made);
}

/* Grids that have processes in common, some of which never leave theirs. */
static void until_the_end(rig *r, int handle)
{
    for (int first = 0; first < r->ranks; first++) {
        int pair[2] = {first, (first + 1) % r->ranks};
        process_grid g = {.context = handle};
        Cblacs_gridmap(&g.context, pair, 1, 1, r->ranks > 1 ? 2 : 1);
        Cblacs_gridinfo(g.context, &g.rows, &g.cols, &g.row, &g.col);
        multiply(r, &g, SIZE);
        if (r->rank == pair[0] && first % 2 == 0)
            leave(&g);
    }
}

int main(int argc, char **argv)
{
    rig r;
    if (!ranks_begin(&r, &argc, &argv, 1))
        return 1;
    setenv("ASHLAR_TRANSPORT", "one-sided", 1);
    const int handle = Csys2blacs_handle(MPI_COMM_WORLD);
    other_times(&r, handle);
    come_and_go(&r, handle);
    until_the_end(&r, handle);
    Cfree_blacs_system_handle(handle);
    const int status = ranks_end(&r, PROGRAM);
    if (windows.live != 0)
        fprintf(stderr, "%" PRId64 " windows are not freed in MPI_Finalize\n", windows.live);
    return status || windows.live != 0;
}

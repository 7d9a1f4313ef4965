/* The second p?gemr2d or p?tran of a shape plans and allocates nothing, and agrees on no more than it must. */
#include "mpi/allocations.h"
#include "mpi/asked.h"
#include "mpi/pblas_matrix.h"
#include "mpi/ranks.h"

#include <ashlar/pblas.h>

#define PROGRAM "pblas_moves"

enum { SIZE = 24, ROOM = (SIZE + 4) * SIZE };

/* How a call is made: over which grids, and with what leading dimensions. */
typedef struct call {
    const process_grid *all, *from, *to;
    bool transposes;
    int more;
} call;

static matrix square(const process_grid *on, int block)
{
    return (matrix){.on = on, .type = 'd', .whole = {SIZE, SIZE}, .first = {block, block}, .block = {block, block},
                    .key = 1};
}

static void describe(const matrix *x, int lead, int desc[9])
{
    const int entries[9] = {1, x->on->context, SIZE, SIZE, x->block[0], x->block[1], 0, 0, lead};
    memcpy(desc, entries, sizeof entries);
}

static int lead_of(const matrix *x, int more)
{
    const int rows = x->on->row < 0 ? 0 : matrix_count(x, 0);
    return (rows > 1 ? rows : 1) + more;
}

/* True where the target has what it should, and nothing else was written. */
static bool move(const call *how)
{
    static double a[ROOM], b[ROOM];
    const matrix source = square(how->from, 3), target = square(how->to, 5);
    const int lead[2] = {lead_of(&source, how->more), lead_of(&target, how->more)}, size = SIZE, one = 1;
    const double alpha = 1, beta = 0;
    int desca[9], descb[9];
    describe(&source, lead[0], desca);
    describe(&target, lead[1], descb);
    for (int i = 0; i < ROOM; i++)
        a[i] = b[i] = -7;
    for (int i = 0; i < SIZE && how->from->row >= 0; i++)
        for (int j = 0; j < SIZE; j++) {
            const int r = matrix_local(&source, 0, i), c = matrix_local(&source, 1, j);
            if (r >= 0 && c >= 0)
                a[r + c * lead[0]] = i * SIZE + j;
        }
    if (how->transposes)
        ashlar_pdtran_(&size, &size, &alpha, a, &one, &one, desca, &beta, b, &one, &one, descb);
    else
        ashlar_pdgemr2d_(&size, &size, a, &one, &one, desca, b, &one, &one, descb, &how->all->context);
    int64_t wrong = 0, written = 0, owned = 0;
    for (int i = 0; i < ROOM; i++)
        written += b[i] != -7;
    for (int i = 0; i < SIZE && how->to->row >= 0; i++)
        for (int j = 0; j < SIZE; j++) {
            const int r = matrix_local(&target, 0, i), c = matrix_local(&target, 1, j);
            if (r < 0 || c < 0)
                continue;
            owned++;
            wrong += b[r + c * lead[1]] != (how->transposes ? j * SIZE + i : i * SIZE + j);
        }
    return wrong == 0 && written == owned;
}

static void repeated(rig *r, const call *how, int64_t agreements)
{
    call other = *how;
    CHECK(&r->test, move(how), "the first call is wrong");
    for (int i = 0; i < 6; i++) {
        const int64_t made = heap.made, comms = mpi.live, agreed = mpi.agreements;
        other.more = i < 3 ? how->more : (r->rank + i) % 4; /* leading dimensions are each process's own affair */
        CHECK(&r->test, move(&other), "call %d is wrong", i + 2);
        CHECK(&r->test, heap.made == made && mpi.live == comms, "call %d makes something", i + 2);
        CHECK(&r->test, mpi.agreements == agreed + agreements, "call %d agrees %" PRId64 " times, wanted %" PRId64,
              i + 2, mpi.agreements - agreed, agreements);
    }
}

typedef struct grids {
    process_grid all, wide, part;
} grids;

static grids open_grids(int handle, int ranks)
{
    return (grids){grid_make(handle, 1, ranks), grid_make(handle, ranks, 1),
                   grid_make(handle, 1, ranks > 1 ? ranks - 1 : 1)};
}

static void close_grids(const grids *g)
{
    Cblacs_gridexit(g->all.context);
    Cblacs_gridexit(g->wide.context);
    if (g->part.row >= 0)
        Cblacs_gridexit(g->part.context);
}

/* Between grids of all processes, from and to a grid of some, and a transposition. */
static call call_of(const grids *g, int which)
{
    const call calls[] = {{&g->all, &g->all, &g->wide, false, 0},
                          {&g->all, &g->part, &g->wide, false, 0},
                          {&g->all, &g->all, &g->part, false, 0},
                          {&g->all, &g->all, &g->all, true, 0}};
    return calls[which];
}

enum { CALLS = 4 };

/* Where an allocation fails on one process all go to ScaLAPACK, and nothing is lost. */
static void allocations_fail(rig *r, int handle, int which)
{
    const int64_t before = heap.made;
    grids g = open_grids(handle, r->ranks);
    call how = call_of(&g, which);
    move(&how);
    close_grids(&g);
    int64_t most = heap.made - before;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    for (int64_t n = 1; n <= most; n += 1 + most / 40) {
        const int64_t live = heap.live, comms = mpi.live;
        g = open_grids(handle, r->ranks);
        how = call_of(&g, which);
        heap.fail_at = r->rank == n % r->ranks ? heap.made + n : 0;
        CHECK(&r->test, move(&how), "call %d: allocation %" PRId64 " fails", which, n);
        heap.fail_at = 0;
        CHECK(&r->test, move(&how), "call %d: after that", which);
        close_grids(&g);
        CHECK(&r->test, heap.live == live && mpi.live == comms, "call %d, allocation %" PRId64 ": %" PRId64
              " are not freed", which, n, heap.live - live);
    }
}

int main(int argc, char **argv)
{
    rig r;
    if (!ranks_begin(&r, &argc, &argv, 1))
        return 1;
    setenv("ASHLAR_CHECK", "0", 1);
    const int handle = Csys2blacs_handle(MPI_COMM_WORLD);
    for (int which = 0; which < CALLS; which++) {
        const int64_t live = heap.live, comms = mpi.live;
        const grids g = open_grids(handle, r.ranks);
        const call how = call_of(&g, which);
        const bool partial = (which == 1 || which == 2) && r.ranks > 1;
        repeated(&r, &how, partial ? 1 : 0);
        close_grids(&g);
        CHECK(&r.test, heap.live == live, "%" PRId64 " allocations are not freed", heap.live - live);
        CHECK(&r.test, mpi.live == comms, "%" PRId64 " communicators are not freed", mpi.live - comms);
        allocations_fail(&r, handle, which);
    }
    Cfree_blacs_system_handle(handle);
    return ranks_end(&r, PROGRAM);
}

/* The second call of a shape plans and allocates nothing; what is kept is bounded, and gone with the context. */
#include "mpi/allocations.h"
#include "mpi/asked.h"
#include "mpi/pblas_matrix.h"
#include "mpi/ranks.h"

#include <ashlar/pblas.h>

#define PROGRAM "pblas_cache"

enum { SIZE = 40, BLOCK = 4, ROOM = (SIZE + 8) * SIZE };

/* A product of ones of m x SIZE and SIZE x SIZE: each element of C is alpha * SIZE. True if it is. */
static bool multiply_by(const process_grid *g, int m, int more, double alpha)
{
    static double a[ROOM], b[ROOM], c[ROOM];
    const matrix tall = {.on = g, .whole = {m, SIZE}, .first = {BLOCK, BLOCK}, .block = {BLOCK, BLOCK}};
    const matrix square = {.on = g, .whole = {SIZE, SIZE}, .first = {BLOCK, BLOCK}, .block = {BLOCK, BLOCK}};
    const int rows = matrix_count(&tall, 0), lead = (rows > 1 ? rows : 1) + more, size = SIZE, one = 1;
    const int desc[9] = {1, g->context, m, SIZE, BLOCK, BLOCK, 0, 0, lead};
    const int descb[9] = {1, g->context, SIZE, SIZE, BLOCK, BLOCK, 0, 0, matrix_count(&square, 0)};
    const double beta = 0;
    for (int i = 0; i < ROOM; i++) {
        a[i] = b[i] = 1;
        c[i] = (double)NAN;
    }
    ashlar_pdgemm_("N", "N", &m, &size, &size, &alpha, a, &one, &one, desc, b, &one, &one, descb, &beta, c, &one, &one,
                   desc);
    bool right = true;
    for (int j = 0; j < matrix_count(&tall, 1); j++)
        for (int i = 0; i < lead; i++)
            right = right && (i < rows ? c[i + j * lead] == alpha * SIZE : isnan(c[i + j * lead]) != 0);
    return right;
}

static bool multiply(const process_grid *g, int m, int more)
{
    return multiply_by(g, m, more, 1);
}

/* Whether a call makes anything that stays; it is right in any case. */
static bool prepares(rig *r, const process_grid *g, int m, int more)
{
    const int64_t made = heap.made, comms = mpi.made, agreements = mpi.agreements;
    CHECK(&r->test, multiply(g, m, more), "m = %d is wrong", m);
    CHECK(&r->test, mpi.made == comms || agreements < mpi.agreements, "communicators without planning");
    return heap.made != made || mpi.made != comms || mpi.agreements != agreements;
}

static void repeated(rig *r, int handle, const process_grid *like)
{
    const int64_t live = heap.live, comms = mpi.live;
    setenv("ASHLAR_CACHE", "2", 1);
    const process_grid g = grid_make(handle, like->rows, like->cols);
    CHECK(&r->test, prepares(r, &g, 20, 0), "nothing is prepared");
    for (int i = 0; i < 3; i++)
        CHECK(&r->test, !prepares(r, &g, 20, 0), "call %d prepares anew", i + 2);
    prepares(r, &g, 20, r->rank == r->ranks - 1 ? 2 : 0); /* this process's own affair: it need not tell the others */
    CHECK(&r->test, !prepares(r, &g, 20, r->rank == r->ranks - 1 ? 2 : 0), "a leading dimension is not kept");
    prepares(r, &g, 20, 0);
    CHECK(&r->test, prepares(r, &g, 30, 0), "another shape");
    CHECK(&r->test, !prepares(r, &g, 20, 0), "the first of two shapes");
    CHECK(&r->test, prepares(r, &g, 10, 0), "a third shape, for which the second goes");
    CHECK(&r->test, !prepares(r, &g, 20, 0), "the first of three shapes");
    CHECK(&r->test, prepares(r, &g, 30, 0), "the second shape was gone");
    Cblacs_gridexit(g.context);
    CHECK(&r->test, heap.live == live, "%" PRId64 " allocations are not freed with the context", heap.live - live);
    CHECK(&r->test, mpi.live == comms, "%" PRId64 " communicators are not freed with it", mpi.live - comms);
}

/* Calls of all kinds in turn, many like the one before, with room for one shape beside them and for two. */
static void in_any_order(rig *r, int handle, const process_grid *like)
{
    uint64_t random = 1234;
    for (int room = 1; room <= 2; room++) {
        setenv("ASHLAR_CACHE", room == 1 ? "1" : "2", 1);
        const process_grid g = grid_make(handle, like->rows, like->cols);
        int m = 20, more = 0, alpha = 1;
        for (int i = 0; i < 150; i++) {
            const int what = (int)ashi_random_in(&random, 0, 5), to = (int)ashi_random_in(&random, 0, 2);
            m = what == 0 ? 10 * (to + 1) : m;
            more = what == 1 ? (r->rank + to) % 3 : more;
            alpha = what == 2 ? to : alpha;
            CHECK(&r->test, multiply_by(&g, m, more, alpha), "call %d: m = %d, %d more, alpha = %d", i, m, more, alpha);
        }
        Cblacs_gridexit(g.context);
    }
}

/* Changing a leading dimension on one process asks nothing of MPI. */
static void changed_lead(rig *r, int handle, const process_grid *like)
{
    const process_grid g = grid_make(handle, like->rows, like->cols);
    prepares(r, &g, 20, 0);
    const int64_t agreements = mpi.agreements, made = mpi.made;
    for (int i = 1; i < 4; i++)
        CHECK(&r->test, multiply(&g, 20, r->rank % 2 * i), "other leading dimensions");
    CHECK(&r->test, mpi.agreements == agreements && mpi.made == made, "it communicates more than the product");
    Cblacs_gridexit(g.context);
}

/* Where an allocation fails on one process all go to ScaLAPACK, and nothing is lost. */
static void allocations_fail(rig *r, int handle, const process_grid *like)
{
    int64_t most = heap.made;
    process_grid g = grid_make(handle, like->rows, like->cols);
    multiply(&g, 20, 0);
    Cblacs_gridexit(g.context);
    most = heap.made - most;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    const int64_t step = 1 + most / 60;
    for (int64_t n = 1; n <= most; n += step) {
        const int64_t live = heap.live, comms = mpi.live;
        g = grid_make(handle, like->rows, like->cols);
        heap.failed = false;
        heap.fail_at = r->rank == n % r->ranks ? heap.made + n : 0;
        CHECK(&r->test, multiply(&g, 20, 0), "allocation %" PRId64 " of rank %" PRId64 " fails", n, n % r->ranks);
        heap.fail_at = 0;
        CHECK(&r->test, multiply(&g, 20, 0), "after that");
        Cblacs_gridexit(g.context);
        CHECK(&r->test, heap.live == live && mpi.live == comms, "allocation %" PRId64 ": %" PRId64 " are not freed", n,
              heap.live - live);
    }
}

int main(int argc, char **argv)
{
    rig r;
    if (!ranks_begin(&r, &argc, &argv, 1))
        return 1;
    setenv("ASHLAR_CHECK", "0", 1);
    const int handle = Csys2blacs_handle(MPI_COMM_WORLD), rows = r.ranks % 2 ? 1 : 2;
    const process_grid like = {.rows = rows, .cols = r.ranks / rows};
    repeated(&r, handle, &like);
    in_any_order(&r, handle, &like);
    changed_lead(&r, handle, &like);
    allocations_fail(&r, handle, &like);
    Cfree_blacs_system_handle(handle);
    return ranks_end(&r, PROGRAM);
}

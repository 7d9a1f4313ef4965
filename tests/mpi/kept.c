/* Contexts that are kept on communicators: found again without a message, used by single products, and gone with the
 * communicator, by MPI_Comm_free or MPI_Finalize. */
#include "mpi/allocations.h"
#include "mpi/ranks.h"

#include "mpi/asked.h"

#include <ashlar/ashlar.h>

#define PROGRAM "kept"

enum { SIZE = 24, BLOCK = 4, REDUCTIONS = 7 };

/* Ones times ones: every element of C is SIZE. Returns how many reductions it took, -1 if it failed or C is wrong. */
static int64_t multiply(MPI_Comm comm, const rig *r)
{
    const double one = 1, zero = 0;
    ashlar_layout *layout = NULL;
    ashlar_layout_block_cyclic(SIZE, SIZE, BLOCK, BLOCK, r->ranks, 1, 0, 0, NULL, ASHLAR_COL_MAJOR, 0, &layout, NULL);
    const ashlar_problem problem = {.type = ASHLAR_TYPE_D, .m = SIZE, .n = SIZE, .k = SIZE, .a = layout, .b = layout,
                                    .c = layout};
    const int64_t words = ashlar_layout_words(layout, r->rank), before = mpi.agreements;
    double *x = malloc((size_t)(2 * words + 1) * sizeof *x);
    for (int64_t i = 0; i < words && x; i++)
        x[i] = 1;
    bool right = x && ashlar_multiply(comm, &problem, NULL, &one, x, x, &zero, x + words, NULL) == ASHLAR_OK;
    for (int64_t i = 0; i < words && right; i++)
        right = x[words + i] == SIZE;
    free(x);
    ashlar_layout_free(&layout);
    return right ? mpi.agreements - before : -1;
}

/* The second time and every product are without a communicator, and with few reductions. */
static void is_found_again(rig *r, MPI_Comm comm)
{
    ashlar_context *first = NULL, *second = NULL, *freed = NULL;
    ashlar_error err = {0};
    CHECK(&r->test, ashlar_context_keep(comm, &first, &err) == ASHLAR_OK && first, "%s", err.text);
    const int64_t made = mpi.made, agreements = mpi.agreements;
    CHECK(&r->test, ashlar_context_keep(comm, &second, &err) == ASHLAR_OK && second == first, "%s", err.text);
    freed = first;
    ashlar_context_free(&freed);
    CHECK(&r->test, !freed && ashlar_context_keep(comm, &second, &err) == ASHLAR_OK && second == first, "%s", err.text);
    CHECK(&r->test, mpi.made == made && mpi.agreements == agreements, "%" PRId64 " communicators, %" PRId64
          " reductions to find it", mpi.made - made, mpi.agreements - agreements);
    const int64_t reductions = multiply(comm, r);
    CHECK(&r->test, reductions > 0 && reductions <= REDUCTIONS && mpi.made == made, "%" PRId64 " reductions, %" PRId64
          " communicators", reductions, mpi.made - made);
}

/* One product: a reduction fewer than a plan and its execution, and what is wrong with either is said by all ranks. */
static void is_checked_once(rig *r, MPI_Comm comm)
{
    const double one = 1, zero = 0, two = 2;
    ashlar_context *context = NULL;
    ashlar_plan *plan = NULL;
    ashlar_layout *layout = NULL;
    ashlar_error err = {0};
    ashlar_layout_block_cyclic(SIZE, SIZE, BLOCK, BLOCK, r->ranks, 1, 0, 0, NULL, ASHLAR_COL_MAJOR, 0, &layout, NULL);
    const ashlar_problem p = {.type = ASHLAR_TYPE_D, .m = SIZE, .n = SIZE, .k = SIZE, .a = layout, .b = layout,
                              .c = layout};
    double *x = calloc(2 * SIZE * SIZE, sizeof *x), *c = x + SIZE * SIZE;
    CHECK(&r->test, x && ashlar_context_keep(comm, &context, &err) == ASHLAR_OK, "%s", err.text);
    int64_t before = mpi.agreements;
    CHECK(&r->test, ashlar_plan_create(context, &p, NULL, &plan, &err) == ASHLAR_OK &&
          ashlar_plan_execute(plan, &one, x, x, &zero, c, &err) == ASHLAR_OK, "%s", err.text);
    const int64_t apart = mpi.agreements - before;
    before = mpi.agreements;
    CHECK(&r->test, ashlar_multiply(comm, &p, NULL, &one, x, x, &zero, c, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(&r->test, mpi.agreements - before == apart - 1, "%" PRId64 " reductions, apart %" PRId64,
          mpi.agreements - before, apart);
    const bool last = r->rank == r->ranks - 1;
    ashlar_status status = ashlar_multiply(comm, &p, NULL, last ? &two : &one, x, x, &zero, c, &err);
    CHECK(&r->test, status == (r->ranks > 1 ? ASHLAR_ERR_ARG : ASHLAR_OK) &&
          ranks_agree(comm, (int)status, err.text) && (r->ranks == 1 || strstr(err.text, "alpha")), "%s", err.text);
    status = ashlar_multiply(comm, &p, NULL, &one, x, last ? NULL : x, &zero, c, &err);
    CHECK(&r->test, status == ASHLAR_ERR_ARG && ranks_agree(comm, (int)status, err.text) &&
          strstr(err.text, "b is NULL"), "%s", err.text);
    CHECK(&r->test, multiply(comm, r) > 0, "a right one after that");
    ashlar_plan_free(&plan);
    ashlar_context_free(&context);
    ashlar_layout_free(&layout);
    free(x);
}

/* A duplicate has none. What it is given goes with it, and nothing of it is left. */
static void goes_with_its_communicator(rig *r)
{
    MPI_Comm comm, copy;
    ashlar_context *context = NULL, *other = NULL;
    ashlar_error err = {0};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const int64_t live = mpi.live, allocated = heap.live;
    is_found_again(r, comm);
    is_checked_once(r, comm);
    CHECK(&r->test, ashlar_context_keep(comm, &context, &err) == ASHLAR_OK, "%s", err.text);
    MPI_Comm_dup(comm, &copy);
    const int64_t made = mpi.made;
    CHECK(&r->test, multiply(copy, r) > 0 && mpi.made > made, "the duplicate has a context");
    CHECK(&r->test, ashlar_context_keep(copy, &other, &err) == ASHLAR_OK && other != context, "%s", err.text);
    MPI_Comm_free(&copy);
    CHECK(&r->test, multiply(comm, r) > 0, "the first went with its duplicate");
    MPI_Comm_free(&comm);
    CHECK(&r->test, mpi.live == live - 1 && heap.live == allocated, "%" PRId64 " communicators and %" PRId64
          " allocations are left", mpi.live - live + 1, heap.live - allocated);
}

static void free_plan(void *plan)
{
    ashlar_plan_free(plan);
}

/* A function that is called first frees what was made with the context. */
static void is_said_to_go(rig *r)
{
    MPI_Comm comm;
    ashlar_context *context = NULL;
    ashlar_plan *plan = NULL;
    ashlar_error err = {0};
    const ashlar_problem problem = {.type = ASHLAR_TYPE_D, .m = SIZE, .n = SIZE, .k = SIZE};
    const int64_t live = mpi.live, allocated = heap.live;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CHECK(&r->test, ashlar_context_keep(comm, &context, &err) == ASHLAR_OK &&
          ashlar_plan_create(context, &problem, NULL, &plan, &err) == ASHLAR_OK, "%s", err.text);
    ashlar_context_on_free(context, free_plan, &plan);
    ashlar_context_free(&context); /* it stays, being kept */
    CHECK(&r->test, plan, "the plan was freed before the communicator");
    MPI_Comm_free(&comm);
    CHECK(&r->test, !plan && mpi.live == live && heap.live == allocated, "%" PRId64 " communicators and %" PRId64
          " allocations are left", mpi.live - live, heap.live - allocated);
    ashlar_context_on_free(NULL, free_plan, NULL);
}

static void refuses(rig *r)
{
    ashlar_context *context = NULL;
    ashlar_error err = {0};
    CHECK(&r->test, ashlar_context_keep(MPI_COMM_WORLD, NULL, &err) == ASHLAR_ERR_ARG &&
                        strcmp(err.text, "ashlar_context_keep: out is NULL") == 0, "%s", err.text);
    CHECK(&r->test, ashlar_context_keep(MPI_COMM_NULL, &context, &err) == ASHLAR_ERR_ARG && !context &&
                        strcmp(err.text, "ashlar_context_keep: comm is MPI_COMM_NULL") == 0, "%s", err.text);
}

/* An allocation that fails, on one rank: no context on any, and nothing is left. */
static void fails_together(rig *r)
{
    ashlar_error err = {0};
    for (int64_t i = 1; i <= 4; i++) {
        ashlar_context *context = NULL;
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        const int64_t allocated = heap.live;
        heap.failed = false;
        heap.fail_at = r->rank == r->ranks - 1 ? heap.made + i : 0;
        const ashlar_status status = ashlar_context_keep(comm, &context, &err);
        heap.fail_at = 0;
        CHECK(&r->test, ranks_agree(MPI_COMM_WORLD, (int)status, err.text), "allocation %" PRId64 ": %s", i, err.text);
        CHECK(&r->test, (status == ASHLAR_OK) == (context != NULL) && (!heap.failed || status == ASHLAR_ERR_MEMORY),
              "allocation %" PRId64 ": %s", i, err.text);
        CHECK(&r->test, multiply(comm, r) > 0, "no product after allocation %" PRId64, i);
        MPI_Comm_free(&comm);
        CHECK(&r->test, heap.live == allocated, "%" PRId64 " allocations are left", heap.live - allocated);
    }
}

int main(int argc, char **argv)
{
    rig r;
    ashlar_context *last = NULL;
    ashlar_error err = {0};
    if (!ranks_begin(&r, &argc, &argv, 1))
        return 1;
    const int64_t live = mpi.live, allocated = heap.live;
    refuses(&r);
    goes_with_its_communicator(&r);
    is_said_to_go(&r);
    fails_together(&r);
    is_found_again(&r, MPI_COMM_WORLD); /* and stays: MPI_Finalize ends it */
    CHECK(&r.test, ashlar_context_keep(MPI_COMM_SELF, &last, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(&r.test, mpi.live > live && heap.live > allocated, "nothing is kept");
    const int status = ranks_end(&r, PROGRAM);
    const bool clean = mpi.live == live && heap.live == allocated;
    if (!clean)
        fprintf(stderr, "after MPI_Finalize %" PRId64 " communicators and %" PRId64 " allocations are left\n",
                mpi.live - live, heap.live - allocated);
    return status || !clean;
}

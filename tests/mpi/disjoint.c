/* One-sided plans at once on communicators that have no common rank: made, executed and freed beside each other. */
#include "mpi/ranks.h"

#include <ashlar/ashlar.h>

#define PROGRAM "disjoint"

enum { SIZE = 40, ROOM = SIZE * SIZE, PLANS = 3 };

static ashlar_plan *make_plan(rig *r, ashlar_context *context, int64_t k)
{
    const ashlar_problem problem = {.type = ASHLAR_TYPE_D, .m = SIZE, .n = SIZE, .k = k};
    ashlar_options options = ashlar_options_default();
    ashlar_plan *plan = NULL;
    ashlar_error err = {0};
    options.transport = ASHLAR_ONE_SIDED;
    CHECK(&r->test, ashlar_plan_create(context, &problem, &options, &plan, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r),
          err.text);
    return plan;
}

/* Ones times ones: every element of C is k. */
static void multiply(rig *r, ashlar_plan *plan, int rank, int64_t k)
{
    static double a[ROOM], b[ROOM], c[ROOM];
    const double one = 1, zero = 0;
    ashlar_error err = {0};
    for (int i = 0; i < ROOM; i++) {
        a[i] = b[i] = 1;
        c[i] = -1;
    }
    CHECK(&r->test, ashlar_plan_execute(plan, &one, a, b, &zero, c, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r),
          err.text);
    int64_t right = 0, wrong = 0;
    for (int i = 0; i < ROOM; i++) {
        right += c[i] == (double)k;
        wrong += c[i] != (double)k && c[i] != -1;
    }
    CHECK(&r->test, wrong == 0 && right == ashlar_layout_words(ashlar_plan_layout(plan, ASHLAR_C), rank),
          CASE "%" PRId64 " elements are wrong, %" PRId64 " right", CASE_OF(r), wrong, right);
}

/* The parts of the communicators make their plans at one moment, and free them in one order or the other. */
static void beside_each_other(rig *r, ashlar_context *context, int part)
{
    ashlar_plan *plan[PLANS];
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < PLANS; i++)
        plan[i] = make_plan(r, context, 10 + i + part);
    for (int i = 0; i < PLANS; i++)
        if (plan[i])
            multiply(r, plan[i], r->rank / 2, 10 + i + part);
    for (int i = 0; i < PLANS; i++)
        ashlar_plan_free(&plan[part ? i : PLANS - 1 - i]);
}

int main(int argc, char **argv)
{
    rig r;
    MPI_Comm half = MPI_COMM_NULL;
    ashlar_context *context = NULL;
    if (!ranks_begin(&r, &argc, &argv, 40))
        return 1;
    const int part = r.rank % 2;
    MPI_Comm_split(MPI_COMM_WORLD, part, r.rank, &half);
    CHECK(&r.test, ashlar_context_create(half, &context, NULL) == ASHLAR_OK, "no context");
    for (uint64_t i = 0; i < r.cases; i++) {
        r.seed = r.first + i;
        beside_each_other(&r, context, part);
    }
    ashlar_context_free(&context);
    MPI_Comm_free(&half);
    return ranks_end(&r, PROGRAM);
}

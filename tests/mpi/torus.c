/* A Cartesian communicator tells its torus where it is one, and all refuse a torus that does not fit the ranks. */
#include "mpi/ranks.h"
#include "plan/context.h"

#define PROGRAM "torus"

enum { SIDE = 24 };

static void divide(int ranks, int dims, int length[])
{
    for (int d = 0; d < dims; d++)
        length[d] = 0;
    MPI_Dims_create(ranks, dims, length);
}

/* What a context knows of a communicator of this shape; `open` is the dimension that is not periodic, or -1. */
static void cartesian(rig *r, int dims, int open)
{
    MPI_Comm comm;
    ashlar_context *context = NULL;
    int length[3], periodic[3];
    divide(r->ranks, dims, length);
    for (int d = 0; d < dims; d++)
        periodic[d] = d != open;
    MPI_Cart_create(MPI_COMM_WORLD, dims, length, periodic, 0, &comm);
    CHECK(&r->test, ashlar_context_create(comm, &context, NULL) == ASHLAR_OK, "no context");
    const int found = context->torus.dims;
    CHECK(&r->test, found == (open < 0 ? dims : 0), "%d of %d dimensions", found, dims);
    for (int d = 0; d < context->torus.dims; d++)
        CHECK(&r->test, context->torus.length[d] == length[d], "dimension %d", d);
    ashlar_context_free(&context);
    MPI_Comm_free(&comm);
}

static ashlar_status create(ashlar_context *context, const ashlar_machine *machine, ashlar_error *err)
{
    const ashlar_problem problem = {.type = ASHLAR_TYPE_D, .m = SIDE, .n = SIDE, .k = SIDE};
    ashlar_options options = ashlar_options_default();
    ashlar_plan *plan = NULL;
    options.machine = machine;
    const ashlar_status status = ashlar_plan_create(context, &problem, &options, &plan, err);
    ashlar_plan_free(&plan);
    return status;
}

static void given(rig *r, ashlar_context *context)
{
    ashlar_machine machine = ashlar_machine_default();
    ashlar_error err = {0};
    char ranks[32], nodes[64];
    CHECK(&r->test, machine.torus_dims == 0, "the default machine has a torus");
    machine.torus_dims = 2;
    machine.torus[0] = r->ranks;
    machine.torus[1] = 1;
    CHECK(&r->test, create(context, &machine, &err) == ASHLAR_OK, "%s", err.text);
    machine.torus[1] = r->rank == r->ranks - 1 ? 5 : 1; /* wrong on one rank */
    const ashlar_status got = create(context, &machine, &err);
    snprintf(nodes, sizeof nodes, "%dx5 has %d nodes", r->ranks, 5 * r->ranks);
    snprintf(ranks, sizeof ranks, "%d rank", r->ranks);
    CHECK(&r->test, got == ASHLAR_ERR_ARG && strstr(err.text, nodes) && strstr(err.text, ranks), "%s", err.text);
    CHECK(&r->test, ranks_agree(MPI_COMM_WORLD, (int)got, err.text), "ranks disagree: %s", err.text);
    machine.torus[1] = 1;
    machine.torus_dims = r->rank == 0 ? 0 : 2; /* right, but not the same on all */
    const ashlar_status differ = create(context, &machine, &err);
    CHECK(&r->test, differ == (r->ranks > 1 ? ASHLAR_ERR_ARG : ASHLAR_OK), "status %d", (int)differ);
    machine.torus_dims = ASHLAR_TORUS_MOST + 1;
    CHECK(&r->test, create(context, &machine, &err) == ASHLAR_ERR_ARG, "too many dimensions");
    machine.torus_dims = -1;
    CHECK(&r->test, create(context, &machine, &err) == ASHLAR_ERR_ARG, "less than none");
}

/* What the busiest rank sends or receives where each needs all of A, as planned on a communicator. */
static int64_t planned_messages(rig *r, MPI_Comm comm)
{
    const ashlar_problem problem = {.type = ASHLAR_TYPE_D, .m = SIDE, .n = SIDE, .k = SIDE};
    ashlar_options options = ashlar_options_default();
    ashlar_figures planned = {0};
    ashlar_context *context = NULL;
    ashlar_plan *plan = NULL;
    options.route = ASHLAR_ROUTE_RECTANGULAR;
    options.grid[0] = options.grid[2] = 1;
    options.grid[1] = r->ranks;
    CHECK(&r->test, ashlar_context_create(comm, &context, NULL) == ASHLAR_OK, "no context");
    CHECK(&r->test, ashlar_plan_create(context, &problem, &options, &plan, NULL) == ASHLAR_OK, "no plan");
    ashlar_plan_predicted(plan, &planned, NULL);
    ashlar_plan_free(&plan);
    ashlar_context_free(&context);
    return planned.messages_max;
}

/* Round a ring each block comes in two shares, one from each side; of the world nothing is known. */
static void ring(rig *r)
{
    const int periodic = 1, others = r->ranks - 1;
    MPI_Comm comm;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &r->ranks, &periodic, 0, &comm);
    const int64_t known = planned_messages(r, comm), unknown = planned_messages(r, MPI_COMM_WORLD);
    CHECK(&r->test, known == (r->ranks > 2 ? 2 : 1) * others, "%" PRId64 " messages", known);
    CHECK(&r->test, r->ranks == 1 || unknown < 2 * others, "%" PRId64 " messages where nothing is known", unknown);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    rig r;
    ashlar_context *context = NULL;
    if (!ranks_begin(&r, &argc, &argv, 1))
        return 1;
    for (int dims = 1; dims <= 3; dims++)
        for (int open = -1; open < dims; open++)
            cartesian(&r, dims, open);
    CHECK(&r.test, ashlar_context_create(MPI_COMM_WORLD, &context, NULL) == ASHLAR_OK, "no context");
    CHECK(&r.test, context->torus.dims == 0, "the world is taken for a torus");
    given(&r, context);
    ashlar_context_free(&context);
    ring(&r);
    return ranks_end(&r, PROGRAM);
}

/* Which ranks share a machine is found with one reduction if all do, and by splitting the communicator if they do not.
 */
#include "mpi/ranks.h"

#include "kernel/threads.h"
#include "plan/context.h"

#include <ashlar/context.h>

#define PROGRAM "hosts"

/* Rank r runs on machine r % hosts, if the program says so. */
static int hosts = 1;

static struct {
    int reductions, others; /* of all ranks; other collective calls beside the duplicate and its freeing */
} calls;

static int host_of(int rank)
{
    return rank % hosts;
}

static int own_rank(void)
{
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int MPI_Get_processor_name(char *name, int *length)
{
    *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "machine%d", host_of(own_rank()));
    return MPI_SUCCESS;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out)
{
    (void)type;
    (void)info;
    calls.others++;
    return PMPI_Comm_split(comm, host_of(own_rank()), key, out);
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    calls.reductions++;
    return PMPI_Allreduce(from, to, count, type, op, comm);
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    calls.others++;
    return PMPI_Bcast(data, count, type, root, comm);
}

int MPI_Allgather(const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type,
                  MPI_Comm comm)
{
    calls.others++;
    return PMPI_Allgather(from, count, type, to, to_count, to_type, comm);
}

/* The most ranks for each core of a machine: a machine's cores are those that any of its ranks may use. */
static double most_for_a_core(int ranks_here)
{
    MPI_Comm here = MPI_COMM_NULL;
    ashi_core_set cores;
    ashi_core_set_own(&cores);
    PMPI_Comm_split(MPI_COMM_WORLD, host_of(own_rank()), 0, &here);
    PMPI_Allreduce(MPI_IN_PLACE, cores.bits, ASHI_CORE_SET_BYTES, MPI_BYTE, MPI_BOR, here);
    PMPI_Comm_free(&here);
    double share = (double)ranks_here / ashi_core_set_count(&cores);
    PMPI_Allreduce(MPI_IN_PLACE, &share, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return share;
}

static void try_hosts(rig *r, int count)
{
    ashlar_context *c = NULL;
    ashlar_error err = {0};
    hosts = count;
    calls.reductions = calls.others = 0;
    const ashlar_status status = ashlar_context_create(MPI_COMM_WORLD, &c, &err);
    const int reductions = calls.reductions, others = calls.others;
    CHECK(&r->test, status == ASHLAR_OK, "%d machines: %s", count, err.text);
    if (status != ASHLAR_OK)
        return;
    const int own = (r->ranks - host_of(r->rank) + count - 1) / count;
    const double share = most_for_a_core(own);
    CHECK(&r->test, c->node_ranks == own, "%d machines: %d ranks here, wanted %d", count, c->node_ranks, own);
    CHECK(&r->test, c->ranks_per_core == share, "%d machines: %g ranks a core, wanted %g", count, c->ranks_per_core,
          share);
    for (int i = 0; i < r->ranks; i++)
        CHECK(&r->test, c->node_of[i] == host_of(i), "%d machines: rank %d is on %d", count, i, c->node_of[i]);
    if (count == 1)
        CHECK(&r->test, reductions == 1 && others == 0, "%d reductions and %d other calls", reductions, others);
    else
        CHECK(&r->test, others > 0, "the communicator is not split");
    ashlar_context_free(&c);
}

int main(int argc, char **argv)
{
    rig r;
    if (!ranks_begin(&r, &argc, &argv, 1))
        return 1;
    for (int count = 1; count <= r.ranks && count <= 3; count++)
        try_hosts(&r, count);
    try_hosts(&r, 1);
    return ranks_end(&r, PROGRAM);
}

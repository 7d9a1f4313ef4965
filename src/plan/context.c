/* A communicator of Ashlar's own, and agreement over it. */
#include "plan/context.h"

#include "base/error.h"
#include "exec/threads.h"
#include "exec/transport.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One rank's error becomes that of all: its text, or one made from its status. */
static ashlar_status share_error(const ashlar_context *context, ashlar_status mine, ashlar_status worst, int rank,
                                 ashlar_error *err)
{
    char text[ASHLAR_MESSAGE_MAX] = "";
    if (context->rank == rank && err && err->status == mine)
        memcpy(text, err->text, sizeof text);
    const ashlar_status status =
        ashi_mpi(MPI_Bcast(text, ASHLAR_MESSAGE_MAX, MPI_CHAR, rank, context->comm), "MPI_Bcast", err);
    if (status != ASHLAR_OK)
        return status;
    if (text[0] == '\0')
        snprintf(text, sizeof text, "rank %d: %s", rank, ashlar_status_text(worst));
    return ashi_fail(err, worst, "%s", text);
}

ashlar_status ashi_agree_same(const ashlar_context *context, ashlar_status mine, const char *who,
                              const ashi_shared *values, int count, ashlar_error *err)
{
    int64_t own[1 + 2 * ASHI_SHARED_MOST] = {0}, most[1 + 2 * ASHI_SHARED_MOST] = {0};
    own[0] = (int64_t)mine * context->ranks + (context->ranks - 1 - context->rank); /* worst status, then lowest rank */
    for (int i = 0; i < count; i++) {
        own[1 + 2 * i] = values[i].value;
        own[2 + 2 * i] = ~values[i].value; /* its greatest is the complement of the least value */
    }
    const ashlar_status status = ashi_mpi(
        MPI_Allreduce(own, most, 1 + 2 * count, MPI_INT64_T, MPI_MAX, context->comm), "MPI_Allreduce", err);
    if (status != ASHLAR_OK)
        return status;
    const ashlar_status worst = (ashlar_status)(most[0] / context->ranks);
    if (worst != ASHLAR_OK)
        return share_error(context, mine, worst, (int)(context->ranks - 1 - most[0] % context->ranks), err);
    for (int i = 0; i < count; i++)
        if (most[1 + 2 * i] != ~most[2 + 2 * i])
            return ashi_fail(err, ASHLAR_ERR_ARG, "%s: ranks disagree about %s", who, values[i].name);
    return ASHLAR_OK;
}

ashlar_status ashi_agree(const ashlar_context *context, ashlar_status mine, ashlar_error *err)
{
    return ashi_agree_same(context, mine, NULL, NULL, 0, err);
}

ashlar_status ashi_same(const ashlar_context *context, const char *who, const ashi_shared *values, int count,
                        ashlar_error *err)
{
    return ashi_agree_same(context, ASHLAR_OK, who, values, count, err);
}

/* The cores of a node are those that any of its ranks may use: launchers bind ranks to cores, or do not. */
static ashlar_status share_cores(ashlar_context *c, MPI_Comm node, ashlar_error *err)
{
    ashi_core_set cores;
    ashi_core_set_own(&cores);
    ashlar_status status = ashi_mpi(MPI_Allreduce(MPI_IN_PLACE, cores.bits, ASHI_CORE_SET_BYTES, MPI_BYTE, MPI_BOR,
                                                  node), "MPI_Allreduce", err);
    const double share = (double)c->node_ranks / ashi_core_set_count(&cores);
    if (status == ASHLAR_OK)
        status = ashi_mpi(MPI_Allreduce(&share, &c->ranks_per_core, 1, MPI_DOUBLE, MPI_MAX, c->comm), "MPI_Allreduce",
                          err);
    return status;
}

/* Nodes are numbered in the order of their first ranks. All ranks reach the exchange, or learn here that one cannot. */
static ashlar_status number_nodes(ashlar_context *c, MPI_Comm node, ashlar_error *err)
{
    int first = c->rank;
    c->node_of = malloc((size_t)c->ranks * sizeof *c->node_of);
    ashlar_status status =
        c->node_of ? ASHLAR_OK : ashi_fail_memory(err, "ashlar_context_create", c->ranks * (int64_t)sizeof(int));
    status = ashi_agree(c, status, err);
    if (status == ASHLAR_OK)
        status = ashi_mpi(MPI_Bcast(&first, 1, MPI_INT, 0, node), "MPI_Bcast", err);
    if (status == ASHLAR_OK)
        status = ashi_mpi(MPI_Allgather(&first, 1, MPI_INT, c->node_of, 1, MPI_INT, c->comm), "MPI_Allgather", err);
    for (int r = 0, nodes = 0; status == ASHLAR_OK && r < c->ranks; r++)
        c->node_of[r] = c->node_of[r] == r ? nodes++ : c->node_of[c->node_of[r]];
    return status;
}

/* The duplicate has the topology of the caller's communicator. */
static ashlar_status read_torus(ashlar_context *c, ashlar_error *err)
{
    int kind = MPI_UNDEFINED, dims = 0, length[ASHI_TORUS_MOST], periodic[ASHI_TORUS_MOST], at[ASHI_TORUS_MOST];
    ashlar_status status = ashi_mpi(MPI_Topo_test(c->comm, &kind), "MPI_Topo_test", err);
    if (status == ASHLAR_OK && kind == MPI_CART)
        status = ashi_mpi(MPI_Cartdim_get(c->comm, &dims), "MPI_Cartdim_get", err);
    if (status != ASHLAR_OK || dims < 1 || dims > ASHI_TORUS_MOST)
        return status;
    status = ashi_mpi(MPI_Cart_get(c->comm, dims, length, periodic, at), "MPI_Cart_get", err);
    for (int d = 0; d < dims && status == ASHLAR_OK; d++) {
        if (!periodic[d])
            return ASHLAR_OK;
        c->torus.length[d] = length[d];
    }
    c->torus.dims = status == ASHLAR_OK ? dims : 0;
    return status;
}

static ashlar_status fill(ashlar_context *c, MPI_Comm comm, ashlar_error *err)
{
    MPI_Comm node = MPI_COMM_NULL;
    ashlar_status status = ashi_mpi(MPI_Comm_dup(comm, &c->comm), "MPI_Comm_dup", err);
    if (status == ASHLAR_OK)
        status = ashi_mpi(MPI_Comm_set_errhandler(c->comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler", err);
    if (status == ASHLAR_OK)
        status = ashi_mpi(MPI_Comm_rank(c->comm, &c->rank), "MPI_Comm_rank", err);
    if (status == ASHLAR_OK)
        status = ashi_mpi(MPI_Comm_size(c->comm, &c->ranks), "MPI_Comm_size", err);
    if (status == ASHLAR_OK)
        status = read_torus(c, err);
    if (status == ASHLAR_OK)
        status = ashi_mpi(MPI_Comm_split_type(c->comm, MPI_COMM_TYPE_SHARED, c->rank, MPI_INFO_NULL, &node),
                          "MPI_Comm_split_type", err);
    if (status == ASHLAR_OK)
        status = ashi_mpi(MPI_Comm_size(node, &c->node_ranks), "MPI_Comm_size", err);
    if (status == ASHLAR_OK)
        status = share_cores(c, node, err);
    if (status == ASHLAR_OK)
        status = number_nodes(c, node, err);
    if (node != MPI_COMM_NULL)
        MPI_Comm_free(&node);
    return status;
}

static ashlar_status check_comm(MPI_Comm comm, ashlar_context **out, ashlar_error *err)
{
    int inter = 0;
    if (!out)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_context_create: out is NULL");
    *out = NULL;
    if (!ashi_mpi_runs())
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_context_create: MPI is not running");
    if (comm == MPI_COMM_NULL)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_context_create: comm is MPI_COMM_NULL");
    const ashlar_status status = ashi_mpi(MPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter", err);
    if (status == ASHLAR_OK && inter)
        return ashi_fail(err, ASHLAR_ERR_ARG, "ashlar_context_create: comm is an intercommunicator");
    return status;
}

ashlar_status ashlar_context_create(MPI_Comm comm, ashlar_context **out, ashlar_error *err)
{
    ashlar_status status = check_comm(comm, out, err);
    if (status != ASHLAR_OK)
        return status;
    ashlar_context *c = calloc(1, sizeof *c), fallback;
    ashlar_context *made = c ? c : &fallback; /* who has no memory still takes part, so that all learn of it */
    *made = (ashlar_context){.comm = MPI_COMM_NULL};
    status = fill(made, comm, err);
    if (status == ASHLAR_OK)
        status = ashi_agree(
            made, c ? ASHLAR_OK : ashi_fail_memory(err, "ashlar_context_create", (int64_t)sizeof *c), err);
    if (status == ASHLAR_OK) {
        *out = c;
        return status;
    }
    if (made->comm != MPI_COMM_NULL)
        MPI_Comm_free(&made->comm);
    free(made->node_of);
    free(c);
    return status;
}

void ashlar_context_free(ashlar_context **context)
{
    if (!context || !*context)
        return;
    if (ashi_mpi_runs())
        MPI_Comm_free(&(*context)->comm);
    free((*context)->node_of);
    free(*context);
    *context = NULL;
}

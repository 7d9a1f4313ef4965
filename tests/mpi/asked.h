/* What a program asks MPI for: its calls are counted on their way. */
#ifndef ASHI_ASKED_H
#define ASHI_ASKED_H

#include <mpi.h>
#include <stdint.h>

static struct {
    int64_t live;        /* communicators */
    int64_t made;        /* ever */
    int64_t agreements;
} mpi;

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *out)
{
    mpi.live++;
    mpi.made++;
    return PMPI_Comm_dup(comm, out);
}

int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *out)
{
    mpi.live++;
    mpi.made++;
    return PMPI_Comm_split(comm, colour, key, out);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out)
{
    mpi.live++;
    mpi.made++;
    return PMPI_Comm_split_type(comm, type, key, info, out);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *out)
{
    const int code = PMPI_Comm_create(comm, group, out);
    mpi.live += code == MPI_SUCCESS && *out != MPI_COMM_NULL;
    mpi.made++;
    return code;
}

int MPI_Comm_free(MPI_Comm *comm)
{
    mpi.live--;
    return PMPI_Comm_free(comm);
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    mpi.agreements++;
    return PMPI_Allreduce(from, to, count, type, op, comm);
}

#endif

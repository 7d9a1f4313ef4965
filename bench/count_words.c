/* Counts what MPI is asked to move: its calls under their own names, which count and go on to the PMPI ones.
 *
 * A library of its own, linked before MPI's or preloaded. It knows the calls that the BLACS and Ashlar make.
 */
#include "count_words.h"
#include "die.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* For each rank of MPI_COMM_WORLD: what this one has sent there, or knows to arrive there. */
typedef struct arrivals {
    int64_t bytes, messages;
} arrivals;

static arrivals *counted;
static int world_size, world_rank;
static int counting;

static void count_to(int world, int64_t count, MPI_Datatype type)
{
    int bytes = 0;
    PMPI_Type_size(type, &bytes);
    if (world == world_rank || world < 0 || world >= world_size || count <= 0)
        return;
    counted[world].bytes += count * bytes;
    counted[world].messages++;
}

static int world_rank_of(MPI_Group group, int rank)
{
    MPI_Group world;
    int there = MPI_UNDEFINED;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, 1, &rank, world, &there);
    PMPI_Group_free(&world);
    return there;
}

static void note_send(int rank, int count, MPI_Datatype type, MPI_Comm comm)
{
    MPI_Group group;
    if (!counting || rank == MPI_PROC_NULL)
        return;
    PMPI_Comm_group(comm, &group);
    count_to(world_rank_of(group, rank), count, type);
    PMPI_Group_free(&group);
}

/* Something that this rank receives, `times` messages of it. */
static void count_here(int64_t times, int count, MPI_Datatype type)
{
    int bytes = 0;
    PMPI_Type_size(type, &bytes);
    if (!counting || count <= 0)
        return;
    counted[world_rank].bytes += times * count * bytes;
    counted[world_rank].messages += times;
}

void ashi_count_begin(void)
{
    PMPI_Comm_size(MPI_COMM_WORLD, &world_size);
    PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    if (!counted)
        counted = ashi_need(world_size, (long long)sizeof *counted);
    memset(counted, 0, (size_t)world_size * sizeof *counted);
    PMPI_Barrier(MPI_COMM_WORLD);
    counting = 1;
}

ashi_count ashi_count_end(void)
{
    ashi_count all = {0};
    counting = 0;
    PMPI_Allreduce(MPI_IN_PLACE, counted, 2 * world_size, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (int r = 0; r < world_size; r++) {
        all.bytes_total += counted[r].bytes;
        all.messages_total += counted[r].messages;
        all.bytes_max = counted[r].bytes > all.bytes_max ? counted[r].bytes : all.bytes_max;
        all.messages_max = counted[r].messages > all.messages_max ? counted[r].messages : all.messages_max;
    }
    free(counted);
    counted = NULL;
    return all;
}

#include "sends.inc"

int MPI_Sendrecv(const void *data, int count, MPI_Datatype type, int to, int tag, void *into, int room,
                 MPI_Datatype into_type, int from, int from_tag, MPI_Comm comm, MPI_Status *status)
{
    note_send(to, count, type, comm);
    return PMPI_Sendrecv(data, count, type, to, tag, into, room, into_type, from, from_tag, comm, status);
}

int MPI_Put(const void *data, int count, MPI_Datatype type, int to, MPI_Aint place, int there, MPI_Datatype there_type,
            MPI_Win window)
{
    if (counting && to != MPI_PROC_NULL) {
        MPI_Group group;
        PMPI_Win_get_group(window, &group);
        count_to(world_rank_of(group, to), count, type);
        PMPI_Group_free(&group);
    }
    return PMPI_Put(data, count, type, to, place, there, there_type, window);
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    count_here(rank == root ? 0 : 1, count, type);
    return PMPI_Bcast(data, count, type, root, comm);
}

int MPI_Reduce(const void *data, void *into, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    int rank = 0, size = 0, children = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    const int place = (rank - root + size) % size;
    for (int bit = 1; bit < size && !(place & bit); bit <<= 1)
        children += place + bit < size;
    count_here(children, count, type);
    return PMPI_Reduce(data, into, count, type, op, root, comm);
}

int MPI_Allreduce(const void *data, void *into, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int size = 0, rounds = 0;
    PMPI_Comm_size(comm, &size);
    while (1 << rounds < size)
        rounds++;
    count_here(rounds, count, type);
    return PMPI_Allreduce(data, into, count, type, op, comm);
}

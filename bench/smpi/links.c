/* Bytes that a program's messages put on each link of the simulated network.
 *
 * Ashlar sends with MPI_Isend, MPI_Issend, MPI_Put and MPI_Rput only. They are SMPI's own with a count: of the bytes of
 * elements handed over, on every link of the route that SimGrid has for them. Credits and notes of one-sided transport
 * are integers, and take time but are not counted. (SimGrid's trace of what links carry loses bytes where messages that
 * share a link change their speed on the way.) */
#include "links.h"

#include <mpi.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <stdlib.h>
#include <string.h>
#include <xbt/dynar.h>

enum { RANKS_MOST = 1 << 16 };

static sg_host_t host_of[RANKS_MOST];

void ashi_links_join(int rank)
{
    if (rank < RANKS_MOST)
        host_of[rank] = sg_host_self();
}

/* A link's count stands where its user's data would be; there are none at first. */
static int64_t bytes_of(const_sg_link_t link)
{
    return (intptr_t)sg_link_get_data(link);
}

static int is_between_nodes(const_sg_link_t link)
{
    return strstr(sg_link_get_name(link), "loopback") == NULL;
}

ashi_link_bytes ashi_links_read(void)
{
    ashi_link_bytes sum = {0};
    sg_link_t *links = sg_link_list();
    for (size_t i = 0; i < sg_link_count(); i++)
        if (is_between_nodes(links[i])) {
            const int64_t bytes = bytes_of(links[i]);
            sum.links++;
            sum.used += bytes > 0;
            sum.most = bytes > sum.most ? bytes : sum.most;
            sum.total += bytes;
        }
    free(links);
    return sum;
}

static void count(int to, int elements, MPI_Datatype type)
{
    if (host_of[to] == sg_host_self() || type == MPI_INT64_T)
        return;
    int size = 0;
    MPI_Type_size(type, &size);
    xbt_dynar_t route = xbt_dynar_new(sizeof(sg_link_t), NULL);
    sg_host_get_route(sg_host_self(), host_of[to], route);
    for (unsigned long i = 0; i < xbt_dynar_length(route); i++) {
        const sg_link_t link = *(sg_link_t *)xbt_dynar_get_ptr(route, i);
        sg_link_set_data(link, (void *)(intptr_t)(bytes_of(link) + (int64_t)elements * size));
    }
    xbt_dynar_free(&route);
}

int MPI_Isend(const void *data, int elements, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    count(to, elements, type);
    return PMPI_Isend(data, elements, type, to, tag, comm, request);
}

/* The last message of a step in long programs. */
int MPI_Issend(const void *data, int elements, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    count(to, elements, type);
    return PMPI_Issend(data, elements, type, to, tag, comm, request);
}

int MPI_Put(const void *data, int elements, MPI_Datatype type, int to, MPI_Aint place, int to_elements,
            MPI_Datatype to_type, MPI_Win window)
{
    count(to, elements, type);
    return PMPI_Put(data, elements, type, to, place, to_elements, to_type, window);
}

int MPI_Rput(const void *data, int elements, MPI_Datatype type, int to, MPI_Aint place, int to_elements,
             MPI_Datatype to_type, MPI_Win window, MPI_Request *request)
{
    count(to, elements, type);
    return PMPI_Rput(data, elements, type, to, place, to_elements, to_type, window, request);
}

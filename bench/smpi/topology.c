/* MPI_Topo_test, which SMPI 3.32 declares and does not have. */
#include <mpi.h>

int MPI_Topo_test(MPI_Comm comm, int *status)
{
    int dims = 0;
    *status = MPI_Cartdim_get(comm, &dims) == MPI_SUCCESS ? MPI_CART : MPI_UNDEFINED;
    return MPI_SUCCESS;
}

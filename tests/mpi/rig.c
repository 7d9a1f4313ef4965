/* The rig of the MPI tests itself: the launcher starts as many ranks as asked for, and they reach one another. */
#include "test.h"

#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 1;
    ashi_test t = {0};
    int rank = -1, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK(&t, argc == 2 && ranks == strtol(argv[1], NULL, 10), "%d ranks were started", ranks);
    /* Many small collectives: with more ranks than cores these crawl where waiting does not yield. */
    for (int round = 0; round < 200; round++) {
        const int mine = rank + round;
        int sum = 0;
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        CHECK(&t, sum == ranks * (ranks - 1) / 2 + ranks * round, "rank %d round %d: %d", rank, round, sum);
    }
    MPI_Finalize();
    return ashi_test_end(&t, "rig");
}

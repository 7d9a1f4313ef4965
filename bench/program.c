/* From a measuring program's arguments to its line of JSON. */
#include "program.h"

#include "case.h"

int ashi_program_run(int argc, char **argv, const char *kind, const char *about, ashi_measurement measure)
{
    int rank = 0, ranks = 0;
    ashi_matrices x;
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const ashi_case what = ashi_case_parse(argc, argv, about, rank, ranks);
    ashi_matrices_open(&what, rank, &x);
    json_t *report = ashi_report_begin(kind, &x, ranks);
    measure(&x, report);
    ashi_report_end(report, rank);
    ashi_matrices_close(&x);
    MPI_Finalize();
    return 0;
}

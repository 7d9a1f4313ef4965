/* MPI's error codes and datatypes in Ashlar's terms. */
#include "base/error.h"
#include "exec/transport.h"

ashlar_status ashi_mpi(int code, const char *call, ashlar_error *err)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code == MPI_SUCCESS)
        return ASHLAR_OK;
    MPI_Error_string(code, text, &length);
    return ashi_fail(err, ASHLAR_ERR_MPI, "%s: %.*s", call, length, text);
}

bool ashi_mpi_runs(void)
{
    int started = 0, ended = 1;
    return MPI_Initialized(&started) == MPI_SUCCESS && started && MPI_Finalized(&ended) == MPI_SUCCESS && !ended;
}

MPI_Datatype ashi_mpi_type(ashlar_type type)
{
    switch (type) {
    case ASHLAR_TYPE_S:
        return MPI_FLOAT;
    case ASHLAR_TYPE_D:
        return MPI_DOUBLE;
    case ASHLAR_TYPE_C:
        return MPI_C_FLOAT_COMPLEX;
    default:
        return MPI_C_DOUBLE_COMPLEX;
    }
}

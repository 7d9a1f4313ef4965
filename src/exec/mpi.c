/* MPI's error codes and datatypes in Ashlar's terms. */
#include "base/error.h"
#include "exec/mpi.h"

ashlar_status ashi_mpi(int code, const char *call, ashlar_error *err)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    if (code == MPI_SUCCESS)
        return ASHLAR_OK;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS)
        return ashi_fail(err, ASHLAR_ERR_MPI, "%s: error %d", call, code);
    return ashi_fail(err, ASHLAR_ERR_MPI, "%s: %.*s", call, length, text);
}

void ashi_mpi_note(ashlar_error *first, int code, const char *call)
{
    if (first->status == ASHLAR_OK)
        ashi_mpi(code, call, first);
}

ashlar_status ashi_mpi_noted(ashlar_error *first, ashlar_error *err)
{
    const ashlar_status status = first->status;
    if (status != ASHLAR_OK)
        ashi_fail(err, status, "%s", first->text);
    first->status = ASHLAR_OK;
    return status;
}

bool ashi_mpi_runs(ashlar_error *missed)
{
    ashlar_error nobody = {0};
    int started = 1, ended = 0; /* what is assumed if MPI cannot say it */
    missed = missed ? missed : &nobody;
    ashi_mpi_note(missed, MPI_Initialized(&started), "MPI_Initialized");
    ashi_mpi_note(missed, MPI_Finalized(&ended), "MPI_Finalized");
    return started && !ended;
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
    case ASHLAR_TYPE_H:
    case ASHLAR_TYPE_B:
        return MPI_UINT16_T;
    default:
        return MPI_C_DOUBLE_COMPLEX;
    }
}

void ashi_mpi_types(ashlar_type type, MPI_Datatype out[3])
{
    out[ASHLAR_A] = out[ASHLAR_B] = ashi_mpi_type(type);
    out[ASHLAR_C] = ashi_mpi_type(ashlar_type_of_sums(type));
}

/* MPI's error codes and datatypes in Ashlar's terms. */
#ifndef ASHI_MPI_H
#define ASHI_MPI_H

#include <ashlar/context.h>

/* Most elements of one MPI message. */
enum { ASHI_MESSAGE_MOST = 1 << 30 };

/* ASHLAR_ERR_MPI with MPI's own words, unless code is MPI_SUCCESS. */
ashlar_status ashi_mpi(int code, const char *call, ashlar_error *err);

/* Keep a failure in *first, unless code is MPI_SUCCESS or one is kept there already. */
void ashi_mpi_note(ashlar_error *first, int code, const char *call);

/* The failure that is kept, or ASHLAR_OK. It is kept no longer. */
ashlar_status ashi_mpi_noted(ashlar_error *first, ashlar_error *err);

/* False before MPI_Init and after MPI_Finalize, when no other call of MPI is allowed. If MPI cannot say it, that is
 * kept in *missed unless this is NULL, and the answer is yes. */
bool ashi_mpi_runs(ashlar_error *missed);

/* The MPI datatype of an element. */
MPI_Datatype ashi_mpi_type(ashlar_type type);

/* Those of an element of A, of B and of C. */
void ashi_mpi_types(ashlar_type type, MPI_Datatype out[3]);

#endif

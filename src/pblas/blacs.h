/* What is asked of the BLACS: where a process is in a grid, the grid's communicator, the end of the program. */
#ifndef ASHI_BLACS_H
#define ASHI_BLACS_H

#include "base/error.h"

#include <mpi.h>

/* A process grid and the place of this process in it; rows is -1 where the context does not exist here. */
typedef struct ashi_coordinates {
    int rows, cols, row, col;
} ashi_coordinates;

ashi_coordinates ashi_blacs_grid(int context);

/* The context's own communicator, which the BLACS frees in blacs_gridexit; MPI_COMM_NULL where it cannot be had. */
MPI_Comm ashi_blacs_comm(int context);

/* Explain an error in at most 99 characters, on stderr or as the program's own handler does: PBLAS routines do so
 * before they report the argument's number. */
void ashi_blacs_warn(int context, const char *routine, const char *format, ...) ASHI_PRINTF(3, 4);

/* Report a wrong argument as PBLAS routines do. `info` is minus the argument's number, for an entry of a descriptor
 * minus (100 times the number plus the entry). Comes back only where the program's own handler lets it. */
void ashi_blacs_report(int context, const char *routine, int info);

/* End the program on all processes. */
void ashi_blacs_end(int context);

#define ASHI_NO_SCALAPACK "there is no ScaLAPACK to hand the call to"

/* Say on stderr why a call cannot be served, and end the program on all processes. `other` is why ScaLAPACK cannot
 * serve it either; NULL if it is too late to ask. */
void ashi_blacs_give_up(int context, const char *routine, const char *reason, const char *other);

#endif

/* A measuring program: one problem from its arguments, one measurement, one report. */
#ifndef ASHI_BENCH_PROGRAM_H
#define ASHI_BENCH_PROGRAM_H

#include "report.h"

/* Adds its figures to the report. Called on every rank of MPI_COMM_WORLD. */
typedef void (*ashi_measurement)(ashi_matrices *x, json_t *report);

/* All that main has to do: begins and ends MPI. `about` is what --help says first. Returns the exit status. */
int ashi_program_run(int argc, char **argv, const char *kind, const char *about, ashi_measurement measure);

#endif

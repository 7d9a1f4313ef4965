/* The arrays of a calculation, each dealt out over the ranks along its first index. */
#ifndef CALCULATION_H
#define CALCULATION_H

#include "ccsd.h"
#include "fcidump.h"

typedef struct calculation {
    fcidump integrals;
    ccsd_arguments given;
    double *array[30]; /* all that is to be freed */
    int arrays, rank, ranks;
    double tolerance;
    int64_t memory; /* bytes that a rank may hold beside amplitudes; 0: no limit, and V is in memory */
    int64_t single, twice; /* words of this rank's t1 and t2 */
} calculation;

/* This rank's values of an index that is dealt out: how many, and in *begin the first. */
int64_t calculation_dealt(const calculation *c, int64_t extent, int64_t *begin);

/* End all ranks. */
void calculation_lack_memory(void);

/* An array of zeros, freed with the calculation; at most 30. */
double *calculation_array(calculation *c, int64_t words);

/* A block of V, by the letters of its ranges: this rank's part. x is the range of one occupied orbital, of which `fill`
 * gets the number. */
double *calculation_integrals(calculation *c, const char *ranges);
void calculation_fill(const calculation *c, const char *ranges, int64_t i, double *a);

/* All that the equations take besides amplitudes. The energy of the amplitudes goes to *energy. */
void calculation_prepare(calculation *c, double *energy);

/* With a limit of memory V goes to a file: CALCULATION_FILE, where the program runs. Collective; returns the same
 * status on every rank. */
#define CALCULATION_FILE "ccsd_V.npy"
ashlar_status calculation_write_integrals(calculation *c, ashlar_context *context, ashlar_error *err);

#endif

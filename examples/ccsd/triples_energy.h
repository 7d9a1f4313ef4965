/* The energy of connected triple excitations, (T). */
#ifndef TRIPLES_ENERGY_H
#define TRIPLES_ENERGY_H

#include "calculation.h"

/* After convergence: *energy is complete on rank 0. Collective; returns the same status on every rank. */
ashlar_status triples_energy(calculation *c, ashlar_context *context, double *energy, ashlar_error *err);

#endif

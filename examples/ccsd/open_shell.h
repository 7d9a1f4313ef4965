/* The determinant that integrals over spin orbitals mean. */
#ifndef OPEN_SHELL_H
#define OPEN_SHELL_H

#include "fcidump.h"

/* Which spin orbitals are occupied: occupied[p] is set for each. The search starts from the first orbitals of each
 * spin, those of the lowest energies that the file lists, and those of the lowest one-electron energies, and goes on as
 * reference.h says, moving single electrons. Of the determinants where these end it takes the one that has no Fock
 * matrix elements between occupied and virtual orbitals (none above 1e-4), or whose means over those spins for which
 * one orbital is occupied and the other not are as small, as where both spins have the same orbitals; then that of the
 * lowest energy. Local.
 * @return whether there is one without such elements */
bool open_shell_occupied(const fcidump *f, bool occupied[FCIDUMP_ORBITALS_MOST]);

#endif

/* The determinant that a file of integrals means, whatever the order of its orbitals. */
#ifndef REFERENCE_H
#define REFERENCE_H

#include "fcidump.h"

/* Choose the occupied orbitals and bring them to the front. open_shell.h says how for integrals over spin orbitals; of
 * others, what follows. Collective over MPI_COMM_WORLD, as integrals_read.
 *
 * The search starts from four determinants: the first orbitals of the file, those of the lowest energies that it lists,
 * those of the lowest one-electron energies, and the lowest orbitals in the field of electrons spread over all
 * orbitals. From each it goes on in two ways: it occupies the orbitals of the lowest Fock diagonal until they stay the
 * same, and it moves pairs of electrons while that lowers the energy. Of the determinants where these end it takes the
 * one that
 *   1. has the orbital energies that the file lists;
 *   2. has no Fock matrix elements between occupied and virtual orbitals (none above 1e-4);
 *   3. has every occupied orbital below every virtual one;
 *   4. is that of the first orbitals of the file;
 *   5. has the lowest energy.
 * A later point counts only between determinants that are alike in all earlier ones.
 *
 * @param occupied  the caller's own choice, such as "1-3,5,7" (the first orbital is 1; spin orbitals 2 p - 1 and 2 p
 *   are orbital p with spin alpha and beta); NULL: as above
 * @param text  which orbitals are occupied, on all ranks; or what is wrong
 * @return the same on every rank: 0; -1: the caller's choice is wrong, or 1 to 3 hold for no determinant */
int reference_prepare(fcidump *f, const char *occupied, char *text, size_t room);

#endif

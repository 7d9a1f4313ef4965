/* Integrals in the format of Knowles and Handy, Comput. Phys. Commun. 54, 75 (1989). */
#ifndef FCIDUMP_H
#define FCIDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Real integrals over spatial orbitals, the same for both spins; or, if `open`, over spin orbitals: as they are read,
 * orbitals 2 p and 2 p + 1 are orbital p with spin alpha and beta. `open` are files with MS2 other than 0 and with
 * orbitals of their own for each spin. A file has the orbitals in any order; functions that speak of a determinant take
 * the first orbitals as occupied (reference.h brings them there). */
typedef struct fcidump {
    int64_t orbitals, electrons;
    bool open;
    bool shared;   /* open, but both spins have the same orbitals */
    int64_t alpha; /* open: electrons with this spin */
    double core; /* energy of the nuclei and of frozen electrons */
    double *one; /* [p][q] */
    double *two; /* [p][q][r][s] is (pq|rs) */
    double *energy; /* [p]; NAN: the file does not have it; NULL: it has none */
} fcidump;

#ifndef FCIDUMP_ORBITALS_MOST
#define FCIDUMP_ORBITALS_MOST 128
#endif

/* Read a text. The arrays are freed by fcidump_free.
 * @param message  what is wrong, with the number of the line, if anything is
 * @return 0; -1: *out is empty */
int fcidump_read(const char *text, fcidump *out, char *message, size_t room);

void fcidump_free(fcidump *f);

/* Exchange two orbitals, counted from 0. */
void fcidump_swap(fcidump *f, int64_t i, int64_t j);

/* What is wrong with the numbers of orbitals and electrons; NULL: nothing. */
const char *fcidump_mistake(const fcidump *f);

/* Spin orbitals. */
int64_t fcidump_spin_orbitals(const fcidump *f);

/* Antisymmetrised integral <pq||rs>, and an element of the Fock matrix, over spin orbitals: orbital p/2, spin p%2, if
 * integrals are over spatial orbitals. */
double fcidump_integral(const fcidump *f, int64_t p, int64_t q, int64_t r, int64_t s);
double fcidump_fock(const fcidump *f, int64_t p, int64_t q);

/* The largest element of the Fock matrix off its diagonal, which canonical orbitals make 0; and whether the occupied
 * orbitals, which are the first, have lower energies than all others; if `open`, this is not looked at: true. */
double fcidump_coupling(const fcidump *f);
bool fcidump_in_order(const fcidump *f);

/* The energy of the determinant of the first orbitals. */
double fcidump_energy(const fcidump *f);

#endif

/* Coupled cluster with singles and doubles, and the energy of triples:
 * ccsd INTEGRALS [TOLERANCE [MEMORY [OCCUPIED]]]. The integrals are an FCIDUMP or a group of an HDF5 file (integrals.h)
 * over orbitals in any order. The equations are ccsd.ash and triples.ash, compiled into ccsd_execute() and
 * triples_execute(). It ends when no amplitude changes by more than the tolerance, 1e-10 unless given. MEMORY is a
 * number of bytes: a rank holds no more beside the integrals as they were read and the amplitudes of the last
 * iterations; V and what else does not fit is in files. 0 is no limit. OCCUPIED, such as 1-3,5, names the occupied
 * orbitals, which are found otherwise (reference.h). An FCIDUMP with unpaired electrons (MS2), or with orbitals of
 * their own for each spin (UHF, IUHF), is calculated over its spin orbitals. */
#include "calculation.h"
#include "diis.h"
#include "integrals.h"
#include "reference.h"
#include "triples_energy.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS_MOST = 100 };
static const double MOST_COUPLING = 1e-5;

/* The largest of all ranks; infinity if any is no finite number. */
static double largest(const double *a, int64_t words)
{
    double most = 0;
    for (int64_t w = 0; w < words; w++)
        most = fmax(most, isfinite(a[w]) ? fabs(a[w]) : INFINITY);
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

/* Iterate until the amplitudes hardly change. Returns the number of iterations; -1: no convergence. */
static int iterate(calculation *c, ashlar_context *context, ashlar_error *err)
{
    const int64_t words = c->single + c->twice;
    double *t = calculation_array(c, words), *step = calculation_array(c, words);
    diis history;
    ccsd_state *state = NULL;
    int done = -1, i = 0;
    c->given.t1 = t;
    c->given.t2 = t + c->single;
    c->given.d1 = step;
    c->given.d2 = step + c->single;
    if (diis_begin(&history, words) != 0)
        calculation_lack_memory();
    if (ccsd_create(context, MPI_COMM_WORLD, &c->given, NULL, &state, err) != ASHLAR_OK)
        i = ITERATIONS_MOST;
    for (double change = 0; done < 0 && i < ITERATIONS_MOST && isfinite(change); i++) {
        if (ccsd_execute(state, &c->given, err) != ASHLAR_OK)
            break;
        change = largest(step, words);
        if (c->rank == 0)
            printf("%3d  correlation energy %.12f  largest change %.1e\n", i, *c->given.energy, change);
        done = change < c->tolerance ? i : -1;
        for (int64_t w = 0; w < words && done < 0; w++)
            t[w] += step[w];
        if (done < 0)
            diis_step(&history, MPI_COMM_WORLD, t, step);
    }
    ccsd_free(&state);
    diis_free(&history);
    return done;
}

static int complain(const calculation *c, const char *who, const char *text)
{
    if (c->rank == 0)
        fprintf(stderr, "ccsd: %s: %s\n", who, text);
    return 1;
}

/* The formula of (T) holds for canonical orbitals only; MOST_COUPLING is what self-consistency leaves of the rest. */
static ashlar_status print(calculation *c, ashlar_context *context, ashlar_error *err)
{
    const double scf = fcidump_energy(&c->integrals), ccsd = *c->given.energy;
    const double coupling = fcidump_coupling(&c->integrals);
    double triples = 0;
    if (c->rank == 0)
        printf("SCF energy          %.12f\nCCSD correlation    %.12f\nCCSD energy         %.12f\n", scf, ccsd,
               scf + ccsd);
    if (coupling > MOST_COUPLING) {
        if (c->rank == 0)
            printf("(T) is not computed: the orbitals are not canonical; the Fock matrix has %.1e off its diagonal\n",
                   coupling);
        return ASHLAR_OK;
    }
    const ashlar_status status = triples_energy(c, context, &triples, err);
    if (status == ASHLAR_OK && c->rank == 0)
        printf("(T) correction      %.12f\nCCSD(T) energy      %.12f\n", triples, scf + ccsd + triples);
    return status;
}

/* Read the integrals, the occupied orbitals first. Returns 0; -1, with what is wrong in the message. */
static int read_integrals(calculation *c, const char *place, const char *occupied, char *message, size_t room)
{
    if (integrals_read(place, &c->integrals, message, room) != 0 ||
        reference_prepare(&c->integrals, occupied, message, room) != 0)
        return -1;
    if (c->rank == 0)
        printf("reference: %s\n", message);
    if (c->rank == 0 && !fcidump_in_order(&c->integrals))
        printf("note: an occupied orbital has a higher energy than a virtual one\n");
    return 0;
}

static int compute(calculation *c, const char *place, const char *occupied)
{
    ashlar_context *context = NULL;
    ashlar_error err = {0};
    double energy = 0;
    char message[ASHLAR_MESSAGE_MAX] = "";
    if (read_integrals(c, place, occupied, message, sizeof message) != 0)
        return complain(c, place, message);
    calculation_prepare(c, &energy);
    if (ashlar_context_create(MPI_COMM_WORLD, &context, &err) != ASHLAR_OK)
        return complain(c, place, err.text);
    const bool ready = c->memory == 0 || calculation_write_integrals(c, context, &err) == ASHLAR_OK;
    const int iterations = ready ? iterate(c, context, &err) : -1;
    const bool done = iterations >= 0 && print(c, context, &err) == ASHLAR_OK;
    ashlar_context_free(&context);
    if (c->memory > 0 && c->rank == 0)
        remove(CALCULATION_FILE);
    return done ? 0 : complain(c, place, err.text[0] ? err.text : "no convergence");
}

static bool read_words(int words, char **word, calculation *c)
{
    char *end = NULL;
    if (words > 2)
        c->tolerance = strtod(word[2], &end);
    if (words > 2 && (*end || end == word[2] || !(c->tolerance > 0)))
        return false;
    if (words > 3)
        c->memory = strtoll(word[3], &end, 10);
    return words >= 2 && words <= 5 && (words < 4 || (!*end && end != word[3] && c->memory >= 0));
}

int main(int argc, char **argv)
{
    calculation c = {.tolerance = 1e-10};
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 3;
    MPI_Comm_rank(MPI_COMM_WORLD, &c.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &c.ranks);
    const int status = read_words(argc, argv, &c)
                           ? compute(&c, argv[1], argc > 4 ? argv[4] : NULL)
                           : complain(&c, "usage", "ccsd INTEGRALS [TOLERANCE [MEMORY [OCCUPIED]]]");
    for (int i = 0; i < c.arrays; i++)
        free(c.array[i]);
    fcidump_free(&c.integrals);
    MPI_Finalize();
    return status;
}

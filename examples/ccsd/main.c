/* Coupled cluster with singles and doubles, and the energy of triples: ccsd FCIDUMP [TOLERANCE [MEMORY]]. The
 * equations are ccsd.ash and triples.ash, compiled into ccsd_execute() and triples_execute(). It ends when no amplitude
 * changes by more than the tolerance, 1e-10 unless given. MEMORY is a number of bytes: a rank holds no more beside the
 * integrals as they were read and the amplitudes of the last iterations; V and what else does not fit is in files. */
#include "calculation.h"
#include "diis.h"
#include "triples_energy.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS_MOST = 100, TEXT_MOST = 64 << 20 };

static double largest(const double *a, int64_t words)
{
    double most = 0;
    for (int64_t w = 0; w < words; w++)
        most = fmax(most, fabs(a[w]));
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
    for (; done < 0 && i < ITERATIONS_MOST; i++) {
        if (ccsd_execute(state, &c->given, err) != ASHLAR_OK)
            break;
        const double change = largest(step, words);
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

/* The whole file, as text; NULL: it cannot be read. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(TEXT_MOST + 1) : NULL;
    const size_t length = text ? fread(text, 1, TEXT_MOST, file) : 0;
    if (text)
        text[length] = '\0';
    if (file)
        fclose(file);
    return text;
}

static int complain(const calculation *c, const char *who, const char *text)
{
    if (c->rank == 0)
        fprintf(stderr, "ccsd: %s: %s\n", who, text);
    return 1;
}

static ashlar_status print(calculation *c, ashlar_context *context, ashlar_error *err)
{
    const double scf = fcidump_energy(&c->integrals), ccsd = *c->given.energy;
    double triples = 0;
    if (c->rank == 0)
        printf("SCF energy          %.12f\nCCSD correlation    %.12f\nCCSD energy         %.12f\n", scf, ccsd,
               scf + ccsd);
    const ashlar_status status = triples_energy(c, context, &triples, err);
    if (status == ASHLAR_OK && c->rank == 0)
        printf("(T) correction      %.12f\nCCSD(T) energy      %.12f\n", triples, scf + ccsd + triples);
    return status;
}

static int compute(calculation *c, const char *path)
{
    ashlar_context *context = NULL;
    ashlar_error err = {0};
    double energy = 0;
    char message[200] = "could not be read", *text = read_file(path);
    const int read = text ? fcidump_read(text, &c->integrals, message, sizeof message) : -1;
    free(text);
    if (read != 0)
        return complain(c, path, message);
    calculation_prepare(c, &energy);
    if (ashlar_context_create(MPI_COMM_WORLD, &context, &err) != ASHLAR_OK)
        return complain(c, path, err.text);
    const bool ready = c->memory == 0 || calculation_write_integrals(c, context, &err) == ASHLAR_OK;
    const int iterations = ready ? iterate(c, context, &err) : -1;
    const bool done = iterations >= 0 && print(c, context, &err) == ASHLAR_OK;
    ashlar_context_free(&context);
    if (c->memory > 0 && c->rank == 0)
        remove(CALCULATION_FILE);
    return done ? 0 : complain(c, path, err.text[0] ? err.text : "no convergence");
}

int main(int argc, char **argv)
{
    calculation c = {.tolerance = argc > 2 ? strtod(argv[2], NULL) : 1e-10,
                     .memory = argc == 4 ? strtoll(argv[3], NULL, 10) : 0};
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 3;
    MPI_Comm_rank(MPI_COMM_WORLD, &c.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &c.ranks);
    const int status = argc >= 2 && argc <= 4 && c.memory >= 0 ? compute(&c, argv[1])
                                              : complain(&c, "usage", "ccsd FCIDUMP [TOLERANCE [MEMORY]]");
    for (int i = 0; i < c.arrays; i++)
        free(c.array[i]);
    fcidump_free(&c.integrals);
    MPI_Finalize();
    return status;
}

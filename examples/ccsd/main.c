/* Coupled cluster with singles and doubles: ccsd FCIDUMP [TOLERANCE]. The equations are ccsd.ash, compiled into
 * ccsd_execute(). It ends when no amplitude changes by more than the tolerance, 1e-10 unless given. */
#include "ccsd.h"
#include "diis.h"
#include "fcidump.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS_MOST = 100, TEXT_MOST = 64 << 20 };

typedef struct calculation {
    fcidump integrals;
    ccsd_arguments given;
    double *array[20]; /* all that is to be freed */
    int arrays, rank, ranks;
    double tolerance;
    int64_t single, twice; /* words of this rank's t1 and t2 */
} calculation;

/* This rank's values of an index that is dealt out. */
static int64_t dealt(const calculation *c, int64_t extent, int64_t *begin)
{
    const int64_t block = extent / c->ranks + (extent % c->ranks != 0);
    *begin = c->rank * block < extent ? c->rank * block : extent;
    return *begin + block < extent ? block : extent - *begin;
}

/* End all ranks. */
static void lack_memory(void)
{
    fputs("ccsd: not enough memory\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static double *new_array(calculation *c, int64_t words)
{
    double *a = calloc((size_t)words + 1, sizeof *a);
    if (!a)
        lack_memory();
    c->array[c->arrays++] = a;
    return a;
}

/* A block of V, by the letters of its ranges: this rank's part, dealt out along the first index. */
static double *integrals(calculation *c, const char *ranges)
{
    int64_t from[4], count[4], begin, at = 0;
    for (int d = 0; d < 4; d++) {
        from[d] = ranges[d] == 'o' ? 0 : c->given.o;
        count[d] = ranges[d] == 'o' ? c->given.o : c->given.v;
    }
    count[0] = dealt(c, count[0], &begin);
    from[0] += begin;
    double *a = new_array(c, count[0] * count[1] * count[2] * count[3]);
    for (int64_t p = 0; p < count[0]; p++)
        for (int64_t q = 0; q < count[1]; q++)
            for (int64_t r = 0; r < count[2]; r++)
                for (int64_t s = 0; s < count[3]; s++)
                    a[at++] = fcidump_integral(&c->integrals, from[0] + p, from[1] + q, from[2] + r, from[3] + s);
    return a;
}

/* A block of the Fock matrix; its diagonal if there is one letter. */
static double *fock(calculation *c, const char *ranges)
{
    const int64_t from = ranges[0] == 'o' ? 0 : c->given.o, other = ranges[1] == 'v' ? c->given.o : 0;
    const int64_t columns = ranges[1] == 'o' ? c->given.o : ranges[1] == 'v' ? c->given.v : 1;
    int64_t begin;
    const int64_t rows = dealt(c, ranges[0] == 'o' ? c->given.o : c->given.v, &begin);
    double *a = new_array(c, rows * columns);
    for (int64_t p = 0; p < rows; p++)
        for (int64_t q = 0; q < columns; q++)
            a[p * columns + q] = fcidump_fock(&c->integrals, from + begin + p,
                                              ranges[1] ? other + q : from + begin + p);
    return a;
}

static void prepare(calculation *c, double *energy)
{
    ccsd_arguments *g = &c->given;
    int64_t begin;
    g->o = c->integrals.electrons;
    g->v = 2 * c->integrals.orbitals - g->o;
    c->single = dealt(c, g->v, &begin) * g->o;
    c->twice = c->single * g->v * g->o;
    g->f_oo = fock(c, "oo");
    g->f_ov = fock(c, "ov");
    g->f_vo = fock(c, "vo");
    g->f_vv = fock(c, "vv");
    g->e_o = fock(c, "o");
    g->e_v = fock(c, "v");
    g->V_oooo = integrals(c, "oooo");
    g->V_ooov = integrals(c, "ooov");
    g->V_oovv = integrals(c, "oovv");
    g->V_ovov = integrals(c, "ovov");
    g->V_ovvv = integrals(c, "ovvv");
    g->V_vvvv = integrals(c, "vvvv");
    g->energy = energy;
}

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
    double *t = new_array(c, words), *step = new_array(c, words);
    diis history;
    ccsd_state *state = NULL;
    int done = -1, i = 0;
    c->given.t1 = t;
    c->given.t2 = t + c->single;
    c->given.d1 = step;
    c->given.d2 = step + c->single;
    if (diis_begin(&history, words) != 0)
        lack_memory();
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
    prepare(c, &energy);
    if (ashlar_context_create(MPI_COMM_WORLD, &context, &err) != ASHLAR_OK)
        return complain(c, path, err.text);
    const int iterations = iterate(c, context, &err);
    ashlar_context_free(&context);
    if (iterations < 0)
        return complain(c, path, err.text[0] ? err.text : "no convergence");
    if (c->rank == 0)
        printf("SCF energy          %.12f\nCCSD correlation    %.12f\nCCSD energy         %.12f\n",
               fcidump_energy(&c->integrals), energy, fcidump_energy(&c->integrals) + energy);
    return 0;
}

int main(int argc, char **argv)
{
    calculation c = {.tolerance = argc == 3 ? strtod(argv[2], NULL) : 1e-10};
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 3;
    MPI_Comm_rank(MPI_COMM_WORLD, &c.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &c.ranks);
    const int status = argc == 2 || argc == 3 ? compute(&c, argv[1])
                                              : complain(&c, "usage", "ccsd FCIDUMP [TOLERANCE]");
    for (int i = 0; i < c.arrays; i++)
        free(c.array[i]);
    fcidump_free(&c.integrals);
    MPI_Finalize();
    return status;
}

/* The arrays of a calculation, each dealt out over the ranks along its first index. */
#include "calculation.h"

#include <stdio.h>
#include <stdlib.h>

int64_t calculation_dealt(const calculation *c, int64_t extent, int64_t *begin)
{
    const int64_t block = extent / c->ranks + (extent % c->ranks != 0);
    *begin = c->rank * block < extent ? c->rank * block : extent;
    return *begin + block < extent ? block : extent - *begin;
}

void calculation_lack_memory(void)
{
    fputs("ccsd: not enough memory\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

double *calculation_array(calculation *c, int64_t words)
{
    double *a = calloc((size_t)words + 1, sizeof *a);
    if (!a)
        calculation_lack_memory();
    c->array[c->arrays++] = a;
    return a;
}

void calculation_fill(const calculation *c, const char *ranges, int64_t i, double *a)
{
    int64_t from[4], count[4], begin, at = 0;
    for (int d = 0; d < 4; d++) {
        from[d] = ranges[d] == 'x' ? i : ranges[d] == 'o' ? 0 : c->given.o;
        count[d] = ranges[d] == 'x' ? 1 : ranges[d] == 'o' ? c->given.o : c->given.v;
    }
    count[0] = calculation_dealt(c, count[0], &begin);
    from[0] += begin;
    for (int64_t p = 0; p < count[0]; p++)
        for (int64_t q = 0; q < count[1]; q++)
            for (int64_t r = 0; r < count[2]; r++)
                for (int64_t s = 0; s < count[3]; s++)
                    a[at++] = fcidump_integral(&c->integrals, from[0] + p, from[1] + q, from[2] + r, from[3] + s);
}

double *calculation_integrals(calculation *c, const char *ranges)
{
    int64_t begin, words = calculation_dealt(c, ranges[0] == 'o' ? c->given.o : c->given.v, &begin);
    for (int d = 1; d < 4; d++)
        words *= ranges[d] == 'x' ? 1 : ranges[d] == 'o' ? c->given.o : c->given.v;
    double *a = calculation_array(c, words);
    calculation_fill(c, ranges, 0, a);
    return a;
}

/* A block of the Fock matrix; its diagonal if there is one letter. */
static double *fock(calculation *c, const char *ranges)
{
    const int64_t from = ranges[0] == 'o' ? 0 : c->given.o, other = ranges[1] == 'v' ? c->given.o : 0;
    const int64_t columns = ranges[1] == 'o' ? c->given.o : ranges[1] == 'v' ? c->given.v : 1;
    int64_t begin;
    const int64_t rows = calculation_dealt(c, ranges[0] == 'o' ? c->given.o : c->given.v, &begin);
    double *a = calculation_array(c, rows * columns);
    for (int64_t p = 0; p < rows; p++)
        for (int64_t q = 0; q < columns; q++)
            a[p * columns + q] = fcidump_fock(&c->integrals, from + begin + p,
                                              ranges[1] ? other + q : from + begin + p);
    return a;
}

void calculation_prepare(calculation *c, double *energy)
{
    ccsd_arguments *g = &c->given;
    int64_t begin;
    g->o = c->integrals.electrons;
    g->v = fcidump_spin_orbitals(&c->integrals) - g->o;
    c->single = calculation_dealt(c, g->v, &begin) * g->o;
    c->twice = c->single * g->v * g->o;
    g->f_oo = fock(c, "oo");
    g->f_ov = fock(c, "ov");
    g->f_vo = fock(c, "vo");
    g->f_vv = fock(c, "vv");
    g->e_o = fock(c, "o");
    g->e_v = fock(c, "v");
    g->energy = energy;
    g->memory = c->memory;
    if (c->memory > 0)
        return;
    g->V_oooo = calculation_integrals(c, "oooo");
    g->V_ooov = calculation_integrals(c, "ooov");
    g->V_oovv = calculation_integrals(c, "oovv");
    g->V_ovov = calculation_integrals(c, "ovov");
    g->V_ovvv = calculation_integrals(c, "ovvv");
    g->V_vvvv = calculation_integrals(c, "vvvv");
}

static int make_box(void *user, const int64_t *from, const int64_t *extent, void *elements)
{
    const calculation *c = user;
    double *next = elements;
    for (int64_t p = from[0]; p < from[0] + extent[0]; p++)
        for (int64_t q = from[1]; q < from[1] + extent[1]; q++)
            for (int64_t r = from[2]; r < from[2] + extent[2]; r++)
                for (int64_t s = from[3]; s < from[3] + extent[3]; s++)
                    *next++ = fcidump_integral(&c->integrals, p, q, r, s);
    return 0;
}

ashlar_status calculation_write_integrals(calculation *c, ashlar_context *context, ashlar_error *err)
{
    const int64_t n = c->given.o + c->given.v, extent[4] = {n, n, n, n};
    const double one = 1, zero = 0;
    const void *none = NULL;
    const ashlar_options options = {.size = sizeof options, .memory_words = c->memory / (int64_t)sizeof(double)};
    ashlar_tensor_file *made = NULL, *file = NULL;
    ashlar_status status = ashlar_tensor_from_function(context, ASHLAR_TYPE_D, 4, extent, make_box, c, &made, err);
    if (status == ASHLAR_OK)
        status = ashlar_tensor_create(context, CALCULATION_FILE, ASHLAR_TYPE_D, 4, extent, &file, err);
    const ashlar_tensor source = {.size = sizeof source, .order = 4, .file = made},
                        result = {.size = sizeof result, .order = 4, .file = file};
    const ashlar_contraction copy = {.size = sizeof copy, .type = ASHLAR_TYPE_D, .expression = "pqrs->pqrs",
                                     .operands = 1, .operand = &source, .output = &result};
    if (status == ASHLAR_OK)
        status = ashlar_contract(context, &copy, &options, &one, &none, &zero, NULL, err);
    if (status == ASHLAR_OK)
        status = ashlar_tensor_publish(file, err);
    ashlar_tensor_close(&file);
    ashlar_tensor_close(&made);
    c->given.place.V = CALCULATION_FILE;
    return status;
}

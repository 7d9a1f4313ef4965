/* The energy of connected triple excitations, (T): the equations are triples.ash, executed for one occupied orbital
 * after another, so that 2 o^2 v^3 words are held and not o^3 v^3. */
#include "triples_energy.h"

#include "triples.h"

/* Arrays of one orbital, which are filled again for the next. */
typedef struct slices {
    double *t1, *t2, *vxvv, *ovxo, e, energy;
} slices;

static triples_arguments prepare(calculation *c, slices *s)
{
    const int64_t o = c->given.o, rows = c->single / o;
    s->t1 = calculation_array(c, rows);
    s->t2 = calculation_array(c, rows * c->given.v * o);
    s->vxvv = calculation_integrals(c, "vxvv");
    s->ovxo = calculation_integrals(c, "ovxo");
    return (triples_arguments){.x = 1, .o = o, .v = c->given.v, .memory = c->given.memory, .energy = &s->energy,
                               .ex = &s->e, .eo = c->given.e_o, .ev = c->given.e_v, .t1x = s->t1,
                               .t2x = s->t2, .t2 = c->given.t2, .Vvxvv = s->vxvv, .Vovxo = s->ovxo,
                               .place.V = c->given.place.V,
                               .V_ooov = c->given.V_ooov, .V_oovv = c->given.V_oovv, .V_ovvv = c->given.V_ovvv};
}

static void cut(const calculation *c, int64_t i, slices *s)
{
    const int64_t o = c->given.o, rows = c->single / o, pairs = rows * c->given.v;
    s->e = fcidump_fock(&c->integrals, i, i);
    for (int64_t a = 0; a < rows; a++)
        s->t1[a] = c->given.t1[a * o + i];
    for (int64_t ab = 0; ab < pairs; ab++)
        for (int64_t j = 0; j < o; j++)
            s->t2[ab * o + j] = c->given.t2[(ab * o + i) * o + j];
    calculation_fill(c, "vxvv", i, s->vxvv);
    calculation_fill(c, "ovxo", i, s->ovxo);
}

ashlar_status triples_energy(calculation *c, ashlar_context *context, double *energy, ashlar_error *err)
{
    slices s = {0};
    triples_state *state = NULL;
    const triples_arguments given = prepare(c, &s);
    ashlar_status status = triples_create(context, MPI_COMM_WORLD, &given, NULL, &state, err);
    *energy = 0;
    for (int64_t i = 0; i < given.o && status == ASHLAR_OK; i++) {
        cut(c, i, &s);
        status = triples_execute(state, &given, err);
        *energy += s.energy;
    }
    triples_free(&state);
    return status;
}

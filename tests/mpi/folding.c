/* Tori that are no square, onto whose ranks a larger one is folded: products by both transports against a plain sum. */
#include "mpi/ranks.h"

#include <ashlar/ashlar.h>

#define PROGRAM "folding"

enum { LONGEST = 40, TORI = 5 };

static const ashlar_machine tori[TORI] = {
    {.torus_dims = 2, .torus = {3, 2}}, {.torus_dims = 3, .torus = {1, 3, 2}}, {.torus_dims = 1, .torus = {6}},
    {.torus_dims = 2, .torus = {4, 2}}, {.torus_dims = 3, .torus = {2, 2, 2}},
};

static double a_element(int64_t i, int64_t l)
{
    return (double)(i % 7 - l % 5);
}

static double b_element(int64_t l, int64_t j)
{
    return (double)(l % 3 - j % 11);
}

/* This rank's part, filled, or NULL for want of memory. */
static double *part_of(const rig *r, const ashlar_layout *layout, double (*element)(int64_t, int64_t))
{
    double *part = calloc((size_t)ashlar_layout_extent(layout, r->rank) + 1, sizeof *part);
    for (int64_t i = 0; part && element && i < ashlar_layout_rows(layout); i++)
        for (int64_t j = 0; j < ashlar_layout_cols(layout); j++)
            if (ashlar_layout_owner(layout, i, j) == r->rank)
                part[ashlar_layout_offset(layout, i, j)] = element(i, j);
    return part;
}

/* Sums are of whole numbers that a double holds. */
static void compare(rig *r, const ashlar_layout *layout, int64_t k, const double *c)
{
    for (int64_t i = 0; i < ashlar_layout_rows(layout); i++)
        for (int64_t j = 0; j < ashlar_layout_cols(layout); j++) {
            double sum = 0;
            if (ashlar_layout_owner(layout, i, j) != r->rank)
                continue;
            for (int64_t l = 0; l < k; l++)
                sum += a_element(i, l) * b_element(l, j);
            const double got = c[ashlar_layout_offset(layout, i, j)];
            CHECK(&r->test, got == sum, CASE "C(%" PRId64 ", %" PRId64 ") is %g, wanted %g", CASE_OF(r), i, j, got,
                  sum);
        }
}

static void multiply(rig *r, ashlar_plan *plan, int64_t k)
{
    const double one = 1, zero = 0;
    ashlar_error err = {0};
    ashlar_figures planned = {0}, measured = {0};
    double *a = part_of(r, ashlar_plan_layout(plan, ASHLAR_A), a_element);
    double *b = part_of(r, ashlar_plan_layout(plan, ASHLAR_B), b_element);
    double *c = part_of(r, ashlar_plan_layout(plan, ASHLAR_C), NULL);
    CHECK(&r->test, a && b && c, CASE "no memory", CASE_OF(r));
    const ashlar_status status = ashlar_plan_execute(plan, &one, a, b, &zero, c, &err);
    CHECK(&r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    compare(r, ashlar_plan_layout(plan, ASHLAR_C), k, c);
    ashlar_plan_predicted(plan, &planned, NULL);
    ashlar_plan_measured(plan, &measured, NULL);
    CHECK(&r->test,
          measured.words_max == planned.words_max && measured.messages_max == planned.messages_max,
          CASE "%" PRId64 " words, %" PRId64 " messages, planned %" PRId64 ", %" PRId64, CASE_OF(r), measured.words_max,
          measured.messages_max, planned.words_max, planned.messages_max);
    free(a);
    free(b);
    free(c);
}

static void fold(rig *r, ashlar_context *context, const ashlar_machine *torus, ashlar_transport transport)
{
    uint64_t state = r->seed * 0xD1B54A32D192ED03u;
    const int64_t size[3] = {ashi_random_in(&state, 6, LONGEST), ashi_random_in(&state, 6, LONGEST),
                             ashi_random_in(&state, 6, LONGEST)};
    const ashlar_problem problem = {.type = ASHLAR_TYPE_D, .m = size[0], .n = size[1], .k = size[2]};
    ashlar_options options = ashlar_options_default();
    ashlar_machine machine = ashlar_machine_default();
    ashlar_error err = {0};
    ashlar_plan *plan = NULL;
    options.strategy = "sd_cannon";
    options.transport = transport;
    machine.torus_dims = torus->torus_dims;
    memcpy(machine.torus, torus->torus, sizeof torus->torus);
    options.machine = &machine;
    const ashlar_status status = ashlar_plan_create(context, &problem, &options, &plan, &err);
    CHECK(&r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    if (status == ASHLAR_OK)
        multiply(r, plan, size[2]);
    ashlar_plan_free(&plan);
}

static int64_t nodes_of(const ashlar_machine *torus)
{
    int64_t nodes = 1;
    for (int d = 0; d < torus->torus_dims; d++)
        nodes *= torus->torus[d];
    return nodes;
}

int main(int argc, char **argv)
{
    rig r;
    ashlar_context *context = NULL;
    if (!ranks_begin(&r, &argc, &argv, 8))
        return 1;
    CHECK(&r.test, ashlar_context_create(MPI_COMM_WORLD, &context, NULL) == ASHLAR_OK, "no context");
    for (uint64_t i = 0; i < r.cases; i++) {
        r.seed = r.first + i;
        for (int t = 0; t < TORI; t++)
            if (nodes_of(&tori[t]) == r.ranks) {
                fold(&r, context, &tori[t], ASHLAR_TWO_SIDED);
                fold(&r, context, &tori[t], ASHLAR_ONE_SIDED);
            }
    }
    ashlar_context_free(&context);
    return ranks_end(&r, PROGRAM);
}

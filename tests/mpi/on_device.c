/* Products on a device by every strategy and both transports: what a run copies is what its plan predicted. */
#define PROGRAM "on_device"

#include "base/checked.h"
#include "base/type.h"
#include "mpi/in_context.h"
#include "mpi/multiplying.h"
#include "plan/device.h"
#include "plan/plan.h"
#include "strategy/strategy.h"

static const char device[] = "emulated:in=1e9,out=1e9,flops=1e10";
enum { DEVICE_BYTES = 8192 }; /* so little that most products are cut */

typedef struct problem {
    product product;
    ashlar_layout *given[3]; /* NULL: the plan's own */
    ashlar_options options;
} problem;

static bool random_problem(uint64_t *state, problem *p, const rig *r, ashlar_error *err)
{
    product *q = &p->product;
    *p = (problem){.options = ashlar_options_default()};
    for (int d = 0; d < 3; d++)
        q->size[d] = ashi_random_in(state, 1, 60);
    random_product(state, q);
    narrow_at_times(state, q);
    q->alpha = (number){2, 0};
    q->beta = (number){ashi_random_in(state, 1, 3), 0};
    for (int x = 0; x < 3; x++) {
        int64_t shape[2];
        product_shape(q, x, shape);
        if (ashi_random_in(state, 0, 2) > 0 &&
            !(p->given[x] = random_part_layout(state, shape[0], shape[1], r->ranks, r->rank, err)))
            return false;
    }
    p->options.window = (int)ashi_random_in(state, 1, 4);
    return true;
}

/* What this rank's device did so far for elements of a type. */
static ashi_onto_tally tally_of(const ashlar_context *c, ashlar_type type)
{
    return c->device && c->device->onto[type] ? *ashi_onto_total(c->device->onto[type]) : (ashi_onto_tally){0};
}

static void run_is_as_predicted(ashlar_context *c, ashlar_plan *plan, const problem *p, part part_of[3], rig *r)
{
    ashlar_error err = {0};
    const ashlar_type type = p->product.type;
    const ashi_on_device *d = ashi_runner_on_device(plan->runner);
    const ashi_onto_tally before = tally_of(c, type);
    unsigned char alpha[16], beta[16];
    number_store(ashlar_type_of_sums(type), p->product.alpha, alpha);
    number_store(ashlar_type_of_sums(type), p->product.beta, beta);
    const ashlar_status status = ashlar_plan_execute(plan, alpha, part_of[0].base, part_of[1].base, beta,
                                                     part_of[2].base, &err);
    CHECK(&r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    const ashi_onto_tally after = tally_of(c, type);
    CHECK(&r->test, d->used && d->need.in == after.in - before.in && d->need.out == after.out - before.out,
          CASE "%s, transport %d: %" PRId64 " words in and %" PRId64 " out, predicted %" PRId64 " and %" PRId64,
          CASE_OF(r), plan->choice.strategy->name, (int)p->options.transport, after.in - before.in,
          after.out - before.out, d->need.in, d->need.out);
    CHECK(&r->test, d->need.held <= after.held, CASE "%" PRId64 " words held, predicted %" PRId64, CASE_OF(r),
          after.held, d->need.held);
    CHECK(&r->test, (d->need.seconds > 0) == (d->need.calls > 0), CASE "%g s", CASE_OF(r), d->need.seconds);
    const double off = product_error(&p->product, &part_of[2]);
    CHECK(&r->test, off <= 1, CASE "%g times what rounding allows", CASE_OF(r), off);
}

static void try_plan(ashlar_context *c, const problem *p, rig *r)
{
    const product *q = &p->product;
    const ashlar_problem asked = {.type = q->type, .op_a = q->op[0], .op_b = q->op[1], .m = q->size[0],
                                  .n = q->size[1], .k = q->size[2], .a = p->given[0], .b = p->given[1],
                                  .c = p->given[2]};
    ashlar_error err = {0};
    ashlar_plan *plan = NULL;
    part part_of[3];
    bool made = true;
    const ashlar_status status = ashlar_plan_create(c, &asked, &p->options, &plan, &err);
    CHECK(&r->test, status == ASHLAR_OK || status == ASHLAR_ERR_UNSUPPORTED, CASE "%s", CASE_OF(r), err.text);
    if (status != ASHLAR_OK)
        return;
    memset(part_of, 0, sizeof part_of);
    for (int x = 0; x < 3 && made; x++)
        made = part_make(&part_of[x], &q->content[x], ashlar_plan_layout(plan, (ashlar_operand)x), r->rank, false);
    CHECK(&r->test, made, CASE "no memory", CASE_OF(r));
    if (made)
        run_is_as_predicted(c, plan, p, part_of, r);
    for (int x = 0; x < 3; x++)
        part_free(&part_of[x]);
    ashlar_plan_free(&plan);
}

static void try_case(ashlar_context *c, rig *r)
{
    problem p;
    ashlar_error err = {0};
    uint64_t state = r->seed * 0x9E3779B97F4A7C15u;
    CHECK(&r->test, ashlar_context_set_device(c, device, DEVICE_BYTES, &err) == ASHLAR_OK, "%s", err.text);
    const bool made = random_problem(&state, &p, r, &err);
    CHECK(&r->test, made, CASE "%s", CASE_OF(r), err.text);
    for (int i = 0; ashi_strategy_at(i) && made; i++)
        for (int transport = 0; transport < 2; transport++) {
            p.options.strategy = ashi_strategy_at(i)->name;
            p.options.transport = (ashlar_transport)transport;
            try_plan(c, &p, r);
        }
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&p.given[x]);
}

int main(int argc, char **argv)
{
    return try_in_context(argc, argv, 10, try_case);
}

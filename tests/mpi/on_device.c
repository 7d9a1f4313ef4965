/* Products on a device by every strategy and both transports: what a run copies is what its plan predicted. */
#define PROGRAM "on_device"

#include "base/checked.h"
#include "base/type.h"
#include "device_kind.h"
#include "mpi/device_problem.h"
#include "plan/device.h"
#include "plan/plan.h"
#include "strategy/strategy.h"

/* So little that most products are cut, and so much that most sums stay. */
enum { LITTLE = 8192, MUCH = 1 << 17 };

static ashlar_context *open_context(rig *r, int64_t bytes)
{
    ashlar_context *c = NULL;
    ashlar_error err = {0};
    char device[64];
    snprintf(device, sizeof device, "%s:in=1e9,out=1e9,flops=1e10",
             kind_under_test() == KIND_EMULATED ? "emulated" : "cuda");
    CHECK(&r->test, ashlar_context_create(MPI_COMM_WORLD, &c, &err) == ASHLAR_OK &&
          ashlar_context_set_device(c, device, bytes, &err) == ASHLAR_OK, CASE "%s: %s", CASE_OF(r), device, err.text);
    return c;
}

/* What this rank's device did so far for elements of a type. */
static ashi_onto_tally tally_of(const ashlar_context *c, ashlar_type type)
{
    return c->device && c->device->onto[type] ? *ashi_onto_total(c->device->onto[type]) : (ashi_onto_tally){0};
}

static void run_is_as_predicted(ashlar_context *c, ashlar_plan *plan, const device_problem *p, part part_of[3],
                                int64_t *held, rig *r)
{
    ashlar_error err = {0};
    const ashlar_type type = p->product.type;
    const ashi_on_device *d = ashi_runner_on_device(plan->runner);
    const ashi_onto_tally before = tally_of(c, type);
    const ashlar_status status = problem_execute(plan, p, r->rank, part_of, &err);
    CHECK(&r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    const ashi_onto_tally after = tally_of(c, type);
    CHECK(&r->test, d->used && d->need.in == after.in - before.in && d->need.out == after.out - before.out,
          CASE "%s, transport %d: %" PRId64 " words in and %" PRId64 " out, predicted %" PRId64 " and %" PRId64,
          CASE_OF(r), plan->choice.strategy->name, (int)p->options.transport, after.in - before.in,
          after.out - before.out, d->need.in, d->need.out);
    *held = ashi_max(*held, d->need.held);
    CHECK(&r->test, *held == after.held && after.held <= c->device->memory / (int64_t)ashi_type_word(type),
          CASE "%" PRId64 " words held, predicted %" PRId64, CASE_OF(r), after.held, *held);
    CHECK(&r->test, (d->need.seconds > 0) == (d->need.calls > 0), CASE "%g s", CASE_OF(r), d->need.seconds);
    const double off = product_error(&p->product, &part_of[2]);
    CHECK(&r->test, off <= 1, CASE "%g times what rounding allows", CASE_OF(r), off);
}

/* Where C stays and there is room for it, each word of it comes back once, and A and B go once past it. */
static void sums_stay(const ashlar_plan *plan, const device_problem *p, rig *r)
{
    const int64_t *n = p->product.size;
    const ashi_device_need *need = &ashi_runner_on_device(plan->runner)->need;
    int64_t own[3] = {need->out, need->in, need->products}, all[3];
    MPI_Allreduce(own, all, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(&r->test, all[0] == n[0] * n[1], CASE "%s: %" PRId64 " words of C came back", CASE_OF(r),
          plan->choice.strategy->name, all[0]);
    CHECK(&r->test, all[2] == n[0] * n[1] * n[2], CASE "%" PRId64 " multiply-adds", CASE_OF(r), all[2]);
}

static void try_plan(ashlar_context *c, const device_problem *p, int64_t *held, rig *r)
{
    const ashlar_problem asked = problem_asked(p);
    ashlar_error err = {0};
    ashlar_plan *plan = NULL;
    part part_of[3];
    const ashlar_status status = ashlar_plan_create(c, &asked, &p->options, &plan, &err);
    CHECK(&r->test, status == ASHLAR_OK || status == ASHLAR_ERR_UNSUPPORTED, CASE "%s", CASE_OF(r), err.text);
    if (status != ASHLAR_OK)
        return;
    run_is_as_predicted(c, plan, p, part_of, held, r);
    if (c->device->memory == MUCH && strcmp(p->options.strategy, "cannon") == 0)
        sums_stay(plan, p, r);
    for (int x = 0; x < 3; x++)
        part_free(&part_of[x]);
    ashlar_plan_free(&plan);
}

static void try_case(rig *r)
{
    device_problem p;
    ashlar_error err = {0};
    uint64_t state = r->seed * 0x9E3779B97F4A7C15u;
    int64_t held = 0;
    ashlar_context *c = open_context(r, r->seed % 2 ? MUCH : LITTLE);
    const bool made = random_problem(&state, &p, r, &err);
    CHECK(&r->test, made, CASE "%s", CASE_OF(r), err.text);
    for (int i = 0; ashi_strategy_at(i) && made; i++)
        for (int transport = 0; transport < 2; transport++) {
            p.options.strategy = ashi_strategy_at(i)->name;
            p.options.transport = (ashlar_transport)transport;
            try_plan(c, &p, &held, r);
        }
    problem_free(&p);
    ashlar_context_free(&c);
}

int main(int argc, char **argv)
{
    rig r;
    need_device(); /* before MPI begins: a launcher may kill ranks that wait for one that has ended */
    if (!ranks_begin(&r, &argc, &argv, 12))
        return 1;
    for (uint64_t i = 0; i < r.cases; i++) {
        r.seed = r.first + i;
        try_case(&r);
    }
    return ranks_end(&r, PROGRAM);
}

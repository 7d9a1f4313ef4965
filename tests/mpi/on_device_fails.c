/* A device that fails while a rank's program runs, with some of its sums or without: C is whole on all ranks, in that
 * execution and in the next one, and the device is not asked again. */
#define PROGRAM "on_device_fails"

#include "base/checked.h"
#include "device_kind.h"
#include "mpi/device_problem.h"
#include "plan/device.h"
#include "plan/plan.h"
#include "strategy/strategy.h"

/* A limit of 8 KiB cuts most products; in 64 KiB most sums stay. */
static const int64_t device_bytes[] = {8192, 65536};

typedef struct failures {
    int64_t failed, mended; /* executions of this rank in which its device failed, and that ran once more for that */
} failures;

/* On which ranks it fails: on one, or on all. */
static void failing_device(uint64_t *state, const rig *r, char text[64])
{
    static const char *const how[] = {"fail-copy", "fail-product", "lost"};
    const int64_t kind = ashi_random_in(state, 0, 2), at = ashi_random_in(state, 1, kind == 2 ? 90 : 25);
    const int64_t whom = ashi_random_in(state, -1, r->ranks - 1);
    char fails[32] = "";
    if (whom < 0 || whom == r->rank)
        snprintf(fails, sizeof fails, "%s=%" PRId64, how[kind], kind == 2 ? at + 40 : at);
    if (kind_under_test() == KIND_FAKE)
        fake_set(fails);
    const bool emulated = kind_under_test() == KIND_EMULATED;
    snprintf(text, 64, "%s%s%s", emulated ? "emulated" : "cuda", emulated && fails[0] ? ":" : "",
             emulated ? fails : "");
}

/* Twice: the second time the host does it all if the device has failed. */
static void execute(ashlar_context *c, ashlar_plan *plan, const device_problem *p, const char *device, rig *r,
                    failures *count)
{
    const ashi_onto *onto = c->device->onto[p->product.type];
    for (int time = 0; time < 2; time++) {
        part part_of[3];
        ashlar_error err = {0};
        const bool was_well = ashi_onto_total(onto)->failure.status == ASHLAR_OK;
        const ashlar_status status = problem_execute(plan, p, r->rank, part_of, &err);
        CHECK(&r->test, status == ASHLAR_OK, CASE "%s: %s", CASE_OF(r), device, err.text);
        const double off = product_error(&p->product, &part_of[2]);
        CHECK(&r->test, off <= 1, CASE "%s, %s, execution %d: %g times what rounding allows", CASE_OF(r), device,
              plan->choice.strategy->name, time, off);
        const bool failed = was_well && ashi_onto_total(onto)->failure.status != ASHLAR_OK;
        count->failed += failed;
        count->mended += failed && ashi_runner_lost(plan->runner);
        for (int x = 0; x < 3; x++)
            part_free(&part_of[x]);
    }
}

static void try_strategy(const device_problem *p, uint64_t *state, rig *r, failures *count)
{
    const ashlar_problem asked = problem_asked(p);
    ashlar_error err = {0};
    ashlar_plan *plan = NULL;
    ashlar_context *c = NULL;
    char device[64];
    const int64_t bytes = device_bytes[ashi_random_in(state, 0, 1)];
    failing_device(state, r, device);
    CHECK(&r->test, ashlar_context_create(MPI_COMM_WORLD, &c, &err) == ASHLAR_OK &&
          ashlar_context_set_device(c, device, bytes, &err) == ASHLAR_OK, CASE "%s: %s", CASE_OF(r), device, err.text);
    const ashlar_status status = ashlar_plan_create(c, &asked, &p->options, &plan, &err);
    CHECK(&r->test, status == ASHLAR_OK || status == ASHLAR_ERR_UNSUPPORTED, CASE "%s: %s", CASE_OF(r), device,
          err.text);
    if (status == ASHLAR_OK)
        execute(c, plan, p, device, r, count);
    ashlar_plan_free(&plan);
    ashlar_context_free(&c);
    if (kind_under_test() == KIND_FAKE)
        fake_set("");
}

static void try_case(rig *r, failures *count)
{
    device_problem p;
    ashlar_error err = {0};
    uint64_t state = r->seed * 0x9E3779B97F4A7C15u;
    const bool made = random_problem(&state, &p, r, &err);
    CHECK(&r->test, made, CASE "%s", CASE_OF(r), err.text);
    if (ashi_random_in(&state, 0, 3) == 0)
        p.product.beta = (number){0, 0};
    for (int i = 0; ashi_strategy_at(i) && made; i++) {
        p.options.strategy = ashi_strategy_at(i)->name;
        p.options.transport = (ashlar_transport)ashi_random_in(&state, 0, 1);
        try_strategy(&p, &state, r, count);
    }
    problem_free(&p);
}

int main(int argc, char **argv)
{
    rig r;
    failures all = {0};
    need_device(); /* before MPI begins: a launcher may kill ranks that wait for one that has ended */
    if (!ranks_begin(&r, &argc, &argv, 12))
        return 1;
    for (uint64_t i = 0; i < r.cases; i++) {
        r.seed = r.first + i;
        try_case(&r, &all);
    }
    int64_t sums[2] = {all.failed, all.mended};
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(&r.test, argc > 1 || (sums[0] > 0 && sums[1] > 0), "%" PRId64 " devices failed, %" PRId64 " with sums",
          sums[0], sums[1]);
    return ranks_end(&r, PROGRAM);
}

/* Contractions on emulated devices against plain loops in higher precision: words between host and device are as
 * predicted, and results are whole if a device fails. */
#define PROGRAM "contract_device"

#include "mpi/contracting.h"

#include "plan/context.h"
#include "plan/device.h"

enum { CASES = 60, DEVICE_BYTES = 8192 }; /* so little that most products are cut */

/* Two operands, or at times three, whose indices are mostly those of products of matrices. */
static void random_case(uint64_t *state, int ranks, contracting *c)
{
    const int letters = (int)ashi_random_in(state, 2, 6);
    memset(c, 0, sizeof *c);
    c->ranks = ranks;
    c->operands = ashi_random_in(state, 0, 3) == 0 ? 3 : 2;
    c->content = (content){.type = (ashlar_type)ashi_random_in(state, 0, 3), .seed = ashi_random(state)};
    c->content.integers = c->operands == 2 && ashi_random_in(state, 0, 1);
    for (int i = 0; i < letters; i++) {
        static const int64_t where_of[8] = {7, 7, 1, 2, 3, 3, 5, 6}; /* A: 1, B: 2, C: 4 */
        const int64_t where = where_of[ashi_random_in(state, i < 3 ? 4 : 0, 7)];
        const int64_t first = ashi_random_in(state, 0, c->operands - 1);
        c->extent[i] = ashi_random_in(state, 0, 60) == 0 ? 0 : ashi_random_in(state, 1, i < 3 ? 12 : 4);
        for (int x = 0; x < 2; x++)
            if (where & 1 << x)
                add_index(state, c, (int)(first + x) % c->operands, i);
        if (where & 4)
            add_index(state, c, c->operands, i);
        if (ashi_random_in(state, 0, 12) == 0)
            add_index(state, c, (int)(first + (where & 1 ? 0 : 1)) % c->operands, i); /* a diagonal */
    }
    c->alpha = ashi_random_in(state, 0, 9) == 0 ? (number){0, 0} : (number){2, 0};
    c->beta = ashi_random_in(state, 0, 2) == 0 ? (number){0, 0} : (number){-1, 0};
    for (int x = 0; x <= c->operands; x++) {
        c->conjugate[x] = x < c->operands && ashi_random_in(state, 0, 2) == 0;
        random_deal(state, c, x);
    }
}

/* The device fails at a random call: the host does the rest, and what comes after that. */
static void try_failing(rig *r, contracting *c, uint64_t *state)
{
    static const char *const how[] = {"fail-copy", "fail-product", "lost"};
    ashlar_context *context = NULL;
    ashlar_error err = {0};
    char device[64];
    const int64_t kind = ashi_random_in(state, 0, 2), at = ashi_random_in(state, 1, kind == 2 ? 60 : 9);
    snprintf(device, sizeof device, "emulated:%s=%" PRId64, how[kind], kind == 2 ? at + 40 : at);
    CHECK(&r->test, ashlar_context_create(MPI_COMM_WORLD, &context, &err) == ASHLAR_OK &&
          ashlar_context_set_device(context, device, DEVICE_BYTES, &err) == ASHLAR_OK, CASE "%s: %s", CASE_OF(r),
          device, err.text);
    for (int time = 0; time < 2 && context; time++)
        CHECK(&r->test, contract(context, r, c, NULL, &err) == ASHLAR_OK, CASE "%s: %s", CASE_OF(r), device, err.text);
    ashlar_context_free(&context);
}

/* Limits of the host's memory hold with a device: the least that is named does, and one word less does not. */
static void try_limited(ashlar_context *context, rig *r, contracting *c)
{
    ashlar_options options = ashlar_options_default();
    ashlar_error err = {0};
    const int64_t least = least_words(context, r, c);
    if (least == 0)
        return;
    options.memory_words = least;
    CHECK(&r->test, contract(context, r, c, &options, &err) == ASHLAR_OK, CASE "%s: %s", CASE_OF(r), c->text, err.text);
}

/* Arrays are the host's. */
static void try_pointer(ashlar_context *context, rig *r)
{
    const int64_t extent[2] = {4, 4};
    const double one = 1;
    double here[16] = {0};
    void *const there = context->device->pool;
    ashlar_tensor_layout *layout = NULL;
    ashlar_contraction_plan *plan = NULL;
    ashlar_error err = {0};
    if (r->ranks > 1)
        return;
    CHECK(&r->test, ashlar_tensor_layout_blocks(2, extent, NULL, NULL, NULL, NULL, &layout, &err) == ASHLAR_OK, "%s",
          err.text);
    const ashlar_tensor tensor = {.order = 2, .extent = extent, .layout = layout};
    const ashlar_contraction what = {.type = ASHLAR_TYPE_D, .expression = "ij,jk->ik", .operands = 2,
                                     .operand = (ashlar_tensor[]){tensor, tensor}, .output = &tensor};
    CHECK(&r->test, ashlar_contraction_plan_create(context, &what, NULL, &plan, &err) == ASHLAR_OK, "%s", err.text);
    for (int x = 0; x < 3; x++) {
        static const char *const name[] = {"operand 1 is", "operand 2 is", "the output is"};
        const void *const operand[2] = {x == 0 ? there : (void *)here, x == 1 ? there : (void *)here};
        double result[16];
        CHECK(&r->test, ashlar_contraction_execute(plan, &one, operand, &one, x == 2 ? there : result, &err) ==
              ASHLAR_ERR_ARG && strstr(err.text, name[x]) && strstr(err.text, "in the memory of a device"), "%s",
              err.text);
    }
    ashlar_contraction_plan_free(&plan);
    ashlar_tensor_layout_free(&layout);
}

static int64_t copied;

static void try_case(ashlar_context *context, rig *r)
{
    uint64_t state = r->seed * 0x9E3779B97F4A7C15u;
    contracting c;
    ashlar_error err = {0};
    CHECK(&r->test, ashlar_context_set_device(context, "emulated:in=1e9,out=1e9,flops=1e10", DEVICE_BYTES, &err) ==
          ASHLAR_OK, "%s", err.text);
    random_case(&state, r->ranks, &c);
    const ashlar_status status = contract(context, r, &c, NULL, &err);
    CHECK(&r->test, status == ASHLAR_OK, CASE "%s: %s", CASE_OF(r), c.text, err.text);
    copied += c.device_words;
    if (c.operands == 2 && ashi_random_in(&state, 0, 2) == 0)
        try_limited(context, r, &c);
    if (ashi_random_in(&state, 0, 2) == 0)
        try_failing(r, &c, &state);
    if (r->seed == r->first)
        try_pointer(context, r);
    if (r->seed + 1 == r->first + r->cases)
        CHECK(&r->test, copied > 0 || r->cases < CASES, "no device had anything to do");
}

int main(int argc, char **argv)
{
    return try_in_context(argc, argv, CASES, try_case);
}

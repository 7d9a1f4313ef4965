/* Operands in the memory of a device, in any mixture with operands of the host: results are right and where C is, and
 * nothing beside C's elements changes. A touch by the host would end it by SIGSEGV. */
#define PROGRAM "device_operands"

#include "base/checked.h"
#include "device_kind.h"
#include "mpi/in_context.h"
#include "mpi/multiplying.h"
#include "plan/device.h"
#include "plan/plan.h"

enum { DEVICE_BYTES = 16384 }; /* for products; operands have the rest */

/* A part, and its copy on a device. */
typedef struct placed {
    part part;
    ashi_device *device; /* NULL: it stays on the host */
    char *there;
} placed;

static void fail_on(rig *r, ashlar_status status, const ashlar_error *err)
{
    CHECK(&r->test, status == ASHLAR_OK, CASE "%s", CASE_OF(r), err->text);
}

static void copy_all(placed *p, bool in, rig *r)
{
    const ashi_device_kind *calls = p->device->kind;
    const int64_t bytes = (int64_t)p->part.bytes;
    void *const here = p->part.memory;
    const ashi_device_copy copy = {in ? here : p->there, bytes, in ? p->there : here, bytes, bytes, 1};
    ashlar_error err = {0};
    fail_on(r, in ? calls->copy_in(p->device, &copy, &err) : calls->copy_out(p->device, &copy, &err), &err);
    fail_on(r, calls->finish(p->device, &err), &err);
}

static void put(placed *p, ashi_device *device, rig *r)
{
    ashlar_error err = {0};
    void *there = NULL;
    p->device = device;
    fail_on(r, device->kind->allocate(device, (int64_t)p->part.bytes, &there, &err), &err);
    p->there = there;
    copy_all(p, true, r);
}

/* Where the plan is to find an address of a part. */
static void *seen(const placed *p, const void *address)
{
    const char *at = address;
    return p->device && at ? p->there + (at - (const char *)p->part.memory) : (void *)(uintptr_t)address;
}

static void fetch(placed *p, rig *r)
{
    if (!p->device)
        return;
    copy_all(p, false, r);
    p->device->kind->release(p->device, p->there);
    p->device = NULL;
}

static ashlar_status execute(ashlar_plan *plan, const product *q, placed on[3], bool by_tiles, ashlar_error *err)
{
    unsigned char alpha[16], beta[16];
    void *tile[3][TILES_MOST];
    number_store(ashlar_type_of_sums(q->type), q->alpha, alpha);
    number_store(ashlar_type_of_sums(q->type), q->beta, beta);
    for (int x = 0; x < 3; x++)
        for (int t = 0; t < TILES_MOST; t++)
            tile[x][t] = seen(&on[x], on[x].part.tile[t]);
    if (by_tiles)
        return ashlar_plan_execute_tiles(plan, alpha, (const void *const *)tile[0], (const void *const *)tile[1], beta,
                                         tile[2], err);
    return ashlar_plan_execute(plan, alpha, seen(&on[0], on[0].part.base), seen(&on[1], on[1].part.base), beta,
                               seen(&on[2], on[2].part.base), err);
}

/* Whether the array of each rank's tiles has all of them. */
static bool tiles_fit(const placed on[3], const rig *r)
{
    bool fit = true;
    for (int x = 0; x < 3; x++)
        for (int rank = 0; rank < r->ranks; rank++)
            fit = fit && ashlar_layout_tile_count(on[x].part.layout, rank) <= TILES_MOST;
    return fit;
}

static void result_is_right(const product *q, placed *c, rig *r)
{
    fetch(c, r);
    const double off = product_error(q, &c->part);
    CHECK(&r->test, off <= 1, CASE "%g times what rounding allows", CASE_OF(r), off);
    CHECK(&r->test, part_only_elements_changed(&c->part), CASE "something beside C has changed", CASE_OF(r));
}

/* Operand x of the last rank is on a device that is not the context's, or in too short an allocation. */
static void is_refused(ashlar_context *c, ashlar_plan *plan, const product *q, placed on[3], int x, rig *r)
{
    ashi_device *own = c->device->device, *other = NULL;
    ashlar_error err = {0};
    const bool last = r->rank == r->ranks - 1;
    if (kind_under_test() != KIND_EMULATED || ashlar_layout_words(on[x].part.layout, r->ranks - 1) == 0)
        return;
    fail_on(r, ashi_device_open("emulated", &other, &err), &err);
    if (last)
        put(&on[x], other, r);
    CHECK(&r->test, execute(plan, q, on, false, &err) == ASHLAR_ERR_ARG, CASE "%s", CASE_OF(r), err.text);
    CHECK(&r->test, strstr(err.text, " is in the memory of another device than emulated") != NULL, CASE "%s",
          CASE_OF(r), err.text);
    if (last)
        fetch(&on[x], r);
    ashi_device_close(&other);
    void *whole = on[x].part.base;
    const size_t bytes = on[x].part.bytes;
    if (last) { /* the guard behind it, and one byte more, are missing */
        on[x].part.bytes -= GUARD * ashlar_type_bytes(on[x].part.content.type) + 1;
        put(&on[x], own, r);
    }
    CHECK(&r->test, execute(plan, q, on, false, &err) == ASHLAR_ERR_ARG, CASE "%s", CASE_OF(r), err.text);
    CHECK(&r->test, strstr(err.text, " bytes, its allocation on emulated has ") != NULL, CASE "%s", CASE_OF(r),
          err.text);
    if (last)
        fetch(&on[x], r);
    on[x].part.bytes = bytes;
    on[x].part.base = whole;
}

/* Words of a rank's copy of an operand: from its first element to its last one; of none it has no copy. */
static int64_t copy_of(const part *p, int64_t *owned)
{
    int64_t first = INT64_MAX, last = -1;
    *owned = 0;
    for (int64_t i = 0; i < ashlar_layout_rows(p->layout); i++)
        for (int64_t j = 0; j < ashlar_layout_cols(p->layout); j++) {
            if (!part_owns(p, i, j))
                continue;
            const int64_t at = ashlar_layout_offset(p->layout, i, j);
            first = ashi_min(first, at);
            last = ashi_max(last, at);
            *owned += 1;
        }
    return last < 0 ? 0 : last - first + 1;
}

/* What the last execution needed beside the operands, without tiles: the copies of those that are on the device. */
static void copies_are_counted(ashlar_plan *plan, const placed on[3], rig *r)
{
    int64_t words[2] = {0, 0}, beside = 0, owned = 0, most[3] = {0};
    for (int x = 0; x < 3; x++) {
        const int64_t own = copy_of(&on[x].part, &owned);
        words[1] += own;
        words[0] += on[x].device ? own : 0;
        beside += on[x].device ? own - owned : 0;
    }
    const bool direct = r->ranks == 1 && plan->staged == 0 && on[0].device && on[1].device && on[2].device;
    if (direct) /* it was multiplied there */
        words[0] = beside = 0;
    CHECK(&r->test, plan->staged == words[0], CASE "%" PRId64 " words of copies, %" PRId64 " are right", CASE_OF(r),
          plan->staged, words[0]);
    const int64_t stages = ashi_ceil_div(plan->context->device->stage_bytes,
                                         (int64_t)ashi_type_word(plan->problem.type));
    const int64_t own[3] = {words[0], words[1],
                            plan->need.share + (direct ? 0 : plan->need.workspace) + beside + stages};
    const bool exact = kind_under_test() == KIND_EMULATED; /* others may copy by way of memory of their own */
    MPI_Allreduce(own, most, 3, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    ashlar_device_figures device;
    ashlar_figures measured;
    ashlar_error err = {0};
    fail_on(r, ashlar_plan_device(plan, &device, &err), &err);
    fail_on(r, ashlar_plan_measured(plan, &measured, &err), &err);
    CHECK(&r->test, device.measured_staged_words == most[0] && device.staged_words == most[1] &&
          measured.memory_words >= most[2] &&
          measured.memory_words <= most[2] + (exact ? 0 : plan->aside - stages),
          CASE "%" PRId64 " words of copies, %" PRId64 " predicted, %" PRId64
          " held; %" PRId64 ", %" PRId64 ", %" PRId64 " are right", CASE_OF(r), device.measured_staged_words,
          device.staged_words, measured.memory_words, most[0], most[1], most[2]);
}

static void try_plan(ashlar_context *c, ashlar_plan *plan, const product *q, uint64_t *state, rig *r)
{
    placed on[3];
    ashlar_error err = {0};
    bool made = true;
    const int64_t which = r->seed % 3 == 0 ? 7 : ashi_random_in(state, 0, 7), tiles = ashi_random_in(state, 0, 1);
    uint64_t own = *state + (uint64_t)r->rank; /* ranks need not have the same operands on their devices */
    const int64_t mine = r->seed % 2 ? which : ashi_random_in(&own, 0, 7);
    memset(on, 0, sizeof on);
    for (int x = 0; x < 3 && made; x++)
        made = part_make(&on[x].part, &q->content[x], ashlar_plan_layout(plan, (ashlar_operand)x), r->rank, false);
    CHECK(&r->test, made, CASE "no memory", CASE_OF(r));
    if (made && r->seed % 5 == 0)
        is_refused(c, plan, q, on, (int)ashi_random_in(state, 0, 2), r);
    for (int x = 0; x < 3 && made; x++)
        if (mine >> x & 1)
            put(&on[x], c->device->device, r);
    if (made)
        fail_on(r, execute(plan, q, on, tiles && tiles_fit(on, r), &err), &err);
    if (made && !(tiles && tiles_fit(on, r)))
        copies_are_counted(plan, on, r);
    if (made)
        result_is_right(q, &on[2], r);
    for (int x = 0; x < 3; x++) {
        fetch(&on[x], r);
        part_free(&on[x].part);
    }
}

/* A product of 16 x 16 x 16 whose C has lines that are 40 apart, A and B as the plan likes. */
static ashlar_plan *plan_far_apart(ashlar_context *c, int64_t memory_words, rig *r)
{
    enum { SIDE = 16, APART = 40 };
    ashlar_layout *layout = NULL;
    ashlar_plan *plan = NULL;
    ashlar_error err = {0};
    fail_on(r, ashlar_layout_block_cyclic(SIDE, SIDE, 4, SIDE, r->ranks, 1, 0, 0, NULL, ASHLAR_COL_MAJOR, APART,
                                          &layout, &err), &err);
    const ashlar_problem asked = {.type = ASHLAR_TYPE_D, .m = SIDE, .n = SIDE, .k = SIDE, .c = layout};
    ashlar_options options = ashlar_options_default();
    options.memory_words = memory_words;
    fail_on(r, ashlar_plan_create(c, &asked, &options, &plan, &err), &err);
    ashlar_layout_free(&layout);
    return plan;
}

/* The least that would do without devices does not: the least with them is said. */
static void less_is_refused(ashlar_context *c, int64_t least, int64_t aside, rig *r)
{
    const ashlar_problem asked = {.type = ASHLAR_TYPE_D, .m = 16, .n = 16, .k = 16};
    ashlar_options options = ashlar_options_default();
    ashlar_plan *plan = NULL;
    ashlar_error err = {0};
    char says[120];
    options.memory_words = least - aside;
    snprintf(says, sizeof says, ", and beside them %" PRId64 " words of the host for copies to and from devices",
             aside);
    const ashlar_status status = ashlar_plan_create(c, &asked, &options, &plan, &err);
    CHECK(&r->test, aside > 0 && status == ASHLAR_ERR_LIMIT && strstr(err.text, says), CASE "%s", CASE_OF(r), err.text);
    options.memory_words = ashlar_context_memory_words(c);
    CHECK(&r->test, options.memory_words > aside, CASE "%s", CASE_OF(r), err.text);
    fail_on(r, ashlar_plan_create(c, &asked, &options, &plan, &err), &err);
    ashlar_plan_free(&plan);
}

/* All that a rank of an emulated device held at once, its stages and its copy of C in place of its share, is what the
 * limit says, on the rank that held most. */
static void all_is_counted(const ashlar_plan *plan, int64_t limit, rig *r)
{
    const ashi_device *device = plan->context->device->device;
    const int64_t bytes = device->kind->facts(device).pinned_most;
    int64_t own = ashi_ceil_div(bytes, (int64_t)sizeof(double)) + plan->need.workspace, most = 0;
    for (int x = 0; x < 2; x++)
        own += ashlar_layout_words(plan->layout[x], r->rank);
    MPI_Allreduce(&own, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    CHECK(&r->test, kind_under_test() != KIND_EMULATED || most == limit, CASE "%" PRId64 " words were held, the limit "
          "is %" PRId64, CASE_OF(r), most, limit);
}

/* The limit counts the stages and the copies: the least that would do is said, and does. Many executions need no more
 * than one. */
static void limit_is_kept(ashlar_context *c, rig *r)
{
    enum { EXECUTIONS = 1000 };
    const product q = {.type = ASHLAR_TYPE_D, .size = {16, 16, 16}, .alpha = {1, 0}, .beta = {1, 0},
                       .content = {{ASHLAR_TYPE_D, 1, true}, {ASHLAR_TYPE_D, 2, true}, {ASHLAR_TYPE_D, 3, true}}};
    ashlar_plan *plan = plan_far_apart(c, 0, r);
    ashlar_figures figures = {0};
    ashlar_error err = {0};
    placed on[3];
    memset(on, 0, sizeof on);
    fail_on(r, ashlar_plan_predicted(plan, &figures, &err), &err);
    const int64_t aside = plan->aside;
    ashlar_plan_free(&plan);
    less_is_refused(c, figures.memory_words, aside, r);
    plan = plan_far_apart(c, figures.memory_words, r);
    for (int x = 0; x < 3; x++)
        CHECK(&r->test, part_make(&on[x].part, &q.content[x], ashlar_plan_layout(plan, (ashlar_operand)x), r->rank,
                                  false), CASE "no memory", CASE_OF(r));
    fail_on(r, execute(plan, &q, on, false, &err), &err);
    put(&on[2], c->device->device, r);
    CHECK(&r->test, execute(plan, &q, on, false, &err) == ASHLAR_ERR_LIMIT, CASE "%s", CASE_OF(r), err.text);
    const int64_t enough = ashlar_context_memory_words(c);
    char says[40];
    snprintf(says, sizeof says, ": %" PRId64 " would do", enough);
    CHECK(&r->test, enough > figures.memory_words && strstr(err.text, says), CASE "%s", CASE_OF(r), err.text);
    ashlar_plan_free(&plan);
    plan = plan_far_apart(c, enough, r);
    ashi_device *device = c->device->device;
    int64_t pinned = 0;
    for (int i = 0; i < EXECUTIONS; i++) {
        fail_on(r, execute(plan, &q, on, false, &err), &err);
        const int64_t now = device->kind->facts(device).pinned;
        CHECK(&r->test, i == 0 || now == pinned, CASE "%" PRId64 " bytes pinned after %d executions, %" PRId64
              " after one", CASE_OF(r), now, i + 1, pinned);
        pinned = now;
    }
    all_is_counted(plan, enough, r);
    for (int x = 0; x < 3; x++) {
        fetch(&on[x], r);
        part_free(&on[x].part);
    }
    ashlar_plan_free(&plan);
}

static void try_case(ashlar_context *c, rig *r)
{
    uint64_t state = r->seed * 0x9E3779B97F4A7C15u;
    product q;
    ashlar_layout *given[3] = {NULL, NULL, NULL};
    ashlar_plan *plan = NULL;
    ashlar_error err = {0};
    const char *device = kind_under_test() == KIND_EMULATED ? "emulated" : "cuda";
    fail_on(r, ashlar_context_set_device(c, device, DEVICE_BYTES, &err), &err);
    if (r->seed == r->first)
        limit_is_kept(c, r);
    for (int d = 0; d < 3; d++)
        q.size[d] = ashi_random_in(&state, 1, 40);
    random_product(&state, &q);
    narrow_at_times(&state, &q);
    q.alpha = (number){2, 0};
    q.beta = (number){ashi_random_in(&state, 0, 2), 0};
    for (int x = 0; x < 3; x++) {
        int64_t shape[2];
        product_shape(&q, x, shape);
        if (ashi_random_in(&state, 0, 1))
            given[x] = random_part_layout(&state, shape[0], shape[1], r->ranks, r->rank, &err);
    }
    const ashlar_problem asked = {.type = q.type, .op_a = q.op[0], .op_b = q.op[1], .m = q.size[0], .n = q.size[1],
                                  .k = q.size[2], .a = given[0], .b = given[1], .c = given[2]};
    const ashlar_options options = ashlar_options_default();
    fail_on(r, ashlar_plan_create(c, &asked, &options, &plan, &err), &err);
    if (plan)
        try_plan(c, plan, &q, &state, r);
    ashlar_plan_free(&plan);
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&given[x]);
}

int main(int argc, char **argv)
{
    need_device();
    return try_in_context(argc, argv, 60, try_case);
}

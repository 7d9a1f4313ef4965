/* Random products on MPI, in every layout, transport, route and memory, against a plain loop; and what they moved. Some
 * are made by a device. */
#define PROGRAM "product"

#include "mpi/crossing.h"
#include "mpi/in_context.h"
#include "mpi/multiplying.h"
#include "mpi/playing.h"
#include "plan/device.h"
#include "plan/plan.h"
#include "random_torus.h"

/* Words that this rank sent to each, counted where MPI is called rather than by Ashlar. */
static int64_t words_to[RANDOM_RANKS_MAX];

/* Credits and notes of one-sided transport are integers. */
static void count_sent(int words, MPI_Datatype type, int to)
{
    words_to[to] += type == MPI_INT64_T ? 0 : words;
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    count_sent(count, type, to);
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

/* The last message of a step, and all if a test asks for it. */
int MPI_Issend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    count_sent(count, type, to);
    return PMPI_Issend(buffer, count, type, to, tag, comm, request);
}

int MPI_Put(const void *buffer, int count, MPI_Datatype type, int to, MPI_Aint at, int there, MPI_Datatype there_type,
            MPI_Win window)
{
    count_sent(count, type, to);
    return PMPI_Put(buffer, count, type, to, at, there, there_type, window);
}

int MPI_Rput(const void *buffer, int count, MPI_Datatype type, int to, MPI_Aint at, int there, MPI_Datatype there_type,
             MPI_Win window, MPI_Request *request)
{
    count_sent(count, type, to);
    return PMPI_Rput(buffer, count, type, to, at, there, there_type, window, request);
}

/* A random problem with what the plan is asked for. */
typedef struct problem {
    product product;
    ashlar_layout *given[3];  /* NULL: the plan's own */
    ashlar_layout *placed[3]; /* the same with offsets, where `given` has pointers at execution */
    ashlar_options options;
    ashlar_machine machine;   /* where the options name one */
    bool limited, tiles, stored; /* stored: a layout has leading dimensions or offsets that are each rank's own */
} problem;

static void random_sizes(uint64_t *state, uint64_t seed, int64_t size[3])
{
    const int64_t most = seed % 40 == 0 ? 300 : 80;
    for (int d = 0; d < 3; d++)
        size[d] = ashi_random_in(state, 0, 39) == 0 ? 0
                  : ashi_random_in(state, 0, 5)     ? ashi_random_in(state, 1, most)
                                                    : ashi_random_in(state, 1, 5);
}

static void random_route(uint64_t *state, int ranks, problem *p)
{
    ashlar_options *o = &p->options;
    o->route = ashi_random_in(state, 0, 1) ? ASHLAR_ROUTE_TREE : ASHLAR_ROUTE_DIRECT;
    if (ashi_random_in(state, 0, 2))
        return;
    const int64_t cut[3] = {1, ranks, 1};
    const int64_t *grid = o->grid[0] > 0 ? o->grid : cut;
    const ashi_torus torus = random_torus(state, grid, ranks);
    o->route = ASHLAR_ROUTE_RECTANGULAR;
    p->machine = ashlar_machine_default();
    p->machine.torus_dims = torus.dims;
    memcpy(p->machine.torus, torus.length, sizeof p->machine.torus);
    o->machine = &p->machine;
}

static void random_options(uint64_t *state, int ranks, problem *p)
{
    const int64_t *size = p->product.size;
    ashlar_options *o = &p->options;
    *o = ashlar_options_default();
    o->objective = ashi_random_in(state, 0, 1) ? ASHLAR_LEAST_WORDS : ASHLAR_LEAST_TIME;
    o->transport = ashi_random_in(state, 0, 2) ? ASHLAR_TWO_SIDED : ASHLAR_ONE_SIDED;
    o->window = (int)ashi_random_in(state, 1, 4);
    o->idle = (double)ashi_random_in(state, 0, 2) / 2;
    if (ashi_random_in(state, 0, 2) == 0) {
        const int first = (int)ashi_random_in(state, 0, 2);
        int64_t left = ranks;
        for (int i = 0; i < 3; i++) {
            const int d = (first + i) % 3;
            o->grid[d] = ashi_random_in(state, 1, ashi_max(1, ashi_min(left, size[d])));
            left /= o->grid[d];
        }
    }
    random_route(state, ranks, p);
}

/* The copy for execution with one pointer a tile keeps leading dimensions and forgets offsets. */
static bool forget_offsets(problem *p, int x, int rank, ashlar_error *err)
{
    ashlar_layout *placed = p->placed[x];
    if (ashi_layout_copy(placed, &p->given[x], err) != ASHLAR_OK)
        return false;
    return placed->storage_rank < 0 ||
           ashlar_layout_set_storage(p->given[x], rank, NULL, placed->lead, err) == ASHLAR_OK;
}

static bool random_layouts(uint64_t *state, problem *p, const rig *r, ashlar_error *err)
{
    const int64_t own = ashi_random_in(state, 0, 3);
    for (int x = 0; x < 3; x++) {
        int64_t shape[2];
        product_shape(&p->product, x, shape);
        if (own == 0 || ashi_random_in(state, 0, 4) == 0)
            continue;
        p->placed[x] = random_part_layout(state, shape[0], shape[1], r->ranks, r->rank, err);
        if (!p->placed[x])
            return false;
        p->stored |= p->placed[x]->ld > 0 || p->placed[x]->storage_rank >= 0;
        if (p->tiles ? !forget_offsets(p, x, r->rank, err)
                     : ashi_layout_copy(p->placed[x], &p->given[x], err) != ASHLAR_OK)
            return false;
    }
    return true;
}

static bool random_problem(problem *p, const rig *r, ashlar_error *err)
{
    uint64_t state = r->seed * 0x9E3779B97F4A7C15u;
    *p = (problem){0};
    random_sizes(&state, r->seed, p->product.size);
    random_product(&state, &p->product);
    narrow_at_times(&state, &p->product);
    random_options(&state, r->ranks, p);
    p->limited = ashi_random_in(&state, 0, 1);
    p->tiles = ashi_random_in(&state, 0, 1);
    return random_layouts(&state, p, r, err);
}

static void free_problem(problem *p)
{
    for (int x = 0; x < 3; x++) {
        ashlar_layout_free(&p->given[x]);
        ashlar_layout_free(&p->placed[x]);
    }
}

static ashlar_status create(ashlar_context *context, const problem *p, ashlar_plan **plan, ashlar_error *err)
{
    const product *q = &p->product;
    const ashlar_problem asked = {.type = q->type, .op_a = q->op[0], .op_b = q->op[1], .m = q->size[0],
                                  .n = q->size[1], .k = q->size[2], .a = p->given[0], .b = p->given[1],
                                  .c = p->given[2]};
    return ashlar_plan_create(context, &asked, &p->options, plan, err);
}

/* Now and then one strategy by name, where it can serve the problem. */
static void name_strategy(ashlar_context *context, problem *p, rig *r)
{
    int strategies = 0;
    while (ashi_strategy_at(strategies))
        strategies++;
    if (r->seed % 2)
        return;
    p->options.strategy = ashi_strategy_at((int)(r->seed / 2 % (uint64_t)strategies))->name;
    p->options.node_ranks = (int64_t)(r->seed / 3 % 4); /* 0: all share the one there is */
    ashlar_plan *plan = NULL;
    ashlar_error err = {0};
    const ashlar_status status = create(context, p, &plan, &err);
    CHECK(&r->test, status == ASHLAR_OK || status == ASHLAR_ERR_UNSUPPORTED, CASE "%s: %s", CASE_OF(r),
          p->options.strategy, err.text);
    CHECK(&r->test, status != ASHLAR_OK || plan->empty || strcmp(plan->choice.strategy->name, p->options.strategy) == 0,
          CASE "%s was asked for", CASE_OF(r), p->options.strategy);
    if (status != ASHLAR_OK)
        p->options.strategy = NULL;
    ashlar_plan_free(&plan);
}

/* Set the limit to the least that does, as the error about one word says, or a little more. Less must fail. */
static void limit_memory(ashlar_context *context, problem *p, rig *r)
{
    ashlar_plan *plan = NULL;
    ashlar_error err = {0};
    const product *q = &p->product;
    if (!p->limited)
        return;
    p->options.memory_words = 1;
    const ashlar_status status = create(context, p, &plan, &err);
    if (status == ASHLAR_OK && (q->size[0] == 0 || q->size[1] == 0 || q->size[2] == 0)) { /* at most a word a rank */
        CHECK(&r->test, plan->choice.totals.memory_max <= 1, CASE "more than a word", CASE_OF(r));
        ashlar_plan_free(&plan);
        return;
    }
    const int64_t least = ashlar_context_memory_words(context);
    CHECK(&r->test, status == ASHLAR_ERR_LIMIT && ashi_says_least(err.text, least), CASE "%s", CASE_OF(r), err.text);
    p->options.memory_words = least - 1;
    if (least > 1) {
        const ashlar_status less = create(context, p, &plan, &err);
        CHECK(&r->test, less == ASHLAR_ERR_LIMIT, CASE "less than the least of %" PRId64 " does", CASE_OF(r), least);
        ashlar_plan_free(&plan);
    }
    p->options.memory_words = r->seed % 3 ? least + least * (int64_t)(r->seed % 5) / 8 : least;
}

static ashlar_status execute(ashlar_plan *plan, const problem *p, const part part_of[3], ashlar_error *err)
{
    unsigned char alpha[16], beta[16];
    number_store(ashlar_type_of_sums(p->product.type), p->product.alpha, alpha);
    number_store(ashlar_type_of_sums(p->product.type), p->product.beta, beta);
    if (!p->tiles)
        return ashlar_plan_execute(plan, alpha, part_of[0].base, part_of[1].base, beta, part_of[2].base, err);
    return ashlar_plan_execute_tiles(plan, alpha, (const void *const *)part_of[0].tile,
                                     (const void *const *)part_of[1].tile, beta, (void *const *)part_of[2].tile, err);
}

static ashi_part part_for(const problem *p, const part *x)
{
    return p->tiles ? (ashi_part){NULL, (const void *const *)x->tile} : (ashi_part){x->base, NULL};
}

/* What a rank receives in bytes: elements of A and B are half as long as those of C, or as long. */
static int64_t bytes_needed(const ashi_need *need, ashlar_type type)
{
    return (need->received - need->received_sums) * (int64_t)ashi_type_bytes(type, ASHLAR_A) +
           need->received_sums * (int64_t)ashi_type_bytes(type, ASHLAR_C);
}

/* What was measured is what was predicted, what the simulator says, and what MPI was asked to move. */
static void check_figures(ashlar_plan *plan, const problem *p, rig *r)
{
    ashlar_figures f, predicted;
    ashlar_error err = {0};
    ashi_totals simulated;
    int64_t received[RANDOM_RANKS_MAX] = {0}, most = 0, total = 0;
    ashi_test *t = &r->test;
    ashlar_plan_predicted(plan, &predicted, NULL);
    CHECK(t, ashlar_plan_measured(plan, &f, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    MPI_Allreduce(words_to, received, r->ranks, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < r->ranks; i++) {
        most = ashi_max(most, received[i]);
        total += received[i];
    }
    CHECK(t, f.words_max == most && f.words_total == total, CASE "measured %" PRId64 ", on the wire %" PRId64,
          CASE_OF(r), f.words_max, most);
    CHECK(t, !plan->empty || f.memory_words == predicted.memory_words, CASE "measured %" PRId64 ", promised %" PRId64,
          CASE_OF(r), f.memory_words, predicted.memory_words);
    if (plan->empty || number_abs(p->product.alpha) == 0) {
        CHECK(t, total == 0, CASE "%" PRId64 " words for nothing", CASE_OF(r), total);
        return;
    }
    const ashlar_figures *w = &predicted;
    CHECK(t, f.words_max == w->words_max && f.words_total == w->words_total && f.words_mean == w->words_mean,
          CASE "measured %" PRId64 " words, predicted %" PRId64, CASE_OF(r), f.words_max, w->words_max);
    CHECK(t, f.messages_max == w->messages_max, CASE "measured %" PRId64 " messages, predicted %" PRId64, CASE_OF(r),
          f.messages_max, w->messages_max);
    CHECK(t, f.memory_words == w->memory_words, CASE "measured %" PRId64 ", promised %" PRId64, CASE_OF(r),
          f.memory_words, w->memory_words);
    CHECK(t, p->options.memory_words == 0 || w->memory_words <= p->options.memory_words,
          CASE "promised %" PRId64 ", given %" PRId64, CASE_OF(r), w->memory_words, p->options.memory_words);
    CHECK(t, ashi_simulate(&plan->choice.schedule, NULL, NULL, &simulated, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r),
          err.text);
    CHECK(t, simulated.words_max == w->words_max && simulated.words_total == w->words_total &&
                 simulated.messages_max == w->messages_max,
          CASE "simulated %" PRId64 " words", CASE_OF(r), simulated.words_max);
    if (!p->stored) /* only then do all ranks know how the others' parts lie */
        CHECK(t, simulated.memory_max + plan->aside == w->memory_words,
              CASE "simulated %" PRId64 " words of memory", CASE_OF(r), simulated.memory_max);
    CHECK(t, plan->tally.received == plan->need.received && plan->tally.sent_messages == plan->need.sent_messages &&
                 plan->tally.received_messages == plan->need.received_messages &&
                 plan->tally.received_bytes == bytes_needed(&plan->need, p->product.type),
          CASE "this rank's own figures differ", CASE_OF(r));
    CHECK(t, crossing_is_counted(&plan->choice.schedule, words_to, 1 + (int)(r->seed % 4), r),
          CASE "other words between nodes", CASE_OF(r));
}

static bool make_parts(ashlar_plan *plan, const problem *p, const rig *r, part part_of[3])
{
    for (int x = 0; x < 3; x++) {
        const ashlar_layout *layout =
            p->placed[x] ? p->placed[x] : ashlar_plan_layout(plan, (ashlar_operand)x);
        const bool poisoned = x == 2 ? number_abs(p->product.beta) == 0 : number_abs(p->product.alpha) == 0;
        if (!part_make(&part_of[x], &p->product.content[x], layout, r->rank, poisoned))
            return false;
    }
    return true;
}

/* The chosen schedule is a program too. */
static void play(ashlar_plan *plan, const problem *p, part part_of[3], rig *r)
{
    unsigned char alpha[16], beta[16];
    uint64_t state = r->seed;
    const executed e = {.schedule = &plan->choice.schedule, .need = &plan->need, .comm = plan->context->comm,
                        .tag_most = plan->context->tag_most, .type = p->product.type,
                        .message_most = ASHI_MESSAGE_MOST, .alpha = alpha, .beta = beta,
                        .part = {part_for(p, &part_of[0]), part_for(p, &part_of[1]), part_for(p, &part_of[2])},
                        .c = &part_of[2]};
    number_store(ashlar_type_of_sums(p->product.type), p->product.alpha, alpha);
    number_store(ashlar_type_of_sums(p->product.type), p->product.beta, beta);
    if (!plan->empty && number_abs(p->product.alpha) > 0)
        play_executed(&state, &e, r);
}

/* With so little memory that most products are cut. */
static bool is_on_device(const rig *r)
{
    return r->seed % 20 == 10;
}

/* Of some cases ranks with odd numbers have none. */
static bool some_have_none(const rig *r)
{
    return r->seed % 40 == 30;
}

/* What is wrong on one rank is refused on all, and changes nothing. */
static void set_device(ashlar_context *context, rig *r)
{
    ashlar_error err = {0};
    const bool none = !is_on_device(r) || (some_have_none(r) && r->rank % 2 == 1);
    const char *device = none ? "none" : "emulated";
    CHECK(&r->test, ashlar_context_set_device(context, device, 16384, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r),
          err.text);
    if (some_have_none(r) && r->ranks > 1) {
        const ashlar_status status = ashlar_context_set_device(context, device, r->rank == 1 ? -1 : 16384, &err);
        static const char wanted[] = "rank 1: ashlar_context_set_device: memory = -1, wanted at least 0";
        CHECK(&r->test, status == ASHLAR_ERR_ARG && strcmp(err.text, wanted) == 0, CASE "%s", CASE_OF(r), err.text);
    }
}

static bool multiplies(const ashlar_plan *plan, const problem *p)
{
    const int64_t *size = p->product.size;
    return !plan->empty && number_abs(p->product.alpha) > 0 && size[0] > 0 && size[1] > 0 && size[2] > 0;
}

static void run(ashlar_plan *plan, problem *p, part part_of[3], rig *r)
{
    ashlar_error err = {0};
    ashi_test *t = &r->test;
    for (int time = 0; time < 2; time++) {
        memset(words_to, 0, sizeof words_to);
        part_refill(&part_of[2]);
        CHECK(t, execute(plan, p, part_of, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
        check_figures(plan, p, r);
    }
    if (!is_on_device(r))
        play(plan, p, part_of, r); /* by the host, which has other bits */
    const double off = product_error(&p->product, &part_of[2]);
    CHECK(t, off <= 1, CASE "%g times what rounding allows, %" PRId64 " x %" PRId64 " x %" PRId64, CASE_OF(r), off,
          p->product.size[0], p->product.size[1], p->product.size[2]);
    for (int x = 0; x < 2; x++)
        CHECK(t, memcmp(part_of[x].memory, part_of[x].before, part_of[x].bytes) == 0, CASE "%c was written to",
              CASE_OF(r), "AB"[x]);
    CHECK(t, part_only_elements_changed(&part_of[2]), CASE "memory around C was written to", CASE_OF(r));
}

/* Of all ranks, so far. */
static int64_t words_from_devices(const ashlar_context *context, ashlar_type type)
{
    const int64_t own = ashi_context_device_tally(context, type).out;
    int64_t all = 0;
    MPI_Allreduce(&own, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static void try_case(ashlar_context *context, rig *r)
{
    problem p;
    ashlar_error err = {0};
    ashlar_plan *plan = NULL;
    part part_of[3];
    memset(part_of, 0, sizeof part_of);
    const bool made = random_problem(&p, r, &err);
    CHECK(&r->test, made, CASE "%s", CASE_OF(r), err.text);
    if (made) {
        set_device(context, r);
        name_strategy(context, &p, r);
        limit_memory(context, &p, r);
        CHECK(&r->test, create(context, &p, &plan, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    }
    const int64_t before = words_from_devices(context, p.product.type);
    if (plan && make_parts(plan, &p, r, part_of))
        run(plan, &p, part_of, r);
    const int64_t words = words_from_devices(context, p.product.type) - before;
    CHECK(&r->test, some_have_none(r) || (words > 0) == (plan && is_on_device(r) && multiplies(plan, &p)),
          CASE "%" PRId64 " words came from the devices", CASE_OF(r), words);
    for (int x = 0; x < 3; x++)
        part_free(&part_of[x]);
    ashlar_plan_free(&plan);
    free_problem(&p);
}

int main(int argc, char **argv)
{
    return try_in_context(argc, argv, 80, try_case);
}

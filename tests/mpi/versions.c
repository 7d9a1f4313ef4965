/* Programs of other versions: their structures, of the first version and of a later one, are taken and filled. */
#include "base/structure.h"
#include "mpi/ranks.h"

#include <ashlar/ashlar.h>

enum { SIDE = 12 };

/* A structure without bytes behind its last member: a member that is added later begins where the old one ended. */
static void no_padding(rig *r)
{
#define ENDS(type, last) \
    CHECK(&r->test, ASHI_FIRST_VERSION(type, last) == sizeof(type), #type " has padding at its end")
    ENDS(ashlar_problem, c0_file);
    ENDS(ashlar_machine, device_memory);
    ENDS(ashlar_options, scratch);
    ENDS(ashlar_mover_options, memory_words);
    ENDS(ashlar_figures, resumed);
    ENDS(ashlar_explanation, bound_disk_case);
    ENDS(ashlar_device_figures, measured_staged_words);
    ENDS(ashlar_file_info, cols);
    ENDS(ashlar_verdict, row);
    ENDS(ashlar_movement, workspace_words);
    ENDS(ashlar_tile, offset);
#undef ENDS
    CHECK(&r->test, offsetof(ashlar_problem, size) == 0 && offsetof(ashlar_machine, size) == 0 &&
                 offsetof(ashlar_options, size) == 0 && offsetof(ashlar_mover_options, size) == 0,
          "a structure does not begin with its size");
}

/* The structures of version 0.1, as a program that was compiled with it has them. They stay as they are here. */
typedef struct old_problem {
    size_t size;
    ashlar_type type;
    ashlar_op op_a, op_b;
    int64_t m, n, k;
    const ashlar_layout *a, *b, *c;
} old_problem;

typedef struct old_machine {
    size_t size;
    double flops_per_second, latency, bandwidth, copy_bandwidth, disk_bandwidth;
    int torus_dims;
    int64_t torus[ASHLAR_TORUS_MOST];
} old_machine;

typedef struct old_options {
    size_t size;
    const char *strategy;
    ashlar_objective objective;
    ashlar_transport transport;
    ashlar_route route;
    int64_t memory_words;
    double idle;
    int window;
    bool caller_workspace, trusted;
    int64_t node_ranks, grid[3];
    const void *machine;
} old_options;

typedef struct old_mover_options {
    size_t size;
    bool caller_workspace, trusted;
    int64_t memory_words;
} old_mover_options;

/* Those of a later version, which end with a member that this one lacks. */
typedef struct later_problem {
    ashlar_problem known;
    int64_t more;
} later_problem;

typedef struct later_machine {
    ashlar_machine known;
    double more;
} later_machine;

typedef struct later_options {
    ashlar_options known;
    int64_t more;
} later_options;

typedef struct later_mover_options {
    ashlar_mover_options known;
    int64_t more;
} later_mover_options;

/* A plan of what may be structures of another version. */
static ashlar_status create(ashlar_context *context, const void *problem, const void *options, ashlar_plan **plan,
                            ashlar_error *err)
{
    *err = (ashlar_error){0};
    return ashlar_plan_create(context, problem, options, plan, err);
}

static void old_program(rig *r, ashlar_context *context)
{
    const old_machine machine = {sizeof machine, 1e9, 1e-6, 1e9, 1e9, 1e9, 0, {0}};
    old_options options = {.strategy = "cosma", .idle = 1, .grid = {1, r->ranks, 1}, .machine = &machine};
    old_problem problem = {.type = ASHLAR_TYPE_D, .m = SIDE, .n = SIDE, .k = SIDE};
    for (int sized = 0; sized < 2; sized++) {
        ashlar_plan *plan = NULL;
        ashlar_error err;
        ashlar_explanation why = {0};
        problem.size = sized ? sizeof problem : 0;
        options.size = sized ? sizeof options : 0;
        CHECK(&r->test, create(context, &problem, &options, &plan, &err) == ASHLAR_OK, "%s", err.text);
        CHECK(&r->test, ashlar_plan_explain(plan, &why, &err) == ASHLAR_OK, "%s", err.text);
        CHECK(&r->test, strcmp(why.strategy, "cosma") == 0 && why.grid[1] == r->ranks, "%s, %" PRId64, why.strategy,
              why.grid[1]);
        ashlar_plan_free(&plan);
    }
    options.size = sizeof options - sizeof options.machine; /* on the last rank alone: what no version has */
    if (r->rank != r->ranks - 1)
        options.size = 0;
    ashlar_plan *plan = NULL;
    ashlar_error err;
    const ashlar_status status = create(context, &problem, &options, &plan, &err);
    CHECK(&r->test, status == ASHLAR_ERR_ARG && !plan && strstr(err.text, "options.size = 88, wanted 0 or 120"), "%s",
          err.text);
    CHECK(&r->test, ranks_agree(MPI_COMM_WORLD, (int)status, err.text), "ranks disagree: %s", err.text);
}

/* Each of the structures in turn has its last member filled, on the last rank alone; -1: none. */
static void later_program(rig *r, ashlar_context *context, int filled)
{
    static const char *const names[] = {"problem", "options", "machine"};
    const bool here = r->rank == r->ranks - 1;
    later_machine machine = {.known = ashlar_machine_default()};
    later_options options = {.known = ashlar_options_default()};
    later_problem problem = {.known = {.size = sizeof problem, .type = ASHLAR_TYPE_D, .m = SIDE, .n = SIDE, .k = SIDE}};
    ashlar_plan *plan = NULL;
    ashlar_error err;
    char text[128];
    machine.known.size = sizeof machine;
    options.known.size = sizeof options;
    options.known.machine = &machine.known;
    problem.more = here && filled == 0;
    options.more = here && filled == 1;
    machine.more = here && filled == 2;
    const ashlar_status status = create(context, &problem, &options, &plan, &err);
    CHECK(&r->test, ranks_agree(MPI_COMM_WORLD, (int)status, err.text), "ranks disagree: %s", err.text);
    if (filled < 0) {
        CHECK(&r->test, status == ASHLAR_OK, "%s", err.text);
        ashlar_plan_free(&plan);
        return;
    }
    snprintf(text, sizeof text, "ashlar_plan_create: %s has a member that this library, version %s, lacks; wanted 0 in "
             "it", names[filled], ashlar_version());
    CHECK(&r->test, status == ASHLAR_ERR_ARG && !plan && strcmp(err.text, text) == 0, "%s", err.text);
}

/* What `give` fills of a larger structure and of a smaller one, and what it leaves alone. */
#define FILLS(r, give, kind)                                                                                           \
    do {                                                                                                               \
        struct {                                                                                                       \
            kind known;                                                                                                \
            int64_t more, behind;                                                                                      \
        } out;                                                                                                         \
        kind plain;                                                                                                    \
        memset(&out, 255, sizeof out);                                                                                 \
        memset(&plain, 255, sizeof plain);                                                                             \
        CHECK(&(r)->test, give(&out.known, sizeof out.known + sizeof out.more) == ASHLAR_OK, #kind);                   \
        CHECK(&(r)->test, out.more == 0 && out.behind == -1, #kind ": %" PRId64 ", %" PRId64, out.more, out.behind);   \
        CHECK(&(r)->test, give(&plain, sizeof plain / 2) == ASHLAR_OK, #kind);                                         \
        CHECK(&(r)->test, memcmp(&plain, &out.known, sizeof plain / 2) == 0, #kind ": the first half differs");        \
        for (size_t byte = sizeof plain / 2; byte < sizeof plain; byte++)                                              \
            CHECK(&(r)->test, ((unsigned char *)&plain)[byte] == 255, #kind ": byte %zu was written to", byte);        \
    } while (0)

static void filled_structures(rig *r, ashlar_context *context)
{
    const ashlar_problem problem = {.type = ASHLAR_TYPE_D, .m = SIDE, .n = SIDE, .k = SIDE};
    ashlar_plan *plan = NULL;
    ashlar_error err;
    CHECK(&r->test, create(context, &problem, NULL, &plan, &err) == ASHLAR_OK, "%s", err.text);
#define GIVE_EXPLANATION(out, size) ashlar_plan_explain_sized(plan, out, size, NULL)
#define GIVE_PREDICTED(out, size) ashlar_plan_predicted_sized(plan, out, size, NULL)
#define GIVE_MEASURED(out, size) ashlar_plan_measured_sized(plan, out, size, NULL)
    FILLS(r, GIVE_EXPLANATION, ashlar_explanation);
    FILLS(r, GIVE_PREDICTED, ashlar_figures);
    FILLS(r, GIVE_MEASURED, ashlar_figures);
    ashlar_plan_free(&plan);
}

static void movers(rig *r, ashlar_context *context)
{
    ashlar_layout *layout = NULL;
    ashlar_mover *mover = NULL;
    ashlar_error err = {0};
    const old_mover_options old = {0, true, false, 100};
    later_mover_options later = {.known = ashlar_mover_options_default()};
    later.known.size = sizeof later;
    ashlar_layout_block_cyclic(SIDE, SIDE, 2, 2, 1, r->ranks, 0, 0, NULL, ASHLAR_COL_MAJOR, 0, &layout, NULL);
    for (int i = 0; i < 2; i++) {
        const void *options = i ? (const void *)&later : &old;
        const ashlar_status status =
            ashlar_mover_create(context, ASHLAR_TYPE_D, ASHLAR_OP_N, layout, layout, options, &mover, &err);
        CHECK(&r->test, status == ASHLAR_OK, "%s", err.text);
#define GIVE_MOVEMENT(out, size) ashlar_mover_explain_sized(mover, out, size, NULL)
        FILLS(r, GIVE_MOVEMENT, ashlar_movement);
        ashlar_mover_free(&mover);
    }
    later.more = r->rank == r->ranks - 1;
    const ashlar_status status =
        ashlar_mover_create(context, ASHLAR_TYPE_D, ASHLAR_OP_N, layout, layout, &later.known, &mover, &err);
    CHECK(&r->test, status == ASHLAR_ERR_ARG && !mover && strstr(err.text, "ashlar_mover_create: options has a member"),
          "%s", err.text);
    CHECK(&r->test, ranks_agree(MPI_COMM_WORLD, (int)status, err.text), "ranks disagree: %s", err.text);
    ashlar_layout_free(&layout);
}

int main(int argc, char **argv)
{
    rig r;
    ashlar_context *context = NULL;
    if (!ranks_begin(&r, &argc, &argv, 1))
        return 1;
    CHECK(&r.test, ashlar_context_create(MPI_COMM_WORLD, &context, NULL) == ASHLAR_OK, "no context");
    no_padding(&r);
    old_program(&r, context);
    for (int filled = -1; filled < 3; filled++)
        later_program(&r, context, filled);
    filled_structures(&r, context);
    movers(&r, context);
    ashlar_context_free(&context);
    return ranks_end(&r, "versions");
}

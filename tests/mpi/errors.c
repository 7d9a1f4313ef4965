/* What is wrong on one rank fails on all, with one status and text; it leaks nothing, and what is right still works. */
#include "mpi/allocations.h"
#include "mpi/multiplying.h"
#include "mpi/ranks.h"

#include <float.h>

#define PROGRAM "errors"

enum { M = 20, N = 16, K = 24, BLOCK = 4 };

/* A call that is right; alterations make it wrong on one rank. */
typedef struct call {
    ashlar_problem problem;
    ashlar_options options;
    ashlar_machine machine; /* that of the options */
    ashlar_layout *layout[3];
    bool no_problem, no_out;
} call;

static ashlar_layout *blocks(int64_t rows, int64_t cols, int64_t block, int ranks, int64_t ld)
{
    ashlar_layout *layout = NULL;
    ashlar_layout_block_cyclic(rows, cols, block, block, ranks, 1, 0, 0, NULL, ASHLAR_COL_MAJOR, ld, &layout, NULL);
    return layout;
}

static void make_call(call *c, int ranks)
{
    *c = (call){.problem = {.type = ASHLAR_TYPE_D, .m = M, .n = N, .k = K},
                .options = ashlar_options_default(),
                .machine = ashlar_machine_default(),
                .layout = {blocks(M, K, BLOCK, ranks, 0), blocks(K, N, BLOCK, ranks, 0),
                           blocks(M, N, BLOCK, ranks, 0)}};
    c->options.machine = &c->machine;
    c->problem.a = c->layout[0];
    c->problem.b = c->layout[1];
    c->problem.c = c->layout[2];
}

static void free_call(call *c)
{
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&c->layout[x]);
}

static void replace_a(call *c, ashlar_layout *layout)
{
    ashlar_layout_free(&c->layout[0]);
    c->problem.a = c->layout[0] = layout;
}

static ashlar_layout *stored_for(int rank, int ranks)
{
    const int64_t rows[2] = {0, M}, cols[2] = {0, K}, offset[1] = {0}, ld[1] = {M};
    const int owner[1] = {rank % ranks};
    ashlar_layout *layout = NULL;
    ashlar_layout_tiles(1, 1, rows, cols, owner, ASHLAR_COL_MAJOR, &layout, NULL);
    ashlar_layout_set_storage(layout, rank, offset, ld, NULL);
    return layout;
}

enum { WRONG = 26, DIFFERENT = 20 };

/* Wrong on its own; returns the status that it must give. */
static ashlar_status make_wrong(call *c, int which, int rank, int ranks)
{
    ashlar_options *o = &c->options;
    switch (which) {
    case 0: c->problem.m = -1; break;
    case 1: c->problem.n = -5; break;
    case 2: c->problem.k = INT64_MIN; break;
    case 3: c->problem.m = c->problem.n = c->problem.k = INT64_MAX / 2; return ASHLAR_ERR_OVERFLOW;
    case 4: c->problem.type = (ashlar_type)9; break;
    case 5: c->problem.op_a = (ashlar_op)7; break;
    case 6: c->problem.op_b = (ashlar_op)-1; break;
    case 7: o->objective = (ashlar_objective)3; break;
    case 8: o->transport = (ashlar_transport)3; break;
    case 9: o->route = (ashlar_route)4; break;
    case 10: o->memory_words = -1; break;
    case 11: o->idle = -0.1; break;
    case 12: o->idle = (double)NAN; break;
    case 13: o->window = -1; break;
    case 14: o->window = 1000; break;
    case 15: c->machine.bandwidth = 0; break;
    case 16: c->machine.flops_per_second = (double)INFINITY; break;
    case 17: o->strategy = "guessing"; return ASHLAR_ERR_UNSUPPORTED;
    case 18: o->grid[0] = ranks + 1; o->grid[1] = o->grid[2] = 1; break;
    case 19: o->grid[0] = 1; break;
    case 20: c->no_problem = true; break;
    case 21: c->no_out = true; break;
    case 22: replace_a(c, blocks(M, K, BLOCK, ranks + 1, 0)); break;
    case 23: replace_a(c, blocks(M + 1, K, BLOCK, ranks, 0)); break;
    case 24: replace_a(c, blocks(M, K, BLOCK, ranks, INT64_MAX / 16)); return ASHLAR_ERR_OVERFLOW;
    default: replace_a(c, stored_for(rank + 1, ranks + 1)); break;
    }
    return ASHLAR_ERR_ARG;
}

/* Right on its own, but not what the others ask for. */
static void make_different(call *c, int which, int ranks)
{
    ashlar_options *o = &c->options;
    switch (which) {
    case 0: c->problem.a = NULL; break;
    case 1: c->problem.b = NULL; break;
    case 2: c->problem.c = NULL; break;
    case 3: replace_a(c, blocks(M, K, BLOCK + 1, ranks, 0)); break;
    case 4: c->problem.type = ASHLAR_TYPE_Z; break;
    case 5: o->strategy = "cosma"; break;
    case 6: o->objective = ASHLAR_LEAST_WORDS; break;
    case 7: o->transport = ASHLAR_ONE_SIDED; break;
    case 8: o->route = ASHLAR_ROUTE_TREE; break;
    case 9: o->memory_words = 100000; break;
    case 10: o->idle = 0.5; break;
    case 11: o->window = 3; break;
    case 12: o->grid[0] = o->grid[1] = o->grid[2] = 1; break;
    case 13: c->machine.latency *= 2; break;
    case 14: c->machine.bandwidth *= 2; break;
    case 15: c->machine.flops_per_second *= 2; break;
    case 16: c->problem.a = c->problem.b = c->problem.c = NULL; c->problem.m++; break;
    case 17: c->problem.a = c->problem.b = c->problem.c = NULL; c->problem.n = 0; break;
    case 18: c->problem.a = c->problem.b = c->problem.c = NULL; c->problem.k *= 2; break;
    default: c->problem.a = c->problem.b = c->problem.c = NULL; c->problem.op_b = ASHLAR_OP_T; break;
    }
}

static ashlar_status create(ashlar_context *context, const call *c, ashlar_plan **plan, ashlar_error *err)
{
    *plan = NULL;
    return ashlar_plan_create(context, c->no_problem ? NULL : &c->problem, &c->options, c->no_out ? NULL : plan, err);
}

/* One rank's call is altered: by itself wrong, or different from what the others ask for. */
static void one_rank_is_wrong(ashlar_context *context, rig *r, int which, bool different)
{
    call c;
    ashlar_plan *plan = NULL;
    ashlar_error err = {0};
    const int victim = which % r->ranks;
    const int64_t live = heap.live;
    make_call(&c, r->ranks);
    ashlar_status want = ASHLAR_ERR_ARG;
    if (r->rank == victim && different)
        make_different(&c, which, r->ranks);
    else if (r->rank == victim)
        want = make_wrong(&c, which, r->rank, r->ranks);
    MPI_Bcast(&want, 1, MPI_INT, victim, MPI_COMM_WORLD);
    const ashlar_status got = create(context, &c, &plan, &err);
    CHECK(&r->test, got == want && plan == NULL, "alteration %d (%d): %s: %s", which, different,
          ashlar_status_name(got), err.text);
    CHECK(&r->test, !different || strstr(err.text, "disagree"), "alteration %d: %s", which, err.text);
    CHECK(&r->test, ranks_agree(MPI_COMM_WORLD, (int)got, err.text), "alteration %d (%d): %s", which, different,
          err.text);
    CHECK(&r->test, create(context, &c, &plan, NULL) == want && plan == NULL, "alteration %d without a text", which);
    free_call(&c);
    CHECK(&r->test, heap.live == live, "alteration %d (%d) leaks", which, different);
}

/* ---- execution ---- */

typedef struct execution {
    part part[3];
    double alpha, beta;
    const double *alpha_at, *beta_at;
    const void *base[3];
} execution;

static bool make_execution(execution *e, const call *c, int rank)
{
    const content values = {ASHLAR_TYPE_D, 7, true};
    *e = (execution){.alpha = 2, .beta = 3};
    e->alpha_at = &e->alpha;
    e->beta_at = &e->beta;
    bool made = true;
    for (int x = 0; x < 3 && made; x++) {
        made = part_make(&e->part[x], &values, c->layout[x], rank, false);
        e->base[x] = e->part[x].base;
    }
    return made;
}

static void free_execution(execution *e)
{
    for (int x = 0; x < 3; x++)
        part_free(&e->part[x]);
}

static ashlar_status execute(ashlar_plan *plan, const execution *e, ashlar_error *err)
{
    return ashlar_plan_execute(plan, e->alpha_at, e->base[0], e->base[1], e->beta_at, (void *)(uintptr_t)e->base[2],
                               err);
}

/* From SCALARS on alpha or beta differs between ranks; a rank with alpha = 0 would leave the others waiting. */
enum { SCALARS = 7, EXECUTIONS = SCALARS + 4 };

static void alter_execution(execution *e, int which)
{
    switch (which) {
    case 0: e->alpha_at = NULL; break;
    case 1: e->beta_at = NULL; break;
    case 2:
    case 3:
    case 4: e->base[which - 2] = NULL; break;
    case 5: e->base[2] = e->base[0]; break;
    case 6: e->base[2] = (const char *)e->base[1] + sizeof(double); break;
    case 7: e->alpha = 1; break;
    case 8: e->alpha = 0; break;
    case 9: e->alpha = (double)NAN; break;
    default: e->beta = 1; break;
    }
}

/* Rank 0 owns a part of every matrix. */
static void executions(ashlar_context *context, rig *r)
{
    call c;
    ashlar_plan *plan = NULL;
    ashlar_error err = {0};
    make_call(&c, r->ranks);
    CHECK(&r->test, create(context, &c, &plan, &err) == ASHLAR_OK, "%s", err.text);
    for (int which = 0; which <= EXECUTIONS && plan; which++) {
        execution e;
        CHECK(&r->test, make_execution(&e, &c, r->rank), "no memory");
        if (r->rank == 0 && which < EXECUTIONS)
            alter_execution(&e, which);
        const bool wrong = which < EXECUTIONS && (which < SCALARS || r->ranks > 1);
        const ashlar_status got = execute(plan, &e, &err), want = wrong ? ASHLAR_ERR_ARG : ASHLAR_OK;
        CHECK(&r->test, got == want, "alteration %d: %s", which, err.text);
        CHECK(&r->test, !wrong || which < SCALARS || strstr(err.text, which < EXECUTIONS - 1 ? "alpha" : "beta"),
              "alteration %d: %s", which, err.text);
        CHECK(&r->test, ranks_agree(MPI_COMM_WORLD, (int)got, err.text), "alteration %d: %s", which, err.text);
        CHECK(&r->test, got == ASHLAR_OK || memcmp(e.part[2].memory, e.part[2].before, e.part[2].bytes) == 0,
              "alteration %d: C was written to", which);
        free_execution(&e);
    }
    ashlar_plan_free(&plan);
    free_call(&c);
}

/* -0 on one rank is 0, as alpha and as beta. */
static void signed_zeros(ashlar_context *context, rig *r)
{
    call c;
    ashlar_plan *plan = NULL;
    ashlar_error err = {0};
    make_call(&c, r->ranks);
    CHECK(&r->test, create(context, &c, &plan, &err) == ASHLAR_OK, "%s", err.text);
    for (int which = 0; which < 2 && plan; which++) {
        execution e;
        CHECK(&r->test, make_execution(&e, &c, r->rank), "no memory");
        *(which ? &e.beta : &e.alpha) = r->rank == 0 ? -0.0 : 0.0;
        CHECK(&r->test, execute(plan, &e, &err) == ASHLAR_OK, "%s", err.text);
        free_execution(&e);
    }
    ashlar_plan_free(&plan);
    free_call(&c);
}

/* ---- movement ---- */

enum { MOVES = 9 };

typedef struct movement {
    ashlar_type type;
    ashlar_op op;
    const double *alpha, *beta;
    const ashlar_layout *from, *to;
    const void *source;
    void *target;
    int64_t memory;
} movement;

static void alter_movement(movement *m, const ashlar_layout *other, int which)
{
    switch (which) {
    case 0: m->type = (ashlar_type)-1; break;
    case 1: m->op = (ashlar_op)3; break;
    case 2: m->alpha = NULL; break;
    case 3: m->beta = NULL; break;
    case 4: m->from = NULL; break;
    case 5: m->source = NULL; break;
    case 6: m->target = NULL; break;
    case 7: m->to = other; break;
    default: m->memory = -1; break;
    }
}

static void movements(ashlar_context *context, rig *r)
{
    const content values = {ASHLAR_TYPE_D, 9, true};
    const double one = 1, zero = 0;
    ashlar_layout *from = blocks(M, K, BLOCK, r->ranks, 0), *to = blocks(M, K, 3, r->ranks, 0);
    ashlar_layout *other = blocks(K, M, BLOCK, r->ranks, 0);
    for (int which = 0; which <= MOVES; which++) {
        part source = {0}, target = {0};
        ashlar_error err = {0};
        const bool made = part_make(&source, &values, from, r->rank, false) &&
                          part_make(&target, &values, to, r->rank, false);
        movement m = {ASHLAR_TYPE_D, ASHLAR_OP_N, &one, &zero, from, to, source.base, target.base, 0};
        CHECK(&r->test, made, "no memory");
        if (r->rank == 0 && which < MOVES)
            alter_movement(&m, other, which);
        const ashlar_status got = ashlar_move(context, m.type, m.op, m.alpha, m.from, m.source, m.beta, m.to, m.target,
                                              m.memory, NULL, &err);
        CHECK(&r->test, got == (which < MOVES ? ASHLAR_ERR_ARG : ASHLAR_OK), "movement %d: %s", which, err.text);
        CHECK(&r->test, ranks_agree(MPI_COMM_WORLD, (int)got, err.text), "movement %d: %s", which, err.text);
        part_free(&source);
        part_free(&target);
    }
    ashlar_layout_free(&from);
    ashlar_layout_free(&to);
    ashlar_layout_free(&other);
}

/* Executions of a prepared movement: NULL for one thing on rank 0 (memory where it has to be given, a source, a target,
 * a number), another alpha or beta there alone, and nothing wrong. */
static void prepared_movements(ashlar_context *context, rig *r)
{
    enum { NO_WORKSPACE, NO_SOURCE, NO_TARGET, NO_ALPHA, NO_BETA, OTHER_ALPHA, OTHER_BETA, NOTHING };
    const content values = {ASHLAR_TYPE_D, 9, true};
    const double one = 1, zero = 0;
    ashlar_layout *from = blocks(M, K, BLOCK, r->ranks, 0), *to = blocks(M, K, 3, r->ranks, 0);
    for (int which = NO_WORKSPACE; which <= NOTHING; which++) {
        const ashlar_mover_options options = {.caller_workspace = which == NO_WORKSPACE};
        const bool wrong = r->rank == 0;
        part source = {0}, target = {0};
        ashlar_mover *mover = NULL;
        ashlar_error err = {0};
        const bool made = part_make(&source, &values, from, r->rank, false) &&
                          part_make(&target, &values, to, r->rank, false);
        CHECK(&r->test, made, "no memory");
        CHECK(&r->test, ashlar_mover_create(context, ASHLAR_TYPE_D, ASHLAR_OP_N, from, to, &options, &mover, &err) ==
                            ASHLAR_OK, "%s", err.text);
        const ashlar_status got = ashlar_mover_execute(
            mover, wrong && which == NO_ALPHA ? NULL : wrong && which == OTHER_ALPHA ? &zero : &one,
            wrong && which == NO_SOURCE ? NULL : source.base,
            wrong && which == NO_BETA ? NULL : wrong && which == OTHER_BETA ? &one : &zero,
            wrong && which == NO_TARGET ? NULL : target.base, &err);
        const bool alone = which == NO_WORKSPACE || which == OTHER_ALPHA || which == OTHER_BETA;
        const bool fine = which == NOTHING || (r->ranks == 1 && alone); /* nothing travels, nobody differs */
        CHECK(&r->test, got == (fine ? ASHLAR_OK : ASHLAR_ERR_ARG), "prepared %d: %s", which, err.text);
        CHECK(&r->test, ranks_agree(MPI_COMM_WORLD, (int)got, err.text), "prepared %d: %s", which, err.text);
        CHECK(&r->test, fine || memcmp(target.memory, target.before, target.bytes) == 0, "prepared %d: written", which);
        ashlar_mover_free(&mover);
        part_free(&source);
        part_free(&target);
    }
    ashlar_layout_free(&from);
    ashlar_layout_free(&to);
}

/* A layout of two tiles one above the other, both of this rank's column of the matrix, without places. */
static ashlar_layout *two_tiles(const rig *r)
{
    const int64_t rows[] = {0, 1, 3}, ld[] = {1, 2};
    int64_t cols[RANDOM_RANKS_MAX + 1];
    int owner[2 * RANDOM_RANKS_MAX];
    ashlar_layout *layout = NULL;
    for (int i = 0; i <= r->ranks; i++)
        cols[i] = i;
    for (int i = 0; i < 2 * r->ranks; i++)
        owner[i] = i % r->ranks;
    ashlar_layout_tiles(2, r->ranks, rows, cols, owner, ASHLAR_COL_MAJOR, &layout, NULL);
    ashlar_layout_set_storage(layout, r->rank, NULL, ld, NULL);
    return layout;
}

/* Movements by tiles: arrays without places for tiles, NULL for a tile on the last rank, NULL for all tiles there, and
 * nothing wrong. */
static void tiles_of_movements(ashlar_context *context, rig *r)
{
    enum { ARRAYS, NO_SOURCE_TILE, NO_TARGET_TILE, NO_TILES, NOTHING };
    static const char *const texts[] = {
        "ashlar_mover_execute: the layout of T has no offsets: use ashlar_mover_execute_tiles",
        "ashlar_mover_execute_tiles: a tile of the source is NULL",
        "ashlar_mover_execute_tiles: a tile of the target is NULL", "ashlar_mover_execute_tiles: target is NULL", ""};
    const double one = 1, zero = 0;
    ashlar_layout *layout = two_tiles(r);
    ashlar_mover *mover = NULL;
    ashlar_error err = {0};
    const ashlar_status made =
        ashlar_mover_create(context, ASHLAR_TYPE_D, ASHLAR_OP_N, layout, layout, NULL, &mover, &err);
    CHECK(&r->test, made == ASHLAR_OK, "%s", err.text);
    for (int which = ARRAYS; which <= NOTHING; which++) {
        const bool wrong = r->rank == r->ranks - 1;
        double from[3] = {1, 2, 3}, to[3] = {7, 7, 7};
        const void *source[] = {from, wrong && which == NO_SOURCE_TILE ? NULL : from + 1};
        void *target[] = {wrong && which == NO_TARGET_TILE ? NULL : to + 2, to};
        const ashlar_status got =
            which == ARRAYS ? ashlar_mover_execute(mover, &one, from, &zero, to, &err)
                            : ashlar_mover_execute_tiles(mover, &one, source, &zero,
                                                         wrong && which == NO_TILES ? NULL : target, &err);
        CHECK(&r->test, got == (which == NOTHING ? ASHLAR_OK : ASHLAR_ERR_ARG), "tiles %d: %s", which, err.text);
        CHECK(&r->test, which == NOTHING || strstr(err.text, texts[which]), "tiles %d: %s", which, err.text);
        CHECK(&r->test, ranks_agree(MPI_COMM_WORLD, (int)got, err.text), "tiles %d: %s", which, err.text);
        const bool moved = to[0] == 2 && to[1] == 3 && to[2] == 1, kept = to[0] == 7 && to[1] == 7 && to[2] == 7;
        CHECK(&r->test, which == NOTHING ? moved : kept, "tiles %d: %g, %g, %g", which, to[0], to[1], to[2]);
    }
    ashlar_mover_free(&mover);
    ashlar_layout_free(&layout);
}

/* ---- contexts, workspaces ---- */

static void contexts(rig *r)
{
    ashlar_context *context = NULL;
    ashlar_error err = {0};
    MPI_Comm half, both = MPI_COMM_NULL;
    CHECK(&r->test, ashlar_context_create(MPI_COMM_NULL, &context, &err) == ASHLAR_ERR_ARG && !context, "%s", err.text);
    CHECK(&r->test, ashlar_context_create(MPI_COMM_WORLD, NULL, &err) == ASHLAR_ERR_ARG, "%s", err.text);
    if (r->ranks == 1)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, r->rank % 2, r->rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, r->rank % 2 ? 0 : 1, 1, &both);
    CHECK(&r->test, ashlar_context_create(both, &context, &err) == ASHLAR_ERR_ARG && !context, "%s", err.text);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

static void workspaces(ashlar_context *context, rig *r)
{
    for (int one_sided = 0; one_sided < 2; one_sided++) {
        call c;
        ashlar_plan *plan = NULL;
        ashlar_error err = {0};
        make_call(&c, r->ranks);
        c.options.transport = one_sided ? ASHLAR_ONE_SIDED : ASHLAR_TWO_SIDED;
        CHECK(&r->test, create(context, &c, &plan, &err) == ASHLAR_OK, "%s", err.text);
        const int64_t words = ashlar_plan_workspace(plan);
        int needed = words > 0, any = 0;
        MPI_Allreduce(&needed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        const ashlar_status got = ashlar_plan_use_workspace(plan, NULL, &err);
        CHECK(&r->test, got == (any || one_sided ? ASHLAR_ERR_ARG : ASHLAR_OK), "workspace: %s", err.text);
        CHECK(&r->test, ranks_agree(MPI_COMM_WORLD, (int)got, err.text), "workspace: %s", err.text);
        ashlar_plan_free(&plan);
        free_call(&c);
    }
}

/* ---- allocations ---- */

/* Everything that allocates, once; the first failure ends it. */
static ashlar_status cycle(const call *c, const execution *e, ashlar_error *err)
{
    ashlar_context *context = NULL;
    ashlar_plan *plan = NULL;
    ashlar_figures figures;
    const double one = 1, zero = 0;
    double moved[M * K] = {0};
    int64_t words = 0;
    ashlar_status status = ashlar_context_create(MPI_COMM_WORLD, &context, err);
    if (status == ASHLAR_OK)
        status = create(context, c, &plan, err);
    if (status == ASHLAR_OK)
        status = execute(plan, e, err);
    if (status == ASHLAR_OK)
        status = ashlar_plan_measured(plan, &figures, err);
    if (status == ASHLAR_OK)
        status = ashlar_move(context, ASHLAR_TYPE_D, ASHLAR_OP_T, &one, c->layout[0], e->base[0], &zero, c->layout[1],
                             moved, 0, &words, err);
    ashlar_plan_free(&plan);
    ashlar_context_free(&context);
    return status;
}

/* Let allocation number n fail on one rank. */
static void one_fails(const call *c, const execution *e, rig *r, int64_t n)
{
    ashlar_error err = {0};
    const int64_t live = heap.live;
    const int victim = (int)(n % r->ranks);
    heap.failed = false;
    heap.fail_at = r->rank == victim ? heap.made + n : 0;
    const ashlar_status got = cycle(c, e, &err);
    int failed = heap.failed, any = 0;
    heap.fail_at = 0;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(&r->test, got == (any ? ASHLAR_ERR_MEMORY : ASHLAR_OK), "allocation %" PRId64 " of rank %d: %s: %s", n,
          victim, ashlar_status_name(got), err.text);
    CHECK(&r->test, ranks_agree(MPI_COMM_WORLD, (int)got, err.text), "allocation %" PRId64 " of rank %d: %s", n, victim,
          err.text);
    CHECK(&r->test, heap.live == live, "allocation %" PRId64 " of rank %d: %" PRId64 " are not freed", n, victim,
          heap.live - live);
}

static void allocations_fail(rig *r, bool own_layouts, bool one_sided)
{
    call c;
    execution e;
    ashlar_error err = {0};
    make_call(&c, r->ranks);
    c.problem.n = M; /* op T of A's layout then fits B's */
    ashlar_layout_free(&c.layout[1]);
    ashlar_layout_free(&c.layout[2]);
    c.problem.b = c.layout[1] = blocks(K, M, BLOCK + 1, r->ranks, 0);
    c.problem.c = c.layout[2] = blocks(M, M, BLOCK - 1, r->ranks, 0);
    c.options.transport = one_sided ? ASHLAR_ONE_SIDED : ASHLAR_TWO_SIDED;
    c.options.route = ASHLAR_ROUTE_TREE;
    CHECK(&r->test, make_execution(&e, &c, r->rank), "no memory");
    if (own_layouts)
        c.problem.b = NULL; /* B's pointer then only has to be there: its own layout is no larger on any rank */
    double whole[K * M] = {0};
    e.base[1] = own_layouts ? whole : e.base[1];
    const int64_t before = heap.made;
    CHECK(&r->test, cycle(&c, &e, &err) == ASHLAR_OK, "%s", err.text);
    int64_t made = heap.made - before, most = 0;
    MPI_Allreduce(&made, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    const int64_t step = 1 + most / (int64_t)(r->cases / (uint64_t)r->ranks); /* not all where there are very many */
    for (int64_t n = 1; n <= most + 1; n += step)
        one_fails(&c, &e, r, n);
    CHECK(&r->test, cycle(&c, &e, &err) == ASHLAR_OK, "after failures: %s", err.text);
    free_execution(&e);
    free_call(&c);
}

/* A product of many thin rounds: its program is longer than a player keeps ready. */
typedef struct long_product {
    ashlar_context *context;
    ashlar_layout *layout[3];
    ashlar_plan *plan;
    double *a, *b, *c;
} long_product;

enum { LONG_K = 800, LONG_SIDE = 8, LONG_TRIES = 6 };

static bool make_long(long_product *p, const rig *r, ashlar_error *err)
{
    const int64_t shape[3][2] = {{LONG_SIDE, LONG_K}, {LONG_K, LONG_SIDE}, {LONG_SIDE, LONG_SIDE}};
    double **const array[3] = {&p->a, &p->b, &p->c};
    ashlar_options options = ashlar_options_default();
    int64_t share = 0;
    *p = (long_product){.context = NULL};
    bool ok = ashlar_context_create(MPI_COMM_WORLD, &p->context, err) == ASHLAR_OK;
    for (int x = 0; x < 3 && ok; x++) {
        ok = ashlar_layout_block_cyclic(shape[x][0], shape[x][1], 2, 2, r->ranks, 1, 0, 0, NULL, ASHLAR_COL_MAJOR, 0,
                                        &p->layout[x], err) == ASHLAR_OK;
        const int64_t words = ok ? ashlar_layout_words(p->layout[x], r->rank) : 0;
        share += words;
        ok = ok && (*array[x] = malloc((size_t)(words + 1) * sizeof **array[x]));
        for (int64_t i = 0; i < words && ok; i++)
            (*array[x])[i] = 1;
    }
    MPI_Allreduce(MPI_IN_PLACE, &share, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    options.strategy = "summa";
    options.memory_words = share + 4 * LONG_SIDE;
    const ashlar_problem q = {.type = ASHLAR_TYPE_D, .m = LONG_SIDE, .n = LONG_SIDE, .k = LONG_K, .a = p->layout[0],
                              .b = p->layout[1], .c = p->layout[2]};
    return ok && ashlar_plan_create(p->context, &q, &options, &p->plan, err) == ASHLAR_OK;
}

static void free_long(long_product *p)
{
    ashlar_plan_free(&p->plan);
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&p->layout[x]);
    free(p->a);
    free(p->b);
    free(p->c);
    ashlar_context_free(&p->context);
}

static ashlar_status run_long(const long_product *p, ashlar_error *err)
{
    const double one = 1, zero = 0;
    return ashlar_plan_execute(p->plan, &one, p->a, p->b, &zero, p->c, err);
}

/* Each element of C is the sum of k ones. */
static void check_long(const long_product *p, rig *r)
{
    ashlar_error err = {0};
    const ashlar_status status = run_long(p, &err);
    int64_t wrong = 0;
    for (int64_t i = 0; i < ashlar_layout_words(p->layout[ASHLAR_C], r->rank); i++)
        wrong += p->c[i] != LONG_K;
    CHECK(&r->test, status == ASHLAR_OK && wrong == 0, "long product: %" PRId64 " wrong elements: %s", wrong, err.text);
}

/* While it runs, the tasks of a few steps are made: an allocation that fails there fails on all ranks, which come to
 * the end, and the next run is right. */
static void long_products_fail(rig *r)
{
    long_product p;
    ashlar_error err = {0};
    const bool made = make_long(&p, r, &err);
    CHECK(&r->test, made, "long product: %s", err.text);
    if (!made)
        return;
    check_long(&p, r);
    const int64_t before = heap.made, live = heap.live;
    check_long(&p, r);
    int64_t allocated = heap.made - before, most = 0;
    MPI_Allreduce(&allocated, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    CHECK(&r->test, r->ranks < 3 || most > 0, "the program is not long"); /* that of few ranks is kept ready */
    for (int64_t n = 1; n <= most; n += 1 + most / LONG_TRIES) {
        const int victim = (int)(n % r->ranks);
        heap.failed = false;
        heap.fail_at = r->rank == victim ? heap.made + n : 0;
        const ashlar_status got = run_long(&p, &err);
        int failed = heap.failed;
        heap.fail_at = 0;
        MPI_Bcast(&failed, 1, MPI_INT, victim, MPI_COMM_WORLD);
        CHECK(&r->test, got == (failed ? ASHLAR_ERR_MEMORY : ASHLAR_OK) &&
                            ranks_agree(MPI_COMM_WORLD, (int)got, failed ? err.text : ""),
              "long product, allocation %" PRId64 " of rank %d: %s", n, victim, err.text);
        CHECK(&r->test, heap.live == live, "long product, allocation %" PRId64 ": %" PRId64 " are not freed", n,
              heap.live - live);
    }
    check_long(&p, r);
    free_long(&p);
}

int main(int argc, char **argv)
{
    rig r;
    ashlar_context *context = NULL;
    if (!ranks_begin(&r, &argc, &argv, 3000))
        return 1;
    CHECK(&r.test, ashlar_context_create(MPI_COMM_WORLD, &context, NULL) == ASHLAR_OK, "no context");
    for (int i = 0; i < WRONG; i++)
        one_rank_is_wrong(context, &r, i, false);
    for (int i = 0; i < DIFFERENT && r.ranks > 1; i++)
        one_rank_is_wrong(context, &r, i, true);
    executions(context, &r);
    signed_zeros(context, &r);
    movements(context, &r);
    prepared_movements(context, &r);
    tiles_of_movements(context, &r);
    workspaces(context, &r);
    contexts(&r);
    for (int how = 0; how < 3; how++)
        allocations_fail(&r, how == 1, how == 2);
    long_products_fail(&r);
    ashlar_context_free(&context);
    return ranks_end(&r, PROGRAM);
}

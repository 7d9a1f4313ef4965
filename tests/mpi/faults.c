/* Every call of MPI that a public call makes fails once, on all ranks or on one: nothing crashes, hangs or is lost.
 *
 * What is demanded in the modes of failing.h, if the failure is
 * - before the last agreement of the call: ASHLAR_ERR_MPI and one text on all ranks;
 * - in the last agreement: ranks where it failed say so in this call, or, if the call makes an object, which is then
 *   there on all ranks, all of them in the next collective call;
 * - after it, in freeing: nothing; in a trusted execution: the rank that failed says so, and so does every rank whose
 *   part of C, or of T, is not complete for that;
 * - in a question about MPI (local) that has a safe answer: either.
 * Afterwards all objects can be freed and the context used, and all memory is freed; what MPI has made too,
 * except those whose freeing failed, and except in DEAD, where MPI cannot free any. */
#define PROGRAM "faults"

#include "mpi/allocations.h"
#include "mpi/filing.h"

#include "mpi/trying.h"

#include <ashlar/ashlar.h>

enum { SIZE = 12, BLOCK = 2, ROOM = 4 * SIZE * SIZE, PATIENCE = 40, MOST = 40, MOST_SLABS = 10 };

/* What a public call is tried with. */
typedef struct scene {
    rig *rig;
    MPI_Comm ring;            /* all ranks, with the topology of a torus */
    ashlar_layout *layout[3]; /* of A, B and C */
    ashlar_context *context;
    ashlar_plan *plan;
    ashlar_mover *mover;
    ashlar_contraction_plan *contraction;
    ashlar_options options;
    double *a, *b, *c, *workspace;
    folder folder;            /* the same on all ranks */
    char path[3][PATH_BYTES]; /* of A, C and a trace */
    ashlar_file *file[2];     /* A and C */
    int64_t slab_words;       /* the least for a plan of slabs; 1: not found yet */
    ashlar_error err;
    int64_t tries, hits;      /* failures that were to be, and that were */
} scene;

/* What a call needs, and what it does. */
enum needs {
    CONTEXT = 1,
    PLAN = 2,
    MOVER = 4,
    TRUSTED = 8,
    MAKES = 16,   /* an object that is left to the caller */
    TRACE = 32,   /* the plan's trace has been begun */
    OPENED = 64,  /* the file of A */
    WRITTEN = 128, /* the file of C */
    CONTRACTION = 512,
    SLABS = 256   /* A and C are in files, C is formed slab by slab, and what is finished is recorded */
};

typedef struct public_call {
    const char *name;
    ashlar_transport transport;
    ashlar_status (*make)(scene *s); /* the call itself; what it makes is put into the scene */
    unsigned needs;
} public_call;

/* ---- the calls ---- */

static ashlar_problem problem_of(const scene *s)
{
    return (ashlar_problem){.type = ASHLAR_TYPE_D, .m = SIZE, .n = SIZE, .k = SIZE, .a = s->layout[0],
                            .b = s->layout[1], .c = s->layout[2]};
}

static ashlar_status context_create(scene *s)
{
    return ashlar_context_create(s->ring, &s->context, &s->err);
}

static ashlar_status plan_create(scene *s)
{
    const ashlar_problem p = problem_of(s);
    return ashlar_plan_create(s->context, &p, &s->options, &s->plan, &s->err);
}

static ashlar_status plan_nothing(scene *s)
{
    ashlar_problem p = problem_of(s);
    p.k = 0;
    p.a = p.b = NULL;
    return ashlar_plan_create(s->context, &p, &s->options, &s->plan, &s->err);
}

static ashlar_status execute(scene *s)
{
    const double one = 1, zero = 0;
    return ashlar_plan_execute(s->plan, &one, s->a, s->b, &zero, s->c, &s->err);
}

static ashlar_status execute_tiles(scene *s)
{
    const double one = 1, zero = 0;
    const void *a[] = {s->a}, *b[] = {s->b};
    void *c[] = {s->c};
    return ashlar_plan_execute_tiles(s->plan, &one, a, b, &zero, c, &s->err);
}

static ashlar_status measured(scene *s)
{
    ashlar_figures figures;
    return ashlar_plan_measured(s->plan, &figures, &s->err);
}

static ashlar_status use_workspace(scene *s)
{
    return ashlar_plan_use_workspace(s->plan, s->workspace, &s->err);
}

static ashlar_status set_ld(scene *s)
{
    return ashlar_plan_set_ld(s->plan, ASHLAR_A, 2 * SIZE, &s->err);
}

static ashlar_status trace_begin(scene *s)
{
    return ashlar_plan_trace_begin(s->plan, 100, &s->err);
}

static ashlar_status trace_begun(scene *s)
{
    const ashlar_status status = plan_create(s);
    return status == ASHLAR_OK ? trace_begin(s) : status;
}

static ashlar_status trace_end(scene *s)
{
    return ashlar_plan_trace_end(s->plan, s->path[2], &s->err);
}

static ashlar_status plan_free(scene *s)
{
    ashlar_plan_free(&s->plan);
    return ASHLAR_OK;
}

static ashlar_status context_free(scene *s)
{
    ashlar_context_free(&s->context);
    return ASHLAR_OK;
}

static ashlar_status mover_create(scene *s)
{
    ashlar_mover_options options = ashlar_mover_options_default();
    options.trusted = s->options.trusted;
    options.memory_words = 30; /* several rounds */
    return ashlar_mover_create(s->context, ASHLAR_TYPE_D, ASHLAR_OP_T, s->layout[0], s->layout[1], &options, &s->mover,
                               &s->err);
}

static ashlar_status mover_execute(scene *s)
{
    const double one = 1, zero = 0;
    return ashlar_mover_execute(s->mover, &one, s->a, &zero, s->c, &s->err);
}

static ashlar_status mover_use_workspace(scene *s)
{
    return ashlar_mover_use_workspace(s->mover, s->workspace, &s->err);
}

static ashlar_status mover_set_ld(scene *s)
{
    return ashlar_mover_set_ld(s->mover, 2 * SIZE, -1, &s->err);
}

static ashlar_status mover_free(scene *s)
{
    ashlar_mover_free(&s->mover);
    return ASHLAR_OK;
}

static ashlar_status move(scene *s)
{
    const double one = 1, zero = 0;
    return ashlar_move(s->context, ASHLAR_TYPE_D, ASHLAR_OP_N, &one, s->layout[0], s->a, &zero, s->layout[1], s->c, 0,
                       NULL, &s->err);
}

static ashlar_status multiply(scene *s)
{
    const double one = 1, zero = 0;
    const ashlar_problem p = problem_of(s);
    return ashlar_multiply(MPI_COMM_WORLD, &p, &s->options, &one, s->a, s->b, &zero, s->c, &s->err);
}

/* ---- with matrices in files ---- */

static ashlar_status file_open(scene *s)
{
    return ashlar_file_open(s->context, s->path[0], &s->file[0], &s->err);
}

static ashlar_status file_create(scene *s)
{
    return ashlar_file_create(s->context, s->path[1], ASHLAR_TYPE_D, SIZE, SIZE, ASHLAR_ROW_MAJOR, &s->file[1],
                              &s->err);
}

static ashlar_status file_resume(scene *s)
{
    return ashlar_file_resume(s->context, s->path[1], ASHLAR_TYPE_D, SIZE, SIZE, ASHLAR_ROW_MAJOR, &s->file[1],
                              &s->err);
}

static ashlar_status file_read(scene *s)
{
    return ashlar_file_read(s->file[0], s->layout[0], s->workspace, &s->err);
}

static ashlar_status file_write(scene *s)
{
    return ashlar_file_write(s->file[1], s->layout[2], s->a, &s->err);
}

static ashlar_status file_written(scene *s)
{
    const ashlar_status status = file_create(s);
    return status == ASHLAR_OK ? file_write(s) : status;
}

static ashlar_status file_publish(scene *s)
{
    return ashlar_file_publish(s->file[1], &s->err);
}

static ashlar_status slabs_create(scene *s)
{
    const ashlar_problem p = {.size = sizeof p, .type = ASHLAR_TYPE_D, .m = SIZE, .n = SIZE, .k = SIZE,
                              .b = s->layout[1], .a_file = s->file[0], .c_file = s->file[1]};
    return ashlar_plan_create(s->context, &p, &s->options, &s->plan, &s->err);
}

static ashlar_status slabs_execute(scene *s)
{
    const double one = 1, zero = 0;
    return ashlar_plan_execute(s->plan, &one, NULL, s->b, &zero, NULL, &s->err);
}

/* With messages, two products of a batch, and a sum of the first operand; layouts are the plan's own. */
static ashlar_status contraction_create(scene *s)
{
    const int64_t extent[2][4] = {{2, 6, 8, 2}, {8, 2, 6}};
    ashlar_tensor_layout *layout = NULL;
    ashlar_error err;
    if (ashlar_tensor_layout_blocks(4, extent[0], NULL, (const int[]){1, s->rig->ranks, 1, 1}, NULL, NULL, &layout,
                                    &err) != ASHLAR_OK)
        exit(1);
    const ashlar_tensor operand[2] = {{.size = sizeof operand[0], .order = 4, .extent = extent[0], .layout = layout},
                                      {.size = sizeof operand[0], .order = 3, .extent = extent[1]}};
    const ashlar_tensor output = {.order = 3};
    const ashlar_contraction what = {.type = ASHLAR_TYPE_D, .expression = "zikl,kzj->zij", .operands = 2,
                                     .operand = operand, .output = &output};
    const ashlar_status status = ashlar_contraction_plan_create(s->context, &what, NULL, &s->contraction, &s->err);
    ashlar_tensor_layout_free(&layout);
    return status;
}

static ashlar_status contraction_execute(scene *s)
{
    const double one = 1, zero = 0;
    const void *const operand[2] = {s->a, s->b};
    return ashlar_contraction_execute(s->contraction, &one, operand, &zero, s->c, &s->err);
}

static ashlar_status contraction_measured(scene *s)
{
    ashlar_figures figures;
    return ashlar_contraction_measured(s->contraction, &figures, &s->err);
}

static void close_files(scene *s)
{
    for (int i = 0; i < 2; i++)
        ashlar_file_close(&s->file[i]);
}

/* A plan of slabs in as little memory as does. */
static bool prepare_slabs(scene *s)
{
    s->options.strategy = NULL;
    s->options.checkpoint_seconds = 1e-9;
    s->options.memory_words = s->slab_words;
    if (file_open(s) != ASHLAR_OK || file_resume(s) != ASHLAR_OK)
        return false;
    if (s->slab_words == 1 && slabs_create(s) == ASHLAR_ERR_LIMIT)
        s->options.memory_words = s->slab_words = ashlar_context_memory_words(s->context);
    return slabs_create(s) == ASHLAR_OK;
}

static const public_call calls[] = {
    {"ashlar_context_create", ASHLAR_TWO_SIDED, context_create, MAKES},
    {"ashlar_context_free", ASHLAR_TWO_SIDED, context_free, CONTEXT},
    {"ashlar_plan_create", ASHLAR_TWO_SIDED, plan_create, CONTEXT | MAKES},
    {"ashlar_plan_create, one-sided", ASHLAR_ONE_SIDED, plan_create, CONTEXT | MAKES},
    {"ashlar_plan_create, k = 0", ASHLAR_TWO_SIDED, plan_nothing, CONTEXT | MAKES},
    {"ashlar_plan_execute", ASHLAR_TWO_SIDED, execute, CONTEXT | PLAN},
    {"ashlar_plan_execute, one-sided", ASHLAR_ONE_SIDED, execute, CONTEXT | PLAN},
    {"ashlar_plan_execute, trusted", ASHLAR_TWO_SIDED, execute, CONTEXT | PLAN | TRUSTED},
    {"ashlar_plan_execute, trusted, one-sided", ASHLAR_ONE_SIDED, execute, CONTEXT | PLAN | TRUSTED},
    {"ashlar_plan_execute_tiles", ASHLAR_TWO_SIDED, execute_tiles, CONTEXT | PLAN},
    {"ashlar_plan_measured", ASHLAR_TWO_SIDED, measured, CONTEXT | PLAN},
    {"ashlar_plan_use_workspace", ASHLAR_TWO_SIDED, use_workspace, CONTEXT | PLAN},
    {"ashlar_plan_set_ld", ASHLAR_TWO_SIDED, set_ld, CONTEXT | PLAN},
    {"ashlar_plan_trace_begin", ASHLAR_TWO_SIDED, trace_begin, CONTEXT | PLAN},
    {"ashlar_plan_trace_end", ASHLAR_TWO_SIDED, trace_end, CONTEXT | PLAN | TRACE},
    {"ashlar_plan_execute, recorded", ASHLAR_TWO_SIDED, execute, CONTEXT | PLAN | TRACE},
    {"ashlar_plan_execute, recorded, one-sided", ASHLAR_ONE_SIDED, execute, CONTEXT | PLAN | TRACE},
    {"ashlar_plan_free", ASHLAR_TWO_SIDED, plan_free, CONTEXT | PLAN},
    {"ashlar_plan_free, one-sided", ASHLAR_ONE_SIDED, plan_free, CONTEXT | PLAN},
    {"ashlar_mover_create", ASHLAR_TWO_SIDED, mover_create, CONTEXT | MAKES},
    {"ashlar_mover_execute", ASHLAR_TWO_SIDED, mover_execute, CONTEXT | MOVER},
    {"ashlar_mover_execute, trusted", ASHLAR_TWO_SIDED, mover_execute, CONTEXT | MOVER | TRUSTED},
    {"ashlar_mover_use_workspace", ASHLAR_TWO_SIDED, mover_use_workspace, CONTEXT | MOVER},
    {"ashlar_mover_set_ld", ASHLAR_TWO_SIDED, mover_set_ld, CONTEXT | MOVER},
    {"ashlar_mover_free", ASHLAR_TWO_SIDED, mover_free, CONTEXT | MOVER},
    {"ashlar_move", ASHLAR_TWO_SIDED, move, CONTEXT},
    {"ashlar_multiply", ASHLAR_TWO_SIDED, multiply, 0},
    {"ashlar_multiply, one-sided", ASHLAR_ONE_SIDED, multiply, 0},
    {"ashlar_file_open", ASHLAR_TWO_SIDED, file_open, CONTEXT | MAKES},
    {"ashlar_file_create", ASHLAR_TWO_SIDED, file_create, CONTEXT | MAKES},
    {"ashlar_file_resume", ASHLAR_TWO_SIDED, file_resume, CONTEXT | MAKES},
    {"ashlar_file_read", ASHLAR_TWO_SIDED, file_read, CONTEXT | OPENED},
    {"ashlar_file_write", ASHLAR_TWO_SIDED, file_write, CONTEXT | WRITTEN},
    {"ashlar_file_publish", ASHLAR_TWO_SIDED, file_publish, CONTEXT | WRITTEN},
    {"ashlar_contraction_plan_create", ASHLAR_TWO_SIDED, contraction_create, CONTEXT | MAKES},
    {"ashlar_contraction_execute", ASHLAR_TWO_SIDED, contraction_execute, CONTEXT | CONTRACTION},
    {"ashlar_contraction_measured", ASHLAR_TWO_SIDED, contraction_measured, CONTEXT | CONTRACTION},
    {"ashlar_plan_create, slabs", ASHLAR_TWO_SIDED, slabs_create, CONTEXT | SLABS | MAKES},
    {"ashlar_plan_execute, slabs", ASHLAR_TWO_SIDED, slabs_execute, CONTEXT | SLABS},
};

/* ---- trying one ---- */

static bool prepare(scene *s, const public_call *call)
{
    s->options = ashlar_options_default();
    s->options.transport = call->transport;
    s->options.trusted = (call->needs & TRUSTED) != 0;
    s->options.route = ASHLAR_ROUTE_TREE;
    s->options.strategy = "summa";
    failing_begin(NONE, 0);
    if ((call->needs & CONTEXT) && context_create(s) != ASHLAR_OK)
        return false;
    if ((call->needs & PLAN) && ((call->needs & TRACE) ? trace_begun(s) : plan_create(s)) != ASHLAR_OK)
        return false;
    if ((call->needs & OPENED) && file_open(s) != ASHLAR_OK)
        return false;
    if ((call->needs & WRITTEN) && file_written(s) != ASHLAR_OK)
        return false;
    if ((call->needs & CONTRACTION) && contraction_create(s) != ASHLAR_OK)
        return false;
    if ((call->needs & SLABS) && !prepare_slabs(s))
        return false;
    if (call->make == slabs_create)
        ashlar_plan_free(&s->plan);
    return !(call->needs & MOVER) || mover_create(s) == ASHLAR_OK;
}

/* What a run that failed left beside C. */
static void remove_left(const scene *s)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (s->rig->rank == 0)
        folder_clear(&s->folder, s->path[0]);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void clear(scene *s)
{
    failing_begin(NONE, 0);
    ashlar_mover_free(&s->mover);
    ashlar_plan_free(&s->plan);
    ashlar_contraction_plan_free(&s->contraction);
    close_files(s);
    ashlar_context_free(&s->context);
    remove_left(s);
}

/* Several slabs, and not a product that is formed in memory as a whole. */
static void check_slabs(scene *s, const public_call *call)
{
    ashlar_explanation why = {0};
    GOOD(s, ashlar_plan_explain(s->plan, &why, &err));
    CHECK(&s->rig->test, strstr(why.reason, " slabs of at most ") != NULL, "%s: %s", call->name, why.reason);
}

/* What a call does when nothing fails. */
typedef struct plain_run {
    int64_t calls[5], agreements; /* of this rank; as in `failing` */
    int64_t most[5];              /* of the rank that has most */
} plain_run;

static plain_run run_plain(scene *s, const public_call *call)
{
    plain_run p = {.agreements = 0};
    CHECK(&s->rig->test, prepare(s, call), "%s: %s", call->name, s->err.text);
    failing_begin(NONE, 0);
    CHECK(&s->rig->test, call->make(s) == ASHLAR_OK, "%s: %s", call->name, s->err.text);
    memcpy(p.calls, failing.calls, sizeof p.calls);
    p.agreements = failing.agreements;
    if (call->needs & SLABS)
        check_slabs(s, call);
    clear(s);
    PMPI_Allreduce(p.calls, p.most, 5, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return p;
}

/* Of one try, over all ranks. */
typedef struct outcome {
    int failed;  /* something failed */
    int early;   /* before the last agreement */
    int silent;  /* a rank had a failure that has to be said, and said nothing */
    int errors;  /* a rank said something */
} outcome;

static outcome join(const plain_run *p, ashlar_status got)
{
    const bool question = failing.kind == LOCAL || failing.kind == FREE;
    outcome own = {.failed = failing.failed, .errors = got != ASHLAR_OK};
    if (failing.failed) {
        own.early = failing.failed_after < p->agreements && failing.kind != FREE;
        own.silent = !question && got == ASHLAR_OK;
    }
    outcome all = own;
    PMPI_Allreduce(&own, &all, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

/* A failure in the last agreement is said by the next collective call over the context, on all ranks. */
static void check_next(scene *s)
{
    rig *r = s->rig;
    ashlar_mover *mover = s->mover;
    failing_begin(NONE, 0);
    s->mover = NULL;
    s->err = (ashlar_error){0};
    const ashlar_status next = s->context ? mover_create(s) : ASHLAR_OK;
    CHECK(&r->test, next == ASHLAR_ERR_MPI && ranks_agree(MPI_COMM_WORLD, (int)next, s->err.text), "%sthen %s: %s",
          doing, ashlar_status_name(next), s->err.text);
    ashlar_mover_free(&s->mover);
    s->mover = mover;
}

/* A, B and S are 1 everywhere: C or, after a movement, T has one value. */
static bool target_is_complete(const scene *s, const public_call *call)
{
    const int64_t words = ashlar_layout_words(s->layout[(call->needs & MOVER) ? 1 : 2], s->rig->rank);
    const double wanted = (call->needs & MOVER) ? 1 : SIZE;
    for (int64_t i = 0; i < words; i++)
        if (s->c[i] < wanted || s->c[i] > wanted)
            return false;
    return true;
}

static void check_outcome(scene *s, const public_call *call, const plain_run *p, failure_mode mode, ashlar_status got)
{
    rig *r = s->rig;
    const outcome all = join(p, got);
    const bool alone = is_alone(mode); /* then how often a rank must wait is a matter of time */
    failing.mode = NONE;
    CHECK(&r->test, all.failed || (alone && got == ASHLAR_OK), "%snothing failed", doing);
    s->tries++;
    s->hits += all.failed;
    CHECK(&r->test, got == ASHLAR_OK || got == ASHLAR_ERR_MPI, "%s%s: %s", doing, ashlar_status_name(got), s->err.text);
    CHECK(&r->test, !(call->needs & TRUSTED) || got != ASHLAR_OK || target_is_complete(s, call),
          "%s%s: C or T is not complete, and nothing is said", doing, failing.name ? failing.name : "");
    CHECK(&r->test, !all.early || got == ASHLAR_ERR_MPI, "%s%s: not all say so", doing, failing.name);
    CHECK(&r->test, !all.early || mode == DEAD || ranks_agree(MPI_COMM_WORLD, (int)got, s->err.text), "%s%s", doing,
          s->err.text);
    if (all.silent && (call->needs & MAKES) && !all.errors)
        check_next(s);
    else
        CHECK(&r->test, !all.silent, "%s%s: nothing is said", doing, failing.name ? failing.name : "");
}

static void try_failure(scene *s, const public_call *call, const plain_run *p, failure_mode mode, int64_t n)
{
    rig *r = s->rig;
    const int64_t heap_before = heap.live, live = failing.live;
    if (!try_begin(r, call->name, mode, p->calls[mode], n, PATIENCE))
        return;
    CHECK(&r->test, prepare(s, call), "%s%s", doing, s->err.text);
    s->err = (ashlar_error){0};
    memset(s->c, 0, ROOM * sizeof *s->c);
    try_fail(r, mode, n);
    const ashlar_status got = call->make(s);
    int lost = failing.failed && (failing.kind == FREE || mode == DEAD);
    check_outcome(s, call, p, mode, got);
    clear(s);
    PMPI_Allreduce(MPI_IN_PLACE, &lost, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(&r->test, lost || failing.live == live, "%s%" PRId64 " handles are lost", doing, failing.live - live);
    CHECK(&r->test, heap.live == heap_before, "%s%" PRId64 " allocations are lost", doing, heap.live - heap_before);
    failing.live = live;
    alarm(0);
}

static void try_call(scene *s, const public_call *call)
{
    const plain_run p = run_plain(s, call);
    for (int mode = TOGETHER; mode <= NOT_MADE; mode++) {
        const int64_t step = 1 + p.most[mode] / (call->needs & SLABS ? MOST_SLABS : MOST);
        for (int64_t n = 1; n <= p.most[mode]; n += step)
            try_failure(s, call, &p, (failure_mode)mode, n);
    }
}

/* ---- all of them ---- */

static ashlar_layout *blocks(int64_t block, int ranks)
{
    ashlar_layout *layout = NULL;
    ashlar_layout_block_cyclic(SIZE, SIZE, block, block, ranks, 1, 0, 0, NULL, ASHLAR_COL_MAJOR, 0, &layout, NULL);
    return layout;
}

static void write_a(scene *s)
{
    ashlar_file *file = NULL;
    GOOD(s, ashlar_context_create(MPI_COMM_WORLD, &s->context, &err));
    GOOD(s, ashlar_file_create(s->context, s->path[0], ASHLAR_TYPE_D, SIZE, SIZE, ASHLAR_ROW_MAJOR, &file, &err));
    GOOD(s, ashlar_file_write(file, s->layout[0], s->a, &err));
    GOOD(s, ashlar_file_publish(file, &err));
    ashlar_file_close(&file);
    ashlar_context_free(&s->context);
}

static void begin_scene(scene *s, rig *r)
{
    const int periodic = 1;
    *s = (scene){.rig = r, .ring = MPI_COMM_NULL, .slab_words = 1};
    MPI_Cart_create(MPI_COMM_WORLD, 1, &r->ranks, &periodic, 0, &s->ring);
    for (int x = 0; x < 3; x++)
        s->layout[x] = blocks(BLOCK + x, r->ranks);
    double **const array[4] = {&s->a, &s->b, &s->c, &s->workspace};
    for (int i = 0; i < 4; i++)
        *array[i] = calloc(ROOM, sizeof **array[i]);
    for (int i = 0; i < ROOM; i++)
        s->a[i] = s->b[i] = 1;
    s->folder = folder_of_ranks(r);
    static const char *const names[3] = {"a.npy", "c.npy", "trace.json"};
    for (int i = 0; i < 3; i++)
        folder_name(&s->folder, names[i], s->path[i]);
    write_a(s);
    signal(SIGALRM, tell_and_end);
    signal(SIGSEGV, tell_and_end);
}

static void end_scene(scene *s)
{
    double *const array[4] = {s->a, s->b, s->c, s->workspace};
    for (int i = 0; i < 4; i++)
        free(array[i]);
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&s->layout[x]);
    if (s->rig->rank == 0)
        folder_remove(&s->folder);
    MPI_Comm_free(&s->ring);
}

int main(int argc, char **argv)
{
    rig r;
    scene s;
    if (!ranks_begin(&r, &argc, &argv, 1))
        return 1;
    begin_scene(&s, &r);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        try_call(&s, &calls[i]);
    CHECK(&r.test, 10 * s.hits >= 9 * s.tries, "only %" PRId64 " failures of %" PRId64, s.hits, s.tries);
    end_scene(&s);
    return ranks_end(&r, PROGRAM);
}

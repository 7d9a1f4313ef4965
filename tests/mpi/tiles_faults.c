/* Every call of MPI, every allocation, and every reading and writing of a file by the calls on matrices of tiles fails
 * once: nothing crashes, hangs or is lost, and no file is left that is not whole.
 *
 * If a call of MPI fails before the last agreement of a call, all ranks have ASHLAR_ERR_MPI and one text; in the last
 * one, the rank where it failed says so, or, if the call makes an object, all ranks in the next collective call. If an
 * allocation fails, all ranks have ASHLAR_ERR_MEMORY and one text, and the matrix is as it was: the call can be made
 * again. So with ASHLAR_ERR_IO if the system fails. */
#define PROGRAM "tiles_faults"

#include "mpi/allocations.h"
#include "mpi/filing.h"
#include "mpi/system_calls.h"

#include "mpi/trying.h"

#include "store/tile_file.h"

#include <ashlar/ashlar.h>

enum { TILES = 4, SIZE = 10, PATIENCE = 60, MOST = 14 };

static const int64_t sizes[TILES] = {3, 0, 5, 2}, others[TILES] = {1, 2, 3, 4};

typedef struct scene {
    rig *rig;
    ashlar_context *context;
    ashlar_layout *layout;
    ashlar_tiles *a, *b, *c, *other, *made; /* b is cut differently from a, c and other are as a */
    ashlar_tiles *low;                      /* as a, with a tile that is stored as U V^T */
    folder folder; /* the same on all ranks */
    char saved[PATH_BYTES], target[PATH_BYTES]; /* where A is; where it goes */
    bool is_saved; /* it is there */
    double x[2 * SIZE * SIZE], y[2 * SIZE * SIZE]; /* of complex numbers */
    ashlar_error err;
} scene;

/* ---- the calls ---- */

static ashlar_status make(scene *s, const int64_t *size, ashlar_tiles **out)
{
    const ashlar_tiles_description d = {.type = ASHLAR_TYPE_Z, .tile_rows = TILES, .tile_cols = TILES,
                                        .row_sizes = size};
    return ashlar_tiles_create(s->context, &d, out, &s->err);
}

/* Tiles that every rank adds to; what a call says on one rank `finish` says on all. */
static ashlar_status fill(scene *s, ashlar_tiles *tiles, const int64_t *size, int64_t first)
{
    for (int64_t i = first; i < TILES; i++)
        for (int64_t j = 0; j < TILES; j += 2) {
            if (s->rig->rank == (i + j) % s->rig->ranks)
                ashlar_tiles_put(tiles, i, j, size[i], size[j], ASHLAR_COL_MAJOR, SIZE, s->x, NULL);
            ashlar_tiles_accumulate(tiles, i, j, size[i], size[j], ASHLAR_ROW_MAJOR, SIZE, s->x, NULL);
        }
    return ashlar_tiles_finish(tiles, &s->err);
}

static ashlar_status fill_low(scene *s)
{
    if (s->rig->rank == 0)
        ashlar_tiles_put_low_rank(s->low, 2, 2, 1, s->x, sizes[2], s->x, sizes[2], NULL);
    return fill(s, s->low, sizes, 3);
}

static ashlar_status create(scene *s)
{
    return make(s, sizes, &s->made);
}

static ashlar_status copy(scene *s)
{
    return ashlar_tiles_copy(s->a, &s->made, &s->err);
}

static ashlar_status grow(scene *s)
{
    return fill(s, s->a, sizes, 0);
}

static ashlar_status refill(scene *s)
{
    return fill(s, s->a, sizes, 2);
}

static ashlar_status fetch(scene *s)
{
    const int64_t row[2] = {2, 0}, col[2] = {0, 2};
    return ashlar_tiles_fetch(s->a, 2, row, col, s->y, NULL, &s->err);
}

static ashlar_status norm(scene *s)
{
    return ashlar_tiles_norm(s->a, s->y, &s->err);
}

static ashlar_status to_dense(scene *s)
{
    return ashlar_tiles_to_dense(s->a, s->layout, s->y, &s->err);
}

static ashlar_status from_dense(scene *s)
{
    return ashlar_tiles_from_dense(s->a, s->layout, s->x, 4, &s->err);
}

static ashlar_status move(scene *s)
{
    return ashlar_tiles_move(ASHLAR_OP_C, s->b, s->a, &s->err);
}

static ashlar_status filter(scene *s)
{
    return ashlar_tiles_filter(s->a, 4, &s->err);
}

static ashlar_status scale(scene *s)
{
    return ashlar_tiles_scale(s->x, s->a, &s->err);
}

static ashlar_status compress(scene *s)
{
    return ashlar_tiles_compress(s->a, 0.5, 1, NULL, &s->err);
}

/* C = A A^H, in which each element is another than before, compressed. */
static ashlar_status product(scene *s)
{
    const ashlar_tiles_options options = {.size = sizeof options, .threshold = 1e-3, .bound = 1, .tolerance = 1e-3};
    return ashlar_tiles_multiply(s->x, ASHLAR_OP_N, s->a, ASHLAR_OP_C, s->a, s->x + 2, s->c, &options, NULL, &s->err);
}

static ashlar_status sum(scene *s)
{
    const ashlar_tiles_term term[2] = {{s->x, ASHLAR_OP_N, ASHLAR_OP_C, s->a, s->a}, {s->x, ASHLAR_OP_T, ASHLAR_OP_N,
                                                                                      s->a, s->a}};
    return ashlar_tiles_multiply_sum(2, term, s->x + 2, s->c, NULL, NULL, &s->err);
}

/* A call is over that others follow. If its last agreement failed, that is said on one rank alone: it tells the others,
 * as a program would. */
static ashlar_status tell(scene *s, ashlar_status mine)
{
    const rig *r = s->rig;
    const bool last = failing.failed_after == failing.agreements;
    int failed = mine != ASHLAR_OK, all = failed, who = failed ? r->rank : -1;
    PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Allreduce(MPI_IN_PLACE, &who, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (all == 0 || all == r->ranks)
        return mine;
    CHECK(&s->rig->test, !failed || last, "%s: not all say so", doing);
    PMPI_Bcast(&s->err, (int)sizeof s->err, MPI_BYTE, who, MPI_COMM_WORLD);
    return s->err.status;
}

/* A plan is made, executed, and executed with another B, for which it is changed. */
static ashlar_status plan_with(scene *s, const ashlar_tiles_options *options)
{
    ashlar_tiles_term term = {s->x, ASHLAR_OP_N, ASHLAR_OP_N, s->a, s->a};
    ashlar_tiles_plan *made = NULL;
    ashlar_status status = tell(s, ashlar_tiles_plan_create(1, &term, s->c, options, &made, &s->err));
    if (status == ASHLAR_OK)
        status = tell(s, ashlar_tiles_plan_execute(made, &term, s->x + 2, s->c, NULL, &s->err));
    term.b = s->other;
    if (status == ASHLAR_OK)
        status = ashlar_tiles_plan_execute(made, &term, s->x + 2, s->c, NULL, &s->err);
    ashlar_tiles_plan_free(&made);
    return status;
}

static ashlar_status plan(scene *s)
{
    return plan_with(s, NULL);
}

/* Some tiles of A and B are in no product then. */
static ashlar_status plan_retaining(scene *s)
{
    const ashlar_tiles_options options = {.size = sizeof options, .retain = 1};
    return plan_with(s, &options);
}

/* Two rows of tiles, within an error. */
static ashlar_status within(scene *s)
{
    static const int64_t ranges[6] = {0, 2, 0, TILES, 1, TILES};
    const ashlar_tiles_options options = {.size = sizeof options, .budget = 1e-3, .ranges = ranges};
    return ashlar_tiles_multiply(s->x, ASHLAR_OP_N, s->a, ASHLAR_OP_C, s->a, s->x + 2, s->c, &options, NULL, &s->err);
}

/* C in panels, which are compressed: here it is one, of some rows. */
static ashlar_status in_panels(scene *s)
{
    static const int64_t ranges[6] = {0, 3, 0, TILES, 1, TILES};
    const ashlar_tiles_options options = {.size = sizeof options, .tolerance = 1e-3, .ranges = ranges};
    return ashlar_tiles_multiply(s->x, ASHLAR_OP_N, s->a, ASHLAR_OP_C, s->a, s->x + 2, s->low, &options, NULL,
                                 &s->err);
}

/* A stays, and there are partial sums of C, which a threshold, retained tiles and a limit look at. */
static ashlar_status in_layers(scene *s)
{
    const ashlar_tiles_options options = {.size = sizeof options, .stays = ASHLAR_STAYS_A, .threshold = 1e-3,
                                          .retain = 1, .memory_words = 1 << 20};
    return ashlar_tiles_multiply(s->x, ASHLAR_OP_N, s->a, ASHLAR_OP_C, s->a, s->x + 2, s->c, &options, NULL, &s->err);
}

static ashlar_status add(scene *s)
{
    return ashlar_tiles_add(s->x, s->c, s->x, s->a, s->a, &s->err);
}

static ashlar_status multiply(scene *s)
{
    return ashlar_tiles_multiply_elements(s->c, s->c, s->a, &s->err);
}

static ashlar_status trace(scene *s)
{
    return ashlar_tiles_trace(s->a, s->y, &s->err);
}

static ashlar_status trace_product(scene *s)
{
    return ashlar_tiles_trace_product(ASHLAR_OP_N, s->a, s->b, s->y, &s->err);
}

static ashlar_status diagonal(scene *s)
{
    return ashlar_tiles_diagonal(s->a, s->y, &s->err);
}

static ashlar_status set_diagonal(scene *s)
{
    return ashlar_tiles_set_diagonal(s->a, s->x, &s->err);
}

static ashlar_status scale_by_diagonal(scene *s)
{
    return ashlar_tiles_scale_by_diagonal(s->x, s->x, s->a, &s->err);
}

static ashlar_status gershgorin(scene *s)
{
    return ashlar_tiles_gershgorin(s->a, s->y, s->y + 1, &s->err);
}

static ashlar_status lanczos(scene *s)
{
    return ashlar_tiles_lanczos(s->a, 2, s->y, s->y + 1, NULL, &s->err);
}

static ashlar_status save(scene *s)
{
    const ashlar_status status = ashlar_tiles_save(s->low, s->target, &s->err);
    s->is_saved = status == ASHLAR_OK;
    return status;
}

static ashlar_status load(scene *s)
{
    return ashlar_tiles_load(s->context, s->saved, NULL, &s->made, &s->err);
}

static ashlar_status deal(scene *s)
{
    const ashlar_tiles_description c = {.size = sizeof c, .type = ASHLAR_TYPE_Z, .tile_rows = TILES, .tile_cols = TILES,
                                        .row_sizes = sizes};
    int map[2][TILES];
    return ashlar_tiles_deal_by_work(ASHLAR_OP_N, s->a, ASHLAR_OP_C, s->a, &c, map[0], map[1], NULL, &s->err);
}

/* What a call does, for what is demanded of it. */
enum does {
    MAKES = 1,    /* an object */
    SHORTENS = 2, /* memory, which may fail and is no error */
    TIDIES = 4    /* beside a file that is complete, the same */
};

typedef struct tiles_call {
    const char *name;
    ashlar_status (*make)(scene *s);
    unsigned does;
} tiles_call;

static const tiles_call calls[] = {
    {"create", create, MAKES},         {"copy", copy, MAKES},
    {"finish", grow, 0},               {"finish without new tiles", refill, 0},
    {"fetch", fetch, 0},               {"norm", norm, 0},
    {"to_dense", to_dense, 0},         {"from_dense", from_dense, SHORTENS},
    {"move", move, 0},                 {"filter", filter, SHORTENS},
    {"scale", scale, 0},               {"add", add, 0},
    {"multiply_elements", multiply, SHORTENS}, {"trace", trace, 0},
    {"trace_product", trace_product, 0}, {"diagonal", diagonal, 0},
    {"set_diagonal", set_diagonal, 0}, {"scale_by_diagonal", scale_by_diagonal, 0},
    {"gershgorin", gershgorin, 0},     {"multiply", product, SHORTENS},
    {"multiply_sum", sum, SHORTENS},   {"plan", plan, SHORTENS},
    {"plan that retains C's tiles", plan_retaining, SHORTENS},
    {"lanczos", lanczos, 0},           {"multiply ranges", within, SHORTENS},
    {"multiply in layers", in_layers, SHORTENS}, {"compress", compress, SHORTENS},
    {"multiply in panels", in_panels, SHORTENS}, {"deal_by_work", deal, SHORTENS},
    {"save", save, TIDIES},            {"load", load, MAKES},
};

/* ---- trying one ---- */

/* Beside the file that is loaded there is at most the one that was saved, and it is whole. */
static void check_left(scene *s)
{
    char name[PATH_BYTES];
    folder_name(&s->folder, "target.h5", name);
    const bool there = access(name, F_OK) == 0;
    CHECK(&s->rig->test, folder_files(&s->folder, false) == 1 + there, "%sfiles are left", doing);
    CHECK(&s->rig->test, there || !s->is_saved, "%sno file", doing);
    CHECK(&s->rig->test, !there || ashi_tile_file_is_meant(s->target), "%sthe file is not whole", doing);
    unlink(name);
}

static void clear(scene *s)
{
    ashlar_tiles **const all[] = {&s->a, &s->b, &s->c, &s->other, &s->made, &s->low};
    failing_begin(NONE, 0);
    for (int i = 0; i < 6; i++)
        ashlar_tiles_free(all[i]);
    ashlar_context_free(&s->context);
    MPI_Barrier(MPI_COMM_WORLD);
    if (s->rig->rank == 0)
        check_left(s);
    s->is_saved = false;
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The matrix that is loaded. */
static void save_first(scene *s)
{
    s->folder = folder_of_ranks(s->rig);
    folder_name(&s->folder, "saved.h5:/m", s->saved);
    folder_name(&s->folder, "target.h5:/m", s->target);
    const bool good = ashlar_context_create(MPI_COMM_WORLD, &s->context, &s->err) == ASHLAR_OK &&
                      make(s, sizes, &s->low) == ASHLAR_OK && fill_low(s) == ASHLAR_OK &&
                      ashlar_tiles_save(s->low, s->saved, &s->err) == ASHLAR_OK;
    CHECK(&s->rig->test, good, "%s", s->err.text);
    clear(s);
}

static void prepare(scene *s)
{
    failing_begin(NONE, 0);
    for (int i = 0; i < SIZE * SIZE; i++) {
        s->x[2 * i] = 1;
        s->x[2 * i + 1] = 0;
    }
    const bool good = ashlar_context_create(MPI_COMM_WORLD, &s->context, &s->err) == ASHLAR_OK &&
                      make(s, sizes, &s->a) == ASHLAR_OK && fill(s, s->a, sizes, 2) == ASHLAR_OK &&
                      make(s, others, &s->b) == ASHLAR_OK && fill(s, s->b, others, 1) == ASHLAR_OK &&
                      make(s, sizes, &s->c) == ASHLAR_OK && fill(s, s->c, sizes, 1) == ASHLAR_OK &&
                      make(s, sizes, &s->other) == ASHLAR_OK && fill(s, s->other, sizes, 1) == ASHLAR_OK &&
                      make(s, sizes, &s->low) == ASHLAR_OK && fill_low(s) == ASHLAR_OK;
    CHECK(&s->rig->test, good, "%s%s", doing, s->err.text);
    s->err = (ashlar_error){0};
}

/* What a call does when nothing fails. */
typedef struct plain_run {
    int64_t calls[5], agreements, most[5]; /* of this rank, as in `failing`; most: of the rank that has most */
    int64_t allocations, of_system;        /* of the rank that has most */
    double norm;                           /* of the matrix before */
} plain_run;

static double norm_before(scene *s)
{
    double x = -1;
    CHECK(&s->rig->test, ashlar_tiles_norm(s->a, &x, &s->err) == ASHLAR_OK, "%s%s", doing, s->err.text);
    return x;
}

static plain_run run_plain(scene *s, const tiles_call *call)
{
    plain_run p = {.agreements = 0};
    prepare(s);
    p.norm = norm_before(s);
    failing_begin(NONE, 0);
    const int64_t made = heap.made, of_system = system_side.made;
    CHECK(&s->rig->test, call->make(s) == ASHLAR_OK, "%s: %s", call->name, s->err.text);
    p.allocations = heap.made - made;
    p.of_system = system_side.made - of_system;
    memcpy(p.calls, failing.calls, sizeof p.calls);
    p.agreements = failing.agreements;
    clear(s);
    PMPI_Allreduce(p.calls, p.most, 5, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    PMPI_Allreduce(MPI_IN_PLACE, &p.allocations, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    PMPI_Allreduce(MPI_IN_PLACE, &p.of_system, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return p;
}

/* Of one try, over all ranks. */
typedef struct outcome {
    int failed, early, silent, errors; /* something failed; before the last agreement; a rank had a failure and said
                                          nothing; a rank said something */
} outcome;

static outcome join(const plain_run *p, ashlar_status got)
{
    outcome own = {.failed = failing.failed, .errors = got != ASHLAR_OK};
    if (failing.failed && failing.kind != LOCAL && failing.kind != FREE) {
        own.early = failing.failed_after < p->agreements;
        own.silent = got == ASHLAR_OK;
    }
    outcome all = own;
    PMPI_Allreduce(&own, &all, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static void check_outcome(scene *s, const tiles_call *call, const plain_run *p, failure_mode mode, ashlar_status got)
{
    rig *r = s->rig;
    const outcome all = join(p, got);
    const char *const name = failing.name ? failing.name : "";
    failing_begin(NONE, 0);
    CHECK(&r->test, got == ASHLAR_OK || got == ASHLAR_ERR_MPI, "%s%s: %s", doing, ashlar_status_name(got), s->err.text);
    CHECK(&r->test, !all.early || got == ASHLAR_ERR_MPI, "%s%s: not all say so", doing, name);
    CHECK(&r->test, !all.early || mode == DEAD || ranks_agree(MPI_COMM_WORLD, (int)got, s->err.text), "%s%s", doing,
          s->err.text);
    if (!(call->does & MAKES) || all.errors || !all.silent) {
        CHECK(&r->test, !all.silent || (call->does & MAKES), "%s%s: nothing is said", doing, name);
        return;
    }
    double x = 0;
    s->err = (ashlar_error){0};
    const ashlar_status next = ashlar_tiles_norm(s->a, &x, &s->err);
    CHECK(&r->test, next == ASHLAR_ERR_MPI && ranks_agree(MPI_COMM_WORLD, (int)next, s->err.text), "%sthen %s", doing,
          ashlar_status_name(next));
}

static void try_failure(scene *s, const tiles_call *call, const plain_run *p, failure_mode mode, int64_t n)
{
    rig *r = s->rig;
    const int64_t before = heap.live, live = failing.live;
    if (!try_begin(r, call->name, mode, p->calls[mode], n, PATIENCE))
        return;
    prepare(s);
    try_fail(r, mode, n);
    const ashlar_status got = call->make(s);
    check_outcome(s, call, p, mode, got);
    clear(s);
    CHECK(&r->test, heap.live == before, "%s%" PRId64 " allocations are lost", doing, heap.live - before);
    CHECK(&r->test, failing.live == live, "%s%" PRId64 " handles are lost", doing, failing.live - live);
    alarm(0);
}

/* Allocation n of a call, or its call n of the system, fails on one rank. Then the call is made again. */
static void try_one(scene *s, const tiles_call *call, const plain_run *p, ashlar_status wanted, int64_t n)
{
    rig *r = s->rig;
    const int64_t before = heap.live;
    const int victim = (int)(n % r->ranks);
    const bool of_system = wanted == ASHLAR_ERR_IO;
    snprintf(doing, sizeof doing, "%s: %s %" PRId64 " of rank %d of %d: ", call->name,
             of_system ? "call of the system" : "allocation", n, victim, r->ranks);
    alarm(PATIENCE);
    prepare(s);
    heap.failed = system_side.failed = false;
    heap.fail_at = r->rank == victim && !of_system ? heap.made + n : 0;
    system_side.fail_at = r->rank == victim && of_system ? system_side.made + n : 0;
    const ashlar_status got = call->make(s);
    int failed = heap.failed || system_side.failed;
    heap.fail_at = system_side.fail_at = 0;
    PMPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    const bool may_succeed = (call->does & (SHORTENS | TIDIES)) && got == ASHLAR_OK;
    CHECK(&r->test, got == (failed && !may_succeed ? wanted : ASHLAR_OK), "%s%s: %s", doing, ashlar_status_name(got),
          s->err.text);
    CHECK(&r->test, ranks_agree(MPI_COMM_WORLD, (int)got, s->err.text), "%s%s", doing, s->err.text);
    if (got != ASHLAR_OK) {
        const double after = norm_before(s);
        CHECK(&r->test, after >= p->norm && after <= p->norm, "%sthe matrix has changed", doing);
        s->err = (ashlar_error){0};
        CHECK(&r->test, call->make(s) == ASHLAR_OK, "%sagain: %s", doing, s->err.text);
    }
    clear(s);
    CHECK(&r->test, heap.live == before, "%s%" PRId64 " allocations are lost", doing, heap.live - before);
    alarm(0);
}

static void try_call(scene *s, const tiles_call *call)
{
    const plain_run p = run_plain(s, call);
    for (int mode = TOGETHER; mode <= NOT_MADE; mode++)
        for (int64_t n = 1; n <= p.most[mode]; n += 1 + p.most[mode] / MOST)
            try_failure(s, call, &p, (failure_mode)mode, n);
    for (int64_t n = 1; n <= p.allocations; n++)
        try_one(s, call, &p, ASHLAR_ERR_MEMORY, n);
    const bool files = call->make == save || call->make == load;
    CHECK(&s->rig->test, (p.of_system > 0) == files, "%s: %" PRId64 " calls of the system", call->name, p.of_system);
    for (int64_t n = 1; n <= p.of_system; n++)
        try_one(s, call, &p, ASHLAR_ERR_IO, n);
}

int main(int argc, char **argv)
{
    rig r;
    scene s = {.rig = &r};
    if (!ranks_begin(&r, &argc, &argv, 1))
        return 1;
    signal(SIGALRM, tell_and_end);
    ashlar_layout_block_cyclic(SIZE, SIZE, 3, 4, r.ranks, 1, 0, 0, NULL, ASHLAR_ROW_MAJOR, 0, &s.layout, NULL);
    save_first(&s);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        try_call(&s, &calls[i]);
    ashlar_layout_free(&s.layout);
    if (r.rank == 0)
        folder_remove(&s.folder);
    return ranks_end(&r, PROGRAM);
}

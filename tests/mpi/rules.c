/* What is read and what is not, and what stays the same however often, over whatever communicator, plans are used. */
#define _DEFAULT_SOURCE
#include "mpi/allocations.h"
#include "mpi/multiplying.h"
#include "mpi/ranks.h"

#include <sys/mman.h>

#define PROGRAM "rules"

/* Communicators and windows that Ashlar has: this program's own are made by another call. */
static int handles;

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *out)
{
    handles++;
    return PMPI_Comm_dup(comm, out);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *out)
{
    handles++;
    return PMPI_Comm_split_type(comm, type, key, info, out);
}

int MPI_Comm_free(MPI_Comm *comm)
{
    handles--;
    return PMPI_Comm_free(comm);
}

int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *out)
{
    handles++;
    return PMPI_Win_allocate(bytes, unit, info, comm, base, out);
}

int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *out)
{
    handles++;
    return PMPI_Win_allocate_shared(bytes, unit, info, comm, base, out);
}

int MPI_Win_free(MPI_Win *window)
{
    handles--;
    return PMPI_Win_free(window);
}

/* Reductions over all ranks. */
static int64_t agreements;

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    agreements++;
    return PMPI_Allreduce(from, to, count, type, op, comm);
}

/* What a job's matrices are filled with: a NaN everywhere where poisoned, else integers, or numbers that need rounding.
 */
typedef struct filling {
    bool poisoned[3], rounded;
} filling;

static const filling plain = {{false, false, false}, false}, rounded = {{false, false, false}, true};

/* A plan with its matrices. */
typedef struct job {
    product product;
    ashlar_options options;
    ashlar_layout *layout[3]; /* NULL: the plan's own */
    ashlar_plan *plan;
    part part[3];
} job;

/* Of any kind, or none; the same on all ranks for one seed. */
static bool job_layouts(job *j, uint64_t *state, int ranks, int rank)
{
    ashlar_error err = {0};
    for (int x = 0; x < 3; x++) {
        int64_t shape[2];
        product_shape(&j->product, x, shape);
        if (ashi_random_in(state, 0, 2) == 0)
            continue;
        j->layout[x] = random_part_layout(state, shape[0], shape[1], ranks, rank, &err);
        if (!j->layout[x])
            return false;
    }
    return true;
}

static ashlar_problem job_problem(const job *j)
{
    const product *q = &j->product;
    return (ashlar_problem){.type = q->type, .op_a = q->op[0], .op_b = q->op[1], .m = q->size[0], .n = q->size[1],
                            .k = q->size[2], .a = j->layout[0], .b = j->layout[1], .c = j->layout[2]};
}

static void job_begin(job *j, rig *r, MPI_Comm comm, ashlar_context *context, uint64_t seed, const int64_t size[3],
                      filling fill)
{
    uint64_t state = seed;
    int rank = 0, ranks = 0;
    ashlar_error err = {0};
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    *j = (job){.options = ashlar_options_default()};
    memcpy(j->product.size, size, sizeof j->product.size);
    random_product(&state, &j->product);
    narrow_at_times(&state, &j->product);
    j->product.alpha = (number){2, 0};
    for (int x = 0; x < 3; x++)
        j->product.content[x].integers = !fill.rounded;
    j->product.beta = (number){fill.poisoned[2] ? 0 : -3, 0};
    j->options.transport = seed % 3 ? ASHLAR_TWO_SIDED : ASHLAR_ONE_SIDED;
    j->options.route = seed % 2 ? ASHLAR_ROUTE_TREE : ASHLAR_ROUTE_DIRECT;
    CHECK(&r->test, job_layouts(j, &state, ranks, rank), CASE "no layout", CASE_OF(r));
    const ashlar_problem asked = job_problem(j);
    CHECK(&r->test, ashlar_plan_create(context, &asked, &j->options, &j->plan, &err) == ASHLAR_OK, CASE "%s",
          CASE_OF(r), err.text);
    for (int x = 0; x < 3; x++)
        CHECK(&r->test, part_make(&j->part[x], &j->product.content[x],
                                  j->layout[x] ? j->layout[x] : ashlar_plan_layout(j->plan, (ashlar_operand)x), rank,
                                  fill.poisoned[x]), CASE "no memory", CASE_OF(r));
}

static void job_run(job *j, rig *r)
{
    unsigned char alpha[16], beta[16];
    ashlar_error err = {0};
    number_store(ashlar_type_of_sums(j->product.type), j->product.alpha, alpha);
    number_store(ashlar_type_of_sums(j->product.type), j->product.beta, beta);
    part_refill(&j->part[2]);
    const int64_t before = agreements;
    CHECK(&r->test, ashlar_plan_execute(j->plan, alpha, j->part[0].base, j->part[1].base, beta, j->part[2].base,
                                        &err) == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
    const int64_t wanted = j->options.trusted ? 0 : 2; /* that all may begin, and that MPI has failed on none */
    CHECK(&r->test, agreements - before == wanted, CASE "%" PRId64 " agreements in an execution",
          CASE_OF(r), agreements - before);
}

static void job_check(job *j, rig *r, const char *what)
{
    CHECK(&r->test, product_error(&j->product, &j->part[2]) <= 1, CASE "%s: wrong C", CASE_OF(r), what);
    CHECK(&r->test, part_only_elements_changed(&j->part[2]), CASE "%s: memory around C", CASE_OF(r), what);
}

static void job_end(job *j)
{
    ashlar_plan_free(&j->plan);
    for (int x = 0; x < 3; x++) {
        part_free(&j->part[x]);
        ashlar_layout_free(&j->layout[x]);
    }
}

static void random_size(uint64_t seed, int64_t size[3])
{
    uint64_t state = seed;
    for (int d = 0; d < 3; d++)
        size[d] = ashi_random_in(&state, 1, 40);
}

/* beta = 0 over NaN; alpha = 0 and k = 0 with NaN in A and B, and with no A and B at all; no rows, no columns. */
static void try_unread(ashlar_context *context, rig *r)
{
    job j;
    int64_t size[3];
    random_size(r->seed, size);
    job_begin(&j, r, MPI_COMM_WORLD, context, r->seed, size, (filling){.poisoned = {false, false, true}});
    job_run(&j, r);
    job_check(&j, r, "beta = 0 over NaN");
    job_end(&j);
    for (int none = 0; none < 2; none++) {
        size[2] = none ? 0 : size[2];
        const bool unread = r->seed % 2;
        job_begin(&j, r, MPI_COMM_WORLD, context, r->seed, size, (filling){.poisoned = {true, true, unread}});
        j.product.alpha = none ? j.product.alpha : (number){0, 0};
        for (int x = 0; x < 2 && r->seed % 3 == 0; x++)
            j.part[x].base = NULL;
        job_run(&j, r);
        job_check(&j, r, none ? "k = 0" : "alpha = 0 over NaN");
        job_end(&j);
    }
    size[2] = 5;
    size[r->seed % 2] = 0;
    job_begin(&j, r, MPI_COMM_WORLD, context, r->seed, size, plain);
    job_run(&j, r);
    job_check(&j, r, "no elements");
    job_end(&j);
}

/* A hundred times: nothing is allocated, and the same bits come out. */
static void try_often(ashlar_context *context, rig *r)
{
    job j;
    int64_t size[3], made = 0;
    random_size(r->seed, size);
    job_begin(&j, r, MPI_COMM_WORLD, context, r->seed, size, rounded);
    job_run(&j, r);
    unsigned char *first = malloc(j.part[2].bytes);
    CHECK(&r->test, first, CASE "no memory", CASE_OF(r));
    if (first)
        memcpy(first, j.part[2].memory, j.part[2].bytes);
    for (int i = 0; i < 100 && first; i++) {
        const int64_t before = heap.made;
        job_run(&j, r);
        made += heap.made - before;
        CHECK(&r->test, memcmp(first, j.part[2].memory, j.part[2].bytes) == 0, CASE "other bits", CASE_OF(r));
    }
    CHECK(&r->test, made == 0, CASE "%" PRId64 " allocations", CASE_OF(r), made);
    job_check(&j, r, "the hundredth time");
    free(first);
    job_end(&j);
}

/* Several plans at once, in turn; and the same in one call where the layouts are known before. */
static void try_together(ashlar_context *context, rig *r)
{
    enum { JOBS = 3 };
    job j[JOBS];
    int64_t size[3];
    for (int i = 0; i < JOBS; i++) {
        random_size(r->seed + (uint64_t)i, size);
        job_begin(&j[i], r, MPI_COMM_WORLD, context, r->seed + (uint64_t)i, size, plain);
    }
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; i < JOBS; i++)
            job_run(&j[i], r);
    for (int i = 0; i < JOBS; i++) {
        job_check(&j[i], r, "in turn with others");
        if (!j[i].layout[0] || !j[i].layout[1] || !j[i].layout[2])
            continue;
        unsigned char alpha[16], beta[16];
        number_store(ashlar_type_of_sums(j[i].product.type), j[i].product.alpha, alpha);
        number_store(ashlar_type_of_sums(j[i].product.type), j[i].product.beta, beta);
        const ashlar_problem asked = job_problem(&j[i]);
        const ashlar_status got = ashlar_multiply(MPI_COMM_WORLD, &asked, NULL, alpha, j[i].part[0].base,
                                                  j[i].part[1].base, beta, j[i].part[2].base, NULL);
        CHECK(&r->test, got == ASHLAR_OK, CASE "%s", CASE_OF(r), ashlar_status_name(got));
        job_check(&j[i], r, "in one call");
    }
    for (int i = 0; i < JOBS; i++)
        job_end(&j[i]);
}

/* In memory of the caller's, and nowhere beside it. */
static void try_workspace(ashlar_context *context, rig *r)
{
    job j;
    int64_t size[3];
    ashlar_error err = {0};
    random_size(r->seed, size);
    r->seed += r->seed % 3 == 0; /* a window cannot be replaced */
    job_begin(&j, r, MPI_COMM_WORLD, context, r->seed, size, plain);
    const size_t word = ashlar_type_bytes(ashlar_type_of_sums(j.product.type));
    const size_t words = (size_t)ashlar_plan_workspace(j.plan);
    const size_t guard = GUARD * word;
    unsigned char *memory = malloc(words * word + 2 * guard), fence[GUARD * 16];
    CHECK(&r->test, memory, CASE "no memory", CASE_OF(r));
    memset(fence, 0xAB, sizeof fence);
    if (memory) {
        memset(memory, 0xAB, words * word + 2 * guard);
        const ashlar_status got = ashlar_plan_use_workspace(j.plan, words ? memory + guard : NULL, &err);
        CHECK(&r->test, got == ASHLAR_OK, CASE "%s", CASE_OF(r), err.text);
        job_run(&j, r);
        CHECK(&r->test, memcmp(memory, fence, guard) == 0 && memcmp(memory + guard + words * word, fence, guard) == 0,
              CASE "memory around the workspace", CASE_OF(r));
    }
    job_check(&j, r, "in the caller's workspace");
    job_end(&j);
    free(memory);
}

/* On half of the ranks, in the opposite order. */
static void try_other_comm(rig *r)
{
    job j;
    MPI_Comm half;
    int64_t size[3];
    ashlar_context *context = NULL;
    MPI_Comm_split(MPI_COMM_WORLD, r->rank % 2, -r->rank, &half);
    CHECK(&r->test, ashlar_context_create(half, &context, NULL) == ASHLAR_OK, CASE "no context", CASE_OF(r));
    random_size(r->seed, size);
    job_begin(&j, r, half, context, r->seed + (uint64_t)(r->rank % 2), size, plain);
    job_run(&j, r);
    job_check(&j, r, "on half of the ranks");
    job_end(&j);
    ashlar_context_free(&context);
    PMPI_Comm_free(&half);
}

/* More contexts, one after the other, than MPI can have at once. */
static void try_many_contexts(rig *r)
{
    const int many = r->ranks == 1 ? 3000 : 50;
    for (int i = 0; i < many; i++) {
        ashlar_context *context = NULL;
        ashlar_error err = {0};
        const ashlar_status got = ashlar_context_create(MPI_COMM_WORLD, &context, &err);
        CHECK(&r->test, got == ASHLAR_OK, "context %d: %s", i, err.text);
        ashlar_context_free(&context);
    }
}

/* A block-cyclic layout has one tile, the array that ashlar_plan_execute is given: a submatrix has the whole
 * matrix's. */
static void try_tiles(ashlar_context *context, rig *r)
{
    uint64_t state = r->seed + 77;
    unsigned char alpha[16], beta[16];
    ashlar_error err = {0};
    job j = {.options = ashlar_options_default()};
    random_size(r->seed, j.product.size);
    random_product(&state, &j.product);
    narrow_at_times(&state, &j.product);
    for (int x = 0; x < 3; x++) {
        int64_t shape[2];
        product_shape(&j.product, x, shape);
        j.layout[x] = random_submatrix(&state, shape[0], shape[1], r->ranks, &err);
        CHECK(&r->test, j.layout[x] && part_make(&j.part[x], &j.product.content[x], j.layout[x], r->rank, false),
              CASE "%s", CASE_OF(r), err.text);
    }
    const ashlar_problem asked = job_problem(&j);
    CHECK(&r->test, ashlar_plan_create(context, &asked, NULL, &j.plan, &err) == ASHLAR_OK, CASE "%s", CASE_OF(r),
          err.text);
    number_store(ashlar_type_of_sums(j.product.type), j.product.alpha, alpha);
    number_store(ashlar_type_of_sums(j.product.type), j.product.beta, beta);
    CHECK(&r->test, ashlar_plan_execute_tiles(j.plan, alpha, (const void *const[]){j.part[0].base},
                                              (const void *const[]){j.part[1].base}, beta,
                                              (void *const[]){j.part[2].base}, &err) == ASHLAR_OK,
          CASE "%s", CASE_OF(r), err.text);
    job_check(&j, r, "submatrices by tiles");
    job_end(&j);
}

/* A, B and C side by side in one array with its leading dimension; then C one row too early. */
static void try_side_by_side(ashlar_context *context, rig *r)
{
    enum { HEIGHT = 6, WIDTH = 8 }; /* of each rank's part of A, B and C */
    const int64_t m = HEIGHT * r->ranks, ld = 3 * HEIGHT;
    const double one = 1, zero = 0;
    double big[3 * HEIGHT * WIDTH];
    ashlar_layout *rows = NULL, *small = NULL;
    ashlar_plan *plan = NULL;
    const ashlar_status made = ashlar_layout_block_cyclic(m, WIDTH, HEIGHT, WIDTH, r->ranks, 1, 0, 0, NULL,
                                                          ASHLAR_COL_MAJOR, ld, &rows, NULL);
    CHECK(&r->test, made == ASHLAR_OK, "no layout");
    CHECK(&r->test, ashlar_layout_block_cyclic(WIDTH, WIDTH, WIDTH, WIDTH, 1, 1, 0, 0, NULL, ASHLAR_COL_MAJOR, ld,
                                               &small, NULL) == ASHLAR_OK, "no layout");
    const ashlar_problem problem = {.type = ASHLAR_TYPE_D, .m = m, .n = WIDTH, .k = WIDTH, .a = rows, .b = small,
                                    .c = rows};
    CHECK(&r->test, ashlar_plan_create(context, &problem, NULL, &plan, NULL) == ASHLAR_OK, "no plan");
    double b[3 * HEIGHT * WIDTH];
    for (int i = 0; i < 3 * HEIGHT * WIDTH; i++) {
        big[i] = i;
        b[i] = i % (int)ld == i / (int)ld ? 1 : 0; /* the identity, with the same leading dimension */
    }
    CHECK(&r->test, ashlar_plan_execute(plan, &one, big, b, &zero, big + 2 * HEIGHT, NULL) == ASHLAR_OK, "refused");
    for (int64_t i = 0; i < HEIGHT; i++)
        for (int64_t j = 0; j < WIDTH; j++)
            CHECK(&r->test, big[2 * HEIGHT + i + j * ld] == (double)(i + j * ld), "element %" PRId64, i);
    double *early = big + HEIGHT - 1;
    CHECK(&r->test, ashlar_plan_execute(plan, &one, big, b, &zero, early, NULL) == ASHLAR_ERR_ARG, "C in A");
    CHECK(&r->test, ashlar_plan_execute_tiles(plan, &one, (const void *const[]){big}, (const void *const[]){b}, &zero,
                                              (void *const[]){early}, NULL) == ASHLAR_ERR_ARG, "C in A, by tiles");
    ashlar_plan_free(&plan);
    ashlar_layout_free(&rows);
    ashlar_layout_free(&small);
}

/* k = 0 in the plan's own layouts: C is spread over the ranks, and a limit below a rank's share of it is refused. */
static void try_nothing(ashlar_context *context, rig *r)
{
    enum { EACH = 6, COLS = 5 };
    const ashlar_problem problem = {.type = ASHLAR_TYPE_D, .m = EACH * r->ranks, .n = COLS};
    const double one = 1, two = 2;
    ashlar_options options = ashlar_options_default();
    ashlar_plan *plan = NULL;
    ashlar_error err = {0};
    double c[EACH * COLS];
    options.memory_words = EACH * COLS - 1;
    const ashlar_status less = ashlar_plan_create(context, &problem, &options, &plan, &err);
    CHECK(&r->test, less == ASHLAR_ERR_LIMIT && !plan && strstr(err.text, ": 30 would do"), "%s", err.text);
    CHECK(&r->test, ashlar_context_memory_words(context) == 30, "%" PRId64, ashlar_context_memory_words(context));
    options.memory_words = EACH * COLS;
    CHECK(&r->test, ashlar_plan_create(context, &problem, &options, &plan, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(&r->test, ashlar_context_memory_words(context) == 0, "%" PRId64, ashlar_context_memory_words(context));
    const int64_t words = ashlar_layout_words(ashlar_plan_layout(plan, ASHLAR_C), r->rank);
    CHECK(&r->test, words == EACH * COLS, "%" PRId64 " words of C", words);
    for (int i = 0; i < EACH * COLS; i++)
        c[i] = i;
    CHECK(&r->test, ashlar_plan_execute(plan, &one, NULL, NULL, &two, c, &err) == ASHLAR_OK, "%s", err.text);
    for (int i = 0; i < EACH * COLS; i++)
        CHECK(&r->test, c[i] == 2 * i, "element %d", i);
    ashlar_plan_free(&plan);
}

/* Three columns of each matrix, further apart than BLAS can count; memory that is not touched is never there. */
static void try_far_columns(ashlar_context *context, rig *r)
{
    enum { EACH = 5, COLS = 3 };
    const int64_t m = EACH * r->ranks, ld = (INT64_C(1) << 31) + 9, words = COLS * ld;
    const float one = 1, zero = 0;
    float *at[3];
    ashlar_layout *tall = NULL, *small = NULL;
    ashlar_plan *plan = NULL;
    ashlar_error err = {0};
    CHECK(&r->test, ashlar_layout_block_cyclic(m, COLS, EACH, COLS, r->ranks, 1, 0, 0, NULL, ASHLAR_COL_MAJOR, ld,
                                               &tall, &err) == ASHLAR_OK, "%s", err.text);
    CHECK(&r->test, ashlar_layout_block_cyclic(COLS, COLS, COLS, COLS, 1, 1, 0, 0, NULL, ASHLAR_COL_MAJOR, ld, &small,
                                               &err) == ASHLAR_OK, "%s", err.text);
    const ashlar_problem problem = {
        .type = ASHLAR_TYPE_S, .m = m, .n = COLS, .k = COLS, .a = tall, .b = small, .c = tall};
    CHECK(&r->test, ashlar_plan_create(context, &problem, NULL, &plan, &err) == ASHLAR_OK, "%s", err.text);
    for (int x = 0; x < 3; x++) {
        at[x] = mmap(NULL, (size_t)words * sizeof(float), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        CHECK(&r->test, at[x] != MAP_FAILED, "no room in the address space");
        for (int64_t i = 0; i < EACH; i++)
            for (int64_t j = 0; j < COLS; j++)
                at[x][i + j * ld] = (float)(x == 1 ? i + 2 * j : i - 3 * j);
    }
    CHECK(&r->test, ashlar_plan_execute(plan, &one, at[0], at[1], &zero, at[2], &err) == ASHLAR_OK, "%s", err.text);
    for (int64_t i = 0; i < EACH; i++)
        for (int64_t j = 0; j < COLS; j++) {
            float want = 0;
            for (int64_t l = 0; l < COLS; l++)
                want += (float)(i - 3 * l) * (float)(l + 2 * j);
            CHECK(&r->test, at[2][i + j * ld] == want, "element %" PRId64 ", %" PRId64, i, j);
        }
    for (int x = 0; x < 3; x++)
        munmap(at[x], (size_t)words * sizeof(float));
    ashlar_plan_free(&plan);
    ashlar_layout_free(&tall);
    ashlar_layout_free(&small);
}

int main(int argc, char **argv)
{
    rig r;
    ashlar_context *context = NULL;
    if (!ranks_begin(&r, &argc, &argv, 12))
        return 1;
    const int64_t live = heap.live;
    CHECK(&r.test, ashlar_context_create(MPI_COMM_WORLD, &context, NULL) == ASHLAR_OK, "no context");
    for (uint64_t i = 0; i < r.cases && context; i++) {
        r.seed = r.first + i;
        try_unread(context, &r);
        try_often(context, &r);
        try_together(context, &r);
        try_other_comm(&r);
        try_workspace(context, &r);
        try_tiles(context, &r);
    }
    if (context) {
        try_side_by_side(context, &r);
        try_far_columns(context, &r);
        try_nothing(context, &r);
    }
    try_many_contexts(&r);
    ashlar_context_free(&context);
    CHECK(&r.test, handles == 0, "%d communicators and windows are not freed", handles);
    CHECK(&r.test, heap.live == live, "%" PRId64 " allocations are not freed", heap.live - live);
    return ranks_end(&r, PROGRAM);
}

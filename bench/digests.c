/* Prints a digest of the messages and of the result of random problems, by which two commits are compared. */
#include "die.h"
#include "problems.h"
#include "sent.h"

#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: digests [FIRST LAST [CHANGE]]\n\n"
    "Print a line for each of the problems FIRST to LAST (1 to 300). It is the same in every run of the same library\n"
    "on as many ranks, with the same BLAS at one thread. Problems depend on their number and on the ranks only.\n\n"
    "  messages  who sent how many elements to whom, in messages of which sizes\n"
    "  order     the same, with the order of each ordered pair's messages: in which their receives are posted\n"
    "  bits      the result of a product of fractions, bit by bit: it depends on the order of sums\n"
    "  values    the result for small integers, whose sums are exact in any order\n"
    "  words     elements sent, over all ranks\n"
    "  plan      the strategy and the grid that were taken, and what was dropped because it cannot be met\n\n"
    "CHANGE is element, size or order: what is changed in each problem, or in what is recorded of it, to see which\n"
    "digests show it. Messages are seen where MPI is called; only public calls of the library are used.\n";

enum { PROBLEMS = 300, ALIGNMENT = 64 };

typedef struct digest {
    ashi_sent sent;
    uint64_t bits, values;
} digest;

typedef struct job {
    const problem *p;
    int rank;
    ashlar_context *context;
    ashlar_plan *plan;   /* of a product */
    ashlar_mover *mover; /* of a movement */
    void *workspace;     /* the caller's */
    const ashlar_layout *layout[3];
    void *part[3];
    char without[32]; /* the demands that could not be met */
} job;

static void *aligned(int64_t count, ashlar_type type)
{
    const size_t bytes = ((size_t)count * ashlar_type_bytes(type) / ALIGNMENT + 1) * ALIGNMENT;
    void *out = aligned_alloc(ALIGNMENT, bytes);
    if (!out)
        ashi_die("no memory for %zu bytes", bytes);
    return out;
}

/* A fraction of 24 bits in [-1, 1), or an integer of -3 .. 3. */
static double number(uint64_t random, bool integers)
{
    return integers ? (double)(random % 7) - 3 : (double)(random >> 40) * 0x1p-23 - 1;
}

static void store(ashlar_type type, double re, double im, void *to)
{
    const float f[2] = {(float)re, (float)im};
    const double d[2] = {re, im};
    const bool single = type == ASHLAR_TYPE_S || type == ASHLAR_TYPE_C;
    memcpy(to, single ? (const void *)f : (const void *)d, ashlar_type_bytes(type));
}

static unsigned char *element_at(const job *j, int x, int64_t row, int64_t col)
{
    return (unsigned char *)j->part[x] +
           (size_t)ashlar_layout_offset(j->layout[x], row, col) * ashlar_type_bytes(j->p->type);
}

/* Random, and a function of matrix and place; under CHANGE_ELEMENT the middle one of A is another. */
static void fill_element(const job *j, int x, int64_t row, int64_t col, bool integers)
{
    const ashlar_layout *l = j->layout[x];
    const int64_t rows = ashlar_layout_rows(l), cols = ashlar_layout_cols(l);
    const uint64_t place = (uint64_t)(row + col * rows) * 3 + (uint64_t)x;
    uint64_t random = ashi_sent_mix(j->p->seed, place);
    if (j->p->change == CHANGE_ELEMENT && x == 0 && row == rows / 2 && col == cols / 2)
        random += (uint64_t)1 << 40; /* a multiple of 7 plus 2: another integer, and another fraction */
    store(j->p->type, number(random, integers), number(ashi_sent_mix(random, 1), integers), element_at(j, x, row, col));
}

static void fill(const job *j, int x, bool integers)
{
    const ashlar_layout *l = j->layout[x];
    for (int64_t row = 0; row < ashlar_layout_rows(l); row++)
        for (int64_t col = 0; col < ashlar_layout_cols(l); col++)
            if (ashlar_layout_owner(l, row, col) == j->rank)
                fill_element(j, x, row, col, integers);
}

/* Of the elements and their places in the matrix, whoever owns them. */
static uint64_t digest_matrix(const job *j, int x)
{
    uint64_t mine = 0, all = 0;
    const ashlar_layout *l = j->layout[x];
    for (int64_t row = 0; row < ashlar_layout_rows(l); row++)
        for (int64_t col = 0; col < ashlar_layout_cols(l); col++)
            if (ashlar_layout_owner(l, row, col) == j->rank) {
                uint64_t part[2] = {0};
                memcpy(part, element_at(j, x, row, col), ashlar_type_bytes(j->p->type));
                const uint64_t place = (uint64_t)(row + col * ashlar_layout_rows(l));
                mine += ashi_sent_mix(ashi_sent_mix(place, part[0]), part[1]);
            }
    if (MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS)
        ashi_die("MPI_Allreduce failed");
    return all;
}

static void require(ashlar_status status, const char *what, const ashlar_error *err)
{
    if (status != ASHLAR_OK)
        ashi_die("%s: %s", what, err->text);
}

static ashlar_status create(job *j, const ashlar_options *options, ashlar_error *err)
{
    const problem *p = j->p;
    const ashlar_problem q = {.type = p->type, .op_a = p->op[0], .op_b = p->op[1], .m = p->size[0], .n = p->size[1],
                              .k = p->size[2], .a = p->layout[0], .b = p->layout[1], .c = p->layout[2]};
    return ashlar_plan_create(j->context, &q, options, &j->plan, err);
}

/* As asked for; a strategy that cannot serve is dropped, then a limit that cannot be kept. */
static void make_plan(job *j)
{
    ashlar_error err = {0};
    ashlar_options options = j->p->options;
    ashlar_status status = create(j, &options, &err);
    if (status == ASHLAR_ERR_UNSUPPORTED && options.strategy) {
        options.strategy = NULL;
        strcat(j->without, ",no-strategy");
        status = create(j, &options, &err);
    }
    if (status == ASHLAR_ERR_LIMIT && options.memory_words > 0) {
        options.memory_words = 0;
        strcat(j->without, ",no-limit");
        status = create(j, &options, &err);
    }
    if (status == ASHLAR_ERR_UNSUPPORTED && options.strategy) { /* without the limit it is the strategy that fails */
        options.strategy = NULL;
        strcat(j->without, ",no-strategy");
        status = create(j, &options, &err);
    }
    require(status, "ashlar_plan_create", &err);
    if (options.caller_workspace) {
        j->workspace = aligned(ashlar_plan_workspace(j->plan), j->p->type);
        require(ashlar_plan_use_workspace(j->plan, j->workspace, &err), "ashlar_plan_use_workspace", &err);
    }
    for (int x = 0; x < 3; x++)
        j->layout[x] = ashlar_plan_layout(j->plan, (ashlar_operand)x);
}

static void make_mover(job *j)
{
    ashlar_error err = {0};
    const problem *p = j->p;
    ashlar_mover_options options = ashlar_mover_options_default();
    options.memory_words = p->limit;
    ashlar_status status = ashlar_mover_create(j->context, p->type, p->op[0], p->layout[0], p->layout[1], &options,
                                               &j->mover, &err);
    if (status == ASHLAR_ERR_LIMIT) {
        options.memory_words = 0;
        strcat(j->without, ",no-limit");
        status = ashlar_mover_create(j->context, p->type, p->op[0], p->layout[0], p->layout[1], &options, &j->mover,
                                     &err);
    }
    require(status, "ashlar_mover_create", &err);
    for (int x = 0; x < 2; x++)
        j->layout[x] = p->layout[x];
}

static void make_parts(job *j)
{
    for (int x = 0; x < 3; x++)
        if (j->layout[x])
            j->part[x] = aligned(ashlar_layout_extent(j->layout[x], j->rank), j->p->type);
}

/* Elements that an execution sends, over all ranks, as the library says. */
static int64_t words_said(job *j)
{
    ashlar_error err = {0};
    ashlar_figures figures = {0};
    ashlar_movement movement = {0};
    if (j->p->moves) {
        require(ashlar_mover_explain(j->mover, &movement, &err), "ashlar_mover_explain", &err);
        return j->p->alpha == 0 ? 0 : movement.words_total;
    }
    require(ashlar_plan_measured(j->plan, &figures, &err), "ashlar_plan_measured", &err);
    return figures.words_total;
}

/* Execute once; the messages recorded must be all that the library counts, or the digests would miss some. */
static ashi_sent execute(job *j, bool integers)
{
    unsigned char alpha[16], beta[16];
    ashlar_error err = {0};
    const problem *p = j->p;
    store(p->type, p->alpha, 0, alpha);
    store(p->type, p->beta, 0, beta);
    for (int x = 0; x < 3; x++)
        if (j->layout[x])
            fill(j, x, integers);
    ashi_sent_begin();
    if (p->moves)
        require(ashlar_mover_execute(j->mover, alpha, j->part[0], beta, j->part[1], &err), "ashlar_mover_execute",
                &err);
    else
        require(ashlar_plan_execute(j->plan, alpha, j->part[0], j->part[1], beta, j->part[2], &err),
                "ashlar_plan_execute", &err);
    const ashi_sent sent = ashi_sent_end(p->change == CHANGE_ORDER);
    const int64_t said = words_said(j);
    if (sent.words != said)
        ashi_die("problem %" PRIu64 ": %" PRId64 " words were sent by calls that are recorded, %" PRId64 " in all",
                 p->seed, sent.words, said);
    return sent;
}

static digest run(job *j)
{
    const int result = j->p->moves ? 1 : 2;
    digest d = {.sent = execute(j, false)};
    d.bits = digest_matrix(j, result);
    const ashi_sent again = execute(j, true);
    d.values = digest_matrix(j, result);
    if (again.messages != d.sent.messages || again.order != d.sent.order)
        ashi_die("problem %" PRIu64 ": a second execution of the plan sends other messages", j->p->seed);
    return d;
}

static void print_line(const job *j, const digest *d)
{
    char text[512];
    ashlar_error err = {0};
    ashlar_explanation why = {.strategy = "move"};
    if (j->rank != 0)
        return;
    if (j->plan)
        require(ashlar_plan_explain(j->plan, &why, &err), "ashlar_plan_explain", &err);
    problem_describe(j->p, text, sizeof text);
    printf("%" PRIu64 " messages=%016" PRIx64 " order=%016" PRIx64 " bits=%016" PRIx64 " values=%016" PRIx64
           " words=%" PRId64 " plan=%s,%" PRId64 "x%" PRId64 "x%" PRId64 "%s | %s\n",
           j->p->seed, d->sent.messages, d->sent.order, d->bits, d->values, d->sent.words, why.strategy, why.grid[0],
           why.grid[1], why.grid[2], j->without, text);
}

/* The problem's torus is the communicator's: its ranks are those of MPI_COMM_WORLD. */
static ashlar_context *context_on_torus(const problem *p)
{
    MPI_Comm cart = MPI_COMM_NULL;
    ashlar_context *out = NULL;
    ashlar_error err = {0};
    int round[PROBLEM_TORUS_MOST];
    for (int d = 0; d < PROBLEM_TORUS_MOST; d++)
        round[d] = 1;
    if (MPI_Cart_create(MPI_COMM_WORLD, p->torus_dims, p->torus, round, 0, &cart) != MPI_SUCCESS)
        ashi_die("MPI_Cart_create failed");
    require(ashlar_context_create(cart, &out, &err), "ashlar_context_create", &err);
    MPI_Comm_free(&cart);
    return out;
}

static void try_problem(const problem *p, ashlar_context *context, int rank)
{
    ashlar_context *torus = p->torus_dims > 0 && !p->moves ? context_on_torus(p) : NULL;
    job j = {.p = p, .rank = rank, .context = torus ? torus : context};
    if (p->moves)
        make_mover(&j);
    else
        make_plan(&j);
    make_parts(&j);
    const digest d = run(&j);
    print_line(&j, &d);
    ashlar_plan_free(&j.plan);
    ashlar_mover_free(&j.mover);
    ashlar_context_free(&torus);
    free(j.workspace);
    for (int x = 0; x < 3; x++)
        free(j.part[x]);
}

static change read_change(const char *text)
{
    static const char *const names[] = {"none", "element", "size", "order"};
    for (int c = CHANGE_NONE; c <= CHANGE_ORDER; c++)
        if (strcmp(text, names[c]) == 0)
            return (change)c;
    ashi_die("'%s', wanted element, size or order", text);
}

static uint64_t read_number(const char *text)
{
    char *end = NULL;
    const unsigned long long value = strtoull(text, &end, 10);
    if (end == text || *end != '\0')
        ashi_die("'%s', wanted a problem's number", text);
    return value;
}

int main(int argc, char **argv)
{
    int rank = 0, ranks = 0;
    ashlar_context *context = NULL;
    ashlar_error err = {0};
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc == 2 || argc > 4) {
        if (rank == 0)
            fputs(help, stdout);
        MPI_Finalize();
        return argc > 2;
    }
    const uint64_t first = argc > 2 ? read_number(argv[1]) : 1, last = argc > 2 ? read_number(argv[2]) : PROBLEMS;
    const change changed = argc > 3 ? read_change(argv[3]) : CHANGE_NONE;
    require(ashlar_context_create(MPI_COMM_WORLD, &context, &err), "ashlar_context_create", &err);
    for (uint64_t seed = first; seed <= last; seed++) {
        problem p = problem_random(seed, changed, rank, ranks);
        try_problem(&p, context, rank);
        problem_free(&p);
    }
    ashi_sent_begin(); /* forgets */
    ashlar_context_free(&context);
    MPI_Finalize();
    return 0;
}

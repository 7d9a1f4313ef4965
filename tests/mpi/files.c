/* Products of matrices in files, in memory and mixed: the bits of the same product in memory, what is read and written
 * is what was predicted, and wrong calls are refused on all ranks alike. */
#define PROGRAM "files"

#include "base/checked.h"
#include "cli/values.h"
#include "mpi/filing.h"
#include "store_check.h"

typedef struct job {
    rig *rig;
    ashlar_context *context;
    folder folder;            /* the same on all ranks */
    ashlar_problem problem;
    ashlar_layout *layout[3]; /* block-cyclic, of A, B and C as stored */
    char *data[4];            /* this rank's parts of A, B, C after the product, and C0 */
    char place[4][PATH_BYTES];
    unsigned char alpha[16], beta[16];
} job;

static ashlar_error none;

/* All ranks have the status and the text. */
static void expect_refused(job *j, ashlar_status status, const ashlar_error *err, ashlar_status wanted,
                           const char *says)
{
    CHECK(&j->rig->test, status == wanted && strstr(err->text, says), CASE "status %d, '%s', wanted '%s'",
          CASE_OF(j->rig), (int)status, err->text, says);
    CHECK(&j->rig->test, ranks_agree(MPI_COMM_WORLD, (int)status, err->text), CASE "ranks disagree: %s",
          CASE_OF(j->rig), err->text);
}

static void scalar(ashlar_type type, double value, unsigned char out[16])
{
    const double wide[2] = {value, 0};
    const float narrow[2] = {(float)value, 0};
    memcpy(out, type == ASHLAR_TYPE_D || type == ASHLAR_TYPE_Z ? (const void *)wide : (const void *)narrow,
           ashlar_type_bytes(type));
}

static size_t bytes_of(const job *j, int x)
{
    return (size_t)ashlar_layout_extent(j->layout[x], j->rig->rank) * ashlar_type_bytes(j->problem.type);
}

/* Matrix x as stored: integers that sums are exact in, whatever their order is. */
static void fill(const job *j, int x, char *data)
{
    const ashi_values values = {j->problem.type, ASHI_VALUES_INTEGERS, j->rig->seed * 8 + (uint64_t)x};
    const ashlar_layout *layout = j->layout[x < 3 ? x : 2];
    for (int64_t row = 0; row < ashlar_layout_rows(layout); row++)
        for (int64_t col = 0; col < ashlar_layout_cols(layout); col++)
            if (ashlar_layout_owner(layout, row, col) == j->rig->rank)
                ashi_values_fill(&values, row, 1, col, 1,
                                 data + ashlar_layout_offset(layout, row, col) *
                                            (int64_t)ashlar_type_bytes(j->problem.type), 1, 1);
}

static ashlar_layout *random_layout(job *j, uint64_t *state, int64_t rows, int64_t cols)
{
    ashlar_layout *out = NULL;
    int down = (int)ashi_random_in(state, 1, j->rig->ranks);
    while (j->rig->ranks % down != 0)
        down--;
    const int64_t mb = ashi_random_in(state, 1, 9), nb = ashi_random_in(state, 1, 9);
    const ashlar_order order = (ashlar_order)ashi_random_in(state, 0, 1);
    GOOD(j, ashlar_layout_block_cyclic(rows, cols, mb, nb, down, j->rig->ranks / down, 0, 0, NULL, order, 0, &out,
                                       &err));
    return out;
}

/* Write matrix x of this rank's data to its place. */
static void write_matrix_file(job *j, int x, uint64_t *state)
{
    const ashlar_layout *layout = j->layout[x < 3 ? x : 2];
    ashlar_file *file = NULL;
    const ashlar_order order = (ashlar_order)ashi_random_in(state, 0, 1);
    GOOD(j, ashlar_file_create(j->context, j->place[x], j->problem.type, ashlar_layout_rows(layout),
                               ashlar_layout_cols(layout), order, &file, &err));
    GOOD(j, ashlar_file_write(file, layout, j->data[x], &err));
    GOOD(j, ashlar_file_publish(file, &err));
    ashlar_file_close(&file);
}

/* A random problem, its operands in memory and, all of them, in files; C in memory. */
static void begin(job *j, uint64_t *state)
{
    static const ashlar_type wide[2] = {ASHLAR_TYPE_D, ASHLAR_TYPE_Z};
    const bool text = ashi_random_in(state, 0, 1); /* Matrix Market is read as d or z only */
    ashlar_problem *p = &j->problem;
    *p = (ashlar_problem){.size = sizeof *p,
                          .type = text ? wide[ashi_random_in(state, 0, 1)] : (ashlar_type)ashi_random_in(state, 0, 3),
                          .op_a = (ashlar_op)ashi_random_in(state, 0, 2),
                          .op_b = (ashlar_op)ashi_random_in(state, 0, 2),
                          .m = ashi_random_in(state, 1, 40), .n = ashi_random_in(state, 1, 40),
                          .k = ashi_random_in(state, 1, 60)};
    scalar(p->type, (double)ashi_random_in(state, -1, 2), j->alpha);
    scalar(p->type, (double)ashi_random_in(state, -1, 2), j->beta);
    const bool plain[2] = {p->op_a == ASHLAR_OP_N, p->op_b == ASHLAR_OP_N};
    j->layout[0] = random_layout(j, state, plain[0] ? p->m : p->k, plain[0] ? p->k : p->m);
    j->layout[1] = random_layout(j, state, plain[1] ? p->k : p->n, plain[1] ? p->n : p->k);
    j->layout[2] = random_layout(j, state, p->m, p->n);
    for (int x = 0; x < 4; x++) {
        random_place(&j->folder, x, text, state, j->place[x]);
        j->data[x] = calloc(bytes_of(j, x < 3 ? x : 2) + 1, 1);
        if (!j->data[x])
            exit(1);
        fill(j, x, j->data[x]);
        if (x != 2)
            write_matrix_file(j, x, state);
    }
    memcpy(j->data[2], j->data[3], bytes_of(j, 2));
}

static void end(job *j)
{
    for (int x = 0; x < 4; x++)
        free(j->data[x]);
    for (int x = 0; x < 3; x++)
        ashlar_layout_free(&j->layout[x]);
}

static void multiply_in_memory(job *j)
{
    ashlar_problem p = j->problem;
    ashlar_plan *plan = NULL;
    p.a = j->layout[0];
    p.b = j->layout[1];
    p.c = j->layout[2];
    GOOD(j, ashlar_plan_create(j->context, &p, NULL, &plan, &err));
    GOOD(j, ashlar_plan_execute(plan, j->alpha, j->data[0], j->data[1], j->beta, j->data[2], &err));
    ashlar_plan_free(&plan);
}

/* Whether this rank has the same numbers of C in both. The sign of a zero depends on how a BLAS cuts a product. */
static bool same_numbers(const job *j, const void *x, const void *y)
{
    const bool wide = j->problem.type == ASHLAR_TYPE_D || j->problem.type == ASHLAR_TYPE_Z;
    const double *const d[2] = {x, y};
    const float *const f[2] = {x, y};
    const size_t count = bytes_of(j, 2) / (wide ? sizeof(double) : sizeof(float));
    bool same = true;
    for (size_t i = 0; i < count && same; i++)
        same = wide ? d[0][i] == d[1][i] : f[0][i] == f[1][i];
    return same;
}

/* A file has this rank's data of C. */
static void compare(job *j, const char *place, const char *what)
{
    ashlar_file *file = NULL;
    const size_t bytes = bytes_of(j, 2);
    char *found = calloc(bytes + 1, 1);
    if (!found)
        exit(1);
    GOOD(j, ashlar_file_open(j->context, place, &file, &err));
    GOOD(j, ashlar_file_read(file, j->layout[2], found, &err));
    CHECK(&j->rig->test, same_numbers(j, found, j->data[2]), CASE "%s: C differs in %s", CASE_OF(j->rig), what,
          place);
    ashlar_file_close(&file);
    free(found);
}

static bool nonzero(const unsigned char scalar_bytes[16], ashlar_type type)
{
    static const unsigned char zero[16];
    return memcmp(scalar_bytes, zero, ashlar_type_bytes(type)) != 0;
}

/* Figures of an execution are those predicted, if all of it was predicted: alpha and beta are not 0. */
static void check_figures(job *j, ashlar_plan *plan, int64_t limit, bool streamed)
{
    ashlar_figures predicted = {0}, found = {0};
    GOOD(j, ashlar_plan_predicted(plan, &predicted, &err));
    GOOD(j, ashlar_plan_measured(plan, &found, &err));
    CHECK(&j->rig->test, limit == 0 || found.memory_words <= limit, CASE "%" PRId64 " words are held of %" PRId64,
          CASE_OF(j->rig), found.memory_words, limit);
    if (!nonzero(j->alpha, j->problem.type) || !nonzero(j->beta, j->problem.type))
        return;
    CHECK(&j->rig->test, predicted.disk_words == found.disk_words && predicted.words_total == found.words_total &&
          predicted.memory_words == found.memory_words, CASE "disk %" PRId64 ", %" PRId64 "; words %" PRId64 ", %"
          PRId64 "; memory %" PRId64 ", %" PRId64, CASE_OF(j->rig), predicted.disk_words, found.disk_words,
          predicted.words_total, found.words_total, predicted.memory_words, found.memory_words);
    CHECK(&j->rig->test, !streamed || (predicted.seconds > 0 && found.read_seconds == 0), CASE "seconds",
          CASE_OF(j->rig));
}

static void verify(job *j, ashlar_verification *check, char *const part[3])
{
    ashlar_verdict verdict = {0};
    GOOD(j, ashlar_verify_end(check, j->alpha, part[0], part[1], part[2], &verdict, &err));
    CHECK(&j->rig->test, verdict.passed && verdict.vectors == 8, CASE "not passed: %g", CASE_OF(j->rig), verdict.worst);
}

/* The product with some of the matrices in files, within a limit. Bit x of `in_files`: matrix x. `method`: NULL, or the
 * schedule that is asked for. */
static void multiply_filed(job *j, int in_files, int64_t limit, const char *method, uint64_t *state)
{
    ashlar_file *file[4] = {0};
    ashlar_problem p = j->problem;
    ashlar_options options = ashlar_options_default();
    ashlar_plan *plan = NULL;
    ashlar_verification *check = NULL;
    ashlar_explanation why = {0};
    char *part[3] = {NULL, NULL, NULL};
    options.memory_words = limit;
    options.strategy = method;
    for (int x = 0; x < 2; x++)
        if (in_files >> x & 1)
            GOOD(j, ashlar_file_open(j->context, j->place[x], &file[x], &err));
    if (in_files & 4) {
        GOOD(j, ashlar_file_create(j->context, j->place[2], p.type, p.m, p.n, (ashlar_order)ashi_random_in(state, 0, 1),
                                   &file[2], &err));
        if (nonzero(j->beta, p.type) || ashi_random_in(state, 0, 1))
            GOOD(j, ashlar_file_open(j->context, j->place[3], &file[3], &err));
    }
    p.a_file = file[0];
    p.b_file = file[1];
    p.c_file = file[2];
    p.c0_file = file[3];
    p.a = file[0] ? NULL : j->layout[0];
    p.b = file[1] ? NULL : j->layout[1];
    p.c = file[2] ? NULL : j->layout[2];
    for (int x = 0; x < 2; x++)
        part[x] = file[x] ? NULL : j->data[x];
    part[2] = file[2] ? NULL : malloc(bytes_of(j, 2) + 1);
    if (part[2])
        memcpy(part[2], j->data[3], bytes_of(j, 2));
    GOOD(j, ashlar_plan_create(j->context, &p, &options, &plan, &err));
    GOOD(j, ashlar_plan_explain(plan, &why, &err));
    const bool streamed = why.bound_disk_case != NULL;
    CHECK(&j->rig->test, !streamed || (limit > 0 && in_files == 7 &&
                                       strcmp(why.strategy, method ? method : "sequential") == 0 &&
                                       why.bound_disk_words > 0 && !ashlar_plan_layout(plan, ASHLAR_C)),
          CASE "streamed: %s", CASE_OF(j->rig), why.reason);
    const bool checked = ashi_random_in(state, 0, 1);
    if (checked)
        GOOD(j, ashlar_verify_begin(plan, j->beta, part[2], &check, &err));
    GOOD(j, ashlar_plan_execute(plan, j->alpha, part[0], part[1], j->beta, part[2], &err));
    check_figures(j, plan, limit, streamed);
    if (checked)
        verify(j, check, part);
    ashlar_verify_free(&check);
    ashlar_plan_free(&plan);
    if (file[2]) {
        GOOD(j, ashlar_file_publish(file[2], &err));
        compare(j, j->place[2], streamed ? "streamed" : "read and written");
    } else {
        CHECK(&j->rig->test, same_numbers(j, part[2], j->data[2]), CASE "C differs in memory",
              CASE_OF(j->rig));
    }
    free(part[2]);
    for (int x = 0; x < 4; x++)
        ashlar_file_close(&file[x]);
}

/* Whether each rank has a part of whatever a method cuts. */
static bool is_for_methods(const job *j)
{
    const ashlar_problem *p = &j->problem;
    return ashi_min(ashi_min(p->m, p->n), p->k) >= j->rig->ranks;
}

static void multiply_by_method(job *j, uint64_t *state)
{
    static const char *const methods[] = {"rotation", "replication-a", "replication-b", "accumulation"};
    static const char *const orders[] = {"ABC", "ACB", "BAC", "BCA", "CAB", "CBA"};
    char name[40];
    snprintf(name, sizeof name, "%s/%s/%s", ashi_random_in(state, 0, 1) ? "inside" : "outside",
             methods[ashi_random_in(state, 0, 3)], orders[ashi_random_in(state, 0, 5)]);
    multiply_filed(j, 7, ashi_random_in(state, 40, 1000), name, state);
}

static void one_case(job *j)
{
    uint64_t state = j->rig->seed;
    begin(j, &state);
    multiply_in_memory(j);
    multiply_filed(j, (int)ashi_random_in(&state, 1, 7), 0, NULL, &state);
    multiply_filed(j, 7, ashi_random_in(&state, 3, 40), NULL, &state);
    multiply_filed(j, 7, ashi_random_in(&state, 40, 4000), NULL, &state);
    if (is_for_methods(j))
        multiply_by_method(j, &state);
    end(j);
}

/* As the paper has it, C0 is added by every rank, and summed over all of them. */
static void accumulation_adds_c0_once(job *j)
{
    static const char *const methods[] = {"inside/accumulation/ABC", "outside/accumulation/ABC",
                                          "inside/accumulation/CAB", "outside/accumulation/CAB"};
    const uint64_t seed = j->rig->seed;
    uint64_t state = seed;
    bool adds = false;
    do {
        begin(j, &state);
        adds = nonzero(j->alpha, j->problem.type) && nonzero(j->beta, j->problem.type) && is_for_methods(j);
        if (!adds)
            end(j);
        j->rig->seed++;
    } while (!adds);
    multiply_in_memory(j);
    for (int i = 0; i < 4; i++)
        multiply_filed(j, 7, 200, methods[i], &state);
    end(j);
    j->rig->seed = seed;
}

/* ---- wrong calls ---- */

static void refused_files(job *j)
{
    ashlar_file *file = NULL;
    ashlar_file_info info = {0};
    ashlar_error told = none;
    char place[PATH_BYTES];
    folder_name(&j->folder, "missing.npy", place);
    ashlar_status status = ashlar_file_open(j->context, place, &file, &told);
    expect_refused(j, status, &told, ASHLAR_ERR_IO, "missing.npy");
    CHECK(&j->rig->test, !file, "a file that is missing");
    status = ashlar_file_create(j->context, place, ASHLAR_TYPE_D, 3, j->rig->rank == 0 ? 4 : 5, ASHLAR_ROW_MAJOR, &file,
                                &told);
    if (j->rig->ranks > 1)
        expect_refused(j, status, &told, ASHLAR_ERR_ARG, "ranks disagree about cols");
    ashlar_file_close(&file);
    GOOD(j, ashlar_file_create(j->context, place, ASHLAR_TYPE_C, 3, 4, ASHLAR_COL_MAJOR, &file, &err));
    GOOD(j, ashlar_file_describe(file, &info, &err));
    CHECK(&j->rig->test, info.type == ASHLAR_TYPE_C && info.rows == 3 && info.cols == 4 &&
          info.order == ASHLAR_COL_MAJOR, "described wrong");
    ashlar_layout *layout = NULL, *other = NULL;
    float data[2 * 12] = {0};
    GOOD(j, ashlar_layout_block_cyclic(3, 4, 2, 2, 1, j->rig->ranks, 0, 0, NULL, ASHLAR_COL_MAJOR, 0, &layout, &err));
    GOOD(j, ashlar_layout_block_cyclic(4, 4, 2, 2, 1, j->rig->ranks, 0, 0, NULL, ASHLAR_COL_MAJOR, 0, &other, &err));
    told = none;
    status = ashlar_file_read(file, layout, data, &told);
    expect_refused(j, status, &told, ASHLAR_ERR_ARG, "was created for writing");
    status = ashlar_file_write(file, other, data, &told);
    expect_refused(j, status, &told, ASHLAR_ERR_ARG, "the layout is 4 x 4, wanted 3 x 4");
    GOOD(j, ashlar_file_write(file, layout, data, &err));
    GOOD(j, ashlar_file_publish(file, &err));
    status = ashlar_file_publish(file, &told);
    expect_refused(j, status, &told, ASHLAR_ERR_ARG, "is not open for publishing");
    ashlar_file_close(&file);
    GOOD(j, ashlar_file_open(j->context, place, &file, &err));
    status = ashlar_file_write(file, layout, data, &told);
    expect_refused(j, status, &told, ASHLAR_ERR_ARG, "was opened for reading");
    status = ashlar_file_publish(file, &told);
    expect_refused(j, status, &told, ASHLAR_ERR_ARG, "was opened for reading");
    ashlar_file_close(&file);
    ashlar_layout_free(&layout);
    ashlar_layout_free(&other);
}

static void refuse_plan(job *j, const ashlar_problem *p, const ashlar_options *o, ashlar_status wanted,
                        const char *says)
{
    ashlar_plan *plan = NULL;
    ashlar_error told = {0};
    const ashlar_status status = ashlar_plan_create(j->context, p, o, &plan, &told);
    expect_refused(j, status, &told, wanted, says);
    CHECK(&j->rig->test, !plan, "a plan that was refused: %s", says);
}

/* A and B of 6 x 6 in a file, C to be written to another. */
static void refused_plans(job *j, ashlar_file *a, ashlar_file *c, const ashlar_layout *layout)
{
    const double one = 1, zero = 0, data[36] = {0};
    ashlar_options o = ashlar_options_default();
    ashlar_problem good = {.size = sizeof good, .type = ASHLAR_TYPE_D, .m = 6, .n = 6, .k = 6, .a_file = a,
                           .b_file = a, .c_file = c}, p = good;
    ashlar_plan *plan = NULL;
    ashlar_error told = {0};
    p.m = 5;
    refuse_plan(j, &p, NULL, ASHLAR_ERR_ARG, "A is 6 x 6 in its file, wanted 5 x 6");
    p = good, p.type = ASHLAR_TYPE_S;
    refuse_plan(j, &p, NULL, ASHLAR_ERR_ARG, "A is of type d (double) in its file, wanted s (float)");
    p = good, p.b_file = c;
    refuse_plan(j, &p, NULL, ASHLAR_ERR_ARG, "the file of B was created, wanted one that was opened");
    p = good, p.c_file = a;
    refuse_plan(j, &p, NULL, ASHLAR_ERR_ARG, "the file of C was opened, wanted one that was created");
    p = good, p.a = layout;
    refuse_plan(j, &p, NULL, ASHLAR_ERR_ARG, "A has a layout and a file");
    p = good, p.c_file = NULL, p.c0_file = a;
    refuse_plan(j, &p, NULL, ASHLAR_ERR_ARG, "c0_file is given and c_file is NULL");
    o.caller_workspace = true;
    refuse_plan(j, &good, &o, ASHLAR_ERR_ARG, "caller_workspace is for matrices in memory");
    o = ashlar_options_default(), o.memory_words = 2;
    refuse_plan(j, &good, &o, ASHLAR_ERR_LIMIT, ": 3 would do (a word is 8 bytes)");
    CHECK(&j->rig->test, ashlar_context_memory_words(j->context) == 3, "streamed");
    o.memory_words = 3; /* refused in memory, and streamed */
    GOOD(j, ashlar_plan_create(j->context, &good, &o, &plan, &err));
    CHECK(&j->rig->test, ashlar_context_memory_words(j->context) == 0, "nothing was refused");
    ashlar_plan_free(&plan);
    p = good, p.b_file = NULL, o.memory_words = 2;
    refuse_plan(j, &p, &o, ASHLAR_ERR_LIMIT, "would do (a word is 8 bytes)");
    CHECK(&j->rig->test, ashlar_context_memory_words(j->context) > 3, "slab by slab");
    o.strategy = "outside/rotation/BCA";
    refuse_plan(j, &good, &o, ASHLAR_ERR_LIMIT, "the schedule \"outside/rotation/BCA\" needs ");
    p.b = layout;
    refuse_plan(j, &p, &o, ASHLAR_ERR_UNSUPPORTED, "the schedule \"outside/rotation/BCA\" is for matrices in files");
    GOOD(j, ashlar_plan_create(j->context, &good, NULL, &plan, &err));
    ashlar_status status = ashlar_plan_execute(plan, &one, data, NULL, &zero, NULL, &told);
    expect_refused(j, status, &told, ASHLAR_ERR_ARG, "a is in a file, wanted NULL");
    status = ashlar_plan_execute(plan, &one, NULL, NULL, &one, NULL, &told);
    expect_refused(j, status, &told, ASHLAR_ERR_ARG, "beta is not 0 and there is no c0_file");
    status = ashlar_plan_use_workspace(plan, (void *)(uintptr_t)data, &told);
    expect_refused(j, status, &told, ASHLAR_ERR_ARG, "has memory of its own");
    GOOD(j, ashlar_plan_execute(plan, &one, NULL, NULL, &zero, NULL, &err));
    GOOD(j, ashlar_plan_execute(plan, &one, NULL, NULL, &zero, NULL, &err)); /* again */
    GOOD(j, ashlar_file_publish(c, &err));
    status = ashlar_plan_execute(plan, &one, NULL, NULL, &zero, NULL, &told);
    expect_refused(j, status, &told, ASHLAR_ERR_ARG, "the file of c is no longer open for writing");
    ashlar_plan_free(&plan);
    refuse_plan(j, &good, NULL, ASHLAR_ERR_ARG, "the file of C is no longer open for writing");
}

/* A is cut short once it is open: all ranks fail alike, and C's file cannot be published. */
static void truncated(job *j, ashlar_file *a, const char *place)
{
    const double one = 1, zero = 0;
    char to[PATH_BYTES];
    ashlar_file *c = NULL;
    ashlar_plan *plan = NULL;
    ashlar_options o = ashlar_options_default();
    folder_name(&j->folder, "never.npy", to);
    MPI_Barrier(MPI_COMM_WORLD);
    if (j->rig->rank == 0)
        CHECK(&j->rig->test, truncate(place, 200) == 0, "truncate");
    MPI_Barrier(MPI_COMM_WORLD);
    for (int streamed = 0; streamed < 2; streamed++) {
        o.memory_words = streamed ? 20 : 0;
        GOOD(j, ashlar_file_create(j->context, to, ASHLAR_TYPE_D, 6, 6, ASHLAR_ROW_MAJOR, &c, &err));
        const ashlar_problem p = {.size = sizeof p, .type = ASHLAR_TYPE_D, .m = 6, .n = 6, .k = 6, .a_file = a,
                                  .b_file = a, .c_file = c};
        ashlar_error told = {0};
        GOOD(j, ashlar_plan_create(j->context, &p, &o, &plan, &err));
        ashlar_status status = ashlar_plan_execute(plan, &one, NULL, NULL, &zero, NULL, &told);
        expect_refused(j, status, &told, ASHLAR_ERR_IO, "square.npy");
        status = ashlar_file_publish(c, &told);
        expect_refused(j, status, &told, ASHLAR_ERR_ARG, "is not complete, since writing it failed");
        ashlar_plan_free(&plan);
        ashlar_file_close(&c);
    }
    CHECK(&j->rig->test, access(to, F_OK) != 0, "an output of what failed");
}

static void refusals(job *j)
{
    char place[PATH_BYTES], to[PATH_BYTES];
    ashlar_file *a = NULL, *c = NULL;
    ashlar_layout *layout = NULL;
    double data[36] = {0};
    folder_name(&j->folder, "square.npy", place);
    folder_name(&j->folder, "product.npy", to);
    refused_files(j);
    GOOD(j, ashlar_layout_block_cyclic(6, 6, 2, 2, j->rig->ranks, 1, 0, 0, NULL, ASHLAR_COL_MAJOR, 0, &layout, &err));
    GOOD(j, ashlar_file_create(j->context, place, ASHLAR_TYPE_D, 6, 6, ASHLAR_ROW_MAJOR, &a, &err));
    GOOD(j, ashlar_file_write(a, layout, data, &err));
    GOOD(j, ashlar_file_publish(a, &err));
    ashlar_file_close(&a);
    GOOD(j, ashlar_file_open(j->context, place, &a, &err));
    GOOD(j, ashlar_file_create(j->context, to, ASHLAR_TYPE_D, 6, 6, ASHLAR_ROW_MAJOR, &c, &err));
    refused_plans(j, a, c, layout);
    ashlar_file_close(&c);
    truncated(j, a, place);
    ashlar_file_close(&a);
    ashlar_layout_free(&layout);
}

int main(int argc, char **argv)
{
    rig r;
    job j = {.rig = &r};
    if (!ranks_begin(&r, &argc, &argv, 12))
        return 1;
    CHECK(&r.test, ashlar_context_create(MPI_COMM_WORLD, &j.context, NULL) == ASHLAR_OK, "no context");
    j.folder = folder_of_ranks(&r);
    for (uint64_t i = 0; i < r.cases; i++) {
        r.seed = r.first + i;
        one_case(&j);
        MPI_Barrier(MPI_COMM_WORLD);
        if (r.rank == 0)
            folder_files(&j.folder, true);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    accumulation_adds_c0_once(&j);
    refusals(&j);
    MPI_Barrier(MPI_COMM_WORLD);
    if (r.rank == 0)
        folder_remove(&j.folder);
    ashlar_context_free(&j.context);
    return ranks_end(&r, "files");
}

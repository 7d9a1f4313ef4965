/* Products of matrices in files and in memory within less memory than what is in files: held against the plain triple
 * loop, the words counted and those promised; what is too little names what would do. */
#define PROGRAM "mixed"

#include "mpi/filing.h"
#include "mpi/multiplying.h"
#include "mpi/packing.h"

typedef struct job {
    rig *rig;
    ashlar_context *context;
    folder folder;            /* the same on all ranks */
    product product;
    bool filed[3];            /* which matrices are in files */
    char place[4][PATH_BYTES]; /* of A, B, C and C0 */
    ashlar_layout *layout[3]; /* of what is in memory; NULL: the plan's own. Of a file: in which the test moves it */
    part part[3];             /* of what is in memory */
    ashlar_options options;
    ashlar_machine machine;
} job;

static void need(bool good)
{
    if (!good)
        exit(1);
}

/* ---- matrices ---- */

/* Pack the chunks of a matrix in an HDF5 file. */
static void pack(job *j, int x)
{
    char *end = strstr(j->place[x], ".h5:");
    MPI_Barrier(MPI_COMM_WORLD);
    if (end && j->rig->rank == 0) {
        end[3] = '\0';
        need(pack_set(j->place[x], end + 4));
        end[3] = ':';
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Write matrix x, or C0 as 3, to its file. */
static void write_matrix(job *j, int x, uint64_t *state)
{
    const int of = x < 3 ? x : 2;
    const ashlar_layout *layout = j->layout[of];
    const ashlar_order order = (ashlar_order)ashi_random_in(state, 0, 1);
    ashlar_file *file = NULL;
    part p;
    need(part_make(&p, &j->product.content[of], layout, j->rig->rank, false));
    GOOD(j, ashlar_file_create(j->context, j->place[x], j->product.type, ashlar_layout_rows(layout),
                               ashlar_layout_cols(layout), order, &file, &err));
    GOOD(j, ashlar_file_write(file, layout, p.base, &err));
    GOOD(j, ashlar_file_publish(file, &err));
    ashlar_file_close(&file);
    part_free(&p);
    if (ashi_random_in(state, 0, 1))
        pack(j, x);
}

static void begin(job *j, uint64_t *state, int64_t largest)
{
    product *q = &j->product;
    ashlar_error err = {0};
    for (int d = 0; d < 3; d++)
        q->size[d] = ashi_random_in(state, 1, largest);
    random_product(state, q);
    const bool text = q->type == ASHLAR_TYPE_D || q->type == ASHLAR_TYPE_Z; /* Matrix Market is read as those */
    const int64_t which = ashi_random_in(state, 1, 6);
    for (int x = 0; x < 4; x++)
        random_place(&j->folder, x, text, state, j->place[x]);
    for (int x = 0; x < 3; x++) {
        int64_t shape[2];
        product_shape(q, x, shape);
        j->filed[x] = which >> x & 1;
        const bool own = !j->filed[x] && ashi_random_in(state, 0, 3) == 0;
        j->layout[x] = own ? NULL : j->filed[x] ? random_full_layout(state, shape[0], shape[1], j->rig->ranks, &err)
                                  : random_part_layout(state, shape[0], shape[1], j->rig->ranks, j->rig->rank, &err);
        need(own || j->layout[x]);
        if (j->filed[x])
            write_matrix(j, x < 2 ? x : 3, state);
    }
}

static void end(job *j)
{
    for (int x = 0; x < 3; x++) {
        if (!j->filed[x])
            part_free(&j->part[x]);
        ashlar_layout_free(&j->layout[x]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (j->rig->rank == 0)
        folder_files(&j->folder, true);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- plans ---- */

/* The files of a problem, opened; C created anew. */
static ashlar_problem open_files(job *j, ashlar_file *file[4])
{
    const product *q = &j->product;
    ashlar_problem p = {.size = sizeof p, .type = q->type, .op_a = q->op[0], .op_b = q->op[1], .m = q->size[0],
                        .n = q->size[1], .k = q->size[2]};
    for (int x = 0; x < 2; x++)
        if (j->filed[x])
            GOOD(j, ashlar_file_open(j->context, j->place[x], &file[x], &err));
    if (j->filed[2]) {
        GOOD(j, ashlar_file_create(j->context, j->place[2], q->type, p.m, p.n, (ashlar_order)(j->rig->seed % 2),
                                   &file[2], &err));
        GOOD(j, ashlar_file_open(j->context, j->place[3], &file[3], &err));
    }
    p.a_file = file[0];
    p.b_file = file[1];
    p.c_file = file[2];
    p.c0_file = file[3];
    p.a = j->filed[0] ? NULL : j->layout[0];
    p.b = j->filed[1] ? NULL : j->layout[1];
    p.c = j->filed[2] ? NULL : j->layout[2];
    return p;
}

/* A few of the words that the files have, beside the largest share of what is in memory. */
static int64_t limit_of(const job *j, uint64_t *state)
{
    const int64_t *n = j->product.size, words[3] = {n[0] * n[2], n[1] * n[2], n[0] * n[1]};
    int64_t share = 0, filed = 0, most = 0;
    for (int x = 0; x < 3; x++) {
        filed += j->filed[x] ? words[x] : 0;
        share += j->filed[x] ? 0 : j->layout[x] ? ashlar_layout_words(j->layout[x], j->rig->rank)
                                                : ashi_ceil_div(words[x], j->rig->ranks);
    }
    MPI_Allreduce(&share, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return most + ashi_ceil_div(filed, j->rig->ranks * ashi_random_in(state, 1, 8)) + ashi_random_in(state, 0, 60);
}

/* Within the limit or, if that is too little, with what is said to be the least that would do. */
static ashlar_plan *make_plan(job *j, const ashlar_problem *p)
{
    ashlar_plan *plan = NULL;
    ashlar_error said = {0};
    const ashlar_status status = ashlar_plan_create(j->context, p, &j->options, &plan, &said);
    CHECK(&j->rig->test, ranks_agree(MPI_COMM_WORLD, (int)status, said.text), CASE "ranks disagree: %s",
          CASE_OF(j->rig), said.text);
    if (status == ASHLAR_OK)
        return plan;
    const int64_t least = ashlar_context_memory_words(j->context);
    CHECK(&j->rig->test, status == ASHLAR_ERR_LIMIT && least > j->options.memory_words &&
          ashi_says_least(said.text, least), CASE "status %d: %s", CASE_OF(j->rig), (int)status, said.text);
    if (least <= j->options.memory_words)
        return NULL;
    j->options.memory_words = least;
    GOOD(j, ashlar_plan_create(j->context, p, &j->options, &plan, &err));
    return plan;
}

/* This rank's parts of what is in memory, some in the plan's own layouts. */
static void make_parts(job *j, const ashlar_plan *plan)
{
    for (int x = 0; x < 3; x++)
        if (!j->filed[x])
            need(part_make(&j->part[x], &j->product.content[x], ashlar_plan_layout(plan, (ashlar_operand)x),
                           j->rig->rank, x == 2 && number_abs(j->product.beta) == 0));
}

/* ---- executing ---- */

static void check_figures(job *j, ashlar_plan *plan)
{
    const product *q = &j->product;
    const int64_t limit = j->options.memory_words;
    ashlar_figures predicted = {0}, found = {0};
    GOOD(j, ashlar_plan_predicted(plan, &predicted, &err));
    GOOD(j, ashlar_plan_measured(plan, &found, &err));
    CHECK(&j->rig->test, found.memory_words <= limit, CASE "%" PRId64 " words are held of %" PRId64, CASE_OF(j->rig),
          found.memory_words, limit);
    if (number_abs(q->alpha) == 0 || number_abs(q->beta) == 0)
        return;
    CHECK(&j->rig->test,
          predicted.disk_words == found.disk_words && predicted.words_total == found.words_total &&
              predicted.words_max == found.words_max && predicted.memory_words == found.memory_words &&
              predicted.messages_max == found.messages_max,
          CASE "disk %" PRId64 ", %" PRId64 "; words %" PRId64 ", %" PRId64 "; most %" PRId64 ", %" PRId64
          "; memory %" PRId64 ", %" PRId64 "; messages %" PRId64 ", %" PRId64, CASE_OF(j->rig), predicted.disk_words,
          found.disk_words, predicted.words_total, found.words_total, predicted.words_max, found.words_max,
          predicted.memory_words, found.memory_words, predicted.messages_max, found.messages_max);
}

static void check_product(job *j, ashlar_file *c, const char *how)
{
    part found;
    const part *p = &j->part[2];
    if (j->filed[2]) {
        ashlar_file *file = NULL;
        GOOD(j, ashlar_file_publish(c, &err));
        GOOD(j, ashlar_file_open(j->context, j->place[2], &file, &err));
        need(part_make(&found, &j->product.content[2], j->layout[2], j->rig->rank, true));
        GOOD(j, ashlar_file_read(file, j->layout[2], found.base, &err));
        ashlar_file_close(&file);
        p = &found;
    }
    const double off = product_error(&j->product, p);
    CHECK(&j->rig->test, off <= 1, CASE "%s: %g times what rounding allows", CASE_OF(j->rig), how, off);
    if (j->filed[2])
        part_free(&found);
    for (int x = 0; x < 2; x++)
        CHECK(&j->rig->test, j->filed[x] || memcmp(j->part[x].memory, j->part[x].before, j->part[x].bytes) == 0,
              CASE "%c was written to", CASE_OF(j->rig), "AB"[x]);
}

static bool few_tiles(const job *j, const ashlar_plan *plan)
{
    int64_t most = 0;
    for (int x = 0; x < 3; x++)
        if (!j->filed[x])
            most = ashi_max(most, ashlar_layout_tile_count(ashlar_plan_layout(plan, (ashlar_operand)x), j->rig->rank));
    const int own = most <= TILES_MOST;
    int all = 0;
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

static void execute(job *j, ashlar_plan *plan, bool by_tiles, bool checked)
{
    unsigned char alpha[16], beta[16];
    const part *p = j->part;
    void *base[3];
    const void *const *tile[3];
    ashlar_verification *check = NULL;
    ashlar_verdict verdict = {.passed = true};
    number_store(j->product.type, j->product.alpha, alpha);
    number_store(j->product.type, j->product.beta, beta);
    for (int x = 0; x < 3; x++) {
        base[x] = j->filed[x] ? NULL : p[x].base;
        tile[x] = j->filed[x] ? NULL : (const void *const *)p[x].tile;
    }
    if (checked)
        GOOD(j, ashlar_verify_begin(plan, beta, base[2], &check, &err));
    if (by_tiles)
        GOOD(j, ashlar_plan_execute_tiles(plan, alpha, tile[0], tile[1], beta, (void *const *)tile[2], &err));
    else
        GOOD(j, ashlar_plan_execute(plan, alpha, base[0], base[1], beta, base[2], &err));
    if (checked)
        GOOD(j, ashlar_verify_end(check, alpha, base[0], base[1], base[2], &verdict, &err));
    CHECK(&j->rig->test, verdict.passed, CASE "not passed: %g", CASE_OF(j->rig), verdict.worst);
    ashlar_verify_free(&check);
}

static void random_options(job *j, uint64_t *state)
{
    j->machine = ashlar_machine_default();
    j->machine.disk_bandwidth = (double)(INT64_C(1) << ashi_random_in(state, 10, 40));
    j->options = ashlar_options_default();
    j->options.machine = &j->machine;
    j->options.transport = ashi_random_in(state, 0, 3) ? ASHLAR_TWO_SIDED : ASHLAR_ONE_SIDED;
    j->options.objective = ashi_random_in(state, 0, 3) ? ASHLAR_LEAST_TIME : ASHLAR_LEAST_WORDS;
    j->options.memory_words = limit_of(j, state);
}

/* How many of the cases have been passed slab by slab. */
static int one_case(job *j)
{
    uint64_t state = j->rig->seed * 0xD1B54A32D192ED03u;
    ashlar_file *file[4] = {0};
    ashlar_explanation why = {0};
    begin(j, &state, 48);
    random_options(j, &state);
    const ashlar_problem p = open_files(j, file);
    ashlar_plan *plan = make_plan(j, &p);
    if (!plan)
        exit(1);
    GOOD(j, ashlar_plan_explain(plan, &why, &err));
    const bool in_slabs = strstr(why.reason, " slabs of at most ") != NULL;
    make_parts(j, plan);
    execute(j, plan, false, false);
    check_figures(j, plan);
    const bool by_tiles = few_tiles(j, plan);
    if (!j->filed[2])
        part_refill(&j->part[2]);
    execute(j, plan, by_tiles, ashi_random_in(&state, 0, 1)); /* again */
    check_product(j, file[2], why.reason);
    if (!j->filed[2])
        CHECK(&j->rig->test, part_only_elements_changed(&j->part[2]), CASE "memory around C was written to",
              CASE_OF(j->rig));
    ashlar_plan_free(&plan);
    for (int x = 0; x < 4; x++)
        ashlar_file_close(&file[x]);
    end(j);
    return in_slabs;
}

/* Slabs of text, and of packed chunks, are read beside the product of the last, if that takes long. */
static void beside(job *j, const char *name)
{
    uint64_t state = 1;
    product *q = &j->product;
    ashlar_file *file[4] = {0};
    ashlar_explanation why = {0};
    *q = (product){.type = ASHLAR_TYPE_D, .size = {60, 40, 63}, .alpha = {1, 0}};
    for (int x = 0; x < 3; x++) {
        q->content[x] = (content){q->type, (uint64_t)x, true};
        j->filed[x] = x == 0;
    }
    folder_name(&j->folder, name, j->place[0]);
    GOOD(j, ashlar_layout_block_cyclic(60, 63, 3, 3, 1, j->rig->ranks, 0, 0, NULL, ASHLAR_COL_MAJOR, 0, &j->layout[0],
                                       &err));
    write_matrix(j, 0, &state);
    pack(j, 0);
    j->machine = ashlar_machine_default();
    j->machine.flops_per_second = 1e6;
    j->machine.disk_bandwidth = 1e6;
    j->options = ashlar_options_default();
    j->options.machine = &j->machine;
    j->options.memory_words = (60 * 40 + 40 * 63 + 60 * 63 / 2) / j->rig->ranks + 100;
    const ashlar_problem p = open_files(j, file);
    ashlar_plan *plan = make_plan(j, &p);
    GOOD(j, ashlar_plan_explain(plan, &why, &err));
    CHECK(&j->rig->test, strstr(why.reason, " one is multiplied while the next is moved"), "%s: %s", name, why.reason);
    make_parts(j, plan);
    execute(j, plan, false, false);
    check_product(j, NULL, why.reason);
    ashlar_plan_free(&plan);
    ashlar_file_close(&file[0]);
    end(j);
}

/* A is cut short once it is open, so that some ranks cannot read some slabs: all fail alike, with C in memory and in a
 * file, which then cannot be published. */
static void truncated(job *j)
{
    uint64_t state = 1;
    const double one = 1, zero = 0;
    product *q = &j->product;
    *q = (product){.type = ASHLAR_TYPE_D, .size = {40, 20, 40}};
    q->content[0] = (content){ASHLAR_TYPE_D, 1, true};
    for (int filed = 0; filed < 2; filed++) {
        ashlar_file *a = NULL, *c = NULL;
        ashlar_plan *plan = NULL;
        ashlar_explanation why = {0};
        ashlar_error said = {0};
        ashlar_options o = ashlar_options_default();
        double *part_of[3] = {NULL, NULL, NULL};
        folder_name(&j->folder, "a.npy", j->place[0]);
        folder_name(&j->folder, "never.npy", j->place[2]);
        GOOD(j, ashlar_layout_block_cyclic(40, 40, 3, 3, 1, j->rig->ranks, 0, 0, NULL, ASHLAR_COL_MAJOR, 0,
                                           &j->layout[0], &err));
        write_matrix(j, 0, &state);
        GOOD(j, ashlar_file_open(j->context, j->place[0], &a, &err));
        if (filed)
            GOOD(j, ashlar_file_create(j->context, j->place[2], ASHLAR_TYPE_D, 40, 20, ASHLAR_ROW_MAJOR, &c, &err));
        const ashlar_problem p = {.size = sizeof p, .type = ASHLAR_TYPE_D, .m = 40, .n = 20, .k = 40, .a_file = a,
                                  .c_file = c};
        o.memory_words = 2300 / j->rig->ranks + 60;
        GOOD(j, ashlar_plan_create(j->context, &p, &o, &plan, &err));
        GOOD(j, ashlar_plan_explain(plan, &why, &err));
        CHECK(&j->rig->test, strstr(why.reason, " slabs of at most "), "%s", why.reason);
        for (int x = 1; x < 3; x++)
            if (x == 1 || !filed)
                need((part_of[x] = calloc((size_t)ashlar_layout_extent(ashlar_plan_layout(plan, (ashlar_operand)x),
                                                                       j->rig->rank) + 1, sizeof(double))));
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(&j->rig->test, j->rig->rank != 0 || truncate(j->place[0], 8000) == 0, "truncate");
        MPI_Barrier(MPI_COMM_WORLD);
        const ashlar_status status =
            ashlar_plan_execute(plan, &one, NULL, part_of[1], &zero, filed ? NULL : part_of[2], &said);
        CHECK(&j->rig->test, status == ASHLAR_ERR_IO && strstr(said.text, "a.npy"), "status %d: %s", (int)status,
              said.text);
        CHECK(&j->rig->test, ranks_agree(MPI_COMM_WORLD, (int)status, said.text), "ranks disagree: %s", said.text);
        CHECK(&j->rig->test, !filed || ashlar_file_publish(c, NULL) == ASHLAR_ERR_ARG, "what failed is published");
        for (int x = 1; x < 3; x++)
            free(part_of[x]);
        ashlar_plan_free(&plan);
        ashlar_file_close(&a);
        ashlar_file_close(&c);
        ashlar_layout_free(&j->layout[0]);
        CHECK(&j->rig->test, access(j->place[2], F_OK) != 0, "an output of what failed");
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    rig r;
    job j = {.rig = &r};
    int in_slabs = 0;
    if (!ranks_begin(&r, &argc, &argv, 40))
        return 1;
    CHECK(&r.test, ashlar_context_create(MPI_COMM_WORLD, &j.context, NULL) == ASHLAR_OK, "no context");
    j.folder = folder_of_ranks(&r);
    for (uint64_t i = 0; i < r.cases; i++) {
        r.seed = r.first + i;
        in_slabs += one_case(&j);
    }
    CHECK(&r.test, argc > 1 || 2 * in_slabs > (int)r.cases, "only %d of %d cases went through slabs", in_slabs,
          (int)r.cases);
    beside(&j, "t.mtx");
    beside(&j, "p.h5:/p");
    truncated(&j);
    MPI_Barrier(MPI_COMM_WORLD);
    if (r.rank == 0)
        folder_remove(&j.folder);
    ashlar_context_free(&j.context);
    return ranks_end(&r, PROGRAM);
}

/* Products that go through memory in pieces, fail in the middle, and are resumed: the bits of one that did not fail,
 * from what was finished, with each of the matrices staying, and slab by slab with A, B or both in memory. */
#define PROGRAM "resume"

#include "cli/values.h"
#include "mpi/filing.h"
#include "store_check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

typedef struct job {
    rig *rig;
    ashlar_context *context;
    folder folder; /* the same on all ranks */
    ashlar_problem problem;
    ashlar_options options;
    char place[5][PATH_BYTES]; /* of A, B, C0, C and the product of a run that does not fail */
    bool in_memory[2];         /* A, B: the others are in files */
    ashlar_layout *layout[2];  /* of what is in memory; NULL: the plan's own */
    double alpha[2], beta[2];
    int victim;      /* the first of A, B and C0 that is in a file */
    double stop;     /* the part of the steps after which that file is cut short; 2: never */
    bool is_cut;
    bool fills;      /* instead of that, the disk is full for rank 0 after some of C, and not for its record */
    bool altered;    /* rank 0 has another element in memory */
    char *bytes;     /* of that file, on rank 0 */
    off_t length;
    struct timespec changed;
    int64_t resumed[4]; /* cases that were gone on with, by what stays, and slab by slab */
    int64_t refused;    /* runs with other elements in memory */
} job;

/* ---- matrices ---- */

static ashlar_layout *layout_of(job *j, int64_t rows, int64_t cols)
{
    ashlar_layout *out = NULL;
    GOOD(j, ashlar_layout_block_cyclic(rows, cols, 3, 2, j->rig->ranks, 1, 0, 0, NULL, ASHLAR_COL_MAJOR, 0, &out,
                                       &err));
    return out;
}

/* This rank's part: random numbers, whose sums have other bits in another order. */
static char *make_part(const job *j, int x, const ashlar_layout *layout)
{
    const ashi_values values = {j->problem.type, ASHI_VALUES_UNIFORM, j->rig->seed * 8 + (uint64_t)x};
    const int64_t bytes = (int64_t)ashlar_type_bytes(j->problem.type);
    char *data = calloc((size_t)ashlar_layout_extent(layout, j->rig->rank) + 1, (size_t)bytes);
    if (!data)
        exit(1);
    for (int64_t row = 0; row < ashlar_layout_rows(layout); row++)
        for (int64_t col = 0; col < ashlar_layout_cols(layout); col++)
            if (ashlar_layout_owner(layout, row, col) == j->rig->rank)
                ashi_values_fill(&values, row, 1, col, 1, data + ashlar_layout_offset(layout, row, col) * bytes, 1, 1);
    return data;
}

static void write_matrix_file(job *j, int x, int64_t rows, int64_t cols, uint64_t *state)
{
    ashlar_layout *layout = layout_of(j, rows, cols);
    ashlar_file *file = NULL;
    char *data = make_part(j, x, layout);
    GOOD(j, ashlar_file_create(j->context, j->place[x], j->problem.type, rows, cols,
                               (ashlar_order)ashi_random_in(state, 0, 1), &file, &err));
    GOOD(j, ashlar_file_write(file, layout, data, &err));
    GOOD(j, ashlar_file_publish(file, &err));
    ashlar_file_close(&file);
    ashlar_layout_free(&layout);
    free(data);
}

/* This rank's part of a matrix in a file. */
static char *read_back(job *j, const char *place, size_t *bytes)
{
    ashlar_layout *layout = layout_of(j, j->problem.m, j->problem.n);
    ashlar_file *file = NULL;
    *bytes = (size_t)ashlar_layout_extent(layout, j->rig->rank) * ashlar_type_bytes(j->problem.type);
    char *data = calloc(*bytes + 1, 1);
    if (!data)
        exit(1);
    GOOD(j, ashlar_file_open(j->context, place, &file, &err));
    GOOD(j, ashlar_file_read(file, layout, data, &err));
    ashlar_file_close(&file);
    ashlar_layout_free(&layout);
    return data;
}

/* ---- a file is cut short, and is as it was ---- */

static void keep(job *j)
{
    struct stat st;
    if (j->rig->rank != 0)
        return;
    const int fd = open(j->place[j->victim], O_RDONLY);
    j->bytes = fd >= 0 && fstat(fd, &st) == 0 ? malloc((size_t)st.st_size) : NULL;
    if (!j->bytes || pread(fd, j->bytes, (size_t)st.st_size, 0) != st.st_size)
        exit(1);
    j->length = st.st_size;
    j->changed = st.st_mtim;
    close(fd);
}

static void restore(job *j)
{
    const struct timespec times[2] = {j->changed, j->changed};
    MPI_Barrier(MPI_COMM_WORLD);
    if (j->rig->rank == 0 && j->is_cut) {
        const int fd = open(j->place[j->victim], O_WRONLY);
        if (fd < 0 || pwrite(fd, j->bytes, (size_t)j->length, 0) != j->length || futimens(fd, times) != 0)
            exit(1);
        close(fd);
    }
    j->is_cut = false;
    MPI_Barrier(MPI_COMM_WORLD);
}

/* So slow, before something fails, that what is finished is recorded meanwhile. Of slabs there are few. */
static void wait_for_records(const job *j, double part)
{
    const bool slabs = j->in_memory[0] || j->in_memory[1];
    const struct timespec little = {0, slabs ? 1000000 : 100000};
    if (j->stop < 2 && !j->is_cut && (slabs || part > j->stop - 0.1))
        nanosleep(&little, NULL);
}

static void stepped(void *context, int64_t done, int64_t all)
{
    job *j = context;
    wait_for_records(j, (double)done / (double)all);
    if (j->rig->rank != 0 || j->is_cut || j->fills || (double)done < j->stop * (double)all)
        return;
    j->is_cut = true;
    if (truncate(j->place[j->victim], 150) != 0)
        exit(1);
}

/* No file of rank 0 may get longer, or be as long as it was made. The record of four ranks ends before. */
static void fill_disk(const job *j, bool full)
{
    struct rlimit limit;
    if (!j->fills || j->stop >= 2 || j->rig->rank != 0)
        return;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0)
        exit(1);
    limit.rlim_cur = full ? 45000 : limit.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        exit(1);
}

/* ---- runs ---- */

static void open_inputs(job *j, ashlar_file *file[3], ashlar_problem *p)
{
    *p = j->problem;
    for (int x = 0; x < 3; x++)
        if (x == 2 || !j->in_memory[x])
            GOOD(j, ashlar_file_open(j->context, j->place[x], &file[x], &err));
    p->a_file = file[0], p->b_file = file[1], p->c0_file = file[2];
    p->a = j->layout[0], p->b = j->layout[1];
}

/* If the limit is too small for slabs, with the least that would do. */
static ashlar_plan *make_plan(job *j, const ashlar_problem *p)
{
    ashlar_plan *plan = NULL;
    ashlar_error said = {0};
    if ((j->in_memory[0] || j->in_memory[1]) &&
        ashlar_plan_create(j->context, p, &j->options, &plan, &said) == ASHLAR_ERR_LIMIT)
        j->options.memory_words = ashlar_context_memory_words(j->context);
    if (!plan)
        GOOD(j, ashlar_plan_create(j->context, p, &j->options, &plan, &err));
    if (!plan)
        exit(1);
    return plan;
}

/* Execute with what is in memory. */
static ashlar_status execute(job *j, ashlar_plan *plan, ashlar_error *told)
{
    char *part[2] = {NULL, NULL};
    for (int x = 0; x < 2; x++)
        if (j->in_memory[x])
            part[x] = make_part(j, x, ashlar_plan_layout(plan, (ashlar_operand)x));
    if (j->altered && j->rig->rank == 0)
        part[j->in_memory[0] ? 0 : 1][7] ^= '\x80'; /* the sign of the first element */
    ashlar_plan_on_progress(plan, stepped, j);
    fill_disk(j, true);
    const ashlar_status status = ashlar_plan_execute(plan, j->alpha, part[0], part[1], j->beta, NULL, told);
    fill_disk(j, false);
    free(part[0]);
    free(part[1]);
    return status;
}

/* A run may fail with a file cut short or a full disk; and with another element in memory, if anything is to be gone on
 * with. */
static void check_run(job *j, ashlar_status status, const ashlar_error *told)
{
    static const char *const names[3] = {"a.npy", "b.npy", "c0.npy"};
    const bool cut = status == ASHLAR_ERR_IO && j->stop < 2 &&
                     strstr(told->text, j->fills ? strerror(EFBIG) : names[j->victim]);
    const bool other = status == ASHLAR_ERR_ARG && j->altered && strstr(told->text, "had other elements");
    CHECK(&j->rig->test, status == ASHLAR_OK || cut || other, CASE "%s", CASE_OF(j->rig), told->text);
    CHECK(&j->rig->test, ranks_agree(MPI_COMM_WORLD, (int)status, told->text), CASE "%s", CASE_OF(j->rig), told->text);
    j->refused += other;
}

/* What was gone on with, of a run that succeeded. */
static double note_resumed(job *j, ashlar_plan *plan)
{
    ashlar_explanation why = {0};
    ashlar_figures figures = {0};
    GOOD(j, ashlar_plan_explain(plan, &why, &err));
    GOOD(j, ashlar_plan_measured(plan, &figures, &err));
    const char *stays = strstr(why.reason, " stay in memory");
    const bool slabs = strstr(why.reason, " slabs of at most ") != NULL;
    CHECK(&j->rig->test, slabs == (j->in_memory[0] || j->in_memory[1]), CASE "%s", CASE_OF(j->rig), why.reason);
    j->resumed[slabs ? 3 : stays ? stays[-1] - 'A' : 0] += (slabs || stays) && figures.resumed > 0;
    return figures.resumed;
}

/* A run to `place`. False if it failed: then nothing is published. */
static bool run(job *j, const char *place, bool resumes, double *resumed)
{
    ashlar_file *file[4] = {NULL};
    ashlar_problem p;
    ashlar_error told = {0};
    open_inputs(j, file, &p);
    const bool text = strstr(j->place[3], ".mtx") != NULL; /* tiles depend on the order */
    const ashlar_order order = text ? ASHLAR_COL_MAJOR : ASHLAR_ROW_MAJOR;
    GOOD(j, (resumes ? ashlar_file_resume : ashlar_file_create)(j->context, place, p.type, p.m, p.n, order, &file[3],
                                                                &err));
    p.c_file = file[3];
    ashlar_plan *plan = make_plan(j, &p);
    const ashlar_status status = execute(j, plan, &told);
    check_run(j, status, &told);
    if (status == ASHLAR_OK) {
        *resumed = note_resumed(j, plan);
        GOOD(j, ashlar_file_publish(file[3], &err));
    }
    ashlar_plan_free(&plan);
    for (int x = 0; x < 4; x++)
        ashlar_file_close(&file[x]);
    restore(j);
    return status == ASHLAR_OK;
}

/* ---- cases ---- */

/* The words that must be there, and a part of what is in files. */
static void limit_slabs(job *j, uint64_t *state)
{
    const ashlar_problem *p = &j->problem;
    const int64_t words[3] = {p->m * p->k, p->k * p->n, p->m * p->n};
    int64_t filed = words[2], held = 0;
    for (int x = 0; x < 2; x++)
        *(j->in_memory[x] ? &held : &filed) += words[x];
    j->options.memory_words = (held + filed / ashi_random_in(state, 5, 10)) / j->rig->ranks + 40;
    j->options.strategy = NULL;
}

/* A, B or both are in memory, mostly in layouts that the caller has. */
static void take_into_memory(job *j, uint64_t *state)
{
    ashlar_problem *p = &j->problem;
    const int which = (int)ashi_random_in(state, 1, 3);
    p->m = ashi_random_in(state, 70, 120), p->n = ashi_random_in(state, 70, 120), p->k = ashi_random_in(state, 20, 70);
    j->fills = ashi_random_in(state, 0, 1);
    const int64_t size[2][2] = {{p->m, p->k}, {p->k, p->n}};
    for (int x = 0; x < 2; x++) {
        j->in_memory[x] = which >> x & 1;
        if (j->in_memory[x] && ashi_random_in(state, 0, 2) > 0)
            j->layout[x] = layout_of(j, size[x][0], size[x][1]);
    }
    limit_slabs(j, state);
}

/* A or B stays if C is read and written again in fewer words; C has few rows then, or few columns. */
static void begin(job *j, uint64_t *state)
{
    const int64_t wide = ashi_random_in(state, 60, 160), thin = ashi_random_in(state, 3, 8);
    const int which = (int)ashi_random_in(state, 0, 2);
    static const char *const outputs[3] = {"c.npy", "c.h5:/deep/c", "c.mtx"};
    const char *const names[5] = {"a.npy", "b.npy", "c0.npy", outputs[ashi_random_in(state, 0, 2)], "whole.npy"};
    j->problem = (ashlar_problem){.size = sizeof j->problem,
                                  .type = ashi_random_in(state, 0, 1) ? ASHLAR_TYPE_D : ASHLAR_TYPE_Z,
                                  .m = which == 0 ? thin : wide, .n = which == 1 ? thin : wide,
                                  .k = which == 2 ? wide / 2 : wide};
    j->options = ashlar_options_default();
    if (which == 2)
        j->options.memory_words = ashi_random_in(state, 400, 1200);
    else
        j->options.memory_words = (wide * thin * ashi_random_in(state, 30, 70) / 100 + 3 * wide) / j->rig->ranks;
    j->options.strategy = "sequential";
    j->options.checkpoint_seconds = 1e-9;
    j->in_memory[0] = j->in_memory[1] = j->fills = false;
    j->alpha[0] = 1.3, j->beta[0] = 0.7;
    for (int x = 0; x < 5; x++)
        folder_name(&j->folder, names[x], j->place[x]);
    const ashlar_problem *p = &j->problem;
    if (j->rig->seed % 4 == 0)
        take_into_memory(j, state);
    j->victim = !j->in_memory[0] ? 0 : !j->in_memory[1] ? 1 : 2;
    write_matrix_file(j, 0, p->m, p->k, state);
    write_matrix_file(j, 1, p->k, p->n, state);
    write_matrix_file(j, 2, p->m, p->n, state);
    keep(j);
}

/* What was finished with other elements in memory is refused, and stays. */
static void try_other_elements(job *j)
{
    const int x = j->in_memory[0] ? 0 : 1;
    double resumed = 0;
    if (!j->layout[x]) /* rank 0 may have nothing of it */
        return;
    j->altered = true;
    j->stop = 2;
    if (run(j, j->place[3], true, &resumed))
        CHECK(&j->rig->test, resumed == 0, CASE "%g was there before, of other elements", CASE_OF(j->rig), resumed);
    j->altered = false;
}

static void end(job *j)
{
    free(j->bytes);
    j->bytes = NULL;
    ashlar_layout_free(&j->layout[0]);
    ashlar_layout_free(&j->layout[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (j->rig->rank == 0)
        CHECK(&j->rig->test, folder_files(&j->folder, true) == 5, CASE "files are left", CASE_OF(j->rig));
    MPI_Barrier(MPI_COMM_WORLD);
}

static void one_case(job *j)
{
    uint64_t state = j->rig->seed;
    double resumed = 0;
    size_t bytes = 0;
    bool complete = false;
    begin(j, &state);
    j->stop = 2;
    run(j, j->place[4], false, &resumed);
    CHECK(&j->rig->test, resumed == 0, CASE "%g was there before", CASE_OF(j->rig), resumed);
    for (int i = 0; i < 4 && !complete; i++) {
        j->stop = i == 3 ? 2 : (double)ashi_random_in(&state, 10 + 20 * i, 99) / 100;
        complete = run(j, j->place[3], true, &resumed);
        if (i == 0 && !complete)
            try_other_elements(j);
    }
    CHECK(&j->rig->test, complete && resumed >= 0 && resumed <= 1, CASE "%g was there before", CASE_OF(j->rig),
          resumed);
    char *whole = read_back(j, j->place[4], &bytes), *found = read_back(j, j->place[3], &bytes);
    CHECK(&j->rig->test, memcmp(whole, found, bytes) == 0, CASE "other bits after %g was there before",
          CASE_OF(j->rig), resumed);
    free(whole);
    free(found);
    end(j);
}

int main(int argc, char **argv)
{
    rig r;
    job j = {.rig = &r};
    if (!ranks_begin(&r, &argc, &argv, 24))
        return 1;
    CHECK(&r.test, ashlar_context_create(MPI_COMM_WORLD, &j.context, NULL) == ASHLAR_OK, "no context");
    j.folder = folder_of_ranks(&r);
    for (uint64_t i = 0; i < r.cases; i++) {
        r.seed = r.first + i;
        one_case(&j);
    }
    if (argc == 1)
        CHECK(&r.test, j.resumed[0] + j.resumed[1] > 0 && j.resumed[2] > 0 && j.resumed[3] > 0 && j.refused > 0,
              "gone on with: %" PRId64 ", %" PRId64 ", %" PRId64 " with A, B, C staying, %" PRId64
              " slab by slab; %" PRId64 " refused", j.resumed[0], j.resumed[1], j.resumed[2], j.resumed[3], j.refused);
    if (r.rank == 0)
        folder_remove(&j.folder);
    ashlar_context_free(&j.context);
    return ranks_end(&r, "resume");
}

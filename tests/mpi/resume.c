/* Products that are streamed, fail in the middle, and are resumed: the bits of one that did not fail, from what was
 * finished, with each of the matrices staying. */
#define PROGRAM "resume"

#include "cli/values.h"
#include "mpi/filing.h"
#include "store_check.h"

#include <fcntl.h>
#include <time.h>

typedef struct job {
    rig *rig;
    ashlar_context *context;
    folder folder; /* the same on all ranks */
    ashlar_problem problem;
    ashlar_options options;
    char place[5][PATH_BYTES]; /* of A, B, C0, C and the product of a run that does not fail */
    double alpha[2], beta[2];
    double stop;     /* the part of the steps after which A is cut short; 2: never */
    bool is_cut;
    char *bytes;     /* of A's file, on rank 0 */
    off_t length;
    struct timespec changed;
    int64_t resumed[3]; /* cases that were gone on with, by what stays */
} job;

/* ---- matrices ---- */

static ashlar_layout *layout_of(job *j, int64_t rows, int64_t cols)
{
    ashlar_layout *out = NULL;
    GOOD(j, ashlar_layout_block_cyclic(rows, cols, 3, 2, j->rig->ranks, 1, 0, 0, NULL, ASHLAR_COL_MAJOR, 0, &out,
                                       &err));
    return out;
}

/* Random numbers, whose sums have other bits in another order. */
static void write_matrix_file(job *j, int x, int64_t rows, int64_t cols, uint64_t *state)
{
    const ashi_values values = {j->problem.type, ASHI_VALUES_UNIFORM, j->rig->seed * 8 + (uint64_t)x};
    const int64_t bytes = (int64_t)ashlar_type_bytes(j->problem.type);
    ashlar_layout *layout = layout_of(j, rows, cols);
    ashlar_file *file = NULL;
    char *data = calloc((size_t)ashlar_layout_extent(layout, j->rig->rank) + 1, (size_t)bytes);
    if (!data)
        exit(1);
    for (int64_t row = 0; row < rows; row++)
        for (int64_t col = 0; col < cols; col++)
            if (ashlar_layout_owner(layout, row, col) == j->rig->rank)
                ashi_values_fill(&values, row, 1, col, 1, data + ashlar_layout_offset(layout, row, col) * bytes, 1, 1);
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

/* ---- A is cut short, and is as it was ---- */

static void keep(job *j)
{
    struct stat st;
    if (j->rig->rank != 0)
        return;
    const int fd = open(j->place[0], O_RDONLY);
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
        const int fd = open(j->place[0], O_WRONLY);
        if (fd < 0 || pwrite(fd, j->bytes, (size_t)j->length, 0) != j->length || futimens(fd, times) != 0)
            exit(1);
        close(fd);
    }
    j->is_cut = false;
    MPI_Barrier(MPI_COMM_WORLD);
}

/* So slow that what is finished is recorded meanwhile. */
static void stepped(void *context, int64_t done, int64_t all)
{
    job *j = context;
    const struct timespec little = {0, 100000};
    nanosleep(&little, NULL);
    if (j->rig->rank != 0 || j->is_cut || (double)done < j->stop * (double)all)
        return;
    j->is_cut = true;
    if (truncate(j->place[0], 150) != 0)
        exit(1);
}

/* ---- runs ---- */

/* A run to `place`. False if it failed, as it may with A cut short: then nothing is published. */
static bool run(job *j, const char *place, bool resumes, double *resumed)
{
    ashlar_file *file[4] = {NULL};
    ashlar_problem p = j->problem;
    ashlar_plan *plan = NULL;
    ashlar_explanation why = {0};
    ashlar_figures figures = {0};
    ashlar_error told = {0};
    for (int x = 0; x < 3; x++)
        GOOD(j, ashlar_file_open(j->context, j->place[x], &file[x], &err));
    const bool text = strstr(j->place[3], ".mtx") != NULL; /* tiles depend on the order */
    const ashlar_order order = text ? ASHLAR_COL_MAJOR : ASHLAR_ROW_MAJOR;
    GOOD(j, (resumes ? ashlar_file_resume : ashlar_file_create)(j->context, place, p.type, p.m, p.n, order, &file[3],
                                                                &err));
    p.a_file = file[0], p.b_file = file[1], p.c0_file = file[2], p.c_file = file[3];
    GOOD(j, ashlar_plan_create(j->context, &p, &j->options, &plan, &err));
    GOOD(j, ashlar_plan_explain(plan, &why, &err));
    const char *stays = strstr(why.reason, " stay in memory");
    ashlar_plan_on_progress(plan, stepped, j);
    const ashlar_status status = ashlar_plan_execute(plan, j->alpha, NULL, NULL, j->beta, NULL, &told);
    CHECK(&j->rig->test, status == ASHLAR_OK || (status == ASHLAR_ERR_IO && j->stop < 2 && strstr(told.text, "a.npy")),
          CASE "%s", CASE_OF(j->rig), told.text);
    CHECK(&j->rig->test, ranks_agree(MPI_COMM_WORLD, (int)status, told.text), CASE "%s", CASE_OF(j->rig), told.text);
    if (status == ASHLAR_OK) {
        GOOD(j, ashlar_plan_measured(plan, &figures, &err));
        GOOD(j, ashlar_file_publish(file[3], &err));
        *resumed = figures.resumed;
        j->resumed[stays ? stays[-1] - 'A' : 0] += stays && figures.resumed > 0;
    }
    ashlar_plan_free(&plan);
    for (int x = 0; x < 4; x++)
        ashlar_file_close(&file[x]);
    restore(j);
    return status == ASHLAR_OK;
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
    j->options.memory_words = which == 2 ? ashi_random_in(state, 400, 1200)
                                         : (wide * thin * ashi_random_in(state, 30, 70) / 100 + 3 * wide) / j->rig->ranks;
    j->options.strategy = "sequential";
    j->options.checkpoint_seconds = 1e-9;
    j->alpha[0] = 1.3, j->beta[0] = 0.7;
    for (int x = 0; x < 5; x++)
        folder_name(&j->folder, names[x], j->place[x]);
    const ashlar_problem *p = &j->problem;
    write_matrix_file(j, 0, p->m, p->k, state);
    write_matrix_file(j, 1, p->k, p->n, state);
    write_matrix_file(j, 2, p->m, p->n, state);
    keep(j);
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
    }
    CHECK(&j->rig->test, complete && resumed >= 0 && resumed <= 1, CASE "%g was there before", CASE_OF(j->rig), resumed);
    char *whole = read_back(j, j->place[4], &bytes), *found = read_back(j, j->place[3], &bytes);
    CHECK(&j->rig->test, memcmp(whole, found, bytes) == 0, CASE "%c%c%c: other bits after %g was there before",
          CASE_OF(j->rig), j->resumed[0] ? 'A' : ' ', j->resumed[1] ? 'B' : ' ', j->resumed[2] ? 'C' : ' ', resumed);
    free(whole);
    free(found);
    free(j->bytes);
    j->bytes = NULL;
    MPI_Barrier(MPI_COMM_WORLD);
    if (j->rig->rank == 0)
        CHECK(&j->rig->test, folder_files(&j->folder, true) == 5, CASE "files are left", CASE_OF(j->rig));
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    rig r;
    job j = {.rig = &r};
    if (!ranks_begin(&r, &argc, &argv, 16))
        return 1;
    CHECK(&r.test, ashlar_context_create(MPI_COMM_WORLD, &j.context, NULL) == ASHLAR_OK, "no context");
    j.folder = folder_of_ranks(&r);
    for (uint64_t i = 0; i < r.cases; i++) {
        r.seed = r.first + i;
        one_case(&j);
    }
    if (argc == 1)
        CHECK(&r.test, j.resumed[0] + j.resumed[1] > 0 && j.resumed[2] > 0,
              "gone on with: %" PRId64 ", %" PRId64 ", %" PRId64 " with A, B, C staying", j.resumed[0], j.resumed[1],
              j.resumed[2]);
    if (r.rank == 0)
        folder_remove(&j.folder);
    ashlar_context_free(&j.context);
    return ranks_end(&r, "resume");
}

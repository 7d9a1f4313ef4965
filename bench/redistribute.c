/* Compares Ashlar with ScaLAPACK's pdgemr2d and pdtran on the same block-cyclic matrices, in turns. */
#include "die.h"
#include "process.h"
#include "report.h"

#include <ashlar/pblas.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ScaLAPACK has no header; these are its interfaces with 32-bit integers. */
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridexit(int context);
int numroc_(const int *n, const int *block, const int *process, const int *source, const int *processes);
void pdgemr2d_(const int *m, const int *n, const double *a, const int *ia, const int *ja, const int *desca, double *b,
               const int *ib, const int *jb, const int *descb, const int *context);
void pdtran_(const int *m, const int *n, const double *alpha, const double *a, const int *ia, const int *ja,
             const int *desca, const double *beta, double *c, const int *ic, const int *jc, const int *descc);

enum { ASHLAR, SCALAPACK, WAYS };

static const char help[] =
    "Usage: redistribute WHAT M N FROM TO [REPETITIONS]\n\n"
    "Compare Ashlar with ScaLAPACK: WHAT is pdgemr2d, or pdtran of an N x M matrix. FROM and TO are how the matrix\n"
    "lies before and after: rows and columns of the grid and of a block, as in 2x2:64x64. pdtran wants one grid.\n";

/* One matrix: how it lies, and this rank's part. */
typedef struct matrix {
    int grid_rows, grid_cols, context, desc[9];
    int64_t elements;
    double *data;
} matrix;

typedef struct job {
    bool transposes;
    int m, n, repetitions;
    matrix from, to;
} job;

static void read_layout(const char *text, matrix *x, int ranks)
{
    char rest = 0;
    const int read = sscanf(text, "%dx%d:%dx%d%c", &x->grid_rows, &x->grid_cols, &x->desc[4], &x->desc[5], &rest);
    if (read != 4 || x->grid_rows < 1 || x->grid_cols < 1 || x->desc[4] < 1 || x->desc[5] < 1)
        ashi_die("'%s', wanted a grid and blocks as in 2x2:64x64", text);
    if ((int64_t)x->grid_rows * x->grid_cols != ranks)
        ashi_die("a grid of %d x %d was asked for on %d ranks", x->grid_rows, x->grid_cols, ranks);
}

static int read_count(const char *text)
{
    char *end = NULL;
    const long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || value < 1 || value > 1000000)
        ashi_die("'%s', wanted a whole number from 1 to 1000000", text);
    return (int)value;
}

static job read_job(int argc, char **argv, int ranks)
{
    job j = {.repetitions = 9};
    if (argc != 6 && argc != 7)
        ashi_die("wanted WHAT M N FROM TO; --help says more");
    j.transposes = strcmp(argv[1], "pdtran") == 0;
    if (!j.transposes && strcmp(argv[1], "pdgemr2d") != 0)
        ashi_die("'%s', wanted pdgemr2d or pdtran", argv[1]);
    j.m = read_count(argv[2]);
    j.n = read_count(argv[3]);
    read_layout(argv[4], &j.from, ranks);
    read_layout(argv[5], &j.to, ranks);
    if (j.transposes && j.from.grid_rows != j.to.grid_rows)
        ashi_die("pdtran wants one grid");
    if (argc == 7)
        j.repetitions = read_count(argv[6]);
    return j;
}

/* Filled with numbers that tell elements apart, so that a result is compared bit by bit. */
static void open_matrix(matrix *x, int rows, int cols, int rank, bool filled)
{
    const int zero = 0, row = rank / x->grid_cols, col = rank % x->grid_cols;
    const int local_rows = numroc_(&rows, &x->desc[4], &row, &zero, &x->grid_rows);
    const int local_cols = numroc_(&cols, &x->desc[5], &col, &zero, &x->grid_cols);
    const int desc[9] = {1, x->context, rows, cols, x->desc[4], x->desc[5], 0, 0, local_rows > 1 ? local_rows : 1};
    memcpy(x->desc, desc, sizeof desc);
    x->elements = (int64_t)local_rows * local_cols;
    x->data = ashi_need(x->elements, (long long)sizeof(double));
    for (int64_t i = 0; i < x->elements; i++)
        x->data[i] = filled ? rank + (double)i * 0x1p-30 : (double)NAN;
}

static void open_grids(job *j, int handle)
{
    j->from.context = handle;
    Cblacs_gridinit(&j->from.context, "Row", j->from.grid_rows, j->from.grid_cols);
    j->to.context = j->from.context;
    if (j->from.grid_rows == j->to.grid_rows)
        return;
    j->to.context = handle;
    Cblacs_gridinit(&j->to.context, "Row", j->to.grid_rows, j->to.grid_cols);
}

static void run_ashlar(ashi_way *way, const ashi_matrices *x, double *c)
{
    const job *j = way->state;
    const int first = 1;
    const double one = 1, zero = 0;
    (void)x;
    if (j->transposes)
        ashlar_pdtran_(&j->m, &j->n, &one, j->from.data, &first, &first, j->from.desc, &zero, c, &first, &first,
                       j->to.desc);
    else
        ashlar_pdgemr2d_(&j->m, &j->n, j->from.data, &first, &first, j->from.desc, c, &first, &first, j->to.desc,
                         &j->from.context);
}

static void run_scalapack(ashi_way *way, const ashi_matrices *x, double *c)
{
    const job *j = way->state;
    const int first = 1;
    const double one = 1, zero = 0;
    (void)x;
    if (j->transposes)
        pdtran_(&j->m, &j->n, &one, j->from.data, &first, &first, j->from.desc, &zero, c, &first, &first, j->to.desc);
    else
        pdgemr2d_(&j->m, &j->n, j->from.data, &first, &first, j->from.desc, c, &first, &first, j->to.desc,
                  &j->from.context);
}

/* What MPI itself takes for messages is taken before anything is measured. */
static void warm_up(MPI_Comm comm, int ranks)
{
    enum { WORDS = 1 << 16 };
    double *out = ashi_need((long long)WORDS * ranks, (long long)sizeof *out);
    double *in = ashi_need((long long)WORDS * ranks, (long long)sizeof *in);
    memset(out, 0, (size_t)WORDS * (size_t)ranks * sizeof *out);
    if (MPI_Alltoall(out, WORDS, MPI_DOUBLE, in, WORDS, MPI_DOUBLE, comm) != MPI_SUCCESS)
        ashi_die("MPI_Alltoall failed");
    free(out);
    free(in);
}

/* KiB by which a rank grows at most in a way's first call, planning and all; -1 where the system does not say. */
static long growth(ashi_way *way, double *c, MPI_Comm comm)
{
    FILE *peak = fopen("/proc/self/clear_refs", "w");
    const bool forgotten = peak && fputs("5", peak) >= 0; /* the peak so far: proc(5) */
    if (peak && fclose(peak) != 0)
        return -1;
    const ashi_resident before = ashi_resident_read();
    MPI_Barrier(comm);
    way->run(way, NULL, c);
    const ashi_resident after = ashi_resident_read();
    const long mine = forgotten ? after.peak - before.now : -1;
    long most = -1;
    MPI_Allreduce(&mine, &most, 1, MPI_LONG, MPI_MAX, comm);
    return most;
}

static void add_memory(json_t *report, ashi_way *ways, double *const *c, const job *j, MPI_Comm comm)
{
    json_t *grown = json_object();
    const int64_t mine = j->from.elements + j->to.elements;
    int64_t most = 0;
    MPI_Allreduce(&mine, &most, 1, MPI_INT64_T, MPI_MAX, comm);
    for (int w = 0; w < WAYS; w++)
        ashi_report_set(grown, ways[w].name, json_integer((json_int_t)growth(&ways[w], c[w], comm)));
    ashi_report_set(report, "growth_kib", grown);
    ashi_report_set(report, "matrices_words", json_integer((json_int_t)most));
}

static void verify(const job *j, double *const *c, MPI_Comm comm)
{
    int differ = j->to.elements && memcmp(c[0], c[1], (size_t)j->to.elements * sizeof **c) != 0, any = 0;
    MPI_Allreduce(&differ, &any, 1, MPI_INT, MPI_MAX, comm);
    if (any)
        ashi_die("the results differ");
}

static void measure(job *j, json_t *report, MPI_Comm comm)
{
    const int n = j->repetitions;
    double *c[WAYS] = {j->to.data, ashi_need(j->to.elements, (long long)sizeof(double))};
    for (int64_t i = 0; i < j->to.elements; i++)
        c[SCALAPACK][i] = (double)NAN;
    ashi_way ways[WAYS] = {{.name = "ashlar", .state = j, .run = run_ashlar},
                           {.name = "scalapack", .state = j, .run = run_scalapack}};
    add_memory(report, ways, c, j, comm);
    double *seconds = ashi_samples_take(ways, WAYS, n, NULL, c, comm);
    verify(j, c, comm);
    json_t *times = json_object();
    for (int w = 0; w < WAYS; w++) {
        const ashi_summary s = ashi_summarize(seconds + w * n, n);
        ashi_report_set(times, ways[w].name, ashi_report_summary(&s, seconds + w * n, n));
    }
    const ashi_summary ratio = ashi_summarize_ratio(seconds, seconds + n, n);
    ashi_report_set(report, "seconds", times);
    ashi_report_set(report, "ratio_to_scalapack", ashi_report_summary(&ratio, NULL, 0));
    free(c[SCALAPACK]);
    free(seconds);
}

static json_t *begin_report(const job *j, const char *from, const char *to, int ranks)
{
    const ashi_matrices x = {.what = {.m = j->m, .n = j->n, .block = j->from.desc[4], .grid_rows = j->from.grid_rows,
                                      .grid_cols = j->from.grid_cols, .repetitions = j->repetitions}};
    json_t *report = ashi_report_begin("redistribute", &x, ranks);
    ashi_report_set(report, "routine", json_string(j->transposes ? "pdtran" : "pdgemr2d"));
    ashi_report_set(report, "from", json_string(from));
    ashi_report_set(report, "to", json_string(to));
    return report;
}

int main(int argc, char **argv)
{
    int rank = 0, ranks = 0;
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        if (rank == 0)
            fputs(help, stdout);
        MPI_Finalize();
        return 0;
    }
    job j = read_job(argc, argv, ranks);
    const int handle = Csys2blacs_handle(MPI_COMM_WORLD);
    open_grids(&j, handle);
    open_matrix(&j.from, j.transposes ? j.n : j.m, j.transposes ? j.m : j.n, rank, true);
    open_matrix(&j.to, j.m, j.n, rank, false);
    json_t *report = begin_report(&j, argv[4], argv[5], ranks);
    warm_up(MPI_COMM_WORLD, ranks);
    measure(&j, report, MPI_COMM_WORLD);
    ashi_report_end(report, rank);
    free(j.from.data);
    free(j.to.data);
    if (j.to.context != j.from.context)
        Cblacs_gridexit(j.to.context);
    Cblacs_gridexit(j.from.context);
    Cfree_blacs_system_handle(handle);
    MPI_Finalize();
    return 0;
}

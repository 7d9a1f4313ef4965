/* C <- A B with all three matrices in files of the folder that is named, in less memory than they have. */
#include <ashlar/ashlar.h>
#include <stdio.h>
#include <stdlib.h>

/* The place of a matrix in the folder. */
static const char *place(const char *folder, const char *name)
{
    static char text[4096];
    snprintf(text, sizeof text, "%s/%s", folder, name);
    return text;
}

/* Write a matrix of one value, each rank its columns. */
static ashlar_status write_matrix(ashlar_context *context, const char *to, int64_t rows, int64_t cols, double value,
                                  ashlar_error *err)
{
    int rank = 0, ranks = 1;
    ashlar_file *file = NULL;
    ashlar_layout *layout = NULL;
    double *data = NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    ashlar_status status = ashlar_layout_block_cyclic(rows, cols, rows, 1, 1, ranks, 0, 0, NULL, ASHLAR_COL_MAJOR, 0,
                                                      &layout, err);
    const int64_t count = status == ASHLAR_OK ? ashlar_layout_extent(layout, rank) : 0;
    data = calloc((size_t)count + 1, sizeof *data);
    for (int64_t i = 0; data != NULL && i < count; i++)
        data[i] = value;
    if (status == ASHLAR_OK)
        status = ashlar_file_create(context, to, ASHLAR_TYPE_D, rows, cols, ASHLAR_ROW_MAJOR, &file, err);
    if (status == ASHLAR_OK)
        status = ashlar_file_write(file, layout, data, err);
    if (status == ASHLAR_OK)
        status = ashlar_file_publish(file, err);
    ashlar_file_close(&file);
    ashlar_layout_free(&layout);
    free(data);
    return status;
}

static ashlar_status multiply(ashlar_context *context, const char *folder, ashlar_figures *figures, ashlar_error *err)
{
    const double one = 1, zero = 0;
    ashlar_file *file[3] = {NULL, NULL, NULL};
    ashlar_file_info a = {0}, b = {0};
    ashlar_plan *plan = NULL;
    ashlar_status status = ashlar_file_open(context, place(folder, "A.npy"), &file[0], err);
    if (status == ASHLAR_OK)
        status = ashlar_file_open(context, place(folder, "B.npy"), &file[1], err);
    if (status == ASHLAR_OK)
        status = ashlar_file_describe(file[0], &a, err);
    if (status == ASHLAR_OK)
        status = ashlar_file_describe(file[1], &b, err);
    if (status == ASHLAR_OK)
        status = ashlar_file_create(context, place(folder, "C.npy"), a.type, a.rows, b.cols, a.order, &file[2], err);
    ashlar_problem problem = {.size = sizeof problem, .type = a.type, .m = a.rows, .n = b.cols, .k = a.cols,
                              .a_file = file[0], .b_file = file[1], .c_file = file[2]};
    ashlar_options options = ashlar_options_default();
    options.memory_words = 1000; /* a rank; matrices that do not fit are streamed */
    if (status == ASHLAR_OK)
        status = ashlar_plan_create(context, &problem, &options, &plan, err);
    if (status == ASHLAR_OK)
        status = ashlar_plan_execute(plan, &one, NULL, NULL, &zero, NULL, err);
    if (status == ASHLAR_OK)
        status = ashlar_plan_measured(plan, figures, err);
    if (status == ASHLAR_OK)
        status = ashlar_file_publish(file[2], err); /* the output appears whole or not at all */
    ashlar_plan_free(&plan);
    for (int x = 0; x < 3; x++)
        ashlar_file_close(&file[x]);
    return status;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char *folder = argc > 1 ? argv[1] : ".";
    ashlar_context *context = NULL;
    ashlar_figures figures = {0};
    ashlar_error err = {0};
    ashlar_status status = ashlar_context_create(MPI_COMM_WORLD, &context, &err);
    if (status == ASHLAR_OK)
        status = write_matrix(context, place(folder, "A.npy"), 90, 70, 1, &err);
    if (status == ASHLAR_OK)
        status = write_matrix(context, place(folder, "B.npy"), 70, 80, 2, &err);
    if (status == ASHLAR_OK)
        status = multiply(context, folder, &figures, &err);
    if (status == ASHLAR_OK && rank == 0)
        printf("%lld words held by a rank, %lld words read and written by all\n", (long long)figures.memory_words,
               (long long)figures.disk_words);
    if (status != ASHLAR_OK && rank == 0)
        fprintf(stderr, "%s: %s\n", ashlar_status_name(status), err.text);
    ashlar_context_free(&context);
    MPI_Finalize();
    return status == ASHLAR_OK ? 0 : 1;
}

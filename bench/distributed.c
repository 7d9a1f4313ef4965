/* bench/distributed [-w] [-s STRATEGY] [-r REPETITIONS] EXPRESSION INDEX=EXTENT,...: a contraction in memory on all
 * ranks, with layouts that the plan likes: the words that the busiest rank receives, beside the bound, and the seconds.
 * -w: the plan with the fewest words, not that with the least time. -s: products by this strategy, on all ranks. */
#include "die.h"

#include <ashlar/contract.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] = "wanted: distributed [-w] [-s STRATEGY] [-r REPETITIONS] EXPRESSION INDEX=EXTENT,...";

enum { OPERANDS = 8, ORDER = 16, REPETITIONS_MOST = 101, LETTERS = 128 };

typedef struct job {
    const char *expression;
    int operands, repetitions;
    bool words;
    const char *strategy;
    int64_t extent[LETTERS], shape[OPERANDS][ORDER];
    ashlar_tensor tensor[OPERANDS + 1];
    double *data[OPERANDS + 1];
} job;

static void read_extents(job *j, char *text)
{
    for (char *one = strtok(text, ","); one; one = strtok(NULL, ",")) {
        char index, rest;
        long long extent;
        if (sscanf(one, "%c=%lld%c", &index, &extent, &rest) != 2 || index < 0 || extent < 0)
            ashi_die("'%s', wanted INDEX=EXTENT as in i=100", one);
        j->extent[(int)index] = extent;
    }
}

static void read_tensors(job *j)
{
    int x = 0;
    for (const char *c = j->expression; *c && *c != '-'; c++) {
        ashlar_tensor *const t = &j->tensor[x];
        if (*c == ',')
            x++;
        if (x == OPERANDS || t->order == ORDER || *c < 0)
            ashi_die("'%s': at most %d operands of %d indices", j->expression, OPERANDS, ORDER);
        if (*c != ',')
            j->shape[x][t->order++] = j->extent[(int)*c];
    }
    j->operands = x + 1;
    const char *const arrow = strstr(j->expression, "->");
    j->tensor[j->operands].order = arrow ? (int)strlen(arrow + 2) : 0;
    for (x = 0; x <= j->operands; x++) {
        j->tensor[x].size = sizeof j->tensor[x];
        j->tensor[x].extent = x < j->operands ? j->shape[x] : NULL;
    }
}

static job read_job(int argc, char **argv)
{
    job j = {.repetitions = 5};
    int option;
    while ((option = getopt(argc, argv, "wr:s:")) != -1) {
        if (option == '?')
            ashi_die("%s", help);
        if (option == 'w')
            j.words = true;
        else if (option == 's')
            j.strategy = optarg;
        else
            j.repetitions = atoi(optarg);
    }
    if (argc - optind != 2 || j.repetitions < 1 || j.repetitions > REPETITIONS_MOST)
        ashi_die("%s", help);
    j.expression = argv[optind];
    read_extents(&j, argv[optind + 1]);
    read_tensors(&j);
    return j;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_seconds(const job *j, ashlar_contraction_plan *plan)
{
    const double one = 1, zero = 0;
    const void *operand[OPERANDS];
    double seconds[REPETITIONS_MOST];
    ashlar_error err = {0};
    for (int x = 0; x < j->operands; x++)
        operand[x] = j->data[x];
    for (int i = -1; i < j->repetitions; i++) {
        ashlar_figures figures = {0};
        if (ashlar_contraction_execute(plan, &one, operand, &zero, j->data[j->operands], &err) != ASHLAR_OK ||
            ashlar_contraction_measured(plan, &figures, &err) != ASHLAR_OK)
            ashi_die("%s", err.text);
        seconds[i < 0 ? 0 : i] = figures.seconds;
    }
    qsort(seconds, (size_t)j->repetitions, sizeof *seconds, compare);
    return seconds[j->repetitions / 2];
}

static void run(job *j, ashlar_context *context, int rank)
{
    const ashlar_contraction what = {.size = sizeof what, .type = ASHLAR_TYPE_D, .expression = j->expression,
                                     .operands = j->operands, .operand = j->tensor, .output = &j->tensor[j->operands]};
    ashlar_options options = ashlar_options_default();
    ashlar_contraction_explanation why = {0};
    ashlar_figures predicted = {0}, measured = {0};
    ashlar_contraction_plan *plan = NULL;
    ashlar_error err = {0};
    options.strategy = j->strategy;
    options.objective = j->words ? ASHLAR_LEAST_WORDS : ASHLAR_LEAST_TIME;
    if (ashlar_contraction_plan_create(context, &what, &options, &plan, &err) != ASHLAR_OK ||
        ashlar_contraction_explain(plan, &why, &err) != ASHLAR_OK ||
        ashlar_contraction_predicted(plan, &predicted, &err) != ASHLAR_OK)
        ashi_die("%s", err.text);
    for (int x = 0; x <= j->operands; x++) {
        const int64_t room = ashlar_tensor_layout_room(ashlar_contraction_layout(plan, x), rank);
        j->data[x] = ashi_need(room + 1, sizeof(double));
        for (int64_t i = 0; i < room; i++)
            j->data[x][i] = (double)(i % 7) - 3;
    }
    const double seconds = median_seconds(j, plan);
    if (ashlar_contraction_measured(plan, &measured, &err) != ASHLAR_OK)
        ashi_die("%s", err.text);
    if (rank == 0)
        printf("%lld words predicted, %lld received, bound %.0f; %.4g s predicted, median %.4g s\n%s",
               (long long)predicted.words_max, (long long)measured.words_max, why.bound_words, predicted.seconds,
               seconds, why.text);
    ashlar_contraction_plan_free(&plan);
    for (int x = 0; x <= j->operands; x++)
        free(j->data[x]);
}

int main(int argc, char **argv)
{
    int level, rank;
    ashlar_context *context = NULL;
    ashlar_error err = {0};
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    job j = read_job(argc, argv);
    if (ashlar_context_create(MPI_COMM_WORLD, &context, &err) != ASHLAR_OK)
        ashi_die("%s", err.text);
    run(&j, context, rank);
    ashlar_context_free(&context);
    MPI_Finalize();
    return 0;
}

/* bench/contraction EXPRESSION EXTENT [INDEX=EXTENT ...] [REPETITIONS]: a contraction of two arrays in memory on one
 * core, by turns with the eight forms of dgemm for matrices of the same sizes, whose fastest is the reference. */
#include "exec/contraction.h"

#include "die.h"
#include "samples.h"

#include <cblas.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LETTERS = 128, FORMS = 8, USUAL_REPETITIONS = 5 };

typedef struct contraction {
    char list[3][LETTERS]; /* the indices of A, B and C */
    int64_t extent[LETTERS], words[3], m, n, k, batch;
    ashi_contraction product;
} contraction;

static void read_text(contraction *x, const char *text)
{
    if (sscanf(text, "%100[a-zA-Z],%100[a-zA-Z]->%100[a-zA-Z]", x->list[0], x->list[1], x->list[2]) != 3)
        ashi_die("wanted an expression of two arrays, as ab,bc->ac");
}

static void find_strides(contraction *x, int64_t stride[3][LETTERS])
{
    for (int i = 0; i < 3; i++) {
        x->words[i] = 1;
        for (size_t at = strlen(x->list[i]); at-- > 0;) {
            const int letter = x->list[i][at];
            stride[i][letter] = x->words[i];
            x->words[i] *= x->extent[letter];
        }
    }
}

/* Each index to its group. */
static void sort_indices(contraction *x)
{
    int64_t stride[3][LETTERS] = {{0}};
    find_strides(x, stride);
    x->m = x->n = x->k = x->batch = 1;
    for (int letter = 'A'; letter <= 'z'; letter++) {
        const bool a = isalpha(letter) && strchr(x->list[0], letter), b = isalpha(letter) && strchr(x->list[1], letter);
        const bool c = isalpha(letter) && strchr(x->list[2], letter);
        if (!a && !b)
            continue;
        ashi_contraction *const p = &x->product;
        ashi_stride_group *const group = a && b ? (c ? &p->batch : &p->depth) : a ? &p->rows : &p->cols;
        int64_t *const size = a && b ? (c ? &x->batch : &x->k) : a ? &x->m : &x->n;
        if (!c && !(a && b))
            ashi_die("an index of one array alone is summed: not part of this bench");
        *size *= x->extent[letter];
        group->index[group->count++] =
            (ashi_index){x->extent[letter], {stride[0][letter], stride[1][letter], stride[2][letter]}};
    }
}

static double *make(int64_t words)
{
    double *const x = ashi_need(words, (long long)sizeof *x);
    for (int64_t i = 0; i < words; i++)
        x[i] = (double)(i % 7) - 3;
    return x;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_ours(const ashi_contraction_plan *plan, double *const x[3], void *workspace)
{
    const double one = 1, zero = 0, began = now();
    ashi_contraction_run(plan, &one, x[0], x[1], &zero, x[2], 0, 1, workspace);
    return now() - began;
}

static double time_form(const contraction *c, double *const x[3], int form)
{
    const bool turned = form & 4;
    const int m = (int)(turned ? c->n : c->m), n = (int)(turned ? c->m : c->n), k = (int)c->k;
    const double began = now();
    for (int64_t i = 0; i < c->batch; i++)
        cblas_dgemm(CblasColMajor, form & 1 ? CblasTrans : CblasNoTrans, form & 2 ? CblasTrans : CblasNoTrans, m, n, k,
                    1, x[turned ? 1 : 0] + i * m * k, form & 1 ? k : m, x[turned ? 0 : 1] + i * n * k,
                    form & 2 ? n : k, 0, x[2] + i * m * n, m);
    return now() - began;
}

/* FORMS + 1 times `repetitions` seconds, ours last, after one untimed round. */
static double *measure(const contraction *x, int repetitions)
{
    ashi_contraction_plan plan;
    ashi_contraction_make(&x->product, &plan);
    double *const data[3] = {make(x->words[0]), make(x->words[1]), make(x->words[2])};
    void *const workspace = ashi_need(plan.bytes, 1);
    double *const seconds = ashi_need((FORMS + 1) * (long long)repetitions, (long long)sizeof *seconds);
    for (int r = -1; r < repetitions; r++)
        for (int form = 0; form <= FORMS; form++) {
            const double took = form == FORMS ? time_ours(&plan, data, workspace) : time_form(x, data, form);
            if (r >= 0)
                seconds[form * repetitions + r] = took;
        }
    for (int i = 0; i < 3; i++)
        free(data[i]);
    free(workspace);
    return seconds;
}

static void print(const contraction *x, const char *text, const double *seconds, int repetitions)
{
    const double *const ours = seconds + FORMS * repetitions, *best = seconds;
    for (int form = 1; form < FORMS; form++)
        if (ashi_summarize(seconds + form * repetitions, repetitions).median < ashi_summarize(best, repetitions).median)
            best = seconds + form * repetitions;
    const ashi_summary ratio = ashi_summarize_ratio(best, ours, repetitions);
    const double flops = 2 * (double)x->m * (double)x->n * (double)x->k * (double)x->batch;
    printf("%s m %lld n %lld k %lld batch %lld, %.0f flops a word: %.1f GFlop/s, dgemm %.1f, "
           "ratio %.2f (%.2f to %.2f)\n", text, (long long)x->m, (long long)x->n, (long long)x->k, (long long)x->batch,
           flops / (double)(x->words[0] + x->words[1] + x->words[2]),
           1e-9 * flops / ashi_summarize(ours, repetitions).median,
           1e-9 * flops / ashi_summarize(best, repetitions).median, ratio.median, ratio.low, ratio.high);
}

int main(int argc, char **argv)
{
    contraction x = {.product = {.type = ASHLAR_TYPE_D}};
    int repetitions = USUAL_REPETITIONS;
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS || argc < 3)
        ashi_die("usage: contraction EXPRESSION EXTENT [INDEX=EXTENT ...] [REPETITIONS]");
    read_text(&x, argv[1]);
    for (int i = 0; i < LETTERS; i++)
        x.extent[i] = atoll(argv[2]);
    for (int i = 3; i < argc; i++)
        if (isalpha((unsigned char)argv[i][0]) && argv[i][1] == '=')
            x.extent[(unsigned char)argv[i][0]] = atoll(argv[i] + 2);
        else
            repetitions = atoi(argv[i]);
    sort_indices(&x);
    double *const seconds = measure(&x, repetitions);
    print(&x, argv[1], seconds, repetitions);
    free(seconds);
    return MPI_Finalize() != MPI_SUCCESS;
}

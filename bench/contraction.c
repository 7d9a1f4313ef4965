/* bench/contraction [-t TYPE] [-p THREADS] [-r REPETITIONS] [-f FILE] [EXPRESSION:EXTENT[,INDEX=EXTENT...] ...]:
 * contractions of two arrays in memory, by turns with the eight forms of the BLAS for matrices of the same sizes, whose
 * fastest is the reference. */
#include "kernel/contraction.h"
#include "kernel/kernels.h"
#include "kernel/threads.h"
#include "kernel/workers.h"

#include "base/type.h"
#include "die.h"
#include "samples.h"

#include <cblas.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LETTERS = 128, FORMS = 8, KEPT = 2, USUAL_REPETITIONS = 5, LINE_MOST = 256, PARTS_MOST = 64 };

typedef struct options {
    ashlar_type type;
    int threads, repetitions;
} options;

typedef struct contraction {
    char list[3][LETTERS]; /* the indices of A, B and C */
    int64_t extent[LETTERS], words[3], m, n, k, batch;
    ashi_contraction product;
} contraction;

/* What is multiplied, and by how many threads. */
typedef struct job {
    const contraction *x;
    const options *o;
    ashi_contraction_plan plan;
    void *data[3], *workspace[PARTS_MOST];
    ashi_workers *workers;
} job;

static void read_text(contraction *x, const char *text)
{
    int at = 0;
    const char *rest = text;
    for (int i = 0; i < 3; i++) {
        for (at = 0; isalpha((unsigned char)*rest) && at < LETTERS - 1; rest++)
            x->list[i][at++] = *rest;
        const char *const mark = i == 0 ? "," : i == 1 ? "->" : ":";
        if (strncmp(rest, mark, strlen(mark)) != 0)
            ashi_die("%s: wanted EXPRESSION:EXTENT[,INDEX=EXTENT...], as ab,bc->ac:100,c=7", text);
        rest += strlen(mark);
    }
    for (int i = 0; i < LETTERS; i++)
        x->extent[i] = atoll(rest);
    while ((rest = strchr(rest, ',')) != NULL && isalpha((unsigned char)rest[1]) && rest[2] == '=') {
        x->extent[(unsigned char)rest[1]] = atoll(rest + 3);
        rest++;
    }
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

/* Small integers; of complex numbers both parts. */
static void *make(ashlar_type type, int64_t words)
{
    const ashi_type *const of = ashi_type_of(type);
    void *const x = ashi_need(words, (long long)of->bytes);
    const bool single = type == ASHLAR_TYPE_S || type == ASHLAR_TYPE_C;
    for (int64_t i = 0; i < words * (of->flops == 8 ? 2 : 1); i++)
        if (single)
            ((float *)x)[i] = (float)(i % 7) - 3;
        else
            ((double *)x)[i] = (double)(i % 7) - 3;
    return x;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool do_part(void *context, const ashi_job *part, int hand)
{
    const job *const j = context;
    const ashi_kernels *const kernels = ashi_kernels_of(j->o->type);
    (void)hand;
    ashi_contraction_run(&j->plan, kernels->one, j->data[0], j->data[1], kernels->zero, j->data[2], part->part,
                         part->parts, j->workspace[part->part]);
    return true;
}

static double time_ours(job *j)
{
    ashi_blas_begin(1);
    const double began = now();
    for (int i = 1; i < j->o->threads; i++)
        ashi_workers_give(j->workers, &(ashi_job){.number = i, .part = i, .parts = j->o->threads});
    do_part(j, &(ashi_job){.part = 0, .parts = j->o->threads}, 0);
    ashi_workers_rest(j->workers);
    const double took = now() - began;
    ashi_job ended[ASHI_WORKERS_ROOM];
    for (int left = j->o->threads - 1; left > 0;)
        left -= ashi_workers_ended(j->workers, -1, ended);
    ashi_blas_end();
    return took;
}

static void gemm(ashlar_type type, int form, int m, int n, int k, const void *a, const void *b, void *c)
{
    const enum CBLAS_TRANSPOSE of_a = form & 1 ? CblasTrans : CblasNoTrans, of_b = form & 2 ? CblasTrans : CblasNoTrans;
    const int lda = form & 1 ? k : m, ldb = form & 2 ? n : k;
    const ashi_kernels *const x = ashi_kernels_of(type);
    if (type == ASHLAR_TYPE_S)
        cblas_sgemm(CblasColMajor, of_a, of_b, m, n, k, 1, a, lda, b, ldb, 0, c, m);
    else if (type == ASHLAR_TYPE_D)
        cblas_dgemm(CblasColMajor, of_a, of_b, m, n, k, 1, a, lda, b, ldb, 0, c, m);
    else if (type == ASHLAR_TYPE_C)
        cblas_cgemm(CblasColMajor, of_a, of_b, m, n, k, x->one, a, lda, b, ldb, x->zero, c, m);
    else
        cblas_zgemm(CblasColMajor, of_a, of_b, m, n, k, x->one, a, lda, b, ldb, x->zero, c, m);
}

static double time_form(const job *j, int form)
{
    const contraction *const x = j->x;
    const bool turned = form & 4;
    const int m = (int)(turned ? x->n : x->m), n = (int)(turned ? x->m : x->n), k = (int)x->k;
    const int64_t bytes = (int64_t)ashi_type_of(j->o->type)->bytes;
    const char *const a = j->data[turned ? 1 : 0], *const b = j->data[turned ? 0 : 1];
    const double began = now();
    for (int64_t i = 0; i < x->batch; i++)
        gemm(j->o->type, form, m, n, k, a + i * m * k * bytes, b + i * n * k * bytes,
             (char *)j->data[2] + i * m * n * bytes);
    return now() - began;
}

/* The forms that are fastest when each runs once, warm. */
static void choose_forms(const job *j, int out[KEPT])
{
    double took[FORMS];
    for (int form = 0; form < FORMS; form++) {
        if (form == 0)
            time_form(j, form);
        took[form] = time_form(j, form);
    }
    for (int i = 0; i < KEPT; i++) {
        out[i] = 0;
        for (int form = 1; form < FORMS; form++)
            if (took[form] < took[out[i]])
                out[i] = form;
        took[out[i]] = 1e9;
    }
}

/* KEPT + 1 times `repetitions` seconds, ours last, after one untimed round. Threads of the BLAS turn for a while after
 * their work is done: where there are any, the next waits until they sleep. */
static double *measure(job *j)
{
    const int repetitions = j->o->repetitions;
    double *const seconds = ashi_need((KEPT + 1) * (long long)repetitions, (long long)sizeof *seconds);
    int forms[KEPT];
    choose_forms(j, forms);
    for (int r = -1; r < repetitions; r++)
        for (int way = 0; way <= KEPT; way++) {
            if (j->o->threads > 1)
                nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
            const double took = way == KEPT ? time_ours(j) : time_form(j, forms[way]);
            if (r >= 0)
                seconds[way * repetitions + r] = took;
        }
    return seconds;
}

static void print(const job *j, const char *text, const double *seconds)
{
    const contraction *const x = j->x;
    const int repetitions = j->o->repetitions;
    const double *const ours = seconds + KEPT * repetitions, *best = seconds;
    for (int way = 1; way < KEPT; way++)
        if (ashi_summarize(seconds + way * repetitions, repetitions).median < ashi_summarize(best, repetitions).median)
            best = seconds + way * repetitions;
    const ashi_summary ratio = ashi_summarize_ratio(best, ours, repetitions);
    const double flops = (double)ashi_type_of(j->o->type)->flops * (double)x->m * (double)x->n * (double)x->k *
                         (double)x->batch;
    const double a_word = flops / (double)(x->words[0] + x->words[1] + x->words[2]), wanted = a_word >= 100 ? 0.9 : 0.7;
    printf("%-32s %c %d %8lld %8lld %6lld %7lld %5.0f %7.1f %7.1f %5.2f %5.2f to %5.2f%s\n", text,
           ashi_type_of(j->o->type)->letter, j->o->threads, (long long)x->m, (long long)x->n, (long long)x->k,
           (long long)x->batch, a_word, 1e-9 * flops / ashi_summarize(ours, repetitions).median,
           1e-9 * flops / ashi_summarize(best, repetitions).median, ratio.median, ratio.low, ratio.high,
           ratio.median < wanted ? " below" : "");
    fflush(stdout);
}

static void run(const options *o, ashi_workers *workers, const char *text)
{
    contraction x = {.product = {.type = o->type}};
    read_text(&x, text);
    sort_indices(&x);
    job j = {.x = &x, .o = o, .workers = workers};
    ashi_contraction_make(&x.product, &j.plan);
    for (int i = 0; i < 3; i++)
        j.data[i] = make(o->type, x.words[i]);
    for (int i = 0; i < o->threads; i++)
        j.workspace[i] = ashi_need(j.plan.bytes, 1);
    ashi_workers_serve(workers, o->threads - 1, do_part, &j);
    double *const seconds = measure(&j);
    print(&j, text, seconds);
    free(seconds);
    for (int i = 0; i < 3; i++)
        free(j.data[i]);
    for (int i = 0; i < o->threads; i++)
        free(j.workspace[i]);
}

static void run_file(const options *o, ashi_workers *workers, const char *path)
{
    char line[LINE_MOST];
    FILE *const file = fopen(path, "r");
    if (file == NULL)
        ashi_die("cannot read %s", path);
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0] != '#' && line[0] != '\0')
            run(o, workers, line);
    }
    fclose(file);
}

/* Returns the file of contractions, or NULL. */
static const char *read_options(int argc, char **argv, options *out)
{
    const char *file = NULL;
    for (int option; (option = getopt(argc, argv, "t:p:r:f:")) != -1;)
        if (option == 'p')
            out->threads = atoi(optarg);
        else if (option == 'r')
            out->repetitions = atoi(optarg);
        else if (option == 'f')
            file = optarg;
        else if (option == 't' && strchr("sdcz", optarg[0]) != NULL)
            out->type = (ashlar_type)(strchr("sdcz", optarg[0]) - "sdcz");
        else
            ashi_die("usage: contraction [-t s|d|c|z] [-p THREADS] [-r REPETITIONS] [-f FILE] [EXPRESSION:EXTENTS...]");
    if (out->threads < 1 || out->threads > PARTS_MOST || out->repetitions < 1)
        ashi_die("wanted 1 to %d threads and a repetition", PARTS_MOST);
    return file;
}

int main(int argc, char **argv)
{
    options o = {ASHLAR_TYPE_D, 1, USUAL_REPETITIONS};
    ashi_workers *workers = NULL;
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return EXIT_FAILURE;
    const char *const file = read_options(argc, argv, &o);
    if (ashi_workers_create(o.threads, &workers, NULL) != ASHLAR_OK)
        ashi_die("no memory");
    ashi_workers_start(workers, o.threads - 1);
    ashi_set_blas_threads(o.threads);
    printf("%-32s t p %8s %8s %6s %7s %5s %7s %7s %5s quartiles\n", "contraction", "m", "n", "k", "batch", "f/w",
           "GF/s", "BLAS", "ratio");
    if (file != NULL)
        run_file(&o, workers, file);
    for (int i = optind; i < argc; i++)
        run(&o, workers, argv[i]);
    ashi_workers_free(&workers);
    return MPI_Finalize() != MPI_SUCCESS;
}

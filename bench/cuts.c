/* Times a product whole and in pieces by turns, cut along n, m or k: what each cut costs with this BLAS. */
#include "exec/kernels.h"
#include "exec/mpi.h"
#include "exec/threads.h"
#include "inner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: cuts M N K REPETITIONS\n\n"
    "Print a line of JSON with the time of an M x N x K product of doubles in column-major order in one thread, cut\n"
    "into pieces along n, m or k, over the time of the same product in one call: medians, by turns in one process.\n";

enum { WAYS = 7, MOST = 1 << 20, REPETITIONS_MOST = 1000 };

/* Pieces along m, n or k; the first is whole. */
static const struct {
    const char *name;
    int along, pieces;
} way[WAYS] = {{"whole", 0, 1}, {"n2", 1, 2}, {"n4", 1, 4}, {"m2", 0, 2}, {"k2", 2, 2}, {"k4", 2, 4}, {"k8", 2, 8}};

typedef struct product {
    int64_t size[3];
    double *a, *b, *c;
} product;

/* The piece from lo to hi along one dimension. A piece of k adds to the ones before it. */
static void multiply(const product *p, int along, int64_t lo, int64_t hi)
{
    const ashi_kernels *kernels = ashi_kernels_of(ASHLAR_TYPE_D);
    const int64_t *size = p->size;
    const int64_t first[3] = {along == 0 ? lo : 0, along == 1 ? lo : 0, along == 2 ? lo : 0};
    const ashi_matrix a = {p->a + first[0] + first[2] * size[0], 1, size[0]};
    const ashi_matrix b = {p->b + first[2] + first[1] * size[2], size[2], 1}; /* n is its minor side */
    kernels->gemm(along == 0 ? hi - lo : size[0], along == 1 ? hi - lo : size[1], along == 2 ? hi - lo : size[2],
                  kernels->one, &a, false, &b, false, first[2] == 0 ? kernels->zero : kernels->one,
                  p->c + first[0] + first[1] * size[0], 1, size[0]);
}

static double run(const product *p, int w)
{
    const int64_t size = p->size[way[w].along];
    const double start = MPI_Wtime();
    for (int i = 0; i < way[w].pieces; i++)
        multiply(p, way[w].along, size * i / way[w].pieces, size * (i + 1) / way[w].pieces);
    return MPI_Wtime() - start;
}

static double *filled(int64_t count)
{
    double *x = ashi_inner_doubles(count);
    for (int64_t i = 0; i < count; i++)
        x[i] = (double)(i % 7) - 3;
    return x;
}

/* By turns, after one run of each that is not counted. The numbers are small integers, so all have the same C. */
static void measure(const product *p, int repetitions, double median[WAYS])
{
    const size_t bytes = (size_t)(p->size[0] * p->size[1]) * sizeof(double);
    double *seconds = ashi_inner_doubles((int64_t)WAYS * repetitions), *c = ashi_inner_doubles(p->size[0] * p->size[1]);
    for (int w = 0; w < WAYS; w++) {
        run(p, w);
        if (w == 0)
            memcpy(c, p->c, bytes);
        else if (memcmp(c, p->c, bytes) != 0)
            ashi_inner_end("a product in pieces differs from the whole one");
    }
    for (int r = 0; r < repetitions; r++)
        for (int w = 0; w < WAYS; w++)
            seconds[w * repetitions + r] = run(p, w);
    for (int w = 0; w < WAYS; w++)
        median[w] = ashi_inner_median(seconds + (int64_t)w * repetitions, repetitions);
    free(c);
    free(seconds);
}

int main(int argc, char **argv)
{
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 1;
    if (argc != 5) {
        fputs(help, stdout);
        MPI_Finalize();
        return !(argc == 2 && strcmp(argv[1], "--help") == 0);
    }
    product p;
    for (int d = 0; d < 3; d++)
        p.size[d] = ashi_inner_number(argv[1 + d], MOST);
    const int repetitions = (int)ashi_inner_number(argv[4], REPETITIONS_MOST);
    double median[WAYS];
    p.a = filled(p.size[0] * p.size[2]);
    p.b = filled(p.size[2] * p.size[1]);
    p.c = filled(p.size[0] * p.size[1]);
    ashi_set_blas_threads(1);
    measure(&p, repetitions, median);
    printf("{\"schema\": 1, \"kind\": \"cuts\", \"blas\": \"%s\", \"m\": %" PRId64 ", \"n\": %" PRId64
           ", \"k\": %" PRId64 ", \"repetitions\": %d, \"seconds\": %.4g, \"over_whole\": {",
           ashi_blas_name(), p.size[0], p.size[1], p.size[2], repetitions, median[0]);
    for (int w = 1; w < WAYS; w++)
        printf("%s\"%s\": %.3f", w > 1 ? ", " : "", way[w].name, median[w] / median[0]);
    puts("}}");
    free(p.a);
    free(p.b);
    free(p.c);
    MPI_Finalize();
    return 0;
}

/* What the measuring programs share that are made of the library's objects. */
#include "inner.h"

#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

void ashi_inner_end(const char *text)
{
    fprintf(stderr, "bench: %s\n", text);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1); /* MPI_Abort is not declared to end the program */
}

int64_t ashi_inner_number(const char *text, int64_t most)
{
    char *rest = NULL, words[80];
    const long long value = strtoll(text, &rest, 10);
    if (rest == text || *rest != '\0' || value < 1 || value > most) {
        snprintf(words, sizeof words, "wanted whole numbers from 1 to %" PRId64, most);
        ashi_inner_end(words);
    }
    return value;
}

double *ashi_inner_doubles(int64_t count)
{
    double *memory = malloc((size_t)count * sizeof *memory);
    if (!memory)
        ashi_inner_end("memory is short");
    return memory;
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double ashi_inner_median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, ascending);
    return values[n / 2];
}

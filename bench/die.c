/* The end of a measuring program that cannot go on. */
#include "die.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* What fails on every rank is said once: rank 0 ends the others while they wait. */
static void let_rank_0_speak(void)
{
    int running = 0, rank = 0;
    if (MPI_Initialized(&running) == MPI_SUCCESS && running && MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS &&
        rank != 0)
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
}

void ashi_die(const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    let_rank_0_speak();
    fprintf(stderr, "bench: %s\n", text);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort(); /* MPI_Abort is not declared to end the program */
}

void *ashi_need(long long count, long long bytes_each)
{
    long long bytes = 0;
    if (__builtin_mul_overflow(count, bytes_each, &bytes) || bytes < 0 || (unsigned long long)bytes > SIZE_MAX)
        ashi_die("%lld elements of %lld bytes are more than memory can hold", count, bytes_each);
    if (bytes == 0)
        return NULL;
    void *memory = malloc((size_t)bytes);
    if (!memory)
        ashi_die("no memory for %lld bytes", bytes);
    return memory;
}

/* What was done for each shape of call, said once at the end of the run. */
#include "pblas/log.h"

#include <inttypes.h>
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MOST = 4096 };

typedef struct line {
    char *text;
    int64_t calls;
    double seconds;
} line;

static struct {
    line *lines;
    int64_t count, capacity, unlisted;
    bool hooked, printed;
} book;

/* Holds for the whole book. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void print_lines(void)
{
    for (int64_t i = 0; i < book.count; i++) {
        const line *l = &book.lines[i];
        fprintf(stderr, "ashlar: %" PRId64 " x %s, %.6f s\n", l->calls, l->text, l->seconds);
        free(l->text);
    }
    if (book.unlisted)
        fprintf(stderr, "ashlar: %" PRId64 " calls of further shapes are not listed\n", book.unlisted);
    free(book.lines);
    book.lines = NULL;
    book.count = book.capacity = 0;
}

static void print_all(void)
{
    pthread_mutex_lock(&lock);
    if (!book.printed)
        print_lines();
    book.printed = true;
    pthread_mutex_unlock(&lock);
}

/* MPI deletes what hangs on MPI_COMM_SELF before anything else in MPI_Finalize. */
static int print_at_end(MPI_Comm comm, int keyval, void *attribute, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)attribute;
    (void)extra;
    print_all();
    return MPI_SUCCESS;
}

static void hook(void)
{
    int keyval = MPI_KEYVAL_INVALID;
    if (book.hooked)
        return;
    book.hooked = true;
    if (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, print_at_end, &keyval, NULL) == MPI_SUCCESS)
        (void)MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &book); /* without it the lines come at the very end */
    atexit(print_all); /* for programs that end without MPI_Finalize */
}

static bool grow(void)
{
    if (book.count < book.capacity)
        return true;
    const int64_t capacity = book.capacity ? 2 * book.capacity : 16;
    line *lines = realloc(book.lines, (size_t)capacity * sizeof *lines);
    if (!lines)
        return false;
    book.lines = lines;
    book.capacity = capacity;
    return true;
}

static ashi_log_line find_or_add(const char *text)
{
    for (int64_t i = 0; i < book.count; i++)
        if (strcmp(book.lines[i].text, text) == 0)
            return i;
    if (book.printed || book.count == LINES_MOST || !grow())
        return -1;
    char *own = strdup(text);
    if (!own)
        return -1;
    book.lines[book.count] = (line){own, 0, 0};
    return book.count++;
}

ashi_log_line ashi_log_open(const char *text)
{
    pthread_mutex_lock(&lock);
    hook();
    const ashi_log_line number = find_or_add(text);
    pthread_mutex_unlock(&lock);
    return number;
}

void ashi_log_count(ashi_log_line number, double seconds)
{
    pthread_mutex_lock(&lock);
    if (number < 0 || number >= book.count) {
        book.unlisted++;
    } else {
        book.lines[number].calls++;
        book.lines[number].seconds += seconds;
    }
    pthread_mutex_unlock(&lock);
}

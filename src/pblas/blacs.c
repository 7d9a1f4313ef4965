/* What is asked of the BLACS: where a process is in a grid, the grid's communicator, the end of the program. */
#include "pblas/blacs.h"

#include "pblas/behind.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The BLACS for 32-bit integers, as Fortran calls them. Weak: a BLACS that is linked statically is found at link time,
 * and one that is loaded later by dlopen is looked for then. */
void blacs_gridinfo_(const int *context, int *rows, int *cols, int *row, int *col) __attribute__((weak));
void blacs_get_(const int *context, const int *what, int *value) __attribute__((weak));
void blacs_abort_(const int *context, const int *code) __attribute__((weak));

typedef void (*gridinfo_function)(const int *context, int *rows, int *cols, int *row, int *col);
typedef void (*get_function)(const int *context, const int *what, int *value);
typedef void (*abort_function)(const int *context, const int *code);
typedef void (*report_function)(int context, char *routine, int info);
typedef void (*warn_function)(int context, int line, char *routine, char *format, ...);
typedef void (*xerbla_function)(const int *context, const char *routine, const int *info, size_t length);

enum { COMMUNICATOR = 10 }; /* BLACS_GET's WHAT for the handle of the communicator under a context */
enum { NO_LINE = -1 };      /* PB_Cwarn's LINE if there is none to name */

ashi_coordinates ashi_blacs_grid(int context)
{
    static ashi_kept_function kept;
    const gridinfo_function gridinfo =
        blacs_gridinfo_ ? blacs_gridinfo_ : (gridinfo_function)ashi_behind(&kept, "blacs_gridinfo_");
    ashi_coordinates at = {-1, -1, -1, -1};
    if (gridinfo)
        gridinfo(&context, &at.rows, &at.cols, &at.row, &at.col);
    return at;
}

MPI_Comm ashi_blacs_comm(int context)
{
    static ashi_kept_function kept;
    const get_function get = blacs_get_ ? blacs_get_ : (get_function)ashi_behind(&kept, "blacs_get_");
    const int what = COMMUNICATOR;
    int handle = 0;
    if (!get)
        return MPI_COMM_NULL;
    get(&context, &what, &handle);
    return MPI_Comm_f2c(handle);
}

static void end_program(int context, int code)
{
    static ashi_kept_function kept;
    const abort_function end = blacs_abort_ ? blacs_abort_ : (abort_function)ashi_behind(&kept, "blacs_abort_");
    if (end)
        end(&context, &code);
    MPI_Abort(MPI_COMM_WORLD, code);
    abort();
}

void ashi_blacs_warn(int context, const char *routine, const char *format, ...)
{
    char name[16], text[100], as_it_is[] = "%s"; /* 100: PB_Cwarn has room for no more */
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    snprintf(name, sizeof name, "%s", routine);
    const warn_function warn = (warn_function)ashi_behind_interposed("PB_Cwarn");
    if (warn)
        warn(context, NO_LINE, name, as_it_is, text);
    else
        fprintf(stderr, "%s: %s\n", name, text);
}

void ashi_blacs_report(int context, const char *routine, int info)
{
    char name[16];
    snprintf(name, sizeof name, "%s", routine);
    const report_function report = (report_function)ashi_behind_interposed("PB_Cabort");
    if (report) {
        report(context, name, info);
        return;
    }
    const xerbla_function xerbla = (xerbla_function)ashi_behind_interposed("pxerbla_");
    const int number = -info;
    if (xerbla)
        xerbla(&context, name, &number, strlen(name));
    else
        fprintf(stderr, "%s: argument %d had an illegal value\n", name, number);
    end_program(context, info);
}

void ashi_blacs_end(int context)
{
    end_program(context, 1);
}

void ashi_blacs_give_up(int context, const char *routine, const char *reason, const char *other)
{
    fprintf(stderr, "ashlar: %s: %s%s%s\n", routine, reason, other ? "; " : "", other ? other : "");
    fflush(stderr);
    ashi_blacs_end(context);
}

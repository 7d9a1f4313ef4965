/* What ScaLAPACK and Ashlar report and explain of wrong arguments, kept instead of ending the program. */
#ifndef ASHI_PBLAS_REPORTED_H
#define ASHI_PBLAS_REPORTED_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINES_MOST = 40, LINE_LENGTH = 128 };

/* The handler of both libraries: they call the program's own instead of ScaLAPACK's, which would end it. */
static struct {
    int calls, info;
    char routine[16];
    int lines; /* explanations that came before */
    char line[LINES_MOST][LINE_LENGTH];
} reported;

__attribute__((visibility("default"))) void PB_Cabort(int context, char *routine, int info);
__attribute__((visibility("default"))) void PB_Cwarn(int context, int line, char *routine, char *form, ...);

void PB_Cabort(int context, char *routine, int info)
{
    (void)context;
    reported.calls++;
    reported.info = info;
    snprintf(reported.routine, sizeof reported.routine, "%s", routine);
}

void PB_Cwarn(int context, int line, char *routine, char *form, ...)
{
    va_list values;
    (void)context;
    (void)line;
    (void)routine;
    if (reported.lines == LINES_MOST)
        return;
    char *text = reported.line[reported.lines++];
    va_start(values, form);
    vsnprintf(text, LINE_LENGTH, form, values);
    va_end(values);
    text[strcspn(text, "\n")] = '\0';
}

/* Before a call. */
static inline void report_anew(void)
{
    reported.calls = reported.info = reported.lines = 0;
    reported.routine[0] = '\0';
}

/* Whether two calls were explained by the same lines. PB_Cchkmat.c prints the row index, and its name, for a wrong
 * column index, which is a defect; there only what is illegal is compared. */
static inline int explained_alike(int lines, char theirs[LINES_MOST][LINE_LENGTH])
{
    static const char column[] = "Illegal JA";
    int same = lines == reported.lines;
    for (int i = 0; same && i < lines; i++) {
        const size_t length = strncmp(theirs[i], column, strlen(column) - 1) == 0 ? strlen(column) : LINE_LENGTH;
        same = strncmp(theirs[i], reported.line[i], length) == 0;
    }
    return same;
}

#endif

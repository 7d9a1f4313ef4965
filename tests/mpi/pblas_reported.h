/* What ScaLAPACK and Ashlar report of wrong arguments, kept instead of ending the program. */
#ifndef ASHI_PBLAS_REPORTED_H
#define ASHI_PBLAS_REPORTED_H

#include <stdio.h>

/* The handler of both libraries: they call the program's own instead of ScaLAPACK's, which would end it. */
static struct {
    int calls, info;
    char routine[16];
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
    (void)context;
    (void)line;
    (void)routine;
    (void)form;
}

#endif

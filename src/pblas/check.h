/* ASHLAR_CHECK: comparing the arguments of all processes before a call does anything with them. */
#ifndef ASHI_CALL_CHECK_H
#define ASHI_CALL_CHECK_H

#include "pblas/grid.h"

enum { ASHI_CALL_CHECK_MOST = 64 };

/* Values that must be equal on all processes, and where they stand in the call; begin with {0}. */
typedef struct ashi_call_check {
    int count;
    int code[ASHI_CALL_CHECK_MOST];
    int64_t value[ASHI_CALL_CHECK_MOST];
} ashi_call_check;

/* Argument `number` of the call; `entry` of a descriptor of eleven, or 0. */
void ashi_call_check_add(ashi_call_check *check, int number, int entry, int64_t value);

/* IX, JX and DESCX, which is argument `number`. Left out are the context, whose number may differ, and the leading
 * dimension, which each process chooses. */
void ashi_call_check_add_submatrix(ashi_call_check *check, int number, const ashi_submatrix *sub);

/**
 * The first error on any process, as ashi_blacs_report takes it: `info` of each, or an argument in which they differ,
 * which the first process then says on stderr. 0 for none. The same on all processes. Collective.
 */
int ashi_call_check_all(const ashi_call_check *check, const ashi_grid *grid, const char *routine, int info);

#endif

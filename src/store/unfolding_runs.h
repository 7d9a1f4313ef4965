/* Where boxes of views lie in a file in which elements lie one by one. */
#ifndef ASHI_STORE_UNFOLDING_RUNS_H
#define ASHI_STORE_UNFOLDING_RUNS_H

#include "store/unfolding.h"

/* Runs of `count` elements that follow one another in the file, the first one `at` elements after the array's first
 * element, the next ones `step` elements apart. */
typedef struct ashi_unfolding_run {
    int64_t at, count, runs, step;
} ashi_unfolding_run;

typedef void (*ashi_unfolding_runs_visit)(void *context, const ashi_unfolding_run *run);

/* Visit the runs of a box of a view, in memory that is given by no strides. Dimensions that lie in the file as one are
 * one run. Elements of a diagonal are runs of their own. Within an array box (unfolding.h) runs come in the order of
 * the file. Nothing for an empty box. */
void ashi_unfolding_runs(const ashi_unfolding *view, const ashi_unfolding_box *box, ashi_unfolding_runs_visit visit,
                         void *context);

#endif

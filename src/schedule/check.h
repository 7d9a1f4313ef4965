/* Prove that a schedule computes C: an independent reading of all ranks' streams. */
#ifndef ASHI_CHECK_H
#define ASHI_CHECK_H

#include "schedule/schedule.h"

typedef struct ashi_check_report {
    int64_t products; /* multiply-adds of all ranks */
    int64_t messages; /* each counted once */
    int64_t words;    /* that arrive from other ranks */
    int64_t read, written; /* words between memory and files, of all ranks of a program (check/program.h) */
    char text[ASHLAR_MESSAGE_MAX]; /* what is wrong, with the rank, the step and the box; empty where nothing is */
} ashi_check_report;

/* Walk every rank's stream and prove that
 *   - every product a(i,l) * b(l,j) is formed exactly once;
 *   - what a MULTIPLY reads is the rank's own, or has arrived, by way of ranks that had it, from the rank that owns it;
 *   - for each ordered pair of ranks the sends pair with the receives, none being left over;
 *   - buffers are acquired, filled, used and released in turn, hold what is put in them, and nothing overlaps in them;
 *   - every partial sum of C reaches the owner of its element exactly once, after the last product was added to it;
 *   - every element of C is multiplied by beta exactly once, before sums are added to it.
 * Who owns what is found anew from the layouts and the order of the axes; no count of the schedule's is believed.
 *
 * Returns ASHLAR_OK; ASHLAR_ERR_INTERNAL, with report->text, where the proof fails; ASHLAR_ERR_OVERFLOW where the
 * boxes of all MULTIPLY operations cut the m x n x k space into more than 10^8 cells; ASHLAR_ERR_MEMORY; or the status
 * with which the schedule's own emission failed. Memory grows with the number of messages of all ranks. */
ashlar_status ashi_check_schedule(ashi_schedule *schedule, ashi_check_report *report, ashlar_error *err);

/* The same; `progress`, unless it is NULL, is called after each rank's stream. */
ashlar_status ashi_check_schedule_telling(ashi_schedule *schedule,
                                         void (*progress)(void *context, int64_t done, int64_t of), void *context,
                                         ashi_check_report *report, ashlar_error *err);

#endif

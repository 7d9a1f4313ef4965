/* Prove that programs compute C: an independent reading of all ranks' operations. */
#ifndef ASHI_PROGRAM_CHECK_H
#define ASHI_PROGRAM_CHECK_H

#include "schedule/program.h"

typedef struct ashi_check_report {
    int64_t products; /* multiply-adds of all ranks */
    int64_t messages; /* each counted once */
    int64_t words;    /* that arrive from other ranks */
    int64_t read, written; /* words between memory and files, of all ranks */
    char text[ASHLAR_MESSAGE_MAX]; /* what is wrong, with the rank and the step; empty if nothing is */
} ashi_check_report;

/* Read every rank's program and prove that
 *   - every product a(i,l) * b(l,j) is formed exactly once;
 *   - what an operation reads is whole: the rank's own, read from a file, or arrived from the rank that owns it; what
 *     it reads from a file was there before, or the rank itself has written it;
 *   - nothing reads a panel after its last reader, and every panel that is read has one; what comes from other ranks
 *     or from files is read, unless the program says that it brings more;
 *   - in each ordered pair of ranks sends and receives come in the same order, with the same words and step;
 *   - with every send taken as synchronous, no ranks wait for each other: what is sent has arrived in an earlier step,
 *     or, within a group, over fewer links;
 *   - every running sum begins once, gets no product once it is read, and every word of it goes once to the rank that
 *     owns it; every element of C is begun (multiplied by beta) exactly once, before anything is added to it;
 *   - if C is in a file, every element of it is written exactly once, apart from sums that come back later, once, to
 *     the rank that wrote them.
 * Who owns what is found anew from the layouts and the order of the axes.
 *
 * Returns ASHLAR_OK; ASHLAR_ERR_INTERNAL, with report->text, if the proof fails; ASHLAR_ERR_OVERFLOW if the boxes
 * of all products interlock too much (check/cover.h); ASHLAR_ERR_MEMORY; or the status with which the program's own
 * emission failed. Memory grows with the number of messages of all ranks. */
ashlar_status ashi_check_program(ashi_program *program, ashi_check_report *report, ashlar_error *err);

/* Called after each rank; NULL: not. */
typedef struct ashi_check_progress {
    void (*after_rank)(void *context, int64_t done, int64_t of);
    void *context;
} ashi_check_progress;

/* The same, saying how far it is. */
ashlar_status ashi_check_program_telling(ashi_program *program, const ashi_check_progress *progress,
                                         ashi_check_report *report, ashlar_error *err);

#endif

/* What plan and simulate tell: every strategy's figures for a problem, which is chosen, and why. */
#ifndef ASHI_REPORT_H
#define ASHI_REPORT_H

#include "strategy/choose.h"

#include <jansson.h>

enum { ASHI_REPORT_STRATEGIES = 32, ASHI_REPORT_GRIDS = 6 };

/* One way to do it, with its figures; without them where it is not applicable. */
typedef struct ashi_candidate {
    const char *name;
    bool applicable;
    char reason[ASHLAR_MESSAGE_MAX]; /* why it is not applicable, or what speaks for it */
    int64_t grid[3], ranks_used, rounds;
    int window;
    int64_t words_max, words_total, messages_max, memory_words, disk_words;
    double words_mean, seconds;
} ashi_candidate;

typedef struct ashi_report {
    ashi_problem problem;
    ashi_bound bound;
    ashi_candidate strategy[ASHI_REPORT_STRATEGIES];
    int strategies, chosen;
    ashi_candidate grid[ASHI_REPORT_GRIDS]; /* the best grids of the COSMA strategy, best first, where it was asked */
    int grids;
    bool walked;            /* every rank's schedule was walked; else the figures are closed forms */
    bool layouts;           /* the caller's layout of at least one matrix was given */
    int64_t relayout_words; /* then: of the busiest rank, if all were first moved into COSMA's own layout */
    char why[320];
} ashi_report;

/* Weigh the strategies, or only the one of this name. Walks all ranks' schedules if `walk`, or where layouts are given;
 * then all sizes are at least 1, and progress is shown if wanted. The problem's layouts must outlive the call.
 * @return ASHLAR_OK; the status of ashi_choose where no strategy can serve the problem */
ashlar_status ashi_report_make(const ashi_problem *problem, const char *only, bool walk, bool progress,
                               ashi_report *out, ashlar_error *err);

/* One document for scripts, to be freed with json_decref; NULL where memory ran out. */
json_t *ashi_report_json(const ashi_report *report);

/* The same for people, on standard output. */
void ashi_report_print(const ashi_report *report);

/* Its parts that other commands tell as well. */
json_t *ashi_problem_json(const ashi_problem *problem);
json_t *ashi_bound_json(const ashi_bound *bound);
void ashi_problem_print(const ashi_problem *problem);

/* Print a document on standard output and free it; NULL is memory that ran out. Returns the exit status. */
int ashi_json_print(const char *command, json_t *document);

/* A number, or null where it is not finite. */
json_t *ashi_json_real(double value);

#endif

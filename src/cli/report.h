/* What plan and simulate tell: every strategy's figures for a problem, which is chosen, and why. */
#ifndef ASHI_REPORT_H
#define ASHI_REPORT_H

#include "choose/choose.h"
#include "cli/joint_trace.h"
#include "cli/plan_device.h"
#include "simulate/links.h"
#include "simulate/node_words.h"

#include <jansson.h>

enum { ASHI_REPORT_STRATEGIES = 32, ASHI_REPORT_GRIDS = 6 };

/* One way to do it, with its figures; without them where it is not applicable. */
typedef struct ashi_candidate {
    const char *name;
    bool applicable, counted;        /* counted: every rank was walked, else closed forms tell */
    char reason[ASHLAR_MESSAGE_MAX]; /* why it is not applicable, or what speaks for it */
    const char *origin;              /* what suggested it; NULL where closed forms tell */
    int64_t grid[3], ranks_used, rounds;
    ashi_bricks bricks;              /* the boxes, where schedules were walked */
    int window;
    ashi_stays stays;
    int64_t words_max, words_total, messages_max, memory_words, disk_words;
    double words_mean, seconds;
    ashi_links links;      /* where the network is a torus */
    double links_seconds;  /* predicted there */
    ashi_node_words crossing; /* where nodes are known */
    ashi_formula formula; /* text NULL: there is none */
} ashi_candidate;

typedef struct ashi_report {
    ashi_problem problem;
    ashi_bound bound;
    ashi_candidate strategy[ASHI_REPORT_STRATEGIES];
    int strategies, chosen;
    ashi_candidate grid[ASHI_REPORT_GRIDS]; /* the best grids of strategy 0 in its own layout, best first */
    int grids;
    bool all;               /* every strategy was asked for, not only which is best */
    bool only;              /* one strategy was asked for: nothing else was compared */
    bool walked;            /* every rank's schedule was walked; else the figures are closed forms */
    bool layouts;           /* the caller's layout of at least one matrix was given */
    int64_t relayout_words; /* then: of the busiest rank, if all were first moved into COSMA's own layout */
    ashi_joint_play play;   /* of the chosen strategy's schedule, if that was wanted, */
    bool unplayed;          /* but not if it was too long */
    ashi_plan_device device; /* of the chosen strategy's schedule */
    char why[460];
} ashi_report;

/* What a report is to be of. */
typedef struct ashi_report_wish {
    const char *only; /* the one strategy to be compared; NULL: all */
    bool all;         /* the figures of every strategy; else of the one that is chosen, and of others that closed forms
                         tell */
    bool walk;        /* walk all ranks' schedules; where layouts are given that is done anyway */
    bool play;        /* play the chosen schedule against lanes, unless it is too long or the network is a torus */
    ashi_joint_trace *trace; /* NULL, or what the play does, event by event */
    const ashi_plan_device *device; /* NULL, or by what terms devices are predicted; all ranks' schedules are walked */
    bool progress;    /* shown */
} ashi_report_wish;

/* Compare the strategies. If schedules are simulated all sizes are at least 1; they are on a torus, by a route that is
 * not direct, and for all strategies if nodes are known, too. The problem's layouts must outlive the call. End with
 * ashi_report_free, also if it fails.
 * @return ASHLAR_OK; the status of ashi_choose where no strategy can serve the problem */
ashlar_status ashi_report_make(const ashi_problem *problem, const ashi_report_wish *wish, ashi_report *out,
                               ashlar_error *err);
void ashi_report_free(ashi_report *report);

/* Whether its grid is of more processes than there are ranks, several to a rank. */
bool ashi_candidate_is_folded(const ashi_candidate *candidate);

/* Say why the chosen strategy is: the rule that decided, how near the bound it comes, and what memory did to it. */
void ashi_report_say_why(ashi_report *report);

/* One document for scripts, to be freed with json_decref; NULL where memory ran out. */
json_t *ashi_report_json(const ashi_report *report);

/* The same for people, on standard output. */
void ashi_report_print(const ashi_report *report);

/* Its parts that other commands tell as well. */
json_t *ashi_problem_json(const ashi_problem *problem);
json_t *ashi_bound_json(const ashi_bound *bound);
void ashi_problem_print(const ashi_problem *problem);

/* Three numbers, or null where the boxes are not those of a grid. */
json_t *ashi_grid_json(const int64_t grid[3]);

/* The seconds that the lanes are busy, where they are so longest; null if nothing was played. */
json_t *ashi_play_json(const ashi_joint_play *play);

/* What predicted seconds of streamed files assume, on standard output; `width` is that of the first column. */
void ashi_cache_print(int width);

/* Print a document on standard output and free it; NULL is memory that ran out. Returns the exit status. */
int ashi_json_print(const char *command, json_t *document);

/* A limit, or null if it is 0: there is none. */
json_t *ashi_json_limit(int64_t value);

/* A number, or null where it is not finite. */
json_t *ashi_json_real(double value);

#endif

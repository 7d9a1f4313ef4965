/* What a bench of scenarios found, as texts for files, people and scripts. */
#ifndef ASHI_SCENARIO_TEXT_H
#define ASHI_SCENARIO_TEXT_H

#include "evaluation/landmarks.h"
#include "evaluation/scenario_rows.h"

#include <jansson.h>
#include <stdio.h>

/* A scenario's mean over its counts of ranks, for one way. */
typedef struct ashi_scenario_mean {
    int64_t counts, served; /* counts of ranks that were tried; of them, those that the way serves */
    double words, bound;    /* mean words a rank that works over those served; mean bound over the same */
    double words_max;       /* of the busiest rank */
    int64_t sampled;        /* of those served: of how many only a sample of the ranks was walked */
    int64_t less, more;     /* on how many of them its busiest rank receives fewer words than the planner's, and more;
                               a sample's busiest rank, who may not be the busiest, is never taken to receive fewer */
    const char *reason;     /* of the last count that is not served; NULL where all are */
} ashi_scenario_mean;

ashi_scenario_mean ashi_scenario_mean_of(const ashi_scenario_rows *rows, ashi_shape shape, ashi_scaling scaling,
                                         int way);

/* How many times the other's words a way's are, each the mean over the counts of ranks that both serve; NAN where there
 * is none. */
double ashi_scenario_ratio(const ashi_scenario_rows *rows, ashi_shape shape, ashi_scaling scaling, int way, int other);

/* Megabytes (10^6) of so many doubles. */
double ashi_scenario_mb(double words);

/* Every row, with a line of names. */
void ashi_scenario_csv(const ashi_scenario_rows *rows, FILE *out);

/* In Markdown: means like Table 4 beside the paper's, where the planner is not the least, and the landmarks. */
void ashi_scenario_table(const ashi_scenario_rows *rows, FILE *out);
void ashi_landmarks_table(const ashi_landmark marks[ASHI_LANDMARKS], FILE *out);

/* All of it, to be freed with json_decref; NULL where memory ran out. */
json_t *ashi_scenario_json(const ashi_scenario_rows *rows, const ashi_landmark marks[ASHI_LANDMARKS]);

/* The script of gnuplot that draws one figure a shape from the columns beside it, and those columns. */
void ashi_scenario_script(const ashi_scenario_rows *rows, FILE *out);
void ashi_scenario_columns(const ashi_scenario_rows *rows, FILE *out);

#endif

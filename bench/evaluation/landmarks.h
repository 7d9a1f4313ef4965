/* Special cases of the COSMA paper, by its formulas and counted by walking schedules. */
#ifndef ASHI_LANDMARKS_H
#define ASHI_LANDMARKS_H

#include <ashlar/base.h>

#include <stdint.h>

/* One way to multiply in one case. Words of the busiest rank. */
typedef struct ashi_landmark {
    const char *source;       /* "Table 3, square" */
    const char *name;         /* the paper's name for the way, or the grid */
    int64_t size[3], ranks;
    double printed;           /* NAN: nothing is printed */
    double touched, arriving; /* by formula: with the rank's share, and without */
    int64_t grid[3], counted; /* what arrives, counted on this grid; grid[0] = 0: there is none */
} ashi_landmark;

enum { ASHI_LANDMARKS = 10 };

/* Table 3's special cases and Figure 5. Walks every rank of each. */
ashlar_status ashi_landmarks_count(ashi_landmark out[ASHI_LANDMARKS], ashlar_error *err);

#endif

/* A regular grid of boxes with the figures that closed forms tell of it. */
#ifndef ASHI_GRID_CHOICE_H
#define ASHI_GRID_CHOICE_H

#include "schedule/stays.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct ashi_grid_choice {
    int64_t grid[3], ranks_used, rounds, reduce_rounds;
    int window;
    ashi_stays stays;
    bool once;            /* what a rank owns of the matrix that stays is not held twice, though that be slower */
    int64_t words_max;    /* received by the busiest rank */
    int64_t words_total;  /* received by all ranks together */
    int64_t messages_max; /* received by a rank, and sent: every rank in use has as many */
    int64_t memory_words; /* held by the fullest rank */
    double words_mean;    /* over all p ranks, idle ones included */
    double seconds;
} ashi_grid_choice;

#endif

/* Words and messages that arrive at each rank between two marks, whichever library asks MPI to move them. */
#ifndef ASHI_BENCH_COUNT_WORDS_H
#define ASHI_BENCH_COUNT_WORDS_H

#include <stdint.h>

/* Of all ranks of MPI_COMM_WORLD. */
typedef struct ashi_count {
    int64_t bytes_max;    /* what the busiest rank receives from others */
    int64_t bytes_total;
    int64_t messages_max; /* the most messages that a rank receives */
    int64_t messages_total;
} ashi_count;

/* Forget what was counted, and count from now on. Collective over MPI_COMM_WORLD, and a barrier. */
void ashi_count_begin(void);

/*
 * Stop counting, and say what was counted. Collective over MPI_COMM_WORLD.
 *
 * A message counts where it arrives, of a rank to itself not at all. A broadcast brings its data once to every rank but
 * its root; a reduction brings what a binomial tree would, one to all ranks what recursive doubling would.
 */
ashi_count ashi_count_end(void);

#endif

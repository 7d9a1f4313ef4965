/* What is to be measured, as the command line of a measuring program says it. */
#ifndef ASHI_BENCH_CASE_H
#define ASHI_BENCH_CASE_H

#include <ashlar/ashlar.h>
#include <stdbool.h>

typedef struct ashi_case {
    int64_t m, n, k;
    int64_t block;       /* rows and columns of a block of the block-cyclic layout */
    int grid_rows, grid_cols;
    int repetitions;
    ashlar_options options; /* what Ashlar is asked for; its machine stays until the program ends */
    int64_t link_mbit;      /* of the links between the hosts; 0: not said */
} ashi_case;

/* Read "M N K [OPTION VALUE]...". Ends the program after --help, and where the command line or the number of ranks
 * does not fit. Rank 0 alone writes. */
ashi_case ashi_case_parse(int argc, char **argv, const char *purpose, int rank, int ranks);

#endif

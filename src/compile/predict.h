/* What the steps of a compiled program move and take. */
#ifndef ASHI_COMPILE_PREDICT_H
#define ASHI_COMPILE_PREDICT_H

#include "compile/steps.h"

#include <ashlar/machine.h>

/* Where the program is meant to run. */
typedef struct ashi_ash_target {
    int64_t ranks;
    int64_t memory; /* bytes of a rank; 0: no limit */
    ashlar_type type;
    ashlar_machine machine;
} ashi_ash_target;

typedef struct ashi_ash_forecast {
    double received; /* words of the busiest rank, at least: the bound for free layouts */
    double filed;    /* words of files that all ranks read and write */
    double seconds;  /* arithmetic or copies, then the network, or the disk if it takes longer than both */
} ashi_ash_forecast;

/* Predict a part at typical extents, all blocks of its loop together. An input that stays in its file is read once. If
 * the part's arrays do not fit in the memory of all ranks, those that are no blocks are taken to be in files, and the
 * tiles are those of tensor/contract_tiling.h. */
ashi_ash_forecast ashi_ash_predict(const ashi_ash_steps *s, const ashi_ash_part *part, const ashi_ash_target *target);

#endif

/* All rows of a bench of scenarios, walked by several processes. */
#ifndef ASHI_SCENARIO_ROWS_H
#define ASHI_SCENARIO_ROWS_H

#include "evaluation/scenario_row.h"

/* What is asked for. */
typedef struct ashi_scenario_wish {
    int shape, scaling;     /* -1: all */
    uint64_t ways;          /* bit n: ashi_scenario_way(n) is wanted; 0: all are */
    const int64_t *ranks;   /* NULL: those of the paper's runs */
    int64_t ranks_count;
    bool machine;           /* memory is the machine's, not the scenario's */
    int64_t processes;
    bool progress;
} ashi_scenario_wish;

/* Rows by shape, scaling, count of ranks, way. */
typedef struct ashi_scenario_rows {
    ashi_scenario_row *row; /* freed by the caller */
    int64_t count;
} ashi_scenario_rows;

/* ASHLAR_ERR_MEMORY; ASHLAR_ERR_IO where a process could not be started or died; what a walk failed with. */
ashlar_status ashi_scenario_rows_walk(const ashi_scenario_wish *wish, ashi_scenario_rows *out, ashlar_error *err);

#endif

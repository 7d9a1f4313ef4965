/* Count exactly what a run would move and hold, over all ranks' programs. */
#ifndef ASHI_SIMULATE_H
#define ASHI_SIMULATE_H

#include "simulate/count.h"

#include <ashlar/machine.h>

typedef struct ashi_totals {
    int64_t words_max, words_total;  /* received */
    int64_t sent_max;                /* words */
    int64_t messages_max;            /* the larger of those a rank sends and those it receives */
    int64_t memory_max;              /* share + workspace, words */
    int64_t share_max, workspace_max;
    int64_t fixed_max;               /* share + buffer of partial sums */
    int64_t panels_max, sums_max;    /* that a round takes, while multiplying and while moving sums */
    int64_t sums_cols_max;           /* the most rounds that moving sums can be cut into */
    int64_t copied_max;              /* words copied in memory, beside those sent and received */
    int64_t products_max;            /* multiply-adds */
    int64_t thin_max;                /* words of thin products, see ashi_thin_words */
    int64_t messages_total, copied_total, products_total, thin_total;
    int64_t disk_max, disk_total;    /* words read from files and written to them */
    double words_mean;
} ashi_totals;

/* What one rank's part of a schedule's program amounts to. */
ashlar_status ashi_need_of(ashi_schedule *schedule, int64_t rank, ashi_need *out, ashlar_error *err);

/* Take one rank into account. */
void ashi_totals_add(ashi_totals *totals, const ashi_need *need);

/* Of a schedule's program. `progress`, unless it is NULL, is called after each rank. */
ashlar_status ashi_simulate(ashi_schedule *schedule, void (*progress)(void *context, int64_t done, int64_t of),
                            void *context, ashi_totals *out, ashlar_error *err);

/* What a prediction needs to know beside the totals. */
typedef struct ashi_pace {
    const ashlar_machine *machine;
    int64_t bytes, ranks;  /* of a word; of the problem */
    int flops;             /* of a multiply-add */
    double ranks_per_core; /* above 1 where ranks take turns on the cores */
} ashi_pace;

/* Seconds that the busiest ranks' figures would take, or the cores all ranks' together, if that is more. */
double ashi_predict_seconds(const ashi_totals *totals, const ashi_pace *pace);

#endif

/* What plan-contract shows. */
#ifndef ASHI_PLAN_CONTRACT_H
#define ASHI_PLAN_CONTRACT_H

#include "tensor/contract_tiling.h"
#include "tensor/distribution.h"

/* Which of the schedules are shown, and of these the best. */
typedef struct ashi_contract_report {
    const char *text; /* the expression */
    const ashi_expression *expression;
    const ashi_matching *matching;
    const ashi_paper_problem *problem;
    const ashi_paper_schedule *schedule; /* ASHI_PAPER_SCHEDULES of them */
    bool constrained; /* distributions are given; then what is moved for them is in the schedules' seconds, */
    ashi_redistribution moved[ASHI_PAPER_SCHEDULES]; /* and here. Without them */
    int free_best;       /* would be the best of those shown, -1 for none, */
    double free_seconds; /* and take so long */
    bool shown[ASHI_PAPER_SCHEDULES];
    ashi_contract_tiling tiling; /* with a large tile of one array in memory */
    int best;             /* of those shown; -1: none is applicable */
    int64_t memory_words; /* of a rank */
    ashlar_type type;
} ashi_contract_report;

/* For people, and for scripts. Both return the exit status. */
int ashi_contract_print(const ashi_contract_report *report);
int ashi_contract_json(const ashi_contract_report *report);

/* The paper's Table 9, 10 or 11 beside ours. Returns the exit status. */
int ashi_contract_table(int number, bool json);

/* Words of disk per rank for operands with indices of their own, which are summed before anything else: each is read
 * once and written shorter. 0: there are none. */
double ashi_contract_prepare(const ashi_contract_report *report);

/* The fewest words of disk that any applicable schedule has, for all ranks; infinite if there is none. */
double ashi_contract_fewest(const ashi_contract_report *report);

/* The least words of disk that all ranks together can do with if C is added to, and the least words that the busiest
 * rank must receive if distributions are free: each rank's disk has its share of each array, and is read by that rank
 * alone. The latter is negative if no bound is known: for a batch of fewer values than ranks. */
typedef struct ashi_contract_bounds {
    double disk, network;
    const char *disk_source, *network_source; /* whose theorem */
} ashi_contract_bounds;

ashi_contract_bounds ashi_contract_bounds_of(const ashi_contract_report *report);

/* "inside/rotation in the order CAB is the fastest: ..."; into `out`. */
void ashi_contract_why(const ashi_contract_report *report, char *out, size_t room);

#endif

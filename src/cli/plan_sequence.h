/* What plan-contract shows of three and more operands. */
#ifndef ASHI_CLI_PLAN_SEQUENCE_H
#define ASHI_CLI_PLAN_SEQUENCE_H

#include "tensor/sequence_plan.h"

typedef struct ashi_sequence_report {
    const char *text; /* the expression */
    const ashi_expression *expression;
    const ashi_sequence_request *request;
    const ashi_sequence_plan *plan;
    ashlar_type type;
} ashi_sequence_report;

/* For people, and for scripts. Both return the exit status. */
int ashi_sequence_print(const ashi_sequence_report *report);
int ashi_sequence_json(const ashi_sequence_report *report);

/* Why this order, and where intermediates are, into `out`. */
void ashi_sequence_why(const ashi_sequence_report *report, char *out, size_t room);

/* What is done tile by tile: "MTTKRP", "TTMc" or "product of three operands". */
const char *ashi_fused_name(const ashi_tile_by_tile *tiles);

#endif

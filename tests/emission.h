/* What both of the tests' own makers of Cannon's schedules say with: the operations of one rank's step, one by one. */
#ifndef ASHI_EMISSION_H
#define ASHI_EMISSION_H

#include "schedule/schedule.h"

/* The maker defines its struct cannon. */
typedef struct emission {
    ashi_schedule *s;
    struct cannon *c;
    int64_t rank;
    ashi_visit visit;
    void *context;
    ashlar_error *err;
} emission;

static inline ashlar_status emit(const emission *e, const ashi_op *op)
{
    return e->visit(e->context, op, e->err);
}

static inline ashlar_status plain(const emission *e, ashi_op_kind kind, ashlar_operand operand, int slot, int64_t words)
{
    const ashi_op op = {.kind = kind, .operand = operand, .slot = slot, .words = words};
    return emit(e, &op);
}

#endif

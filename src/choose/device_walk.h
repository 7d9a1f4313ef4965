/* The products of a rank's program as a device gets them. */
#ifndef ASHI_DEVICE_WALK_H
#define ASHI_DEVICE_WALK_H

#include "choose/device_need.h"

/* A MULTIPLY, of a box that is not empty. */
typedef struct ashi_device_multiply {
    const ashi_panel *sum;           /* to which it adds */
    int64_t step;
    bool begins, whole;              /* it begins the sum; its box is all of the sum's */
    bool zero;                       /* the sum has begun, and is zero */
    const ashi_onto_problem *product; /* one for each interval of k in which both operands lie in one piece; without
                                        memory. `adds` if C is read by it: only the first may not */
    int64_t products;
} ashi_device_multiply;

typedef struct ashi_device_visitor {
    ashlar_status (*multiply)(void *context, const ashi_device_multiply *multiply, ashlar_error *err);
    void (*touch)(void *context, const ashi_panel *c); /* another operation reads or makes a panel of C */
    void *context;
} ashi_device_visitor;

/* Visit a rank's program in its order. ASHLAR_ERR_MEMORY; errors of emitting and of the visitor. */
ashlar_status ashi_device_walk(ashi_program *program, int64_t rank, const ashi_device_terms *terms,
                               const ashi_device_visitor *visitor, ashlar_error *err);

#endif

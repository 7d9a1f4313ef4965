/* Operands in the memory of the context's device: what an execution does with them.
 *
 * If this is the only rank and all three matrices are on the device, in one rectangle each, the product is made there.
 * Otherwise what is on the device is copied to memory of the host, the execution works with that, and C is copied back.
 * So whatever touches operands is the code of the host as before, and both sorts of operands can be mixed.
 *
 * The copies lie in one piece of memory that the context keeps for all executions (ashi_context_staging). A plan's
 * limit is one of the host's memory: there a copy is in place of the rank's share of an operand. If lines are further
 * apart than they are long, the copy's are, too, and what lies between them is counted. */
#ifndef ASHI_PLAN_DEVICE_PARTS_H
#define ASHI_PLAN_DEVICE_PARTS_H

#include "plan/plan.h"

/* Of one execution on this rank. */
typedef struct ashi_device_parts {
    ashi_part part[3];      /* for the execution, in memory of the host; as they were given if `direct` */
    bool on_device[3];      /* the operand, or some tile of it, is on the device */
    bool direct;            /* the product is made where the operands are */
    ashlar_op op[2];        /* if direct: of the first and the second operand of gemm, */
    bool turned;            /* which are B and A: C is stored by rows */
    void **tile[3];         /* the pointers of part[x].tile */
    void **memory[3];       /* its copy, for each pointer that is the device's; others are NULL */
    int64_t pointers[3];
    int64_t bytes;          /* of the host for copies, */
    int64_t staged;         /* in words, */
    int64_t beside;         /* `staged` less the rank's shares of these operands */
} ashi_device_parts;

/* Find whose memory the operands are in, and bring to the host what it needs. Local. ASHLAR_ERR_ARG: an operand is on
 * another device, or goes beyond its allocation; ASHLAR_ERR_LIMIT: the copies, with what the plan holds, are more words
 * than its limit; ASHLAR_ERR_MEMORY; ASHLAR_ERR_DEVICE. Whatever is returned, ashi_device_parts_free frees. */
ashlar_status ashi_device_parts_bring(const ashlar_plan *plan, const ashi_arguments *with, ashi_device_parts *out,
                                      ashlar_error *err);

/* Once all ranks have agreed on ASHLAR_ERR_LIMIT: say which limit would do for all of them. Collective; returns
 * ASHLAR_ERR_LIMIT, or another error if MPI fails. */
ashlar_status ashi_device_parts_refuse(const ashlar_plan *plan, const ashi_device_parts *parts, ashlar_error *err);

/* The product of operands that are `direct`. ASHLAR_ERR_DEVICE: C is unspecified. */
ashlar_status ashi_device_parts_multiply(const ashlar_plan *plan, const ashi_arguments *with,
                                         const ashi_device_parts *parts, ashlar_error *err);

/* Copy C back to the device; nothing if it is not there. ASHLAR_ERR_DEVICE: C is unspecified. */
ashlar_status ashi_device_parts_return(const ashlar_plan *plan, const ashi_arguments *with,
                                       const ashi_device_parts *parts, ashlar_error *err);

void ashi_device_parts_free(ashi_device_parts *parts);

/* The most words of the host that copies take in ashlar_plan_execute: those of all operands that are not in files, if
 * this rank has a device. */
int64_t ashi_device_parts_most(const ashlar_plan *plan);

#endif

/* Whether a rank's products are made on the context's device, and what that is predicted to take. */
#ifndef ASHI_PLAN_ON_DEVICE_H
#define ASHI_PLAN_ON_DEVICE_H

#include "choose/device_need.h"
#include "exec/onto_device.h"

#include <ashlar/plan.h>

struct ashi_context_device;

/* Of one rank. All is 0 without a device. */
typedef struct ashi_on_device {
    bool there;            /* the rank has a device */
    bool used;             /* the products are made on it */
    ashi_device_need need; /* if they were: exact words and memory, and predicted seconds */
    double host_seconds;   /* predicted of the same products, by the host alone */
} ashi_on_device;

/* A device that says `facts` of itself, of whose memory a rank takes `bytes`, and which `sharers` ranks use at once:
 * each has a part of the rates that it says. Others are the machine's for devices, which are of one rank, else those of
 * copying and of products on the host. */
ashi_device_terms ashi_device_terms_of(const ashi_device_facts *facts, int64_t bytes, int64_t sharers, ashlar_type type,
                                       const ashlar_machine *machine);

/* Seconds that the host alone takes for so many multiply-adds. */
double ashi_on_host_seconds(int64_t products, ashlar_type type, const ashlar_machine *machine);

/* Add what `times` products take that are like the one of `own`. */
void ashi_on_device_add(ashi_on_device *sum, const ashi_on_device *own, int64_t times);

/* The choice for products that take `need` of a device: it is used unless the context has it as `auto` and the host is
 * predicted to be as fast. */
ashi_on_device ashi_on_device_choose(const struct ashi_context_device *device, const ashi_device_need *need,
                                     ashlar_type type, const ashlar_machine *machine);

/* What is to be predicted. */
typedef struct ashi_on_device_request {
    const ashlar_context *context;
    ashlar_type type;
    ashi_program *program;
    const ashlar_machine *machine;
    bool c_is_new; /* C is not read: beta is 0 in all executions */
    bool stays;    /* sums may stay on the device during a run */
} ashi_on_device_request;

/* What a plan of any kind takes of this rank's device, and its last execution. */
typedef struct ashi_device_account {
    ashi_on_device predicted;
    ashi_onto_tally *done;           /* its failure becomes that of the first rank that has one */
    int64_t staged_most, did_stage;  /* words of the host for copies of operands: at most, and in the last execution */
} ashi_device_account;

/* The account of all ranks, in a structure of `size` bytes. Collective. ASHLAR_ERR_MPI */
ashlar_status ashi_device_figures_of(const ashlar_context *context, const ashi_device_account *account,
                                     ashlar_device_figures *out, size_t size, ashlar_error *err);

/* Predict a rank's program, and choose: *onto is what multiplies it, or NULL for the host; and `sums`, which the caller
 * frees, those that stay on the device. Local. Errors of ashi_context_onto and ashi_device_need_choose. */
ashlar_status ashi_on_device_settle(const ashi_on_device_request *request, ashi_on_device *out, ashi_onto **onto,
                                    ashi_onto_sums *sums, ashlar_error *err);

/* What was chosen, predicted anew for a request that differs in c_is_new. Errors of ashi_device_need_with. */
ashlar_status ashi_on_device_again(const ashi_on_device_request *request, const ashi_onto_sums *sums,
                                   ashi_on_device *inout, ashlar_error *err);

#endif

/* Checking what a plan is asked for: on each rank, and that all ranks ask for the same. */
#ifndef ASHI_PLAN_CHECK_H
#define ASHI_PLAN_CHECK_H

#include "plan/context.h"

/* Local; files are left to ashi_filed_check. The options name a machine. */
ashlar_status ashi_check_problem(const ashlar_context *context, const ashlar_problem *problem,
                                 const ashlar_options *options, ashlar_error *err);

/* Local: a machine's figures, but not its torus. `who` is the call. */
ashlar_status ashi_check_machine(const char *who, const ashlar_machine *machine, ashlar_error *err);

/* Local: a layout's ranks exist, and this rank's storage is possible. `name` says whose layout. */
ashlar_status ashi_check_layout(const ashlar_context *context, const ashlar_layout *layout, const char *name,
                                ashlar_error *err);

/* Collective, in one reduction: ashi_agree, and that all ranks ask for the same. On a rank that has failed problem and
 * options are not looked at. */
ashlar_status ashi_check_same(const ashlar_context *context, ashlar_status mine, const ashlar_problem *problem,
                              const ashlar_options *options, ashlar_error *err);

/* Collective, in one reduction: ashi_agree, and that alpha and beta, one element of the type each, are the same on all
 * ranks. They may be NULL on a rank that has failed. */
ashlar_status ashi_agree_scalars(const ashlar_context *context, ashlar_status mine, const char *who, ashlar_type type,
                                 const void *alpha, const void *beta, ashlar_error *err);

/* The same within a reduction that finds the greatest numbers: these are joined, and if no rank has failed it then
 * follows whether the scalars are the same. ASHLAR_ERR_ARG, on all ranks. */
enum { ASHI_SCALAR_NUMBERS = 8 };
void ashi_scalars_pack(ashlar_type type, const void *alpha, const void *beta, int64_t numbers[ASHI_SCALAR_NUMBERS]);
ashlar_status ashi_scalars_check(const int64_t greatest[ASHI_SCALAR_NUMBERS], const char *who, ashlar_error *err);

#endif

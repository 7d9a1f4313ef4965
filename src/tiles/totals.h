/* Numbers of all ranks, brought together so that every rank adds them in the same order. */
#ifndef ASHI_TOTALS_H
#define ASHI_TOTALS_H

#include "plan/context.h"

/* Two numbers of each rank, in the order of the ranks; `all` is freed by the caller, also after a failure. Collective;
 * status and text are the same on all ranks. ASHLAR_ERR_MEMORY; ASHLAR_ERR_MPI; what any rank comes with (`mine`). */
ashlar_status ashi_totals_gather(const ashlar_context *context, ashlar_status mine, const double own[2], double **all,
                                 ashlar_error *err);

/* Let `numbers` be the sums of all ranks' numbers. `room` is for `count` numbers of each rank. Collective; status and
 * text are the same on all ranks. ASHLAR_ERR_MPI. */
ashlar_status ashi_totals_sum(const ashlar_context *context, double *numbers, int64_t count, double *room,
                              ashlar_error *err);

/* Likewise for integers, if no rank comes with a failure (`mine`): what any comes with. */
ashlar_status ashi_totals_count(const ashlar_context *context, ashlar_status mine, int64_t *numbers, int64_t count,
                                ashlar_error *err);

#endif

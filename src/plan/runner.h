/* What runs a plan whose matrices are in memory: a player, and the schedule's program that it plays. */
#ifndef ASHI_RUNNER_H
#define ASHI_RUNNER_H

#include "exec/player.h"
#include "plan/context.h"
#include "plan/on_device.h"

typedef struct ashi_runner ashi_runner;

typedef struct ashi_runner_request {
    const ashlar_context *context;
    ashi_schedule *schedule; /* both outlive the runner */
    ashlar_type type;
    const ashlar_machine *machine; /* by which the device and the host are compared */
    bool one_sided;
    bool c_is_new;           /* C is not read: beta is 0 in all executions */
    bool c_begins_new;       /* it is not read in some */
    bool no_workspace;       /* the caller will give it */
    bool stays;              /* sums may stay on ranks' devices during a run: the same on all ranks */
} ashi_runner_request;

/* Allocate what runs need, without the window of one-sided transport. Local. */
ashlar_status ashi_runner_create(const ashi_runner_request *request, ashi_runner **out, ashlar_error *err);

/* Make the window; with two-sided transport there is none. Collective, once every rank has its runner; the status is
 * this rank's own. */
ashlar_status ashi_runner_open(ashi_runner *runner, ashlar_error *err);

/* Words of the workspace; and work in the caller's from now on: not with one-sided transport. */
int64_t ashi_runner_workspace(const ashi_runner *runner);
void ashi_runner_use_workspace(ashi_runner *runner, void *workspace);

/* What a run takes of the device; and one that does not read C, if the request says that there are some. */
const ashi_on_device *ashi_runner_on_device(const ashi_runner *runner);
const ashi_on_device *ashi_runner_on_device_anew(const ashi_runner *runner);

/* Whether there is the workspace that a run needs. */
bool ashi_runner_is_ready(const ashi_runner *runner);

/* Call `progress` as steps end; NULL: no longer. */
void ashi_runner_on_progress(ashi_runner *runner, void (*progress)(void *user, int64_t done, int64_t all), void *user);

/* Record from now on what runs do; NULL: no longer. The trace outlives that. Local. */
void ashi_runner_record(ashi_runner *runner, ashi_trace *trace);

/* C <- alpha op(A) op(B) + beta C with alpha other than 0. Collective; the status is this rank's own. */
ashlar_status ashi_runner_run(ashi_runner *runner, const void *alpha, const ashi_part part[3], const void *beta,
                              ashi_player_tally *tally, ashlar_error *err);

/* Whether the last run had lost sums with this rank's device, so that all ranks ran once more. Local. */
bool ashi_runner_lost(const ashi_runner *runner);

/* NULL does nothing. Collective if one-sided. */
void ashi_runner_free(ashi_runner **runner);

#endif

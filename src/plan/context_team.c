/* Contexts of parts of a context's ranks. */
#include "plan/context.h"

void ashi_context_lend_device(const ashlar_context *from, ashlar_context *to)
{
    to->device = from->device;
    to->device_is_lent = true;
    to->has_devices = from->has_devices;
    to->had_devices = from->had_devices;
    to->c_is_new = from->c_is_new;
}

ashlar_status ashi_context_team(ashlar_context *context, int number, ashlar_context **out, ashlar_error *err)
{
    MPI_Comm comm = MPI_COMM_NULL;
    ashlar_context *team = NULL;
    *out = NULL;
    ashi_note(context, MPI_Comm_split(context->comm, number, context->rank, &comm), "MPI_Comm_split");
    ashlar_status status = ashi_agree(context, ASHLAR_OK, err);
    if (status == ASHLAR_OK) {
        status = ashlar_context_create(comm, &team, err);
        if (team && context->missed->status == ASHLAR_OK)
            *context->missed = team->kept; /* what was noted in its last agreement */
        status = ashi_agree(context, status, err);
    }
    if (comm != MPI_COMM_NULL)
        ashi_note(context, MPI_Comm_free(&comm), "MPI_Comm_free");
    if (!team)
        return status;
    ashi_workers_free(&team->workers);
    team->workers = context->workers;
    team->threads_most = context->threads_most;
    team->threads_wanted = context->threads_wanted;
    team->ranks_per_core = context->ranks_per_core;
    team->missed = context->missed;
    team->refused = context->refused;
    ashi_context_lend_device(context, team);
    *out = team;
    if (status != ASHLAR_OK)
        ashi_context_team_free(out);
    return status;
}

void ashi_context_team_free(ashlar_context **team)
{
    if (!team || !*team)
        return;
    (*team)->workers = NULL;
    (*team)->trace = NULL;
    ashlar_context_free(team);
}
